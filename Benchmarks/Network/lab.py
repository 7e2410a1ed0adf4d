"""Two machines with a router and a path each, as network namespaces of this machine; nothing leaves them. Needs root.

    alice 10.77.1.2 -- router -- path -- server 10.77.0.1 -- path -- router -- 10.77.2.2 bob
"""

import os
import signal
import subprocess
import threading
import time

SERVER = "10.77.0.1"
PLACES = ["alice", "router1", "path1", "server", "path2", "router2", "bob"]


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


class Lab:
    """`nat` hides each machine behind its router as home routers do; the paths are those of `path-emulator`."""

    def __init__(self, emulator, nat=False, **path):
        self.prefix = f"bench{os.getpid()}"
        self.programs = []
        self.emulators = []
        try:
            self.build(emulator, nat, path)
        except BaseException:
            self.close()
            raise

    def build(self, emulator, nat, path):
        for place in PLACES:
            run("ip", "netns", "add", self.name(place))
            self.ip(place, "link set lo up")
            self.inside(place, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.disable_ipv6=1")
        self.ip("server", f"addr add {SERVER}/32 dev lo")
        for side, machine in ((1, "alice"), (2, "bob")):
            self.connect(machine, "eth0", f"router{side}", "inside")
            self.connect(f"router{side}", "outside", f"path{side}", "near")
            self.connect(f"path{side}", "far", "server", f"side{side}")
            self.ip(machine, f"addr add 10.77.{side}.2/24 dev eth0")
            self.ip(machine, f"route add default via 10.77.{side}.1")
            self.ip(f"router{side}", f"addr add 10.77.{side}.1/24 dev inside")
            self.ip(f"router{side}", f"addr add 10.77.{side}0.2/24 dev outside")
            self.ip("server", f"addr add 10.77.{side}0.1/24 dev side{side}")
            self.ip(f"router{side}", f"route add default via 10.77.{side}0.1")
            if nat:
                self.hide(f"router{side}")
            else:
                self.ip("server", f"route add 10.77.{side}.0/24 via 10.77.{side}0.2")
            path_emulator = self.start(
                f"path{side}", emulator, "near", "far", str(side), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.emulators.append(path_emulator)
        self.set(**path)

    def set(self, **path):
        """Changes both paths, in both directions."""
        settings = " ".join(f"{name} {value}" for name, value in path.items())
        for emulator in self.emulators:
            emulator.stdin.write(f"{settings}\n")
            emulator.stdin.flush()
            emulator.stdout.readline()

    def follow(self, steps):
        """Changes the paths from now on: after so many seconds, to these settings."""
        def run():
            start = time.monotonic()
            for seconds, path in steps:
                time.sleep(max(0, start + seconds - time.monotonic()))
                self.set(**path)
        threading.Thread(target=run, daemon=True).start()

    def name(self, place):
        return f"{self.prefix}-{place}"

    def ip(self, place, arguments):
        run("ip", "-n", self.name(place), *arguments.split())

    def inside(self, place, *command, **options):
        return run("ip", "netns", "exec", self.name(place), *command, **options)

    def start(self, place, *command, **options):
        program = subprocess.Popen(["ip", "netns", "exec", self.name(place), *command], text=True, **options)
        self.programs.append(program)
        return program

    def connect(self, one, interface, other, other_interface):
        self.ip(one, f"link add {interface} type veth peer name {other_interface} netns {self.name(other)}")
        for place, name in ((one, interface), (other, other_interface)):
            # Frames must be as long as on a wire, with checksums, to pass the emulator.
            self.inside(place, "ethtool", "-K", name, "tx", "off", "gso", "off", "tso", "off", "gro", "off")
            self.ip(place, f"link set {name} up")

    def hide(self, router):
        self.inside(router, "nft", "-f", "-", input="""
            table ip nat {
                chain leaving { type nat hook postrouting priority 100; oifname outside masquerade; }
                chain arriving {
                    type filter hook input priority 0; iifname outside ct state new meta l4proto { udp, tcp } drop;
                }
            }""")

    def close(self):
        for program in self.programs:
            for stream in (program.stdin, program.stdout):
                if stream:
                    stream.close()
        for place in PLACES:
            pids = subprocess.run(
                ["ip", "netns", "pids", self.name(place)], text=True, capture_output=True).stdout.split()
            for pid in pids:
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            subprocess.run(["ip", "netns", "del", self.name(place)], capture_output=True)
        for program in self.programs:
            program.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
