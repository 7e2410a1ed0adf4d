"""A call with aiortc, another implementation of WebRTC, written from docs/signaling.md.

Calls PEER and hangs up after a time, or waits for a call and accepts it.
Prints one JSON object per line: signedIn, accepted, every 200 ms the media received in that time, and at the end the last received media.
Sends red frames with a moving white bar, and a tone of 660 Hz.
"""

import argparse
import asyncio
import fractions
import json
import math
import sys

import aioice.ice
import av
import numpy
import websockets
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from aiortc.sdp import candidate_from_sdp

# Calls use only this machine.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


class Source(MediaStreamTrack):
    """Frames at their times; no frames while stopped."""

    def __init__(self):
        super().__init__()
        self.number, self.start, self.runs, self.muted = 0, None, asyncio.Event(), False
        self.runs.set()

    def set(self, runs):
        if runs and not self.runs.is_set() and self.start is not None:
            # The frames of that time are dropped.
            self.number = max(self.number, int((asyncio.get_running_loop().time() - self.start) * self.rate))
        (self.runs.set if runs else self.runs.clear)()

    async def recv(self):
        await self.runs.wait()
        now = asyncio.get_running_loop().time()
        self.start = now if self.start is None else self.start
        await asyncio.sleep(max(0, self.start + self.number / self.rate - now))
        frame = self.frame(self.number)
        self.number += 1
        return frame


