"""Network namespaces of one machine, one per worker, whose links can be slow, lossy or down. Needs root."""
import os
import subprocess


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Network:
    """A bridge with a namespace per worker; addresses are 10.77.N.1 and so on."""

    def __init__(self, workers, rate=None, loss=0):
        """`rate` as for tc, such as "100mbit"; `loss` in percent of the packets that arrive."""
        self.name = f"chaos{os.getpid() % 100000}"
        self.net = f"10.77.{os.getpid() % 250}"
        self.spaces = [f"{self.name}-{i}" for i in range(workers)]
        self.addresses = [f"{self.net}.{i + 1}" for i in range(workers)]
        try:
            run("ip", "link", "add", self.name, "type", "bridge")
            run("ip", "link", "set", self.name, "up")
            for i, space in enumerate(self.spaces):
                outer = f"v{os.getpid() % 100000}-{i}"
                run("ip", "netns", "add", space)
                run("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", space)
                run("ip", "link", "set", outer, "master", self.name, "up")
                run("ip", "-n", space, "addr", "add", f"{self.addresses[i]}/24", "dev", "eth0")
                run("ip", "-n", space, "link", "set", "eth0", "up")
                run("ip", "-n", space, "link", "set", "lo", "up")
                if rate:
                    run("tc", "-n", space, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "64kb",
                        "latency", "50ms")
                if loss:
                    rules = ("add table inet t; add chain inet t in { type filter hook input priority 0; }; "
                             f"add rule inet t in iifname eth0 numgen random mod 1000 < {int(loss * 10)} drop")
                    run(*self.inside(i), "nft", rules)
        except BaseException:
            self.close()
            raise

    def inside(self, worker):
        """What to write before a command that is to run in a worker's namespace."""
        return ["ip", "netns", "exec", self.spaces[worker]]

    def set_link(self, worker, is_up):
        run("ip", "-n", self.spaces[worker], "link", "set", "eth0", "up" if is_up else "down")

    def close(self):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", self.name], stderr=subprocess.DEVNULL)
