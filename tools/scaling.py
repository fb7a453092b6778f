#!/usr/bin/env python3
"""Compares the measured growth of a training step's time with a simulation based on the kernels of one profiled model.

The model: a kernel takes max(FLOPs / rate, bytes / bandwidth) plus a fixed cost, and its FLOPs and bytes are linear in
the batch size. Two profiles (batch 64 and 128) determine the coefficients; the second one also determines the rates, from
the total time of compute-bound and of memory-bound kernels. Everything else is predicted.

With --links RATE... (such as 20mbit; as root, needs iproute2) it compares the predicted time of a step with 1, 2, 4 and 8
workers to the time of workers in network namespaces, whose links tc limits to RATE.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNEL_COST = 0.6e-6  # seconds: the call and, with several threads, waking them
LINK = 10e9 / 8  # bytes per second between machines
LATENCY = 30e-6  # seconds per message
WEIGHTS = 4 * (784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10)  # bytes of the model's gradients
# The share of data in the bytes on a link: a frame of 1514 bytes carries 1448 bytes of data, and a worker also sends an
# acknowledgement of 66 bytes for every second frame that it receives.
PAYLOAD = 1448 / (1514 + 66 / 2)


def bench(options, *flags, profile=None):
    command = options.wrapper.split() + [options.bench, "mlp", *map(str, flags)]
    if profile:
        command += ["--profile", profile]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return {line["metric"]: line["value"] for line in lines}


def kernels(options, batch, threads):
    """[(name, FLOPs, bytes, median seconds)] of a step's kernels, in program order."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        bench(options, "--batch", batch, "--threads", threads, profile=path)
        with open(path, encoding="utf-8") as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and e["cat"] == "train_step"]
    events.sort(key=lambda e: e["ts"])
    first = events[0]["name"]
    period = next(i for i in range(1, len(events)) if events[i]["name"] == first
                  and [e["name"] for e in events[i:2 * i]] == [e["name"] for e in events[:i]])
    table = []
    for i in range(period):
        runs = events[i::period]
        args = runs[0]["args"]
        table.append((runs[0]["name"], args["flops"], args["bytes"], statistics.median(e["dur"] for e in runs) * 1e-6))
    return table


class Simulation:
    """Predicts a step of the profiled model for any batch size."""

    def __init__(self, low, high, low_batch, high_batch):
        if [k[0].split()[0] for k in low] != [k[0].split()[0] for k in high]:
            raise SystemExit("the two batch sizes have different kernels")
        step = high_batch - low_batch
        self.parts = []
        for a, b in zip(low, high):
            self.parts.append([(f, (g - f) / step, low_batch) for f, g in ((a[1], b[1]), (a[2], b[2]))])
        arithmetic = [k for k in high if k[1] > 0]
        moving = [k for k in high if k[1] == 0]
        self.rate = sum(k[1] for k in arithmetic) / sum(k[3] for k in arithmetic)
        self.bandwidth = sum(k[2] for k in moving) / sum(max(k[3] - KERNEL_COST, 1e-8) for k in moving)

    def step(self, batch, repeats=1):
        total = 0
        for flops, size in self.parts:
            f, b = (at + slope * (batch - base) for at, slope, base in (flops, size))
            total += max(f / self.rate, b / self.bandwidth if f == 0 else 0) + KERNEL_COST
        return total * repeats


def all_reduce(workers, link, latency=LATENCY):
    """Seconds of a ring all-reduce of the gradients; `link` in bytes of data per second."""
    return 0 if workers == 1 else 2 * (workers - 1) / workers * WEIGHTS / link + 2 * (workers - 1) * latency


