// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pins that somebody left, took away or garbled: what is wrong is output, and all can be replaced
 * and removed.
 */
#include "cli_runner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "intercept.h"
#include "loader_next.h"
#include "neighbour.h"
#include "pin_dirs.h"
#include "pins.h"

/* What a killed load, or another version, may have left under the name v0. */
static void leave_pins(uint32_t format)
{
	struct dedup_config config = cli_plan;

	config.format = format;
	sh("mkdir -p -m 700 $PINS");
	assert_int_equal(loader_create("v0", &config, NULL), 0);
	assert_int_equal(pin_dir_publish("v0"), 0);
}

/* Another program that passes all, and has the name of ours (detach.h). */
static void test_lookalike_stays(void **state)
{
	(void)state;
	sh("ip link set v0 xdpdrv pinned $LOOKALIKE && $XD unload --all");
	sh("ip link show v0 | grep -q 'prog/xdp' && ip link set v0 xdp off");
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

/* Pins of other versions. */
static const struct version {
	const char *name;
	uint32_t format;
	const char *says;
} VERSIONS[] = {
	{ "pins-of-a-newer-version", DEDUP_FORMAT + 1, "v0 was loaded by a newer xdp-dedup (format" },
	{ "pins-of-an-old-version", DEDUP_FORMAT_OLDEST - 1,
	  "v0 was loaded by an xdp-dedup too old for this one to take over (format" },
	{ "pins-of-no-version", 0, "the pins of v0 are incomplete or of another version" },
};

/* Shell text that takes the pins of a working filter v0 away from it, or garbles them. */
static const struct damage {
	const char *name, *command;
} DAMAGES[] = {
	{ "pins-none", "rm $PINS/v0/*" },
	{ "pins-no-config", "rm $PINS/v0/config" },
	{ "pins-no-state", "rm $PINS/v0/state" },
	{ "pins-no-filter", "rm $PINS/v0/filter" },
	{ "pins-no-stats", "rm $PINS/v0/stats" },
	{ "pins-no-wanted", "rm $PINS/v0/wanted" },
	{ "pins-swapped", "mv $PINS/v0/stats $PINS/v0/x && mv $PINS/v0/filter $PINS/v0/stats && "
			  "mv $PINS/v0/x $PINS/v0/filter" },
	{ "pins-config-is-program",
	  "rm $PINS/v0/config && bpftool prog pin pinned $OTHER $PINS/v0/config" },
	{ "pins-stats-not-per-cpu", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				    "type array key 4 value 4 entries 1 name stats" },
	{ "pins-stats-too-large", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				  "type percpu_array key 4 value 16384 entries 1 name stats" },
	{ "pins-wanted-other-key", "rm $PINS/v0/wanted && bpftool map create $PINS/v0/wanted "
				   "type hash key 32 value 8 entries 1 name wanted" },
};

/* There are pins that cannot be used: all verbs say so, but those that remove them. */
static void assert_unusable(const char *says)
{
	static const char *const COMMANDS[] = { "status",
						"status v0 --json",
						"add v0 " ID_A,
						"test v0 " ID_A,
						"rotate v0",
						"load v0 --replace --port 8001",
						"resize v0 --capacity 5k" };
	char command[128];

	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		snprintf(command, sizeof(command), "$XD %s", COMMANDS[i]);
		assert_run(1, command);
		assert_one_line(says);
	}
	assert_replaced();
	sh("$XD unload v0");
}

static void run_version(void **state)
{
	const struct version *version = *state;

	leave_pins(version->format);
	assert_unusable(version->says);
	leave_pins(version->format);
	sh("$XD unload --name v0 && [ ! -e $PINS/v0 ]");
}

static void run_damage(void **state)
{
	const struct damage *damage = *state;

	sh(LOAD " && ip link set v0 xdp off && %s", damage->command);
	assert_unusable("the pins of v0 are incomplete or of another version; xdp-dedup unload "
			"--name v0 removes them");
	sh(LOAD " && ip link set v0 xdp off && %s", damage->command);
	sh("$XD unload --name v0 && [ ! -e $PINS/v0 ]");
}

/* Another network namespace, in which `there` runs commands; a filter v0 whose interface has
 * moved there, and a new interface of that name here.
 */
