"""A participant of a Janus VideoRoom, made with aiortc and aiohttp: it publishes, and receives everybody.

Prints joined, and every 200 ms participant for each participant: what was received of it so far (aiortc_media.py). A line on the standard input ends it.
"""

import argparse
import asyncio
import itertools
import sys

import aioice.ice
import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription

from aiortc_media import Frame, Perception, Tone, tell


class Janus:
    """A session on the server: each request waits for its answer."""

    def __init__(self, socket):
        self.socket, self.numbers, self.waiting = socket, itertools.count(1), {}
        self.session, self.present = None, asyncio.Queue()

    async def read(self):
        async for frame in self.socket:
            message = frame.json()
            if message["janus"] != "ack" and message.get("transaction") in self.waiting:
                self.waiting.pop(message["transaction"]).set_result(message)
            for publisher in message.get("plugindata", {}).get("data", {}).get("publishers", []):
                self.present.put_nowait(publisher)

    async def ask(self, janus, **fields):
        transaction = str(next(self.numbers))
        if self.session:
            fields["session_id"] = self.session
        answer = self.waiting[transaction] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"janus": janus, "transaction": transaction, **fields})
        return await answer

    async def attach(self):
        return (await self.ask("attach", plugin="janus.plugin.videoroom"))["data"]["id"]

    async def message(self, handle, body, connection=None):
        fields = {}
        if connection:
            local = connection.localDescription
            fields["jsep"] = {"type": local.type, "sdp": local.sdp}
        return await self.ask("message", handle_id=handle, body=body, **fields)


def description(message):
    return RTCSessionDescription(message["jsep"]["sdp"], message["jsep"]["type"])


async def publish(janus, handle):
    connection = RTCPeerConnection()
    connection.addTrack(Tone())
    connection.addTrack(Frame())
    await connection.setLocalDescription(await connection.createOffer())
    await connection.setRemoteDescription(description(await janus.message(handle, {"request": "publish"}, connection)))


async def subscribe(janus, room, publisher):
    connection, perception = RTCPeerConnection(), Perception()
    connection.on("track", perception.perceive)
    handle = await janus.attach()
    body = {"request": "join", "ptype": "subscriber", "room": room, "streams": [{"feed": publisher["id"]}]}
    await connection.setRemoteDescription(description(await janus.message(handle, body)))
    await connection.setLocalDescription(await connection.createAnswer())
    await janus.message(handle, {"request": "start"}, connection)
    while True:
        await asyncio.sleep(0.2)
        figures = perception.figures()
        tell("participant", name=publisher["display"], distinct=figures["distinct"], hertz=figures["hertz"])


async def main(options):
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: [options.address]
    async with aiohttp.ClientSession() as client:
        async with client.ws_connect(options.url, protocols=["janus-protocol"]) as socket:
            janus = Janus(socket)
            tasks = [asyncio.ensure_future(janus.read())]
            janus.session = (await janus.ask("create"))["data"]["id"]
            handle = await janus.attach()
            body = {"request": "join", "ptype": "publisher", "room": options.room, "display": options.name}
            await janus.message(handle, body)
            tell("joined")
            await publish(janus, handle)

            async def watch():
                while True:
                    publisher = await janus.present.get()
                    tasks.append(asyncio.ensure_future(subscribe(janus, options.room, publisher)))

            tasks.append(asyncio.ensure_future(watch()))
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("room", type=int)
parser.add_argument("name")
parser.add_argument("address")
asyncio.run(main(parser.parse_args()))
