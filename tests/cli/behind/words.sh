# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Words of these scripts:
# arrive COUNT COMMAND -- OPTION...  the receiver with these options gets so many messages, while
#                                    COMMAND sends by p1, and by p0 when all are judged
# judged COUNT                       the filter has counted so many more as new
# says WORDS                         check, beside that receiver, has these words; $CHECK is its
#                                    command line
# advises WORDS                      status has advice with these words
# behind EXPRESSION                  it holds of status's `behind` (jq)
# silent                             neither has a note or problem of a loss
far; trap 'kill $far' EXIT; ip link add v1 group 7 type veth peer name p1; ip link set p1 netns $far
ip link set p0 netns $far; there ip link set p0 up; there ip link set p1 up
ip link set v0 up; ip link set v1 up
ip addr add 10.9.0.2/24 dev v0; ip addr add 10.9.0.3/24 dev v1
STREAM='--profile payload:5568@239.255.0.1 --name both'; FILTER="$STREAM --window 10m"
strict() { for i in all v0 v1; do echo $1 >/proc/sys/net/ipv4/conf/$i/rp_filter; done; }
arrive() { rm -f /mnt/ready /mnt/sent; want=$1; shift; send=; while [ $1 != -- ]; do send="$send $1"; shift; done; shift
	$RX $* >/mnt/n & rx=$!; soon test -e /mnt/ready
	$XD check v0 v1 $FILTER >/mnt/check || :
	at=$(date +%s%N); there $TX p1 $at $send; ! runs v1 || soon judged $send
	there $TX p0 $at $send; $XD status both --json >/mnt/status 2>&1 || :
	touch /mnt/sent; wait $rx; n=$(cat /mnt/n)
	[ $n $want ] || { echo "$n arrived: not $want"; cat /mnt/check; return 1; }; }
new=0
judged() { now=$($XD status both --json | jq .counters.new); [ $now -ge $((new + $1)) ] || return 1; new=$now; }
says() { output=$(cat /mnt/check); has "$1"; }
behind() { jq -e ".behind | $1" /mnt/status || { jq -c .behind /mnt/status; return 1; }; }
advises() { output=$(jq -r '.advice[] | select(.key == "behind") | .text' /mnt/status)
	has "$1"; }
silent() { ! grep -E '^(note|problem) +(reverse_path|groups|sockets|vlans|buffers) ' /mnt/check && ! grep '"key": "behind"' /mnt/status; }
strict 0
