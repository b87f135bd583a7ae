// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tool as its users meet it: what it takes, what it says, and what it leaves behind.
 * Commands here are shell text: $XD is the tool, $PINS holds a directory per filter,
 * $NOBODY runs the tool without privileges, $OTHER is another XDP program's pin, and
 * $NAMESAKE that of another of our program's name. Every test has a veth pair v0-p0, down so
 * that no packet disturbs its counters, and a bridge b0, which has no native XDP; after
 * each, `unload --all` must leave nothing.
 */
#include "support.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "kernel.h"
#include "loader.h"
#include "packet.h"
#include "plan.h"
#include "size.h"
#include "stats.h"
#include "version.h"

#define OUT_MAX 65536
#define NOTHING "maps: 0, programs:, pins: "
#define LEFT_MS 5000 /* in which the kernel frees what nothing holds any more */
#define LOAD "$XD load v0 --port 8001"
#define ZEROS "00000000000000000000000000000000000000000000000000000000000000" /* 31 bytes */
#define ID_A ZEROS "aB"
#define ID_B ZEROS "bb"

static char out[OUT_MAX];	 /* of the last command */
static struct dedup_config plan; /* of the filters that tests load without options */

static int run(const char *command)
{
	return sh_out(out, sizeof(out), "%s", command);
}

static void assert_run(int status, const char *command)
{
	int is = run(command);

	if (is != status) {
		print_error("exit %d, not %d, of: %s\n%s", is, status, command, out);
		fail();
	}
}

static void assert_says(const char *text)
{
	if (!strstr(out, text)) {
		print_error("no '%s' in: %s\n", text, out);
		fail();
	}
}

/* One line of the tool's, and nothing else. */
static void assert_one_line(const char *says)
{
	char *end = strchr(out, '\n');

	if (strncmp(out, "xdp-dedup: ", 11) || !end || end[1]) {
		print_error("not one line: %s\n", out);
		fail();
	}
	assert_says(says);
}

/* Filter maps of the size that this process' filters have, and no one else's. */
static int maps_cnt(void)
{
	__u32 id = 0;
	int cnt = 0;

	while (!bpf_map_get_next_id(id, &id)) {
		struct bpf_map_info info = { 0 };
		__u32 len = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(info.name, "filter"))
			cnt += info.max_entries == plan.blocks;
		close(fd);
	}
	return cnt;
}

static uint32_t prog_on(const char *ifname)
{
	__u32 id = 0;

	return bpf_xdp_query_id(if_nametoindex(ifname), 0, &id) ? 0 : id;
}

/* What there is: programs on interfaces, maps (which live as long as a program that
 * uses them), pins.
 */
static void take_stock(char *stock, size_t size)
{
	struct if_nameindex *names = if_nameindex();
	size_t len = snprintf(stock, size, "maps: %d, programs:", maps_cnt());

	for (int i = 0; names[i].if_index; i++)
		if (prog_on(names[i].if_name))
			len += snprintf(stock + len, size - len, " %s", names[i].if_name);
	if_freenameindex(names);
	len += snprintf(stock + len, size - len, ", pins: ");
	sh_out(stock + len, size - len, "find $PINS -mindepth 1 2>/dev/null | sort | tr '\\n' ' '");
}

static void assert_stock(const char *before)
{
	char now[4096];

	for (int ms = 0; ms < LEFT_MS; ms += 20) {
		take_stock(now, sizeof(now));
		if (!strcmp(now, before))
			return;
		usleep(20000);
	}
	assert_string_equal(now, before);
}

