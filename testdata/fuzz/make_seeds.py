#!/usr/bin/env python3
"""Cuts the fuzzing corpora out of the other test data: python3 make_seeds.py, in this folder; needs ffmpeg for Ogg."""

import base64
import pathlib
import shutil
import struct
import subprocess
import tempfile

here = pathlib.Path(__file__).resolve().parent
testdata = here.parent


def save(target, name, data):
    folder = here / target
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)


def chunk(data):
    return struct.pack(">H", len(data)) + data


def capture_records(path):
    """Link type and frames of a little-endian pcap."""
    data = path.read_bytes()
    link = struct.unpack_from("<I", data, 20)[0]
    offset, frames = 24, []
    while offset + 16 <= len(data):
        size = struct.unpack_from("<I", data, offset + 8)[0]
        frames.append(data[offset : offset + 16 + size])
        offset += 16 + size
    return data[:24], link, frames


def opus_packets(count):
    """The first packets of packets.bin: length32 sequence16 timestamp32 payload."""
    data = (testdata / "network/packets.bin").read_bytes()
    offset, packets = 0, []
    while len(packets) < count:
        size = struct.unpack_from("<I", data, offset)[0]
        packets.append(data[offset + 10 : offset + 10 + size])
        offset += 10 + size
    return packets, data[:offset]


def redundancy():
    primary = bytes(range(20))
    save("red", "plain", b"\x00" + primary)
    save("red", "two-earlier", bytes([0x80, 0x05, 0x00, 4, 0x80, 0x02, 0x80, 3, 0]) + bytes(7) + primary)
    save("red", "longest-block", bytes([0xEF, 0x0F, 0x03, 0xFF, 0x6F]) + bytes(1023))


