"""A call between the two machines of a lab: of the program, and the same between two Chromium browsers and two connections of aiortc."""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from lab import Lab, SERVER
from servers import ice_options, ice_url, start_signaling, start_turn

HERE = os.path.dirname(os.path.abspath(__file__))
# Where scripts/install-peers puts aiortc.
PEERS_PYTHON = os.path.join(HERE, "..", "..", ".build", "peers", "bin", "python")


def own_call(programs, folder, seconds, network):
    """A call of the program: the first frame in ms, frames decoded, seconds frozen, playout delay in ms, each of caller and callee. None without video.

    `link` and `shown` are over time: what passed the link, see `watched`, and how many frames were decoded until when, in s since 1970.
    """
    program = os.path.join(programs, "callagent")
    path = path_settings(network)
    with Lab(os.path.join(programs, "path-emulator"), **path) as lab:
        common = ["--signaling", start_signaling(lab, program)]
        if "nats" in path:
            start_turn(lab)
            common += ice_options(["stun"])
        events = ["--events", "--stats-interval", "1s"]
        outputs = {name: open(os.path.join(folder, name), "w+") for name in ("bob", "alice", "listening")}
        bob = lab.start(
            "bob", program, "listen", "--as", "bob", "--allow", "alice", "--once", *events, *common, *options(video(network, "bob")),
            stdout=outputs["bob"], stderr=subprocess.DEVNULL)
        lab.wait_for_connection("bob", 8080)
        alice = lab.start(
            "alice", program, "call", "bob", "--as", "alice", *events, "--duration", str(seconds), *common,
            *options(video(network, "alice")),
            stdout=outputs["alice"], stderr=subprocess.DEVNULL)
        link = watched(lab, network, seconds)
        for end in (alice, bob):
            end.wait(timeout=seconds + 60)
        happened = []
        for name in ("alice", "bob"):
            outputs[name].seek(0)
            happened.append([json.loads(line) for line in outputs[name]])
    calls = [event["report"] for events in happened for event in events if event["event"] == "report"]
    if len(calls) < 2 or not all("firstVideoFrame" in call["timelineMs"] for call in calls):
        return None
    received = [call["video"]["received"] for call in calls]
    return {
        "first": [call["timelineMs"]["firstVideoFrame"] for call in calls],
        "frames": [video["framesDecoded"] for video in received],
        "frozen": [video["totalFreezesDurationMs"] / 1000 for video in received],
        "delay": [video["quality"]["playoutDelayMs"] for video in received],
        "longest": [video["quality"]["longestFreezeMs"] / 1000 for video in received],
        "concealed": [call["audio"]["received"]["concealedMs"] for call in calls],
        "rate": [video["framesDecoded"] / seconds for video in received],
        "link": link,
        "shown": [decoded_frames(events) for events in happened],
    }


def decoded_frames(events):
    return [
        (event["unixMs"] / 1_000, entry["framesDecoded"])
        for event in events if event["event"] == "statistics"
        for entry in event["statistics"] if entry["type"] == "inbound-rtp" and entry["kind"] == "video"]


def path_settings(network):
    """What the lab gets of a network: all but the `steps` in which it changes, the `video` and when a TCP `flow` begins."""
    return {name: value for name, value in network.items() if name not in ("steps", "video", "flow")}


# What an end sends unless the network says otherwise.
VIDEO = {"size": (640, 360), "kbit": 1000, "busy": False}


def video(network, name):
    """What this end sends; a network may say it for both, or for alice alone."""
    wanted = network.get("video", {})
    return VIDEO | wanted.get(name, {} if "alice" in wanted or "bob" in wanted else wanted)


def options(video):
    source = ["--video", "busy"] if video["busy"] else []
    return ["--video-size", "{}x{}@30".format(*video["size"]), "--video-rate", str(video["kbit"]), *source]


