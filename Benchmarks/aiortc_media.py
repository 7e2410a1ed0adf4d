"""What connections of aiortc send in the benchmarks: 640x360 at 30 frames a second in VP8."""

import asyncio
import fractions
import time

import av
import numpy
from aiortc import RTCRtpSender, VideoStreamTrack

RATE = 30


class Video(VideoStreamTrack):
    """Frames at their times."""

    def __init__(self):
        super().__init__()
        self.number, self.start = 0, None

    async def recv(self):
        # They begin with the first one that is asked for, or else those of the set-up would come at once.
        self.start = self.start or time.monotonic()
        self.number += 1
        await asyncio.sleep(max(0, self.start + self.number / RATE - time.monotonic()))
        frame = self.frame()
        frame.pts, frame.time_base = self.number * 3000, fractions.Fraction(1, 90000)
        return frame


class MovingBar(Video):
    """A bar that moves over a gray picture."""

    def frame(self):
        picture = numpy.full((540, 640), 128, numpy.uint8)
        left = self.number * 4 % 600
        picture[:360, left:left + 40] = 235
        return av.VideoFrame.from_ndarray(picture, format="yuv420p")


class Film(Video):
    """The frames of a file, again and again."""

    def __init__(self, path):
        self.frames = list(av.open(path).decode(video=0))
        super().__init__()

    def frame(self):
        return self.frames[self.number % len(self.frames)]


def prefer_vp8(connection):
    codecs = RTCRtpSender.getCapabilities("video").codecs
    vp8 = [codec for codec in codecs if codec.mimeType in ("video/VP8", "video/rtx")]
    for transceiver in connection.getTransceivers():
        if transceiver.kind == "video":
            transceiver.setCodecPreferences(vp8)
