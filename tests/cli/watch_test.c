// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `watch` in a real terminal, tmux's, and without one; and the advice that it and `status` give. */
#include "cli_runner.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "open.h"
#include "packet.h"
#include "totals.h"

/* Helpers of scripts: this program, run with one of these as its first argument. */

/* $FLOW IFNAME MS COUNT: every so many ms an event, in four copies; so many events. */
static int flow(char **argv)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_ifindex = (int)if_nametoindex(argv[2]) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), ms = atoi(argv[3]);
	static struct frame f;

	if (fd < 0 || bind(fd, (void *)&to, sizeof(to)))
		return 1;
	for (int i = 0; i < atoi(argv[4]); i++) {
		struct id id = { .bytes = { 1, i, i >> 8, i >> 16, getpid(), getpid() >> 8 } };

		frame_build(&f, &(struct frame_plan){ .type = GSP_EVENT, .body = 200 }, &id);
		for (int copy = 0; copy < 4; copy++)
			while (send(fd, f.data, f.len, 0) < 0)
				if (errno != ENOBUFS)
					return 1;
		usleep(ms * 1000);
	}
	return 0;
}

/* $CPUS NAME: are the counters of all CPUs together those of the filter? Prints how many have any. */
static int compare_cpus(char **argv)
{
	struct filter_counters all, sum = { 0 }, *each;
	struct filter f;
	int cpus, busy = 0;

	if (filter_open(argv[2], &f) || filter_counters(&f, &all) ||
	    filter_cpu_counters(&f, &each, &cpus))
		return 1;
	for (int i = 0; i < cpus; i++) {
#define X(name, help) sum.name += each[i].name;
		DEDUP_COUNTERS(X)
#undef X
		sum.credit += each[i].credit;
		sum.dropped_bytes += each[i].dropped_bytes;
		busy += each[i].rx > 0;
	}
	free(each);
	filter_close(&f);
	printf("%d\n", busy);
	return memcmp(&all, &sum, sizeof(all)) ? 2 : 0;
}

/* Beside cli_runner.h's:
 * flows MS         $FLOW of p0 runs, until the test ends
 * quiet            it has ended, and what it sent has come
 * screen COLUMNS LINES COMMAND   in a terminal; afterwards that says how it ended
 * pane             what the terminal shows, in `output`
 * shows TEXT       it does, within a while; hides TEXT: it does not any more
 * presses KEY      as tmux names it
 * ended STATUS     the command has, and has left the terminal as it was
 * paths            v0 filters an A and a B feed, with --paths: $feed_a and another sender
 *                  run, each with losses
 * soon COMMAND     succeeds once in five times: the machine may be busy in the others
 */
