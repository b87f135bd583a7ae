// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the tool takes, what it refuses, and what it says: its options and its environment, its
 * errors, and scripts in which it is used.
 */
#include "cli_runner.h"

#include "counters.h"
#include "version.h"

/* What nobody can mean: exit 2. */
static const struct misuse {
	const char *name; /* the command */
	const char *says; /* in its one line */
} MISUSES[] = {
	{ "$XD frob", "no verb frob; xdp-dedup help" },
	{ "$XD bench --ids 1k", "a program of its own: xdp-dedup-bench" },
	{ "$XD load v0 p0 v0 --port 80", "v0 is named twice" },
	{ "$XD unload v0 v0", "v0 is named twice" },
	{ "$XD restore x /nope v0 v0", "v0 is named twice" },
	{ "$XD set v0 --add p0 --add p0", "--add p0: it is named twice" },
	{ "$XD load v0 --frob", "does not take --frob; see xdp-dedup load --help" },
	{ "$XD status --port 80", "does not take --port" },
	{ "$XD load v0 -x", "does not take -x" },
	{ "$XD load v0 --port", "--port needs a value" },
	{ LOAD " --window 1h --capacity 1k --window=1m", "--window is given twice" },
	{ "$XD status --json --json", "--json is given twice" },
	{ "$XD unload --all=3", "--all" },
	{ "$XD load v0", "--port is missing" },
	{ "$XD load v0 --port 0", "--port 0: give UDP ports from 1 to 65535" },
	{ LOAD " --for 90", "--for 90: give a time with its unit" },
	{ LOAD " --for 999ms", "--for 999ms: it is 1s to 36500d" },
	{ LOAD " --for 1h --action count",
	  "--for says how long duplicates are dropped, and --action count drops none" },
	{ "$XD load v0 --profile x:80",
	  "--profile x:80: there is no profile x; xdp-dedup profile list" },
	{ "$XD load v0 --profile a=rtp", "the stream a lacks UDP ports, as in --profile a:8001" },
	{ "$XD load v0 --profile rtp:", "--profile rtp:: give UDP ports" },
	{ "$XD load v0 --profile mirror:80",
	  "--profile mirror:80: mirror has no ports, as its layer is not udp" },
	{ "$XD load v0 --profile moldudp64:26400",
	  "the stream moldudp64 lacks destinations, as in --profile moldudp64:PORTS@ADDRESS" },
	{ "$XD load v0 --profile rtp:80@group",
	  "after @ come addresses or prefixes, as in 192.0.2.1,2001:db8::/64" },
	{ "$XD load v0 --profile hsr@10.0.0.1",
	  "--profile hsr@10.0.0.1: hsr has no destinations, as its layer is ethernet" },
	{ "$XD load v0 --profile =rtp:80", "a stream's name has 1 to 31" },
	{ "$XD load v0 --profile a=rtp:80 --profile a=payload:81",
	  "--profile a=payload:81: there is a stream a already" },
	{ "$XD load v0 --profile rtp:80 --profile rtp:80", "--profile rtp:80: it is given twice" },
	{ "$XD load v0 --profile a=payload:80 --profile rtp:81 --deliver xsk:a,rtp,a",
	  "--deliver xsk:a,rtp,a: named twice: a" },
	{ "$XD load v0 --profile 'rtp:80#'", "after # comes a realm's name" },
	{ "$XD load v0 $(seq -f '--profile rtp:%g' 17)", "at most 16 streams" },
	{ LOAD " $(seq -f '--profile rtp:%g' 16)", "a filter has at most 16 streams, with --port's" },
	{ "$XD size --profiles /nope --profile rtp", "cannot read /nope: No such file or directory" },
	{ "$XD profile frob x", "usage: xdp-dedup profile list | show" },
	{ "$XD profile show rtp --json", "usage: xdp-dedup profile list |" },
	{ "$XD size --capacity 0", "--capacity 0: a filter must hold" },
	{ "$XD size --profile rtp:80 --capacity 1100G",
	  "--capacity 1100G: a filter must hold at least 1 id, and at most 1099511627776" },
	{ "$XD size --capacity x", "--capacity x: give a number" },
	{ "$XD size --fpr 0", "--fpr 0: give a rate above 0" },
	/* Filters keep it in units of 1e-18. */
	{ "$XD size --fpr 1e-19", "--fpr 1e-19" },
	{ "$XD size --window 10", "--window 10: give a time with" },
	{ "$XD size --window 9ms", "--window 9ms: a window is 10ms to 30d" },
	{ LOAD " --to host", "--to host: give addresses or prefixes" },
	{ LOAD " --to ::ffff:10.0.0.1/24",
	  "--to ::ffff:10.0.0.1/24: write a prefix of IPv4 as 192.0.2.0/24" },
	{ LOAD " --vlan 0", "--vlan 0: give VLAN ids from 1 to 4094, or none" },
	{ LOAD " --comment '\t'", "give printable ASCII" },
	{ LOAD " --comment $(printf %064d 0)", "at most 63 characters" },
	{ LOAD " --forwarded=1", "--forwarded takes no value" },
	{ LOAD " --sources 64",
	  "--sources is for numbered streams, and the filter has none; leave it out" },
	{ "$XD load v0 --profile payload:80 --paths 2",
	  "--paths is for numbered streams, and the filter has none; leave it out" },
	{ LOAD " --mode x", "--mode x: it is native, skb or hw" },
	{ "$XD want v0", "usage: xdp-dedup want NAME[/STREAM] ID..." },
	{ LOAD " --name a.b", "--name a.b: 1 to 32 letters" },
	{ LOAD " --name ../x", "--name ../x: 1 to 32 letters" },
	{ LOAD " --name ''", "--name: it must not be empty" },
	{ LOAD " --name --port", "--name --port: 1 to 32 letters" },
	{ "$XD help --frob", "no verb --frob; xdp-dedup help" },
	{ LOAD " --name " ZEROS, "1 to 32 letters" },
	{ "$XD load", "on which interface? as in xdp-dedup load eth0" },
	{ "$XD status a b", "usage: xdp-dedup status" },
	{ "$XD rotate", "usage: xdp-dedup rotate NAME" },
	{ "$XD add v0", "usage: xdp-dedup add NAME[/STREAM] ID..." },
	{ "$XD unload", "takes interfaces, or --name NAME, or --all" },
	{ "$XD unload v0 --all", "takes interfaces, or --name" },
	/* Only all options together are wrong. */
	{ "$XD load v0 --profile 'rtp:80#a' --profile 'payload:81#a'",
	  "rtp and payload cannot share a realm: their numbers differ in width, byte order, history or reset" },
	{ "$XD load v0 --profile hsr --learn app",
	  "--learn app is not for hsr: packets alone teach the numbers of a numbered stream" },
	{ LOAD " --outer-to 10.0.0.1", "--outer-to" },
	{ "$XD replay /nope --profile mirror --outer-to 10.0.0.1", "--outer-to" },
	{ "$XD load v0 --profile payload:80 --tunnels gre --deliver xsk", "--deliver" },
	{ LOAD " --bits 8192", "--bits" },
	{ "$XD replay /nope --port 80 --bits 8192", "--bits" },
	{ "$XD load --replace v0", "--port is missing" },
	{ "XDP_DEDUP_CAPACITY=x $XD size", "XDP_DEDUP_CAPACITY x: give" },
	{ "XDP_DEDUP_FPR=1 " LOAD, "XDP_DEDUP_FPR 1: give a rate" },
	{ "XDP_DEDUP_WINDOW=9 $XD size", "XDP_DEDUP_WINDOW 9: give a time" },
};

