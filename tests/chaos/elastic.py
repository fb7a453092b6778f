#!/usr/bin/env python3
"""Elastic training while workers are killed and stopped, and their network fails.

    elastic.py PROGRAM [--workers 4] [--kills 3] [--stops 1] [--seed 1] ...
    elastic.py PROGRAM --namespaces --cuts 2 --loss 2 --rate 100mbit ...

PROGRAM is antler_cluster_training. Workers that were killed are started again after a while. With --namespaces each worker
has a network of its own (as root), and all messages go through it. Fails unless all events happen, all workers end, every
sample was seen once in each epoch, and all have the same weights. Prints the median and the longest standstill of training after each kind of event.
"""
import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from network import Network


def free_ports(count):
    sockets = []
    while len(sockets) < count:
        s = socket.socket()
        try:
            s.bind(("127.0.0.1", random.randrange(10000, 32000)))
            sockets.append(s)
        except OSError:
            s.close()
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Worker:
    """One place of the cluster, and the processes that occupy it one after another."""

    def __init__(self, index, command, cluster, prefix, log):
        self.index = index
        self.command = prefix + command
        config = {"cluster": {"worker": cluster}, "task": {"type": "worker", "index": index}}
        self.environment = dict(os.environ, TF_CONFIG=json.dumps(config), OMP_WAIT_POLICY="passive")
        if prefix:
            self.environment["ANTLER_TEST_COMMUNICATION"] = "ring"  # not through shared memory
        self.log = log
        self.lines = []
        self.steps = []  # times of the steps of all its processes
        self.epochs = []  # (epoch, samples seen, not seen once) of all its processes
        self.process = None
        self.start()

    def start(self):
        self.lines = []
        self.joined = threading.Event()
        self.process = subprocess.Popen(self.command, env=self.environment, text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read, args=(self.process, self.lines, self.joined))
        self.reader.start()

    def read(self, process, lines, joined):
        for line in process.stdout:
            line = line.rstrip()
            lines.append(line)
            if line.startswith("at "):
                joined.set()
                self.steps.append(time.monotonic())
            if m := re.fullmatch(r"epoch (\d+) seen (\S+) not once (\S+)", line):
                self.epochs.append((int(m[1]), float(m[2]), float(m[3])))
            self.log(f"[{self.index}] {line}")

    def send(self, what):
        os.kill(self.process.pid, what)

    def is_training(self):
        return self.process.poll() is None and self.joined.is_set()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--stops", type=int, default=0, help="number of times a worker is stopped (SIGSTOP)")
    parser.add_argument("--stop-seconds", type=float, default=5)
    parser.add_argument("--cuts", type=int, default=0, help="number of times a link is cut; needs --namespaces")
    parser.add_argument("--cut-seconds", type=float, default=5)
    parser.add_argument("--namespaces", action="store_true")
    parser.add_argument("--loss", type=float, default=0, help="percentage of packets to drop")
    parser.add_argument("--rate", default=None, help="bandwidth of each link, such as 100mbit")
    parser.add_argument("--delay", type=float, default=0, help="delay of each packet in milliseconds")
    parser.add_argument("--pause", type=float, default=1, help="mean seconds between two events")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=1200)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--spe", type=int, default=1)
    parser.add_argument("--milliseconds", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--limit", type=float, default=120, help="seconds after which the run has failed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--log", default=None)
    a = parser.parse_args()
    if a.cuts and not a.namespaces:
        parser.error("--cuts needs --namespaces")
    return a


class Log:
    """Writes lines with their time, from any thread."""

    def __init__(self, path):
        self.start = time.monotonic()
        self.file = open(path, "w") if path else None
        self.mutex = threading.Lock()

    def __call__(self, text):
        if self.file:
            with self.mutex:
                self.file.write(f"{self.seconds():8.3f} {text}\n")
                self.file.flush()

    def seconds(self):
        return time.monotonic() - self.start


def start_workers(a, network, log, workers):
    """Appends to `workers`, so that those that have started are known if one does not."""
    command = [a.program, "elastic"] + [
        str(v) for v in (a.epochs, a.samples, a.batch, a.spe, a.milliseconds, a.timeout)]
    if network:
        cluster = [f"{address}:2222" for address in network.addresses]
    else:
        cluster = [f"127.0.0.1:{p}" for p in free_ports(a.workers)]
    for i in range(a.workers):
        workers.append(Worker(i, command, cluster, network.inside(i) if network else [], log))


def run_events(a, chance, network, workers, log):
    """Kills, stops and cuts off workers until all have ended. Returns [(event, its time)], those that are left, and errors."""
    events = ["kill"] * a.kills + ["stop"] * a.stops + ["cut"] * a.cuts
    chance.shuffle(events)
    due = []  # (time, function)
    next_event = time.monotonic() + 2
    happened = []
    while any(w.process.poll() is None for w in workers) or due:
        now = time.monotonic()
        if log.seconds() > a.limit:
            return happened, events, [f"not done after {a.limit} seconds"]
        for entry in [d for d in due if d[0] <= now]:
            due.remove(entry)
            entry[1]()
        training = [w for w in workers if w.is_training()]
        if events and now >= next_event and len(training) > 1 and not due:
            what = events.pop()
            worker = chance.choice(training)
            log(f"--- {what} {worker.index}")
            happened.append((what, time.monotonic()))
            if what == "kill":
                worker.send(signal.SIGKILL)
                worker.process.wait()
                worker.reader.join()
                due.append((now + chance.uniform(0, a.pause), worker.start))
            elif what == "stop":
                worker.send(signal.SIGSTOP)
                due.append((now + a.stop_seconds, lambda w=worker: w.send(signal.SIGCONT)))
            else:
                network.set_link(worker.index, False)
                due.append((now + a.cut_seconds, lambda i=worker.index: network.set_link(i, True)))
            next_event = now + chance.uniform(0.5, 1.5) * a.pause
        time.sleep(0.01)
    return happened, events, []


def end(workers, network):
    for w in workers:
        if w.process.poll() is None:
            w.send(signal.SIGCONT)
            w.process.kill()
        w.process.wait()
        w.reader.join()
    if network:
        network.close()


def verdict(a, workers, left):
    """What is wrong with a run that has ended."""
    errors = []
    epochs = {}
    for w in workers:
        # A restarted worker that comes too late, because training has ended, is not an error.
        late = any("too late" in line or "has ended" in line for line in w.lines)
        if w.process.returncode != 0 and not late:
            errors.append(f"worker {w.index} ended with {w.process.returncode}: {w.lines[-3:]}")
        for epoch, seen, not_once in w.epochs:
            epochs.setdefault(epoch, set()).add((seen, not_once))
    for epoch in range(a.epochs):
        if epochs.get(epoch) != {(float(a.samples), 0.0)}:
            errors.append(f"epoch {epoch}: {epochs.get(epoch)}")
    finished = [w for w in workers if w.process.returncode == 0]
    if not finished:
        errors.append("no worker has finished")
    errors += [f"worker {w.index} ended without a line" for w in finished if not w.lines]
    digests = {w.lines[-1] for w in finished if w.lines}
    if len(digests) > 1:
        errors.append(f"weights differ: {digests}")
    if left:
        errors.append(f"training ended before these events: {', '.join(left)}")
    return errors


def standstills(workers, happened):
    """The longest time between two steps of any worker that starts at an event or shortly after, by kind of event."""
    still = {}
    steps = sorted(t for w in workers for t in w.steps)
    for what, moment in happened:
        gaps = [b - a for a, b in zip(steps, steps[1:]) if b > moment and a < moment + 1]
        if gaps:
            still.setdefault(what, []).append(max(gaps))
    return still


def main():
    a = parse()
    seed = a.seed if a.seed is not None else random.randrange(1 << 30)
    log = Log(a.log)
    network = Network(a.workers, a.rate, a.loss, a.delay / 1000) if a.namespaces else None
    workers = []
    try:
        start_workers(a, network, log, workers)
        happened, left, errors = run_events(a, random.Random(seed), network, workers, log)
    finally:
        end(workers, network)
    seconds = log.seconds()
    errors += verdict(a, workers, left)
    sums = {line for w in workers for line in w.lines if line.startswith("weights ")}
    print(f"seed {seed}: {len(happened)} events in {seconds:.1f} s, {len(left)} left, {sums}")
    for what, times in standstills(workers, happened).items():
        times.sort()
        print(f"  {len(times)} x {what}: standstill {times[len(times) // 2]:.2f} s (median), {times[-1]:.2f} s (longest)")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