static const char WORDS[] =
	"export TMUX_TMPDIR=/mnt LC_ALL=C.UTF-8; unset TMUX\n"
	"trap 't kill-server 2>/dev/null || :; [ -z \"$flow\" ] || kill $flow || :' EXIT\n"
	"ip link set v0 up; ip link set p0 up; flow= n=0\n"
	"t() { tmux -L watch$$-$n -f /dev/null \"$@\"; }\n"
	"flows() { $FLOW p0 $1 99999 & flow=$!; }\n"
	"quiet() { kill $flow; wait $flow || :; flow= a=; until [ \"$a\" = \"$b\" ] && [ \"$a\" ]; do\n"
	"	a=$b; sleep 0.3; b=$($XD status v0 --json | jq .counters.rx); done; }\n"
	"paths() { ip addr add 10.78.1.2/24 dev p0\n"
	"	printf '%s\\n' '[profile feed]' 'layer = udp' 'source = payload+0:10' \\\n"
	"		'history = 4096' 'sequence = payload+10:8' 'count = payload+18:2' 'reset = 100ms' \\\n"
	"		'exempt = payload+18:2 == 0x0000' 'exempt = payload+18:2 == 0xffff' >/mnt/feed.ini\n"
	"	$XD load v0 --paths 2 --profiles /mnt/feed.ini --profile a=feed:26400@233.252.0.1#md \\\n"
	"		--profile b=feed:26401@233.252.0.2#md\n"
	"	set -- --packets 100000 --lose-a 20 --lose-b 20 --rate 800 --interface p0\n"
	"	scripts/feed.py a 233.252.0.1 26400 \"$@\" & feed_a=$!\n"
	"	scripts/feed.py b 233.252.0.2 26401 \"$@\" & flow=\"$feed_a $!\"; }\n"
	"soon() { for i in 1 2 3 4 5; do if \"$@\"; then return; fi; done; return 1; }\n"
	"screen() { columns=$1 lines=$2 n=$((n + 1)); shift 2; rm -f /mnt/ended /mnt/tty2\n"
	"	echo \"trap : INT; stty -g >/mnt/tty; timeout --foreground 600 $*; echo STATUS $? "
	">/mnt/ended; stty -g >/mnt/tty2; sleep 600\" >/mnt/run\n"
	"	sed -i 's/STATUS 0/STATUS $?/' /mnt/run\n"
	"	t new-session -d -x $columns -y $lines 'sh /mnt/run'; }\n"
	"pane() { output=$(t capture-pane -p); }\n"
	"shows() { for i in $(seq 2000); do pane; if echo \"$output\" | grep -q -e \"$1\"; then "
	"return; fi; sleep 0.05; done\n"
	"	echo \"$output\nNOT SHOWN '$1'\"; return 1; }\n"
	"hides() { for i in $(seq 2000); do pane; case $output in *\"$1\"*) ;; *) return; esac; "
	"sleep 0.05; done\n"
	"	echo \"$output\nSTILL SHOWN '$1'\"; return 1; }\n"
	"presses() { t send-keys $1; }\n"
	"ended() { for i in $(seq 2000); do [ ! -s /mnt/tty2 ] || break; sleep 0.05; done\n"
	"	got cat /mnt/ended; is \"STATUS $1\"; cmp /mnt/tty /mnt/tty2; rm /mnt/tty2\n"
	"	output=$(t display -p '#{alternate_on} #{cursor_flag}'); is '0 1'\n"
	"	pane; t kill-server; }\n";

