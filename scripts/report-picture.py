#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The picture of a page of `replay --html`: scripts/report-picture.py FILE.png. Makes a capture of an A
and a B feed of market data with losses and bursts, surveys it, and lets a browser draw the page.
Run by `sudo make pictures`."""
import os
import random
import struct
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
PACKETS = 6000


def address(text):
    return bytes(map(int, text.split(".")))


def checksum(header):
    total = sum(struct.unpack(">10H", header))
    return 0xFFFF ^ (total + (total >> 16) & 0xFFFF)


def datagram(source, group, payload):
    udp = struct.pack(">HHHH", 4000, 26400, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), random.getrandbits(16), 0, 64, 17, 0,
                     address(source), address(group))
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    mac = b"\x01\x00\x5e" + address(group)[1:]
    return mac + b"\x02\x00\x00\x00\x00\x09\x08\x00" + ip + udp


def feeds():
    now, number, frames = 1700000000.0, 1, []
    for i in range(PACKETS):
        now += random.expovariate(400 if i % 2000 < 1500 else 3000)
        count = random.choice((1, 1, 1, 2, 5))
        messages = (struct.pack(">H", 40) + bytes(40)) * count
        payload = b"0000000001" + struct.pack(">QH", number, count) + messages
        number += count
        if random.random() > 0.03:
            frames.append((now, datagram("198.51.100.1", "233.252.0.1", payload)))
        if random.random() > 0.05:
            later = 0.0004 + random.expovariate(1 / 0.003)
            frames.append((now + later, datagram("198.51.100.2", "233.252.0.2", payload)))
    return sorted(frames)


def write_capture(path):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for at, frame in feeds():
            f.write(struct.pack("<IIII", int(at), int(at % 1 * 1e9), len(frame), len(frame)) + frame)


def main(picture):
    random.seed(4)
    with tempfile.TemporaryDirectory() as directory:
        write_capture(directory + "/feeds.pcap")
        subprocess.run([os.path.abspath(BUILD + "/xdp-dedup"), "replay", "feeds.pcap", "--html", "page.html"],
                       cwd=directory, stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        "--user-data-dir=" + directory, "--window-size=1000,1240",
                        "--screenshot=" + os.path.abspath(picture), f"file://{directory}/page.html"],
                       stderr=subprocess.DEVNULL, check=True)


if len(sys.argv) != 2:
    sys.exit("usage: scripts/report-picture.py FILE.png")
main(sys.argv[1])
