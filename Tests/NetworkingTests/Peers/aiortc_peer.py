"""One end of a WebRTC transport by aiortc: ICE and DTLS, and RTP over them, told what to do by lines of JSON.

    aiortc_peer.py controlling|controlled client|server

Writes {"ufrag", "pwd", "fingerprint", "candidates"}; reads the same of the other end; writes {"connected": profile} or
{"failed": reason}. Then each line {"rtp": hex} that it reads goes out as SRTP, and each packet that comes, opened, is
written as {"rtp": hex}. {"close": true} ends it in order.
"""

import asyncio
import json
import sys

import aioice.ice
from aiortc import RTCCertificate, RTCIceGatherer, RTCIceTransport
from aiortc.rtcdtlstransport import RTCDtlsFingerprint, RTCDtlsParameters, RTCDtlsTransport
from aiortc.rtcicetransport import RTCIceParameters
from aiortc.sdp import candidate_from_sdp, candidate_to_sdp

aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


def say(message):
    print(json.dumps(message), flush=True)


async def main(ice_role, dtls_role):
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    gatherer = RTCIceGatherer(iceServers=[])
    ice = RTCIceTransport(gatherer)
    ice._connection.ice_controlling = ice_role == "controlling"
    certificate = RTCCertificate.generateCertificate()
    dtls = RTCDtlsTransport(ice, [certificate])
    dtls._set_role(dtls_role)

    async def received(data, arrival_time_ms):
        say({"rtp": data.hex()})

    dtls._handle_rtp_data = received
    await gatherer.gather()
    own = gatherer.getLocalParameters()
    fingerprint = next(f for f in certificate.getFingerprints() if f.algorithm == "sha-256")
    say(
        {
            "ufrag": own.usernameFragment,
            "pwd": own.password,
            "fingerprint": f"sha-256 {fingerprint.value}",
            "candidates": ["candidate:" + candidate_to_sdp(c) for c in gatherer.getLocalCandidates()],
        }
    )
    theirs = json.loads(await reader.readline())
    for text in theirs["candidates"]:
        await ice.addRemoteCandidate(candidate_from_sdp(text.removeprefix("candidate:")))
    await ice.addRemoteCandidate(None)
    await ice.start(RTCIceParameters(usernameFragment=theirs["ufrag"], password=theirs["pwd"]))
    if ice.state != "completed":
        say({"failed": f"ice {ice.state}"})
        return
    algorithm, value = theirs["fingerprint"].split(" ")
    await dtls.start(RTCDtlsParameters(fingerprints=[RTCDtlsFingerprint(algorithm=algorithm, value=value)]))
    if dtls.state != "connected":
        say({"failed": f"dtls {dtls.state}"})
        return
    say({"connected": True})
    dtls.on("statechange", lambda: say({"dtls": dtls.state}))
    while line := await reader.readline():
        order = json.loads(line)
        if "rtp" in order:
            await dtls._send_rtp(bytes.fromhex(order["rtp"]))
        elif "close" in order:
            await dtls.stop()
            await ice.stop()
            return


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 30))
