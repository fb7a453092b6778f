#!/usr/bin/env python3
"""Benchmarks Antler against its peers, alternating: ours, theirs, ours, theirs.

On shared machines only the ratios of consecutive runs are meaningful. The peers' scripts (a folder with worker.py and
cases.py) and their virtual environments (tf, jx and th in one folder) are not part of this repository.
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

# The fastest peers of each case, found by trying all settings of all peers.
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
    """{metric: line} for the JSON lines that a command prints; empty if it fails."""
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
    """Runs each peer of a case right after Antler and appends the results to the file of runs."""
    for peer, variant in LEADERS[case]:
        if not os.path.isdir(os.path.join(options.venvs, VENV[peer])):
            continue
        ours = run_ours(case, options)
        theirs = run_peer(case, peer, variant, options)
        if ours and theirs:
            with open(options.runs, "a", encoding="utf-8") as file:
                pair = dict(case=case, peer=peer, variant=variant, ours=ours, theirs=theirs)
                file.write(json.dumps(pair, separators=(",", ":")) + "\n")


def known_pairs(options):
    """{case: {(peer, variant): (our runs, its runs)}} from the file of runs; runs with equal indices are a pair."""
    results = {}
    with open(options.runs, encoding="utf-8") as file:
        for line in file:
            pair = json.loads(line)
            peers = results.setdefault(pair["case"], collections.OrderedDict())
            ours, theirs = peers.setdefault((pair["peer"], pair["variant"]), ([], []))
            ours.append(pair["ours"])
            theirs.append(pair["theirs"])
    return {case: results[case] for case in LEADERS if case in results}


def flops_per_step(options):
    sys.path.insert(0, options.peers)
    import cases  # counts the multiply-adds
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
    page = ["# Benchmark results", "",
            f"{cpu()}; {os.cpu_count()} cores, shared with others. Measured in the same session: fp32 multiply-adds from registers "
            f"{limits['fma']['value']:.0f} GFLOP/s, memory {limits['triad']['value']:.0f} GB/s (triad).", "",
            "Antler and each peer ran alternately, each in its own process. steps/s is the median epoch of a run; the table has the "
            "median run. On shared machines absolute numbers vary by half from minute to minute: compare the ratios of the pairs.", "",
            "Made by `./dev bench --peers DIR --venvs DIR`.", "", "![ratios](results.svg)", "", "## Training", ""]
    page += bench_table.training_table(rows) + ["", "## Start-up and memory", ""] + bench_table.start_table(rows)
    if "predict" in results:
        page += ["", "## Latency", ""] + bench_table.latency_table(results["predict"])
    return "\n".join(page) + "\n", bench_table.bars(rows) if rows else ""


def write(path, contents):
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        file.write(contents)
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help=f"default: {', '.join(LEADERS)}")
    parser.add_argument("--peers", required=True, help="folder of the peers' scripts")
    parser.add_argument("--venvs", required=True, help="folder of their virtual environments tf, jx and th")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--wrapper", default="", help="command to run each measurement under")
    parser.add_argument("--add", action="store_true", help="add to the existing runs instead of starting over")
    parser.add_argument("--out", default=os.path.join(ROOT, "build/benchmarks"),
                        help="folder for RESULTS.md, results.svg and the raw runs; benchmarks/ has the published ones")
    options = parser.parse_args()
    options.wrapper = options.wrapper.split()
    cases = options.cases or list(LEADERS)
    unknown = [case for case in cases if case not in LEADERS]
    if unknown:
        parser.error(f"unknown case {unknown[0]!r}; known: {', '.join(LEADERS)}")
    os.makedirs(options.out, exist_ok=True)
    options.runs = os.path.join(options.out, "runs.jsonl")
    if not options.add and os.path.exists(options.runs):
        os.remove(options.runs)
    for turn in range(options.repeats):
        for case in cases:
            print(f"turn {turn + 1}: {case}", file=sys.stderr)
            measure(case, options)
    page, chart = report(known_pairs(options), options)
    print(page)
    write(os.path.join(options.out, "RESULTS.md"), page)
    if chart:
        write(os.path.join(options.out, "results.svg"), chart)


if __name__ == "__main__":
    main()
