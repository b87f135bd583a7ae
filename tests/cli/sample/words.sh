# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Beside cli_runner.h's:
# listens ARGS     `sample v0 ARGS` runs, as $pid; it says /mnt/out and /mnt/err
# heard FILE       somebody listens, and has said so there; fails if nobody is about to
# shown CNT        it has shown so many lines
# ends STATUS      it ends by itself
# stops            it is asked to end, and does
# ordinary         packets do not take the slow path any more
# asked            prints what status --json says of the sampler
# pcap FILE SNAP CNT LEN   it is a capture of so many frames of LEN bytes, cut at SNAP, of fresh
#                  EVENTs, whose times are of this minute
pid=; trap '{ [ -z "$pid" ] || kill -9 $pid; } 2>/dev/null || :' EXIT
ip link set v0 up; ip link set p0 up
heard() { soon eval "grep -q 'listening to' $1 || [ ! -e /proc/$!/exe ]"
	grep -q 'listening to' $1 || { cat $1; return 1; }; }
listens() { : >/mnt/out; : >/mnt/err
	$XD sample ${limit---for 10m} "$@" >/mnt/out 2>/mnt/err & pid=$!
	heard /mnt/err; }
lines() { [ $(wc -l </mnt/out) -ge $1 ]; }
shown() { soon lines $1; [ $(wc -l </mnt/out) = $1 ]; }
ends() { code=0; wait $pid || code=$?; pid=; output=$(cat /mnt/err); [ $code = $1 ]; }
stops() { kill -${1:-INT} $pid; ends 0; }
ordinary() { soon not $SLOW_PATH v0; }
asked() { $XD status v0 --json | jq -c '.sampler | if . then [.process, .listens, .rate,
	.snap_bytes, .ring_bytes] else . end'; }
pcap() { n=$4; [ $n -le $2 ] || n=$2; [ $(stat -c %s $1) = $((24 + $3 * (16 + n))) ]
	$XD replay $1 --port 8001 --json | jq -e ".packets == $3 and
	.snapped + .streams[0].counters.new == $3 and (.first_ns / 1e9 - now | fabs) < 60 and
	(.last_ns / 1e9 - now | fabs) < 60"; }
