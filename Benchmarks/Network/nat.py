"""Which calls connect, over which pair of candidates and how fast: kinds of NAT, servers, blocked UDP, IPv6."""

import itertools
import json
import os
import statistics
import subprocess
import tempfile

from lab import Lab, SERVER, SERVER6
from servers import ice_options, start_signaling, start_turn

# A quarter of the round trip of 40 ms.
DELAY = 10
LIMIT = 400
KINDS = ("none", "cone", "full cone", "symmetric")
# The ways to the TURN server beside STUN.
SERVERS = {"STUN": (), "STUN, TURN/UDP": ("udp",), "STUN, TURN/TCP": ("tcp",), "STUN, TURN/TLS": ("tls",)}


def is_direct(nats):
    """Whether two machines reach each other with the help of STUN: not if a symmetric NAT meets one that lets in only known ports."""
    return "symmetric" not in nats or not set(nats) <= {"cone", "symmetric"}


def cases():
    """The networks: a name, options of the lab, the servers, and the expected pair, `direct` or `relay`."""
    for (name, ways), nats in itertools.product(SERVERS.items(), itertools.product(KINDS, KINDS)):
        if is_direct(nats):
            yield f"{nats[0]} - {nats[1]}; {name}", {"nats": nats}, ("stun", *ways), "direct"
        elif ways:
            yield f"{nats[0]} - {nats[1]}; {name}", {"nats": nats}, ("stun", *ways), "relay"
    for way in ("tcp", "tls"):
        for blocked in (("alice",), ("bob",), ("alice", "bob")):
            network = {"nats": ("cone", "cone"), "blocked": blocked}
            yield f"no UDP at {' and '.join(blocked)}; STUN, TURN/{way.upper()}", network, ("stun", way), "relay"
    everything = ("stun", "udp", "tcp", "tls")
    yield "no UDP at alice; all servers", {"nats": ("cone", "cone"), "blocked": ("alice",)}, everything, "relay"
    yield "cone - cone; all servers", {"nats": ("cone", "cone")}, everything, "direct"
    yield "IPv6 only; no servers", {"ipv4": False, "ipv6": True}, (), "direct"
    yield "IPv6 only; STUN, TURN/UDP", {"ipv4": False, "ipv6": True}, ("stun", "udp"), "direct"
    yield "IPv4 and IPv6; no servers", {"ipv6": True}, (), "direct"
    yield "IPv4 behind cone - cone and IPv6; STUN", {"nats": ("cone", "cone"), "ipv6": True}, ("stun",), "direct"
    yield "IPv4 behind symmetric - symmetric and IPv6; STUN", {"nats": ("symmetric", "symmetric"), "ipv6": True}, ("stun",), "direct"


def place_calls(programs, runs, network, servers):
    """The reports of `runs` calls, one after the other, each of caller and callee."""
    program = os.path.join(programs, "callagent")
    address = SERVER if network.get("ipv4", True) else SERVER6
    with Lab(os.path.join(programs, "path-emulator"), delay=DELAY, **network) as lab, tempfile.TemporaryDirectory() as folder:
        if servers:
            start_turn(lab, address)
        options = ["--signaling", start_signaling(lab, program, address), "--json", *ice_options(servers, address)]
        outputs = [open(os.path.join(folder, name), "w+") for name in ("alice", "bob")]
        bob = lab.start(
            "bob", program, "listen", "--as", "bob", "--allow", "alice", *options, stdout=outputs[1], stderr=subprocess.DEVNULL)
        lab.wait_for_connection("bob", 8080)
        alice = lab.start(
            "alice", program, "call", "bob", "--as", "alice", "--duration", "1", "--repeat", str(runs), *options,
            stdout=outputs[0], stderr=subprocess.DEVNULL)
        alice.wait(timeout=60 * runs)
        # The first child of `ip netns exec` is the program itself.
        bob.terminate()
        bob.wait(timeout=30)
        ends = []
        for output in outputs:
            output.seek(0)
            text = output.read()
            if text.startswith("{"):
                ends.append(json.loads(text)["calls"])
            else:
                # Such as an assertion.
                print(f"  instead of a report: {text.strip()}")
                ends.append([])
    callee = {call["callId"]: call for call in ends[1]}
    return [(call, callee.get(call["callId"])) for call in ends[0]]


def has_media(call):
    return call is not None and all(
        call.get(kind, {}).get("received", {}).get(figure, 0) > 0
        for kind, figure in (("video", "framesDecoded"), ("audio", "samples")))


def measure(programs, runs):
    """Prints the table; returns the names of the networks that miss what is expected."""
    misses = []
    print(f"Calls behind NAT, round trip 40 ms: connected with media, pairs, first frame in ms at caller / callee (medians of {runs})")
    for name, network, servers, expected in cases():
        calls = place_calls(programs, runs, network, servers)
        good = [call for call in calls if all(map(has_media, call))]
        types = [[end["transport"]["localCandidateType"] for end in call] for call in good]
        wrong = [pair for pair in types if ("relay" in pair) != (expected == "relay")]
        first = [
            statistics.median(call[end]["timelineMs"]["firstVideoFrame"] for call in good) if good else float("inf")
            for end in (0, 1)]
        reasons = [text for text, is_so in (
            ("not connected", len(good) < runs), (f"not {expected}", wrong), (f"more than {LIMIT} ms", max(first) > LIMIT)) if is_so]
        pairs = ", ".join(sorted({"-".join(pair) for pair in types}))
        print(f"  {name:54} {len(good)} of {runs}  {pairs:14} {first[0]:5.0f} / {first[1]:<5.0f} {'; '.join(reasons)}", flush=True)
        if reasons:
            misses.append(f"{name}: {', '.join(reasons)}")
    return misses