def bits_per_second(rate):
    for unit, factor in (("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9)):
        if rate.endswith(unit):
            return float(rate[:-4]) * factor
    raise SystemExit(f"--links: expected a rate such as 20mbit. Received: {rate}.")


def measured_step(options, workers, rows, rate):
    """Median seconds of a step of workers, each with its own namespace and `rows` samples."""
    sys.path.insert(0, os.path.join(ROOT, "tests/chaos"))
    from network import Network

    steps = 3
    network = Network(workers, rate)
    processes = []
    try:
        cluster = [f"{address}:9000" for address in network.addresses]
        for index in range(workers):
            config = {"cluster": {"worker": cluster}, "task": {"type": "worker", "index": index}}
            environment = dict(os.environ, TF_CONFIG=json.dumps(config), ANTLER_BENCH_WORKER="0", OMP_WAIT_POLICY="passive")
            # Separate process namespaces, so that the workers cannot use shared memory instead of the network.
            command = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *network.inside(index), options.bench, "mlp",
                       "--threads", "1", "--workers", str(workers), "--batch", str(rows * workers), "--steps", str(steps),
                       "--steps-per-execution", str(steps)]
            processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        output = [process.communicate()[0] for process in processes][0]
    finally:
        for process in processes:
            process.kill()
        network.close()
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return 1 / next(line["value"] for line in lines if line["metric"] == "steps_per_s")


def links_page(options):
    rows = 16
    alone = 1 / bench(options, "--batch", rows, "--threads", 1)["steps_per_s"]
    lines = [f"One process: {milliseconds(alone)} ms per step of {rows} samples, one thread.", "",
             "| link | workers | predicted, ms | measured, ms | difference |", "|---|---|---|---|---|"]
    for rate in options.links:
        for workers in (2, 4, 8):
            predicted = alone + all_reduce(workers, PAYLOAD * bits_per_second(rate) / 8)
            measured = measured_step(options, workers, rows, rate)
            lines.append(f"| {rate} | {workers} | {1e3 * predicted:.0f} | {1e3 * measured:.0f} | "
                         f"{100 * (measured / predicted - 1):+.1f} % |")
            print(lines[-1], file=sys.stderr)
    return lines


def milliseconds(seconds):
    return f"{1e3 * seconds:.3g}"


def page(options):
    simulations, lines = {}, []
    for threads in (1, 2):
        simulations[threads] = Simulation(kernels(options, 64, threads), kernels(options, 128, threads), 64, 128)
    lines += ["| batch | 1 core: simulated, measured (ms) | 2 cores: simulated, measured (ms) | speed-up of 2 cores |", "|---|---|---|---|"]
    for batch in (16, 32, 64, 128, 256, 512, 1024):
        cells, measured = [], {}
        for threads in (1, 2):
            measured[threads] = 1 / bench(options, "--batch", batch, "--threads", threads)["steps_per_s"]
            cells.append(f"{milliseconds(simulations[threads].step(batch))}, {milliseconds(measured[threads])}")
        lines.append(f"| {batch} | {cells[0]} | {cells[1]} | {measured[1] / measured[2]:.2f} |")
    lines += ["", "| hidden layers of 512 | measured, ms (batch 128, 2 cores) | per additional layer |", "|---|---|---|"]
    before = None
    for layers in (1, 2, 4, 8, 16):
        time = 1 / bench(options, "--batch", 128, "--layers", layers)["steps_per_s"]
        more = "" if before is None else milliseconds((time - before[1]) / (layers - before[0]))
        lines.append(f"| {layers} | {milliseconds(time)} | {more} |")
        before = (layers, time)
    lines += ["", f"| replicas | step at {128} samples each, ms | of which all-reduce | speed-up |", "|---|---|---|---|"]
    single = simulations[2].step(128)
    for replicas in (1, 2, 4, 8, 16, 32):
        reduce = all_reduce(replicas, LINK)
        lines.append(f"| {replicas} | {milliseconds(single + reduce)} | {milliseconds(reduce)} | "
                    f"{replicas * single / (single + reduce):.1f} |")
    rates = ", ".join(f"{t} core{'s' if t > 1 else ''}: {s.rate / 1e9:.0f} GFLOP/s, {s.bandwidth / 1e9:.0f} GB/s"
                      for t, s in simulations.items())
    return [f"Rates from the profiles: {rates}.", ""] + lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=os.path.join(ROOT, "build/bin/antler_bench"))
    parser.add_argument("--wrapper", default="", help="command to run each measurement under")
    parser.add_argument("--links", nargs="+", metavar="RATE", help="compare workers on slow links, such as 20mbit, instead")
    options = parser.parse_args()
    print("\n".join(links_page(options) if options.links else page(options)))


if __name__ == "__main__":
    main()
