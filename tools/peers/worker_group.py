#!/usr/bin/env python3
"""Measures several processes that train together: like worker.py of the peers' scripts, with one thread per process.

usage: worker_group.py CASE PEER VARIANT --peers DIR [--workers N]

PEER is torch (DistributedDataParallel), jax (collectives between processes), both over Gloo, or tf_keras (MultiWorkerMirroredStrategy).
Run it with the peer's own Python. DIR has the peers' models and loops (worker.py, cases.py, peer_*.py); the batch of a case is divided
by the number of workers. Each process runs on its own core. Prints the JSON lines of process 0 with the field "workers".
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def start(rank, ports, pipes, options):
    """A worker process. Worker 0 tells the others through the pipes when there are enough timings."""
    group = dict(rank=rank, size=options.workers, ports=ports, start=time.time(),
                 pipes=[w for _, w in pipes] if rank == 0 else [pipes[rank - 1][0]])
    env = dict(os.environ, ANTLER_WORKER_GROUP=json.dumps(group), PYTHONPATH=os.pathsep.join([HERE, options.peers]), OMP_NUM_THREADS="1",
               TF_CPP_MIN_LOG_LEVEL="3", TF_USE_LEGACY_KERAS="1", CUDA_VISIBLE_DEVICES="-1")
    if options.peer == "tf_keras":
        env["TF_CONFIG"] = json.dumps({"cluster": {"worker": [f"127.0.0.1:{port}" for port in ports]}, "task": {"type": "worker", "index": rank}})
    cores = sorted(os.sched_getaffinity(0))
    command = [sys.executable, os.path.join(HERE, "group_worker.py"), options.case, options.peer, options.variant]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, pass_fds=group["pipes"],
                            preexec_fn=lambda: os.sched_setaffinity(0, {cores[rank % len(cores)]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("case", "peer", "variant"):
        parser.add_argument(name)
    parser.add_argument("--peers", required=True)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    ports = free_ports(options.workers)
    pipes = [os.pipe() for _ in range(options.workers - 1)]
    processes = [start(rank, ports, pipes, options) for rank in range(options.workers)]
    for pipe in pipes:
        for end in pipe:
            os.close(end)
    outputs = [process.communicate()[0] for process in processes]
    for text in outputs[0].splitlines():
        if text.startswith("{"):
            print(json.dumps(dict(json.loads(text), threads=1, workers=options.workers)))
    return max(abs(process.returncode) for process in processes)


if __name__ == "__main__":
    sys.exit(main())
