# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# $B and $L run the tool as root with the rights that it states: for filters that run, and for
# those that are loaded or changed. $NB, $NP and $NA lack CAP_BPF, CAP_PERFMON, or CAP_NET_ADMIN.
as='setpriv --inh-caps -all --bounding-set -all'
B="$as,+bpf $XD" L="$as,+bpf,+perfmon,+net_admin $XD"
NB="$as,+perfmon,+net_admin $XD" NP="$as,+bpf,+net_admin $XD"
NA="$as,+bpf,+perfmon $XD"
ends() { timeout 1 "$@" >/mnt/out 2>&1 || :; not grep -i 'permitted\|cannot' /mnt/out; }
