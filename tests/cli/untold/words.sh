# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# A filter that is whole: `whole`. A command that leaves it so if it fails, which it says in a
# line; and if it does not, has unloaded it (then it is loaded again): `unloads_or_keeps`.
whole() { runs v0; got $XD status v0; has "interfaces  v0 (native)"
	lacks stopped; [ $(ls $PINS/v0 | wc -l) = 13 ]; }
output_why() { [ $(wc -l </mnt/e) = 1 ]; grep '^xdp-dedup: ' /mnt/e; }
unloads_or_keeps() {
	if "$@" 2>/mnt/e; then idle v0; clean; $LOAD; else whole; output_why; fi; }
fails_and_keeps() { if "$@" 2>/mnt/e; then false; else whole; output_why; fi; }
