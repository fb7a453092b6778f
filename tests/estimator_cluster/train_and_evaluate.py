#!/usr/bin/env python3
"""Trains with train_and_evaluate() in three processes: a chief, a worker and an evaluator.

usage: train_and_evaluate.py PROGRAM      the program antler_estimator_cluster
"""
import os
import sys
import tempfile

from tasks import PATIENCE, check, event_files, free_addresses, output_of, start, variables_in


def check_equal(values, expected, tolerance, whose):
    check(values.keys() == expected.keys(), f"{whose}: the variables are {sorted(values)}, not {sorted(expected)}")
    for name in expected:
        for a, b in zip(values[name], expected[name]):
            check(abs(a - b) <= tolerance * max(1, abs(b)), f"{whose}: {name} is {values[name]}, not {expected[name]}")


def train_together(program, model_dir, worker_dir, max_steps):
    """The variables of the chief; those of the worker are the same."""
    chief, worker = free_addresses(2)
    cluster = {"chief": [chief], "worker": [worker]}
    folders = {"chief": model_dir, "worker": worker_dir, "evaluator": model_dir}
    processes = {task: start(program, task, cluster, folder, max_steps) for task, folder in folders.items()}
    try:
        outputs = {task: output_of(process) for task, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
    chiefs = variables_in(outputs["chief"])
    check_equal(variables_in(outputs["worker"]), chiefs, 0, "the worker")
    check(chiefs["global_step"] == [max_steps], f"the last step is {chiefs['global_step']}")
    end = f"Exiting evaluation, global_step={max_steps} >= train max_steps={max_steps}"
    check(end in outputs["evaluator"], f"the evaluator did not see the end:\n{outputs['evaluator']}")
    check(f"Saving dict for global step {max_steps}:" in outputs["evaluator"], "the last checkpoint was not evaluated")
    for task in ("worker", "evaluator"):
        check("Saving checkpoints" not in outputs[task], f"the {task} saved a checkpoint")
    for task in ("chief", "worker"):
        check("Saving dict" not in outputs[task], f"the {task} evaluated")
    return chiefs


def lose_worker(program, model_dir):
    """A lost worker is an error of the chief, whose checkpoints remain."""
    chief, worker = free_addresses(2)
    cluster = {"chief": [chief], "worker": [worker]}
    processes = [start(program, task, cluster, model_dir, 1_000_000) for task in cluster]
    try:
        for line in processes[0].stdout:
            if "Saving checkpoints for 10 " in line:
                break
        processes[1].kill()
        output, _ = processes[0].communicate(timeout=PATIENCE)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    check(processes[0].returncode == 1, f"the chief ended with {processes[0].returncode}:\n{output}")
    check("UnavailableError" in output, f"the chief did not say what happened:\n{output}")


def metrics_in(output):
    return dict(line.split()[1:] for line in output.splitlines() if line.startswith("metric "))


def end_differently(program, model_dir, worker_dir):
    """The worker has three batches more; both train and evaluate on as many as the chief has, and evaluate together."""
    steps = 10  # some of them are announced together
    chief, worker = free_addresses(2)
    cluster = {"chief": [chief], "worker": [worker]}
    folders = {"chief": model_dir, "worker": worker_dir}
    processes = [start(program, task, cluster, folder, steps, part="uneven") for task, folder in folders.items()]
    try:
        outputs = [output_of(process) for process in processes]
    finally:
        for process in processes:
            process.kill()
    for output in outputs:
        check(variables_in(output)["global_step"] == [steps], f"it did not end after {steps} steps:\n{output}")
        check("The data of worker 0 has ended" in output, f"nothing tells why training ended:\n{output}")
    metrics = [metrics_in(output) for output in outputs]
    check(metrics[0] == metrics[1], f"the chief has the metrics {metrics[0]}, the worker {metrics[1]}")
    alone = metrics_in(output_of(start(program, None, None, model_dir, steps, part="evaluate")))
    check(metrics[0].keys() == alone.keys() and "mae" in alone, f"the metrics are {metrics[0]}, not {alone}")
    for name in alone:
        check(abs(float(metrics[0][name]) - float(alone[name])) < 1e-4, f"together {metrics[0]}, alone {alone}")
    check(not os.path.exists(worker_dir), "the worker wrote files")
    check(len(event_files(os.path.join(model_dir, "eval_together"))) == 1, "the chief did not write the evaluation")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        alone = os.path.join(folder, "alone")
        together = os.path.join(folder, "together")
        of_worker = os.path.join(folder, "of_worker")
        # What a worker would write it would write into its own folder here.
        values = train_together(program, together, of_worker, 20)
        check(not os.path.exists(of_worker), "the worker wrote files")
        check_equal(values, variables_in(output_of(start(program, None, None, alone, 20))), 1e-4, "the cluster")
        for folder_of, what in ((together, "the training"), (os.path.join(together, "eval"), "the evaluations")):
            check(len(event_files(folder_of)) == 1, f"{what} wrote {event_files(folder_of)}")
        saved = sorted(int(name[11:-6]) for name in os.listdir(together) if name.endswith(".index"))
        check(saved == [0, 5, 10, 15, 20], f"the checkpoints are of the steps {saved}")
        # All tasks go on from the newest checkpoint.
        values = train_together(program, together, together, 30)
        check_equal(values, variables_in(output_of(start(program, None, None, alone, 30))), 1e-4, "the cluster")
        end_differently(program, os.path.join(folder, "uneven"), os.path.join(folder, "uneven_worker"))
        # With new processes training goes on where the lost ones were.
        lost = os.path.join(folder, "lost")
        lose_worker(program, lost)
        train_together(program, lost, lost, 200)
    print("a chief and a worker trained as one process with the global batch; an evaluator saw the end")


main()
