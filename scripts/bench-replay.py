#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Measures the speed of replay: bench-replay.py TOOL.

Makes a capture of 2 M packets (284 MB): GSP/1 events to four ports, each twice on average, the copy
up to 5,000 events later. Replays it in ROUNDS rounds (7), which are interleaved, and prints for
each filter the median of millions of packets a second of one CPU's time.
"""
import os
import random
import resource
import statistics
import struct
import subprocess
import sys
import tempfile

PACKETS = 2_000_000
BEHIND = 5000
OWN = """[profile own]
layer = udp
require = payload+0:4 == 0x47535031
id = payload+8:16
"""
PORTS = range(8001, 8005)
ALL = f"{PORTS[0]}-{PORTS[-1]}"
STREAMS = [f"--profile={name}:{port}" for name, port in zip(("gsp", "payload", "own", "own"), PORTS)]
FILTERS = {
    "GSP/1": ["--port", ALL],
    "own profile, 16 bytes": ["--profile", f"own:{ALL}"],
    "payload, 100 bytes": ["--profile", f"payload:{ALL}"],
    "mirror, 128 bytes": ["--profile", "mirror"],
    "four streams": STREAMS,
    "survey": None,
}


def frame(number, is_copy):
    key = number * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    payload = b"GSP1\x01\x01\0\0" + struct.pack("<QQQQ", key, number, 7, 7) + bytes(60)
    header = [0x4500, 28 + len(payload), number & 0xFFFF, 0, (64 - is_copy) << 8 | 17, 0,
              0x0A00, 1 + number % 20, 0x0A01, 1]
    total = sum(header)
    header[5] = 0xFFFF - (total % 0xFFFF or 0xFFFF)
    return bytes.fromhex("0200000000010200000000090800") + struct.pack(">10H", *header) + \
        struct.pack(">HHHH", 4001, PORTS[number % 4], 8 + len(payload), 0) + payload


def make_capture(path):
    rng = random.Random(1)
    with open(path, "wb", buffering=1 << 20) as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for i in range(PACKETS):
            newest, is_copy = i // 2, i % 2
            number = newest - rng.randrange(min(newest + 1, BEHIND)) if is_copy else newest
            data = frame(number + 1, is_copy)
            out.write(struct.pack("<IIII", 1_700_000_000 + i // 10**6, i % 10**6 * 1000,
                                  len(data), len(data)) + data)


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    took = {name: [] for name in FILTERS}
    with tempfile.TemporaryDirectory() as directory:
        capture, profiles = f"{directory}/capture", f"{directory}/profiles"
        make_capture(capture)
        with open(profiles, "w", encoding="ascii") as out:
            out.write(OWN)
        for _ in range(int(os.environ.get("ROUNDS") or 7)):
            for name, options in FILTERS.items():
                more = ["--profiles", profiles, *options] if options else []
                took[name].append(cpu_seconds([sys.argv[1], "replay", capture, *more]))
    for name, seconds in took.items():
        print(f"{name:24} {PACKETS / statistics.median(seconds) / 1e6:.2f}")


main()