#define THERE                                                                            \
	"unshare --net sleep 300 >/dev/null 2>&1 & far=$!\n"                             \
	"until [ $(readlink /proc/$far/ns/net) != $(readlink /proc/self/ns/net) ]; do\n" \
	"	sleep 0.01; done\n"                                                            \
	"there() { nsenter --target $far --net \"$@\"; }\n"                              \
	"runs_there() { there ip link show v0 | grep -q prog/xdp; }\n"
#define MOVED                                      \
	THERE LOAD "; ip link set v0 netns $far\n" \
		   "ip link add v0 group 7 type veth peer name q0 group 7\n"
#define CONTAINED /* with a second process, which holds the bpffs */ \
	"unshare --pid --fork --mount-proc -- sh -c '\"$@\"; exit' sh "
#define ELSEWHERE "still runs on v0 in another network namespace"

/* A dispatcher's pins that no interface runs, of a filter from here. */
#define ORPHAN "/sys/fs/bpf/xdp/dispatch-9999-4294967295"
#define ORPHANED                                                                               \
	LOAD "; mkdir -m 700 " ORPHAN "; bpftool prog pin pinned $PINS/v0/prog " ORPHAN "/v0-" \
	     "prog\n"
#define NOBODYS "setpriv --reuid 65534 --regid 65534 --clear-groups "
/* Files of another user, who wants root to remove them. */
#define VICTIM "rm -rf /mnt/victim; mkdir /mnt/victim; touch /mnt/victim/a /mnt/victim/b\n"
#define IS_WHOLE "; ls /mnt/victim/a /mnt/victim/b\n"