/* A program of somebody else's, pinned. */
static void pin_other(const char *name, const char *path)
{
	static const struct bpf_insn PASS[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", PASS, ARRAY_SIZE(PASS), NULL);

	assert_return_code(fd, errno);
	assert_int_equal(bpf_obj_pin(fd, path), 0);
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	sh("mountpoint -q /mnt || { mount -t tmpfs -o mode=0755 tmpfs /mnt && cp $XD /mnt/tool; }");
	sh("rm -rf /sys/fs/bpf/*; ip link del group 7 2>&-\n" /* at once: each takes its time */
	   "ip link add v0 group 7 type veth peer name p0 group 7 && "
	   "ip link add b0 group 7 type bridge");
	pin_other("other", getenv("OTHER"));
	pin_other("xdp_dedup", getenv("NAMESAKE"));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_run(0, "$XD unload --all");
	assert_stock(NOTHING);
	return 0;
}

/* What nobody can mean: exit 2. */
static const struct misuse {
	const char *name, *command, *says; /* in its one line */
} MISUSES[] = {
	{ "misuse-verb", "$XD frob", "no verb frob; xdp-dedup help" },
	{ "misuse-option", "$XD load v0 --frob", "does not take --frob; see xdp-dedup help" },
	{ "misuse-other-verbs-option", "$XD status --port 80", "does not take --port" },
	{ "misuse-short-option", "$XD load v0 -x", "does not take -x" },
	{ "misuse-short-options", "$XD load v0 -xy", "does not take -x" },
	{ "misuse-option-prefix", "$XD size --capac 5", "does not take --capac" },
	{ "misuse-option-no-value", "$XD load v0 --port", "--port needs a value" },
	{ "misuse-option-extra-value", "$XD unload --all=3", "--all" },
	{ "misuse-port-missing", "$XD load v0", "--port is missing" },
	{ "misuse-port-empty", "$XD load v0 --port ''", "--port" },
	{ "misuse-port-0", "$XD load v0 --port 0", "--port 0: give UDP ports from 1 to 65535" },
	{ "misuse-port-65536", "$XD load v0 --port 65536", "--port 65536: give UDP ports" },
	{ "misuse-port-backwards", "$XD load v0 --port 9-8", "--port 9-8: give UDP ports" },
	{ "misuse-port-comma", "$XD load v0 --port 80,", "--port 80,: give UDP ports" },
	{ "misuse-port-open-range", "$XD load v0 --port 80-", "--port 80-: give UDP ports" },
	{ "misuse-port-word", "$XD load v0 --port x", "--port x: give UDP ports" },
	{ "misuse-ports-many", "$XD load v0 --port $(seq -s, 1 2 65)", "at most 32 ports" },
	{ "misuse-capacity-empty", "$XD size --capacity ''", "--capacity" },
	{ "misuse-capacity-0", "$XD size --capacity 0", "--capacity 0: a filter must hold" },
	{ "misuse-capacity-word", "$XD size --capacity x", "--capacity x: give a number" },
	{ "misuse-capacity-negative", "$XD size --capacity -1", "--capacity -1: give a number" },
	{ "misuse-capacity-broken", "$XD size --capacity 1.5", "--capacity 1.5: give a number" },
	{ "misuse-capacity-endless", "$XD size --capacity 99999999999999999999", "give a number" },
	{ "misuse-fpr-0", "$XD size --fpr 0", "--fpr 0: give a rate above 0" },
	{ "misuse-fpr-1", "$XD size --fpr 1", "--fpr 1: give a rate" },
	{ "misuse-fpr-2", "$XD size --fpr 2", "--fpr 2: give a rate" },
	{ "misuse-fpr-negative", "$XD size --fpr -1", "--fpr -1: give a rate" },
	{ "misuse-fpr-nan", "$XD size --fpr nan", "--fpr nan: give a rate" },
	{ "misuse-fpr-word", "$XD size --fpr x", "--fpr x: give a rate" },
	/* Filters keep it in units of 1e-18. */
	{ "misuse-fpr-tiny", "$XD size --fpr 1e-19", "--fpr 1e-19" },
	{ "misuse-window-no-unit", "$XD size --window 10", "--window 10: give a time with" },
	{ "misuse-window-unit", "$XD size --window 1x", "--window 1x: give a time" },
	{ "misuse-window-short", "$XD size --window 10ms", "--window 10ms: a window is 100ms to" },
	{ "misuse-window-long", "$XD size --window 9999h", "--window 9999h: a window is" },
	{ "misuse-mode", LOAD " --mode x", "--mode x: it is native, skb or hw" },
	{ "misuse-action", LOAD " --action x", "--action x: it is drop or count" },
	{ "misuse-learn", LOAD " --learn x", "--learn x: it is kernel or app" },
	{ "misuse-name-dot", LOAD " --name a.b", "--name a.b: 1 to 32 letters" },
	{ "misuse-name-slash", LOAD " --name ../x", "--name ../x: 1 to 32 letters" },
	{ "misuse-name-empty", LOAD " --name ''", "1 to 32 letters" },
	{ "misuse-name-long", LOAD " --name " ZEROS, "1 to 32 letters" },
	{ "misuse-id-short", "$XD add v0 " ZEROS, "is no id: give 64 hex digits" },
	{ "misuse-id-long", "$XD test v0 " ID_A "0", "is no id: give 64 hex digits" },
	{ "misuse-id-not-hex", "$XD add v0 " ID_A " " ZEROS "xy", ZEROS "xy is no id" },
	{ "misuse-load-nothing", "$XD load", "usage: xdp-dedup load IFNAME..." },
	{ "misuse-load-many", "$XD load $(seq 33) --port 80", "usage: xdp-dedup load IFNAME..." },
	{ "misuse-status-many", "$XD status a b", "usage: xdp-dedup status" },
	{ "misuse-rotate-nothing", "$XD rotate", "usage: xdp-dedup rotate NAME" },
	{ "misuse-reset-many", "$XD reset a b", "usage: xdp-dedup reset NAME" },
	{ "misuse-add-nothing", "$XD add v0", "usage: xdp-dedup add NAME ID..." },
	{ "misuse-size-more", "$XD size x", "usage: xdp-dedup size" },
	{ "misuse-unload-nothing", "$XD unload", "takes interfaces, or --name NAME, or --all" },
	{ "misuse-unload-both", "$XD unload v0 --all", "takes interfaces, or --name" },
	{ "misuse-env-capacity", "XDP_DEDUP_CAPACITY=x $XD size", "XDP_DEDUP_CAPACITY x: give" },
	{ "misuse-env-fpr", "XDP_DEDUP_FPR=1 " LOAD, "XDP_DEDUP_FPR 1: give a rate" },
	{ "misuse-env-window", "XDP_DEDUP_WINDOW=9 $XD size", "XDP_DEDUP_WINDOW 9: give a time" },
};

/* What cannot be done: exit 1, and everything is as it was. */
static const struct failure {
	const char *name, *before; /* a command that must succeed, first */
	const char *command, *says;
} FAILURES[] = {
	{ "fail-no-interface", ":", "$XD load nope --port 80", "no interface nope" },
	{ "fail-no-second-interface", ":", "$XD load v0 nope --port 80", "no interface nope" },
	{ "fail-interface-twice", ":", "$XD load v0 v0 --port 80", "v0 is named twice" },
	{ "fail-altname-twice", "ip link property add dev v0 altname other",
	  "$XD load v0 other --port 80", "twice" },
	{ "fail-interface-taken", LOAD, LOAD " --name x",
	  "v0 already runs xdp-dedup; first: xdp-dedup unload v0" },
	{ "fail-second-taken", LOAD, "$XD load p0 v0 --port 80", "v0 already runs xdp-dedup" },
	{ "fail-name-taken", LOAD, "$XD load b0 --name v0 --port 80", "v0 is loaded already;" },
	{ "fail-other-native", "ip link set v0 xdpdrv pinned $OTHER", LOAD,
	  "v0 runs another XDP program" },
	{ "fail-other-skb", "ip link set v0 xdpgeneric pinned $OTHER", LOAD " --mode native",
	  "v0 runs another XDP program" },
	{ "fail-other-namesake", "ip link set v0 xdpdrv pinned $NAMESAKE", LOAD,
	  "v0 runs another XDP program" },
	{ "fail-second-other", "ip link set v0 xdpdrv pinned $OTHER", "$XD load p0 v0 --port 80",
	  "v0 runs another XDP program" },
	{ "fail-memory", ":", LOAD " --capacity $HUGE --fpr 0.01 --window 720h",
	  "of memory are free; lower --capacity or raise --fpr" },
	{ "fail-layout", ":", LOAD " --capacity 1000G --window 720h", "lower --capacity or raise" },
	{ "fail-window", ":", LOAD " --capacity 1G --window 100ms", "--window 100ms is too short" },
	{ "fail-mode-hw", ":", LOAD " --mode hw", "without --mode the best" },
	{ "fail-mode-native", ":", "$XD load b0 --port 80 --mode native", "without --mode the" },
	{ "fail-second-native", ":", "$XD load v0 b0 --port 80 --mode native",
	  "cannot attach to b0 in native mode" },
	{ "fail-load-nobody", ":", "$NOBODY load v0 --port 80", "not permitted to use BPF; run " },
	{ "fail-unload-nobody", LOAD, "$NOBODY unload --all", "run as root" },
	{ "fail-status-nobody", LOAD, "$NOBODY status", "run as root" },
	{ "fail-add-nobody", LOAD, "$NOBODY add v0 " ID_A, "run as root" },
	{ "fail-no-net-admin", ":", "setpriv --bounding-set -net_admin --inh-caps -net_admin " LOAD,
	  "cannot attach to v0: Operation not permitted" },
	/* Without it programs on interfaces cannot be looked at, which is not to be taken
	 * for there being none.
	 */
	{ "fail-no-sys-admin", LOAD,
	  "setpriv --bounding-set -sys_admin --inh-caps -sys_admin $XD status", "not permitted" },
	{ "fail-no-bpffs", ":",
	  "unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf; unshare --mount " LOAD
	  "; exit $?'",
	  "there is no bpffs at /sys/fs/bpf in this mount namespace; under ip netns exec NS, say "
	  "nsenter --net=/run/netns/NS instead" },
	{ "fail-status-unknown", ":", "$XD status nope", "no filter nope; xdp-dedup status lists" },
	{ "fail-status-json-unknown", ":", "$XD status nope --json", "no filter nope" },
	{ "fail-rotate-unknown", ":", "$XD rotate nope", "no filter nope" },
	{ "fail-reset-unknown", ":", "$XD reset nope", "no filter nope" },
	{ "fail-add-unknown", ":", "$XD add nope " ID_A, "no filter nope" },
	{ "fail-test-unknown", ":", "$XD test ../xdp-dedup " ID_A, "no filter ../xdp-dedup" },
	{ "fail-add-no-id", LOAD, "$XD add v0 " ZEROS "00", "is no id: all zero stands for none" },
	{ "fail-unload-idle", ":", "$XD unload v0", "v0 runs no filter; xdp-dedup status lists" },
	{ "fail-unload-other-end", LOAD, "$XD unload p0", "p0 runs no filter" },
	{ "fail-unload-no-interface", ":", "$XD unload nope", "nope runs no filter" },
	{ "fail-unload-no-name", ":", "$XD unload --name nope", "no filter nope" },
	{ "fail-unload-others", "ip link set v0 xdpdrv pinned $OTHER", "$XD unload v0",
	  "v0 runs no filter" },
};

static void assert_refused(int status, const char *command, const char *says)
{
	char before[4096];

	take_stock(before, sizeof(before));
	assert_run(status, command);
	assert_one_line(says);
	assert_stock(before);
}

static void run_misuse(void **state)
{
	const struct misuse *row = *state;

	assert_refused(2, row->command, row->says);
}

static void run_failure(void **state)
{
	const struct failure *row = *state;

	assert_run(0, row->before);
	assert_refused(1, row->command, row->says);
	sh("ip link set v0 xdp off; ip link set v0 xdpgeneric off"); /* another's: ours to take */
}

static json_object *json_of(const char *command)
{
	json_object *o;

	assert_run(0, command);
	o = json_tokener_parse(out);
	assert_non_null(o);
	return o;
}

static json_object *member(json_object *o, const char *key)
{
	json_object *value;

	if (!json_object_object_get_ex(o, key, &value)) {
		print_error("no key %s\n", key);
		fail();
	}
	return value;
}

static double number(json_object *o, const char *key)
{
	return json_object_get_double(member(o, key));
}

static const char *text(json_object *o, const char *key)
{
	return json_object_get_string(member(o, key));
}

static void assert_near(double is, double should, double part)
{
	if (!(fabs(is - should) <= part * should)) {
		print_error("%g is not within %g %% of %g\n", is, 100 * part, should);
		fail();
	}
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
	{ "env-fpr-empty", "XDP_DEDUP_FPR=", "", "fpr", 1e-4 },
	{ "env-window", "XDP_DEDUP_WINDOW=30s", "", "window_ns", 30e9 },
	{ "env-window-option", "XDP_DEDUP_WINDOW=30s", "--window 1h", "window_ns", 3600e9 },
	{ "env-window-empty", "XDP_DEDUP_WINDOW=", "", "window_ns", 600e9 },
};

static void run_env(void **state)
{
	const struct env_row *row = *state;
	json_object *o;
	char command[256];

	snprintf(command, sizeof(command), "%s $XD size %s --json", row->env, row->options);
	o = json_of(command);
	assert_near(number(o, row->key), row->value, 1e-9);
	json_object_put(o);
}

static void test_help_counters(void **state)
{
	(void)state;
	assert_run(0, "$XD help counters 2>/dev/null");
#define X(name, help) assert_says("  " #name " "), assert_says(" " help "\n");
	DEDUP_COUNTERS(X)
#undef X
}

static void test_size(void **state)
{
	static const char *const ASKED[] = { "1",
					     "1 --fpr 0.5",
					     "1000 --fpr 0.1",
					     "64k --fpr 1e-3",
					     "1M --fpr 1e-6",
					     "3G --fpr 0.01" };
	char command[128], line[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ASKED); i++) {
		json_object *o;
		double bytes;

		snprintf(command, sizeof(command), "$XD size --capacity %s --json", ASKED[i]);
		o = json_of(command);
		bytes = number(o, "filter_bytes");
		assert_string_equal(text(o, "layout"), "blocked");
		assert_true(number(o, "blocks") * 64 == bytes);
		assert_true(number(o, "words") * number(o, "bits") == number(o, "hashes"));
		assert_true(number(o, "fpr_expected") > 0);
		assert_true(number(o, "fpr_expected") <= number(o, "fpr"));
		assert_near(number(o, "bytes_per_id"), bytes / number(o, "capacity"), 1e-9);

		snprintf(command, sizeof(command), "$XD size --capacity %s", ASKED[i]);
		assert_run(0, command);
		snprintf(line, sizeof(line), "%.0f of 64 bytes\n", number(o, "blocks"));
		assert_says(line);
		snprintf(line, sizeof(line), " %.0f bytes (", bytes);
		assert_says(line);
		snprintf(line, sizeof(line), " %.0f (%.0f words x %.0f bits)\n",
			 number(o, "hashes"), number(o, "words"), number(o, "bits"));
		assert_says(line);
		snprintf(line, sizeof(line), "%.3g of fresh ids lost", number(o, "fpr_expected"));
		assert_says(line);
		json_object_put(o);
	}
}

