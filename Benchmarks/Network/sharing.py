"""How a call shares a link with a TCP flow; the program beside Chromium.

alice sends busy video of 1280x720 at 30 frames a second, and from second `FLOW` on as many bytes as TCP gets. bob sends a small picture.
"""

import statistics
import tempfile

from links import kinds
from rates import VIDEO, percentile

FLOW, SECONDS = 20, 60
# What 1,448 bytes of TCP take of the link, as an Ethernet frame.
FRAME = 1514 / 1448
# How long packets wait at most, in ms.
QUEUES = [100, 300, 1000]


def measure(programs, runs):
    """Prints the shares of both; nothing is expected."""
    print(f"The share of 4 Mbit/s that is the call's and the TCP flow's from 10 s after its begin; the wait of 95 of 100 packets, longest freeze,"
          " frames a second, concealed audio; medians of", runs)
    for queue in QUEUES:
        network = {"delay": 20, "rate": 4000, "queue": queue, "flow": FLOW, "video": VIDEO}
        for kind in ("callagent", "chromium"):
            if not (call := kinds().get(kind)):
                continue
            figures = [figure for _ in range(runs) if (figure := judge(call, programs, network))]
            text = line([statistics.median(each) for each in zip(*figures)]) if figures else "no video"
            print(f"  {f'up to {queue} ms wait':24} {kind:10} {text}", flush=True)
    return []


def judge(call, programs, network):
    with tempfile.TemporaryDirectory() as folder:
        figures = call(programs, folder, SECONDS, network)
    if not figures or len(figures["link"]) < SECONDS - 1:
        return None  # The call ended early.
    link = [second[0] for second in figures["link"]][FLOW + 10:SECONDS - 1]
    whole = network["rate"] * 1_000 / 8 * len(link)
    flow = sum(second["flowBytes"] for second in link) * FRAME
    waits = [sum(second["waits"][bin] for second in link) for bin in range(len(link[0]["waits"]))]
    return [
        (sum(second["bytes"] for second in link) - flow) / whole, flow / whole, percentile(waits, 0.95) * 10,
        figures["longest"][1], figures["rate"][1], figures["concealed"][1]]


def line(figures):
    call, flow, wait, freeze, rate, concealed = figures
    return f"{call:4.0%} {flow:4.0%}   {wait:4.0f} ms   {freeze:4.1f} s {rate:5.1f} fps {concealed:6.0f} ms"
