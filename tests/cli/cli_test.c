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

int main(void)
{
	cli_environment();
	add_rows(MISUSES, run_misuse, NULL, NULL);
	add_rows(ENVS, run_env, NULL, NULL);
	add_rows(FAILURES, run_failure, cli_setup, cli_teardown);
	add_rows(FAILURES_AFTER, run_failure_after, cli_setup, cli_teardown);
	add_rows(MISUSES_OF_A_FILTER, run_misuse_of_a_filter, cli_setup, cli_teardown);
	add_cli_scripts("tests/cli/cli");
	add_own_tests(cli_setup, cli_teardown);
	return run_added_tests("cli");
}
