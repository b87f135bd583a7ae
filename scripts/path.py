#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Counts the instructions of a packet in the program as the kernel has translated it.

scripts/path.py TOOL [--list] [--payload HEX]... [OPTION OF load]...

Loads a filter on an interface of its own, lets bpftool dump the translated program, and
follows one EVENT through it three times: fresh, a duplicate, and for another port. Prints how
many instructions each took, by source file, and how many where the filter has two interfaces;
with --profile the stream takes UDP port 8001, and another port is left out;
with --payload the datagram has these bytes. Of several, those before the last one come first: the
first packet of a numbered stream's sender takes longer than its next ones.
--list prints the duplicate's of one, with its source.
Needs root, and a kernel that inlines the lookups in arrays (x86, since 6.10).
"""
import collections
import json
import re
import subprocess
import struct
import sys

PORT = 8001
CREDIT = 296  # where dedup_counters has it; fields stay where they are (include/format.h)
MASK = (1 << 64) - 1
# Where things are in the memory that is played here: far from each other.
PACKET, CONTEXT, STACK, JIFFIES, PER_CPU = ((n << 56) + (1 << 40) for n in range(1, 6))
ALU = {
    0x00: lambda a, b, n: a + b, 0x10: lambda a, b, n: a - b, 0x20: lambda a, b, n: a * b,
    0x40: lambda a, b, n: a | b, 0x50: lambda a, b, n: a & b, 0x60: lambda a, b, n: a << b % n,
    0x70: lambda a, b, n: a >> b % n, 0x80: lambda a, b, n: -a, 0xa0: lambda a, b, n: a ^ b,
    0xb0: lambda a, b, n: b, 0xc0: lambda a, b, n: signed(a, n) >> b % n,
}
JUMP = {
    0x10: lambda a, b, n: a == b, 0x20: lambda a, b, n: a > b, 0x30: lambda a, b, n: a >= b,
    0x40: lambda a, b, n: a & b, 0x50: lambda a, b, n: a != b, 0xa0: lambda a, b, n: a < b,
    0xb0: lambda a, b, n: a <= b, 0x60: lambda a, b, n: signed(a, n) > signed(b, n),
    0x70: lambda a, b, n: signed(a, n) >= signed(b, n),
    0xc0: lambda a, b, n: signed(a, n) < signed(b, n),
    0xd0: lambda a, b, n: signed(a, n) <= signed(b, n),
}
SIZE = {0x00: 4, 0x08: 2, 0x10: 1, 0x18: 8}

DUMP = """
set -e
mount -t bpf bpf /sys/fs/bpf
ip link add v0 type veth peer name v1
ip link set v0 up; ip link set v1 up
"$@" >&2
pins=/sys/fs/bpf/xdp-dedup/v0
bpftool prog dump xlated pinned $pins/prog linum
echo ====
bpftool prog dump xlated pinned $pins/prog opcodes | grep -E '^ +([0-9a-f]{2} ){7}'
echo ====
for map in config state record stats; do bpftool map show pinned $pins/$map -j; done
echo ====
bpftool map dump pinned $pins/config -j
"""


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


class Program:
    def __init__(self, tool, interfaces, options):
        command = ["unshare", "-n", "-m", "sh", "-c", DUMP, "sh",
                   tool, "load", *interfaces, *options,
                   *([] if "--profile" in options else ["--port", str(PORT)])]
        parts = subprocess.run(command, check=True, stdout=subprocess.PIPE,
                               text=True).stdout.split("====\n")
        self.text, self.source = {}, {}
        source = "?"
        for line in parts[0].splitlines():
            number = re.match(r" *(\d+): \(", line)
            if number:
                self.text[int(number[1])], self.source[int(number[1])] = line.strip(), source
            elif line.startswith(";"):
                source = line[2:]
        code = bytes(int(byte, 16) for line in parts[1].splitlines() for byte in line.split())
        self.code = list(struct.iter_unpack("<BBhi", code))
        shown = {m["name"]: m for m in (json.loads(line) for line in parts[2].splitlines())}
        maps = {name: m["id"] for name, m in shown.items()}
        self.map = {"config": maps[".rodata.config"], "state": maps[".data.state"]}
        record = maps[".data.record"] << 40
        self.memory = collections.defaultdict(int)
        value = json.loads(parts[3])[0]["value"]
        self.store(self.map["config"] << 40, bytes(int(byte, 16) for byte in value))
        state = self.map["state"] << 40
        self.write(state + 8, MASK >> 1, 8)  # stale_at, limit: the time never comes
        self.write(state + 16, MASK >> 1, 8)
        self.write(record, len(interfaces) > 1, 8)  # own_mac: that of one interface; else none
        self.write(PER_CPU + (maps["stats"] << 20) + CREDIT, 1000, 8)  # none to be claimed

    def store(self, at, data):
        for i, byte in enumerate(data):
            self.memory[at + i] = byte

    def write(self, at, value, size):
        self.store(at & MASK, (value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))

    def read(self, at, size):
        return sum(self.memory[(at + i) & MASK] << 8 * i for i in range(size))

    def constant(self, pc, source, low, high):
        if source:  # a map's address, or that of its value
            return (low << 40) + (high if source == 2 else 0)
        value = (low & 0xffffffff) | (high & 0xffffffff) << 32
        return JIFFIES if "jiffies" in self.source[pc] else value

    def atomic(self, r, dst, src, at, kind, size):
        old = self.read(at, size)
        if kind == 0xf1:  # compare and exchange
            if r[0] == old:
                self.write(at, r[src], size)
            r[0] = old
            return
        self.write(at, old | r[src] if kind & 0xf0 == 0x40 else old + r[src], size)
        if kind & 1:
            r[src] = old

    def run(self, frame):
        """The instructions' numbers, in order, and the verdict."""
        self.store(PACKET, frame)
        self.write(CONTEXT, PACKET, 8)
        self.write(CONTEXT + 8, PACKET + len(frame), 8)
        r = [0] * 11
        r[1], r[10], pc, path, callers, loaded = CONTEXT, STACK, 0, [], [], 0
        while True:
            op, regs, offset, imm = self.code[pc]
            dst, src, kind, what = regs & 15, regs >> 4, op & 7, op & 0xf0
            bits = 32 if kind in (4, 6) else 64
            second = r[src] if op & 8 else imm
            path.append(pc)
            pc += 1
            if op == 0x18:
                r[dst] = self.constant(pc - 1, src, imm, self.code[pc][3])
                pc += 1
            elif kind == 1:
                loaded = r[src] + offset
                r[dst] = self.read(loaded, SIZE[op & 0x18])
            elif kind in (2, 3) and op & 0xe0 == 0xc0:
                self.atomic(r, dst, src, r[dst] + offset, imm, SIZE[op & 0x18])
            elif kind in (2, 3):
                self.write(r[dst] + offset, r[src] if kind == 3 else imm, SIZE[op & 0x18])
            elif op == 0xd4:  # to little-endian, which this machine's is
                r[dst] &= (1 << imm) - 1
            elif op == 0xdc:  # to big-endian
                r[dst] = int.from_bytes((r[dst] & ((1 << imm) - 1)).to_bytes(imm // 8, "little"),
                                        "big")
            elif op == 0xbf and offset == -1:  # the map's memory of this CPU
                r[dst] = PER_CPU + (loaded >> 40 << 20)
            elif kind in (4, 7) and what in ALU:
                a, b = r[dst] & ((1 << bits) - 1), second & ((1 << bits) - 1)
                r[dst] = ALU[what](a, b, bits) & ((1 << bits) - 1)
            elif op == 0x85 and src == 1:  # a call of a function of the program
                callers.append((pc, r[6:]))
                pc, r[10] = pc + offset, r[10] - 512
            elif op == 0x85 and "call bpf_xdp_get_buff_len#" in self.text[pc - 1]:
                r[0] = len(frame)
            elif op == 0x95 and callers:
                pc, r[6:] = callers.pop()
            elif op == 0x95:
                return path, r[0]
            elif kind in (5, 6) and what == 0:
                pc += offset if kind == 5 else imm
            elif kind in (5, 6) and what in JUMP:
                a, b = r[dst] & ((1 << bits) - 1), second & ((1 << bits) - 1)
                pc += offset if JUMP[what](a, b, bits) else 0
            else:
                sys.exit(f"path.py: cannot follow this kernel's code: {self.text[path[-1]]}")


GSP = b"GSP1\x01\x01\0\0" + bytes(range(1, 33)) + bytes(100)


def event(port, payload=GSP):
    udp = struct.pack(">HHHH", PORT, port, 8 + len(payload), 0)
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0, 0, 0)
    # MACs of zeros, which is also what the memory here has for the interface's own.
    return bytes(12) + b"\x08\0" + ip + udp + payload


