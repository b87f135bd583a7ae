// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay: captures with known duplicates through either engine, and what it does with bad ones. */
#include "support.h"

/* Files are in $D, and the tool is $XD. A capture is made once, in $MADE: scapy takes its time. */
#define CAPTURE                                                                                 \
	"c=%s; [ -e $MADE/$c.want ] || "                                                        \
	"/usr/bin/python3 tests/fixture/capture/captures.py $c $MADE || exit 9; cp $MADE/$c.* " \
	"$D\n"
#define REPLAY "$XD replay $D/%s.pcapng $(cat $D/%s.options)"

static const struct scenario {
	const char *name;
} SCENARIOS[] = {
	{ "feeds" }, { "feeds-flat" }, { "span" }, { "mesh" },	       { "sparse" },
	{ "days" },  { "days-flat" },  { "cut" },  { "cut-payloads" }, { "tunnels" },
};

/* Both engines find the duplicates that the capture is known to have, and give equal reports: also
 * of what each path brings.
 */
static void known_duplicates(void **state)
{
	const char *name = ((const struct scenario *)*state)->name;
	char out[2000];

	sh(CAPTURE, name);
	sh(REPLAY " --json > $D/user", name, name);
	sh(REPLAY " --engine kernel --json > $D/kernel", name, name);
	if (sh_out(out, sizeof(out), "diff $D/user $D/kernel"))
		fail_msg("%s", out);
	if (sh_out(out, sizeof(out),
		   "jq -e --slurpfile want $D/%s.want 'contains($want[0])' $D/user >/dev/null || "
		   "{ jq -c . $D/%s.want $D/user | cut -c1-900; false; }",
		   name, name))
		fail_msg("%s", out);
}

/* What is written to files is what is counted: packets that pass have no duplicates among them. */
TEST(written_files)
{
	sh(CAPTURE REPLAY
	   " --write-passed $D/passed --write-dropped $D/dropped --json > $D/all\n"
	   "for part in passed dropped; do\n"
	   "  $XD replay $D/$part $(cat $D/mesh.options) --json > $D/$part.json || exit 1\n"
	   "done\n"
	   "jq -es '.[0].streams[0].counters as $all | .[1].streams[0].counters as $passed |"
	   "  $all.new == $passed.new and $passed.duplicate == 0 and $all.duplicate > 0 and"
	   "  .[0].packets == .[1].packets + .[2].packets and"
	   "  .[2].packets == $all.duplicate + $all.ihave_duplicate' "
	   "$D/all $D/passed.json $D/dropped.json > /dev/null",
	   "mesh", "mesh", "mesh");
}

