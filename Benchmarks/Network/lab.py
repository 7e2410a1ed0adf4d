"""Two machines with a router and a path each, as network namespaces of this machine; nothing leaves them. Needs root.

    alice 10.77.1.2 -- router -- path -- server 10.77.0.1 -- path -- router -- 10.77.2.2 bob

With IPv6 the same addresses begin with fd77: instead of 10.77, as in fd77:1::2.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

SERVER, SECOND_SERVER, SERVER6 = "10.77.0.1", "10.77.0.2", "fd77::1"
SIDES = {"alice": 1, "bob": 2}
PLACES = ["alice", "router1", "path1", "server", "path2", "router2", "bob"]


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


class Lab:
    """`nats` are those of alice's and bob's router: what hides a machine, and who reaches it.

    none        the machine has an address of the internet
    cone        one outside port for each port of the machine, for whom it has sent to; as at home
    full cone   the same port for everybody
    symmetric   another outside port for each destination

    A router of a side in `blocked` forwards no UDP. `path` are settings of `path-emulator`, for both paths.
    """

    def __init__(self, emulator, nats=("none", "none"), ipv4=True, ipv6=False, blocked=(), **path):
        self.prefix = f"bench{os.getpid()}"
        self.programs = []
        self.emulators = []
        self.flow = None
        self.lock = threading.Lock()
        self.ipv4, self.ipv6, self.nats = ipv4, ipv6, dict(zip(SIDES, nats))
        self.moves = dict.fromkeys(SIDES, 0)
        try:
            self.build(emulator, blocked, path)
        except BaseException:
            self.close()
            raise

    def build(self, emulator, blocked, path):
        for place in PLACES:
            run("ip", "netns", "add", self.name(place))
            self.ip(place, "link set lo up")
            self.inside(
                place, "sysctl", "-qw", "net.ipv4.ip_forward=1", f"net.ipv6.conf.all.disable_ipv6={int(not self.ipv6)}",
                # A new address would wait a second for others that have it.
                "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0")
        for address in (f"{SERVER}/32", f"{SECOND_SERVER}/32") + ((f"{SERVER6}/128",) if self.ipv6 else ()):
            self.ip("server", f"addr add {address} dev lo")
        for machine, side in SIDES.items():
            router, path_place = f"router{side}", f"path{side}"
            self.connect(machine, "eth0", router, "inside")
            self.connect(router, "outside", path_place, "near")
            self.connect(path_place, "far", "server", f"side{side}")
            self.address(machine, "eth0", router, "inside", side)
            self.address(router, "outside", "server", f"side{side}", side * 10)
            nat = self.nats[machine]
            if nat == "none" and self.ipv4:
                self.ip("server", f"route add 10.77.{side}.0/24 via 10.77.{side}0.2")
            if self.ipv6:
                self.ip("server", f"route add fd77:{side}::/64 via fd77:{side}0::2")
            self.rule(router, side, nat, machine in blocked)
            path_emulator = self.start(
                path_place, emulator, "near", "far", str(side), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.emulators.append(path_emulator)
        # An unknown address swallows packets, as on the internet. Without a route a TURN server would close the whole allocation.
        self.connect("server", "hole", "path1", "bottom")
        self.ip("server", "link set hole arp off")
        self.ip("server", "route add default dev hole")
        self.set(**path)

    def address(self, one, interface, other, other_interface, network):
        """Addresses of a link, and the default route of its first end, which has number 2."""
        for ip, prefix, length in (("-4", f"10.77.{network}.", 24), ("-6", f"fd77:{network}::", 64)):
            if self.ipv6 if ip == "-6" else self.ipv4:
                nodad = " nodad" if ip == "-6" else ""
                self.ip(one, f"addr add {prefix}2/{length} dev {interface}{nodad}")
                self.ip(other, f"addr add {prefix}1/{length} dev {other_interface}{nodad}")
                self.ip(one, f"{ip} route add default via {prefix}1")

    def rule(self, router, side, nat, is_blocked):
        rules = ["flush ruleset", "table ip rules {"]
        if is_blocked:
            rules.append("chain blocked { type filter hook forward priority 0; meta l4proto udp drop; }")
        if nat != "none":
            ports = " random,fully-random" if nat == "symmetric" else ""
            rules.append(f"chain leaving {{ type nat hook postrouting priority 100; oifname outside masquerade{ports}; }}")
            if nat == "full cone":
                rules.append(
                    "chain everybody { type nat hook prerouting priority -100; "
                    f"iifname outside meta l4proto udp dnat to 10.77.{side}.2; }}")
            # Otherwise a packet that comes before the first one out would make the kernel choose another port.
            rules.append(
                "chain arriving { type filter hook input priority 0; "
                "iifname outside ct state new meta l4proto { udp, tcp } drop; }")
        self.inside(router, "nft", "-f", "-", input="\n".join(rules + ["}"]))

    # What changes during a call

    def replace_address(self, machine):
        """The machine gets another address of the same network, and loses the former one."""
        side = SIDES[machine]
        self.moves[machine] += 1
        new = self.moves[machine] + 2
        self.ip(machine, f"addr del 10.77.{side}.{new - 1}/24 dev eth0")
        self.ip(machine, f"addr add 10.77.{side}.{new}/24 dev eth0")
        self.ip(machine, f"route add default via 10.77.{side}.1")

    def move_router(self, machine):
        """The router gets another outside address, and forgets all that it knew."""
        side = SIDES[machine]
        router = f"router{side}"
        self.moves[machine] += 1
        new = self.moves[machine] + 2
        self.ip(router, f"addr del 10.77.{side}0.{new - 1}/24 dev outside")
        self.ip(router, f"addr add 10.77.{side}0.{new}/24 dev outside")
        self.ip(router, f"route add default via 10.77.{side}0.1")
        self.inside(router, "conntrack", "-F")
        if self.nats[machine] == "none":
            self.ip("server", f"route replace 10.77.{side}.0/24 via 10.77.{side}0.{new}")

    def add_interface(self, machine, keeps=True):
        """A second interface comes up and takes all packets; if it `keeps` the first one, all but those of the first one's address."""
        side = SIDES[machine]
        router = f"router{side}"
        self.connect(machine, "eth1", router, "inside1")
        self.ip(router, f"addr add 10.77.{side + 2}.1/24 dev inside1")
        if self.nats[machine] == "none":
            self.ip("server", f"route add 10.77.{side + 2}.0/24 via 10.77.{side}0.2")
        if keeps:
            self.ip(machine, f"route add default via 10.77.{side}.1 dev eth0 table 100")
            self.ip(machine, f"rule add from 10.77.{side}.2 table 100")
        self.ip(machine, f"addr add 10.77.{side + 2}.2/24 dev eth1")
        self.ip(machine, f"route replace default via 10.77.{side + 2}.1 dev eth1")

    def drop_interface(self, machine):
        self.ip(machine, "link set eth0 down")

    def set(self, **path):
        """Changes both paths, in both directions."""
        settings = " ".join(f"{name} {value}" for name, value in path.items())
        for emulator in self.emulators:
            self.ask(emulator, settings)

    def start_flow(self):
        """One TCP flow from alice to bob that takes what it gets."""
        script, address = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flow.py"), ("10.77.2.2", "9000")
        self.flow = self.start(
            "bob", sys.executable, script, "receive", *address, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.flow.stdout.readline()
        self.start("alice", sys.executable, script, "send", *address)

    def report(self):
        """What alice and bob have sent through their paths since the last report, see `path-emulator`, and bytes of the TCP flow."""
        reports = [json.loads(self.ask(emulator, "report"))[0] for emulator in self.emulators]
        reports[0]["flowBytes"] = int(self.ask(self.flow, "")) if self.flow else 0
        return reports

    def wait_for_media(self):
        """Waits until alice has sent more datagrams than a set-up needs. Nobody is told later what passed until then."""
        sent = 0
        while sent < 10_000:
            time.sleep(0.05)
            sent += self.report()[0]["datagramBytes"]

    def ask(self, program, line):
        with self.lock:
            program.stdin.write(f"{line}\n")
            program.stdin.flush()
            return program.stdout.readline()

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

    def wait_for_connection(self, place, port):
        """Waits until a program there has a TCP connection to this port."""
        deadline = time.monotonic() + 20
        while not self.inside(place, "ss", "-Htn", "state", "established", "dport", "=", f":{port}").strip():
            if time.monotonic() > deadline:
                raise SystemExit(f"{place} did not connect to port {port}")
            time.sleep(0.02)

    def close(self):
        for place in PLACES:
            pids = subprocess.run(
                ["ip", "netns", "pids", self.name(place)], text=True, capture_output=True).stdout.split()
            for pid in pids:
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            subprocess.run(["ip", "netns", "del", self.name(place)], capture_output=True)
        # Only now: a thread may be reading a stream until its program has ended.
        for program in self.programs:
            program.wait()
            for stream in (program.stdin, program.stdout):
                if stream:
                    # A thread may have begun a line that the program did not take.
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
