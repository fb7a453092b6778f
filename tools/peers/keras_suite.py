#!/usr/bin/env python3
"""Runs the tests that Keras ships in its wheel, file by file, and compares backends.

    keras_suite.py run --backend antler --out antler.json [--jobs 2] [--tenth 3] [PATTERN...]
    keras_suite.py table antler.json --baselines jax.json --out ../../docs/keras_test_suite.md
    keras_suite.py check antler.json

`run` uses the interpreter that runs this program, which must have keras, pytest and the backend. A
result is {file: {test: outcome}}; for a file that crashes or runs out of time, one outcome replaces the
tests. `table` counts how many tests pass here, out of those that pass with any of the baselines
(out of all tests, for files that are in no baseline). `check` fails if a test fails that
keras_suite_reasons.json does not name.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

REASONS = pathlib.Path(__file__).with_name("keras_suite_reasons.json")


def needs_others(path):
    """Whether a test file imports another framework, or a module that the wheel lacks."""
    modules = ("jax", "tensorflow", "torch", "conftest", "grain", "onnx", "orbax")
    words = tuple(f"{verb} {module}" for verb in ("import", "from") for module in modules)
    lines = path.read_text().splitlines()
    return any(line.startswith(words) for line in lines)


def test_files(patterns, skip):
    """The paths of Keras's tests below keras/src, in order."""
    import importlib.util

    root = pathlib.Path(importlib.util.find_spec("keras").origin).parent / "src"
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*_test.py"))
    # Tests of other backends' own modules.
    files = [f for f in files if not f.startswith(("backend/jax/", "backend/tensorflow/",
                                                   "backend/torch/", "backend/openvino/"))]
    files = [f for f in files if not any(s in f for s in skip)]
    return root, [f for f in files if not patterns or any(p in f for p in patterns)]


def outcomes(report):
    tests = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname').rsplit('.', 1)[-1]}::{case.get('name')}"
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            tests[name] = "failed"
        elif "skipped" in kinds:
            tests[name] = "skipped"
        else:
            tests[name] = "passed"
    return tests


def run_file(root, name, backend, timeout):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        environment = dict(os.environ, KERAS_BACKEND=backend, KERAS_HOME=folder,
                           OMP_WAIT_POLICY="passive", TF_CPP_MIN_LOG_LEVEL="3",
                           PYTHONPATH=os.pathsep.join(filter(None, [
                               str(REASONS.parent), os.environ.get("PYTHONPATH")])))
        command = [sys.executable, "-m", "pytest", "-q", "--no-header",
                   "-p", "no:cacheprovider", "--tb=line",
                   # Without pytest's own loader, so that keras_antler_plugin sees trainer_test.
                   "-p", "keras_suite_plugin", "--assert=plain", f"--junitxml={report}", str(root / name)]
        try:
            done = subprocess.run(command, cwd=folder, env=environment, timeout=timeout,
                                  capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return "timeout", ""
        if not os.path.exists(report):
            return "crashed", done.stdout[-2000:] + done.stderr[-2000:]
        return outcomes(report), done.stdout


def run(options):
    root, files = test_files(options.patterns, options.skip)
    if options.tenth is not None:
        files = [f for f in files if not needs_others(root / f)][options.tenth :: 10]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(run_file, root, f, options.backend, options.timeout): f for f in files}
        for job in concurrent.futures.as_completed(jobs):
            name, (result, log) = jobs[job], job.result()
            results[name] = result
            print(f"{name}: {summary(result)}", flush=True)
            if options.verbose and (isinstance(result, str) or "failed" in result.values()):
                print(log, flush=True)
            with open(options.out, "w") as file:
                json.dump(results, file, indent=1, sort_keys=True)


def summary(result):
    if isinstance(result, str):
        return result
    counts = {kind: list(result.values()).count(kind) for kind in ("passed", "failed", "skipped")}
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def passed(result):
    return set() if isinstance(result, str) else {t for t, kind in result.items() if kind == "passed"}


def counted(result):
    return set() if isinstance(result, str) else {t for t, kind in result.items() if kind != "skipped"}


def skips(result, test):
    """Whether the test skips itself here, or exists for some backends only."""
    return not isinstance(result, str) and result.get(test, "skipped") == "skipped"


def load(path):
    with open(path) as file:
        return json.load(file)


def table(options):
    here = load(options.result)
    baselines = [load(path) for path in options.baselines]
    reasons = load(REASONS) if REASONS.exists() else {}
    rows = []
    total = both = 0
    for name in sorted(here):
        known = [b[name] for b in baselines if name in b]
        # Without a baseline, every test counts that is not skipped.
        wanted = set().union(*map(passed, known)) if known else counted(here[name])
        if not wanted:
            continue
        good = passed(here[name]) & wanted
        total += len(wanted)
        both += len(good)
        missing = sorted(wanted - good)
        skipped = [t for t in missing if skips(here[name], t)]
        why = sorted({reason_of(reasons, name, t) or t for t in missing if t not in skipped})
        if skipped:
            why.append(f"{len(skipped)} skipped, because they are written for other backends")
        why = "; ".join(why)
        rows.append(f"| `{name}` | {len(wanted)} | {len(good)} | {why} |")
    lines = [
        f"Of {total} tests that pass with a baseline, {both} pass: {100 * both / max(total, 1):.1f} %.",
        "",
        "| file | baseline | Antler | what does not pass |",
        "| --- | --- | --- | --- |",
        *rows,
    ]
    if options.out:
        path = pathlib.Path(options.out)
        text = path.read_text() if path.exists() else ""
        marker = "<!-- table -->\n"
        head = text.split(marker)[0] if marker in text else text
        path.write_text(head + marker + "\n".join(lines) + "\n")
    print(lines[0])


def check(options):
    here = load(options.result)
    reasons = load(REASONS)
    bad = []
    for name, result in here.items():
        if isinstance(result, str):
            bad.append(f"{name}: {result}")
            continue
        for test, kind in result.items():
            if kind == "failed" and reason_of(reasons, name, test) is None:
                bad.append(f"{name}::{test}")
    for test in bad:
        print(f"fails without a reason in {REASONS.name}: {test}")
    total = sum(len(passed(result)) for result in here.values())
    print(f"{len(here)} files, {total} tests pass")
    sys.exit(1 if bad or not total else 0)


def reason_of(reasons, name, test):
    """Why a test does not pass: by file and test, or by file."""
    return reasons.get(f"{name}::{test.split('::')[-1]}", reasons.get(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("patterns", nargs="*", help="parts of the paths of files; default: all")
    one.add_argument("--skip", nargs="*", default=[], help="parts of the paths of files to skip")
    one.add_argument("--backend", default="antler")
    one.add_argument("--out", required=True)
    one.add_argument("--jobs", type=int, default=1)
    one.add_argument("--timeout", type=float, default=900, help="seconds for each file")
    one.add_argument("--tenth", type=int, help="only every tenth file, from this one on")
    one.add_argument("--verbose", action="store_true", help="the output of files with failures")
    one.set_defaults(f=run)
    one = commands.add_parser("table")
    one.add_argument("result")
    one.add_argument("--baselines", nargs="+", required=True)
    one.add_argument("--out")
    one.set_defaults(f=table)
    one = commands.add_parser("check")
    one.add_argument("result")
    one.set_defaults(f=check)
    options = parser.parse_args()
    options.f(options)


if __name__ == "__main__":
    main()