static const struct cli_script SCRIPTS[] = {
	{ "dispatchers-pins-are-swept",
	  ORPHANED "$XD refresh v0; [ ! -e " ORPHAN " ]; $XD unload v0; clean\n" },
	{ "sweep-does-not-wait-for-a-lock-for-ever",
	  ORPHANED "flock /sys/fs/bpf/xdp sleep 300 & p=$!\n"
		   "while flock --nonblock /sys/fs/bpf/xdp true; do sleep 0.01; done\n"
		   "timeout 15 $XD refresh v0; ls " ORPHAN "; pkill -P $p; wait\n"
		   "$XD refresh v0; [ ! -e " ORPHAN " ]; $XD unload v0; clean\n" },
	/* On a bpffs that was mounted without mode=0700. */
	{ "libxdps-directory-of-others-is-refused",
	  LOAD "; rmdir /sys/fs/bpf/xdp; chmod 1777 /sys/fs/bpf; " NOBODYS "mkdir /sys/fs/bpf/xdp\n"
	       "for v in 'load p0 --port 80' 'unload v0' 'refresh v0' 'set v0 --ihave pass'; do\n"
	       "	fails '/sys/fs/bpf/xdp could be changed by others than root' $XD $v; done\n"
	       "got $XD status v0; has 'v0 (unknown)'\n"
	       "exits 1 $XD check p0; has '/sys/fs/bpf/xdp could be changed by others than root'\n"
	       "chown 0 /sys/fs/bpf/xdp; chmod 755 /sys/fs/bpf/xdp\n"
	       "fails '/sys/fs/bpf/xdp could be changed' $XD unload v0\n"
	       "chmod 700 /sys/fs/bpf/xdp; $XD unload v0; clean\n" },
	{ "libxdps-directory-is-made-before-others-make-it",
	  "chmod 1777 /sys/fs/bpf; rm -rf /sys/fs/bpf/xdp; $XD unload --all; ls -d "
	  "/sys/fs/bpf/xdp\n" LOAD "; not " NOBODYS "mv /sys/fs/bpf/xdp /sys/fs/bpf/x\n"
	  "not " NOBODYS "flock --nonblock /sys/fs/bpf/xdp true; $XD unload v0\n" },
	{ "bpffs-of-others-is-refused",
	  LOAD "; for how in 'chmod 777' 'chown 65534'; do $how /sys/fs/bpf\n"
	       "	fails 'could be changed by others than root' $XD load p0 --port 80\n"
	       "	fails 'could be changed by others than root' $XD status v0\n"
	       "	chown 0 /sys/fs/bpf; chmod 700 /sys/fs/bpf; done; $XD unload v0\n" },
	/* What is no directory goes itself. */
	{ "links-among-pins-are-not-followed",
	  VICTIM LOAD "; for name in + +v0 '~v0' +x '~x'; do ln -s /mnt/victim $PINS/$name\n"
		      "	$XD refresh v0 || true; ls /mnt/victim/a /mnt/victim/b; done\n"
		      "$XD unload v0; clean" IS_WHOLE },
	{ "file-of-a-pins-name-behind-a-link-is-left",
	  VICTIM "touch /mnt/victim/config\n" LOAD "; ln -s /mnt/victim $PINS/+x\n"
		 "$XD load p0 --name x --port 80 || true; ls /mnt/victim/config\n"
		 "$XD unload --all || true; ls /mnt/victim/config\n"
		 "rm -f $PINS/+x; $XD unload --all; clean" IS_WHOLE },
	{ "link-for-a-filter-is-not-followed",
	  VICTIM "mkdir -p -m 700 $PINS; ln -s /mnt/victim $PINS/v0\n"
		 "fails 'the pins of v0 are incomplete' $XD status v0\n"
		 "$XD unload --name v0 --force; clean" IS_WHOLE },
	{ "link-to-nothing-goes", LOAD "; ln -s /mnt/none $PINS/+; ln -s /mnt/none $PINS/+v0\n"
				       "$XD load p0 --port 80; $XD unload --all; clean\n" },
	/* What an earlier load left, and what is in use, is told by the kernel alone. */
	{ "moved-filter-is-kept", MOVED
	  "fails 'v0 is loaded already, in another network namespace (or' " LOAD "\n"
	  "fails '" ELSEWHERE "' $XD unload --name v0; fails '" ELSEWHERE "' $XD unload --all\n"
	  "fails 'v0 runs no filter' $XD unload v0\n"
	  "ls $PINS/v0; [ $(ls $PINS/v0 | wc -l) = 13 ]; runs_there; idle v0\n"
	  "got $XD status v0; lacks stopped; " LOAD " --name x; $XD unload v0\n"
	  "there $XD unload v0; not runs_there; clean; kill $far\n" },
	{ "moved-filter-is-unloaded-where-it-is", MOVED
	  "got there $XD status v0; has \"interfaces  v0 ($HOW)\n\"\n"
	  "there $XD unload v0; not runs_there; clean; " LOAD "; $XD unload v0; kill $far\n" },
	{ "moved-interface-gone-from-here", /* by the record, which is about here */
	  THERE LOAD "; ip link set v0 netns $far; fails '" ELSEWHERE "' $XD unload v0\n"
		     "runs_there; there ip link del v0; $XD unload v0; clean; kill $far\n" },
	{ "interface-comes-home",
	  THERE "ip link set v0 netns $far; there " LOAD "; there ip link set v0 netns $$\n"
		"kill $far; got $XD status v0; has \"interfaces  v0 ($HOW)\n\"\n"
		"fails 'v0 already runs xdp-dedup; set, resize' " LOAD "\n"
		"$XD unload v0; idle v0; clean\n" },
	{ "one-of-two-has-moved", /* unloading the other one keeps its filter */
	  THERE "$XD load v0 b0 --port 80; ip link set v0 netns $far; got $XD unload b0\n"
		"has 'note: v0 also runs on v0 in another network namespace'; idle b0\n"
		"[ -e $PINS/v0/timer ]; runs_there; there $XD unload v0; clean; kill $far\n" },
	{ "one-of-two-has-moved-unload-it-from-here", THERE
	  "$XD load v0 b0 --port 80; ip link set v0 netns $far\n"
	  "fails 'no interface v0 here now, but the filter v0 still runs on b0' $XD unload v0\n"
	  "runs b0; runs_there; there $XD unload v0; $XD unload b0; clean; kill $far\n" },
	/* clang-format off */ /* it does not come to an end with this row */
	/* In a dispatcher libxdp's pins hold the program, and whether an interface of a
	 * namespace that nobody sees does so too cannot be told.
	 */
	{ "deleted-namespace-blocks-no-name-for-good", THERE
	  "there ip link add w0 type veth peer name w1\n"
	  "there $XD load w0 --port 80 --name x; kill $far\n"
	  "case $HOW in *dispatcher)\n"
	  "	fails 'x is loaded already, in another network namespace' " LOAD " --name x\n"
	  "	$XD unload --name x --force; clean ;;\n"
	  "esac\n"
	  "soon " LOAD " --name x\n"
	  "$XD unload v0; clean\n" },
	/* clang-format on */
	{ "moved-interface-has-another-index", /* which libxdp's pins have in their name */
	  THERE LOAD "; there ip link add x0 index $(cat /sys/class/net/v0/ifindex) type bridge\n"
		     "ip link set v0 netns $far; fails '" ELSEWHERE "' $XD unload --name v0\n"
		     "got there $XD status v0; has \"interfaces  v0 ($HOW)\n\"\n"
		     "not got there " LOAD " --name x; has 'v0 already runs xdp-dedup; set'\n"
		     "there $XD unload v0; not runs_there; clean; kill $far\n" },
	{ "interface-with-another-index-gone",
	  THERE LOAD "; there ip link add x0 index $(cat /sys/class/net/v0/ifindex) type bridge\n"
		     "ip link set v0 netns $far; there $XD status v0; there ip link del v0\n"
		     "$XD unload v0; clean; kill $far\n" },
	/* Known to the namespace in between alone: wherever one end is, is known where the other
	 * is, so both move together.
	 */
	{ "moved-interface-moves-on", THERE
	  "between=$far\n" THERE LOAD "; ip link set v0 netns $between; ip link set p0 netns $between\n"
	  "nsenter --target $between --net sh -ec \"ip link set v0 netns $far\n"
	  "	ip link set p0 netns $far\"\n"
	  "fails '" ELSEWHERE "' $XD unload --name v0; $XD load b0 --port 80; $XD unload b0\n"
	  "got there $XD status v0; has \"interfaces  v0 ($HOW)\n\"\n"
	  "there $XD unload v0; not runs_there; clean; kill $between $far\n" },
	/* A container sees neither all processes nor their namespaces. */
	{ "interface-off-in-a-container",
	  LOAD "; ip link set v0 xdp off; got " CONTAINED LOAD "\n"
	       "has 'note: removing what an earlier load left of v0'\n" CONTAINED
	       "$XD unload v0; clean\n" },
	{ "interface-gone-in-a-container",
	  LOAD "; ip link del v0\n" CONTAINED "$XD unload v0; clean\n" },
	{ "interface-of-two-gone-in-a-container",
	  "ip link add v1 group 7 type veth peer name p1 group 7\n" LOAD " v1; ip link del v1\n"
	  "got $XD status v0; has 'v1 (gone)'\n" CONTAINED "$XD set v0 --action count\n"
	  "got $XD status v0 --json; lacks v1; has '\"action\": \"count\"'; runs v0\n" CONTAINED
	  "$XD resize v0 --capacity 30k; runs v0; $XD unload v0; clean\n" },
	{ "interface-of-two-moved-from-a-container",
	  THERE "ip link add v1 group 7 type veth peer name p1 group 7\n" LOAD " v1\n"
		"ip link set v1 netns $far; there ip link set v1 name x1\n"
		"fails 'v1, which is not here' " CONTAINED "$XD set v0 --action count\n"
		"there $XD unload x1; " CONTAINED "$XD set v0 --action count\n"
		"got $XD status v0; lacks v1; $XD unload v0; clean; kill $far\n" },
	{ "interface-of-two-of-another-namespace-in-a-container", /* whose record is about there */
	  THERE "ip link add v1 group 7 type veth peer name p1 group 7\n" LOAD " v1\n"
		"ip link set v1 netns $far; there $XD refresh v0; there ip link del v1\n"
		"fails 'v1, which is not here' " CONTAINED "$XD set v0 --action count\n" CONTAINED
		"$XD unload --name v0 --force; clean; kill $far\n" },
	/* By the command that the refusal names: nothing is forgotten, and v1 is taken up again. */
	{ "interface-of-two-is-given-up-in-a-container",
	  THERE "ip link add v1 group 7 type veth peer name p1 group 7\n" LOAD " v1\n"
		"$XD add v0 " ID_A "; ip link set v1 netns $far; there $XD refresh v0\n"
		"fails 'v1, which is not here' " CONTAINED "$XD set v0 --remove v1\n"
		"there ip link del v1; ip link add v1 group 7 type veth peer name p1 group 7\n"
		"fails 'if it has gone, xdp-dedup set v0 --remove v1' " CONTAINED
		"$XD set v0 --add v1\n" CONTAINED "$XD set v0 --remove v1 --action count\n"
		"got $XD status v0; lacks v1; $XD set v0 --add v1; runs v1; runs v0\n"
		"$XD test v0 " ID_A "; $XD unload v0 v1; clean; kill $far\n" },
	{ "moved-interface-in-a-container", /* others have its index and its name now */
	  THERE LOAD "; index=$(cat /sys/class/net/v0/ifindex); ip link set v0 netns $far\n"
		     "ip link add x0 index $index type bridge; ip link add v0 type bridge\n"
		     "fails 'v0 still runs on' " CONTAINED "$XD unload --name v0; runs_there\n"
		     "ip link del x0; ip link del v0\n"
		     "there $XD unload v0; not runs_there; clean; kill $far\n" },
	{ "moved-filter-unload-force",
	  MOVED "$XD unload --name v0 --force; [ ! -e $PINS/v0 ]; runs_there\n"
		"there $XD unload v0; not runs_there; clean; kill $far\n" },
	{ "pins-that-do-not-tell", MOVED
	  "rm $PINS/v0/state $PINS/v0/prog; fails 'cannot tell whether the filter v0' " LOAD "\n"
	  "fails 'cannot tell whether v0 is in use elsewhere' $XD unload --name v0\n"
	  "[ -e $PINS/v0/timer ]; $XD unload --all --force; [ ! -e $PINS/v0 ]\n"
	  "there $XD unload v0; clean; kill $far\n" },
	{ "program-held-by-another-pin-unload", /* as libxdp 1.3 does in its users' processes */
	  LOAD "; bpftool prog pin pinned $PINS/v0/prog /sys/fs/bpf/copy; got $XD unload v0; is ''\n"
	       "clean; rm /sys/fs/bpf/copy\n" },
	{ "program-held-by-another-pin",
	  LOAD "; bpftool prog pin pinned $PINS/v0/prog /sys/fs/bpf/copy; ip link set v0 xdp off\n"
	       "fails 'v0 is loaded already' " LOAD "; fails 'v0 still runs' $XD unload --name v0\n"
	       "bpftool prog show pinned $PINS/v0/prog; rm /sys/fs/bpf/copy; got " LOAD "\n"
	       "has 'note: removing what an earlier load left of v0'; $XD unload v0; clean\n" },
/* Below a device with XDP the kernel changes none. */
#define STACKED LOAD "; $XD load b0 --port 80 --name b; ip link set v0 master b0\n"
	{ "stacked-unload-all", STACKED "got $XD unload --all; is ''; idle v0; idle b0; clean\n" },
	{ "stacked-unload-several", STACKED "got $XD unload v0 b0; is ''; idle v0; idle b0; clean\n" },
	{ "stacked-unload-one-filter",
	  "$XD load v0 b0 --port 80; ip link set v0 master b0; got $XD unload --name v0; is ''\n"
	  "idle v0; idle b0; clean\n" },
	{ "stacked-unload-lower-one", STACKED
	  "fails 'cannot detach from v0: Device or resource busy; it goes on' $XD unload v0\n"
	  "runs v0; got $XD status v0; has \"v0 ($HOW)\"; lacks stopped\n"
	  "$XD add v0 " ID_A "; $XD unload b0; $XD unload v0; idle v0; clean\n" },
	{ "interface-gone", LOAD "; ip link del v0; got $XD status v0; has 'interfaces  v0 (gone)\n'\n"
				 "ip link add v0 group 7 type veth peer name p0; got " LOAD "\n"
				 "has 'note: removing what an earlier load left of v0'\n"
				 "ip link del v0; $XD unload v0; clean\n" },
	/* Programs that still run, though pins are missing, are found by what they use. */
	{ "pins-gone", "$XD load v0 p0 --port 80; rm -r $PINS/v0\n"
		       "fails 'v0 already runs xdp-dedup; set, resize' " LOAD "\n"
		       "$XD unload v0; idle v0; runs p0; $XD unload --all; idle p0\n" },
	{ "pins-gone-status",
	  LOAD "; $XD load p0 --port 80; got $XD status; rm -r $PINS/v0\n"
	       "fails 'the pins of the filter on v0 are gone; xdp-dedup unload v0' $XD status\n"
	       "fails 'the pins of the filter on v0 are gone' $XD status --json\n"
	       "$XD unload v0; got $XD status; $XD unload p0\n" },
	{ "pins-gone-with-their-bpffs",
	  "$XD load v0 p0 --port 80; $XD load b0 --mode skb --port 80\n"
	  "umount /sys/fs/bpf; mount -t bpf -o mode=0700 bpf /sys/fs/bpf\n"
	  "not got $XD status; for i in v0 p0 b0; do\n"
	  "has \"the pins of the filter on $i are gone; xdp-dedup unload $i\"; done\n"
	  "$XD unload --all; idle v0; idle p0; idle b0\n" },
	{ "pins-incomplete-of-another-name",
	  LOAD " --name x; rm $PINS/x/config; fails 'the pins of x are incomplete' $XD status v0\n"
	       "fails 'the pins of x are incomplete' $XD set v0 --ihave pass; runs v0\n"
	       "$XD unload v0; clean\n" },
	{ "pins-incomplete-unload-name",
	  LOAD "; rm $PINS/v0/config; $XD unload --name v0; idle v0\n" },
	{ "pins-incomplete-unload-all", LOAD "; rm $PINS/v0/config; $XD unload --all; idle v0\n" },
	{ "load-killed", /* at any moment: what is left can be used, replaced and removed */
	  "for ms in 050 080 100 120 140 160 200 300; do\n"
	  "	timeout --foreground -s KILL 0.$ms " LOAD " || true; idle v0 || $XD unload v0\n"
	  "	" LOAD "; $XD status v0; $XD unload v0; clean\ndone\n" },
};

