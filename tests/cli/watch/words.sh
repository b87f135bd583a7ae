# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# Beside cli_runner.h's:
# flows MS         $FLOW of p0 runs, until the test ends
# quiet            it has ended, and what it sent has come
# screen COLUMNS LINES COMMAND   in a terminal; afterwards that says how it ended
# pane             what the terminal shows, in `output`
# shows TEXT       it does, within a while; hides TEXT: it does not any more
# presses KEY      as tmux names it
# ended STATUS     the command has, and has left the terminal as it was
# paths            v0 filters an A and a B feed, with --paths: $feed_a and another sender
#                  run, each with losses
# soon COMMAND     succeeds once in five times: the machine may be busy in the others
export TMUX_TMPDIR=/mnt LC_ALL=C.UTF-8; unset TMUX
trap 't kill-server 2>/dev/null || :; [ -z "$flow" ] || kill $flow || :' EXIT
ip link set v0 up; ip link set p0 up; flow= n=0
t() { tmux -L watch$$-$n -f /dev/null "$@"; }
flows() { $FLOW p0 $1 99999 & flow=$!; }
quiet() { kill $flow; wait $flow || :; flow= a=; until [ "$a" = "$b" ] && [ "$a" ]; do
	a=$b; sleep 0.3; b=$($XD status v0 --json | jq .counters.rx); done; }
paths() { ip addr add 10.78.1.2/24 dev p0
	printf '%s\n' '[profile feed]' 'layer = udp' 'source = payload+0:10' \
		'history = 4096' 'sequence = payload+10:8' 'count = payload+18:2' 'reset = 100ms' \
		'exempt = payload+18:2 == 0x0000' 'exempt = payload+18:2 == 0xffff' >/mnt/feed.ini
	$XD load v0 --paths 2 --profiles /mnt/feed.ini --profile a=feed:26400@233.252.0.1#md \
		--profile b=feed:26401@233.252.0.2#md
	set -- --packets 100000 --lose-a 20 --lose-b 20 --rate 800 --interface p0
	scripts/feed.py a 233.252.0.1 26400 "$@" & feed_a=$!
	scripts/feed.py b 233.252.0.2 26401 "$@" & flow="$feed_a $!"; }
soon() { for i in 1 2 3 4 5; do if "$@"; then return; fi; done; return 1; }
screen() { columns=$1 lines=$2 n=$((n + 1)); shift 2; rm -f /mnt/ended /mnt/tty2
	echo "trap : INT; stty -g >/mnt/tty; timeout --foreground 600 $*; echo STATUS $? >/mnt/ended; stty -g >/mnt/tty2; sleep 600" >/mnt/run
	sed -i 's/STATUS 0/STATUS $?/' /mnt/run
	t new-session -d -x $columns -y $lines 'sh /mnt/run'; }
pane() { output=$(t capture-pane -p); }
shows() { for i in $(seq 2000); do pane; if echo "$output" | grep -q -e "$1"; then return; fi; sleep 0.05; done
	echo "$output
NOT SHOWN '$1'"; return 1; }
hides() { for i in $(seq 2000); do pane; case $output in *"$1"*) ;; *) return; esac; sleep 0.05; done
	echo "$output
STILL SHOWN '$1'"; return 1; }
presses() { t send-keys $1; }
ended() { for i in $(seq 2000); do [ ! -s /mnt/tty2 ] || break; sleep 0.05; done
	got cat /mnt/ended; is "STATUS $1"; cmp /mnt/tty /mnt/tty2; rm /mnt/tty2
	output=$(t display -p '#{alternate_on} #{cursor_flag}'); is '0 1'
	pane; t kill-server; }
