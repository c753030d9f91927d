"""Writes packets.txt: RTP and RTCP packets before and after protection, made by a plain implementation of the RFCs.

It shares no code with libsrtp or OpenSSL: AES, GHASH and the key derivation are written out below from FIPS 197,
NIST SP 800-38D, RFC 3711, RFC 6188 and RFC 7714; HMAC-SHA1 is Python's. Before it writes anything it checks itself
against the vectors of those documents. Run: python3 make_packets.py > packets.txt
"""
import hashlib
import hmac
import random


def multiply(a, b):  # in GF(2^8) with AES's polynomial
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def make_sbox():
    box = []
    for value in range(256):
        inverse = next((x for x in range(256) if multiply(value, x) == 1), 0)
        rotated = [((inverse << n) | (inverse >> (8 - n))) & 255 for n in range(5)]
        box.append(rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63)
    return box


SBOX = make_sbox()


def expand(key):  # FIPS 197 section 5.2
    words = [list(key[i:i + 4]) for i in range(0, len(key), 4)]
    length, rounds, constant = len(words), len(words) + 6, 1
    for i in range(length, 4 * (rounds + 1)):
        word = list(words[i - 1])
        if i % length == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = multiply(constant, 2)
        elif length > 6 and i % length == 4:
            word = [SBOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[i - length], word)])
    return [sum(words[4 * r:4 * r + 4], []) for r in range(rounds + 1)]


def encrypt_block(schedule, block):  # FIPS 197 section 5.1
    state = [a ^ b for a, b in zip(block, schedule[0])]
    for number, round_key in enumerate(schedule[1:], 1):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < len(schedule) - 1:
            mixed = []
            for c in range(0, 16, 4):
                column = state[c:c + 4]
                mixed += [multiply(column[i], 2) ^ multiply(column[(i + 1) % 4], 3) ^ column[(i + 2) % 4]
                          ^ column[(i + 3) % 4] for i in range(4)]
            state = mixed
        state = [a ^ b for a, b in zip(state, round_key)]
    return bytes(state)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def keystream(key, counter, count):
    schedule, stream = expand(key), b""
    while len(stream) < count:
        stream += encrypt_block(schedule, counter.to_bytes(16, "big"))
        counter = (counter + 1) % (1 << 128)
    return stream[:count]


def derive(master_key, master_salt, label, count):  # RFC 3711 section 4.3, key derivation rate 0
    salt = int.from_bytes(master_salt.ljust(14, b"\0"), "big")
    return keystream(master_key, (salt ^ (label << 48)) << 16, count)


def seal(key, iv, associated, text):  # NIST SP 800-38D, 96-bit IV
    schedule = expand(key)
    h = int.from_bytes(encrypt_block(schedule, bytes(16)), "big")

    def hash_multiply(x):
        product, v = 0, h
        for bit in range(127, -1, -1):
            if x >> bit & 1:
                product ^= v
            v = (v >> 1) ^ (0xE1 << 120 if v & 1 else 0)
        return product

    start = int.from_bytes(iv, "big") << 32 | 1
    out = xor(text, keystream(key, start + 1, len(text)))
    pad = lambda part: part + bytes(-len(part) % 16)
    data = pad(associated) + pad(out) + (8 * len(associated)).to_bytes(8, "big") + (8 * len(out)).to_bytes(8, "big")
    y = 0
    for i in range(0, len(data), 16):
        y = hash_multiply(y ^ int.from_bytes(data[i:i + 16], "big"))
    return out + xor(y.to_bytes(16, "big"), encrypt_block(schedule, start.to_bytes(16, "big")))


