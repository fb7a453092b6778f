"""Network namespaces of one machine, one per worker, whose links can be slow, lossy or down. Needs root."""
import ctypes
import fcntl
import heapq
import os
import select
import struct
import subprocess
import threading
import time


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def open_tun(space):
    """A descriptor of the device eth0, made in a namespace: its packets are read and written there."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = []

    def make():  # a separate thread, which ends in the other namespace
        with open(f"/run/netns/{space}") as handle:
            if libc.setns(handle.fileno(), 0) != 0:
                raise OSError(ctypes.get_errno(), "setns")
        tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"eth0", IFF_TUN | IFF_NO_PI))
        result.append(tun)

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    return result[0]


class Relay:
    """Carries packets between namespaces, each some seconds late."""

    def __init__(self, devices, seconds):
        """`devices`: descriptors by address."""
        self.devices = {bytes(map(int, address.split("."))): d for address, d in devices.items()}
        self.seconds = seconds
        self.ends = False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        waiting = []
        count = 0
        while not self.ends:
            pause = max(waiting[0][0] - time.monotonic(), 0) if waiting else 0.05
            ready, _, _ = select.select(list(self.devices.values()), [], [], min(pause, 0.05))
            for device in ready:
                try:
                    packet = os.read(device, 65536)
                except OSError:
                    continue  # its link is down
                target = self.devices.get(packet[16:20])
                if target is not None:
                    count += 1
                    heapq.heappush(waiting, (time.monotonic() + self.seconds, count, target, packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, target, packet = heapq.heappop(waiting)
                try:
                    os.write(target, packet)
                except OSError:
                    pass

    def close(self):
        self.ends = True
        self.thread.join()
        for device in self.devices.values():
            os.close(device)


class Network:
    """A namespace per worker; addresses are 10.77.N.1 and so on. A bridge connects them, or a relay if packets are late."""

    def __init__(self, workers, rate=None, loss=0, delay=0):
        """`rate` as for tc, such as "100mbit"; `loss` in percent of the packets that arrive; `delay` in seconds."""
        number = os.getpid() % 100000
        self.name = f"chaos{number}"
        self.spaces = [f"{self.name}-{i}" for i in range(workers)]
        self.addresses = [f"10.77.{number % 250}.{i + 1}" for i in range(workers)]
        self.relay = None
        self.links = []
        devices = {}
        try:
            run("ip", "link", "add", self.name, "type", "bridge")
            run("ip", "link", "set", self.name, "up")
            for i, space in enumerate(self.spaces):
                run("ip", "netns", "add", space)
                if delay:
                    devices[self.addresses[i]] = open_tun(space)
                else:
                    outer = f"v{number}-{i}"
                    self.links.append(outer)
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
            if delay:
                self.relay = Relay(devices, delay)
        except BaseException:
            self.close()
            raise

    def inside(self, worker):
        """What to write before a command that is to run in a worker's namespace."""
        return ["ip", "netns", "exec", self.spaces[worker]]

    def set_link(self, worker, is_up):
        run("ip", "-n", self.spaces[worker], "link", "set", "eth0", "up" if is_up else "down")

    def close(self):
        if self.relay:
            self.relay.close()
        # Those of a namespace that is deleted go later, and another network may use the names before.
        for link in self.links:
            subprocess.run(["ip", "link", "del", link], stderr=subprocess.DEVNULL)
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", self.name], stderr=subprocess.DEVNULL)
