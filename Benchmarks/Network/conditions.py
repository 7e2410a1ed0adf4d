"""The same call over networks with names, beside Chromium and aiortc: a table, and plots of rate, wait and frames over time."""

import json
import os
import statistics
import subprocess
import tempfile

from links import BUSY, FRAMES, SECONDS, kinds
from plot import Curve, Panel, write_svg
from rates import percentile

PLOTS = ".build/conditions.svg"


def measure(programs, runs, networks):
    """Prints what arrived, and draws the first call of each program; nothing is expected."""
    print(f"Frames decoded of {FRAMES}, longest freeze, seconds frozen, at the worse end; bytes that alice sent, and the wait of 95 of 100 of her packets;"
          f" medians of {runs}")
    rows = []
    for network in listed(programs, networks):
        curves = {}
        for kind, call in kinds().items():
            calls = [figures for _ in range(runs) if (figures := place(call, programs, network))]
            print(f"  {network['network']:24} {kind:10} {line(calls) if calls else 'no video'}", flush=True)
            if calls:
                curves[kind] = over_time(calls[0])
        rows.append((network["network"], panels(curves)))
    write_svg(PLOTS, rows)
    print(f"plots: {PLOTS}")
    return []


def listed(programs, networks):
    """What the networks do, as the program knows them; all with a name if there is none."""
    command = [os.path.join(programs, "callagent"), "lab", "--list", "--json", *networks]
    return json.loads(subprocess.run(command, check=True, text=True, capture_output=True).stdout)


def place(call, programs, network):
    with tempfile.TemporaryDirectory() as folder:
        return call(programs, folder, SECONDS, {
            **settings(network["conditions"]), "video": BUSY,
            "steps": [(change["afterMs"] / 1_000, settings(change["conditions"])) for change in network["changes"]]})


def settings(conditions):
    """What the lab gets, each of whose two paths does a half. Its jitter goes both ways; that of a network only makes packets later."""
    return {
        "delay": (conditions["delayMs"] + conditions["jitterMs"] / 2) / 2, "jitter": conditions["jitterMs"] / 4, "burst": conditions["burst"],
        "loss": 100 * (1 - (1 - conditions["lossPercent"] / 100) ** 0.5), "reorder": conditions["reorderedPercent"] / 2,
        "rate": conditions.get("bitrate", 0) / 1_000, "queue": conditions["queueMs"]}


def line(calls):
    def median(figure):
        return statistics.median(figure(call) for call in calls)

    longest = f"{median(lambda call: max(call['longest'])):4.1f} s" if "longest" in calls[0] else "     -"
    return (f"{median(lambda call: min(call['frames'])):5.0f}  {longest} {median(lambda call: max(call['frozen'])):5.1f} s"
            f"  {median(lambda call: sum(second[0]['bytes'] for second in call['link'])) / 1_000:6.0f} kB"
            f" {median(lambda call: wait([second[0] for second in call['link']])):5.0f} ms")


def wait(reports):
    """How long 95 of 100 packets waited for the link at most, in ms."""
    bins = [sum(each) for each in zip(*(report["waits"] for report in reports))]
    return 10 * percentile(bins, 0.95) if sum(bins) else 0


def over_time(figures):
    """What alice sent, how long it waited, and how many frames bob decoded, each a list of (s since the first media, value)."""
    link = [second[0] for second in figures["link"]]
    begin = link[0]["at"] - 1 if link else 0
    shown = figures["shown"][1]
    return {
        "rate": [(report["at"] - begin, report["bytes"] * 8 / 1_000) for report in link],
        "wait": [(report["at"] - begin, wait([report])) for report in link],
        "frames": [
            (at - begin, (count - earlier) / (at - before))
            for (before, earlier), (at, count) in zip(shown, shown[1:]) if at > before and at > begin]}


def panels(curves):
    titles = {"rate": "sent, kbit/s", "wait": "wait for the link, ms", "frames": "decoded frames a second"}
    return [
        Panel(title, [Curve(kind, figures[figure]) for kind, figures in curves.items()], SECONDS)
        for figure, title in titles.items()]
