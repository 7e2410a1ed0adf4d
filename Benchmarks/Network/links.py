"""Set-up time on long paths, and video on lossy, narrow and interrupted ones; the program beside Chromium and aiortc."""

import os
import shutil
import statistics
import sys
import tempfile

from calls import PEERS_PYTHON, aiortc_call, chromium_call, own_call

# The options of the program and of the lab; `delay` is that of one of the two paths in one direction, a quarter of the round trip.
SET_UP = {
    "no delay": {},
    "round trip 100 ms": {"delay": 25},
    "round trip 300 ms": {"delay": 75},
    "NAT at both ends, STUN, round trip 40 ms": {"delay": 10, "nats": ("cone", "cone")},
}
KINDS_OF_LOSS = {f"{loss} % loss": {"loss": loss / 2} for loss in (2, 5, 10, 20)} | {"5 % loss, 5 in a row": {"loss": 2.5, "burst": 5}}
# The round trip in ms, and what makes it.
ROUND_TRIPS = {30: {"delay": 7.5, "jitter": 5}, 80: {"delay": 20, "jitter": 15}, 200: {"delay": 50, "jitter": 15}}
LOSS = {
    f"{name}, round trip {round_trip} ms": path | loss
    for name, loss in KINDS_OF_LOSS.items() for round_trip, path in ROUND_TRIPS.items()
} | {
    "5 % reordered, 30 ms jitter": {"delay": 20, "jitter": 15, "reorder": 2.5},
    "no loss, 30 ms jitter": {"delay": 20, "jitter": 15},
    # Half of the call, so that the delay after it can be compared with that of a call without loss.
    "10 % loss until 10 s, 30 ms jitter": {"delay": 20, "jitter": 15, "loss": 5, "steps": [(10, {"loss": 0})]},
}
# Narrow and interrupted links, and busy video of up to 2 Mbit/s.
BUSY = {"busy": True, "kbit": 2000}
LINKS = {
    "4 Mbit/s, 500 kbit/s after 5 s, 1.5 Mbit/s after 12 s": {
        "delay": 20, "rate": 4000, "steps": [(5, {"rate": 500}), (12, {"rate": 1500})], "video": BUSY},
    "2 Mbit/s, and no packet waits longer than 30 ms": {"delay": 20, "rate": 2000, "queue": 30, "video": BUSY},
    "4 Mbit/s, and nothing passes from 5 s to 6 s": {
        "delay": 20, "rate": 4000, "steps": [(5, {"loss": 100}), (6, {"loss": 0})], "video": BUSY},
}
# Figure, width, digits and unit. aiortc has no more than the first two.
COLUMNS = [("frames", 6, 0, ""), ("frozen", 6, 1, "s"), ("longest", 6, 1, "s"), ("delay", 5, 0, "ms"), ("concealed", 6, 0, "ms")]
# Figures of a call that have no median.
OVER_TIME = ("link", "shown")
SECONDS = 20
FRAMES = SECONDS * 30


def kinds():
    kinds = {"callagent": own_call}
    if shutil.which("chromium"):
        kinds["chromium"] = chromium_call
    if os.path.exists(PEERS_PYTHON):
        kinds["aiortc"] = aiortc_call
    return kinds


def measure_set_up(programs, runs):
    """Prints the first frames; nothing is expected but that the calls connect."""
    print(f"First frame in ms, caller / callee; medians of {runs}")
    for name, network in SET_UP.items():
        for kind, figures in medians(programs, runs, 1, network).items():
            print(f"  {name:42} {kind:10} {figures['first'][0]:6.0f} / {figures['first'][1]:.0f}", flush=True)
    return []


def measure_loss(programs, runs):
    """Prints frames and freezes; returns the losses at which the program decoded fewer than nine tenths of the frames."""
    misses = []
    print(f"Frames decoded of {FRAMES}, seconds frozen, longest freeze, playout delay at the end, concealed audio; caller / callee; round trip 80 ms unless said;"
          f" medians of {runs}")
    for name, network in {**LOSS, **LINKS}.items():
        for kind, figures in medians(programs, runs, SECONDS, network).items():
            columns = [
                f"{figures[figure][0]:{width}.{digits}f} / {figures[figure][1]:.{digits}f} {unit}"
                for figure, width, digits, unit in COLUMNS if figure in figures]
            print(f"  {name:54} {kind:10} {'  '.join(columns)}", flush=True)
            if kind == "callagent" and name in LOSS and min(figures["frames"]) < 0.9 * FRAMES:
                misses.append(f"{name}: fewer than nine tenths of the frames were decoded")
    return misses


def medians(programs, runs, seconds, network):
    """The medians of each kind of call, by figure, with one value for each end."""
    figures = {}
    for kind, call in kinds().items():
        calls = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                calls.append(call(programs, folder, seconds, network))
        calls = [call for call in calls if call]
        if not calls:
            print(f"  no call between two ends of {kind} had video", file=sys.stderr)
            continue
        figures[kind] = {
            figure: [statistics.median(call[figure][end] for call in calls) for end in (0, 1)]
            for figure in calls[0] if figure not in OVER_TIME
        }
    return figures