/* Puts a link in the place of the orphan once the sweep has waited to see whether it is one. */
static int swap_in_link(const struct intercepted *call, void *arg)
{
	static struct timespec last;
	struct timespec now;
	bool *is_swapped = arg;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (call->n > 1 && !*is_swapped &&
	    now.tv_sec - last.tv_sec + (now.tv_nsec - last.tv_nsec) / 1e9 > 0.4) {
		sh("mv " ORPHAN " " ORPHAN "-gone; ln -s /mnt/victim " ORPHAN);
		*is_swapped = true;
	}
	last = now;
	return 0;
}

static void sweep_follows_no_link(void **state)
{
	bool is_swapped = false;

	(void)state;
	sh(VICTIM ORPHANED);
	assert_int_equal(
		intercept_tool("refresh v0", swap_in_link, &is_swapped, output, sizeof(output)), 0);
	assert_true(is_swapped);
	sh("ls /mnt/victim/a /mnt/victim/b && rm -r /sys/fs/bpf/xdp/dispatch-* && $XD unload v0");
}

struct kill {
	bool is_behind, is_committed;
};

/* Kills the tool at its commit, or at the first call behind that. */
static int kill_at_commit(const struct intercepted *call, void *arg)
{
	struct kill *k = arg;

	if (!call->is_change)
		return 0;
	if (k->is_committed)
		return INTERCEPT_KILL;
	k->is_committed = !strcmp(call->what, "rename");
	return k->is_committed && !k->is_behind ? INTERCEPT_KILL : 0;
}

