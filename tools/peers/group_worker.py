#!/usr/bin/env python3
"""A process of worker_group.py, which starts it. The models and loops are those of the peers' scripts (cases, measure, peer_*)."""
import json
import os
import sys
import time

import cases
import measure

GROUP = json.loads(os.environ["ANTLER_WORKER_GROUP"])
RANK, SIZE = GROUP["rank"], GROUP["size"]


def agreed(enough):
    """Worker 0 decides for all whether there are enough timings."""
    def decide(times, **limits):
        if RANK != 0:
            return os.read(GROUP["pipes"][0], 1) == b"1"
        answer = enough(times, **limits)
        for pipe in GROUP["pipes"]:
            os.write(pipe, b"1" if answer else b"0")
        return answer

    return decide


def own_rows(name):
    """Reduces the case's batch and data to this worker's share."""
    cases.CASES[name]["batch"] //= SIZE
    cases.SEED += RANK


def loading(load):
    """Records how long the group needed to start training, without the time to make the data."""
    def timed_load(name):
        begin = time.time()
        data = load(name)
        GROUP["ready"] = begin - GROUP["start"]
        return data

    return timed_load


def emitting(emit, share):
    """Adds the time from the start of the group to the end of the first step, and counts the samples of all workers."""
    def emit_all(metric, value, unit, **extra):
        emit(metric, value / share if metric == "samples_per_s" else value, unit, **extra)
        if metric == "time_to_first_step":
            emit("start_to_first_step", GROUP["ready"] + value, unit)

    return emit_all


def run_torch(name, options):
    import peer_torch
    import torch
    from torch import distributed
    own_rows(name)
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", f"tcp://127.0.0.1:{GROUP['ports'][0]}", rank=RANK, world_size=SIZE)

    def parallel(make):
        def model(case):
            local = make(case)
            if options.get("nhwc"):
                local = local.to(memory_format=torch.channels_last)
            return torch.nn.parallel.DistributedDataParallel(
                local, gradient_as_bucket_view=True, static_graph=bool(options.get("static")), broadcast_buffers=False,
                bucket_cap_mb=options.get("bucket", 25))
        return model

    peer_torch.MODELS = {kind: parallel(make) for kind, make in peer_torch.MODELS.items()}
    peer_torch.run(name, "torch", dict(options, nhwc=options.get("nhwc"), threads=1))
    distributed.destroy_process_group()


def run_tf_keras(name, options):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    import peer_keras  # the batch size of `fit` is that of all workers together
    peer_keras.keras.utils.set_random_seed(0)
    with strategy.scope():
        peer_keras.train(name, options)


def run_jax(name, options):
    import jax
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{GROUP['ports'][0]}", num_processes=SIZE, process_id=RANK)
    import group_jax
    own_rows(name)
    group_jax.train(name, options)


def main():
    name, peer, variant = sys.argv[1:4]
    sys.argv = ["worker.py", name, peer, variant]  # peer_keras reads the peer from it
    from worker import parse
    options = parse(variant)
    measure.CONTEXT.update(case=name, peer=peer, variant=variant, threads=1)
    measure.enough = agreed(measure.enough)
    measure.emit = emitting(measure.emit, 1 if peer == "tf_keras" else 1 / SIZE)  # share of a batch
    cases.load = loading(cases.load)
    {"torch": run_torch, "tf_keras": run_tf_keras, "jax": run_jax}[peer](name, options)
    measure.peak_rss()


if __name__ == "__main__":
    main()
