"""A data channel peer on aiortc, another implementation of WebRTC; browser_data.js does the same in a browser.

Reads one JSON object per line, {"id": 1, "do": "open", "argument": "chat"}, and prints {"event": "1", "value": ...} for each.
Echoes every message.
"""

import asyncio
import json
import sys

import aioice.ice
from aiortc import AudioStreamTrack, RTCPeerConnection, RTCSessionDescription

# Calls use only this machine.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


class Peer:
    def __init__(self):
        self.connection = RTCPeerConnection()
        self.connection.on("datachannel", self.watch)
        self.channels, self.received = {}, {}

    def watch(self, channel):
        self.channels[channel.label], self.received[channel.label] = channel, []

        @channel.on("message")
        def echo(message):
            self.received[channel.label].append(message if isinstance(message, str) else list(message))
            channel.send(message)

    async def open(self, label):
        self.watch(self.connection.createDataChannel(label))

    async def offer(self, _):
        self.connection.addTrack(AudioStreamTrack())
        await self.connection.setLocalDescription(await self.connection.createOffer())
        return self.connection.localDescription.sdp

    async def answer(self, offer):
        await self.connection.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        self.connection.addTrack(AudioStreamTrack())
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        return self.connection.localDescription.sdp

    async def take(self, answer):
        await self.connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))

    async def heard(self, label):
        return self.received.get(label, [])

    async def state(self, label):
        return self.channels[label].readyState if label in self.channels else "none"

    async def garble(self, label):
        """Sends invalid messages: an unknown payload type, and unknown and truncated control messages."""
        channel = self.channels[label]
        for kind, data in [(99, b"x"), (50, b"\x77"), (50, b"\x03\x00")]:
            await channel.transport._send(channel.id, kind, data)

    async def flood(self, label):
        """Writes to a thousand streams that are not open."""
        for stream in range(1000, 2000):
            await self.channels[label].transport._send(stream, 53, b"x")

    async def abort(self, label):
        """Ends the association of all channels."""
        await self.channels[label].transport.stop()

    async def close(self, label):
        self.channels[label].close()


async def main():
    peer, lines = Peer(), asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async for line in lines:
        request = json.loads(line)
        value = await getattr(peer, request["do"])(request["argument"])
        print(json.dumps({"event": str(request["id"]), "value": value}), flush=True)
    await peer.connection.close()


asyncio.run(main())
