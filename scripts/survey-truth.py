#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Are the survey's recommendations right? survey-truth.py TOOL DIRECTORY [--save FILE | --than FILE]

Runs the survey of TOOL on each capture below DIRECTORY, replays each recommendation, and compares
the dropped packets with the capture's bytes, which this script reads without TOOL. A suite is a
directory directly below DIRECTORY. Prints each recommendation that drops packets which are no
copies. Then prints precision and recall for each suite and for all suites, for captures in which at
least 10 packets, and 1 %, are copies. --save writes the recommendations to FILE. --than reads such a
file, and prints the right recommendations in it (nine tenths of their drops were copies) that are
lost: more than 1 % of these copies are not found any more. Exit status 1: one is wrong, or lost.

A packet is a copy if within two windows, or 2.5 s if the filter has numbered streams alone, before
it came
- the same IP packet, but for DSCP, TTL or hop limit, checksum, MACs, VLAN tags and padding. If no IP
  id tells packets apart (IPv6; 0; a sender whose packets all have one id) it must come at most 5 ms
  later, and not more than 8 times in a row: that is a flood. TCP that only acknowledges or resets
  is sent again like that, too: without an id it is a copy only in captures where other packets are;
- or, in UDP, the same payload from another sender; in unicast to the same host and port. Two
  senders are the same if their IP address is, or, one by IPv4 and one by IPv6, their MAC. A sender
  that says a payload twice may say it again: that is a repeat, and no copy;
- or, what is not IP, the same frame at most 5 ms before, and not more than 8 of them, but for VLAN
  tags and for zeros up to 60 bytes. PRP, HSR and R-TAG: but for the path.
"""
import argparse
import collections
import hashlib
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile

AT_ONCE = 5_000_000  # ns
NUMBERS_ALONE = 2_500_000_000  # ns
FLOOD = 8
LEAST = 60  # bytes of the shortest frame
GAIN, GAIN_PART = 10, 0.01  # copies that are worth a filter
RIGHT_PART = 0.9  # of what a recommendation drops: else it was wrong
VLANS = (0x8100, 0x88A8)
PCAP = {b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000),
        b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1)}
DLT_ETHERNET, DLT_SLL, DLT_SLL2 = 1, 113, 276
DLT_IP = (12, 14, 101, 228, 229)
DLT_LOOPBACK = (0, 108)

Packet = collections.namedtuple(
    "Packet", "ns mac proto net whole ident payload source to port multicast v4 bare")


def read_pcap(data):
    order, unit = PCAP[data[:4]]
    link, at = struct.unpack_from(order + "I", data, 20)[0], 24
    fcs = 2 * (link >> 28) if link & 0x04000000 else 0
    while at + 16 <= len(data):
        sec, part, have, wire = struct.unpack_from(order + "IIII", data, at)
        at += 16
        if at + have > len(data):
            return
        end = min(have, wire - fcs) if fcs else have
        yield sec * 10**9 + part * unit, link & 0xFFFF, data[at:at + end]
        at += have


def options_of(body, order):
    at = 0
    while at + 4 <= len(body):
        code, size = struct.unpack_from(order + "HH", body, at)
        if not code:
            return
        yield code, body[at + 4:at + 4 + size]
        at += 4 + (size + 3 & ~3)


def interface_of(body, order):
    unit, offset = 10**6, 0
    for code, value in options_of(body[8:], order):
        if code == 9 and value:
            unit = 2**(value[0] & 127) if value[0] & 128 else 10**value[0]
        elif code == 14 and len(value) == 8:
            offset = struct.unpack(order + "q", value)[0]
    return struct.unpack_from(order + "H", body)[0], unit, offset


def read_pcapng(data):
    at, order, interfaces = 0, "<", []
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\n\r\r\n":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, size = struct.unpack_from(order + "II", data, at)
        if size < 12 or at + size > len(data):
            return
        body = data[at + 8:at + size - 4]
        at += size
        if kind == 1:
            interfaces.append(interface_of(body, order))
        elif kind in (2, 6) and len(body) >= 20:
            number, high, low, have, _ = struct.unpack_from(order + "IIIII", body)
            if kind == 2:
                number = struct.unpack_from(order + "H", body)[0]
            if number < len(interfaces):
                link, unit, offset = interfaces[number]
                ns = (high << 32 | low) * 10**9 // unit + offset * 10**9
                yield ns, link, body[20:20 + have]


def network_of(link, frame):
    """EtherType and what follows it, with the sender's MAC."""
    if link == DLT_ETHERNET and len(frame) >= 14:
        proto, at = struct.unpack_from(">H", frame, 12)[0], 14
        while proto in VLANS and at < 22 and at + 4 <= len(frame):
            proto, at = struct.unpack_from(">H", frame, at + 2)[0], at + 4
        return proto, frame[at:], frame[6:12]
    if link == DLT_SLL and len(frame) >= 16:
        return struct.unpack_from(">H", frame, 14)[0], frame[16:], frame[6:12]
    if link == DLT_SLL2 and len(frame) >= 20:
        return struct.unpack_from(">H", frame)[0], frame[20:], frame[12:18]
    net = frame[4:] if link in DLT_LOOPBACK else frame if link in DLT_IP else b""
    version = net[0] >> 4 if net else 0
    return {4: 0x0800, 6: 0x86DD}.get(version, 0), net, b""


