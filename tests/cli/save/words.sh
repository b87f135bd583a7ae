# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# saved [CAPACITY]       v0 is saved in $S, the only file of its directory
# refused TEXT ARGS...   the tool fails with one line that has TEXT; files and pins are as before
# free KB                so much memory is free, as far as the tool knows
S=/mnt/saved/snapshot; rm -rf /mnt/saved; mkdir /mnt/saved
trap 'umount -q /proc/meminfo || :' EXIT
saved() { $XD load v0 --port 9 --capacity ${1:-10k}; $XD save v0 $S; }
there_is() { ls -AR /mnt; ls -A $PINS 2>&1 || :; }
refused() { before=$(there_is); text=$1; shift; fails "$text" $XD "$@"
	[ "$(there_is)" = "$before" ]; }
free() { echo MemAvailable: $1 kB >/mnt/meminfo; mount -B /mnt/meminfo /proc/meminfo; }
