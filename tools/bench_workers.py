#!/usr/bin/env python3
"""Benchmarks Antler's workers against its peers' and against one process, alternating: one, ours, theirs, one, ours, theirs.

Each process has one thread, and each worker has its own core. The batch of a case is divided among all workers. The efficiency is the
steps per second of the workers over those of one process, divided by the number of workers: `efficiency` for a process with the whole
batch, `per worker` for a process with the batch of one worker. See bench.py for the peers' scripts and virtual environments.
"""
import argparse
import os
import statistics
import sys

import bench
from bench_table import number

# The fastest peers of each case, found by trying settings of all peers.
LEADERS = {
    "mlp128": ("jax", "scan=20"),
    "cnn": ("tf_keras", "spe=20,jit=0"),
    "resnet20": ("tf_keras", "spe=20,jit=0"),
    "gpt1": ("torch", "eager"),
}
BATCH = {"mlp128": 128, "cnn": 128, "resnet20": 128, "gpt1": 32}
GROUP = os.path.join(bench.ROOT, "tools/peers/worker_group.py")


def measure(case, options):
    """(one process, one process with a worker's batch, our workers, the peer's workers), as {metric: value}."""
    peer, variant = LEADERS[case]
    python = os.path.join(options.venvs, bench.VENV[peer], "bin/python")
    ours = [bench.BENCH, case, "--threads", "1"]
    core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    commands = [core + ours, core + ours + ["--batch", str(BATCH[case] // options.workers)], ours + ["--workers", str(options.workers)],
                [python, GROUP, case, peer, variant, "--peers", options.peers, "--workers", str(options.workers)]]
    lines = [bench.figures(command, options.wrapper) for command in commands]
    return [{metric: line["value"] for metric, line in each.items()} for each in lines] if all(lines) else None


def row(case, runs, workers):
    def series(index, metric="steps_per_s"):
        return [run[index][metric] for run in runs]

    def median_ratio(first, second):
        return statistics.median(a / b for a, b in zip(series(first), series(second)))

    ratios = [ours / theirs for ours, theirs in zip(series(2), series(3))]
    starts = [statistics.median(series(index, "start_to_first_step")) for index in (2, 3)]
    cells = [case, number(statistics.median(series(0))), number(statistics.median(series(2))), f"{median_ratio(2, 0) / workers:.2f}",
             f"{median_ratio(2, 1):.2f}", " ".join(LEADERS[case]), number(statistics.median(series(3))),
             ", ".join(f"{ratio:.2f}" for ratio in ratios), f"**{statistics.median(ratios):.2f}**",
             f"{number(1e3 * starts[0])} ms", f"{number(1e3 * starts[1])} ms"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help=f"default: {', '.join(LEADERS)}")
    parser.add_argument("--peers", required=True, help="folder of the peers' scripts")
    parser.add_argument("--venvs", required=True, help="folder of their virtual environments tf, jx and th")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--wrapper", default="", help="command to run each measurement under")
    options = parser.parse_args()
    options.wrapper = options.wrapper.split()
    runs = {case: [] for case in options.cases or LEADERS}
    for turn in range(options.repeats):
        for case, results in runs.items():
            print(f"turn {turn + 1}: {case}", file=sys.stderr)
            result = measure(case, options)
            if result:
                results.append(result)
    print(f"| case | one process, steps/s | {options.workers} workers | efficiency | per worker | peer | its steps/s | ratio of each pair | median "
          "| first step after the start | the peer's |")
    print("|" + "---|" * 11)
    for case, results in runs.items():
        if results:
            print(row(case, results, options.workers))


if __name__ == "__main__":
    main()
