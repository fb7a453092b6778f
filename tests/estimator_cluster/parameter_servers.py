#!/usr/bin/env python3
"""Trains with train_and_evaluate() and parameter servers, and ends some of the tasks.

usage: parameter_servers.py PROGRAM      the program antler_estimator_cluster
"""
import contextlib
import os
import re
import sys
import tempfile

from tasks import check, event_files, free_addresses, output_of, start, variables_in


class Job:
    """The tasks of a cluster, each with its own folder but those that share the model's."""

    def __init__(self, program, folder, workers, servers, chief="chief", part=""):
        self.program = program
        self.folder = folder
        self.chief = chief
        self.part = part
        addresses = free_addresses(1 + workers + servers)
        self.cluster = {chief: addresses[:1], "worker": addresses[1 : 1 + workers], "ps": addresses[1 + workers :]}
        self.processes = []

    def start(self, task, index=0, max_steps=1_000_000):
        folder = self.folder if task in (self.chief, "evaluator") else f"{self.folder}_of_{task}_{index}"
        process = start(self.program, task, self.cluster, folder, max_steps, index, self.part)
        self.processes.append(process)
        return process

    def start_servers(self):
        return [self.start("ps", index) for index in range(len(self.cluster["ps"]))]

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


def number_in(pattern, output):
    found = re.search(pattern, output)
    check(found, f"there is no {pattern!r} in\n{output}")
    return float(found.group(1))


def wait_for(pattern, process):
    """Reads up to a line with the pattern, and returns what its first group has matched."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        found = re.search(pattern, line)
        if found:
            return found.group(1)
    check(False, f"a process ended without {pattern!r}:\n{''.join(lines)}")


def kill(process):
    process.kill()
    process.wait()


def train(program, folder):
    """A chief, a worker, two servers and an evaluator; then one process goes on alone."""
    steps = 400
    job = Job(program, folder, 1, 2)
    with contextlib.closing(job):
        worker = job.start("worker", 0, steps)  # waits for the servers and the chief
        servers = job.start_servers()
        chief = job.start("chief", 0, steps)
        evaluator = job.start("evaluator", 0, steps)
        of_chief, of_worker, of_evaluator = (output_of(process) for process in (chief, worker, evaluator))
        for server in servers:
            check(server.poll() is None, "a parameter server has ended by itself")
    last = number_in(r"variable global_step (\d+)", of_chief)
    made = [number_in(r"^steps (\d+)", output[output.rindex("steps ") :]) for output in (of_chief, of_worker)]
    check(steps <= last <= steps + 1, f"training of {steps} steps ended at {last}")
    check(sum(made) == last, f"the tasks made {made} steps, but the global step is {last}")
    check(made[1] > 0, "the worker made no steps")
    final = variables_in(of_chief)
    # The power has one factor per step: no update of a worker was lost.
    check(abs(final["beta2_power"][0] / 0.999 ** (last + 1) - 1) < 1e-3, f"{final['beta2_power']} at step {last}")
    check("Saving checkpoints" not in of_worker, "the worker saved a checkpoint")
    check(not os.path.exists(f"{folder}_of_worker_0"), "the worker wrote files")
    check(len(event_files(folder)) == 1, f"the training wrote {event_files(folder)}")
    loss = number_in(rf"global step {last:.0f}: global_step = \d+, loss = ([0-9.e-]+)", of_evaluator)
    check(loss < 0.2, f"the loss is {loss}")
    check("Exiting evaluation" in of_evaluator, f"the evaluator did not see the end:\n{of_evaluator}")

    alone = output_of(start(program, None, None, folder, steps + 50))
    check(number_in(r"started at (\d+)", alone) == last, f"one process did not go on:\n{alone}")
    check(number_in(r"variable global_step (\d+)", alone) == steps + 50, f"it did not go on to the end:\n{alone}")


def lose_tasks(program, folder):
    job = Job(program, folder, 2, 2)
    with contextlib.closing(job):
        servers = job.start_servers()
        chief = job.start("chief")
        workers = [job.start("worker", index) for index in range(2)]
        for worker in workers:
            wait_for("started at (.*)", worker)
        saved = r"after saving checkpoint (\d+)"
        wait_for(saved, chief)

        kill(workers[1])
        before = float(wait_for(saved, chief))
        kill(chief)
        check(workers[0].poll() is None, "a worker ended because others were lost")

        chief = job.start("chief")
        restored = float(wait_for(r"Restoring parameters from .*model.ckpt-(\d+)", chief))
        check(restored >= before > 0, f"the chief saved step {before} and restored step {restored}")
        check(float(wait_for(saved, chief)) >= restored, "the chief started from the beginning")
        # A worker that starts late finds the variables.
        late = job.start("worker", 1)
        check(float(wait_for(r"started at (\d+)", late)) >= restored, "the late worker started from the beginning")

        # A server that comes back has nothing; all tasks wait for what the chief restores. One of two, then both.
        for lost in ([1], [0, 1]):
            before = float(wait_for(saved, chief))
            for index in lost:
                kill(servers[index])
            for process in (chief, workers[0], late):
                wait_for("An error was raised(.*)", process)
            for index in lost:
                servers[index] = job.start("ps", index)
            restored = float(wait_for(r"Restoring parameters from .*model.ckpt-(\d+)", chief))
            check(restored >= before, f"the chief saved step {before} and restored step {restored}")
            for process in (workers[0], late):
                check(float(wait_for(r"started at (\d+)", process)) >= restored, "a worker started from the beginning")
            check(float(wait_for(saved, chief)) >= restored, "the chief started from the beginning")
            check(float(wait_for(saved, chief)) > restored, "the training does not go on")


def train_with_master(program, folder):
    """A TPUEstimator on CPUs. The master evaluates, so worker 0 writes the curves, and logs as all do."""
    steps = 100
    job = Job(program, folder, 1, 1, "master", "tpu")
    with contextlib.closing(job):
        job.start_servers()
        worker = start(program, "worker", job.cluster, folder, steps, 0, job.part)  # they share the folder
        job.processes.append(worker)
        master = job.start("master", 0, steps)
        of_master, of_worker = output_of(master), output_of(worker)
    check("Saving checkpoints" in of_master and "Saving dict" in of_master, f"the master did not evaluate:\n{of_master}")
    check("Saving" not in of_worker, f"the worker saved or evaluated:\n{of_worker}")
    made = [number_in(r"^steps (\d+)", output[output.rindex("steps ") :]) for output in (of_master, of_worker)]
    check(steps <= sum(made) <= steps + 1, f"the tasks made {made} steps of {steps}")
    check(len(event_files(folder)) == 2, f"the training wrote {event_files(folder)}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        train(sys.argv[1], os.path.join(folder, "train"))
        lose_tasks(sys.argv[1], os.path.join(folder, "lose"))
        train_with_master(sys.argv[1], os.path.join(folder, "master"))
    print("tasks trained one model on parameter servers, and went on without those that were lost")


main()