def paths(program, streams, payloads):
    """Of a filter with streams, the frames that take its short cut: another port does not."""
    *before, frame = [event(PORT, payload) for payload in payloads or [GSP]]
    for name, frame, verdict in (("another port", event(PORT + 1), 2),
                                 *(("before", f, 2) for f in before),
                                 ("fresh", frame, 2), ("duplicate", frame, 1))[streams:]:
        path, got = program.run(frame)
        if got != verdict:
            sys.exit(f"path.py: {name}: verdict {got}, not {verdict}")
        yield name, path


def main():
    options, payloads = [a for a in sys.argv[2:] if a != "--list"], []
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    while "--payload" in options:
        at = options.index("--payload")
        payloads.append(bytes.fromhex(options[at + 1]).ljust(len(GSP), b"\0"))
        del options[at:at + 2]
    program = Program(sys.argv[1], ["v0"], options)
    streams = "--profile" in options
    for name, path in paths(program, streams, payloads):
        by_file = collections.Counter(
            re.sub(r".*\[file:(?:.*/)?([^ ]*) .*", r"\1", program.source[pc]) for pc in path)
        print(f"{name}: {len(path)} instructions, of", len(program.code), "in all")
        for file, count in by_file.most_common():
            print(f"  {count:4} {file}")
    for name, several in paths(Program(sys.argv[1], ["v0", "v1"], options), streams,
                               payloads):
        print(f"{name}, two interfaces: {len(several)} instructions")
    if "--list" in sys.argv:
        last = None
        for pc in path:
            if program.source[pc] != last:
                last = program.source[pc]
                print(last)
            print("   ", program.text[pc])


main()
