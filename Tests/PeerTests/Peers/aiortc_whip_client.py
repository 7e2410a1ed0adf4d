"""A client of a media server over WHIP (RFC 9725) or WHEP, made with aiortc and aiohttp.

Prints one JSON object per line: created (the response to the offer), and received every 200 ms (aiortc_media.py). A line on the standard input
ends the session; then ended says what was received.
"""

import argparse
import asyncio
import sys
from urllib.parse import urljoin

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription

from aiortc_media import Frame, Perception, Tone, tell


async def main(options):
    connection, perception = RTCPeerConnection(), Perception()
    connection.on("track", perception.perceive)
    if options.role == "publish":
        # A client that offers both directions, as browsers do by default.
        connection.addTrack(Tone())
        connection.addTrack(Frame())
    else:
        connection.addTransceiver("audio", direction="recvonly")
        connection.addTransceiver("video", direction="recvonly")
    await connection.setLocalDescription(await connection.createOffer())
    headers = {"Authorization": f"Bearer {options.token}"} if options.token else {}
    async with aiohttp.ClientSession(headers=headers) as client:
        sdp = {"Content-Type": "application/sdp"}
        async with client.post(options.url, data=connection.localDescription.sdp, headers=sdp) as response:
            text = await response.text()
            tell("created", status=response.status, text=text, location=response.headers.get("Location"),
                 links=response.headers.getall("Link", []))
            if response.status != 201:
                return
            session = urljoin(options.url, response.headers["Location"])
        await connection.setRemoteDescription(RTCSessionDescription(text, "answer"))
        reporting = asyncio.ensure_future(perception.report())
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        reporting.cancel()
        tell("ended", **perception.figures())
        async with client.delete(session) as response:
            tell("deleted", status=response.status)
        async with client.delete(session) as response:
            tell("deletedAgain", status=response.status)
    await connection.close()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("role", choices=["publish", "play"])
parser.add_argument("url")
parser.add_argument("--token")
asyncio.run(main(parser.parse_args()))
