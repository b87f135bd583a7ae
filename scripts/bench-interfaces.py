#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Measures the cost of many interfaces and filters: bench-interfaces.py TOOL. As root.

For each of CASES, INTERFACES:FILTERS, makes that many interfaces (pairs of veth) in network and
mount namespaces of its own, and runs the service there with that many filters, one on each pair.
Prints the time until all are loaded, and the CPU time of that for each filter; the service's part
of a CPU then, in SECONDS (40) without changes; the CPU time of `status` for one filter (the median
of 11); the service's CPU time for each of EVENTS (6000) deletions and creations of an interface of
the first filter, and of one of no filter, at RATE (100) a second, and how long after the last one
the filter runs; and the time until the service has unloaded all and ends. MODE=skb: in skb mode.
"""
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

CASES = [(100, 1), (300, 1), (1000, 1), (120, 60), (1000, 60)]
SETTLE_S = 3


def sh(command, **more):
    return subprocess.run(["sh", "-ec", command], check=True, **more)


def make_interfaces(first, end):
    lines = "".join(f"link add v{i} type veth peer name p{i}\n" for i in range(first // 2, end // 2))
    sh("ip -batch -", input=lines, text=True)


def cpu_ticks(pid):
    """Of the process, and of its children that have ended."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15]))


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def await_ready(service, cnt):
    """The service says where its filters run once all that it can do is done."""
    for line in service.stdout:
        if line.count(":") == cnt and re.fullmatch(r"(f\d+: v\d+(; )?)+\n", line):
            return
    sys.exit("the service has ended")


def runs(tool):
    """Does the first filter run on its interface?"""
    status = subprocess.run([tool, "status", "f0", "--json"], capture_output=True, check=True)
    return json.loads(status.stdout)["interfaces"][0]["state"] == "attached"


def measure_events(tool, service, ifname):
    """Returns the service's CPU seconds for each event, and the seconds until the filter runs."""
    events, rate = int(os.environ.get("EVENTS") or 6000) // 2, float(os.environ.get("RATE") or 100)
    peer = "p" + ifname[1:]
    before, began = cpu_ticks(service.pid), time.monotonic()
    with subprocess.Popen(["ip", "-batch", "-"], stdin=subprocess.PIPE, text=True) as ip:
        for i in range(events):
            for n, line in enumerate((f"link del {ifname}",
                                      f"link add {ifname} type veth peer name {peer}")):
                time.sleep(max(0, began + (2 * i + n) / rate - time.monotonic()))
                print(line, file=ip.stdin, flush=True)
    took, ended = time.monotonic() - began, time.monotonic()
    if took > 1.1 * 2 * events / rate:
        print(f"only {2 * events / took:.0f} events a second", file=sys.stderr)
    while not runs(tool):
        time.sleep(0.05)
    runs_s = time.monotonic() - ended
    time.sleep(SETTLE_S)
    cpu_s = (cpu_ticks(service.pid) - before) / os.sysconf("SC_CLK_TCK")
    return cpu_s / (2 * events), runs_s


def measure(tool, interfaces, filters, directory):
    conf, mode = f"{directory}/conf", os.environ.get("MODE")
    with open(conf, "w", encoding="ascii") as out:
        out.write("[service]\non-exit = unload\n")
        for i in range(filters):
            out.write(f"[filter f{i}]\ninterfaces = v{i}\nport = {8000 + i}\ncapacity = 10k\n")
            out.write(f"mode = {mode}\n" if mode else "")
    began = time.monotonic()
    with subprocess.Popen([tool, "run", "--config", conf], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as service:
        await_ready(service, filters)
        up_s = time.monotonic() - began
        load_s = cpu_ticks(service.pid) / os.sysconf("SC_CLK_TCK") / filters
        time.sleep(SETTLE_S)
        seconds = float(os.environ.get("SECONDS") or 40)
        before = cpu_ticks(service.pid)
        time.sleep(seconds)
        share = (cpu_ticks(service.pid) - before) / os.sysconf("SC_CLK_TCK") / seconds
        status_s = statistics.median(cpu_seconds([tool, "status", "f0"]) for _ in range(11))
        own_s, runs_s = measure_events(tool, service, "v0")
        sh("ip link add vx type veth peer name px")
        other_s, _ = measure_events(tool, service, "vx")
        sh("ip link del vx")
        began = time.monotonic()
        service.send_signal(signal.SIGTERM)
        service.wait()
        end_s = time.monotonic() - began
    print(f"| {interfaces:,} | {filters} | {up_s:.1f} s | {load_s * 1000:.0f} ms | {share:.2%} |"
          f" {status_s * 1000:.0f} ms | {own_s * 1000:.1f} ms | {other_s * 1000:.1f} ms | {runs_s:.1f} s | {end_s:.1f} s |",
          flush=True)


def main():
    if "INSIDE" not in os.environ:
        os.environ["INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, *sys.argv])
    chosen = os.environ.get("CASES")
    cases = [tuple(map(int, c.split(":"))) for c in chosen.split()] if chosen else CASES
    if any(filters > interfaces // 2 for interfaces, filters in cases):
        sys.exit("CASES: of each pair of interfaces one has a filter")
    sh("mount -t bpf bpf /sys/fs/bpf")
    print("| interfaces | filters | up after | CPU a filter | of a CPU | `status` | own event |"
          " other event | runs after | down after |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as directory:
        have = 0
        for interfaces, filters in sorted(cases):
            make_interfaces(have, interfaces)
            have = interfaces
            measure(sys.argv[1], interfaces, filters, directory)


main()
