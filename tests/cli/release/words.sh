# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# takes_over   the tool that is tested takes v0 over from $LAST
takes_over() { got $XD load --replace --name v0; has 'v0: replaced; what it remembers is kept'
	runs v0; got $XD status v0; lacks 'of an older'; }
ends() { $XD unload --name v0; clean; }
