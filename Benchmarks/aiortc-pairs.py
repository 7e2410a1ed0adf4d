"""Calls between two connections of aiortc in this process, to compare how many a machine carries.

Each end sends 640x360 at 30 frames a second in VP8 and a tone in Opus. Prints a line of JSON a second: how long each end took until it was
connected, and how many frames it has decoded.

Usage: aiortc-pairs.py CALLS CALLS-THAT-BEGIN-IN-A-SECOND
"""
import asyncio
import json
import sys
import time

from aiortc import RTCConfiguration, RTCPeerConnection
from aiortc.contrib.media import MediaPlayer, MediaRelay
from aiortc.mediastreams import MediaStreamError

from aiortc_media import MovingBar, prefer_vp8


class End:
    """One end of a call."""

    def __init__(self, video, audio):
        # Without a list aiortc asks a public STUN server.
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.frames, self.freezes, self.last = 0, 0, None
        self.connection.addTrack(audio)
        self.connection.addTrack(video)
        prefer_vp8(self.connection)
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
