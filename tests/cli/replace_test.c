// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load --replace: over a filter of this version, and, as an upgrade, by $NEXT, the tool of the next
 * format (include/format.h).
 */
#include "cli_runner.h"

#include "format.h"

#define PROG "$(bpftool prog show pinned $PINS/v0/prog | head -n 1)"

/* Of each stream, where its fresh packets go, and the ids of the maps for sockets. */
#define DELIVERED                                                                             \
	"delivered() { $1 status v0 --json | jq -r '[.streams[].deliver] | join(\",\")'; }\n" \
	"maps() { for m in xsks queues sockets in_flight; do\n"                               \
	"	bpftool map show pinned $PINS/v0/$m -j | jq .id; done; }\n"

/* RTP by its bytes. */
#define BY_BYTES                                                                            \
	"printf '[profile rtp]\nlayer = udp\nrequire = payload+0:1/0xc0 == 0x80\n"          \
	"exempt = payload+1:1/0xe0 == 0xc0\nid = payload+2:10\nwindow = 1h\nfpr = 1e-9\n' " \
	">/mnt/old\n"                                                                       \
	"$XD load v0 --profiles /mnt/old --profile rtp:5004 --capacity 10k\n"               \
	"known() { got $1 test v0 00112233445566778899; has known; }\n"                     \
	"$XD add v0 00112233445566778899\n"

