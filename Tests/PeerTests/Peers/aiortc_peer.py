"""A call with aiortc, another implementation of WebRTC, written from docs/signaling.md.

Calls PEER and hangs up after a time, or waits for a call and accepts it.
Prints one JSON object per line: signedIn, accepted, every 200 ms the media received in that time, and at the end the last received media.
"""

import argparse
import asyncio
import json
import sys

import websockets
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.sdp import candidate_from_sdp

from aiortc_media import BusyFrame, Frame, Perception, Tone, tell, use_address


class Peer:
    def __init__(self, socket, options):
        self.socket, self.user, self.options = socket, options.user, options
        self.tone, self.frame = Tone(), None if options.audio_only else BusyFrame() if options.busy else Frame()
        self.sends, self.held = {"audio": "on", "video": "off" if options.audio_only else "on", "hold": False}, False
        self.connection = RTCPeerConnection()
        self.call = self.other = None
        self.sent, self.farewell = 0, None
        self.waiting, self.seen = [], set()
        self.perception = Perception()
        self.connection.on("track", self.perception.perceive)

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
            "toDevice": message.get("device"), "sentUnixMs": 0,
            "epoch": message.get("epoch", 0), "ref": message["id"],
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
        self.tasks = [asyncio.ensure_future(self.perception.report())]
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
        tell("ended", by=by, code=code, **self.perception.figures())

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
parser.add_argument("--busy", action="store_true", help="send video that takes all bits it may have")
parser.add_argument("--address", default="127.0.0.1", help="the local address to use")
parser.add_argument("--at", action="append", default=[], metavar="SECONDS=ACTION", help="mute, unmute, stop, start, hold, unhold, hangup")
options = parser.parse_args()
use_address(options.address)
asyncio.run(main(options))
