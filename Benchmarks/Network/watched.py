"""A call whose media is watched where it is shown and played, at both machines of a lab."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from servers import start_signaling

HERE = os.path.dirname(os.path.abspath(__file__))
# Frames and audio buffers as datagrams, for watch.py.
SINKS = {
    "watched-video-sink": "videoconvert ! videoscale ! video/x-raw,format=GRAY8,width=16,height=8 ! udpsink name=sink host=127.0.0.1 port=5001",
    "watched-audio-sink": "audioconvert ! audio/x-raw,format=S16LE ! udpsink name=sink host=127.0.0.1 port=5002",
}
KINDS = ("video", "audio")
# A longer pause between two frames or audio buffers is a gap, in seconds.
GAP = 0.15


class NotSeen(Exception):
    """What was waited for did not happen."""


class End:
    """A program at a machine: its events, and what it shows and plays, with times of the monotonic clock."""

    def __init__(self, lab, place, program, arguments):
        self.place = place
        self.events = []
        # What the program printed instead of an event, such as an assertion.
        self.complaints = []
        self.shown = {kind: [] for kind in KINDS}
        watch = lab.start(place, sys.executable, os.path.join(HERE, "watch.py"), stdout=subprocess.PIPE)
        watch.stdout.readline()
        self.program = lab.start(place, program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for follow, stream in ((self.follow_watch, watch.stdout), (self.follow_events, self.program.stdout)):
            threading.Thread(target=follow, args=(stream,), daemon=True).start()

    def follow_watch(self, stream):
        for line in lines(stream):
            moment, kind, level = line.split()
            self.shown[kind].append((float(moment), int(level)))

    def follow_events(self, stream):
        for line in lines(stream):
            if line.startswith("{"):
                self.events.append((time.monotonic(), json.loads(line)))
            else:
                self.complaints.append(line.strip())

    def moment(self, after=0.0, before=float("inf"), **keys):
        """When the first event with these keys in this time happened; None if it has not."""
        for moment, event in list(self.events):
            if after <= moment < before and all(event.get(key) == value for key, value in keys.items()):
                return moment
        return None

    def wait(self, after=0.0, within=30, **keys):
        """Waits for an event with these keys; returns its moment."""
        wait_until(lambda: self.moment(after, **keys) is not None, f"{keys} at {self.place}", within)
        return self.moment(after, **keys)

    def report(self):
        """What the end knows about the call, after its end."""
        return next(event["report"] for _, event in self.events if event.get("event") == "report")

    def selected_addresses(self):
        """The addresses of its candidate in use and of the peer's, by the last statistics."""
        statistics = [event["statistics"] for _, event in self.events if event.get("event") == "statistics"][-1]
        entries = {entry["id"]: entry for entry in statistics}
        pair = entries[next(entry for entry in statistics if entry["type"] == "transport")["selectedCandidatePairId"]]
        return [entries[pair[end]]["address"] for end in ("localCandidateId", "remoteCandidateId")]

    def last_gap_end(self, kind):
        """When the last gap in what is shown ended, 0 if media has been there from the start; None while there is a gap."""
        shown = [moment for moment, _ in list(self.shown[kind])]
        if not shown or time.monotonic() - shown[-1] > GAP:
            return None
        return next((later for earlier, later in zip(shown[-2::-1], shown[:0:-1]) if later - earlier > GAP), shown[0])

    def has_media(self, seconds, after=0.0):
        """Whether everything is shown without a gap for so long, and until now."""
        ends = [self.last_gap_end(kind) for kind in KINDS]
        return None not in ends and time.monotonic() - max(*ends, after) > seconds


class WatchedCall:
    """A call of alice to bob; alice records it."""

    def __init__(self, lab, programs, folder, options, alice=(), bob=()):
        program = os.path.join(programs, "callagent")
        self.recording = os.path.join(folder, "call.mkv")
        for name, launch in SINKS.items():
            pathlib.Path(folder, f"{name}.launch").write_text(f"# For the benchmark.\n{launch} sync=false async=false\n")
        common = [
            "--signaling", start_signaling(lab, program), "--events", "--stats-interval", "500ms", "--pipelines", folder,
            "--sink-video", "watched", "--sink-audio", "watched", "--data-channel", *options]
        self.bob = End(lab, "bob", program, ["listen", "--as", "bob", "--allow", "alice", *common, *bob])
        self.bob.wait(event="listening")
        self.alice = End(lab, "alice", program, [
            "call", "bob", "--as", "alice", "--duration", "forever", "--record", self.recording, *common, *alice])
        self.ends = (self.alice, self.bob)

    def wait_for_media(self, seconds=2.0, after=0.0, within=30):
        wait_until(
            lambda: all(end.has_media(seconds, after) for end in self.ends), f"media for {seconds} s at both ends", within)

    def hang_up(self):
        """Ends the call; returns what is wrong with the programs, the recording or the messages in the data channel, or nothing."""
        connected = time.monotonic() - self.alice.moment(event="stateChanged", state="connected")
        self.alice.program.send_signal(2)
        for end in self.ends:
            end.wait(event="report")
        self.alice.program.wait(timeout=30)
        if complaints := [complaint for end in self.ends for complaint in end.complaints]:
            return complaints[0]
        for end in self.ends:
            messages = end.report()["dataChannel"]
            if not messages["messagesReceived"] or messages["messagesMissing"] or messages["messagesReordered"]:
                return f"messages at {end.place}: {messages}"
        return fault_of_recording(self.recording, connected)


def fault_of_recording(path, seconds):
    files = [file for file in os.listdir(os.path.dirname(path)) if file.endswith(".mkv")]
    if len(files) != 1:
        return f"the recording has {len(files)} files"
    discovered = subprocess.run(["gst-discoverer-1.0", "-v", path], text=True, capture_output=True).stdout
    line = next((line for line in discovered.splitlines() if "Duration:" in line), "")
    hours, minutes, rest = line.split(":", 1)[-1].strip().split(":") if line else (0, 0, 0)
    # Without one of them the player below would wait for it for ever.
    if missing := [kind for kind in KINDS if f"{kind} #" not in discovered]:
        return f"the recording has no {missing[0]}"
    duration = int(hours) * 3600 + int(minutes) * 60 + float(rest)
    if abs(duration - seconds) > 1:
        return f"the recording has {duration:.1f} of {seconds:.1f} s"
    played = subprocess.run(
        ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin", "name=all",
            "all.", "!", "queue", "!", "fakesink", "all.", "!", "queue", "!", "fakesink"], capture_output=True)
    return "" if played.returncode == 0 else "the recording does not play"


def wait_until(condition, what, within=30):
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise NotSeen(what)
        time.sleep(0.005)


def lines(stream):
    """The lines of a program until it ends, or its lab is closed."""
    try:
        yield from stream
    except ValueError:
        return