def udp_of(datagram):
    """Source and destination port, and the payload."""
    if len(datagram) < 8:
        return None
    source, port, size = struct.unpack_from(">HHH", datagram)
    return source, port, datagram[8:size] if size >= 8 else datagram[8:]


def packet_of(ns, link, frame):
    proto, net, mac = network_of(link, frame)
    whole, ident, udp, source, to, multicast, bare = frame, 0, None, b"", b"", False, False
    if proto == 0x0800 and len(net) >= 20 and net[0] >> 4 == 4:
        head, size = 4 * (net[0] & 15), struct.unpack_from(">H", net, 2)[0]
        body = net[:size] if size >= 20 else net
        whole = body[:1] + body[2:8] + body[9:10] + body[12:]
        ident = struct.unpack_from(">H", body, 4)[0]
        source, to = body[12:16], body[16:20]
        multicast = to[0] >> 4 == 14
        if body[9] == 17 and not struct.unpack_from(">H", body, 6)[0] & 0x3FFF:
            udp = udp_of(body[head:])
        bare = body[9] == 6 and says_nothing(body[head:])
    elif proto == 0x86DD and len(net) >= 40 and net[0] >> 4 == 6:
        body = net[:40 + struct.unpack_from(">H", net, 4)[0]]
        whole = bytes((body[0] & 0xF0, body[1] & 15)) + body[2:7] + body[8:]
        source, to = body[8:24], body[24:40]
        multicast = to[0] == 255
        kind, at = body[6], 40
        while kind in (0, 43, 60) and at + 8 <= len(body):
            kind, at = body[at], at + 8 * (body[at + 1] + 1)
        if kind == 17:
            udp = udp_of(body[at:])
        bare = kind == 6 and says_nothing(body[at:])
    else:
        whole = path_free(proto, untagged(frame) if link == DLT_ETHERNET else frame)
        whole = whole.ljust(LEAST, b"\0")
    return Packet(ns, mac, proto, net, whole, ident, udp and udp[2], source, to,
                  udp[1] if udp else -1, multicast, proto == 0x0800, bare)


def says_nothing(segment):
    """TCP without data, SYN and FIN."""
    return len(segment) >= 20 and not segment[13] & 3 and len(segment) <= 4 * (segment[12] >> 4)


def untagged(frame):
    """A frame without up to two VLAN tags."""
    at = 12
    while at < 20 and int.from_bytes(frame[at:at + 2], "big") in VLANS:
        at += 4
    return frame[:12] + frame[at:]


def path_free(proto, frame):
    """A frame without what the paths of PRP and HSR change."""
    if proto == 0x892F and len(frame) >= 20:
        return frame[:14] + bytes((frame[14] & 15,)) + frame[15:]
    if frame[-2:] == b"\x88\xfb" and len(frame) >= 20:
        return frame[:-4] + bytes((frame[-4] & 15,)) + frame[-3:]
    return frame


