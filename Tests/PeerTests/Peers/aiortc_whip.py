"""A media server for WHIP (RFC 9725) and WHEP, made with aiortc and aiohttp.

POST /whip/ROOM takes media, POST /whep/ROOM sends it on; the room `own` has media of the server's own.
Some paths answer in other ways, see ODDITIES. With --token every request needs it.
Prints one JSON object per line: listening, each request, and at the end of each session what was received.
"""

import argparse
import asyncio
import ssl
import uuid

from aiohttp import web
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaRelay
from aiortc.sdp import candidate_from_sdp

from aiortc_media import Frame, Perception, Tone, tell

# One that works in no network, and three that are no servers.
ICE_SERVER = ", ".join(
    f'<{url}>; rel="ice-server"' for url in ("stun:127.0.0.1:9", "stun:s?transport=udp", "turn:without-user", "nonsense"))


class Session:
    """One connection to one client."""

    def __init__(self):
        self.connection, self.perception, self.tag = RTCPeerConnection(), Perception(), f'"{uuid.uuid4()}"'

    async def answer(self, offer):
        """The answer; what is to be sent has to be added before."""
        await self.connection.setRemoteDescription(offer)
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        return self.connection.localDescription.sdp

    async def add(self, fragment):
        for line in fragment.splitlines():
            if line.startswith("a=candidate:"):
                candidate = candidate_from_sdp(line.removeprefix("a=candidate:"))
                candidate.sdpMLineIndex = 0
                await self.connection.addIceCandidate(candidate)


class Server:
    def __init__(self, options):
        self.options, self.sessions, self.rooms, self.relay = options, {}, {}, MediaRelay()
        # Lets /odd/late answer.
        self.released = asyncio.Event()

    @web.middleware
    async def check(self, request, handler):
        tell("request", method=request.method, path=request.path, type=request.content_type,
             match=request.headers.get("If-Match"), agent=request.headers.get("User-Agent"))
        if self.options.token and request.headers.get("Authorization") != f"Bearer {self.options.token}":
            return web.Response(status=401, text="who are you?")
        return await handler(request)

    def created(self, request, session, sdp):
        name = str(uuid.uuid4())
        self.sessions[name] = session
        # Many servers name a path; one behind a proxy for TLS often names itself without TLS.
        location = f"/session/{name}"
        if self.options.certificate:
            location = f"http://{request.host}{location}"
        headers = {"Location": location, "ETag": session.tag, "Link": ICE_SERVER}
        return web.Response(status=201, text=sdp, content_type="application/sdp", headers=headers)

    async def publish(self, request):
        session, tracks = Session(), self.rooms.setdefault(request.match_info["room"], {})

        def take(track):
            tracks[track.kind] = track
            session.perception.perceive(self.relay.subscribe(track))

        session.connection.on("track", take)
        return self.created(request, session, await session.answer(RTCSessionDescription(await request.text(), "offer")))

    async def play(self, request):
        room = request.match_info["room"]
        tracks = {"audio": Tone(), "video": Frame()} if room == "own" else self.rooms.get(room)
        if not tracks:
            return web.Response(status=404, text="nobody publishes in this room")
        session, offer = Session(), RTCSessionDescription(await request.text(), "offer")
        for kind, track in tracks.items():
            if f"m={kind}" in offer.sdp:
                session.connection.addTrack(self.relay.subscribe(track))
        return self.created(request, session, await session.answer(offer))

    async def options_of(self, request):
        return web.Response(status=204, headers={"Link": ICE_SERVER})

    async def change(self, request):
        session = self.sessions.get(request.match_info["session"])
        if session is None:
            return web.Response(status=404)
        if request.headers.get("If-Match") == "*":
            # aiortc cannot restart ICE.
            return web.Response(status=501)
        if request.headers.get("If-Match") != session.tag:
            return web.Response(status=412)
        fragment = await request.text()
        tell("fragment", text=fragment)
        await session.add(fragment)
        return web.Response(status=204)

    async def delete(self, request):
        session = self.sessions.pop(request.match_info["session"], None)
        if session is None:
            return web.Response(status=404)
        tell("ended", **session.perception.figures())
        await session.connection.close()
        return web.Response()

    async def odd(self, request):
        kind = request.match_info["kind"]
        if kind == "slow" and request.method == "POST":
            await asyncio.sleep(60)
        if kind == "late" and request.method == "POST":
            await self.released.wait()
        if kind == "release":
            self.released.set()
        return ODDITIES[kind](request)


ODDITIES = {
    "slow": lambda request: web.Response(),
    # A session without an answer.
    "made": lambda request: web.Response(status=201, text="hello", headers={"Location": "/session/made"}),
    "release": lambda request: web.Response(),
    "late": lambda request: web.Response(status=201, text="v=0", headers={"Location": "/session/late"}),
    "moved": lambda request: web.Response(status=307, headers={"Location": "/whip/moved"}),
    "circle": lambda request: web.Response(status=308, headers={"Location": request.path}),
    "page": lambda request: web.Response(text="<html>hello</html>", content_type="text/html"),
    "full": lambda request: web.Response(status=503, text="no room left", headers={"Retry-After": "7"}),
    "codecs": lambda request: web.Response(status=406, text="no such codec"),
    "long": lambda request: web.Response(text="v=0" + "x" * 1_000_000),
    "empty": lambda request: web.Response(text="v=0\r\n", status=201, content_type="application/sdp"),
}


async def main(options):
    server = Server(options)
    application = web.Application(middlewares=[server.check])
    application.add_routes([
        web.post("/whip/{room}", server.publish), web.post("/whep/{room}", server.play),
        web.options("/whip/{room}", server.options_of), web.options("/whep/{room}", server.options_of),
        web.patch("/session/{session}", server.change), web.delete("/session/{session}", server.delete),
        web.route("*", "/odd/{kind}", server.odd),
    ])
    runner = web.AppRunner(application)
    await runner.setup()
    tls = None
    if options.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(options.certificate, options.key)
    site = web.TCPSite(runner, "127.0.0.1", options.port, ssl_context=tls, reuse_address=True)
    await site.start()
    tell("listening", port=site._server.sockets[0].getsockname()[1])
    await asyncio.Event().wait()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--token")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate")
parser.add_argument("--key")
asyncio.run(main(parser.parse_args()))