/* Changes that are killed before an interface moves to another network namespace. */
static const struct moving {
	const char *name, *ifnames, *change;
	bool is_behind; /* killed behind the commit */
} MOVING[] = {
	{ "moved-before-a-set", "v0", "set v0 --ihave pass", false },
	{ "moved-behind-a-set", "v0", "set v0 --ihave pass", true },
	{ "moved-before-a-resize", "v0", "resize v0 --capacity 20k", false },
	{ "moved-behind-a-resize", "v0", "resize v0 --capacity 20k", true },
	{ "one-of-two-moved-before-a-set", "v0 b0", "set v0 --ihave pass", false },
	{ "one-of-two-moved-behind-a-set", "v0 b0", "set v0 --ihave pass", true },
	{ "one-of-two-moved-before-a-resize", "v0 b0", "resize v0 --capacity 20k", false },
	{ "one-of-two-moved-behind-a-resize", "v0 b0", "resize v0 --capacity 20k", true },
};

/* In another network namespace first, then here. Whichever program it took along, the filter's own
 * runs then, on all of its interfaces.
 */
static struct cli_script settled_there = {
	"",
	THERE "ip link set v0 netns $far; there $XD refresh v0 || :; runs_there; $XD refresh v0\n"
	      "[ \"$(ls $PINS)\" = v0 ]; got there $XD status v0; has ' v0 ('; lacks 'has begun'\n"
	      "there $XD unload v0; not runs_there\n"
	      "[ ! -e $PINS/v0 ] || $XD unload b0; clean; kill $far\n"
};