static void write_ids(const char *path, int cnt, uint64_t seed)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (int i = 0; i < cnt; i++) {
		for (int w = 0; w < 4; w++)
			fprintf(f, "%016llx", (unsigned long long)random_next(&seed));
		fputc('\n', f);
	}
	assert_int_equal(fclose(f), 0);
}

static const struct {
	const char *key;
	enum json_type type;
} STATUS_KEYS[] = {
	{ "name", json_type_string },
	{ "interfaces", json_type_array },
	{ "mode", json_type_string },
	{ "ports", json_type_array },
	{ "action", json_type_string },
	{ "learn", json_type_string },
	{ "layout", json_type_string },
	{ "hash", json_type_string },
	{ "blocks", json_type_int },
	{ "words", json_type_int },
	{ "bits", json_type_int },
	{ "hashes", json_type_int },
	{ "capacity", json_type_int },
	{ "fpr", json_type_double },
	{ "window_ns", json_type_int },
	{ "filter_bytes", json_type_int },
	{ "stopped", json_type_boolean },
	{ "hand_position", json_type_double },
	{ "hand_turns", json_type_int },
	{ "oldest_id_ns", json_type_int },
	{ "fill", json_type_double },
	{ "fill_current", json_type_double },
	{ "fill_previous", json_type_double },
	{ "ids_estimate", json_type_double },
	{ "fpr_estimate", json_type_double },
	{ "bytes_kept_away", json_type_int },
	{ "counters", json_type_object },
};

