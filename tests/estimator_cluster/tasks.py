"""Starts tasks of a cluster, and reads what they print."""
import json
import os
import socket
import subprocess
import sys

BATCH = 4  # rows per task
PATIENCE = 120  # seconds


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{s.getsockname()[1]}" for s in sockets]
    for s in sockets:
        s.close()
    return addresses


def start(program, task, cluster, model_dir, max_steps, index=0, part=""):
    """Starts a task of the cluster; alone without a task. `part`: see training.cpp."""
    environment = {name: value for name, value in os.environ.items() if name != "TF_CONFIG"}
    environment["OMP_WAIT_POLICY"] = "passive"
    if task:
        environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": task, "index": index}})
    return subprocess.Popen(
        [program, model_dir, str(BATCH), str(max_steps), part],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def output_of(process, code=0):
    """What is left of the output of a process that ends with this exit code."""
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        sys.exit(f"FAILED: a process does not end:\n{output}")
    check(process.returncode == code, f"a process ended with {process.returncode}:\n{output}")
    return output


def variables_in(output):
    """What LastVariables printed: the values by name."""
    lines = [line.split()[1:] for line in output.splitlines() if line.startswith("variable ")]
    check(lines, f"there are no variables in\n{output}")
    return {name: [float(value) for value in values] for name, *values in lines}


def event_files(folder):
    return [name for name in os.listdir(folder) if "tfevents" in name] if os.path.isdir(folder) else []