/* What cannot be done: exit 1, and everything is as it was. */
static const struct misuse FAILURES[] = {
	{ "$XD profile show x", "there is no profile x; xdp-dedup profile" },
	{ "$XD profile check /mnt/x", "cannot read /mnt/x: No such" },
	{ "$XD profile check /mnt", "cannot read /mnt: Is a dir" },
	{ "$XD load nope --port 80", "no interface nope" },
	{ "$XD load v0 nope --port 80", "no interface nope" },
	{ LOAD " --capacity $HUGE --fpr 0.01 --window 720h",
	  "of memory are free; lower --capacity or raise --fpr" },
	{ LOAD " --capacity 1G --window 100ms", "--window 100ms is too short" },
	{ LOAD " --mode hw", "without --mode the best" },
	{ "$XD load b0 --port 80 --mode native", "without --mode the" },
	{ "$XD load v0 b0 --port 80 --mode native", "cannot attach to b0 in native mode" },
	{ "$NOBODY load v0 --port 80",
	  "not permitted: load needs CAP_BPF and CAP_PERFMON and CAP_NET_ADMIN; run as root" },
	{ "$XD status nope", "no filter nope; xdp-dedup status lists" },
	{ "$XD rotate nope", "no filter nope" },
	{ "$XD add nope " ID_A, "no filter nope" },
	{ "$XD test ../xdp-dedup " ID_A, "no filter .." },
	{ "$XD unload v0", "v0 runs no filter; xdp-dedup status lists" },
	{ "$XD unload --name nope", "no filter nope" },
};

/* What cannot be done after another command, which must succeed. */
static const struct failure {
	const char *name, *says; /* as above */
	const char *before;
} FAILURES_AFTER[] = {
	{ "$XD profile check /mnt/x", "/mnt/x has more than 262144 bytes: no file of profiles",
	  "head -c 300000 /dev/zero >/mnt/x" },
	{ "$XD profile check /mnt/x", "/mnt/x:3:6: frame-8:4 ends before the frame begins",
	  "printf '[profile a]\nlayer = udp\nid = frame-8:4\n' >/mnt/x" },
	{ "$XD profile check /mnt/x", "/mnt/x:1:1: there is no [profile NAME] here", ">/mnt/x" },
	{ "$XD profile list --profiles /mnt/x", "/mnt/x:2:6: a field begins with frame, tag, ip",
	  "printf '[profile a]\nid = x\n' >/mnt/x" },
	{ "$XD load v0 other --port 80", "twice", "ip link property add dev v0 altname other" },
	{ LOAD " --name x",
	  "v0 already runs the filter v0; xdp-dedup set, resize or load --replace change it;", LOAD },
	{ "$XD load b0 --name v0 --port 80",
	  "v0 is loaded already; xdp-dedup set, resize or load --replace change it; --name", LOAD },
	{ "$XD load --replace --name typo v0", "no filter typo", LOAD },
	{ LOAD, "if libxdp's dispatcher runs it (bpftool net shows xdp_dispatcher): --share; else",
	  "ip link set v0 xdpdrv pinned $OTHER" },
	{ LOAD " --mode native", "v0 runs another XDP program",
	  "ip link set v0 xdpgeneric pinned $OTHER" },
	{ "$XD load p0 v0 --port 80", "v0 runs another XDP program",
	  "ip link set v0 xdpdrv pinned $OTHER" },
	{ "$NOBODY unload --all", "run as root", LOAD },
	{ "$NOBODY status", "run as root", LOAD },
	{ "$XD add v0 " ZEROS "00", "is no id: all zero stands for none", LOAD },
	{ "$XD unload p0", "p0 runs no filter", LOAD },
	{ "$XD unload v0", "v0 runs no filter", "ip link set v0 xdpdrv pinned $OTHER" },
};

