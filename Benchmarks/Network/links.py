"""Set-up time on long paths, and video on lossy, narrow and interrupted ones; the program beside Chromium and aiortc."""

import math
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
LOSS = {f"{loss} % loss": {"delay": 20, "jitter": 15, "loss": loss / 2} for loss in (2, 5, 10, 20)} | {
    "5 % loss, 5 in a row": {"delay": 20, "jitter": 15, "loss": 2.5, "burst": 5},
    "5 % loss, round trip 30 ms": {"delay": 7.5, "jitter": 5, "loss": 2.5},
    "5 % loss, round trip 200 ms": {"delay": 50, "jitter": 15, "loss": 2.5},
    "5 % reordered, 30 ms jitter": {"delay": 20, "jitter": 15, "reorder": 2.5},
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
    print(f"Frames decoded of {FRAMES}, seconds frozen and playout delay, caller / callee; round trip 80 ms unless said; medians of {runs}")
    for name, network in {**LOSS, **LINKS}.items():
        for kind, figures in medians(programs, runs, SECONDS, network).items():
            frames, frozen, delay = figures["frames"], figures["frozen"], figures["delay"]
            print(
                f"  {name:54} {kind:10} {frames[0]:6.0f} / {frames[1]:.0f}  {frozen[0]:6.1f} / {frozen[1]:.1f} s  "
                + ("" if math.isnan(delay[0]) else f"{delay[0]:4.0f} / {delay[1]:.0f} ms"), flush=True)
            if kind == "callagent" and name in LOSS and min(frames) < 0.9 * FRAMES:
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
            for figure in calls[0] if figure != "link"
        }
    return figures