def captures():
    gpl = testdata / "captures/gpl-2.0"
    cut = {
        "ethernet-pcma.pcap": (gpl / "sipp-g711a.pcap", 4),
        "cooked-opus.pcap": (gpl / "asterisk-opus-dtmf-2013785496.pcap", 6),
        "ethernet-sip.pcap": (testdata / "captures/sipnab-register-invite-reinvite-bye.pcap", 6),
        "nanoseconds.pcap": (testdata / "captures/gpl-3.0/ebu-ST2022-7-Audio_dropped_in_both.pcap", 6),
        "cooked-rtcp.pcap": (testdata / "captures/lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap", 9),
    }
    for name, (path, count) in cut.items():
        head, _, frames = capture_records(path)
        save("capture", name, head + b"".join(frames[:count]))
    save("capture", "block.pcapng", (testdata / "captures/tcpdump-rtp-seg-fault-1.pcapng").read_bytes())
    save("capture", "bark.rtp", (testdata / "captures/rtptools-bark.rtp").read_bytes()[:1100])
    # An IPv6 datagram behind a hop-by-hop header, raw IP, in big-endian pcap.
    udp = struct.pack(">HHHH", 5004, 5006, 8 + 20, 0) + b"\x80\x00\x00\x01" + bytes(16)
    ip = struct.pack(">IHBB", 6 << 28, 8 + len(udp), 0, 64) + bytes(15) + b"\1" + bytes(15) + b"\2"
    frame = ip + b"\x11\0\1\4\0\0\0\0" + udp
    record = struct.pack(">IIII", 1, 2, len(frame), len(frame)) + frame
    save("capture", "raw-ipv6.pcap", struct.pack(">IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + record * 4)


def descriptions():
    sip = (
        "INVITE sip:a@b SIP/2.0\r\nContent-Type: application/sdp\r\n\r\nv=0\r\no=- 1 1 IN IP4 192.0.2.1\r\n"
        "c=IN IP4 192.0.2.1\r\nm=audio 4000 RTP/AVP 0 96 101\r\na=rtpmap:96 opus/48000/2\r\n"
        "a=rtpmap:101 telephone-event/48000\r\nm=video 4002/2 RTP/SAVPF 97\r\nc=IN IP6 2001:db8::1\r\n"
        "a=rtpmap:97 VP8/90000\r\n"
    )
    save("sdp", "invite.txt", sip.encode())
    sap = "v=0\r\nc=IN IP4 239.1.2.1/32\r\nm=audio 6000 RTP/AVP 96\r\na=rtpmap:96 L24/48000/8\r\n"
    save("sdp", "sap.bin", b"\x20\x00ab\x01\x02\x03\x04application/sdp\x00" + sap.encode())


def streams():
    def packet(kind, number, timestamp, media):
        return struct.pack(">BBHII", 0x80, kind, number, timestamp, 7) + media

    def capture(name, packets):
        data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
        for index, rtp in enumerate(packets):
            udp = struct.pack(">HHHH", 4000, 5000, 8 + len(rtp), 0) + rtp
            ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(udp), index, 0, 64, 17, 0, 0x0A000001, 0x0A000002) + udp
            data += struct.pack("<IIII", 1000, index * 20000, len(ip), len(ip)) + ip
        save("replay", name, data)

    sound = [packet(0, n, 160 * n, bytes((7 * n + k) & 255 for k in range(40))) for n in range(8)]
    keys = [packet(101, 8 + n, 1280, bytes([5, 0x80 if n else 0, 0, 160])) for n in range(3)]
    capture("keys.pcap", sound + keys + [packet(0, 11 + n, 160 * (11 + n), b"\xff" * 40) for n in range(4)])
    wide = [packet(9, n, 160 * n, b"\x55" * 40) for n in range(6)]
    narrow = [packet(8, 6 + n, 160 * (6 + n), b"\xd5" * 40) for n in range(6)]
    capture("change.pcap", wide + narrow + [packet(13, 12, 1920, b"\x40")])
    capture("linear.pcap", [packet(96, n, 6 * n, bytes(18)) for n in range(14)])


def rtp():
    _, _, frames = capture_records(testdata / "captures/gpl-2.0/sipp-g711a.pcap")
    save("rtp", "pcma", frames[0][16 + 42 : 16 + 42 + 40])
    head = struct.pack(">HII", 1, 960, 0x5EED0001)
    save("rtp", "one-byte-elements", b"\x90\x6f" + head + b"\xbe\xde\0\2\x10\x85\x22\1\2\3\0\0" + b"payload")
    save("rtp", "two-byte-elements", b"\x91\x6f" + head + b"\0\0\0\7" + b"\x10\0\0\2\1\1\x85\0\2\2\1\2" + b"payload")
    save("rtp", "padding", b"\xa0\x6f" + head + b"payload\0\0\3")
    save("rtp", "rtcp", b"\x81\xc8\0\6" + bytes(24))


def rtcp():
    _, _, frames = capture_records(testdata / "captures/lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap")
    save("rtcp", "sender-report", frames[0][16 + 42 :])
    save("rtcp", "receiver-report", frames[1][16 + 42 :])
    report = b"\x80\xc9\0\1\0\0\0\2"
    save("rtcp", "feedback", report + b"\x81\xcd\0\3" + struct.pack(">IIHH", 2, 7, 65530, 0x0085)
         + b"\x8f\xcd\0\5" + struct.pack(">IIHHI", 2, 7, 10, 4, 0x00000100) + b"\xd4\x40\4\0")
    save("rtcp", "goodbye", report + b"\x81\xcb\0\3\0\0\0\2\5leave\0\0")


def srtp():
    order = [
        "AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32", "AES_256_CM_HMAC_SHA1_80", "AEAD_AES_128_GCM",
        "AEAD_AES_256_GCM",
    ]
    seeds = {name: bytearray([index]) for index, name in enumerate(order)}
    for line in (testdata / "srtp/packets.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        profile, _, kind, plain, protected = line.split()
        control = 1 if kind == "rtcp" else 0
        if len(protected) // 2 > 80:
            continue
        seeds[profile] += bytes([control]) + chunk(bytes.fromhex(protected))
        seeds[profile] += bytes([2 | control]) + chunk(bytes.fromhex(plain)) + b"\0\0"
        seeds[profile] += bytes([6 | control]) + chunk(bytes.fromhex(plain)) + b"\1\0\5"
    for index, name in enumerate(order):
        save("srtp", name.lower(), bytes(seeds[name]))


def codecs():
    packets, head = opus_packets(24)
    save("packets", "start.bin", opus_packets(6)[1])
    save("packets", "empty-payload.bin", struct.pack("<IHI", 0, 1, 960) + head[:10 + len(packets[0])])
    for setting in (4, 2, 12):  # 48 kHz, 16 kHz, 48 kHz stereo
        decoded = b"".join(bytes([0]) + chunk(packet) for packet in packets[8:14])
        repaired = b"\3\2" + chunk(packets[16]) + b"\0" + chunk(packets[16]) + b"\6" + chunk(packets[17])
        save("opus", f"stream-{setting}", bytes([setting]) + decoded + repaired)
    two = b"\x0b\x02" + bytes(8)  # SILK, code 3, two frames of equal size
    variable = b"\xfb\xc3\x05\x02\x03" + bytes(12)  # CELT, code 3, variable sizes and padding
    save("opus", "codes", b"\4\0" + chunk(two) + b"\0" + chunk(variable) + b"\0" + chunk(b"\xfa\4" + bytes(12)))
    for setting in (0, 1, 2, 18):
        loud = bytes((index * 37 + 11) & 255 for index in range(160))
        save("pcm", f"stream-{setting}", bytes([setting, 0]) + chunk(loud) + b"\2\0" + chunk(loud) + b"\3\2")

    def calls(setting, payloads, filler):
        seed = bytes([setting])
        for index, payload in enumerate(payloads):
            # One packet in five is skipped, one comes late; two blocks of 10 ms between packets of 20 ms.
            command = 0x11 if index % 5 == 3 else 0x09
            seed += bytes([command]) + (b"\2" if command & 0x10 else b"") + (b"\x10" if command & 8 else b"")
            seed += chunk(payload) + filler * 2
        return seed + b"\4\1\0" + filler * 4 + b"\5" + filler

    g711 = [bytes((step * index) & 255 for index in range(160)) for step in range(6)]
    for target in ("jitter", "engine"):
        for setting in (0, 8, 32) if target == "jitter" else (0, 8, 32, 60):
            save(target, f"opus-{setting}", calls(setting, packets[8:20], b"\x0e"))
        for setting in (1, 2, 3):
            save(target, f"pcm-{setting}", calls(setting, g711, b"\x0e"))
    save("engine", "datagrams", b"\1\0" + chunk(b"\x80\0\0\1" + bytes(8) + bytes(160)) + b"\x0e\0" + chunk(bytes(20)))


def traces():
    for name in ("lossy", "wifi"):
        lines = (testdata / f"network/{name}.csv").read_text().splitlines(keepends=True)
        save("trace", f"{name}.csv", "".join(lines[:24]).encode())
    save("trace", "windows.csv", b"\xef\xbb\xbf# a\r\nseq,timestamp,send_ms,arrival_ms\r\n1,2,-3.5, 4e2\r\n2,3,4,\r\n")


def audio():
    whole = [
        "hound-nonstandard-01.wav", "scipy-44100Hz-le-1ch-4bytes-incomplete-chunk.wav",
        "scipy-44100Hz-le-1ch-4bytes-early-eof.wav", "scipy-8000Hz-be-3ch-5S-24bit.wav",
        "scipy-8000Hz-le-4ch-9S-12bit.wav", "wavefile-no_samples.wav",
    ]
    for name in whole:
        save("audio", name, (testdata / "audio" / name).read_bytes())
    cut = {
        "scipy-44100Hz-2ch-32bit-float-be.wav": 400, "scipy-44100Hz-le-1ch-4bytes-rf64.wav": 600,
        "scipy-48000Hz-2ch-64bit-float-le-wavex.wav": 600, "rochars-4bit-imaadpcm-8kHz.wav": 600,
        "rochars-8bit-mulaw-8kHz.wav": 300, "wavefile-format_chunk_after_data_chunk.wav": 300,
        "goaudio-bwf.wav": 1200, "cpython-pluck-pcm16.au": 300, "flac-subset-60-mono.flac": 6000,
    }
    for name, size in cut.items():
        save("audio", name, (testdata / "audio" / name).read_bytes()[:size])


def ogg():
    with tempfile.TemporaryDirectory() as folder:
        for name, options in {
            "mono.opus": ["-ac", "1", "-b:a", "12k"], "stereo.opus": ["-ac", "2", "-b:a", "16k", "-page_duration", "60000"],
        }.items():
            made = pathlib.Path(folder) / name
            subprocess.run(
                ["ffmpeg", "-v", "error", "-ss", "1", "-t", "0.3", "-i", testdata / "speech/mic.wav", *options,
                 "-c:a", "libopus", "-bitexact", made], check=True)
            save("ogg", name, made.read_bytes())
    mono, stereo = (here / "ogg/mono.opus").read_bytes(), (here / "ogg/stereo.opus").read_bytes()
    save("ogg", "chained.opus", mono + stereo)


def framed():
    sound = struct.pack("<40h", *(index * 700 - 14000 for index in range(40)))
    for setting in (0, 1, 2, 4):
        odd = b"\0" + chunk(sound[:33]) + b"\0" + chunk(sound[33:]) + b"\2" + chunk(sound[:31])
        text = b"\1" + chunk(base64.b64encode(sound[:31])) + b"\1" + chunk(b"AAA") + b"\1" + chunk(b"AA=A")
        packet = b"\3" + chunk(bytes(320)) + b"\3" + chunk(bytes(640)) + b"\3" + chunk(bytes(7))
        save("framed", f"messages-{setting}", bytes([setting]) + odd + b"\x80" + chunk(sound) + b"\0\5" + odd)
        save("framed", f"text-{setting}", bytes([setting]) + text + odd)
        save("framed", f"packets-{setting}", bytes([setting]) + packet)


for folder in [path for path in here.iterdir() if path.is_dir()]:
    shutil.rmtree(folder)
for part in (captures, descriptions, streams, rtp, rtcp, redundancy, srtp, codecs, traces, audio, ogg, framed):
    part()