static const struct cli_script SCRIPTS[] = {
	{ "on-80x24", LOAD "; flows 4; screen 80 24 $XD watch v0; shows 'v0: GSP/1 on UDP port "
			   "8001, duplicates are dropped'\n"
			   "shows ' an event; '; hides '  - an event'; shows '█'; shows ' 7[45].'\n"
			   "output=$(t display -p '#{alternate_on} #{cursor_flag}'); is '1 0'; pane\n"
			   "for word in packets duplicates share 'of what it looks at' copies "
			   "'kept away' ' in all' fill\\\n"
			   "	'window  ' ' of 10m' interface 'native' CPU 'at most'; do has "
			   "\"$word\"; done\n"
			   "lacks '!'; lacks delivered; [ $(echo \"$output\" | wc -l) = 24 ]\n"
			   "got tail -n 1 <<END\n$output\nEND\n"
			   "is ' q: end'; pane; presses q; ended 0; lacks packets\n" },
	{ "small-and-large",
	  LOAD "; flows 4; screen 40 10 $XD watch v0; shows ' an event'; has away; has fill; has "
	       "window\n"
	       "[ $(echo \"$output\" | wc -l) = 10 ]; lacks interface; has 'q: end'\n"
	       "[ $(echo \"$output\" | wc -L) -le 40 ]\n"
	       "t resize-window -x 200 -y 60; shows interface; shows CPU; shows 'dropped   '\n"
	       "[ $(echo \"$output\" | wc -l) = 60 ]; has ' in all'\n"
	       "t resize-window -x 20 -y 3; hides interface; shows 'q: end'\n"
	       "t resize-window -x 1 -y 1; sleep 1.2; t resize-window -x 80 -y 24\n"
	       "shows interface; shows 'q: end'; presses q; ended 0\n" },
	{ "without-utf-8", LOAD "; flows 4; screen 80 24 env LC_ALL=C $XD watch v0; shows '########'\n"
				"lacks '█'; shows 'at most'; presses Q; ended 0\n" },
	{ "signals-end-it",
	  LOAD "; for s in INT TERM HUP; do screen 80 24 $XD watch v0; shows 'q: end'\n"
	       "	kill -$s $(pgrep -P $(pgrep -P $(t display -p '#{pane_pid}'))); ended 0; "
	       "lacks packets; done\n"
	       "screen 80 24 $XD watch v0; shows 'q: end'; presses C-c; ended 0\n" },
	{ "unloaded-it-ends", LOAD "; screen 80 24 $XD watch v0; shows 'q: end'; $XD unload v0; ended 1\n"
				   "has 'xdp-dedup: v0 has been unloaded'; lacks packets\n" },
	{ "goes-on-when-it-is-changed",
	  LOAD "; flows 4; screen 80 24 $XD watch v0 --every 200ms; shows ' an "
	       "event; '; shows ' 7[45].'\n"
	       "$XD set v0 --action count --port 8001-8010; shows 'port 8001-8010, duplicates are "
	       "counted'\n"
	       "$XD resize v0 --window 1h --capacity 70k; shows 'of 1h'; shows ' 75.'\n"
	       "presses q; ended 0\n" },
	{ "all-filters", LOAD
	  "; $XD load p0 --port 9001 --name other; flows 4\n"
	  "screen 80 24 $XD watch; shows '>other'; shows ' v0  '; shows 'filter 1 of 2'\n"
	  "has 'other: GSP/1 on UDP port 9001'; presses Down; shows '>v0'; shows 'v0: GSP/1 on UDP port 8001'\n"
	  "presses Down; presses k; shows '>other'; presses j; shows '>v0'\n"
	  "$XD unload --name other; hides other; shows 'v0: GSP/1'; lacks 'filter 1 of'\n"
	  "$XD unload v0; shows 'no filter is loaded'; " LOAD " --name new; shows 'new: GSP/1'\n"
	  "presses q; ended 0\n" },
	{ "no-terminal-gets-lines",
	  LOAD "; screen 80 24 \"$XD watch v0 --count 2 --every 200ms </dev/null\"; ended 0\n"
	       "has packets/s; screen 80 24 env TERM=dumb $XD watch v0 --count 2 --every 200ms; "
	       "ended 0\n"
	       "has packets/s; screen 80 24 env -u TERM $XD watch v0 --count 2 --every 200ms; "
	       "ended 0\n"
	       "has packets/s\n" },
	{ "lines", LOAD
	  "; flows 4; $XD watch v0 --count 3 --every 500ms >/mnt/out; got head -n 1 /mnt/out\n"
	  "has packets/s; [ $(wc -l </mnt/out) = 4 ]; got awk '{ print NF }' /mnt/out; is "
	  "'9\n9\n9\n9'\n"
	  "rates() { $XD watch v0 --count 3 --every 500ms >/mnt/out\n"
	  "	awk 'NR > 1 && !($1 > 100 && $4 > 70 && $4 < 80 && $5 > 3.5 && $5 < 4.5 && $6 > 75 "
	  "&& $9 == 100) { exit 1 }' /mnt/out; }; soon rates\n"
	  "$XD watch --count 30 --every 100ms >/mnt/out; [ $(grep -c packets/s /mnt/out) = 2 ]\n"
	  "got tail -n 1 /mnt/out; has 'v0   '; got awk '{ print NF }' /mnt/out; has 10; lacks 9\n"
	  "$XD unload v0; got $XD watch --count 2 --every 100ms; is ''\n" },
	{ "lines-for-programs", LOAD
	  "; flows 4; $XD watch v0 --json --count 2 --every 2s >/mnt/out; [ $(wc -l "
	  "</mnt/out) = 2 ]\n"
	  "got jq -r '.name, .action, .interfaces[0].name, .interfaces[0].mode, "
	  ".streams[0].name,\n"
	  "	(.advice | length), .stopped, .behind.host.no_room, .window_ns' /mnt/out\n"
	  "is \"$(printf 'v0\\ndrop\\nv0\\nnative\\ngsp\\n0\\nfalse\\n0\\n600000000000\\n%.0s' "
	  "1 2)\"\n"
	  "rates() { $XD watch v0 --json --count 2 --every 2s >/mnt/out\n"
	  "jq -e '.seconds > 0.4 and .packets_per_s > 100 and (.duplicate_share - 0.75 | "
	  "fabs) < 0.03\n"
	  "	and (.copies - 4 | fabs) < 0.4 and (.dropped_per_s - .duplicates_per_s | "
	  "fabs) < 0.001\n"
	  "	and .remembered_ns > 590e9 and .remembered_ns <= .window_ns and .fill > 0\n"
	  "	and (.interfaces[0].kernel_rx_packets_per_s / .packets_per_s - 1 | fabs) < "
	  "0.2\n"
	  "	and (([.cpus[].packets_per_s] | add) / .packets_per_s - 1 | fabs) < 0.2\n"
	  "	and (.time_ns / 1e9 - now | fabs) < 60' /mnt/out; }; soon rates\n" },
	{ "delivered", LOAD
	  " --deliver xsk; flows 4; screen 80 24 $XD watch v0\n"
	  "shows ' delivered  *0/s; [1-9][0-9.k]*/s to the stack instead'; presses q; ended 0\n"
	  "screen 40 12 $XD watch v0; shows ' ! fresh packets go to the stack'; has ' window'\n"
	  "presses q; ended 0\n"
	  "rates() { $XD watch v0 --json --count 1 --every 2s | jq -e '.undelivered_per_s > 0 and\n"
	  "	.delivered_per_s == 0 and .streams[0].undelivered_per_s == .undelivered_per_s'; }\n"
	  "soon rates\n" },
	{ "paths-on-the-screen",
	  "paths; screen 80 24 env LC_ALL=C $XD watch v0; shows ' [ab] v0 .*#'; presses q; ended 0\n"
	  "screen 80 24 $XD watch v0\n"
	  "shows ' [0-9A-Z]*: [0-9.k]* messages/s, [0-9]* lost on all paths; NOT REDUNDANT'\n"
	  "shows ' a v0  *[0-9.]*/s  *[0-9.]* %  *[1-9][0-9]*  *[1-9]'; shows ' [ab] v0 .*█'\n"
	  "has ' path  '; has 'skew: 1us-8s'; lacks ' fill '; lacks ' window '; [ $(echo \"$output\" | wc -L) -le 80 ]\n"
	  "kill -STOP $feed_a; shows ' a v0 .* silent'; kill -CONT $feed_a\n"
	  "hides silent; t resize-window -x 40 -y 13; hides interface; shows ' a v0'\n"
	  "t resize-window -x 200 -y 40; shows ' [ab] v0 .*█'; presses q; ended 0\n" },
	{ "paths-in-lines",
	  "paths; got $XD watch v0 --count 5 --every 1s; has ' b v0 '; has ' -       -\n'\n"
	  "[ $(echo \"$output\" | grep -c '^  [^ ]* a v0 .*/s  first .* %  lost [1-9]') -ge 2 ]\n"
	  "got $XD watch v0 --json --count 2 --every 2s; echo \"$output\" | tail -n 1 >/mnt/out\n"
	  "jq -e '.senders | length == 1' /mnt/out; jq -e '.senders[0] | .lost > 10 and\n"
	  "	.messages_per_s > 500 and (.paths | length) == 2' /mnt/out\n"
	  "jq -e '.senders[0].paths | (map(.first_share) | add - 1 | fabs) < 0.001 and\n"
	  "	all(.packets_per_s > 100 and .received_per_s > .packets_per_s)' /mnt/out\n"
	  "jq -e '.senders[0].paths | all(.lost_since > 100 and .lost_since < .lost)' /mnt/out\n"
	  "$XD unload v0; " LOAD "; [ \"$($XD watch v0 --json --count 1 --every 100ms |\n"
	  "	jq -c .senders)\" = '[]' ]\n" },
	{ "counters-by-cpu",
	  LOAD "; flows 4; for n in 1 2; do for cpu in 0 $(($(nproc) - 1)); do\n"
	       "	taskset -c $cpu $FLOW p0 1 100; done; quiet\n"
	       "	got $CPUS v0; $XD set v0 --action count; got $CPUS v0; flows 4; done\n"
	       "quiet; got $CPUS v0; [ $output -ge 1 ]\n"
	       "[ $($XD status v0 --json | jq .counters.rx) -ge 1600 ]\n" },
	{ "a-reader-that-goes-ends-it",
	  LOAD "; start=$(date +%s); { code=0; timeout 50 $XD watch v0 --every 100ms || code=$?; "
	       "echo $code >/mnt/code; } | head -n 2; [ $(cat /mnt/code) = 141 ]\n"
	       "code=0; (trap '' PIPE; timeout 50 $XD watch v0 --every 100ms 2>/mnt/err || echo $? "
	       ">/mnt/code) | head -n 2\n"
	       "got cat /mnt/code; is 1; got cat /mnt/err; has 'cannot write all of the output'\n"
	       "exits 1 sh -c '$XD watch v0 --every 100ms >/dev/full'; has 'cannot write'\n"
	       "[ $(($(date +%s) - start)) -lt 50 ]\n" },
	{ "advice",
	  "$XD load v0 --port 8001 --capacity 100 --window 10s; got $XD status v0; lacks advice\n"
	  "flows 4; until $XD status v0 | grep 'advice      the filter is too small'; do sleep "
	  "0.3; done\n"
	  "screen 80 24 $XD watch v0; shows ' ! the filter is too small: '; presses q; ended 0\n"
	  "command=; while [ -z \"$command\" ]; do command=$($XD status v0 --json |\n"
	  "	jq -r '.advice[] | select(.key == \"window_shortens\" or .key == \"too_small\") | "
	  ".text' |\n"
	  "	sed 's/.*xdp-dedup \\(resize v0 --capacity [0-9.kM]*\\);.*/\\1/'); done\n"
	  "$XD $command; [ $($XD status v0 --json | jq .capacity) -ge 500 ]\n" },
	{ "advice-on-ports",
	  "$XD load v0 --port 9000; flows 2; until $XD status v0 | grep 'advice      none of'; do "
	  "sleep 0.3; done\n"
	  "got $XD watch v0 --count 3 --every 200ms; has 'note: v0: none of '; has '--port PORTS'\n"
	  "[ $(echo \"$output\" | grep -c note) = 1 ]\n"
	  "[ $($XD status v0 --json | jq -r .advice[0].key) = all_ignored ]\n"
	  "$XD set v0 --port 8001; gone() { sleep 0.3; ! $XD status v0 | grep advice; }; soon gone\n" },
	{ "advice-on-skb-mode",
	  LOAD " --mode skb; got $XD status v0; has 'advice      v0 runs it in skb mode'\n"
	       "[ $($XD status v0 --json | jq -r .advice[].key) = skb_mode ]\n"
	       "screen 80 24 $XD watch v0; shows ' ! v0 runs it in skb mode'; presses q; ended "
	       "0\n" },
	{ "advice-on-a-stopped-clock",
	  "$XD load v0 --port 8001 --window 1s; rm $PINS/v0/timer\n"
	  "screen 80 24 $XD watch v0; shows \" ! the window's clock has stopped\"\n"
	  "shows ' clock has stopped'; has '  0.0 %'; presses q; ended 0; got $XD status v0\n"
	  "lacks advice; [ $($XD status v0 --json | jq -r .advice[].key) = stopped ]\n" },
	{ "refuses",
	  LOAD "; fails 'not permitted: watch needs CAP_BPF' $NOBODY watch v0\n"
	       "fails 'there is no filter nope' $XD watch nope\n"
	       "exits 2 $XD watch v0 --every 99ms; has '--every 99ms: give a time from 100ms to "
	       "1d'\n"
	       "exits 2 $XD watch v0 --every 5; has '--every 5: give'\n"
	       "exits 2 $XD watch v0 --count 0; has '--count 0: give a number of readings'\n"
	       "exits 2 $XD watch v0 p0; has 'usage: xdp-dedup watch [NAME]'\n" },
};

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "FLOW"))
		return flow(argv);
	if (argc == 3 && !strcmp(argv[1], "CPUS"))
		return compare_cpus(argv);
	cli_environment();
	cli_helper("FLOW", "FLOW");
	cli_helper("CPUS", "CPUS");
	cli_words = WORDS;
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("watch");
}
