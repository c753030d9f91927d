#!/usr/bin/env python3
"""Makes packets.bin and the traces wifi.csv, lte.csv, lossy.csv: the same 11 s of speech over three networks.

packets.bin: 20 ms Opus packets of ../speech/agent.wav as ffmpeg's libopus encodes it (24 kbit/s, in-band FEC for 15 %
loss), records of `u32le length, u16le sequence, u32le timestamp (48 kHz), payload`. Traces: one row for each copy on the
wire, `seq,timestamp,send_ms,arrival_ms`; sent when the packet's 20 ms are complete, empty arrival: lost.

The models follow what is published of such networks, in shape, with a fixed seed each; they are not recordings:
- wifi:  FIFO, 9 ms and exponential jitter of 1.5 ms; the medium is taken for 50 to 140 ms about every 1.4 s.
- lte:   FIFO, 32 ms; retransmissions in steps of 8 ms (12 %); the queue fills up to 90 ms and drains twice; a handover
         of 280 ms; 0.5 % loss.
- lossy: 40 ms with gamma jitter of 18 ms mean that reorders; Gilbert-Elliott loss in bursts of about two (8 % came out);
         2 % duplicates.

    python3 make_traces.py      # needs ffmpeg with libopus for packets.bin; the traces need nothing
"""
import math
import random
import struct
import subprocess

FIRST_SEQUENCE, FIRST_TIMESTAMP = 65_300, 4_294_800_000      # both wrap within the 11 s
COUNT = 551


def opus_packets():
    ogg = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "../speech/agent.wav", "-ar", "48000", "-c:a", "libopus", "-b:a", "24k",
         "-application", "voip", "-fec", "1", "-packet_loss", "15", "-frame_duration", "20", "-bitexact", "-f", "ogg", "-"],
        check=True, capture_output=True).stdout
    packets, packet, at = [], b"", 0
    while at < len(ogg):
        lengths = ogg[at + 27:at + 27 + ogg[at + 26]]
        at += 27 + len(lengths)
        for length in lengths:
            packet += ogg[at:at + length]
            at += length
            if length < 255:
                packets.append(packet)
                packet = b""
    return packets[2:]                                        # behind OpusHead and OpusTags


def numbers(i):
    return (FIRST_SEQUENCE + i) & 0xFFFF, (FIRST_TIMESTAMP + 960 * i) & 0xFFFFFFFF


def fifo(delays, sent):
    """Nothing overtakes: each packet arrives at least 0.2 ms after the one before."""
    last, arrivals = -math.inf, []
    for send, delay in zip(sent, delays):
        last = max(send + delay, last + 0.2)
        arrivals.append(last)
    return arrivals


def wifi(sent, rng):
    delays = [9 + rng.expovariate(1 / 1.5) for _ in sent]
    at = rng.uniform(300, 900)
    while at < sent[-1]:
        stall = rng.uniform(50, 140)
        for i, send in enumerate(sent):
            if at <= send + 9 < at + stall:
                delays[i] = max(delays[i], at + stall - send)
        at += stall + rng.expovariate(1 / 1_400)
    return [(i, t) for i, t in enumerate(fifo(delays, sent))]


def lte(sent, rng):
    delays = []
    for send in sent:
        delay = 32 + rng.uniform(0, 4)
        while rng.random() < 0.12:
            delay += 8
        for start, top, length in ((2_000, 90, 2_600), (7_200, 60, 1_500)):
            if start <= send < start + length:
                delay += top * math.sin(math.pi * (send - start) / length) ** 2
        if 5_400 <= send < 5_680:
            delay = max(delay, 5_680 + 32 - send)
        delays.append(delay)
    return [(i, None if rng.random() < 0.005 else t) for i, t in enumerate(fifo(delays, sent))]


def lossy(sent, rng):
    rows, is_bad = [], False
    for i, send in enumerate(sent):
        is_bad = rng.random() < (0.5 if is_bad else 0.055)
        rows.append((i, None if is_bad else send + 40 + rng.gammavariate(1.5, 12)))
        if not is_bad and rng.random() < 0.02:
            rows.append((i, rows[-1][1] + rng.uniform(1, 15)))
    return rows


def write(name, rows, sent, words):
    lost = sum(1 for _, t in rows if t is None)
    with open(name + ".csv", "w") as file:
        file.write(f"# {words}; made by make_traces.py, {COUNT} packets of 20 ms, {lost} lost\n")
        file.write("seq,timestamp,send_ms,arrival_ms\n")
        for i, arrival in rows:
            sequence, timestamp = numbers(i)
            file.write(f"{sequence},{timestamp},{sent[i]},{'' if arrival is None else f'{arrival:.3f}'}\n")
    print(name, len(rows), "rows", lost, "lost")


def main():
    packets = opus_packets()
    assert len(packets) == COUNT, len(packets)
    with open("packets.bin", "wb") as file:
        for i, payload in enumerate(packets):
            file.write(struct.pack("<IHI", len(payload), *numbers(i)) + payload)
    sent = [20 * (i + 1) for i in range(COUNT)]
    write("wifi", wifi(sent, random.Random(1)), sent, "Wi-Fi whose medium is taken for 50 to 140 ms at a time")
    write("lte", lte(sent, random.Random(2)), sent, "LTE with retransmissions, filling queues and a handover")
    write("lossy", lossy(sent, random.Random(3)), sent, "bursts of loss, reordering and duplicates")


main()