static const struct cli_script SCRIPTS[] = {
	{ "keeps-what-is-not-said",
	  LOAD " --capacity 10k --action count --to 192.0.2.0/24 --vlan 7,none\n"
	       "$XD add v0 " ID_A "\n"
	       "was=" PROG "\n"
	       "got $XD load v0 --replace\n"
	       "is 'v0: replaced; what it remembers is kept'\n"
	       "[ \"$was\" != \"" PROG "\" ]\n"
	       "got $XD test v0 " ID_A "\n"
	       "got $XD status v0\n"
	       "has 'are counted and passed'\n"
	       "has '192.0.2.0/24'\n"
	       "has 'only VLANs  none,7'\n"
	       "has 'at 10000 ids a window of 10m'\n"
	       "[ \"$(ls $PINS)\" = v0 ]\n" },
	{ "does-what-is-said", LOAD " --capacity 10k --action count\n"
				    "$XD add v0 " ID_A "\n"
				    "$XD load v0 --replace --action drop --port 9000 --ihave pass\n"
				    "got $XD status v0\n"
				    "has 'UDP port 9000, duplicates are dropped'\n"
				    "got $XD test v0 " ID_A "\n" },
	{ "same-size-needs-no-predecessor",
	  LOAD " --capacity 10k --window 1m --fpr 1e-5\n"
	       "$XD load v0 --replace --capacity 10k --window 1m --fpr 1e-5\n"
	       "[ \"$(ls $PINS)\" = v0 ]\n"
	       "$XD unload v0\n" LOAD " --layout flat --capacity 10k\n"
	       "$XD load v0 --replace --layout flat --capacity 10k\n"
	       "[ \"$(ls $PINS)\" = v0 ]\n" },
	{ "given-m-and-k-stay", LOAD " --layout flat --bits 100000 --hashes 5 --capacity 5k\n"
				     "$XD load v0 --replace\n"
				     "got $XD status v0 --json\n"
				     "has '\"m\": 100000'\n"
				     "has '\"k\": 5'\n" },
	{ "other-size-has-a-predecessor",
	  LOAD " --capacity 10k --window 1m\n"
	       "$XD add v0 " ID_A "\n"
	       "got $XD load v0 --replace --capacity 20k\n"
	       "has 'is kept until it is forgotten: at most 2m'\n"
	       "got $XD test v0 " ID_A "\n"
	       "fails 'v0 has a predecessor' $XD load v0 --replace --capacity 30k\n"
	       "$XD load v0 --replace\n"
	       "got $XD status v0\n"
	       "has 'predecessor 81.2 kB'\n"
	       "$XD load v0 --replace --capacity 30k --forget\n" },
	{ "waits-for-the-predecessor", LOAD " --capacity 10k --window 100ms\n"
					    "$XD load v0 --replace --capacity 20k\n"
					    "$XD load v0 --replace --capacity 30k --wait\n" },
	{ "interfaces-are-those-that-are-named", LOAD " p0\n"
						      "$XD load v0 --replace\n"
						      "runs v0; idle p0\n"
						      "$XD load --name v0 --replace p0\n"
						      "idle v0; runs p0\n"
						      "$XD load --name v0 --replace p0 v0\n"
						      "runs v0; runs p0\n"
						      "$XD load --name v0 --replace\n"
						      "runs v0; runs p0\n"
						      "ip link property add dev p0 altname other0\n"
						      "$XD load --name v0 --replace other0\n"
						      "idle v0; runs p0\n"
						      "fails 'v1' $XD load --name v0 --replace v1\n"
						      "runs p0\n" },
	{ "mode-stays", LOAD "\n"
			     "got $XD load --replace v0 --mode skb\n"
			     "has 'v0 runs on v0 in native mode, which a change keeps'\n"
			     "got $XD status v0; has 'v0 (native'\n" },
	{ "set-to-other-interfaces", LOAD "\n"
					  "$XD set v0 --remove v0 --add p0\n"
					  "idle v0; runs p0\n"
					  "fails 'v0 would run nowhere' $XD set v0 --remove p0\n"
					  "runs p0\n" },
	{ "interface-comes-back",
	  LOAD " --capacity 10k\n"
	       "$XD add v0 " ID_A "\n"
	       "ip link del v0\n"
	       "fails 'load --replace --name v0 IFNAME...' $XD set v0 --action count\n"
	       "fails 'on which is it to?' $XD load --name v0 --replace\n"
	       "ip link add v0 group 7 type veth peer name p0 group 7\n"
	       "$XD load v0 --replace\n"
	       "runs v0\n"
	       "got $XD test v0 " ID_A "\n"
	       "got $XD status v0\n"
	       "has 'interfaces  v0 ('\n"
	       "lacks gone\n"
	       "[ \"$(ls $PINS)\" = v0 ]\n" },
	{ "one-interface-has-gone",
	  "ip link add v1 group 7 type veth peer name p1 group 7\n" LOAD " v1 --capacity 10k\n"
	  "ip link del v1\n"
	  "$XD set v0 --action count\n"
	  "got $XD status v0\n"
	  "has \"interfaces  v0 (native)\n\"\n"
	  "ip link add v1 group 7 type veth peer name p1 group 7\n"
	  "$XD set v0 --add v1\n"
	  "runs v1\n"
	  "far; ip link set v1 netns $far; $XD set v0 --action drop; there ip link show v1 | grep -q xdp\n"
	  "kill $far; $XD set v0 --action count; runs v0\n" },
	{ "loads-if-there-is-none",
	  "fails '--port is missing' $XD load v0 --replace\n"
	  "clean\n"
	  "$XD load v0 --replace --port 8001\n"
	  "runs v0\n"
	  "for o in '' '--port 8001' v0; do\n"
	  "	fails 'there is no filter other; xdp-dedup status' $XD load --name other --replace $o\n"
	  "done\n" },
	{ "misused", "exits 2 $XD load --replace --port 8001\n"
		     "has 'which filter?'\n"
		     "exits 2 $XD load v0 --port 8001 --wait\n"
		     "has 'are for --replace'\n"
		     "exits 2 $XD load --port 8001\n"
		     "has 'on which interface?'\n"
		     "clean\n" },
	{ "upgrade",
	  LOAD " p0 --capacity 10k --action count\n"
	       "$XD add v0 " ID_A "\n"
	       /* The new version can read it, */
	       "got $NEXT status v0\n"
	       "has 'of an older xdp-dedup: load --replace --name v0'\n"
	       "has 'at 10000 ids'\n"
	       "got $NEXT status v0 --json\n"
	       "has \"\\\"format\\\": $FORMAT,\"\n"
	       "got $NEXT test v0 " ID_A "\n"
	       "$NEXT add v0 " ID_B "\n"
	       "$NEXT save v0 /mnt/snapshot\n"
	       "$NEXT rotate v0; $NEXT refresh v0\n"
	       /* change it only as a whole, */
	       "fails 'load --replace --name v0' $NEXT set v0 --action drop\n"
	       "got $XD status v0\n"
	       "[ \"$(ls $PINS)\" = v0 ]\n"
	       /* and take it over. */
	       "got $NEXT load --replace --name v0\n"
	       "has 'v0: replaced; what it remembers is kept'\n"
	       "got $NEXT test v0 " ID_A " " ID_B "\n"
	       "got $NEXT status v0\n"
	       "has 'predecessor 81.2 kB'\n"
	       "has 'are counted and passed'\n"
	       "lacks 'of an older'\n"
	       "runs v0; runs p0\n"
	       "$NEXT set v0 --action drop\n"
	       "got $NEXT test v0 " ID_A "\n"
	       "fails \"newer xdp-dedup (format $NEXT_FORMAT;\" $XD status v0\n"
	       "fails \"newer xdp-dedup (format $NEXT_FORMAT;\" $XD load --replace --name v0\n"
	       "fails \"newer xdp-dedup (format $NEXT_FORMAT;\" $XD set v0 --action drop\n"
	       "got $NEXT test v0 " ID_A "\n"
	       "fails 'remove it by xdp-dedup unload --name v0' $XD unload p0\n"
	       "$XD unload --name v0\n"
	       "clean\n" },
	{ "upgrade-of-another-name", LOAD
	  " --name x --capacity 10k\n"
	  "$NEXT load --replace --name x\n"
	  "for verb in 'status v0' 'set v0 --action count' 'load --replace v0' 'test v0 " ID_A "'; do\n"
	  "	fails \"x was loaded by a newer xdp-dedup (format $NEXT_FORMAT;\" $XD $verb\ndone\n"
	  "runs v0; got $NEXT status v0; lacks 'of an older'\n"
	  "$XD unload --name x; clean\n" },
	/* Which streams are delivered stays what it was, and so do the maps of sockets. */
	{ "delivery", DELIVERED
	  "$XD load v0 --profile a=gsp:1 --profile b=gsp:2 --profile c=gsp:3 --deliver xsk:c,a\n"
	  "[ $(delivered $XD) = xsk,stack,xsk ]; maps=$(maps)\n"
	  "$XD load v0 --replace; [ $(delivered $XD) = xsk,stack,xsk ]; [ \"$maps\" = \"$(maps)\" "
	  "]\n"
	  /* By name, wherever the stream is now. */
	  "$XD load v0 --replace --profile b=gsp:2 --profile c=gsp:3 --profile d=gsp:4\n"
	  "[ $(delivered $XD) = stack,xsk,stack ]; [ \"$maps\" = \"$(maps)\" ]\n"
	  "fails 'there is no stream a' $XD load v0 --replace --deliver xsk:a\n"
	  "$XD load v0 --replace --deliver xsk; [ $(delivered $XD) = xsk,xsk,xsk ]\n"
	  "$XD save v0 /mnt/snapshot; $XD load v0 --replace --capacity 20k\n"
	  "[ $(delivered $XD) = xsk,xsk,xsk ]; [ \"$maps\" = \"$(maps)\" ]\n"
	  "$NEXT load v0 --replace --forget; [ $(delivered $NEXT) = xsk,xsk,xsk ]\n"
	  "[ \"$maps\" = \"$(maps)\" ]\n"
	  "$NEXT load v0 --replace --deliver stack; [ $(delivered $NEXT) = stack,stack,stack ]\n"
	  "[ ! -e $PINS/v0/xsks ]; $NEXT unload v0\n"
	  "$NEXT restore v0 /mnt/snapshot; [ $(delivered $NEXT) = xsk,xsk,xsk ]; $NEXT unload v0\n" },
	{ "upgrade-while-there-is-a-predecessor",
	  LOAD " --capacity 10k\n"
	       "$XD resize v0 --capacity 20k\n"
	       "$XD add v0 " ID_A "\n"
	       "fails 'v0 has a predecessor' $NEXT load --replace --name v0\n"
	       "got $XD test v0 " ID_A "\n"
	       "$NEXT load --replace --name v0 --forget\n"
	       "got $NEXT test v0 " ID_A "\n"
	       "$NEXT unload v0\n" },
	{ "upgrade-of-streams",
	  "$XD load v0 --profile rtp:5004 --profile moldudp64:26400@233.54.12.0/24\n"
	  "$NEXT load --replace --name v0\n"
	  "got $NEXT status v0\n"
	  "has rtp\n"
	  "has moldudp64\n"
	  "$NEXT unload v0\n" },
	{ "stream-by-bytes-goes-on", BY_BYTES
	  "$XD load v0 --replace; known $XD\n"
	  "$XD set v0 --action count; known $XD\n"
	  "fails 'v0 has no memory for these streams: xdp-dedup load --replace --name v0 --profile "
	  "rtp:5004 makes it a new filter' $XD set v0 --profile rtp:5004; known $XD\n"
	  "$XD resize v0 --capacity 20k; known $XD\n"
	  "got $XD status v0; has 'id: 10 bytes'; lacks 'a number'\n"
	  "$XD unload v0\n" },
	{ "stream-by-bytes-becomes-numbered",
	  BY_BYTES "got $XD load --replace --name v0 --profile rtp:5004\n"
		   "has 'what stream rtp knew is forgotten'\n"
		   "got $XD status v0; has 'id: a source and a number, 6 bytes'\n"
		   "exits 3 $XD test v0 0000000a0001; has unknown\n"
		   "fails 'give 12 hex digits' $XD test v0 00112233445566778899\n"
		   "$XD unload v0\n" },
	{ "upgrade-of-a-stream-by-bytes",
	  BY_BYTES "$NEXT load v0 --replace; known $NEXT\n"
		   "got $NEXT status v0; has 'id: 10 bytes'\n"
		   "$NEXT load --replace --name v0 --profile rtp:5004 --forget\n"
		   "got $NEXT status v0; has 'id: a source and a number, 6 bytes'\n"
		   "$NEXT unload v0\n" },
	{ "snapshots", LOAD " --capacity 10k\n"
			    "$XD add v0 " ID_A "\n"
			    "$XD save v0 /mnt/snapshot\n"
			    "$XD unload v0\n"
			    "$NEXT restore v0 /mnt/snapshot\n"
			    "got $NEXT test v0 " ID_A "\n"
			    "$NEXT save v0 /mnt/next --forget\n"
			    "$NEXT unload v0\n"
			    "fails 'restore it by the one that saved it' $XD restore v0 /mnt/next\n"
			    "clean\n" },
};

static void set_number(const char *name, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	assert_return_code(setenv(name, text, 1), errno);
}

int main(void)
{
	cli_environment();
	set_number("FORMAT", DEDUP_FORMAT);
	set_number("NEXT_FORMAT", DEDUP_FORMAT + 1);
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("replace");
}
