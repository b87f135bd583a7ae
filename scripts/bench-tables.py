#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Prints the tables of README.md and of tests/bench/README.md: bench-tables.py BENCH E2E.

BENCH is xdp-dedup-bench, E2E is e2e_bench. Environment: IDS, ROUNDS and BURST, as for these.
"""
import json
import os
import subprocess
import sys

IDS = os.environ.get("IDS", "1k,10k,100k,1M,10M,100M")
ROUNDS = os.environ.get("ROUNDS", "7")
BURST = os.environ.get("BURST", "192")
README_IDS = 1_000_000
README_ROWS = [
    ("parse and drop", "floor"),
    ("read one random line among 180 instructions", "one_line_padded"),
    ("**xdp-dedup**", "xdp_dedup"),
    ("kernel bloom map", "bloom_filter"),
    ("kernel LRU hash", "lru_hash"),
]
README_TRAFFIC = {"new": "all new", "duplicates_90": "90 % duplicates", "gossip": "gossip",
                  "hot_duplicates": "hot duplicates"}
IDS_ROWS = [
    ("parse and drop, new", "floor", "new"),
    ("and one line, 180 instructions, new", "one_line_padded", "new"),
    ("**xdp-dedup**, new", "xdp_dedup", "new"),
    ("**xdp-dedup**, 90 % duplicates", "xdp_dedup", "duplicates_90"),
    ("**xdp-dedup**, gossip", "xdp_dedup", "gossip"),
    ("**xdp-dedup**, cold duplicates", "xdp_dedup", "cold_duplicates"),
    ("**xdp-dedup**, hot duplicates", "xdp_dedup", "hot_duplicates"),
    ("`--layout flat`, 90 % duplicates", "xdp_dedup_flat", "duplicates_90"),
    ("kernel bloom map, new", "bloom_filter", "new"),
    ("kernel bloom map, 90 % duplicates", "bloom_filter", "duplicates_90"),
    ("kernel LRU hash, new", "lru_hash", "new"),
    ("kernel LRU hash, 90 % duplicates", "lru_hash", "duplicates_90"),
]
# An application's socket: the filter in XDP, one random line, a filter at no cost, one behind it.
SOCKETS = [
    ("UDP", "xdp_dedup", "xdp_line", "xdp_told", "socket_dedup"),
    ("AF_XDP", "xdp_dedup_xsk", "xdp_line_xsk", "xdp_told_xsk", "xsk_dedup"),
    ("numbered", "xdp_numbered_xsk", "xdp_line_xsk", "xdp_told_xsk", None),
]


def measure(*command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def print_table(title, columns, rows):
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def ns(size, row, traffic):
    cell = size["rows"].get(row, {}).get(traffic)
    return f"{cell['ns']['median']:,.0f}" if cell else ""


def print_ids(bench):
    sizes = measure(bench, "--json", "--ids", IDS, "--rounds", ROUNDS, "--copies", "1k")["sizes"]
    readme = [s for s in sizes if s["ids"] == README_IDS]
    print_table("README.md, Costs", ["", *README_TRAFFIC.values()],
                [[text] + [ns(s, row, t) for s in readme for t in README_TRAFFIC]
                 for text, row in README_ROWS])
    print_table("By ids", ["ids in the window", *(f"{s['ids']:,}" for s in sizes)],
                [[text] + [ns(s, row, traffic) for s in sizes] for text, row, traffic in IDS_ROWS])


def way(ways, key):
    return f"{ways[key]['one_cpu_pps'] / 1e6:.2f}/{ways[key]['cpu_ns']:.0f}" if key else ""


def added(w):
    return f"{w['added_ns'] / w['line_added_ns']:.1f} ({w['added_ns']:.0f}/{w['line_added_ns']:.0f})"


def print_floods(e2e):
    rows = []
    for percent in (90, 50, 0):
        ways = measure(e2e, "--json", "--burst", BURST, "--rounds", ROUNDS, "--duplicates",
                       str(percent))["ways"]
        rows += [[socket, f"{percent} %", way(ways, told), way(ways, line),
                  f"**{way(ways, dedup)}**", added(ways[dedup]), way(ways, behind)]
                 for socket, dedup, line, told, behind in SOCKETS]
    print_table("End to end", ["reader", "duplicates", "no cost", "one line", "**filter in XDP**",
                               "adds/line", "behind it"], rows)


if __name__ == "__main__":
    print_floods(sys.argv[2])
    print_ids(sys.argv[1])
