// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `sample`: what it shows and writes of packets that come in, and how it ends. */
#include "cli_runner.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "slow_path.h"
#include "open.h"
#include "packet.h"
#include "protocol_packets.h"

/* Helpers of scripts: this program, run with one of these as its first argument. */

static int packet_socket(const char *ifname)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex(ifname) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	return fd < 0 || bind(fd, (void *)&to, sizeof(to)) ? -errno : fd;
}

/* $SEND IFNAME FIRST CNT [BODY [PORT [TYPE]]]: EVENTs with the ids ff...FIRST and on, or what else
 * of GSP/1 has this type; to a port above 9000 RTP packets with these sequence numbers.
 */
static int send_frames(int argc, char **argv)
{
	int fd = packet_socket(argv[2]), first = atoi(argv[3]), cnt = atoi(argv[4]);
	uint32_t body = argc > 5 ? atoi(argv[5]) : 0;
	int port = argc > 6 ? atoi(argv[6]) : GOSSIP_PORT;
	uint8_t type = argc > 7 ? atoi(argv[7]) : GSP_EVENT;
	static struct frame f;

	if (fd < 0)
		return 1;
	for (int i = first; i < first + cnt; i++) {
		struct id id;

		memset(&id, 0xff, sizeof(id));
		id.bytes[GSP_ID_BYTES - 2] = i >> 8;
		id.bytes[GSP_ID_BYTES - 1] = i;
		if (port > 9000)
			protocol_frame(&f, &(struct protocol_packet){ .protocol = RTP,
								      .sequence = i,
								      .port = port,
								      .body = body });
		else
			frame_build(&f, &(struct frame_plan){ .type = type, .body = body }, &id);
		while (send(fd, f.data, f.len, 0) < 0)
			if (errno != ENOBUFS)
				return 1;
	}
	return 0;
}

static bool takes_slow_path(const char *name)
{
	struct filter f;
	bool is;

	if (filter_open(name, &f))
		exit(3);
	is = READ_ONCE(f.state->stale_at) & DEDUP_SLOW_PATH;
	filter_close(&f);
	return is;
}

/* $SLOW_PATH NAME: do packets take the slow path? */
static int ask_slow_path(char **argv)
{
	return takes_slow_path(argv[2]) ? 0 : 1;
}

/* $OVER NAME: its time to drop is over. */
static int end_drops(char **argv)
{
	struct filter f;

	if (filter_open(argv[2], &f))
		return 1;
	WRITE_ONCE(f.state->drop_until_ns, READ_ONCE(f.state->last_ns));
	filter_close(&f);
	return 0;
}

/* Beside cli_runner.h's:
 * listens ARGS     `sample v0 ARGS` runs, as $pid; it says /mnt/out and /mnt/err
 * heard FILE       somebody listens, and has said so there; fails if nobody is about to
 * shown CNT        it has shown so many lines
 * ends STATUS      it ends by itself
 * stops            it is asked to end, and does
 * ordinary         packets do not take the slow path any more
 * asked            prints what status --json says of the sampler
 * pcap FILE SNAP CNT LEN   it is a capture of so many frames of LEN bytes, cut at SNAP, of fresh
 *                  EVENTs, whose times are of this minute
 */
static const char WORDS[] =
	"pid=; trap '{ [ -z \"$pid\" ] || kill -9 $pid; } 2>/dev/null || :' EXIT\n"
	"ip link set v0 up; ip link set p0 up\n"
	"heard() { soon eval \"grep -q 'listening to' $1 || [ ! -e /proc/$!/exe ]\"\n"
	"	grep -q 'listening to' $1 || { cat $1; return 1; }; }\n"
	"listens() { : >/mnt/out; : >/mnt/err\n"
	"	$XD sample ${limit---for 10m} \"$@\" >/mnt/out 2>/mnt/err & pid=$!\n"
	"	heard /mnt/err; }\n"
	"lines() { [ $(wc -l </mnt/out) -ge $1 ]; }\n"
	"shown() { soon lines $1; [ $(wc -l </mnt/out) = $1 ]; }\n"
	"ends() { code=0; wait $pid || code=$?; pid=; output=$(cat /mnt/err); [ $code = $1 ]; }\n"
	"stops() { kill -${1:-INT} $pid; ends 0; }\n"
	"ordinary() { soon not $SLOW_PATH v0; }\n"
	"asked() { $XD status v0 --json | jq -c '.sampler | if . then [.process, .listens, .rate,\n"
	"	.snap_bytes, .ring_bytes] else . end'; }\n"
	"pcap() { n=$4; [ $n -le $2 ] || n=$2; [ $(stat -c %s $1) = $((24 + $3 * (16 + n))) ]\n"
	"	$XD replay $1 --port 8001 --json | jq -e \".packets == $3 and\n"
	"	.snapped + .streams[0].counters.new == $3 and (.first_ns / 1e9 - now | fabs) < 60 and\n"
	"	(.last_ns / 1e9 - now | fabs) < 60\"; }\n";