def read_capture(path):
    with open(path, "rb") as file:
        data = file.read()
    records = read_pcapng(data) if data[:4] == b"\n\r\r\n" else \
        read_pcap(data) if data[:4] in PCAP else ()
    packets, now = [], 0
    for ns, link, frame in records:
        now = max(now, ns)
        packets.append((now, ns, packet_of(now, link, frame)))
    return packets


def same_sender(a, b):
    if a.v4 == b.v4:
        return a.source == b.source
    return a.mac == b.mac and a.mac != b""


def numbering(packets):
    """The sources whose packets have ids that differ."""
    last, changes = {}, collections.Counter()
    for p in packets:
        if p.ident and last.get(p.source) != p.whole:
            changes[p.source] += 1 if last.get(p.source, p.whole)[3:5] != p.whole[3:5] else -1
            last[p.source] = p.whole
    return {source for source, cnt in changes.items() if cnt > 0}


def floods(packets):
    """Packets that come more than FLOOD times in a row, at once."""
    runs, found, last = collections.Counter(), set(), {}
    for p in packets:
        runs[p.whole] = runs[p.whole] + 1 if p.ns - last.get(p.whole, -AT_ONCE) < AT_ONCE else 1
        last[p.whole] = p.ns
        if runs[p.whole] > FLOOD:
            found.add(p.whole)
    return found


def whole_copies(packets, window):
    """For each packet: is it the same packet as one before?"""
    numbers, floody, last, found = numbering(packets), floods(packets), {}, []
    for p in packets:
        numbered = p.ident and p.source in numbers
        within = window if numbered else min(window, AT_ONCE)
        same = p.whole in last and p.ns - last[p.whole] <= within
        found.append(same and (numbered or p.whole not in floody))
        last[p.whole] = p.ns
    others = [f for f, p in zip(found, packets) if not p.bare or p.ident]
    if sum(others) < max(GAIN, GAIN_PART * len(packets)):
        found = [f and not (p.bare and not p.ident) for f, p in zip(found, packets)]
    return found


def kinds_of(packets, window):
    """For each packet "copy", "repeat" or "new"."""
    copies, payloads = whole_copies(packets, window), collections.defaultdict(list)
    said = collections.Counter((p.payload, p.source) for p, copy in zip(packets, copies)
                               if p.payload and not copy)
    kinds, last = [], {}
    for p, copy in zip(packets, copies):
        kind = "copy" if copy else "new"
        if kind == "new" and p.whole in last and p.ns - last[p.whole] <= window:
            kind = "repeat"
        last[p.whole] = p.ns
        if p.payload and not copy:
            others = [b for b in payloads[p.payload] if p.ns - b.ns <= window and
                      (p.multicast and b.multicast or (p.to, p.port) == (b.to, b.port))]
            if others:
                fresh = not any(same_sender(p, b) for b in others)
                once = all(said[p.payload, b.source] < 2 for b in [p, *others])
                kind = "copy" if fresh and once else "repeat"
        kinds.append(kind)
        if p.payload:
            payloads[p.payload].append(p)
            del payloads[p.payload][:-2 * FLOOD]
    return kinds


def dropped_by(tool, path, options, packets):
    """The numbers of the packets that the filter drops."""
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run([tool, "replay", path, *shlex.split(options), "--json",
                              "--write-dropped", out.name], capture_output=True, check=False)
        if run.returncode not in (0, 1) or not os.path.getsize(out.name):
            return []
        with open(out.name, "rb") as file:
            frames = list(read_pcap(file.read()))
    numbers, at = [], len(packets) - 1
    # From the end: of equal packets the last ones are those that were dropped.
    for ns, link, frame in reversed(frames):
        net = network_of(link, frame)[1]
        while at >= 0 and not (packets[at][1] == ns and packets[at][2].net == net):
            at -= 1
        if at < 0:
            sys.exit(f"{path}: a frame of {ns} was dropped that is not in the capture")
        numbers.append(at)
        at -= 1
    return numbers


def window_of(advice):
    if "--window" not in advice["options"]:
        return NUMBERS_ALONE
    return 2 * advice["window_ns"] + advice["window_ns"] // 2


