"""A call with aiortc, another implementation of WebRTC, written from docs/signaling.md.

Usage: aiortc_peer.py URL USER [PEER]     calls PEER and hangs up after 3 s, or waits for a call and takes it
Prints one JSON object per line: signedIn, accepted, and at the end what was received.
Sends red pictures with a white bar that moves, and a tone of 660 Hz.
"""

import asyncio
import fractions
import json
import math
import sys

import aioice.ice
import av
import numpy
import websockets
from aiortc import AudioStreamTrack, RTCPeerConnection, RTCSessionDescription, VideoStreamTrack
from aiortc.sdp import candidate_from_sdp

# Calls stay within this machine.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


class Tone(AudioStreamTrack):
    """660 Hz in frames of 20 ms."""

    sample = 0

    async def recv(self):
        if self.sample:
            await asyncio.sleep(max(0, self.start + self.sample / 48000 - asyncio.get_running_loop().time()))
        else:
            self.start = asyncio.get_running_loop().time()
        times = numpy.arange(self.sample, self.sample + 960) / 48000
        values = (8000 * numpy.sin(2 * math.pi * 660 * times)).astype(numpy.int16)
        frame = av.AudioFrame.from_ndarray(values.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 48000, self.sample, fractions.Fraction(1, 48000)
        self.sample += 960
        return frame


class Picture(VideoStreamTrack):
    """Red, with a white bar that moves."""

    number = 0

    async def recv(self):
        pts, time_base = await self.next_timestamp()
        pixels = numpy.zeros((240, 320, 3), numpy.uint8)
        pixels[:, :, 0] = 255
        pixels[:, self.number % 300 : self.number % 300 + 20] = 255
        self.number += 4
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = pts, time_base
        return frame


class Peer:
    def __init__(self, socket, user):
        self.socket, self.user = socket, user
        self.connection = RTCPeerConnection()
        self.call = self.other = None
        self.sent, self.farewell = 0, None
        self.waiting, self.seen = [], set()
        self.pictures, self.last, self.distinct, self.colours, self.sound = 0, None, 0, None, []
        self.connection.on("track", self.track)

    def track(self, track):
        asyncio.ensure_future(self.watch(track) if track.kind == "video" else self.listen(track))

    async def watch(self, track):
        while True:
            try:
                pixels = (await track.recv()).to_ndarray(format="rgb24")
            except Exception:
                return
            self.pictures += 1
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
            self.sound.extend(frame.to_ndarray().reshape(-1)[:: len(frame.layout.channels)].tolist())

    def pitch(self):
        samples = numpy.array(self.sound[-32768:], float)
        if len(samples) < 4096:
            return None
        levels = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples))))
        return float(levels[1:].argmax() + 1) * 48000 / len(samples)

    async def say(self, type, **fields):
        """Numbered, since the receiver puts what it gets into order."""
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

    async def place(self, other):
        self.call, self.other = "aiortc-call", other
        self.connection.addTrack(Tone())
        self.connection.addTrack(Picture())
        await self.connection.setLocalDescription(await self.connection.createOffer())
        sdp = self.connection.localDescription.sdp
        await self.say("invite", media={"audio": True, "video": True}, ringTimeoutMs=20000, sdp=sdp)

    async def take(self, invite):
        self.call, self.other = invite["callId"], invite["from"]
        await self.say("ringing")
        await self.connection.setRemoteDescription(RTCSessionDescription(invite["sdp"], "offer"))
        self.connection.addTrack(Tone())
        self.connection.addTrack(Picture())
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        for candidate in self.waiting:
            await self.candidate(candidate)
        await self.say("accept", sdp=self.connection.localDescription.sdp)
        tell("accepted")

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
            tell("accepted")
            asyncio.ensure_future(self.hang_up(3))

    async def hang_up(self, seconds):
        await asyncio.sleep(seconds)
        await self.say("hangup", code=9900, text="")
        self.farewell = f"a{self.sent}"
        self.end("hangUp")

    def end(self, by, code=None):
        tell("ended", by=by, code=code, pictures=self.pictures, distinct=self.distinct, colours=self.colours,
             hertz=self.pitch())

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
            elif type == "query":
                await self.say("status", callState="connected")
            elif type in ("hangup", "reject", "error") or (type == "cancel" and message.get("winner") != "main"):
                self.end(type, message.get("code"))
                return


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def main(url, user, other=None):
    async with websockets.connect(url) as socket:
        await socket.send(json.dumps({"v": 1, "type": "signIn", "user": user}))
        answer = json.loads(await socket.recv())
        if answer["type"] != "signedIn":
            sys.exit(answer.get("text"))
        tell("signedIn")
        peer = Peer(socket, user)
        if other:
            await peer.place(other)
        await peer.run()
        await peer.connection.close()


asyncio.run(main(*sys.argv[1:]))