class Session:
    def __init__(self, profile, key, salt):
        self.aead, self.tag = "GCM" in profile, 4 if profile.endswith("_32") else 10
        n, s = len(key), len(salt)
        self.rtp = derive(key, salt, 0, n), derive(key, salt, 1, 20), derive(key, salt, 2, s)
        self.rtcp = derive(key, salt, 3, n), derive(key, salt, 4, 20), derive(key, salt, 5, s)

    def counter(self, salt, ssrc, index):  # RFC 3711 section 4.1.1
        return int.from_bytes(salt, "big") << 16 ^ ssrc << 64 ^ index << 16

    def iv(self, salt, ssrc, index):  # RFC 7714 sections 8.1 and 9.1
        return (int.from_bytes(salt, "big") ^ ssrc << 48 ^ index).to_bytes(12, "big")

    def protect(self, packet, header, rollover):
        key, auth, salt = self.rtp
        ssrc, index = int.from_bytes(packet[8:12], "big"), rollover << 16 | int.from_bytes(packet[2:4], "big")
        if self.aead:
            return packet[:header] + seal(key, self.iv(salt, ssrc, index), packet[:header], packet[header:])
        text = packet[header:]
        body = packet[:header] + xor(text, keystream(key, self.counter(salt, ssrc, index), len(text)))
        return body + hmac.new(auth, body + rollover.to_bytes(4, "big"), hashlib.sha1).digest()[:self.tag]

    def protect_control(self, packet, index):
        key, auth, salt = self.rtcp
        ssrc, trailer = int.from_bytes(packet[4:8], "big"), (1 << 31 | index).to_bytes(4, "big")
        if self.aead:
            return packet[:8] + seal(key, self.iv(salt, ssrc, index), packet[:8] + trailer, packet[8:]) + trailer
        body = packet[:8] + xor(packet[8:], keystream(key, self.counter(salt, ssrc, index), len(packet) - 8)) + trailer
        return body + hmac.new(auth, body, hashlib.sha1).digest()[:10]


def check():
    h = bytes.fromhex
    assert encrypt_block(expand(bytes(range(16))), h("00112233445566778899aabbccddeeff")) == \
        h("69c4e0d86a7b0430d8cdb78070b4c55a")  # FIPS 197 C.1
    assert encrypt_block(expand(bytes(range(32))), h("00112233445566778899aabbccddeeff")) == \
        h("8ea2b7ca516745bfeafc49904b496089")  # FIPS 197 C.3
    assert keystream(h("2b7e151628aed2a6abf7158809cf4f3c"), int("f0f1f2f3f4f5f6f7f8f9fafbfcfd0000", 16), 32) == \
        h("e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab")  # RFC 3711 B.2
    key, salt = h("e1f97a0d3e018be0d64fa32c06de4139"), h("0ec675ad498afeebb6960b3aabe6")
    assert derive(key, salt, 0, 16) == h("c61e7a93744f39ee10734afe3ff7a087")  # RFC 3711 B.3
    assert derive(key, salt, 2, 14) == h("30cbbc08863d8c85d49db34a9ae1")
    assert derive(key, salt, 1, 20) == h("cebe321f6ff7716b6fd4ab49af256a156d38baa4")
    text = b"Gallia est omnis divisa in partes tres"
    assert seal(bytes(range(16)), h("51753c6580c2726f20718414"), h("8040f17b8041f8d35501a0b2"), text) == \
        h("f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833899d7f27beb16a9152cf765ee4390cce")


PROFILES = [("AES_CM_128_HMAC_SHA1_80", 16, 14), ("AES_CM_128_HMAC_SHA1_32", 16, 14),
            ("AES_256_CM_HMAC_SHA1_80", 32, 14), ("AEAD_AES_128_GCM", 16, 12), ("AEAD_AES_256_GCM", 32, 12)]


def main():
    check()
    source = random.Random(3711)
    print("# profile, master key and salt, kind, plain packet, protected packet; a session sends its lines in order")
    for profile, key_bytes, salt_bytes in PROFILES:
        key, salt = source.randbytes(key_bytes), source.randbytes(salt_bytes)
        session, ssrc = Session(profile, key, salt), source.randbytes(4)

        def line(kind, plain, protected):
            print(profile, (key + salt).hex(), kind, plain.hex(), protected.hex())

        sequence = 65_533  # the first packets cross the rollover
        for size in [0, 1, 15, 16, 17, 160, 33, 320]:
            head = bytes([0x80, 0]) + (sequence & 0xFFFF).to_bytes(2, "big") + (160 * sequence).to_bytes(4, "big") + ssrc
            if size == 33:  # two contributing sources and an extension
                head = bytes([0x92]) + head[1:] + source.randbytes(8) + bytes.fromhex("bede000110aa0000")
            plain = head + source.randbytes(size)
            line("rtp", plain, session.protect(plain, len(head), sequence >> 16))
            sequence += 1
        for index in range(1, 4):  # an empty receiver report, a sender report, a report with a name
            body = [bytes.fromhex("80c90001") + ssrc, bytes.fromhex("80c80006") + ssrc + source.randbytes(20),
                    bytes.fromhex("80c90001") + ssrc + bytes.fromhex("81ca0003") + ssrc + bytes.fromhex("0104786162630000")]
            line("rtcp", body[index - 1], session.protect_control(body[index - 1], index))


main()
