"""How a sender keeps to a link that becomes narrow, and uses it when it is wide again; the program beside Chromium.

alice sends busy video of 1280x720 at 30 frames a second, bob a small picture. What alice sends is judged.
"""

import statistics
import tempfile

from links import kinds

VIDEO = {
    "alice": {"busy": True, "size": (1280, 720), "kbit": 4000},
    "bob": {"busy": False, "size": (320, 180), "kbit": 200},
}
PHASE = 20
STEPS = {
    "delay": 20, "rate": 4000, "steps": [(PHASE, {"rate": 500}), (2 * PHASE, {"rate": 2000})], "video": VIDEO}
# The network, and its rates in kbit/s in phases of `PHASE` s.
LINKS = {
    "4 Mbit/s, 500 kbit/s, 2 Mbit/s; deep queue": (STEPS | {"queue": 2000}, [4000, 500, 2000]),
    "4 Mbit/s, 500 kbit/s, 2 Mbit/s; queue of 200 ms": (STEPS | {"queue": 200}, [4000, 500, 2000]),
    "150 kbit/s; deep queue": ({"delay": 20, "rate": 150, "queue": 2000, "video": VIDEO}, [150]),
}


def measure(programs, runs):
    """Prints what alice's link carried and what bob got; nothing is expected."""
    print(f"The share of the link that is used from {PHASE // 2} s after each step; the wait for it of 95 of 100 packets, the longest time with more than"
          " 500 ms, dropped packets; longest freeze, frames a second, concealed audio; medians of", runs)
    for name, (network, rates) in LINKS.items():
        for kind in ("callagent", "chromium"):
            if not (call := kinds().get(kind)):
                continue
            figures = [figure for _ in range(runs) if (figure := judge(call, programs, network, rates))]
            text = line([statistics.median(each) for each in zip(*figures)], len(rates)) if figures else "no video"
            print(f"  {name:48} {kind:10} {text}", flush=True)
    return []


def judge(call, programs, network, rates):
    with tempfile.TemporaryDirectory() as folder:
        figures = call(programs, folder, PHASE * len(rates), network)
    if not figures:
        return None
    # Only what alice sends.
    link = [seconds[0] for seconds in figures["link"]]
    if len(link) < PHASE * len(rates) - 1:
        return None  # The call ended early.
    used = []
    for phase, rate in enumerate(rates):
        late = link[phase * PHASE + PHASE // 2:(phase + 1) * PHASE - 1]
        used.append(8 * sum(second["bytes"] for second in late) / (1_000 * rate * len(late)))
    waits = [sum(second["waits"][bin] for second in link) for bin in range(len(link[0]["waits"]))]
    return [
        *used, percentile(waits, 0.95) * 10, max(second["longMs"] for second in link) / 1_000,
        sum(second["dropped"] for second in link), figures["longest"][1], figures["rate"][1], figures["concealed"][1]]


def percentile(counts, share):
    """The first bin up to which this share of all is counted, as a number of bins."""
    wanted, total = share * sum(counts), 0
    for bin, count in enumerate(counts):
        total += count
        if total >= wanted:
            return bin + 1
    return len(counts)


def line(figures, phases):
    used, (wait, long, dropped, freeze, rate, concealed) = figures[:phases], figures[phases:]
    return (", ".join(f"{share:4.0%}" for share in used)
            + f"   {wait:4.0f} ms {long:4.1f} s {dropped:5.0f}   {freeze:4.1f} s {rate:5.1f} fps {concealed:6.0f} ms")