/* What nobody can mean of the filter v0: what an id looks like it says, and what goes together. */
static const struct misuse MISUSES_OF_A_FILTER[] = {
	{ "$XD set v0 --outer-to 10.0.0.1", "--outer-to is for" },
	{ "$XD set v0 --tunnels gre --deliver xsk", "leave one of --deliver and --tunnels out" },
	{ "$XD set v0 --deliver xsk:a", "there is no stream a" },
	{ "$XD set v0 --remove v0", "v0 would run nowhere" },
	{ "$XD resize v0 --bits 8192", "--bits is for --layout flat" },
	{ "$XD resize v0 --sources 64", "--sources is for numbered streams, and the filter has none" },
	{ "$XD load --replace v0 --paths 2", "--paths is for numbered" },
	{ "$XD want v0 x", "x is no id: give 64 hex digits" },
	{ "$XD add v0 " ZEROS, "is no id: give 64 hex digits" },
	{ "$XD add v0 " ID_A " " ZEROS "xy", ZEROS "xy is no id" },
};

static void assert_refused(int status, const char *command, const char *says)
{
	char before[4096];

	cli_take_stock(before, sizeof(before));
	assert_run(status, command);
	assert_one_line(says);
	cli_assert_stock(before);
}

static void run_misuse(void **state)
{
	const struct misuse *row = *state;

	assert_refused(2, row->name, row->says);
}

static void run_failure(void **state)
{
	const struct misuse *row = *state;

	assert_refused(1, row->name, row->says);
}

static void run_failure_after(void **state)
{
	const struct failure *row = *state;

	assert_run(0, row->before);
	assert_refused(1, row->name, row->says);
	sh("ip link set v0 xdp off; ip link set v0 xdpgeneric off"); /* another's: ours to take */
}

static void run_misuse_of_a_filter(void **state)
{
	const struct misuse *row = *state;

	assert_run(0, LOAD);
	assert_refused(2, row->name, row->says);
}

/* Defaults come from the environment, and options win. */
static const struct env_row {
	const char *name, *env, *options, *key;
	double value;
} ENVS[] = {
	{ "env-capacity", "XDP_DEDUP_CAPACITY=5k", "", "capacity", 5000 },
	{ "env-capacity-option", "XDP_DEDUP_CAPACITY=5k", "--capacity 6k", "capacity", 6000 },
	{ "env-capacity-empty", "XDP_DEDUP_CAPACITY=", "", "capacity", 1e6 },
	{ "env-fpr", "XDP_DEDUP_FPR=0.01", "", "fpr", 0.01 },
	{ "env-fpr-option", "XDP_DEDUP_FPR=0.01", "--fpr 1e-3", "fpr", 1e-3 },
	{ "env-window", "XDP_DEDUP_WINDOW=30s", "", "window_ns", 30e9 },
	{ "env-window-option", "XDP_DEDUP_WINDOW=30s", "--window 1h", "window_ns", 3600e9 },
	/* Between built-in defaults and all others: the strictest of the profiles. */
	{ "profile-window", ":;", "--profile payload", "window_ns", 1e9 },
	{ "profile-window-strictest", ":;",
	  "--profile rtp --profile payload --profile mirror --profile gsp", "window_ns", 50e6 },
	{ "profile-fpr-strictest", ":;",
	  "--profile rtp --profile payload --profile mirror --profile gsp", "fpr", 1e-7 },
	{ "profile-window-option", ":;", "--profile payload --window 1h", "window_ns", 3600e9 },
	{ "profile-window-env", "XDP_DEDUP_WINDOW=30s", "--profile payload", "window_ns", 30e9 },
	{ "profile-without-window", ":;", "--profile gsp", "window_ns", 600e9 },
};

static void run_env(void **state)
{
	const struct env_row *row = *state;
	json_object *o;
	char command[256];

	snprintf(command, sizeof(command), "%s $XD size %s --json", row->env, row->options);
	o = json_of(command);
	assert_number(o, row->key, row->value);
	json_object_put(o);
}

TEST(help_counters)
{
	assert_run(0, "$XD help counters 2>/dev/null");
#define X(name, help) assert_says("  " #name " "), assert_says(" %s\n", help);
	DEDUP_COUNTERS(X)
#undef X
}

/* $B and $L run the tool as root with the rights that it states: for filters that run, and for
 * those that are loaded or changed. The others lack CAP_BPF, CAP_PERFMON, or CAP_NET_ADMIN.
 */
#define RIGHTS                                                                             \
	"as='setpriv --inh-caps -all --bounding-set -all'\n"                               \
	"B=\"$as,+bpf $XD\" L=\"$as,+bpf,+perfmon,+net_admin $XD\"\n"                      \
	"NB=\"$as,+perfmon,+net_admin $XD\" NP=\"$as,+bpf,+net_admin $XD\"\n"              \
	"NA=\"$as,+bpf,+perfmon $XD\"\n"                                                   \
	"ends() { timeout 1 \"$@\" >/mnt/out 2>&1 || :; not grep -i 'permitted\\|cannot' " \
	"/mnt/out; }\n"