static void moves_in_a_change(void **state)
{
	const struct moving *row = *state;
	struct kill k = { .is_behind = row->is_behind };
	void *script = &settled_there;

	sh("$XD load %s --name v0 --port 80", row->ifnames);
	assert_int_equal(intercept_tool(row->change, kill_at_commit, &k, output, sizeof(output)),
			 INTERCEPT_KILLED);
	cli_run_script(&script);
}

/* Changes of interfaces that are killed behind their commit: what the filter left is not taken for
 * an interface that has moved here.
 */
static const struct exchanged {
	const char *name, *ifnames, *change, *after;
} EXCHANGED[] = {
	{ "killed-as-all-interfaces-change", "v0", "set f --add p0 --remove v0", "p0" },
	{ "killed-as-one-of-two-changes", "v0 b0", "set f --add p0 --remove v0", "b0 p0" },
	{ "killed-as-one-of-two-leaves", "v0 b0", "set f --remove v0", "b0" },
};

static void changes_interfaces(void **state)
{
	const struct exchanged *row = *state;
	struct kill k = { .is_behind = true };

	sh("$XD load %s --name f --port 80", row->ifnames);
	assert_int_equal(intercept_tool(row->change, kill_at_commit, &k, output, sizeof(output)),
			 INTERCEPT_KILLED);
	sh_out(output, sizeof(output), "$XD refresh 2>&1");
	assert_string_equal(output, "");
	sh_out(output, sizeof(output),
	       "for i in v0 b0 p0; do if ip link show $i | grep -q 'prog/xdp'; then echo $i; fi; "
	       "done"
	       " | xargs");
	output[strcspn(output, "\n")] = 0;
	assert_string_equal(output, row->after);
	sh("$XD unload --name f");
}

