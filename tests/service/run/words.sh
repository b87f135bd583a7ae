# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Beside cli_runner.h's:
# conf LINE...     is the file
# more LINE...     is added to it
# serve [ENV=...]  starts the service, with $opt, and waits until it is ready; it ends with the test
# quits SIGNAL     ends it by that one
# exited STATUS    it has ended, with this status
# reload           has it read the file, and waits until it has
# told TEXT        it has told systemd this, within a while; logs TEXT: its log has it
# soon COMMAND     succeeds, within a while
# read_once        it has filters open
# prog             the id of the program on v0
# $LATE NS         delays the next step of feed's hand by this time
s= n= x= opt=; trap 'for p in $s $n $x; do kill -9 $p; done 2>/dev/null || :' EXIT
conf() { printf '%s\n' "$@" >/mnt/conf; }; more() { printf '%s\n' "$@" >>/mnt/conf; }
soon() { for i in $(seq 600); do if "$@"; then return; fi; sleep 0.05; done 2>/dev/null
	echo "NOT SOON: $*"; tail -n 20 /mnt/log /mnt/notes; return 1; }
told() { soon grep -q -e "$1" /mnt/notes; }
logs() { soon grep -q -e "$1" /mnt/log; }
start() { [ -z "$n" ] || kill -9 $n; rm -f /mnt/notify /mnt/notes; $SYSTEMD /mnt/notes & n=$!
	soon test -S /mnt/notify; : >/mnt/log
	env NOTIFY_SOCKET=/mnt/notify STATE_DIRECTORY=/mnt/state RUNTIME_DIRECTORY=/mnt/run "$@" $XD run $opt --config /mnt/conf >/mnt/log 2>&1 & s=$!; }
serve() { start "$@"; told READY=1; }
exited() { code=0; wait $s || code=$?; s=; [ $code = $1 ] || { cat /mnt/log; return 1; }; }
quits() { kill -$1 $s; exited 0; told STOPPING=1; }
ready() { [ $(grep -c READY=1 /mnt/notes) -ge $1 ]; }
reload() { r=$(($(grep -c READY=1 /mnt/notes) + 1)); kill -HUP $s; soon ready $r; }
read_once() { ls -l /proc/$s/fd | grep -q bpf-map; }
prog() { ip -j link show v0 | jq -r '.[0].xdp.prog.id'; }
says() { [ "$($XD status $1 --json | jq -r ".$2")" = "$3" ]; }
mkdir -p /mnt/state; rm -f /mnt/state/*