/* Streams of ids: a copy of RTP's numbers may come too late on a busy machine. */
#define BOTH                                                                          \
	"printf '[profile n]\nlayer = udp\nid = payload+8:4 payload+2:2\n' >/mnt/n\n" \
	"$XD load v0 --profiles /mnt/n --profile a=n:9001 --profile b=n:9002 --profile c=gsp:8001\n"

static const struct cli_script SCRIPTS[] = {
	{ "shows-drops-and-new", LOAD
	  "; listens v0; $SEND p0 7 2; $SEND p0 8 1; shown 3; stops\n"
	  "has '3 shown; not shown: 0 beyond --rate, 0 for want of room'\n"
	  "awk '{ print $2, $3, $4, $5, $6, $7, $8, $9, $10, NF }' /mnt/out >/mnt/fields\n"
	  "ids=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\n"
	  "got cat /mnt/fields; is \"pass new gsp v0 10.0.0.1:4001 > 10.0.0.2:8001 ${ids}0007 82 "
	  "10\n"
	  "pass new gsp v0 10.0.0.1:4001 > 10.0.0.2:8001 ${ids}0008 82 10\n"
	  "drop duplicate gsp v0 10.0.0.1:4001 > 10.0.0.2:8001 ${ids}0008 82 10\"\n"
	  "now=$(date +%H:%M); cut -d' ' -f1 /mnt/out | grep -cE "
	  "'^[0-2][0-9]:[0-5][0-9]:[0-5][0-9][.][0-9]{6}$'\n"
	  "id=$(awk '$2 == \"drop\" { print $9 }' /mnt/out); got $XD test v0 $id; has known\n"
	  "ordinary\n" },
	{ "drops-only", LOAD "; listens v0 --drops; $SEND p0 1 3; $SEND p0 2 2; shown 2; stops\n"
			     "got cut -d' ' -f2,3 /mnt/out; is 'drop duplicate\ndrop duplicate'\n" },
	{ "new-only",
	  LOAD "; listens v0 --new; $SEND p0 1 3; $SEND p0 1 3; $SEND p0 9 1; shown 4; stops\n"
	       "got cut -d' ' -f2,3 /mnt/out; is 'pass new\npass new\npass new\npass new'\n" },
	{ "drops-and-new",
	  LOAD "; listens v0 --new --drops; $SEND p0 1 1; $SEND p0 1 1; shown 2; stops\n" },
	{ "counted-only", LOAD " --action count; listens v0 --drops; $SEND p0 1 1; $SEND p0 1 1\n"
			       "shown 1; stops; got cut -d' ' -f2,3 /mnt/out; is 'pass duplicate'\n" },
	{ "ihaves-pass-or-not",
	  "for how in drop pass; do\n" LOAD
	  " --ihave $how; listens v0; $SEND p0 1 1; $SEND p0 1 1 0 8001 2; shown 2\n"
	  "stops; got cut -d' ' -f2,3 /mnt/out; is \"pass new\n$how ihave_duplicate\"\n"
	  "listens v0 --drops; $SEND p0 1 1 0 8001 2; $SEND p0 1 1\n"
	  "case $how in pass) shown 1;; drop) shown 2;; esac; stops\n"
	  "got cut -d' ' -f2,3 /mnt/out; case $how in pass) is 'drop duplicate';;\n"
	  "drop) is 'drop ihave_duplicate\ndrop duplicate';; esac; $XD unload v0; done\n" },
	{ "when-the-time-to-drop-is-over",
	  LOAD " --for 1h; listens v0 --drops; $SEND p0 1 1; $SEND p0 1 1; shown 1\n"
	       "$OVER v0; until $XD status v0 | grep -q 'dropping    ended'; do :; done\n"
	       "$SEND p0 1 1; shown 2; stops; got cut -d' ' -f2,3 /mnt/out\n"
	       "is 'drop duplicate\npass duplicate'\n" },
	{ "wanted-and-sampled", LOAD
	  "; $SEND p0 1 1; listens v0\n"
	  "for i in $(seq 100); do got $XD status v0; case $output in *'new    '*1*) break; esac; "
	  "done\n"
	  "$XD want v0 ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0001\n"
	  "$SEND p0 1 1; $SEND p0 1 1; shown 2; stops\n"
	  "got cut -d' ' -f2,3 /mnt/out; is 'pass wanted\ndrop duplicate'\n" },
	{ "json", LOAD
	  "; listens v0 --json; $SEND p0 1 1; $SEND p0 1 1; shown 2; stops\n"
	  "got jq -r 'keys_unsorted | join(\" \")' /mnt/out\n"
	  "keys='time_ns verdict reason stream interface ifindex source source_port destination'\n"
	  "keys=\"$keys destination_port id bytes\"; is \"$keys\n$keys\"\n"
	  "got jq -r 'select(.reason == \"duplicate\") | [.verdict, .stream, .interface, .ifindex, "
	  ".source,\n"
	  ".source_port, .destination, .destination_port, .bytes] | join(\" \")' /mnt/out\n"
	  "is \"drop gsp v0 $(cat /sys/class/net/v0/ifindex) 10.0.0.1 4001 10.0.0.2 8001 82\"\n"
	  "got jq -r '(.time_ns / 1e9 - now) | fabs < 60' /mnt/out; is 'true\ntrue'\n" },
	{ "several-streams", BOTH
	  "listens v0; $SEND p0 1 1 20 9001; $SEND p0 1 1 20 9002; $SEND p0 1 1; $SEND p0 1 1 20 "
	  "9002\n"
	  "shown 4; stops; got cut -d' ' -f2-4 /mnt/out\n"
	  "is 'pass new a\npass new b\npass new c\ndrop duplicate b'\n"
	  /* An id is written as test takes it. */
	  "id=$(awk '$4 == \"a\" { print $9 }' /mnt/out); got $XD test v0/a $id; has known\n"
	  "exits 3 $XD test v0/b 555200000002\n" },
	{ "one-stream", BOTH "listens v0/b; for port in 9001 9002 8001; do $SEND p0 1 1 20 "
			     "$port; $SEND p0 1 1 20 $port; done\n"
			     "shown 2; sleep 0.3; stops; has 'listening to v0/b, at most 10'\n"
			     "got cut -d' ' -f2-4 /mnt/out; is 'pass new b\ndrop duplicate b'\n"
			     "fails 'v0 has no stream x; it has a, b, c' $XD sample v0/x\n" },
	{ "rate-is-kept",
	  LOAD "; listens v0 --rate 4/s; start=$(date +%s)\n"
	       "for i in $(seq 20); do $SEND p0 $i 10; sleep 0.1; done; sleep 0.3; stops\n"
	       "lines=$(wc -l </mnt/out); [ $lines -ge 8 ]; [ $lines -le $((4 * ($(date +%s) "
	       "- start + 2))) ]\n"
	       "has \"$lines shown; not shown: $((200 - lines)) beyond --rate, 0 for\"\n" },
	{ "count-ends-it", LOAD "; listens v0 --count 3; $SEND p0 1 5; ends 0; shown 3; ordinary\n" },
	{ "time-ends-it", LOAD "; limit=; listens v0 --for 500ms; ends 0; has '0 shown'; ordinary\n" },
	{ "a-signal-ends-it",
	  LOAD "; for s in INT TERM HUP; do listens v0; stops $s; has '0 shown'; done\n"
	       "ordinary\n" },
	{ "a-reader-that-goes-ends-it",
	  LOAD "; : >/mnt/err; rm -f /mnt/gone\n"
	       "{ ASAN_OPTIONS=detect_leaks=0 $XD sample v0 --for 10m 2>/mnt/err || echo $? "
	       ">/mnt/code; } |\n"
	       "	{ head -1 >/mnt/one; exec <&-; : >/mnt/gone; } &\n"
	       "soon grep -q listening /mnt/err; $SEND p0 1 1; soon test -e /mnt/gone\n"
	       "$SEND p0 2 1; wait; [ $(wc -l </mnt/one) = 1 ]\n"
	       "got cat /mnt/code; is 141; ordinary; got $XD sample v0 --for 10ms\n" },
	{ "killed-it-leaves-its-ring-buffer",
	  LOAD "; listens v0; $SLOW_PATH v0; kill -KILL $pid; wait $pid || :\n"
	       "fails \"process $pid, listens to v0\" $XD sample v0 --for 1s\n"
	       "ordinary; got $XD status v0; has \"\n  sampler     process $pid was killed or \"\n"
	       "has '(1.0 MB) stays until the next sample, or unload\n'\n"
	       "[ \"$(asked)\" = \"[$pid,false,null,null,1048576]\" ]\n"
	       "$SEND p0 1 1; listens v0; $SEND p0 2 1; shown 1; stops\n"
	       "got $XD status v0; lacks sampler\n" },
	{ "status-tells-of-it",
	  LOAD "; got $XD status v0; lacks sampler; [ \"$(asked)\" = null ]\n"
	       "listens v0 --rate 77 --snap 100; got $XD status v0\n"
	       "has \"\n  sampler     process $pid, at most 77 packets a second\n\"\n"
	       "[ \"$(asked)\" = \"[$pid,true,77,100,1048576]\" ]; stops\n"
	       "got $XD status v0; lacks sampler; [ \"$(asked)\" = null ]\n"
	       "rm $PINS/v0/samples; got $XD status v0; lacks sampler\n" },
	{ "one-at-a-time",
	  LOAD "; listens v0; first=$pid\n"
	       "fails \"another xdp-dedup sample, process $pid, listens to v0: one can at a "
	       "time\" $XD sample v0\n"
	       "$SEND p0 1 1; shown 1; stops; listens v0; $SEND p0 2 1; shown 1; stops\n" },
	{ "held-up-it-loses-its-place",
	  LOAD "; listens v0; first=$pid; kill -STOP $pid; ordinary\n"
	       ": >/mnt/err2; $XD sample v0 --for 10m 2>/mnt/err2 & second=$!; heard /mnt/err2\n"
	       "kill -CONT $first; ends 1; pid=$second\n"
	       "has 'held up for too long: another xdp-dedup sample listens to v0 now'; stops\n" },
	{ "what-finds-no-room-is-told",
	  LOAD "; listens v0 --rate 1M; kill -STOP $pid\n"
	       "$SEND p0 1 5000; kill -CONT $pid; stops; lines=$(wc -l </mnt/out)\n"
	       "[ $lines -ge 2000 ]; [ $lines -le 4000 ]\n"
	       "has \"$lines shown; not shown: 0 beyond --rate, $((5000 - lines)) for want\"\n" },
	{ "writes-a-capture",
	  LOAD "; listens v0 --write /mnt/x.pcap; $SEND p0 1 2 1300\n"
	       "soon eval '[ $(stat -c %s /mnt/x.pcap) = 2820 ]'; stops\n"
	       "has '2 written; not written: 0'; [ ! -s /mnt/out ]; pcap /mnt/x.pcap 9216 2 1382\n"
	       "if which tcpdump; then got tcpdump -nr /mnt/x.pcap\n"
	       "	has 'IP 10.0.0.1.4001 > 10.0.0.2.8001: UDP, length 1340'; fi\n" },
	{ "writes-to-standard-output", LOAD "; listens v0 --write - --count 2; $SEND p0 1 2; ends 0\n"
					    "pcap /mnt/out 9216 2 82\n" },
	{ "cuts-at-snap", LOAD "; for snap in 60 256 1000 3000; do\n"
			       "listens v0 --write /mnt/x.pcap --snap $snap --count 2 --new; "
			       "$SEND p0 $snap 2 1300; ends 0\n"
			       "pcap /mnt/x.pcap $snap 2 1382; done\n" },
	{ "jumbo-frames",
	  "ip link set v0 mtu 9000; ip link set p0 mtu 9000\n" LOAD
	  "; listens v0 --write /mnt/x.pcap --count 2; $SEND p0 1 2 8700; ends 0\n"
	  "pcap /mnt/x.pcap 9216 2 8782\n"
	  "listens v0 --write /mnt/x.pcap --snap 5000 --count 2; $SEND p0 3 2 8700; ends 0\n"
	  "pcap /mnt/x.pcap 5000 2 8782\n" },
	{ "a-full-disk-is-told",
	  LOAD "; not listens v0 --write /dev/full; ends 1\n"
	       "has 'cannot write'; ordinary; listens v0 >/dev/null; stops\n"
	       "fails 'cannot write /nope/x' $XD sample v0 --write /nope/x; ordinary\n" },
	{ "a-reader-that-takes-nothing-is-told",
	  LOAD "; : >/mnt/err; $XD sample v0 --for 100s >/dev/full 2>/mnt/err & pid=$!\n"
	       "heard /mnt/err; start=$(date +%s); $SEND p0 1 1; ends 1; has 'cannot write'\n"
	       "[ $(($(date +%s) - start)) -lt 50 ]; ordinary\n" },
	{ "unloaded-it-ends",
	  LOAD "; listens v0; $XD unload v0; ends 1; has 'v0 has been unloaded'\n" LOAD
	       "; listens v0; $XD unload v0; " LOAD "; ends 1; has 'v0 has been unloaded'\n" },
	{ "a-stopped-clock-is-told", LOAD "; listens v0; rm $PINS/v0/timer; ends 1\n"
					  "has 'the hand of v0 has stopped; unload and load it again'\n"
					  "fails 'the hand of v0 has stopped' $XD sample v0\n" },
	{ "in-another-namespace",
	  "ip netns del far 2>/dev/null || :; ip netns add far\n"
	  "ip link set v0 netns far; ip netns exec far ip link set v0 up\n"
	  "ip netns exec far $XD load v0 --port 8001 --name there\n"
	  "fails 'there is no filter v0' $XD sample v0; listens there; $SEND p0 1 1; shown "
	  "1; stops\n"
	  "got cut -d' ' -f2-5 /mnt/out; is 'pass new gsp v0'\n"
	  "ip netns exec far $XD unload v0; ip netns del far\n" },
	{ "whose-interface-moved",
	  LOAD "; ip netns del far 2>/dev/null || :; ip netns add far; ip link set v0 netns far\n"
	       "ip netns exec far ip link set v0 up; listens v0; $SEND p0 1 1; shown 1; stops\n"
	       "got cut -d' ' -f2-4 /mnt/out; is 'pass new gsp'\n"
	       "ip netns exec far $XD unload v0; ip netns del far\n" },
	{ "refuses", LOAD
	  "; fails 'not permitted: sample needs CAP_BPF' $NOBODY sample v0\n"
	  "fails 'there is no filter nope' $XD sample nope\n"
	  "exits 2 $XD sample v0 --json --write /mnt/x; has '--json or --write, not both'\n"
	  "exits 2 $XD sample; has 'usage: xdp-dedup sample NAME[/STREAM]'\n"
	  "exits 2 $XD sample v0 --rate 0; has '--rate 0: give a number from 1 to 1000000'\n"
	  "exits 2 $XD sample v0 --rate 5/m; has '--rate 5/m: give'\n"
	  "exits 2 $XD sample v0 --rate /s; has '--rate /s: give'\n"
	  "exits 2 $XD sample v0 --snap 9217; has '--snap 9217: give a number from 1 to 9216'\n"
	  "exits 2 $XD sample v0 --count 0; has '--count 0: give a number of packets'\n"
	  "exits 2 $XD sample v0 --for 5; has '--for 5: give a time with its unit'\n"
	  "exits 2 $XD sample v0 --for 0; has '--for 0: give a time'\n"
	  "exits 2 $XD sample v0 --write ''; has '--write: give a file'\n"
	  "rm $PINS/v0/samples; fails 'the pins of v0 are incomplete or of another version' $XD "
	  "sample v0\n" },
};

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "SEND"))
		return send_frames(argc, argv);
	if (argc == 3 && !strcmp(argv[1], "SLOW_PATH"))
		return ask_slow_path(argv);
	if (argc == 3 && !strcmp(argv[1], "OVER"))
		return end_drops(argv);
	cli_environment();
	cli_helper("SEND", "SEND");
	cli_helper("SLOW_PATH", "SLOW_PATH");
	cli_helper("OVER", "OVER");
	cli_words = WORDS;
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("sample");
}
