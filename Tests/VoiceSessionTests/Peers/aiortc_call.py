"""A call with aiortc: it plays a tone of 700 Hz and tells what it hears.

Lines in and out, JSON: with the word "offer" as argument it begins with {"sdp": offer} and takes {"sdp": answer}; with
"answer" it is the other way round. Then each line {"seconds": n} is answered by what was heard in so much time:
{"frequency": Hz, "level": RMS, "packets": received, "state": connectionState}.
"""

import asyncio
import fractions
import json
import sys

import aioice.ice
import numpy
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from av import AudioFrame

RATE = 48_000
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


class Tone(MediaStreamTrack):
    kind = "audio"

    def __init__(self):
        super().__init__()
        self.sample = 0
        self.start = None

    async def recv(self):
        loop = asyncio.get_event_loop()
        if self.start is None:
            self.start = loop.time()
        await asyncio.sleep(max(0, self.start + self.sample / RATE - loop.time()))
        times = numpy.arange(self.sample, self.sample + 960) / RATE
        samples = (0.3 * 32767 * numpy.sin(2 * numpy.pi * 700 * times)).astype(numpy.int16)
        frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, self.sample, fractions.Fraction(1, RATE)
        self.sample += 960
        return frame


async def main(role):
    connection = RTCPeerConnection()
    heard = []

    async def listen(track):
        while True:
            samples = (await track.recv()).to_ndarray().reshape(-1)[::2]
            heard.append(samples.astype(float) / 32768)
            del heard[:-100]

    @connection.on("track")
    def on_track(track):
        asyncio.ensure_future(listen(track))

    def write(value):
        print(json.dumps(value), flush=True)

    async def read():
        line = await asyncio.get_event_loop().run_in_executor(None, sys.stdin.readline)
        if not line:
            sys.exit(0)
        return json.loads(line)

    connection.addTrack(Tone())
    if role == "offer":
        await connection.setLocalDescription(await connection.createOffer())
        write({"sdp": connection.localDescription.sdp})
        await connection.setRemoteDescription(RTCSessionDescription((await read())["sdp"], "answer"))
    else:
        await connection.setRemoteDescription(RTCSessionDescription((await read())["sdp"], "offer"))
        await connection.setLocalDescription(await connection.createAnswer())
        write({"sdp": connection.localDescription.sdp})
    while True:
        seconds = (await read())["seconds"]
        heard.clear()
        await asyncio.sleep(seconds)
        samples = numpy.concatenate(heard) if heard else numpy.zeros(RATE)
        spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples))))
        packets = sum(
            entry.packetsReceived
            for entry in (await connection.getStats()).values()
            if entry.type == "inbound-rtp"
        )
        write({
            "frequency": float(numpy.argmax(spectrum) * RATE / len(samples)),
            "level": float(numpy.sqrt(numpy.mean(samples**2))),
            "packets": packets,
            "state": connection.connectionState,
        })


asyncio.run(main(sys.argv[1]))
