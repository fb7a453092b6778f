#!/usr/bin/env python3
"""Writes small cases of kind `distribute` for clusters, computed by tf_keras under MultiWorkerMirroredStrategy with two processes and
under ParameterServerStrategy, for antler_conformance. Needs tensorflow and tf_keras.

    cluster_cases.py FOLDER [NAME...]
    antler_conformance FOLDER
"""
import json
import os
import pathlib
import socket
import subprocess
import sys

from strategy_cases import (ADAM, L, dense, is_uneven, keras, make_data, normalized,
                            synchronized_normalized, tf, write_fit)


def plain_normalized():
    return normalized(False)


def embedded():
    return keras.Sequential([keras.Input((3,), dtype="int32"), L.Embedding(13, 4), L.Flatten(), L.Dense(5, activation="tanh"), L.Dense(1)])


# name: (model, rows, batch, policy, options)
WORKERS = {
    "workers_even": (dense, 8, 4, None, {"metrics": ["mae"]}),
    "workers_uneven": (dense, 11, 4, None, {"metrics": ["mae"]}),
    "workers_empty": (dense, 9, 4, None, {"optimizer": ADAM}),
    "workers_data": (dense, 11, 4, "DATA", {"metrics": ["mae"]}),
    "workers_off": (dense, 12, 4, "OFF", {"metrics": ["mae"]}),
    "workers_sample_weights": (dense, 8, 4, None, {"weights": True, "weighted_metrics": ["mae"]}),
    "workers_batch_normalization": (plain_normalized, 12, 6, None, {}),
    "workers_synchronized_batch_normalization": (synchronized_normalized, 12, 6, None, {}),
    "workers_steps_per_execution": (dense, 20, 4, None, {"steps_per_execution": 2, "metrics": ["mae"]}),
}
# name: (model, rows, batch, servers, partitioner, options)
SERVERS = {
    "servers_plain": (dense, 12, 4, 2, None, {"metrics": ["mae"], "steps": 3}),
    "servers_batch_normalization": (plain_normalized, 12, 4, 3, None, {"steps": 3}),
    "servers_adam": (dense, 12, 4, 3, None, {"optimizer": ADAM, "steps": 3}),
    "servers_fixed_shards": (embedded, 12, 4, 2, ("FixedShardsPartitioner", {"num_shards": 5}), {"metrics": ["mae"], "steps": 3}),
    "servers_min_size": (embedded, 12, 4, 3, ("MinSizePartitioner", {"min_shard_bytes": 60, "max_shards": 3}), {"optimizer": ADAM, "steps": 3}),
    "servers_max_size": (embedded, 12, 4, 2, ("MaxSizePartitioner", {"max_shard_bytes": 64}), {"steps": 3}),
    "servers_steps_per_execution": (dense, 12, 4, 1, None, {"steps_per_execution": 3, "steps": 3}),
}


def arrays_for(make, rows, seed, weights):
    arrays = make_data(rows, seed)
    if make is embedded:
        arrays["x"] = (abs(arrays["x"]) * 5).astype("int32") % 13
    if not weights:
        del arrays["sw"]
    return arrays


def write_worker_cases(folder, is_chief):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    for name, (make, rows, batch, policy, options) in WORKERS.items():
        keras.utils.set_random_seed(list(WORKERS).index(name) + 1)
        described = {"strategy": {"class": "MultiWorkerMirroredStrategy", "workers": 2, "replicas": 1}}
        if policy:
            described["strategy"]["auto_shard"] = policy
        if is_uneven(rows, batch, 2):
            described["weighting"] = "tensorflow"
        at = folder / name if is_chief else folder / "others" / name
        write_fit(at, strategy, described, make, arrays_for(make, rows, len(name), options.get("weights")), batch, options, policy, is_chief)


def write_server_case(folder, name):
    make, rows, batch, servers, partitioner, options = SERVERS[name]
    keras.utils.set_random_seed(list(SERVERS).index(name) + 1)
    described = {"strategy": {"class": "ParameterServerStrategy", "workers": 1, "ps": servers}}
    made = None
    if partitioner:
        described["strategy"]["partitioner"] = {"class": partitioner[0], "args": partitioner[1]}
        made = getattr(tf.distribute.experimental.partitioners, partitioner[0])(**partitioner[1])
    strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver(), variable_partitioner=made)
    arrays = arrays_for(make, rows, len(name), False)
    write_fit(folder / name, strategy, described, make, arrays, batch, options | {"placement": True}, only_epochs=True)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    return [s.getsockname()[1] for s in sockets]


def start(folder, what, cluster, job, index):
    config = {"cluster": cluster, "task": {"type": job, "index": index}}
    return subprocess.Popen([sys.executable, __file__, folder, what], env=os.environ | {"TF_CONFIG": json.dumps(config)})


def main(folder, *names):
    if not names or set(names) & set(WORKERS):
        addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
        workers = [start(folder, "workers", {"worker": addresses}, "worker", i) for i in range(2)]
        for worker in workers:
            worker.wait()
    for name in [name for name in SERVERS if not names or name in names]:
        addresses = [f"127.0.0.1:{port}" for port in free_ports(2 + SERVERS[name][3])]
        cluster = {"chief": addresses[:1], "worker": addresses[1:2], "ps": addresses[2:]}
        tasks = [start(folder, "serve", cluster, job, i) for job in ("worker", "ps") for i in range(len(cluster[job]))]
        start(folder, name, cluster, "chief", 0).wait()
        for task in tasks:
            task.kill()


def run_task(folder, what):
    folder = pathlib.Path(folder) / "distribute"
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if what == "serve":
        tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc").join()
    elif what == "workers":
        write_worker_cases(folder, resolver.task_id == 0)
    else:
        write_server_case(folder, what)


if __name__ == "__main__":
    run_task(*sys.argv[1:]) if "TF_CONFIG" in os.environ else main(*sys.argv[1:])