/* Behind its commit, the interface still runs the memory of before. */
static struct cli_script found_by_interface = {
	"", "ls $PINS/+f; got $XD status; has 'f: GSP'; lacks 'pins of'\n"
	    "$XD status v0 --json | jq -e '.name == \"f\"'; $XD add v0 " ID_A "\n"
	    "got $XD test v0 " ID_A "; is '" ID_A " known'; ls $PINS/+f\n"
	    "$XD refresh; not ls $PINS/+f; $XD status; $XD unload v0; clean\n"
};

static void resize_killed_is_found_by_interface(void **state)
{
	struct kill k = { .is_behind = true };
	void *script = &found_by_interface;

	(void)state;
	sh("$XD load v0 --name f --port 80");
	assert_int_equal(intercept_tool("resize f --capacity 20k", kill_at_commit, &k, output,
					sizeof(output)),
			 INTERCEPT_KILLED);
	cli_run_script(&script);
}

static struct cli_script of_a_newer_one = {
	"", "ls $PINS/+v0; got $XD load p0 --port 80; lacks beside; got $XD unload p0; is ''\n"
	    "got $XD status v0; got $XD refresh v0; is ''; runs v0\n"
	    "fails 'a newer xdp-dedup has begun to change v0' $XD set v0 --ihave pass\n"
	    "got $NEXT refresh v0; is ''; not ls $PINS/+v0; $XD set v0 --ihave pass\n"
	    "$XD unload v0; clean\n"
};

static void newer_one_has_begun(void **state)
{
	struct kill k = { 0 };
	void *script = &of_a_newer_one;

	(void)state;
	sh(LOAD);
	use_tool(next_tool());
	assert_int_equal(intercept_tool("load v0 --replace", kill_at_commit, &k, output,
					sizeof(output)),
			 INTERCEPT_KILLED);
	use_tool(NULL);
	cli_run_script(&script);
}

/* Kills `unload` when the interface passes all packets, and nothing is detached yet. */
static int kill_between_steps(const struct intercepted *call, void *arg)
{
	bool *passes_all = arg;

	if (!call->is_change)
		return 0;
	if (*passes_all)
		return INTERCEPT_KILL;
	*passes_all = !strcmp(call->what, "netlink");
	return 0;
}

/* Until what is on top runs nothing any more, no program of the lower one can go. */
static struct cli_script kept_below = {
	"", "ip link set v0 master b0; ip link set b0 xdpgeneric pinned $OTHER\n"
	    "fails 'v0 keeps the program of a filter that is unloaded; it passes all packets' " LOAD
	    "\nip link set b0 xdpgeneric off; " LOAD "; runs v0; $XD unload v0; idle v0; clean\n"
};