static const struct row {
	const char *name, *script;
} ROWS[] = {
	{ "needs-no-root", "chmod 755 $D; chmod 644 $D/*\n"
			   "cp $XD /mnt/tool && setpriv --reuid 65534 --regid 65534 --clear-groups "
			   "--inh-caps=-all /mnt/tool replay $D/mesh.pcapng --port 8001 > /dev/null" },
	{ "kernel-needs-root",
	  "chmod 755 $D; chmod 644 $D/*; cp $XD /mnt/tool\n"
	  "setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "
	  "/mnt/tool replay $D/mesh.pcapng --port 8001 --engine kernel 2> $D/err\n"
	  "[ $? -eq 1 ] && [ $(wc -l < $D/err) -eq 1 ] && grep -q CAP_BPF $D/err" },
	{ "text", "$XD replay $D/mesh.pcapng --port 8001 > $D/out\n"
		  "grep -q '^gsp: .* 500 new, ' $D/out && grep -q 'ihave_new 500' $D/out &&\n"
		  "grep -q 'from 10.0.0' $D/out && grep -q '^ignored: 500 ' $D/out" },
	{ "tunnels-are-named",
	  "$XD replay $D/tunnels.pcapng --profile mirror --tunnels erspan,vxlan:4789 > $D/out\n"
	  "grep -q '^  opened       tunnels: erspan,vxlan:4789; ' $D/out &&\n"
	  "grep -q 'from 192.0.2' $D/out || exit 1\n"
	  "for t in none erspan all; do $XD replay $D/tunnels.pcapng --profile mirror --tunnels $t \\\n"
	  "  --json | jq -e --arg t $t '.streams[0].tunnels == $t' > /dev/null || exit 1; done" },
	{ "survey-of-tunnels",
	  "$XD replay $D/tunnels.pcapng --json > $D/out\n"
	  "jq -e '.advice.options | startswith(\"--profile mirror --tunnels "
	  "mpls,pppoe,ipip,gre,erspan,vxlan,geneve,gtp \")' $D/out > /dev/null &&\n"
	  "jq -e '.advice.drops == 600 and ([.tunnels[].truncated] | add) == 122' $D/out "
	  "> /dev/null && $XD replay $D/tunnels.pcapng --tunnels none > $D/out" },
	{ "interfaces", "$XD replay $D/feeds.pcapng --profile moldudp64:26400 > $D/out\n"
			"grep -q 'by   nic0 ' $D/out && grep -q 'by   nic1 ' $D/out" },
	{ "another-host", "$XD replay $D/mesh.pcapng --port 8001 --mac 02:00:00:00:00:77 --json |\n"
			  "jq -e '.streams[0].counters | .new == 0 and .ignored > 500' > /dev/null" },
	{ "this-host", "$XD replay $D/mesh.pcapng --port 8001 --mac 02:00:00:00:00:01 --json |\n"
		       "jq -e '.streams[0].counters | .new == 500' > /dev/null" },
	/* What was read until then counts, and the exit status tells. */
	{ "cut-file",
	  "head -c 20000 $D/mesh.pcapng > $D/half\n"
	  "$XD replay $D/half --port 8001 --json > $D/out 2> $D/err; [ $? -eq 1 ] &&\n"
	  "jq -e '.complete == false and .streams[0].counters.new > 10' $D/out >/dev/null &&\n"
	  "grep -q 'half: packet [0-9]*' $D/err && [ $(wc -l < $D/err) -eq 1 ]" },
	{ "no-capture", "echo hello > $D/text; $XD replay $D/text --port 1 2> $D/err\n"
			"[ $? -eq 1 ] && [ $(wc -l < $D/err) -eq 1 ]" },
	{ "no-file", "$XD replay $D/none --port 1 2> $D/err; [ $? -eq 1 ] && grep -q none $D/err" },
	{ "no-application", "$XD replay $D/mesh.pcapng --port 8001 --learn app 2> $D/err\n"
			    "[ $? -eq 2 ] && grep -q application $D/err" },
	{ "count-is-the-same",
	  "$XD replay $D/mesh.pcapng --port 8001 --json > $D/a\n"
	  "$XD replay $D/mesh.pcapng --port 8001 --json --action count > $D/b && cmp $D/a $D/b" },
	{ "full-disk",
	  "mount -t tmpfs -o size=8k tmpfs /mnt\n"
	  "$XD replay $D/mesh.pcapng --port 8001 --write-passed /mnt/p > /dev/null 2> $D/err\n"
	  "s=$?; ls /mnt > $D/left; umount /mnt; [ $s -eq 1 ] && [ ! -s $D/left ]" },
	/* What is there stays if nothing can be begun. */
	{ "no-second-file",
	  "echo mine > $D/p; $XD replay $D/mesh.pcapng --port 8001 --write-passed $D/p "
	  "--write-dropped $D/none/d > $D/out 2> $D/err; [ $? -eq 1 ] && [ ! -s $D/out ] &&\n"
	  "[ $(wc -l < $D/err) -eq 1 ] && grep -q mine $D/p && [ ! -e $D/p.part ]" },
	{ "one-file-for-both",
	  "for f in - $D/p; do\n"
	  "  $XD replay $D/mesh.pcapng --port 8001 --write-passed $f --write-dropped $f "
	  "    > $D/out 2> $D/err; [ $? -eq 2 ] && [ ! -s $D/out ] || exit 1\n"
	  "done" },
	/* The report is not among the packets. */
	{ "written-to-stdout",
	  "for part in passed dropped; do\n"
	  "  $XD replay $D/mesh.pcapng --port 8001 --write-$part $D/p > $D/report\n"
	  "  $XD replay $D/mesh.pcapng --port 8001 --write-$part - > $D/out 2> $D/err\n"
	  "  cmp $D/p $D/out && cmp $D/report $D/err || exit 1\n"
	  "done" },
	/* By two streams that share their ids: all first packets come by one of them. */
	{ "copies-of-a-realm", "$XD replay $D/feeds.pcapng --profile moldudp64:26400@239.0.0.1#f "
			       "  --profile moldudp64:26400@239.0.0.2#f > $D/out\n"
			       "grep -c 'copies       1.[89]. a message, 2 of' $D/out | grep -qx 2" },
	{ "other-byte-order",
	  "printf '[profile m]\nlayer = udp\nsource = payload+0:10\nsequence = payload+10:8le\n"
	  "count = payload+18:2le\n' > $D/m.ini\n"
	  "m=\"$D/feeds.pcapng --profiles $D/m.ini --profile a=m:26400@239.0.0.1#f\"\n"
	  "m=\"$m --profile b=m:26400@239.0.0.2#f\"\n"
	  "$XD replay $m > $D/out && grep -c '^  misread ' $D/out | grep -qx 2 &&\n"
	  "grep '^misread: read big-endian, [0-9]* of [0-9]* copies would be found$' $D/out &&\n"
	  "$XD replay $m --json | jq -e '.other_order == \"big\" and .other_found > 1000 and\n"
	  "  .other_found == .other_copies and .streams[0].misread' &&\n"
	  "sed -i 's/\\([82]\\)le$/\\1/' $D/m.ini && $XD replay $m > $D/out && ! grep misread $D/out &&\n"
	  "$XD replay $m --json | jq -e '.other_order == \"none\" and .other_found == 0'" },
	/* What a survey would not look at. */
	{ "survey-of-no-filter",
	  "for o in '--write-passed x' '--write-dropped x' '--profiles x' '--to 10.0.0.1' "
	  "    '--vlan 7' '--engine kernel' '--outer-to 10.0.0.1' --forwarded '--capacity 9' "
	  "    '--fpr 0.1' '--window 9s' '--sources 9' '--paths 2' '--layout flat' '--bits 9' "
	  "    '--hash siphash' '--hashes 9' '--index-bits 9' '--countdown-bits 9' '--for 9s' "
	  "    '--action count' '--learn app' '--ihave pass' '--deliver xsk'; do\n"
	  "  $XD replay $D/mesh.pcapng $o > $D/out 2> $D/err\n"
	  "  [ $? -eq 2 ] && [ ! -s $D/out ] && grep -q -e \"${o%% *}\" $D/err || exit 1\n"
	  "done; XDP_DEDUP_CAPACITY=9 $XD replay $D/mesh.pcapng --engine user "
	  "  > $D/out" },
	{ "path-for-a-shell", "XD=$(realpath $XD); cd $D && for f in \"two words\" \"it's\" -x; do\n"
			      "  cp mesh.pcapng \"./$f\"; $XD replay -- \"$f\" > out\n"
			      "  sed -n \"s|^  xdp-dedup replay |$XD replay |p\" out > again\n"
			      "  sh again > out && grep -q '^gsp: ' out || exit 1\n"
			      "done" },
	/* A name that could control a terminal is shown as text, and still is a word of a shell. */
	{ "path-with-an-escape",
	  "XD=$(realpath $XD); cd $D && f=$(printf 'a\\033[31mb') && cp mesh.pcapng \"$f\"\n"
	  "$XD replay \"$f\" > out && ! grep -q \"$(printf '\\033')\" out &&\n"
	  "sed -n \"s|^  xdp-dedup replay |$XD replay |p\" out > again &&\n"
	  "bash again > out && grep -q '^gsp: ' out" },
	/* What came by a pipe cannot be read again from there. */
	{ "survey-of-a-pipe", "$XD replay - < $D/mesh.pcapng > $D/out &&\n"
			      "grep -q '^  xdp-dedup replay FILE --profile gsp' $D/out" },
	/* The survey says what each path brought, as the capture is known to have it. */
	{ "survey-of-paths",
	  "$XD replay $D/feeds.pcapng --json > $D/out &&\n"
	  "jq -e --slurpfile want $D/feeds.want '.advice | .paths == 2 and (.options |\n"
	  "  contains(\"--paths 2\")) and (.senders | contains($want[0].senders))' $D/out > $D/is\n"
	  "[ $? -eq 0 ] && $XD replay $D/feeds.pcapng > $D/out && grep -q '^    moldudp64-2 nic' $D/out" },
	/* What cannot be read again is not replayed: the command shows it. */
	{ "survey-of-paths-by-a-pipe",
	  "cat $D/feeds.pcapng | $XD replay - --json | jq -e '.advice | .paths == 2 and\n"
	  "  (.options | contains(\"--paths 2\")) and .senders == null' > $D/is &&\n"
	  "cat $D/feeds.pcapng | $XD replay - > $D/out && ! grep -q '^  sender' $D/out &&\n"
	  "grep -q 'and what each path brings and loses:$' $D/out" },
	/* An error is reported once, and what was not read has no figures. */
	{ "survey-of-paths-that-is-cut",
	  "head -c 60000 $D/feeds.pcapng > $D/half; $XD replay $D/half --json > $D/out 2> $D/err\n"
	  "[ $? -eq 1 ] && [ $(wc -l < $D/err) -eq 1 ] &&\n"
	  "jq -e '.advice | .paths == 2 and .senders == null' $D/out > $D/is" },
	{ "pipe", "cat $D/mesh.pcapng | $XD replay - --port 8001 --json |\n"
		  "jq -e '.streams[0].counters.new == 500' > /dev/null" },
	/* False drops are seen: one in five is allowed. */
	{ "false-drops", "$XD replay $D/sparse.pcapng --port 8001 --window 6h --fpr 0.2 "
			 "--capacity 10 --json | jq -e '.streams[0] |"
			 ".false_drops > 20 and .false_drops < 164 and .ids == 700' > /dev/null" },
	/* Of IPv6 packets with any next header, the snap length cuts padding alone: none is missed. */
	{ "padding-that-is-cut",
	  "/usr/bin/python3 - > $D/cut.pcap <<'END'\n"
	  "import struct, sys\n"
	  "out = sys.stdout.buffer\n"
	  "out.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))\n"
	  "body = {44: bytes([59, 0, 0, 0]), 51: bytes([59, 4])}\n"
	  "for n in range(256):\n"
	  "    ip = struct.pack('>IHBB', 6 << 28, 24, n, 64) + bytes(31) + bytes([n])\n"
	  "    packet = bytes(12) + b'\\x86\\xdd' + ip + body.get(n, bytes([59, 1])).ljust(24, b'\\0')\n"
	  "    for i in 0, 1:\n"
	  "        out.write(struct.pack('<IIII', n, i, len(packet), len(packet) + 26) + packet)\n"
	  "END\n"
	  "for options in 'mirror' 'payload:9' 'mirror --tunnels vxlan'; do\n"
	  "  $XD replay $D/cut.pcap --profile $options --json > $D/out\n"
	  "  jq -e '.snapped == 0' $D/out > /dev/null || exit 1\n"
	  "done" },
	/* With less memory for ids than they take. */
	/* The hand's turns cost what there is to forget, not what there could be. */
	{ "a-large-filter-and-many-turns",
	  "/usr/bin/python3 - > $D/slow.pcap <<'END'\n"
	  "import struct, sys\n"
	  "out = sys.stdout.buffer\n"
	  "out.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 101))\n"
	  "for i in range(2000):\n"
	  "    data = struct.pack('>BBHHHBBHII', 0x45, 0, 20, i + 1, 0, 64, 253, 0, 1, 2)\n"
	  "    total = sum(struct.unpack('>10H', data))\n"
	  "    total = 0xffff - (total % 0xffff or 0xffff)\n"
	  "    data = data[:10] + struct.pack('>H', total) + data[12:]\n"
	  "    ns = i * 75000000\n"
	  "    for _ in range(1 + i % 2):\n"
	  "        out.write(struct.pack('<IIII', ns // 10**9, ns % 10**9, 20, 20) + data)\n"
	  "END\n"
	  "(ulimit -t 20; $XD replay $D/slow.pcap --profile mirror --capacity 4M --json) > $D/out "
	  "&&\n"
	  "jq -e '.streams[0].counters | .new == 2000 and .duplicate == 1000' $D/out > /dev/null" },
	{ "little-memory", "$XD replay $D/mesh.pcapng --port 8001 --memory 1 --json |\n"
			   "jq -e '.streams[0].counters.new == 500' > /dev/null" },
};

static void behaves(void **state)
{
	const struct row *row = *state;
	const char *first = strstr(row->script, "days")	     ? "days"
			    : strstr(row->script, "feeds")   ? "feeds"
			    : strstr(row->script, "tunnels") ? "tunnels"
							     : "mesh";

	sh(CAPTURE, first);
	sh("%s", row->script);
}

static void name_dir(const char *variable)
{
	char dir[] = "/tmp/replay-test-XXXXXX";

	assert_non_null(mkdtemp(dir));
	setenv(variable, dir, 1);
}

static int make_dir(void **state)
{
	(void)state;
	name_dir("D");
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	sh("rm -rf $D");
	return 0;
}

int main(void)
{
	int status;

	setenv("XD", tool(), 1);
	name_dir("MADE");
	add_rows(SCENARIOS, known_duplicates, make_dir, remove_dir);
	add_own_tests(make_dir, remove_dir);
	add_rows(ROWS, behaves, make_dir, remove_dir);
	status = run_added_tests("replay");
	sh("rm -rf $MADE");
	return status;
}
