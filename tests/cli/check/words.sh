# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Words of these scripts:
# asked CODE ARGS...       check with these ends so, in JSON, with nothing on stderr
# says CHECK IFNAME TEXT   its finding, as VERDICT: FOUND -> ADVICE, has this in it; - is no interface
# values CHECK IFNAME TEXT its values, as an object, have this in them
# same ARGS...             load fails, by the words of check's first problem
# notes ARGS...            load works, by saying this note: the words of the check $1
# notes_of CHECK IFNAME ARGS...  notes, for a check of this interface, on which load runs
asked() { want=$1; shift; code=0; $XD check "$@" --json >/mnt/j 2>/mnt/e || code=$?
	[ $code = $want ] || { cat /mnt/j /mnt/e; return 1; }; [ ! -s /mnt/e ]; }
says() { output=$(jq -r --arg c $1 --arg i "${2#-}" '.checks[] | select(.check == $c and
	(.interface // "") == $i) | .verdict + ": " + .found + " -> " + .advice' /mnt/j)
	has "$3"; }
values() { output=$(jq -c --arg c $1 --arg i "${2#-}" '.checks[] | select(.check == $c and (.interface // "") == $i) | .values' /mnt/j); has "$3"; }
first() { jq -r --arg v $1 '[.checks[] | select(.verdict == $v)][0] |
	.found + if .advice then "; " + .advice else "" end' /mnt/j; }
same() { words=$(first problem); fails "$words" $XD load "$@"
	is "xdp-dedup: $words"; }
notes() { says $1 - 'note: '; words=${output#note: }; words=${words%% -> *}; shift
	got $XD load "$@"; has "xdp-dedup: note: $words"; $XD unload --all; }
notes_of() { says $1 $2 'note: '; words=${output#note: }; words=${words%% -> *}; shift
	got $XD load "$@"; has "xdp-dedup: note: $words"; $XD unload --all; }
