"""The media of the peers that are made with aiortc: what they send, and what they perceive of what they receive.

They send red frames with a moving white bar, and a tone of 660 Hz.
"""

import asyncio
import fractions
import json
import math

import aioice.ice
import av
import numpy
from aiortc import MediaStreamTrack


def use_address(address):
    """Calls use only this address."""
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: [address]


use_address("127.0.0.1")


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


class BusyFrame(Frame):
    """The same with weak noise in the lower half: it takes as much as the encoder may have, from 0.25 to 1.5 Mbit/s."""

    def frame(self, number):
        frame = super().frame(number)
        pixels = frame.to_ndarray(format="rgb24")
        pixels[120:] = numpy.random.default_rng(number).integers(113, 143, (120, 320, 1), numpy.uint8)
        busy = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        busy.pts, busy.time_base = frame.pts, frame.time_base
        return busy


class Perception:
    """What the received tracks show and play."""

    def __init__(self):
        self.last, self.distinct, self.colours, self.audio, self.reported = None, 0, None, [], (0, 0)

    def perceive(self, track):
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
            distinct, samples = self.reported
            audio = numpy.array(self.audio[samples:], float) / 32768
            level = float(numpy.sqrt(numpy.mean(audio**2))) if len(audio) else None
            tell("received", frames=self.distinct - distinct, level=level)
            self.reported = self.distinct, len(self.audio)

    def pitch(self):
        samples = numpy.array(self.audio[-32768:], float)
        if len(samples) < 4096:
            return None
        levels = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples))))
        return float(levels[1:].argmax() + 1) * 48000 / len(samples)

    def figures(self):
        return {"distinct": self.distinct, "colours": self.colours, "hertz": self.pitch()}


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)
