#!/usr/bin/env python3
"""Benchmarks of Antler against its peers, in turn: ours, theirs, ours, theirs.

On shared machines only the ratios of neighbouring runs mean something. The peers' scripts (a folder with worker.py and
cases.py) and their virtual environments (tf, jx and th in one folder) are not part of the tree.
"""
import argparse
import collections
import json
import os
import platform
import subprocess
import sys

import bench_table

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BENCH = os.path.join(ROOT, "build/bin/antler_bench")
VENV = {"tf_keras": "tf", "keras-tf": "tf", "keras-jax": "jx", "jax": "jx", "numpy": "jx", "torch": "th"}

# Per case the peers that led it when all settings of all peers were tried.
LEADERS = {
    "walkthrough": [("jax", "scan=1000"), ("keras-jax", "spe=100,jit=1"), ("keras-jax", "spe=5,jit=1")],
    "mlp": [("jax", "scan=20"), ("keras-jax", "spe=1,jit=1")],
    "mlp128": [("jax", "scan=20")],
    "mlp_tiny": [("jax", "scan=20")],
    "cnn": [("keras-tf", "spe=20,jit=0")],
    "resnet20": [("torch", "eager,nhwc")],
    "lstm": [("jax", "scan=20"), ("keras-tf", "spe=20,jit=0")],
    "gpt1": [("keras-tf", "spe=10,jit=1")],
    "gpt4": [("keras-tf", "spe=10,jit=0")],
    "mlp128 bf16": [("torch", "eager,bf16")],
    "cnn bf16": [("keras-tf", "spe=20,jit=0,bf16")],
    "gpt1 bf16": [("torch", "compile=default,bf16")],
    "predict": [("keras-jax", "jit=1"), ("jax", "jit"), ("numpy", "loop")],
}


def figures(command, wrapper, **kwargs):
    """{metric: line} of the JSON lines that a command prints; empty where it fails."""
    try:
        done = subprocess.run(wrapper + command, capture_output=True, text=True, timeout=240, check=False, **kwargs)
    except subprocess.TimeoutExpired:
        print(f"  timed out: {' '.join(command)}", file=sys.stderr)
        return {}
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0:
        print(f"  failed: {' '.join(command)}\n{done.stderr[-400:]}", file=sys.stderr)
    return {line["metric"]: line for line in lines}


def run_ours(case, options):
    name, *flags = case.split()
    return figures([BENCH, name] + [f"--{flag}" for flag in flags], options.wrapper)


def run_peer(case, peer, variant, options):
    python = os.path.join(options.venvs, VENV[peer], "bin/python")
    return figures([python, "worker.py", case.split()[0], peer, variant], options.wrapper, cwd=options.peers)


def measure(case, options):
    """(our runs, {(peer, variant): its runs}), one after the other `repeats` times."""
    ours, peers = [], collections.OrderedDict()
    for turn in range(options.repeats):
        print(f"{case}: turn {turn + 1}", file=sys.stderr)
        ours.append(run_ours(case, options))
        for peer, variant in LEADERS[case]:
            if options.venvs and os.path.isdir(os.path.join(options.venvs, VENV[peer])):
                peers.setdefault((peer, variant), []).append(run_peer(case, peer, variant, options))
    return ours, peers


def flops_per_step(options):
    if not options.peers:
        return {}
    sys.path.insert(0, options.peers)
    import cases  # the peers' own count of multiply-adds
    return {name: cases.train_flops(name) for name in cases.CASES}


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        info = dict(line.split(":", 1) for line in file if ":" in line)
    fields = {key.strip(): value.strip() for key, value in info.items()}
    return f"{fields.get('model name', platform.machine())}, family {fields.get('cpu family', '?')} model {fields.get('model', '?')}"


def report(results, options):
    limits = figures([BENCH, "limits"], options.wrapper)
    peak = limits["fma"]["value"] * 1e9
    training = {case: value for case, value in results.items() if case != "predict"}
    rows = bench_table.training_rows(training, flops_per_step(options), peak)
    text = ["# Figures", "",
            f"{cpu()}; {os.cpu_count()} cores, shared with others. Peak of fp32 multiply-adds from registers, in the same session: "
            f"{limits['fma']['value']:.0f} GFLOP/s; memory: {limits['triad']['value']:.0f} GB/s (triad).", "",
            "Antler and each peer ran in turn, a process each; steps/s is the median epoch of a run, the column shows the median run. "
            "Absolute figures on shared machines change by half from minute to minute: read the ratios of the pairs.", "",
            "`./dev bench --peers DIR --venvs DIR` makes this page.", "", "![ratios](results.svg)", "", "## Training", ""]
    text += bench_table.training_table(rows) + ["", "## Start and memory", ""] + bench_table.start_table(rows)
    if "predict" in results:
        text += ["", "## Latency", ""] + bench_table.latency_table(*results["predict"])
    return "\n".join(text) + "\n", bench_table.bars(rows) if rows else ""


def write(path, text):
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help=f"default: {', '.join(LEADERS)}")
    parser.add_argument("--peers", default="", help="folder of the peers' scripts")
    parser.add_argument("--venvs", default="", help="folder of their virtual environments tf, jx and th")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--wrapper", default="", help="a command that each measurement is run under")
    parser.add_argument("--out", default=os.path.join(ROOT, "benchmarks"), help="folder of RESULTS.md and results.svg")
    options = parser.parse_args()
    options.wrapper = options.wrapper.split()
    cases = options.cases or list(LEADERS)
    unknown = [case for case in cases if case not in LEADERS]
    if unknown:
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(LEADERS)}")
    results = {case: measure(case, options) for case in cases}
    text, picture = report(results, options)
    print(text)
    if options.venvs:
        write(os.path.join(options.out, "RESULTS.md"), text)
        if picture:
            write(os.path.join(options.out, "results.svg"), picture)


if __name__ == "__main__":
    main()