static void unload_killed_below_another(void **state)
{
	bool passes_all = false;
	void *script = &kept_below;

	(void)state;
	sh(LOAD);
	assert_int_equal(intercept_tool("unload v0", kill_between_steps, &passes_all, output,
					sizeof(output)),
			 INTERCEPT_KILLED);
	cli_run_script(&script);
}

/* Nor can a change be ended that was cut off before its program was exchanged. */
static struct cli_script cut_off_below = {
	"", "ip link set v0 master b0; ip link set b0 xdpgeneric pinned $OTHER\n"
	    "exits 1 $XD set v0 --ihave pass; [ $(echo \"$output\" | wc -l) = 2 ]\n"
	    "has 'v0: File exists; if a device on top of it, as a bridge, runs XDP: first ip link'\n"
	    "has 'a change of v0 has not ended'; lacks 'no interface'; runs v0\n"
	    "ip link set b0 xdpgeneric off; got $XD set v0 --ihave pass; is ''\n"
	    "[ \"$(ls $PINS)\" = v0 ]; $XD unload v0; idle v0; clean\n"
};

static void resize_killed_below_another(void **state)
{
	struct kill k = { .is_behind = true };
	void *script = &cut_off_below;

	(void)state;
	if (neighbour_has_dispatcher("v0"))
		skip(); /* where the new program is attached beside that of +NAME */
	sh(LOAD);
	assert_int_equal(intercept_tool("resize v0 --capacity 20k", kill_at_commit, &k, output,
					sizeof(output)),
			 INTERCEPT_KILLED);
	cli_run_script(&script);
}

int main(void)
{
	cli_environment();
	add_test("unload-killed-below-another", unload_killed_below_another, cli_setup,
		 cli_teardown, NULL);
	add_test("resize-killed-below-another", resize_killed_below_another, cli_setup,
		 cli_teardown, NULL);
	add_rows(VERSIONS, run_version, cli_setup, cli_teardown);
	add_rows(DAMAGES, run_damage, cli_setup, cli_teardown);
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	add_rows(MOVING, moves_in_a_change, cli_setup, cli_teardown);
	add_rows(EXCHANGED, changes_interfaces, cli_setup, cli_teardown);
	add_test("newer-one-has-begun-a-change", newer_one_has_begun, cli_setup, cli_teardown, NULL);
	add_test("resize-killed-is-found-by-interface", resize_killed_is_found_by_interface,
		 cli_setup, cli_teardown, NULL);
	add_test("lookalike-stays", test_lookalike_stays, cli_setup, cli_teardown, NULL);
	add_test("pins-unattached", test_pins_unattached, cli_setup, cli_teardown, NULL);
	add_test("sweep-follows-no-link", sweep_follows_no_link, cli_setup, cli_teardown, NULL);
	leave_to_rest(
		"@(libxdps-*|links-among-*|file-of-a-pins-*|link-for-a-*|moved-filter-is-unloaded-*)");
	leave_to_rest(
		"@(moved-interface-*|interface-comes-home|one-of-two-has-*|deleted-namespace-*)");
	leave_to_rest(
		"@(interface-with-another-*|pins-@(that-do-not-tell|no-stats)|stacked-unload-lower-one)");
	leave_to_rest("@(pins-gone-status|moved-behind-*)");
	leave_to_rest("pins-@(no-!(stats)|stats-*|config-*|wanted-*|incomplete-*)");
	leave_to_rest("one-of-two-moved-@(before-a-resize|behind-a-*)");
	leave_to_rest("*-in-a-container");
	leave_to_rest("@(sweep-follows-no-link|newer-one-*|dispatchers-pins-are-swept)");
	leave_to_rest("program-held-*");
	leave_to_rest("moved-@(interface-has-another-index|interface-moves-on|before-a-*)");
	leave_to_rest("@(@(resize|unload)-killed-below-another|sweep-does-not-wait-*)");
	leave_to_rest("@(pins-@(of-a-newer-version|of-no-version|swapped)|link-to-nothing-goes)");
	leave_to_rest("stacked-@(unload-several|unload-all)");
	leave_to_rest("killed-as-one-of-two-@(changes|leaves)");
	leave_to_rest("@(moved-behind-a-resize|interface-of-two-*|moved-filter-unload-force)");
	return run_added_tests("leftovers");
}
