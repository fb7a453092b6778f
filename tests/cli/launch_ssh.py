#!/usr/bin/env python3
"""antler launch --hosts with real ssh: two hosts, each a network namespace with an sshd of its own.

usage: launch_ssh.py ANTLER [PROGRAM]: PROGRAM is a training of several workers, by TF_CONFIG.
Needs root, and Debian's openssh-server; ends with 77 where it cannot run.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "chaos"))
from network import Network  # noqa: E402

LIMIT = 60  # seconds
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")


class Hosts:
    """Two hosts, and a third place from which programs are launched."""

    def __init__(self, folder):
        self.folder = folder
        self.network = Network(3)
        self.names = self.network.addresses[:2]
        self.servers = []
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)], check=True)
        os.makedirs("/run/sshd", exist_ok=True)
        for i, name in enumerate(self.names):
            with open(self.path(f"sshd{i}"), "w", encoding="utf-8") as file:
                file.write(f"ListenAddress {name}\nHostKey {self.path('host')}\nPidFile none\nUsePAM no\n"
                           f"AuthorizedKeysFile {self.path('user')}.pub\nStrictModes no\nPermitRootLogin prohibit-password\n")
            self.servers.append(subprocess.Popen(self.network.inside(i) + [SSHD, "-D", "-e", "-f", self.path(f"sshd{i}")],
                                                 stderr=open(self.path(f"log{i}"), "w", encoding="utf-8")))
        # Finds this run's keys; all else is ssh's own.
        with open(self.path("ssh"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec /usr/bin/ssh -F none -i {self.path("user")} -o StrictHostKeyChecking=no '
                       f'-o UserKnownHostsFile={self.path("known")} -o LogLevel=ERROR "$@"\n')
        os.chmod(self.path("ssh"), 0o755)
        end = time.monotonic() + LIMIT
        for name in self.names:
            while subprocess.run(self.network.inside(2) + [self.path("ssh"), "-o", "BatchMode=yes", name, "true"],
                                 stderr=subprocess.DEVNULL).returncode != 0:
                if time.monotonic() > end:
                    raise RuntimeError(f"no ssh to {name}")
                time.sleep(0.1)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, antler, *arguments):
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        environment.pop("TF_CONFIG", None)
        command = [antler, "launch", "--hosts", ",".join(self.names), *arguments]
        return subprocess.Popen(self.network.inside(2) + command, cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, antler, *arguments):
        process = self.start(antler, *arguments)
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, out, err

    def close(self):
        for server in self.servers:
            server.kill()
            server.wait()
        self.network.close()


def check(condition, *what):
    if not condition:
        raise SystemExit("FAILED: " + " ".join(map(str, what)))


def wait_for(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        check(time.monotonic() < end, what)
        time.sleep(0.05)


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


# A program that starts another one, and tells the numbers of both.
LONG = 'echo $$ >> pids; sleep 300 & echo $! >> pids; wait'


def all_ended(hosts, what):
    pids = lines_of(hosts.path("pids"))
    wait_for(lambda: not any(map(is_alive, pids)), f"{what}: programs still run")
    os.remove(hosts.path("pids"))


def places(hosts, antler):
    # The chief's end ends all others, so it waits until all have told their place.
    code, out, err = hosts.run(antler, "--workers", "3", "--ps", "1", "--", "sh", "-c",
                               'echo "$TF_CONFIG"; ip -4 -o addr show eth0; echo >> told; case $TF_CONFIG in '
                               '*\'"type":"chief"\'*) while [ $(wc -l < told) -lt 5 ]; do sleep 0.1; done; sleep 1;; *) sleep 300;; esac')
    check(code == 0, code, out, err)
    lines = {}
    for line in out.splitlines():
        name, text = line[1:].split("] ", 1)
        lines.setdefault(name, []).append(text)
    check(sorted(lines) == ["chief 0", "ps 0", "worker 0", "worker 1", "worker 2"], out)
    for name, (config, address) in lines.items():
        config = json.loads(config)
        job, index = name.split()
        check(config["task"] == {"type": job, "index": int(index)}, name, config)
        host = config["cluster"][job][int(index)].split(":")[0]
        check(host in address, f"{name} runs at {address} and not at {host}")
        check(len({host.split(":")[0] for hosts_of in config["cluster"].values() for host in hosts_of}) == 2, config)


def failures(hosts, antler):
    worker = 'case $TF_CONFIG in *\'"index":1}\'*) '
    code, out, err = hosts.run(antler, "--workers", "2", "--", "sh", "-c",
                               worker + 'while [ ! -s pids ]; do sleep 0.1; done; exit 3;; esac; ' + LONG)
    check(code == 3, "exit code", code, out, err)
    all_ended(hosts, "after a failure")
    code, out, err = hosts.run(antler, "--workers", "2", "--restarts", "1", "--", "sh", "-c",
                               worker + 'if [ ! -e failed ]; then touch failed; exit 3; fi; echo again;; esac')
    check(code == 0 and "[worker 1] again" in out, "--restarts", code, out, err)
    os.remove(hosts.path("failed"))


def signals(hosts, antler):
    for number, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = hosts.start(antler, "--workers", "2", "--", "sh", "-c", LONG)
        wait_for(lambda: len(lines_of(hosts.path("pids"))) == 4, "start")
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT)
        check(process.returncode == expected, number, process.returncode, out, err)
        all_ended(hosts, number)


def lost_connections(hosts, antler):
    """Nothing stays behind if a connection breaks, or if the launcher is killed."""
    process = hosts.start(antler, "--workers", "2", "--", "sh", "-c", LONG)
    wait_for(lambda: len(lines_of(hosts.path("pids"))) == 4, "start")
    client = subprocess.run(["pgrep", "-P", str(process.pid), "-n"], capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(client[0]), signal.SIGKILL)
    process.communicate(timeout=LIMIT)
    check(process.returncode != 0, "a lost connection is no failure")
    all_ended(hosts, "lost connection")
    process = hosts.start(antler, "--workers", "2", "--", "sh", "-c", LONG)
    wait_for(lambda: len(lines_of(hosts.path("pids"))) == 4, "start")
    process.kill()
    process.communicate(timeout=LIMIT)
    all_ended(hosts, "killed launcher")


def training(hosts, antler, program):
    code, out, err = hosts.run(antler, "--workers", "2", "--", *program)
    check(code == 0, program, code, out, err)
    for worker in range(2):
        check(f"[worker {worker}] " in out, f"no output of worker {worker}", out)


def main():
    if os.geteuid() != 0 or SSHD is None or shutil.which("ip") is None:
        raise SystemExit(77)
    antler, program = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        hosts = Hosts(folder)
        try:
            for step in (places, failures, signals, lost_connections):
                step(hosts, antler)
                print(step.__name__, "ok", flush=True)
            if program:
                training(hosts, antler, [os.path.abspath(program[0]), *program[1:]])
                print("training ok")
        finally:
            hosts.close()


if __name__ == "__main__":
    main()
