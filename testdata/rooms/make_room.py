#!/usr/bin/env python3
"""Makes room.wav: what a microphone hears of a loudspeaker on the same desk, by the image method.

Source: Allen & Berkley 1979, with the band-limited delays of Peterson 1986 in place of whole-sample ones.
A rectangular office of 4.2 x 3.4 x 2.6 m, the loudspeaker 18 cm from the microphone on a desk 76 cm high.
Walls of one reflection coefficient each, taken from Eyring's formula for a reverberation time of 0.30 s; the decay
that came out (Schroeder's backward integration, -5 to -25 dB) is printed. A small loudspeaker gives nothing low, so
a second-order Butterworth high-pass at 150 Hz ends it. The energy of the whole response is set to -6 dB: white noise
comes back 6 dB weaker than it was sent. The 40 ms or so that sound devices take are NOT in it: the direct sound comes
after its 0.52 ms of flight, at sample 25.

    python3 make_room.py room.wav        # needs numpy; gives the same bytes each time
"""
import struct
import sys

import numpy as np

RATE = 48_000
SPEED = 343.0                                  # m/s at 20 degrees C
ROOM = np.array([4.2, 3.4, 2.6])               # m
MICROPHONE = np.array([1.90, 1.35, 0.78])
LOUDSPEAKER = np.array([2.05, 1.43, 0.84])     # 18 cm away
REVERBERATION = 0.30                           # s
LENGTH = 0.35                                  # s
HALF_WIDTH = 40                                # samples on each side of an interpolated impulse


def reflection():
    """Eyring 1930: RT60 = 24 ln(10) V / (-c S ln(1 - absorption)); reflection of pressure = sqrt(1 - absorption)."""
    volume = ROOM.prod()
    surface = 2 * (ROOM[0] * ROOM[1] + ROOM[1] * ROOM[2] + ROOM[0] * ROOM[2])
    return np.exp(-24 * np.log(10) * volume / (SPEED * surface * REVERBERATION) / 2)


def images(beta):
    """Distance and strength of every mirror image that arrives within LENGTH."""
    reach = SPEED * LENGTH
    axes = []
    for size, source, receiver in zip(ROOM, LOUDSPEAKER, MICROPHONE):
        turns = int(np.ceil(reach / (2 * size))) + 1
        m = np.arange(-turns, turns + 1)
        straight = 2 * m * size + source - receiver, 2 * np.abs(m)
        mirrored = 2 * m * size - source - receiver, np.abs(m) + np.abs(m - 1)
        axes.append((np.concatenate([straight[0], mirrored[0]]), np.concatenate([straight[1], mirrored[1]])))
    (x, i), (y, j), (z, k) = axes
    distance = np.sqrt(x[:, None, None] ** 2 + y[None, :, None] ** 2 + z[None, None, :] ** 2).ravel()
    bounces = (i[:, None, None] + j[None, :, None] + k[None, None, :]).ravel()
    near = distance < reach
    return distance[near], beta ** bounces[near] / distance[near]


def response():
    distance, strength = images(reflection())
    count = int(RATE * LENGTH)
    out = np.zeros(count + 2 * HALF_WIDTH + 1)
    delay = distance / SPEED * RATE
    whole = np.floor(delay).astype(int)
    part = delay - whole
    for n in range(-HALF_WIDTH + 1, HALF_WIDTH + 1):       # Hann-windowed sinc around each arrival
        t = n - part
        window = 0.5 + 0.5 * np.cos(np.pi * t / HALF_WIDTH)
        at = whole + n
        keep = (at >= 0) & (at < count)
        np.add.at(out, at[keep], (strength * np.sinc(t) * window)[keep])
    return out[:count]


def high_pass(x, hertz):
    """Second-order Butterworth by the bilinear transform."""
    w = np.tan(np.pi * hertz / RATE)
    a0 = 1 + np.sqrt(2) * w + w * w
    b = np.array([1, -2, 1]) / a0
    a1, a2 = 2 * (w * w - 1) / a0, (1 - np.sqrt(2) * w + w * w) / a0
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for n, v in enumerate(x):
        y[n] = b[0] * v + b[1] * x1 + b[2] * x2 - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = v, x1, y[n], y1
    return y


def decay(h):
    """RT60 from the -5 to -25 dB stretch of Schroeder's curve."""
    curve = 10 * np.log10(np.cumsum(h[::-1] ** 2)[::-1] / np.sum(h ** 2))
    first, last = np.argmax(curve < -5), np.argmax(curve < -25)
    slope = np.polyfit(np.arange(first, last) / RATE, curve[first:last], 1)[0]
    return -60 / slope


def write_float_wav(path, samples):
    data = samples.astype("<f4").tobytes()
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 50 + len(data)) + b"WAVE")
        file.write(b"fmt " + struct.pack("<IHHIIHHH", 18, 3, 1, RATE, RATE * 4, 4, 32, 0))
        file.write(b"fact" + struct.pack("<II", 4, len(samples)))
        file.write(b"data" + struct.pack("<I", len(data)) + data)


def main():
    h = high_pass(response(), 150.0)
    fade = int(0.02 * RATE)
    h[-fade:] *= 0.5 + 0.5 * np.cos(np.pi * np.arange(fade) / fade)
    h *= 10 ** (-6 / 20) / np.sqrt(np.sum(h ** 2))
    peak = int(np.argmax(np.abs(h)))
    late = np.sum(h[peak + int(0.005 * RATE):] ** 2) / np.sum(h ** 2)
    print(f"{len(h)} samples at {RATE} Hz, direct sound at sample {peak} ({1000 * peak / RATE:.2f} ms), "
          f"peak {h[peak]:.3f}, after 5 ms {10 * np.log10(late):.1f} dB of all, RT60 {decay(h[peak + 240:]):.3f} s")
    write_float_wav(sys.argv[1] if len(sys.argv) > 1 else "room.wav", h)


main()
