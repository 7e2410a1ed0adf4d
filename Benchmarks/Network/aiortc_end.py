"""One end of a call between two connections of aiortc: 640x360 at 30 frames a second in VP8, Opus. alice calls, bob answers.

    aiortc_end.py NAME SERVER SECONDS [STUN-URL] [FILE]    SERVER is the address and port of exchange.py; FILE is the video, instead of a moving bar
"""

import asyncio
import http.client
import json
import os
import sys
import time

from aiortc import RTCConfiguration, RTCIceServer, RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer
from aiortc.mediastreams import MediaStreamError

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from aiortc_media import Film, MovingBar, prefer_vp8  # noqa: E402


class Frames:
    """The frames that are shown, with freezes as W3C's statistics count them."""

    def __init__(self):
        self.times, self.count, self.frozen = [], 0, 0.0
        self.begins = asyncio.Event()

    async def consume(self, track):
        try:
            while True:
                await track.recv()
                if track.kind == "video":
                    self.note(time.monotonic())
        except MediaStreamError:
            pass

    def note(self, now):
        self.begins.set()
        self.count += 1
        if len(self.times) > 1:
            mean = (self.times[-1] - self.times[0]) / (len(self.times) - 1)
            passed = now - self.times[-1]
            if passed > max(3 * mean, mean + 0.15):
                self.frozen += passed
        self.times = [*self.times, now][-30:]


async def main(name, server, seconds, stun="", film=""):
    # Both stay open for all messages.
    inbox, outbox = http.client.HTTPConnection(server), http.client.HTTPConnection(server)
    outbox.connect()

    def request(connection, method, path, body=None):
        connection.request(method, path, body)
        return connection.getresponse().read()

    async def receive():
        return json.loads(await asyncio.to_thread(request, inbox, "GET", f"/box/{name}"))

    async def send(path, message):
        await asyncio.to_thread(request, outbox, "POST", path, json.dumps(message))

    # Without a list aiortc asks a public STUN server.
    peer = RTCPeerConnection(RTCConfiguration([RTCIceServer(stun)] if stun else []))
    peer.addTrack(MediaPlayer("sine=frequency=440:sample_rate=48000", format="lavfi").audio)
    peer.addTrack(Film(film) if film else MovingBar())
    frames = Frames()
    tasks = []
    peer.on("track", lambda track: tasks.append(asyncio.ensure_future(frames.consume(track))))

    async def describe(description):
        prefer_vp8(peer)
        await peer.setLocalDescription(await description())
        local = peer.localDescription
        await send(f"/box/{other}", {"type": local.type, "sdp": local.sdp})

    other = "bob" if name == "alice" else "alice"
    if name == "bob":
        await send("/box/alice", {"ready": True})
    message = await receive()
    start = time.monotonic()
    if name == "alice":
        await describe(peer.createOffer)
        message = await receive()
    await peer.setRemoteDescription(RTCSessionDescription(message["sdp"], message["type"]))
    if name == "bob":
        await describe(peer.createAnswer)
    await frames.begins.wait()
    first = (time.monotonic() - start) * 1000
    # How many frames were decoded until when, in s since 1970.
    shown = []
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        shown.append((time.time(), frames.count))
        await asyncio.sleep(min(1, max(0, end - time.monotonic())))
    await send("/result", {
        "name": name, "first": first, "framesDecoded": frames.count, "totalFreezesDuration": frames.frozen, "shown": shown})


asyncio.run(main(*sys.argv[1:]))
