"""Calls between two connections of aiortc in this process, to compare how many a machine carries.

Each end sends 640x360 at 30 frames a second in VP8 and a tone in Opus. Prints a line of JSON a second: how long each end took until it was
connected, and how many frames it has decoded.

Usage: aiortc-pairs.py CALLS CALLS-THAT-BEGIN-IN-A-SECOND
"""
import asyncio
import fractions
import json
import sys
import time

import av
import numpy
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpSender, VideoStreamTrack
from aiortc.contrib.media import MediaPlayer, MediaRelay
from aiortc.mediastreams import MediaStreamError

RATE = 30


class MovingBar(VideoStreamTrack):
    """A bar that moves over a gray picture, 30 times a second."""

    def __init__(self):
        super().__init__()
        self.number, self.start = 0, time.monotonic()

    async def recv(self):
        self.number += 1
        await asyncio.sleep(max(0, self.start + self.number / RATE - time.monotonic()))
        picture = numpy.full((540, 640), 128, numpy.uint8)
        left = self.number * 4 % 600
        picture[:360, left:left + 40] = 235
        frame = av.VideoFrame.from_ndarray(picture, format="yuv420p")
        frame.pts, frame.time_base = self.number * 3000, fractions.Fraction(1, 90000)
        return frame


class End:
    """One end of a call."""

    def __init__(self, video, audio):
        # Without a list aiortc asks a public STUN server.
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.frames, self.freezes, self.last = 0, 0, None
        self.connection.addTrack(audio)
        self.connection.addTrack(video)
        vp8 = [codec for codec in RTCRtpSender.getCapabilities("video").codecs if codec.mimeType in ("video/VP8", "video/rtx")]
        for transceiver in self.connection.getTransceivers():
            if transceiver.kind == "video":
                transceiver.setCodecPreferences(vp8)
        self.tasks = []
        self.connection.on("track", lambda track: self.tasks.append(asyncio.ensure_future(self.consume(track))))

    async def consume(self, track):
        try:
            while True:
                await track.recv()
                if track.kind == "video":
                    now = time.monotonic()
                    self.freezes += self.last is not None and now - self.last > 0.5
                    self.frames, self.last = self.frames + 1, now
        except MediaStreamError:
            pass


async def call(ends, connected):
    begin = time.monotonic()
    caller, callee = (end.connection for end in ends)
    await caller.setLocalDescription(await caller.createOffer())
    await callee.setRemoteDescription(caller.localDescription)
    await callee.setLocalDescription(await callee.createAnswer())
    await caller.setRemoteDescription(callee.localDescription)
    while not all(end.frames for end in ends):
        await asyncio.sleep(0.01)
    connected.append((time.monotonic() - begin) * 1000)


async def main():
    count, rate = int(sys.argv[1]), float(sys.argv[2])
    ends, connected, tasks = [], [], []
    relay = MediaRelay()
    bar = MovingBar()
    tone = MediaPlayer("sine=frequency=440:sample_rate=48000", format="lavfi").audio

    async def report():
        begin = time.monotonic()
        while True:
            print("calls", json.dumps({
                "time": time.monotonic() - begin, "connectedMs": connected, "frames": [end.frames for end in ends],
                "freezes": [end.freezes for end in ends],
            }), flush=True)
            await asyncio.sleep(1)

    tasks.append(asyncio.ensure_future(report()))
    for _ in range(count):
        pair = [End(relay.subscribe(bar), relay.subscribe(tone)) for _ in range(2)]
        ends += pair
        tasks.append(asyncio.ensure_future(call(pair, connected)))
        await asyncio.sleep(1 / rate)
    await asyncio.Event().wait()


asyncio.run(main())