static const struct cli_script SCRIPTS[] = {
	{ "help",
	  "got $XD help 2>/dev/null\n"
	  "for v in load unload status rotate reset add test want size profile help; do has \"\n  "
	  "$v \"; done; lacks bench\n"
	  "$XD help 2>/dev/null >/mnt/a; $XD --help 2>/dev/null | cmp - /mnt/a\n"
	  "[ \"$($XD --version)\" = \"xdp-dedup " XDP_DEDUP_VERSION "\" ]\n"
	  "$XD 2>/mnt/b >/mnt/c || [ $? = 2 ]; cmp /mnt/a /mnt/b; [ ! -s /mnt/c ]\n"
	  /* Texts begin in one column, those of long usages in the next line. */
	  "sed '/^  [^ ].*\\]$/d; s/^  .\\{42\\} [^ ].*/ok/' /mnt/a >/mnt/b\n"
	  "not grep '^  ' /mnt/b\n" },
	{ "help-of-help",
	  "got $XD help help; has 'usage: xdp-dedup help [VERB | counters]'; first=$output\n"
	  "for h in --help -h; do got $XD help $h; is \"$first\"; done\n" },
	/* Every option that a verb parses, and none else; asked for in any way, and of whatever. */
	{ "help-of-verbs",
	  "options='name mode port profile profiles capacity fpr window action learn to forwarded "
	  "ihave layout hash bits hashes index-bits\n"
	  "countdown-bits ids fill rounds copies warm json all exact verbose'\n"
	  "for v in load unload status refresh rotate reset add test remove want size profile; do\n"
	  "	got $XD $v --help; has \"usage: xdp-dedup $v\"; first=$output\n"
	  "	for o in $options; do case $o in name) word='--name=' ;; *) word=--$o=; esac\n"
	  "		code=0; text=$($XD $v $word 2>&1) || code=$?\n"
	  "		case $text in *'does not take'*) lacks \"\n  --$o \" ;; *) has \"\n  --$o "
	  "\"; esac\n"
	  "	done\n"
	  "	for words in '-h' 'x y -h' 'x --help --frob'; do\n"
	  "		got env XDP_DEDUP_WINDOW=x $XD $v $words; is \"$first\"; done\n"
	  "	got $XD help $v; is \"$first\"\n"
	  "done; got $XD load --help; has 'XDP_DEDUP_WINDOW sets the default of --window'\n"
	  "exits 1 $XD test nope -- " ID_A "\n" },
	{ "profiles",
	  "[ \"$($XD profile list | cut -d' ' -f1 | sort)\" = \"$(cd user/spec/profiles; ls *.ini | "
	  "sed 's/.ini$//' | sort)\" ]\n"
	  "got $XD profile list; has 'moldudp64        market data  MoldUDP64 market data, A and B'\n"
	  "[ \"$($XD profile list | cut -c18-29 | uniq)\" = \"$($XD profile list | cut -c18-29 | sort "
	  "-u)\" ]\n"
	  "[ \"$($XD profile list --json | jq -r '.profiles[].name')\" = \"$($XD profile list | "
	  "cut -d' ' -f1)\" ]\n"
	  "got sh -c \"$XD profile list --json | jq -c '.profiles[] | [.name, .layer, .words, "
	  ".sequence_bits, .window_ns, .fpr, .builtin]'\"\n"
	  "has '[\"payload\",\"udp\",1,0,1000000000,1e-06,true]'\n"
	  "has '[\"rtp\",\"udp\",2,16,null,null,true]'\n"
	  "for p in $($XD profile list | cut -d' ' -f1); do $XD profile show $p >/mnt/a\n"
	  "	grep -q \"^\\[profile $p\\]\" /mnt/a; grep -q '; Duplicate:' /mnt/a\n"
	  "	grep -q '; Forger:' /mnt/a; grep -q '; A false positive:' /mnt/a\n"
	  /* A copy of a profile may take the profile's place; except gsp's. */
	  "	[ $p = gsp ] || { got $XD profile check /mnt/a; has \"$p: OK: layer \"; }; done\n"
	  "$XD profile show gsp >/mnt/a; fails '/mnt/a:1:1: gsp stays' $XD profile check "
	  "/mnt/a\n" },
	/* A later file replaces what earlier ones have. */
	{ "profiles-of-the-host",
	  "mount -t tmpfs none /etc; P=/etc/xdp-dedup/profiles; mkdir -p $P\n"
	  "got $XD profile list; lacks mine; printf '[profile mine]\nlayer = ip\nid = packet\nuse = "
	  "site\n[profile rtp]\nlayer = udp\nid = payload\nwindow = 3s\n' >$P/b.ini\n"
	  "echo nonsense >$P/a.txt; echo nonsense >$P/.ini\n"
	  "got $XD profile list; has '\nmine             site         '\n"
	  "got $XD size --json --profile rtp; has '\"window_ns\": 3000000000,'\n"
	  "got sh -c \"$XD profile list --json | jq -c '.profiles[] | select(.builtin | not) | "
	  "[.name,.use]'\"; is '[\"rtp\",null]\n[\"mine\",\"site\"]'\n"
	  "printf '[profile mine]\nlayer = udp\nid = payload\nwindow = 4s\n' >/mnt/a\n"
	  "got $XD profile check /mnt/a; is 'mine: OK: layer udp, 0 gates, an id of 1 word'\n"
	  "got $XD size --json --profiles /mnt/a --profile mine:9; has '\"window_ns\": 4000000000,'\n"
	  "cp /mnt/a $P/c.ini; fails \"$P/c.ini:1:1: there is a profile mine already\" $XD size "
	  "--profile rtp\n"
	  "echo nonsense >$P/c.ini; fails \"$P/c.ini:1:1: a line is\" $XD profile list\n"
	  "rm -r $P; touch $P; fails \"cannot read $P: Not a directory\" $XD profile list\n"
	  "umount /etc; $XD profile list >/mnt/a\n" },
	{ "profile-of-frames",
	  "printf '[profile goose]\nlayer = ethernet\nethertype = 0x88b8\nid = frame+6:6 "
	  "frame:99\n' >/mnt/a\n"
	  "$XD load v0 --profiles /mnt/a --profile goose --capacity 10k\n"
	  "got $XD status v0; has 'frames of EtherType 0x88b8; realm 0; id: 6 bytes and a digest "
	  "of the frame'\n"
	  "got sh -c \"$XD status v0 --json | jq -r '.streams[0].digest'\"; is frame\n"
	  "$XD save v0 /mnt/snapshot; $XD unload v0; $XD restore v0 /mnt/snapshot\n"
	  "got $XD status v0; has 'a digest of the frame'; $XD unload v0\n" },
	{ "profile-of-numbers",
	  "printf '[profile n]\nlayer = udp\nsource = payload+8:4\nsequence = payload+2:2\n' "
	  ">/mnt/a\n"
	  "cat /mnt/a >/mnt/b; printf 'reset = 1s\n' >>/mnt/b; N='--profiles /mnt/a --profile "
	  "n:5004'\n"
	  "got $XD profile check /mnt/a\n"
	  "is 'n: OK: layer udp, 0 gates, a number of 16 bits, a source of 1 word'\n"
	  "got $XD size $N --sources 64\n"
	  "is 'sources        64, of 16.6 kB each\nfilter         1069184 bytes (1.1 MB)'\n"
	  "fails '--learn app is not for n' $XD load v0 $N --learn app\n"
	  "printf '[profile n]\nlayer = udp\nsequence = payload+0:4\nhistory = 16M\n' >/mnt/c\n"
	  "fails 'the numbers of 1000000 sources take too much memory; lower --sources' $XD size "
	  "--profiles /mnt/c --profile n:5004 --sources 1M\n"
	  "$XD load v0 $N --sources 64\n"
	  "got $XD status v0\n"
	  "has 'id: a source and a number, 6 bytes; history 65504 numbers, reset 20ms'\n"
	  "has 'sources     0 of at most 64; no fresh number is lost'\n"
	  "got sh -c \"$XD status v0 --json | jq -c '[.sources, .sources_used, "
	  ".streams[0].sequence]'\"\n"
	  "is '[64,0,{\"bits\":16,\"history\":65504,\"reset_ns\":20000000,"
	  "\"counts_messages\":false}]'\n"
	  "fails 'no packet of its sender has come lately' $XD add v0 000000010005\n"
	  "exits 3 $XD test v0 000000010005; has unknown\n"
	  "$XD rotate v0; $XD reset v0; $XD set v0 --action count\n"
	  "fails 'v0 has no memory for these streams' $XD set v0 --profiles /mnt/b --profile n:5004\n"
	  "has '--replace --name v0 --profiles /mnt/b --profile n:5004 makes it a new filter'\n"
	  "fails 'v0 has no memory for these streams' $XD set v0 --profile payload:5004 --to "
	  "2001:db8::/32,192.0.2.1 --port 8001-8003,9000 --profile mirror-l2\n"
	  "has '--replace --name v0 --port 8001-8003,9000 --profile payload:5004 --profile "
	  "mirror-l2 --to 192.0.2.1,2001:db8::/32 makes it a new filter'\n"
	  "$XD save v0 /mnt/snapshot; $XD unload v0; got sh -c \"$XD restore v0 /mnt/snapshot 2>&1\"\n"
	  "has 'numbers are not saved'; lacks 'what it remembered'; $XD unload v0\n" },
	{ "largest-capacity-is-restored",
	  "for o in '--profile rtp:5004 --sources 64' '--port 1 --layout flat --bits 100000'; do\n"
	  "$XD load v0 $o --capacity 1099511627776; $XD save v0 /mnt/snapshot; $XD unload v0\n"
	  "$XD restore v0 /mnt/snapshot; $XD unload v0; done\n" },
	/* Those of earlier streams stay in the table, and refuse no change. */
	{ "sources-of-earlier-streams",
	  "$XD load v0 --profile rtp:5004 --profile payload:81 --sources 64 --paths 2\n"
	  "$XD set v0 --profile payload:81; $XD set v0 --action count; $XD load --replace v0\n"
	  "fails '--sources is for numbered streams' $XD resize v0 --sources 9\n"
	  "$XD set v0 --profile rtp:5004 --profile payload:81; got $XD status v0; has 'most 64'\n"
	  "$XD set v0 --profile payload:81; $XD resize v0 --capacity 10k; $XD unload v0\n" },
	/* Files may be named before or after what uses them. */
	{ "profiles-of-a-file",
	  "printf '[profile mine]\nabout = my own\nlayer = udp\nid = payload+0:4\nwindow = 2s\n"
	  "[profile rtp]\nlayer = udp\nid = payload\nwindow = 3s\n' >/mnt/a\n"
	  "printf '[profile other]\nlayer = ip\nid = packet\nlearn = app\n' >/mnt/b\n"
	  "got $XD profile check /mnt/a; is 'rtp: OK: layer udp, 0 gates, an id of 1 word\n"
	  "mine: OK: layer udp, 0 gates, an id of 1 word'\n"
	  "got $XD profile list --profiles /mnt/a; has 'mine             -            my own'\n"
	  "got $XD profile show rtp --profiles /mnt/a; is '[profile rtp]\nlayer = udp\nid = "
	  "payload\n"
	  "window = 3s'\n"
	  "got $XD size --json --profile mine --profiles /mnt/b --profiles /mnt/a\n"
	  "has '\"window_ns\": 2000000000,'\n"
	  "got $XD size --json --profiles /mnt/a --profile rtp; has '\"window_ns\": 3000000000,'\n"
	  "fails '/mnt/a:1:1: there is a profile mine already' $XD profile list --profiles /mnt/a "
	  "--profiles /mnt/a\n"
	  "exits 2 $XD load v0 --profile other --profiles /mnt/b\n"
	  "has 'the stream other needs --learn app: its profile says why'\n"
	  "$XD load v0 --profile other --profiles /mnt/b --learn app\n"
	  "exits 2 $XD set v0 --learn kernel; has 'the stream other needs --learn app'\n"
	  "$XD set v0 --profile other --profiles /mnt/b; $XD unload v0\n"
	  "printf '[profile a]\nlayer = udp\nid = x\n' >/mnt/a\n"
	  "exits 2 $XD load v0 --profile a:80 --profiles /mnt/a\n"
	  "has 'xdp-dedup: /mnt/a:3:6: a field begins with'\n" },
	{ "profile-of-gsp", /* as --port */
	  "$XD load v0 --profile gsp:8001@10.0.0.1; got $XD status; has 'GSP/1'; has 'UDP port "
	  "8001'\n"
	  "$XD unload v0; $XD load v0 --profile gsp:8001 --window 1h; $XD add v0 " ID_A "\n" },
	{ "full-disk", LOAD
	  "; for v in help 'help load' 'help counters' --version status 'status --json' size; do\n"
	  "fails 'cannot write all of the output' sh -c \"$XD $v >/dev/full\"; done\n"
	  "exits 1 sh -c '$XD status >/dev/full'; exits 2 sh -c '$XD help frob >/dev/full'\n"
	  "exits 1 sh -c '$XD status >&-'; got sh -c '$XD unload v0 >&-'; is ''\n" },
	{ "name-like-an-option", /* of before: it can be looked at and removed */
	  LOAD "; mv $PINS/v0 $PINS/-x; got $XD status; has '-x: GSP/1'; $XD status -- -x\n"
	       "$XD add -- -x " ID_A "; $XD unload --name -x; clean; idle v0\n" },
	{ "ports-32", "ports=$(for i in $(seq 10 41); do echo ${i}001-${i}999; done | paste -sd,)\n"
		      "$XD load v0 --port $ports; got $XD status; has \"UDP port $ports, dup\"\n" },
	/* A filter's name first, then what runs there, then what did. */
	{ "name-or-interface",
	  "$XD load v0 p0 --port 80; got $XD status p0; has 'v0: GSP/1'\n"
	  "got $XD add p0 " ID_A "; got $XD test p0 " ID_A "; $XD rotate p0; $XD reset p0\n"
	  "$XD refresh p0\n"
	  "exits 3 $XD test p0 " ID_A "; fails 'cannot take ids out' $XD remove p0 " ID_A "\n"
	  "got $XD status p0 --json; has '\"name\": \"v0\"'; $XD unload p0; fails 'no filter p0' "
	  "$XD status p0\n"
	  "$XD load p0 --port 80 --name b; got $XD status p0; has 'b: GSP/1'\n"
	  "bpftool link detach pinned $PINS/b/link-p0; got $XD status p0; has 'b: GSP/1'\n"
	  "$XD load p0 --port 80 --name c; got $XD status p0; has 'c: GSP/1'\n"
	  "bpftool link detach pinned $PINS/c/link-p0\n"
	  "fails 'p0 runs no filter now, and did run b and c; say which' $XD status p0\n"
	  "fails 'did run b and c' $XD unload p0; got $XD status b; $XD unload --name b\n"
	  "got $XD status p0; has 'c: GSP/1'; $XD load p0 --port 80 --name d; rm -r $PINS/d\n"
	  "soon idle p0; got $XD status p0; has 'c: GSP/1'; $XD unload p0 v0; clean\n" },
	/* Verbs that do not take the option do not look at its variable. */
	{ "env-load",
	  "XDP_DEDUP_CAPACITY=5k XDP_DEDUP_FPR=0.5 XDP_DEDUP_WINDOW=30s " LOAD " --fpr 0.25\n"
	  "got env XDP_DEDUP_CAPACITY=x XDP_DEDUP_FPR=x XDP_DEDUP_WINDOW=x $XD status --json\n"
	  "has '\"capacity\": 5000,'; has '\"fpr\": 0.25,'; has '\"window_ns\": 30000000000,'\n" },
	{ "ids", LOAD "; exits 3 $XD test v0 " ID_A "; is '" ID_A " unknown'\n"
		      "got $XD add v0 " ID_A " " ID_A "; is '" ID_A " new\n" ID_A " known'\n"
		      "exits 3 $XD test v0 " ZEROS "ab " ZEROS "AB " ID_B "\n"
		      "is '" ZEROS "ab known\n" ZEROS "AB known\n" ID_B " unknown'\n"
		      "got $XD add v0 - </dev/null; is ''\n" },
	{ "ids-lines", /* blank, and as Windows ends them */
	  LOAD "; printf '\\n\\r\\n" ID_B "\\r\\n\\n" ID_A "' >/mnt/a\n"
	       "got $XD add v0 - </mnt/a; is '" ID_B " new\n" ID_A " new'\n" },
	{ "ids-no-lines", /* a read that fails is not the end of the input */
	  LOAD "; fails 'cannot read ids: Is a directory' $XD add v0 - </mnt\n"
	       "printf '" ID_A "\\n" ID_B "\\0\\n' >/mnt/a\n"
	       "exits 1 $XD add v0 - </mnt/a; has 'cannot read ids: a line has a 0 byte in it'\n"
	       "printf '" ID_B "\\r\\r\\n' >/mnt/a; fails 'is no id' $XD add v0 - </mnt/a\n"
	       "exits 3 $XD test v0 " ID_A " " ID_B "; is '" ID_A " known\n" ID_B " unknown'\n" },
	{ "ids-bad-line", /* what comes before it is done, what comes after is not */
	  LOAD "; printf '" ID_A "\\nxyz\\n" ID_B "\\n' >/mnt/a\n"
	       "fails 'xyz is no id: give 64 hex digits' $XD add v0 - </mnt/a\n"
	       "exits 3 $XD test v0 " ID_A " " ID_B "; is '" ID_A " known\n" ID_B " unknown'\n"
	       "echo " ZEROS "00 >/mnt/a; fails 'all zero stands for none' $XD add v0 - </mnt/a\n" },
	{ "want", LOAD "; $XD add v0 " ID_A "; got $XD want v0 " ID_A " " ID_B "; is '" ID_A
		       " wanted\n" ID_B " unknown'; echo " ID_A " >/mnt/a; got $XD want v0 - </mnt/a\n"
		       "is '" ID_A " wanted'; got $XD test v0 " ID_A "; is '" ID_A " known'\n" },
	{ "want-too-many",
	  LOAD "; seq -f %064.0f 4097 >/mnt/a; $XD add v0 - </mnt/a >/mnt/b\n"
	       "fails 'is one too many' $XD want v0 - </mnt/a\n"
	       "$XD want v0 - </mnt/a >/mnt/b || [ $(grep -c ' wanted$' /mnt/b) = 4096 ]\n" },
	{ "add-overload", /* more than fit are all taken in: the window gets shorter */
	  LOAD " --capacity 1 --window 1h; $XD add v0 - </mnt/ids >/mnt/a\n"
	       "[ $(grep -c ' new$' /mnt/a) -gt 1990 ]; $XD unload v0\n" LOAD
	       " --capacity 100 --window 1h; $XD add v0 - </mnt/ids >/mnt/a\n"
	       "[ $(grep -c ' new$' /mnt/a) -gt 1990 ]; got $XD status v0; has 'estimate    '\n"
	       "[ $(echo \"$output\" | sed -n 's/.*estimate *\\([0-9]*\\) ids.*/\\1/p') -lt 500 ]\n" },
	{ "rotate-reset", LOAD
	  " --capacity 10M --window 1h; $XD add v0 " ID_A "\n"
	  "timeout 20 $XD rotate v0; got $XD test v0 " ID_A "; is '" ID_A " known'\n"
	  "timeout 20 $XD rotate v0; exits 3 $XD test v0 " ID_A "; is '" ID_A " unknown'\n"
	  "$XD add v0 " ID_B "; timeout 20 $XD reset v0; exits 3 $XD test v0 " ID_B "\n"
	  "is '" ID_B " unknown'; got $XD status v0; has 'estimate    0 ids'; has 'of turn 5;'\n" },
	{ "unload-one-of-two",
	  "$XD load v0 p0 --port 80; $XD unload v0; idle v0; runs p0; got $XD status v0\n"
	  "has 'interfaces  p0 (native)\n'; $XD unload p0; clean\n" },
	{ "unload-several",
	  LOAD " --name a; $XD load p0 --port 80 --name b; $XD unload v0 p0; clean; idle v0\n" },
	{ "unload-name",
	  LOAD " --name a; $XD load p0 --port 80 --name b; $XD unload --name a\n"
	       "idle v0; runs p0; fails 'v0 runs no filter' $XD unload v0 p0; idle p0; clean\n" },
	{ "name-of-dotted-interface",
	  "ip link add v.1 group 7 type bridge; got $XD load v.1 --port 80\n"
	  "has 'note: the filter is called v_1'; got $XD status v_1; has 'v.1 (skb)'\n"
	  "$XD unload v.1; clean\n" },
	{ "skb-fallback", "got $XD load v0 b0 --port 80; has 'xdp-dedup: note: b0 has no native XDP'\n"
			  "got $XD status; has '(native)'; has 'b0 (skb)'\n"
			  "got $XD status v0 --json; has '\"mode\": \"mixed\"'; $XD unload v0 b0\n"
			  "got " LOAD " --mode skb; lacks note; got $XD status; has 'v0 (skb)'\n" },
	/* An interface's second name stands for that interface. */
	{ "interface-altname",
	  "ip link property add dev v0 altname other; $XD load other --port 80; got $XD status\n"
	  "has 'interfaces  v0 (native)\n'; $XD unload other; idle v0\n"
	  "$XD load v0 p0 --port 80; $XD set v0 --remove other; idle v0; $XD unload p0\n" },
	{ "interface-renamed",
	  LOAD "; ip link set v0 name w0; got $XD status; has 'interfaces  w0 (native)\n'\n"
	       "$XD unload w0; idle w0; clean\n" },
	{ "interface-renamed-unload-by-the-old-name",
	  LOAD "; ip link set v0 name w0; fails 'v0 runs no filter' $XD unload v0; runs w0\n"
	       " $XD unload --name v0; idle w0; clean\n" },
	{ "other-netns", /* from anywhere */
	  "elsewhere=\"unshare --net $XD\"; for v in '--name v0' --all; do " LOAD "\n"
	  "$elsewhere set v0 --ihave pass; $elsewhere resize v0 --capacity 20k; runs v0\n"
	  "got $elsewhere status; has 'v0 (other netns)'; $elsewhere unload $v; idle v0; clean; done\n" },
	{ "pins-that-others-can-change",
	  LOAD "; for how in 'chmod 720' 'chmod 702' 'chown 65534'; do $how $PINS\n"
	       "	fails 'could be changed by others than root' $XD load p0 --port 80\n"
	       "	for v in 'status v0' 'unload v0' 'rotate v0' 'add v0 " ID_A "'; do\n"
	       "		fails 'could be changed by others than root' $XD $v\n"
	       "	done\n"
	       "	chmod 700 $PINS; chown 0 $PINS; $XD status v0; done\n"
	       "chmod 755 $PINS-lock; fails \"$PINS-lock could be changed\" $XD unload v0\n"
	       "runs v0; chmod 700 $PINS-lock; $XD unload v0; rm -r $PINS\n"
	       "ln -s /sys/fs/bpf $PINS; fails 'cannot use' " LOAD "; rm $PINS; idle v0\n" },
	/* Users who may read filters cannot keep others from changing them. */
	{ "load-is-not-held-up-by-readers",
	  LOAD "; $XD unload v0; chmod 755 /sys/fs/bpf $PINS\n"
	       "nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"; }\n"
	       "not nobody flock $PINS-lock true\n"
	       "nobody flock $PINS sh -c 'while [ -e /mnt/ids ]; do sleep 0.1; done' &\n"
	       "while flock --nonblock $PINS true; do sleep 0.01; done\n" LOAD
	       "; $XD unload v0; rm /mnt/ids; wait\n" },
	{ "capabilities-without-root",
	  "chown 65534 /sys/fs/bpf; c=+bpf,+perfmon,+net_admin\n"
	  "can() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $c \\\n"
	  "	--ambient-caps $c /mnt/tool \"$@\"; }\n"
	  "can load v0 --port 80; runs v0; got can status v0; has '(native)'\n"
	  "can add v0 " ID_A "; can rotate v0; can unload v0; idle v0; clean\n"
	  "rm -r $PINS $PINS-lock; chown 0 /sys/fs/bpf\n" },
	/* The service's unit and the packages give these. */
	{ "rights-suffice", RIGHTS
	  "for more in '' '--deliver xsk'; do $L load v0 p0 --name v0 --port 80 $more\n"
	  "$B status; $B status p0; $B status v0 --json >/mnt/j; $B refresh\n"
	  "$B add v0 " ID_A "; $B test v0 " ID_A "; $B want v0 " ID_A "; $B rotate p0\n"
	  "$B reset v0; $B save v0 /mnt/s; ends $B sample v0; ends $B watch v0 --json\n"
	  "$L set v0 --action count; $L set v0 --remove p0; $L set v0 --add p0\n"
	  "$L load --replace --name v0; $L resize v0 --capacity 20k; $L resize v0 --forget --fpr 1e-5\n"
	  "far; ip link set v0 netns $far; $L set v0 --ihave pass; $B status; $L unload p0\n"
	  "$L unload --name v0; there ip link set v0 netns $$; kill $far\n"
	  "$L restore v0 /mnt/s v0; $L unload --all; idle v0; clean; done\n"
	  "printf '[filter f]\\ninterfaces = v0\\nport = 1\\n' >/mnt/conf; chmod 600 /mnt/conf\n"
	  "ends $L run --config /mnt/conf; $L unload --all; $B status; clean\n" },
	{ "rights-are-needed", RIGHTS LOAD
	  "; for verb in 'load p0 --port 80' 'set v0 --ihave pass' 'resize v0 --capacity 2k' \\\n"
	  "	'unload v0' 'unload --all' 'restore x /mnt/s' 'load v0 --replace' 'run'; do\n"
	  "	fails 'needs CAP_BPF;' $NB $verb\n"
	  "	fails 'needs CAP_PERFMON;' $NP $verb\n"
	  "	fails 'needs CAP_NET_ADMIN;' $NA $verb; done\n"
	  "for verb in status refresh 'rotate v0' 'reset v0' 'add v0 " ID_A "' 'test v0 " ID_A "' \\\n"
	  "	'want v0 " ID_A "' 'save v0 /mnt/s' 'sample v0' 'watch v0 --json'; do\n"
	  "	fails 'needs CAP_BPF;' $NB $verb; done; runs v0\n"
	  "fails 'needs CAP_NET_ADMIN and CAP_SYS_ADMIN;' $as,+bpf $XD lost v0\n"
	  "fails 'needs CAP_SYS_ADMIN;' $as,+bpf,+net_admin $XD lost v0\n"
	  "got $XD load --help; has 'CAP_BPF and CAP_PERFMON and CAP_NET_ADMIN and access'\n"
	  "got $XD add --help; has 'CAP_BPF and access'\n" },
	/* No sandbox has the drop monitor. */
	{ "lost-without-a-monitor", LOAD
	  "; fails 'there is no drop monitor here: the kernel lacks it' $XD lost v0; runs v0\n"
	  "exits 2 $XD lost v0 --json --write /mnt/lost; has 'not both'; [ ! -e /mnt/lost ]\n" },
	{ "load-waits", "mkdir -p -m 700 $PINS-lock; rm -f /mnt/a /mnt/b\n"
			"flock $PINS-lock sh -c 'touch /mnt/b; sleep 1; touch /mnt/a' &\n"
			"until [ -e /mnt/b ]; do sleep 0.01; done; " LOAD "; [ -e /mnt/a ]\n" },
	{ "loads-at-once", "for i in 1 2 3 4; do " LOAD " & $XD load p0 --port 80; wait $!\n"
			   "	$XD status v0; $XD status p0; $XD unload v0 p0; clean\ndone\n" },
	{ "loads-at-once-one-name", /* the other is told, and attaches nothing */
	  "for i in 1 2 3 4; do\n"
	  "	" LOAD " --name x 2>/mnt/a & b=0; $XD load p0 --port 80 --name x 2>/mnt/b || b=$?\n"
	  "	a=0; wait $! || a=$?; [ $a$b = 01 -o $a$b = 10 ]\n"
	  "	grep 'x is loaded already' /mnt/a /mnt/b; [ $(cat /mnt/a /mnt/b | wc -l) = 1 ]\n"
	  "	if runs v0; then idle p0; else runs p0; fi\n"
	  "	$XD add x " ID_A "; $XD unload --name x; clean\ndone\n" },
};

int main(void)
{
	cli_environment();
	add_rows(MISUSES, run_misuse, NULL, NULL);
	add_rows(ENVS, run_env, NULL, NULL);
	add_rows(FAILURES, run_failure, cli_setup, cli_teardown);
	add_rows(FAILURES_AFTER, run_failure_after, cli_setup, cli_teardown);
	add_rows(MISUSES_OF_A_FILTER, run_misuse_of_a_filter, cli_setup, cli_teardown);
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	add_own_tests(cli_setup, cli_teardown);
	return run_added_tests("cli");
}