class Tone(Source):
    """660 Hz in frames of 20 ms."""

    kind, rate = "audio", 50

    def frame(self, number):
        times = numpy.arange(number * 960, (number + 1) * 960) / 48000
        values = ((0 if self.muted else 8000) * numpy.sin(2 * math.pi * 660 * times)).astype(numpy.int16)
        frame = av.AudioFrame.from_ndarray(values.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 48000, number * 960, fractions.Fraction(1, 48000)
        return frame


class Frame(Source):
    """Red, with a moving white bar."""

    kind, rate = "video", 30

    def frame(self, number):
        pixels = numpy.zeros((240, 320, 3), numpy.uint8)
        pixels[:, :, 0] = 255
        pixels[:, number * 4 % 300 : number * 4 % 300 + 20] = 255
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = number * 3000, fractions.Fraction(1, 90000)
        return frame


class Peer:
    def __init__(self, socket, options):
        self.socket, self.user, self.options = socket, options.user, options
        self.tone, self.frame = Tone(), None if options.audio_only else Frame()
        self.sends, self.held = {"audio": "on", "video": "off" if options.audio_only else "on", "hold": False}, False
        self.connection = RTCPeerConnection()
        self.call = self.other = None
        self.sent, self.farewell = 0, None
        self.waiting, self.seen = [], set()
        self.last, self.distinct, self.colours, self.audio, self.told = None, 0, None, [], (0, 0)
        self.connection.on("track", self.track)

    def track(self, track):
        asyncio.ensure_future(self.watch(track) if track.kind == "video" else self.listen(track))

    async def watch(self, track):
        while True:
            try:
                pixels = (await track.recv()).to_ndarray(format="rgb24")
            except Exception:
                return
            # Seven places of a row at a fifth of the height, as the SMPTE bars have seven colours.
            row = pixels[pixels.shape[0] // 5]
            self.colours = [row[(2 * bar + 1) * len(row) // 14].tolist() for bar in range(7)]
            if self.last is None or (pixels != self.last).any():
                self.distinct += 1
            self.last = pixels

    async def listen(self, track):
        while True:
            try:
                frame = await track.recv()
            except Exception:
                return
            # The first of two interleaved channels.
            self.audio.extend(frame.to_ndarray().reshape(-1)[:: len(frame.layout.channels)].tolist())

    async def report(self):
        """Prints every 200 ms the number of different frames, and the audio level from 0 to 1, or null without audio."""
        while True:
            await asyncio.sleep(0.2)
            distinct, samples = self.told
            audio = numpy.array(self.audio[samples:], float) / 32768
            level = float(numpy.sqrt(numpy.mean(audio**2))) if len(audio) else None
            tell("received", frames=self.distinct - distinct, level=level)
            self.told = self.distinct, len(self.audio)

    def pitch(self):
        samples = numpy.array(self.audio[-32768:], float)
        if len(samples) < 4096:
            return None
        levels = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples))))
        return float(levels[1:].argmax() + 1) * 48000 / len(samples)

    async def say(self, type, **fields):
        """Sends a message with a number, by which the receiver orders it."""
        self.sent += 1
        message = {
            "v": 1, "type": type, "id": f"a{self.sent}", "callId": self.call, "from": self.user, "to": self.other,
            "sentUnixMs": 0, "seq": self.sent, **fields,
        }
        await self.socket.send(json.dumps(message))

    async def acknowledge(self, message):
        await self.socket.send(json.dumps({
            "v": 1, "type": "ack", "id": "k", "callId": message["callId"], "from": self.user, "to": message["from"],
            "toDevice": message.get("device"), "sentUnixMs": 0, "ref": message["id"],
        }))

    def add_tracks(self):
        for track in filter(None, (self.tone, self.frame)):
            self.connection.addTrack(track)

    async def act(self, second, action):
        """Mutes, stops the video, holds, undoes that, or hangs up, some seconds after the accept."""
        await asyncio.sleep(float(second))
        if action == "hangup":
            return await self.hang_up()
        kind, value = {
            "mute": ("audio", "muted"), "unmute": ("audio", "on"), "stop": ("video", "off"), "start": ("video", "on"),
            "hold": ("hold", True), "unhold": ("hold", False),
        }[action]
        self.sends[kind] = value
        self.set_sources()
        await self.say("state", state=self.sends)

    def set_sources(self):
        """Neither end sends media while either end holds the call."""
        is_held = self.held or self.sends["hold"]
        self.tone.muted = self.sends["audio"] == "muted"
        self.tone.set(not is_held)
        if self.frame:
            self.frame.set(not is_held and self.sends["video"] == "on")

    def accepted(self):
        tell("accepted")
        self.tasks = [asyncio.ensure_future(self.report())]
        self.tasks += [asyncio.ensure_future(self.act(*step.split("="))) for step in self.options.at]

    async def place(self, other):
        self.call, self.other = "aiortc-call", other
        self.add_tracks()
        await self.connection.setLocalDescription(await self.connection.createOffer())
        sdp = self.connection.localDescription.sdp
        await self.say("invite", media={"audio": True, "video": bool(self.frame)}, ringTimeoutMs=20000, sdp=sdp)

    async def take(self, invite):
        self.call, self.other = invite["callId"], invite["from"]
        await self.say("ringing")
        await self.connection.setRemoteDescription(RTCSessionDescription(invite["sdp"], "offer"))
        self.add_tracks()
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        for candidate in self.waiting:
            await self.candidate(candidate)
        await self.say("accept", sdp=self.connection.localDescription.sdp)
        self.accepted()

    async def candidate(self, message):
        if self.connection.remoteDescription is None:
            self.waiting.append(message)
        elif message["candidate"]:
            candidate = candidate_from_sdp(message["candidate"].removeprefix("candidate:"))
            candidate.sdpMLineIndex = message["mLine"]
            await self.connection.addIceCandidate(candidate)

    async def answer(self, message):
        if message.get("sdp"):
            await self.connection.setRemoteDescription(RTCSessionDescription(message["sdp"], "answer"))
            for candidate in self.waiting:
                await self.candidate(candidate)
        if message["type"] == "accept":
            self.accepted()

    async def hang_up(self):
        await self.say("hangup", code=9900, text="")
        self.farewell = f"a{self.sent}"
        self.end("hangUp")

    def end(self, by, code=None):
        tell("ended", by=by, code=code, distinct=self.distinct, colours=self.colours, hertz=self.pitch())

    async def run(self):
        async for text in self.socket:
            message = json.loads(text)
            type = message["type"]
            if type == "ack" and message["ref"] == self.farewell:
                return
            if type in ("ack", "presence"):
                continue
            if "seq" in message:
                await self.acknowledge(message)
                number = (message["seq"], "toDevice" in message)
                if number in self.seen:
                    continue
                self.seen.add(number)
            if type == "invite":
                await self.take(message)
            elif type == "candidate":
                await self.candidate(message)
            elif type in ("progress", "accept"):
                await self.answer(message)
            elif type == "state":
                self.held = message["state"].get("hold", False)
                self.set_sources()
            elif type == "query":
                await self.say("status", callState="connected")
            elif type in ("hangup", "reject", "error") or (type == "cancel" and message.get("winner") != "main"):
                self.end(type, message.get("code"))
                return


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def main(options):
    async with websockets.connect(options.url) as socket:
        await socket.send(json.dumps({"v": 1, "type": "signIn", "user": options.user}))
        answer = json.loads(await socket.recv())
        if answer["type"] != "signedIn":
            sys.exit(answer.get("text"))
        tell("signedIn")
        peer = Peer(socket, options)
        if options.peer:
            await peer.place(options.peer)
        await peer.run()
        await peer.connection.close()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("user")
parser.add_argument("peer", nargs="?")
parser.add_argument("--audio-only", action="store_true")
parser.add_argument("--at", action="append", default=[], metavar="SECONDS=ACTION", help="mute, unmute, stop, start, hold, unhold, hangup")
asyncio.run(main(parser.parse_args()))
