"""How soon media is back when the network changes during a call, and whether the call keeps what it had."""

import os
import statistics
import tempfile
import time

from lab import Lab, SECOND_SERVER, SERVER
from servers import ice_options, start_turn
from watched import KINDS, NotSeen, WatchedCall

# A quarter of the round trip of 40 ms.
DELAY = 10
LIMIT = 300
CONE = {"nats": ("cone", "cone")}


# The changes. Each returns the moment from which media is possible again.

def replace_address(lab, call):
    lab.replace_address("alice")
    return time.monotonic()


def replace_both(lab, call):
    lab.replace_address("alice")
    lab.replace_address("bob")
    return time.monotonic()


def move_router(lab, call):
    lab.move_router("alice")
    return time.monotonic()


def exchange_with_overlap(lab, call):
    lab.add_interface("alice")
    moment = time.monotonic()
    for end in call.ends:
        end.wait(moment, event="networkChangeEnded")
    lab.drop_interface("alice")
    return moment


def exchange_without_overlap(lab, call):
    lab.drop_interface("alice")
    lab.add_interface("alice", keeps=False)
    return time.monotonic()


def kill_turn_server(lab, call):
    """Kills the server that packets pass; the other one is there."""
    used = [lab.turn_servers[address] for address in call.alice.selected_addresses() if address in lab.turn_servers]
    if not used:
        raise NotSeen("a relay in use")
    used[0].kill()
    return time.monotonic()


def blackout(seconds):
    def change(lab, call):
        lab.set(loss=100)
        time.sleep(seconds)
        lab.set(loss=0)
        return time.monotonic()
    return change


# When the change happens: options of alice and bob, and a function that returns the moment from which media is possible.

def connected(lab, call, change):
    # Both ends know by then how regular the media is.
    call.wait_for_media(4.0)
    return change(lab, call)


def ringing(lab, call, change):
    call.alice.wait(event="stateChanged", state="ringing")
    # The transport is up before the accept.
    for end in call.ends:
        end.wait(event="reached", stage="dtlsConnected")
    change(lab, call)
    return call.bob.wait(event="reached", stage="accepted")


def connecting(lab, call, change):
    call.alice.wait(event="reached", stage="accepted")
    return change(lab, call)


def held(lab, call, change):
    call.alice.wait(event="holdChanged", hold="remotelyHeld")
    change(lab, call)
    moment = call.bob.wait(event="holdChanged", hold="none")
    if call.alice.moment(event="holdChanged", hold="none", before=moment):
        raise NotSeen("the hold until bob ended it")
    return moment


def muted(lab, call, change):
    call.wait_for_media()
    call.alice.wait(event="attributesChanged")
    return change(lab, call)


PHASES = {
    "connected": (connected, (), ()),
    "ringing": (ringing, (), ("--answer", "6s")),
    "connecting": (connecting, (), ()),
    "held": (held, (), ("--at", "2s=hold", "--at", "6s=unhold")),
    "muted": (muted, (), ("--start-muted", "--start-video-muted")),
}
# A name, the network, the change, and when it happens.
CASES = [
    ("address replaced", {}, replace_address, "connected"),
    ("address replaced, cone - cone", CONE, replace_address, "connected"),
    ("address replaced while ringing", {}, replace_address, "ringing"),
    ("address replaced while connecting", {}, replace_address, "connecting"),
    ("address replaced while held", {}, replace_address, "held"),
    ("address replaced while muted", {}, replace_address, "muted"),
    ("both addresses replaced", {}, replace_both, "connected"),
    ("both addresses replaced, cone - cone", CONE, replace_both, "connected"),
    ("interface exchanged with overlap", {}, exchange_with_overlap, "connected"),
    ("interface exchanged with overlap, cone - cone", CONE, exchange_with_overlap, "connected"),
    ("interface exchanged without overlap", {}, exchange_without_overlap, "connected"),
    ("interface exchanged without overlap, cone - cone", CONE, exchange_without_overlap, "connected"),
    ("NAT moves, cone - none", {"nats": ("cone", "none")}, move_router, "connected"),
    ("NAT moves, cone - cone", CONE, move_router, "connected"),
    ("NAT moves while ringing, cone - cone", CONE, move_router, "ringing"),
    ("NAT moves while held, cone - cone", CONE, move_router, "held"),
    ("TURN server killed, symmetric - symmetric", {"nats": ("symmetric", "symmetric")}, kill_turn_server, "connected"),
    ("TURN server over TCP killed, no UDP at alice", CONE | {"blocked": ("alice",)}, kill_turn_server, "connected"),
    *((f"blackout of {seconds} s", {}, blackout(seconds), "connected") for seconds in (1, 5, 10, 25)),
]


def place_call(programs, network, change, phase):
    """How long media was missing in ms, and the search began, at each end; and what else is wrong, or nothing."""
    act, alice, bob = PHASES[phase]
    with Lab(os.path.join(programs, "path-emulator"), delay=DELAY, **network) as lab, tempfile.TemporaryDirectory() as folder:
        options = []
        if "nats" in network:
            lab.turn_servers = {address: start_turn(lab, address) for address in (SERVER, SECOND_SERVER)}
            way = "tcp" if "blocked" in network else "udp"
            options = ice_options(["stun", way]) + ice_options([way], SECOND_SERVER)
        call = WatchedCall(lab, programs, folder, options, alice, bob)
        try:
            possible = act(lab, call, change)
            # SCTP waits for seconds after an outage before it tries again.
            call.wait_for_media(10.0 if phase == "ringing" else 2.0, after=possible)
            missing = [max(0, max(end.last_gap_end(kind) for kind in KINDS) - possible) * 1000 for end in call.ends]
            fault = call.hang_up()
        except NotSeen as error:
            complaints = [complaint for end in call.ends for complaint in end.complaints]
            return None, None, complaints[0] if complaints else f"not seen: {error}"
        noticed = [end.moment(possible - 1, event="networkChangeStarted") for end in call.ends]
        if phase == "muted" and any(level > 20 for moment, level in call.alice.shown["video"] + call.alice.shown["audio"]):
            fault = "muted media was shown"
    return missing, [(moment - possible) * 1000 if moment else None for moment in noticed], fault


def measure(programs, runs):
    """Prints the table; returns the names of the changes that miss what is expected."""
    misses = []
    print(f"Media missing after a change of the network at caller / callee, and the search began, in ms (medians of {runs}); the longest")
    for name, network, change, phase in CASES:
        calls = [place_call(programs, network, change, phase) for _ in range(runs)]
        faults = [fault for _, _, fault in calls if fault]
        missing = [times for times, _, _ in calls if times]
        medians = [statistics.median(times[end] for times in missing) if missing else float("inf") for end in (0, 1)]
        longest = max((max(times) for times in missing), default=float("inf"))
        begun = [
            statistics.median([times[end] for _, times, _ in calls if times and times[end] is not None] or [float("nan")])
            for end in (0, 1)]
        reasons = sorted(set(faults)) + ([f"more than {LIMIT} ms"] if max(medians) > LIMIT else [])
        print(
            f"  {name:50} {medians[0]:6.0f} / {medians[1]:<6.0f} {begun[0]:6.0f} / {begun[1]:<6.0f} {longest:6.0f}  "
            f"{'; '.join(reasons)}", flush=True)
        if reasons:
            misses.append(f"{name}: {', '.join(reasons)}")
    return misses
