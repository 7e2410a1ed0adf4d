"""How many calls share one link.

alice places the calls one after the other, 10 a second, and sends busy video in each. Each call would send more than its share of the link. bob
decodes only the first frames, so that the machine carries all calls.
"""

import statistics
import subprocess
import time

from lab import Lab
from rates import percentile
from servers import start_signaling

# How many calls, the rate of the link in kbit/s, and the size of their video.
CROWDS = [(6, 2_400, "320x180"), (20, 8_000, "320x180"), (50, 10_000, "160x90")]
# The calls are counted in the last seconds of these.
SECONDS, COUNTED = 60, 20
# What each call sends at most, in kbit/s.
MOST = 2_000


def measure(programs, runs):
    """Prints how alice's calls share the link; nothing is expected."""
    print(f"What is used of a link with a queue of 300 ms in the last {COUNTED} of {SECONDS} s; the wait for it of 95 of 100 packets, dropped packets;"
          " Jain's index of the calls, the least and the most of them; medians of", runs)
    for count, rate, size in CROWDS:
        figures = [figure for _ in range(runs) if (figure := judge(programs, count, rate, size))]
        text = line([statistics.median(each) for each in zip(*figures)]) if figures else "no video"
        print(f"  {f'{count} calls of {size}, {rate / 1_000:g} Mbit/s':40} {text}", flush=True)
    return []


def judge(programs, count, rate, size):
    program = f"{programs}/callagent"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with Lab(f"{programs}/path-emulator", delay=20, rate=rate, queue=300) as lab:
        signaling = start_signaling(lab, program)
        lab.start(
            "bob", program, "listen", "--as", "bob", "--allow", "alice", "--max-calls", f"{count}", "--decode", "first", "--video", "none",
            "--audio", "none", "--signaling", signaling, **quiet)
        lab.wait_for_connection("bob", 8080)
        lab.start(
            "alice", program, "load", "bob", "--as", "alice", "--calls", f"{count}", "--rate", "10/s", "--duration", f"{SECONDS + 10}s", "--video",
            "busy", "--video-size", size, "--video-rate", f"{MOST}", "--signaling", signaling, **quiet)
        time.sleep(SECONDS - COUNTED)
        lab.report()
        begin, link = time.monotonic(), []
        while (seconds := time.monotonic() - begin) < COUNTED:
            time.sleep(1)
            link.append(lab.report()[0])
    sent = {}
    for second in link:
        for port, passed in second["ports"].items():
            sent[port] = sent.get(port, 0) + passed * 8 / 1_000 / seconds
    # Checks of connectivity may use further ports. A call that sends nothing has its part of the index.
    calls = sorted(sent.values(), reverse=True)[:count]
    calls += [0] * (count - len(calls))
    if not any(calls):
        return None
    waits = [sum(second["waits"][bin] for second in link) for bin in range(len(link[0]["waits"]))]
    return [
        sum(second["bytes"] for second in link) * 8 / 1_000 / seconds / rate, percentile(waits, 0.95) * 10, sum(second["dropped"] for second in link),
        sum(calls) ** 2 / (count * sum(call ** 2 for call in calls)), min(calls), max(calls)]


def line(figures):
    use, wait, dropped, jain, least, most = figures
    return f"{use:4.0%}   {wait:4.0f} ms {dropped:6.0f} dropped   {jain:.2f}   {least:.0f} to {most:.0f} kbit/s"