def watched(lab, network, seconds):
    """Changes the lab, and reports once a second what passes, both from the first media on; a list that grows."""
    reports = []

    def watch():
        lab.wait_for_media()
        start = time.monotonic()
        lab.follow(network.get("steps", []))
        for second in range(1, seconds + 1):
            if second - 1 == network.get("flow"):
                lab.start_flow()
            time.sleep(max(0, start + second - time.monotonic()))
            reports.append([{**direction, "at": time.time()} for direction in lab.report()])

    def watch_until_end():
        try:
            watch()
        except (OSError, ValueError):
            pass  # The call ended early.

    threading.Thread(target=watch_until_end, daemon=True).start()
    return reports


def chromium_call(programs, folder, seconds, network):
    """The same between two Chromium browsers; nothing when one of them sees no video."""
    def start(lab, name, stun):
        sent = video(network, name)
        camera = [f"--use-file-for-fake-video-capture={busy_file(sent['size'])}"] if sent["busy"] else []
        size = "{}x{}".format(*sent["size"])
        lab.start(
            name, "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            f"--user-data-dir={folder}/{name}", "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream=fps=30", "--autoplay-policy=no-user-gesture-required",
            "--disable-component-update", "--disable-background-networking",
            f"--unsafely-treat-insecure-origin-as-secure=http://{SERVER}:8000", *camera,
            f"http://{SERVER}:8000/?{name}&{seconds}&{stun}&{sent['kbit']}&{size}",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    ends, link = exchanged_call(programs, seconds, network, start)
    return ends and {
        **figures(ends),
        "link": link,
        "shown": [end["shown"] for end in ends],
        "longest": [end["longest"] / 1000 for end in ends],
        "concealed": [end["concealedSamples"] / 48 for end in ends],
        "rate": [end["framesDecoded"] / seconds for end in ends],
        "delay": [end["delay"] for end in ends],
    }


def aiortc_call(programs, folder, seconds, network):
    """The same between two connections of aiortc; nothing when one of them sees no video. It sends at most 1.5 Mbit/s, and plays at once."""
    def start(lab, name, stun):
        film = [busy_file(video(network, name)["size"])] if video(network, name)["busy"] else []
        lab.start(
            name, PEERS_PYTHON, "-B", os.path.join(HERE, "aiortc_end.py"), name, f"{SERVER}:8000", str(seconds), stun, *film,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    ends, link = exchanged_call(programs, seconds, network, start)
    return ends and {**figures(ends), "link": link, "shown": [end["shown"] for end in ends]}


def figures(ends):
    return {
        "first": [end["first"] for end in ends],
        "frames": [end["framesDecoded"] for end in ends],
        "frozen": [end["totalFreezesDuration"] for end in ends],
    }


def exchanged_call(programs, seconds, network, start):
    """What alice and bob post after a call whose messages exchange.py passes; `start` starts one of them. Also what passed the link. None without both results."""
    path = path_settings(network)
    with Lab(os.path.join(programs, "path-emulator"), **path) as lab:
        exchange = lab.start(
            "server", sys.executable, os.path.join(HERE, "exchange.py"), SERVER, "8000",
            os.path.join(HERE, "chromium.html"), stdout=subprocess.PIPE)
        exchange.stdout.readline()
        stun = ""
        if "nats" in path:
            start_turn(lab)
            stun = ice_url("stun")
        for name in ("alice", "bob"):
            start(lab, name, stun)
        link = watched(lab, network, seconds)
        deadline = threading.Timer(seconds + 60, exchange.kill)
        deadline.start()
        results = {}
        while len(results) < 2 and (line := exchange.stdout.readline()):
            results[json.loads(line)["name"]] = json.loads(line)
        deadline.cancel()
    return ([results["alice"], results["bob"]] if len(results) == 2 else None), link


@functools.cache
def busy_file(size):
    """Ten seconds of the program's busy video, for Chromium and aiortc."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, "busy.y4m")
    source = open(os.path.join(HERE, "..", "..", "pipelines", "sources", "busy-video-source.launch")).readlines()[-1]
    launch = source.replace("is-live=true", "num-buffers=300").replace(
        "name=format", "caps=video/x-raw,format=I420,width={},height={},framerate=30/1".format(*size))
    subprocess.run(["gst-launch-1.0", "-q", *launch.split(), "!", "y4menc", "!", "filesink", f"location={path}"], check=True)
    return path
