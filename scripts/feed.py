#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A market data feed for the demo and the pictures: MoldUDP64 over UDP, on two sides, A and B, each
of which loses packets of its own. Written from Nasdaq's specification, not from the profile.

A feed is a seed, its packets and its losses: what its packets are, and which of them each side
loses, follows from these. So senders and receiver need share no more. Packet i has 1 + i % 4
messages. Neither the first packet nor the last one is lost: nobody could tell. Every 500 packets
there is a heartbeat, and at the end the session's end, three times; these are not lost.
"""
import argparse
import hashlib
import json
import signal
import socket
import struct
import time

HEARTBEAT, END_OF_SESSION = 0, 0xFFFF
HEARTBEAT_EVERY, ENDS = 500, 3
MESSAGE_BYTES = 32
BURST = 16  # packets that are sent at once
BUFFER_BYTES = 64 << 20
QUIET_S = 0.3
SO_RCVBUFFORCE, IP_RECVERR, ENOBUFS = 33, 11, 105


class Feed:
    def __init__(self, args):
        self.session = b"%010d" % args.seed
        self.cnt = args.packets
        self.percent = args.lose_a, args.lose_b

    def header(self, packet, cnt):
        """Of the downstream packet: session, number of the first message, count of messages."""
        return self.session + struct.pack(">QH", self.first(packet), cnt)

    def first(self, packet):
        """The number of its first message, from 1 on."""
        return packet // 4 * 10 + (1, 2, 4, 7)[packet % 4]

    def messages(self, packet):
        return 1 + packet % 4

    def packet(self, i):
        return self.header(i, self.messages(i)) + b"".join(
            struct.pack(">HQ", MESSAGE_BYTES, self.first(i) + k) + bytes(MESSAGE_BYTES - 8)
            for k in range(self.messages(i)))

    def loses(self, side, i):
        digest = hashlib.sha256(b"%s %d %d" % (self.session, side, i)).digest()
        chance = int.from_bytes(digest[:4], "big") / 2**32
        return 0 < i < self.cnt - 1 and 100 * chance < self.percent[side]

    def others(self, i):
        """What comes before this packet; behind the last one, what ends the session."""
        if i == self.cnt:
            return [self.header(i, END_OF_SESSION)] * ENDS
        return [] if i % HEARTBEAT_EVERY else [self.header(i, HEARTBEAT)]


def send_all(sender, datagrams, rate):
    start = time.monotonic()
    for i, datagram in enumerate(datagrams):
        if rate and i % BURST == 0:
            time.sleep(max(0, start + i / rate - time.monotonic()))
        while True:
            try:
                sender.send(datagram)
                break
            except OSError as e:
                if e.errno != ENOBUFS:  # else the interface is full
                    raise
                time.sleep(0.0001)


def send(feed, args):
    cnt = dict.fromkeys(("sent", "others", "messages_sent", "messages_lost"), 0)

    def datagrams():
        for i in range(feed.cnt + 1):
            if args.verb != "again":
                cnt["others"] += len(feed.others(i))
                yield from feed.others(i)
            if i == feed.cnt:
                return
            if args.verb == "again":
                is_sent = feed.loses(0, i) and feed.loses(1, i)
            else:
                is_sent = not feed.loses("ab".index(args.verb), i)
            cnt["sent"] += is_sent
            cnt["messages_sent" if is_sent else "messages_lost"] += feed.messages(i)
            if is_sent:
                yield feed.packet(i)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for interface in args.interface:
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        sender.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        sender.connect((args.address, args.port))
        send_all(sender, datagrams(), args.rate)
    return cnt


def receive(feed, args):
    """Until SIGTERM, and on until nothing has come for a while."""
    ended, cnt, copies = [], dict.fromkeys(("packets", "others", "strangers"), 0), {}
    packets = {feed.packet(i): i for i in range(feed.cnt)}
    others = {other for i in range(feed.cnt + 1) for other in feed.others(i)}
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    receiver.bind((args.address, args.port))
    for interface in args.interface:
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack(
            "4s4si", socket.inet_aton(args.address), bytes(4), socket.if_nametoindex(interface)))
    receiver.settimeout(QUIET_S)
    while True:
        try:
            datagram = receiver.recv(2048)
        except socket.timeout:
            if ended:
                break
            continue
        if datagram in packets:
            cnt["packets"] += 1
            packet = packets[datagram]
            copies[packet] = copies.get(packet, 0) + 1
        else:
            cnt["others" if datagram in others else "strangers"] += 1
    return {**cnt, "messages": feed.first(feed.cnt) - 1,
            "once": sum(feed.messages(packet) for packet, n in copies.items() if n == 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("verb", choices=("a", "b", "again", "receive"),
                        help="send as side A or B; send what both have lost; or receive until SIGTERM")
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    parser.add_argument("--packets", type=int, default=1000, help="of the feed (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which feed (%(default)s)")
    parser.add_argument("--lose-a", type=float, default=0, help="percent that side A loses")
    parser.add_argument("--lose-b", type=float, default=0, help="and side B")
    parser.add_argument("--rate", type=float, default=0, help="packets a second; 0: no limit")
    parser.add_argument("--interface", action="append", default=[],
                        help="send by this one; receive: join the group there, once or more")
    args = parser.parse_args()
    print(json.dumps((receive if args.verb == "receive" else send)(Feed(args), args)))


main()