def judge(tool, path):
    """What is recommended for a capture: a list of (options, classes, numbers of copies)."""
    run = subprocess.run([tool, "replay", path, "--json"], capture_output=True, check=False)
    try:
        advice = json.loads(run.stdout)["advice"]
    except (ValueError, KeyError):
        return None
    packets, found = read_capture(path), []
    usual = kinds_of([p for _, _, p in packets], 10**9)
    copies = {i for i, kind in enumerate(usual) if kind == "copy"}
    for a in (advice, advice["rest"]):
        if not a or not a["options"]:
            continue
        kinds = kinds_of([p for _, _, p in packets], window_of(a))
        dropped = dropped_by(tool, path, a["options"], packets)
        classes = collections.Counter(kinds[i] for i in dropped)
        found.append((a["options"], classes, [i for i in dropped if kinds[i] == "copy"]))
    if len(copies) < GAIN or len(copies) < GAIN_PART * len(packets):
        copies = set()
    return found, copies, len(packets)


def captures_below(directory):
    for root, _, names in sorted(os.walk(directory)):
        for name in sorted(names):
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                magic = file.read(4)
            if magic in PCAP or magic == b"\n\r\r\n":
                yield path


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


def parts(figures):
    dropped, right = figures["dropped"], figures["right"]
    precision = f"{100 * right / dropped:.2f} %" if dropped else "-"
    recall = f"{100 * figures['found'] / figures['copies']:.1f} %" if figures["copies"] else "-"
    return f"{figures['captures']:8} {figures['packets']:10} {figures['advised']:8} " \
        f"{dropped:9} {dropped - right:9} {precision:>10} {figures['copies']:9} {recall:>8}"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    args.add_argument("tool")
    args.add_argument("directory")
    args.add_argument("--save")
    args.add_argument("--than")
    o = args.parse_args()
    suites, saved, wrong, seen = collections.defaultdict(collections.Counter), {}, 0, set()
    for path in captures_below(o.directory):
        name = os.path.relpath(path, o.directory)
        digest = digest_of(path)
        verdict = None if digest in seen else judge(o.tool, path)
        seen.add(digest)
        if not verdict:
            continue
        found, copies, packets = verdict
        figures = suites[name.split(os.sep)[0]]
        figures["captures"] += 1
        figures["packets"] += packets
        figures["copies"] += len(copies)
        figures["found"] += len(copies.intersection(*[i for _, _, i in found[:1]])) if found else 0
        figures["advised"] += bool(found)
        for options, classes, numbers in found:
            figures["dropped"] += classes.total()
            figures["right"] += classes["copy"]
            if classes.total() > classes["copy"]:
                wrong += 1
                print(f"{name}: {options}: of {classes.total()} dropped {classes['repeat']} "
                      f"repeats, {classes['new']} new")
        if found:
            saved[name] = [[options, numbers, sum(c.values())] for options, c, numbers in found]
    print(f"\n{'suite':36} captures    packets  advised   dropped no copies  precision    "
          "copies   recall")
    total = collections.Counter()
    for suite, figures in sorted(suites.items()):
        total.update(figures)
        print(f"{suite:36} {parts(figures)}")
    print(f"{'all':36} {parts(total)}")
    if o.save:
        with open(o.save, "w", encoding="utf-8") as file:
            json.dump(saved, file)
    lost = compare(o.than, saved) if o.than else 0
    sys.exit(1 if wrong or lost else 0)


def compare(path, saved):
    """Prints what an earlier run recommended rightly, and this one does not."""
    with open(path, encoding="utf-8") as file:
        before, lost = json.load(file), 0
    for name, advices in before.items():
        copies = {i for _, numbers, dropped in advices for i in numbers
                  if len(numbers) >= RIGHT_PART * dropped}
        now = {i for _, numbers, _ in saved.get(name, []) for i in numbers}
        gone = copies - now
        if len(gone) > GAIN_PART * len(copies):
            lost += 1
            says = "; ".join(f"{a[0]} ({len(a[1])} of {a[2]} were copies)" for a in advices)
            print(f"lost: {name}: {len(gone)} of {len(copies)} copies; was: {says}; "
                  f"is: {'; '.join(a[0] for a in saved.get(name, [])) or 'nothing'}")
    return lost


main()