static void assert_counters(json_object *counters)
{
	int cnt = 0;

#define X(name, help)                                                                   \
	assert_int_equal(json_object_get_type(member(counters, #name)), json_type_int); \
	cnt++;
	DEDUP_COUNTERS(X)
#undef X
	assert_int_equal(json_object_object_length(counters), cnt);
}

static void test_status_json(void **state)
{
	const int ids = 45000;
	struct geometry g;
	json_object *o;
	double most;

	(void)state;
	sh("$XD load v0 p0 --port 80,90-99 --capacity 50k --window 2h");
	write_ids("/mnt/ids", ids, 1);
	sh("$XD add v0 - </mnt/ids >/mnt/words && [ $(grep -c ' new$' /mnt/words) -gt 44950 ]");
	o = tool_status("v0");
	for (size_t i = 0; i < ARRAY_SIZE(STATUS_KEYS); i++)
		assert_int_equal(json_object_get_type(member(o, STATUS_KEYS[i].key)),
				 STATUS_KEYS[i].type);
	assert_counters(member(o, "counters"));
	assert_string_equal(text(o, "name"), "v0");
	assert_string_equal(text(o, "mode"), "native");
	assert_string_equal(text(o, "layout"), "blocked");
	assert_string_equal(text(o, "hash"), "fast");
	assert_string_equal(text(o, "action"), "drop");
	assert_string_equal(text(o, "learn"), "kernel");
	assert_string_equal(text(o, "ports"), "[ [ 80, 80 ], [ 90, 99 ] ]");
	assert_string_equal(text(o, "interfaces"),
			    "[ { \"name\": \"p0\", \"state\": \"attached\", \"mode\": \"native\", "
			    "\"dispatcher\": false }, { \"name\": \"v0\", \"state\": \"attached\", "
			    "\"mode\": \"native\", \"dispatcher\": false } ]");
	assert_true(number(o, "capacity") == 50000 && number(o, "window_ns") == 7200e9);
	assert_true(number(o, "blocks") * 64 == number(o, "filter_bytes"));
	assert_true(number(o, "words") * number(o, "bits") == number(o, "hashes"));
	assert_near(number(o, "fpr"), 1e-4, 1e-9);
	assert_true(number(o, "fill_current") > 0.01);
	assert_true(number(o, "fill_previous") < number(o, "fill_current") / 10);
	assert_near(number(o, "fill"), (number(o, "fill_current") + number(o, "fill_previous")) / 2,
		    1e-6);
	assert_near(number(o, "ids_estimate"), ids, 0.05);
	/* One half is full of a turn's ids, the other yet empty: size_fpr also counts what
	 * the other has on average, which is less. A secret makes it more or less, as the
	 * fullest blocks happen to be.
	 */
	g = (struct geometry){ number(o, "blocks"), number(o, "words"), number(o, "bits") };
	most = size_fpr(&g, ids);
	assert_true(number(o, "fpr_estimate") > most * 0.4);
	assert_true(number(o, "fpr_estimate") < most * 2);
	json_object_put(o);
}

/* Two of one event and another through the program, on no interface: rx 3. */
static void run_events(void)
{
	static const struct id IDS[] = { { { 1 } }, { { 1 } }, { { 2 } } };
	static struct frame frame;
	int fd = bpf_obj_get(PIN_ROOT "/v0/prog");

	assert_return_code(fd, errno);
	for (size_t i = 0; i < ARRAY_SIZE(IDS); i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.data, .repeat = 1);

		frame_build(&frame, &(struct frame_plan){ .body = 18 }, &IDS[i]);
		opts.data_size_in = frame.len;
		assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
		assert_int_equal(opts.retval, i == 1 ? XDP_DROP : XDP_PASS);
	}
	close(fd);
}

/* bpftool names the counters, by BTF, as status does, and both count the same. */
static void test_stats_dump(void **state)
{
	json_object *dump, *cpus, *counters, *status;

	(void)state;
	sh(LOAD);
	run_events();
	dump = json_of("bpftool map dump pinned $PINS/v0/stats -j");
	cpus = member(member(json_object_array_get_idx(dump, 0), "formatted"), "values");
	status = tool_status("v0");
	counters = member(status, "counters");
#define X(name, help)                                                                              \
	do {                                                                                       \
		double sum = 0;                                                                    \
		for (size_t i = 0; i < json_object_array_length(cpus); i++)                        \
			sum += number(member(json_object_array_get_idx(cpus, i), "value"), #name); \
		assert_true(sum == number(counters, #name));                                       \
	} while (0);
	DEDUP_REASONS(X)
	DEDUP_TOTALS(X)
#undef X
	assert_true(number(counters, "rx") == 3 && number(counters, "new") == 2);
	assert_true(number(counters, "duplicate") == 1 && number(counters, "dropped") == 1);
	assert_true(number(counters, "duplicate_bytes") == 100);
	assert_true(number(status, "bytes_kept_away") == 100);
	json_object_put(status);
	json_object_put(dump);
	assert_run(0, "$XD status v0");
	assert_says("\n  duplicate                     1  33.33 %  dropped: event already in");
	assert_says("\n  kept away   100 B\n");
	/* What packets taught, the tool knows. */
	assert_run(0, "$XD test v0 01" ZEROS);
	assert_string_equal(out, "01" ZEROS " known\n");
}

static void test_secret(void **state)
{
	static const char *const COMMANDS[] = { "load p0 --port 80 --name y --verbose",
						"status",
						"status --json --verbose",
						"rotate v0 --verbose",
						"add v0 - --verbose",
						"unload --name v0 --verbose" };
	struct dedup_config config;
	char command[128], word[16];
	struct filter f;

	(void)state;
	sh(LOAD);
	assert_int_equal(filter_open("v0", &f), 0);
	config = *f.config;
	filter_close(&f);
	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		snprintf(command, sizeof(command), "$XD %s", COMMANDS[i]);
		assert_run(0, command);
		for (int k = 0; k < DEDUP_KEYS; k++) {
			snprintf(word, sizeof(word), "%u", config.key[k]);
			assert_true(strlen(word) < 7 || !strstr(out, word));
			snprintf(word, sizeof(word), "%x", config.key[k]);
			assert_true(strlen(word) < 7 || !strstr(out, word));
		}
	}
}

/* Asked a hundred thousand times, between two steps and during them. */
static void test_hand_goes(void **state)
{
	struct filter f;
	int stopped = 0;

	(void)state;
	sh(LOAD " --window 250ms --capacity 1000");
	assert_int_equal(filter_open("v0", &f), 0);
	for (uint64_t end = kernel_now_ns() + 300000000; kernel_now_ns() < end;)
		stopped += stats_stopped(f.config, f.state, kernel_now_ns());
	filter_close(&f);
	assert_int_equal(stopped, 0);
}

/* What a killed load, or another version, may have left under the name v0. */
static void leave_pins(uint32_t format)
{
	struct dedup_config config = plan;

	config.format = format;
	sh("mkdir -p -m 700 $PINS");
	assert_int_equal(loader_create("v0", &config), 0);
}

static void assert_replaced(void)
{
	assert_run(0, LOAD);
	assert_says("note: removing what an earlier load left of v0: nothing is attached to it\n");
	sh("$XD status v0 && $XD add v0 " ID_A);
}

static void test_pins_unattached(void **state)
{
	(void)state;
	leave_pins(DEDUP_FORMAT);
	assert_run(0, "$XD status v0 --json");
	assert_says("\"interfaces\": [\n  ]");
	assert_says("\"mode\": \"none\"");
	assert_replaced();
	sh("ip link set v0 xdp off");
	assert_run(0, "$XD status v0");
	assert_says("interfaces  v0 (detached)\n");
	assert_replaced();
	sh("ip link set v0 xdp off && $XD unload v0 && [ ! -e $PINS/v0 ]");
}

/* Shell text that takes the pins of a working filter v0 away from it, or garbles them. */
static const struct damage {
	const char *name, *command;
} DAMAGES[] = {
	{ "pins-of-other-version", NULL },
	{ "pins-none", "rm $PINS/v0/*" },
	{ "pins-no-config", "rm $PINS/v0/config" },
	{ "pins-no-state", "rm $PINS/v0/state" },
	{ "pins-no-filter", "rm $PINS/v0/filter" },
	{ "pins-no-stats", "rm $PINS/v0/stats" },
	{ "pins-swapped", "mv $PINS/v0/stats $PINS/v0/x && mv $PINS/v0/filter $PINS/v0/stats && "
			  "mv $PINS/v0/x $PINS/v0/filter" },
	{ "pins-config-is-program", "mv $PINS/v0/prog $PINS/v0/config" },
	{ "pins-stats-not-per-cpu", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				    "type array key 4 value 4 entries 1 name stats" },
	{ "pins-stats-too-large", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				  "type percpu_array key 4 value 16384 entries 1 name stats" },
};

static void do_damage(const struct damage *damage)
{
	if (damage->command)
		sh(LOAD " && ip link set v0 xdp off && %s", damage->command);
	else
		leave_pins(DEDUP_FORMAT + 1);
}

static void run_damage(void **state)
{
	static const char *const COMMANDS[] = { "status", "status v0 --json", "add v0 " ID_A,
						"test v0 " ID_A, "rotate v0" };
	char command[128];

	do_damage(*state);
	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		snprintf(command, sizeof(command), "$XD %s", COMMANDS[i]);
		assert_run(1, command);
		assert_one_line("the pins of v0 are incomplete or of another version; xdp-dedup "
				"unload --name v0 removes them");
	}
	assert_replaced();
	sh("$XD unload v0");
	do_damage(*state);
	sh("$XD unload --name v0 && [ ! -e $PINS/v0 ]");
}

/* For scripts. got COMMAND: it must succeed, and has TEXT looks into what it said.
 * fails TEXT COMMAND: exit 1 and one line with this text.
 */
static const char PRELUDE[] =
	"set -ex\n"
	"got() { said=$(\"$@\" 2>&1) || { echo \"$said\"; return 1; }; }\n"
	"has() { case $said in *\"$1\"*) ;; *) echo \"NOT '$1' IN $said\"; return 1; esac; }\n"
	"lacks() { case $said in *\"$1\"*) echo \"'$1' IN $said\"; return 1; esac; }\n"
	"is() { [ \"$said\" = \"$1\" ]; }\n"
	"fails() { text=$1; shift; ! said=$(\"$@\" 2>&1 >/dev/null) && has \"xdp-dedup: \" &&\n"
	"	has \"$text\" && [ $(echo \"$said\" | wc -l) = 1 ]; }\n"
	"runs() { ip link show $1 | grep -q prog/xdp; }\n"
	"idle() { ! runs $1; }\n"
	"clean() { [ -z \"$(ls $PINS)\" ]; }\n";

/* Scripts, each line of which must succeed. */
static const struct story {
	const char *name, *script;
} STORIES[] = {
	{ "help",
	  "got $XD help 2>/dev/null\n"
	  "for v in load unload status rotate reset add test size help; do has \"\n  $v \"; done\n"
	  "$XD help 2>/dev/null >/mnt/a; $XD --help 2>/dev/null | cmp - /mnt/a\n"
	  "[ \"$($XD --version)\" = \"xdp-dedup " XDP_DEDUP_VERSION "\" ]\n"
	  "$XD 2>/mnt/b >/mnt/c || [ $? = 2 ]; cmp /mnt/a /mnt/b; [ ! -s /mnt/c ]\n" },
	{ "status-text",
	  "$XD load v0 p0 --port 9000-9010,80 --capacity 500 --window 90s; got $XD status\n"
	  "has 'v0: GSP/1 on UDP port 80,9000-9010, duplicates are dropped\n'\n"
	  "has '\n  interfaces  p0 (native, alone), v0 (native, alone)\n'\n"
	  "has '\n  filter      blocked, fast hash; '; has ' words x '\n"
	  "has '\n  promise     at most 0.0001 of fresh events lost, at 500 ids a window of 1m '\n"
	  "has '\n  hand        at '; has ' of turn 1; oldest id at most '\n"
	  "has '\n  fill        current 0.00 % (0 bits), previous 0.00 % (0 bits)\n'\n"
	  "has '\n  estimate    0 ids; false-positive rate now 0\n'; has '\n  kept away   0 B\n'\n"
	  "$XD unload v0 p0; " LOAD " --action count --learn app --name x-1; got $XD status x-1\n"
	  "has 'x-1: GSP/1 on UDP port 8001, duplicates are counted and passed\n'\n"
	  "has '\n  learning    only what an application adds\n'\n" },
	{ "status-all", "got $XD status; is 'no filter is loaded'\n"
			"[ \"$($XD status --json | tr -d ' \n')\" = '{\"filters\":[]}' ]\n" LOAD
			" --name zz; $XD load p0 --port 80 --name b; got $XD status --json\n"
			"said=$(echo \"$said\" | grep '^      \"name\"' | tr -d ' \n')\n"
			"is '\"name\":\"b\",\"name\":\"zz\",'\n" },
	/* Verbs that do not take the option do not look at its variable. */
	{ "env-load",
	  "XDP_DEDUP_CAPACITY=5k XDP_DEDUP_FPR=0.5 XDP_DEDUP_WINDOW=30s " LOAD " --fpr 0.25\n"
	  "got env XDP_DEDUP_CAPACITY=x XDP_DEDUP_FPR=x XDP_DEDUP_WINDOW=x $XD status --json\n"
	  "has '\"capacity\": 5000,'; has '\"fpr\": 0.25,'; has '\"window_ns\": 30000000000,'\n" },
	/* Asked at any moment, it tells of every filter that there is, or not yet. */
	{ "status-beside-load", "touch /mnt/a\n"
				"{ for i in $(seq 12); do " LOAD
				" && $XD unload v0 || break; done; rm /mnt/a; } >/mnt/b 2>&1 &\n"
				"while [ -e /mnt/a ]; do got $XD status; done; wait; idle v0\n" },
	{ "ids", LOAD "; got $XD test v0 " ID_A "; is '" ID_A " unknown'\n"
		      "got $XD add v0 " ID_A " " ID_A "; is '" ID_A " new\n" ID_A " known'\n"
		      "got $XD test v0 " ZEROS "ab " ZEROS "AB " ID_B "\n"
		      "is '" ZEROS "ab known\n" ZEROS "AB known\n" ID_B " unknown'\n"
		      "got $XD add v0 - </dev/null; is ''\n" },
	{ "ids-lines", /* blank, and as Windows ends them */
	  LOAD "; printf '\\n\\r\\n" ID_B "\\r\\n\\n" ID_A "' >/mnt/a\n"
	       "got $XD add v0 - </mnt/a; is '" ID_B " new\n" ID_A " new'\n" },
	{ "ids-bad-line", /* what comes before it is done, what comes after is not */
	  LOAD "; printf '" ID_A "\\nxyz\\n" ID_B "\\n' >/mnt/a\n"
	       "fails 'xyz is no id: give 64 hex digits' $XD add v0 - </mnt/a\n"
	       "got $XD test v0 " ID_A " " ID_B "; is '" ID_A " known\n" ID_B " unknown'\n"
	       "echo " ZEROS
	       "00 >/mnt/a; fails 'all zero stands for none' $XD add v0 - </mnt/a\n" },
	{ "add-overload", /* more than fit are all taken in: the window gets shorter */
	  LOAD
	  " --capacity 1 --window 1h; $XD add v0 - </mnt/ids >/mnt/a\n"
	  "[ $(grep -c ' new$' /mnt/a) -gt 1990 ]; $XD unload v0\n" LOAD
	  " --capacity 100 --window 1h; $XD add v0 - </mnt/ids >/mnt/a\n"
	  "[ $(grep -c ' new$' /mnt/a) -gt 1990 ]; got $XD status v0; has 'estimate    '\n"
	  "[ $(echo \"$said\" | sed -n 's/.*estimate *\\([0-9]*\\) ids.*/\\1/p') -lt 500 ]\n" },
	{ "rotate-reset", LOAD
	  " --capacity 10M --window 1h; $XD add v0 " ID_A "\n"
	  "timeout 5 $XD rotate v0; got $XD test v0 " ID_A "; is '" ID_A " known'\n"
	  "timeout 5 $XD rotate v0; got $XD test v0 " ID_A "; is '" ID_A " unknown'\n"
	  "$XD add v0 " ID_B "; timeout 5 $XD reset v0; got $XD test v0 " ID_B "\n"
	  "is '" ID_B " unknown'; got $XD status v0; has 'estimate    0 ids'; has 'of turn 5;'\n" },
	{ "hand-stopped",
	  LOAD " --window 1s --capacity 10; rm $PINS/v0/timer; sleep 1; got $XD status v0\n"
	       "has '\n  hand        has stopped: everything passes; unload and load again\n'\n"
	       "got $XD status v0 --json; has '\"stopped\": true'\n"
	       "fails 'the hand of v0 has stopped; unload and load it again' $XD rotate v0\n"
	       "fails 'the hand of v0 has stopped' $XD reset v0\n"
	       "fails 'stopped' $XD add v0 - </mnt/ids\n"
	       "$XD unload v0; " LOAD "; $XD rotate v0\n" },
	{ "unload-one-of-two",
	  "$XD load v0 p0 --port 80; $XD unload v0; idle v0; runs p0; got $XD status v0\n"
	  "has 'interfaces  p0 (native, alone)\n'; $XD unload p0; clean\n" },
	{ "unload-several",
	  LOAD " --name a; $XD load p0 --port 80 --name b; $XD unload v0 p0; clean; idle v0\n" },
	{ "unload-name",
	  LOAD " --name a; $XD load p0 --port 80 --name b; $XD unload --name a\n"
	       "idle v0; runs p0; fails 'v0 runs no filter' $XD unload v0 p0; idle p0; clean\n" },
	{ "name-of-dotted-interface",
	  "ip link add v.1 group 7 type bridge; got $XD load v.1 --port 80\n"
	  "has 'note: the filter is called v_1'; got $XD status v_1; has 'v.1 (skb, alone)'\n"
	  "$XD unload v.1; clean\n" },
	{ "skb-fallback",
	  "got $XD load v0 b0 --port 80; has 'xdp-dedup: note: b0 has no native XDP'\n"
	  "got $XD status; has '(native, alone)'; has 'b0 (skb, alone)'\n"
	  "got $XD status v0 --json; has '\"mode\": \"mixed\"'; $XD unload v0 b0\n"
	  "got " LOAD " --mode skb; lacks note; got $XD status; has 'v0 (skb, alone)'\n" },
	/* A second name of an interface is the same interface. */
	{ "interface-altname",
	  "ip link property add dev v0 altname other; $XD load other --port 80; got $XD status\n"
	  "has 'interfaces  v0 (native, alone)\n'; $XD unload other; idle v0\n" },
	{ "interface-renamed",
	  LOAD "; ip link set v0 name w0; got $XD status; has 'interfaces  w0 (native, alone)\n'\n"
	       "$XD unload w0; idle w0; clean\n" },
	{ "interface-gone",
	  LOAD "; ip link del v0; got $XD status v0; has 'interfaces  v0 (gone)\n'\n"
	       "ip link add v0 group 7 type veth peer name p0; got " LOAD "\n"
	       "has 'note: removing what an earlier load left of v0'\n"
	       "ip link del v0; $XD unload v0; clean\n" },
	/* The tool sees only interfaces of its own network namespace: what it cannot detach
	 * it must not call done.
	 */
	{ "unload-name-other-netns",
	  LOAD "; said=$(unshare --net $XD unload --name v0 2>&1) || true\n"
	       "idle v0 || has 'network namespace'\n" },
	{ "unload-all-other-netns", LOAD "; said=$(unshare --net $XD unload --all 2>&1) || true\n"
					 "idle v0 || has 'network namespace'\n" },
	/* Programs that still run, though pins are missing, are found by what they use. */
	{ "pins-gone", "$XD load v0 p0 --port 80; rm -r $PINS/v0\n"
		       "fails 'v0 already runs xdp-dedup; first: xdp-dedup unload v0' " LOAD "\n"
		       "$XD unload v0; idle v0; runs p0; $XD unload --all; idle p0\n" },
	{ "pins-incomplete-unload-name",
	  LOAD "; rm $PINS/v0/config; $XD unload --name v0; idle v0\n" },
	{ "pins-incomplete-unload-all", LOAD "; rm $PINS/v0/config; $XD unload --all; idle v0\n" },
	{ "bpffs-mounted",
	  "got unshare --pid --fork --mount-proc sh -ec 'umount /sys/fs/bpf; " LOAD "\n"
	  "	grep \"^bpf /sys/fs/bpf bpf .*mode=700\" /proc/mounts; $XD status v0'\n"
	  "has 'bpf /sys/fs/bpf bpf '; has 'interfaces  v0 (native, alone)\n'\n" },
	{ "load-killed", /* at any moment: what is left can be used, replaced and removed */
	  "for ms in 050 080 100 120 140 160 200 300; do\n"
	  "	timeout -s KILL 0.$ms " LOAD " || true; idle v0 || $XD unload v0\n"
	  "	" LOAD "; $XD status v0; $XD unload v0; clean\ndone\n" },
	{ "load-waits",
	  "mkdir -p -m 700 $PINS; flock $PINS sh -c 'sleep 1; touch /mnt/a' & sleep 0.1\n"
	  "rm -f /mnt/a; " LOAD "; [ -e /mnt/a ]\n" },
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

static void run_story(void **state)
{
	const struct story *story = *state;
	int status;

	write_ids("/mnt/ids", 2000, 2);
	status = sh_out(out, sizeof(out), "%s%s", PRELUDE, story->script);
	/* The end of what `set -x` shows is where it stopped. */
	if (status)
		fail_msg("exit %d:\n%s", status, out + (strlen(out) > 800 ? strlen(out) - 800 : 0));
}

#define TEST(name, f)                          \
	{                                      \
		name, f, setup, teardown, NULL \
	}
static const struct CMUnitTest TESTS[] = {
	TEST("help-counters", test_help_counters),     TEST("size", test_size),
	TEST("status-json", test_status_json),	       TEST("stats-dump", test_stats_dump),
	TEST("secret-never-shown", test_secret),       TEST("hand-goes", test_hand_goes),
	TEST("pins-unattached", test_pins_unattached),
};

/* A capacity of this process' own, so that its maps can be told from others' in the
 * kernel, and one that this machine has not the memory for.
 */
static void set_environment(void)
{
	struct options o = { .capacity = 20000 + getpid() % 1000 * 100,
			     .fpr = 1e-4,
			     .window_ns = 600000000000,
			     .ports_cnt = 1,
			     .ports = { { 80, 80 } } };
	char number_text[32];

	assert_int_equal(plan_here(&o, &plan), 0);
	snprintf(number_text, sizeof(number_text), "%ju", (uintmax_t)o.capacity);
	setenv("XDP_DEDUP_CAPACITY", number_text, 1);
	snprintf(number_text, sizeof(number_text), "%ju",
		 (uintmax_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2);
	setenv("HUGE", number_text, 1);
	setenv("XD", tool(), 1);
	setenv("PINS", PIN_ROOT, 1);
	setenv("OTHER", "/sys/fs/bpf/other", 1);
	setenv("NAMESAKE", "/sys/fs/bpf/namesake", 1);
	setenv("NOBODY", "setpriv --reuid 65534 --regid 65534 --clear-groups /mnt/tool", 1);
	libbpf_set_print(NULL);
}

int main(void)
{
	struct CMUnitTest all[ARRAY_SIZE(MISUSES) + ARRAY_SIZE(FAILURES) + ARRAY_SIZE(ENVS) +
			      ARRAY_SIZE(DAMAGES) + ARRAY_SIZE(STORIES) + ARRAY_SIZE(TESTS)];
	size_t cnt = 0;

	set_environment();
#define ADD(rows, f, before, after)                   \
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) \
	all[cnt++] = (struct CMUnitTest){ rows[i].name, f, before, after, (void *)&rows[i] }
	ADD(MISUSES, run_misuse, NULL, NULL);
	ADD(ENVS, run_env, NULL, NULL);
	ADD(FAILURES, run_failure, setup, teardown);
	ADD(DAMAGES, run_damage, setup, teardown);
	ADD(STORIES, run_story, setup, teardown);
#undef ADD
	memcpy(all + cnt, TESTS, sizeof(TESTS));
	cnt += ARRAY_SIZE(TESTS);
	return run_root_tests("cli", all, cnt);
}
