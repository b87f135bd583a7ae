# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Files are in $D, which has the capture mesh.
# made NAME             the capture NAME with its options, too; made once, as scapy takes its time
# replay NAME ARGS...   its replay; replayed NAME EXPRESSION ARGS...   of whose JSON this holds (jq)
# surveyed NAME EXPRESSION   so of its survey
# error STATUS TEXT ARGS...  replay ends so, with one line that has TEXT on stderr; stdout is $D/out
made() { [ -e $MADE/$1.want ] || /usr/bin/python3 tests/fixture/capture/captures.py $1 $MADE
	cp $MADE/$1.* $D; }
replay() { capture=$1; shift; $XD replay $D/$capture.pcapng "$@"; }
holds() { jq -e "$1" $D/json || { jq -c . $D/json | cut -c1-900; return 1; }; }
replayed() { capture=$1 expression=$2; shift 2; replay $capture "$@" --json >$D/json
	holds "$expression"; }
surveyed() { replayed $1 "$2"; }
error() { want=$1 text=$2; shift 2; code=0; $XD replay "$@" >$D/out 2>$D/err || code=$?
	[ $code = $want ]; [ $(wc -l <$D/err) = 1 ]; grep -e "$text" $D/err; }
# known NAME   both engines find the duplicates that the capture is known to have, and give equal
#              reports: also of what each path brings
known() { made $1; options=$(cat $D/$1.options); replay $1 $options --json >$D/user
	replay $1 $options --engine kernel --json | diff $D/user -
	jq -e --slurpfile want $D/$1.want 'contains($want[0])' $D/user >/dev/null ||
	{ jq -c . $D/$1.want $D/user | cut -c1-900; false; }; }
NOBODY='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all /mnt/tool'
made mesh
