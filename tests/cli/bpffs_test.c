// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pins are made where they outlive the command, or not at all. Under `ip netns exec` a command
 * has a mount namespace of its own, in which bpffs is hidden: so it is in what `hidden` runs.
 */
#include "cli_runner.h"

#define PRIVATE "unshare --mount sh -ec '"
#define HIDDEN                                                                          \
	"hidden() { " PRIVATE "umount -l /sys; mount -t sysfs sysfs /sys; exec \"$@\"'" \
	" sh \"$@\"; }\n"
/* In a PID and mount namespace without a bpffs, but for those that a mount on /sys hides;
 * `mounted`: there is one more.
 */
#define ALONE                                                                                  \
	"unshare --pid --fork --mount-proc sh -exc 'while umount /sys/fs/bpf; do :; done\n"    \
	"mounts() { grep -c \"^bpf /sys/fs/bpf bpf\" /proc/mounts || :; }; hidden=$(mounts)\n" \
	"mounted() { [ $(mounts) = $((hidden + 1)) ]; }\n"
/* PID 1 of namespaces whose mounts are slaves of those here. */
#define SLAVE "unshare --pid --fork --mount-proc --propagation slave "
#define NEW_BPFFS "mount -t bpf -o mode=700 bpf /sys/fs/bpf; "

static const struct cli_script SCRIPTS[] = {
	{ "hidden-bpffs-is-worked-around",
	  HIDDEN "got hidden " LOAD "; lacks note; [ -e $PINS/v0/timer ]; got $XD status v0\n"
		 "has \"(native)\"; lacks stopped; got hidden $XD status; has \"(native)\"\n"
		 "hidden $XD add v0 " ID_A "; hidden $XD rotate v0; got $XD test v0 " ID_A "\n"
		 "is '" ID_A " known'; hidden $XD unload v0; idle v0; clean\n" },
	{ "hidden-bpffs-hides-no-file", HIDDEN LOAD
	  "; mkdir /mnt/work; cd /mnt/work; hidden /mnt/tool save v0 image; ls /mnt/work/image\n"
	  "hidden /mnt/tool restore x image p0; /mnt/tool unload --all\n" },
	{ "hidden-bpffs-behind-a-shell", /* which has the command's mounts */
	  HIDDEN "hidden sh -ec '" LOAD "; exit'; [ -e $PINS/v0/timer ]; $XD unload v0\n" },
	/* One that only the command holds would end with it. */
	{ "own-bpffs-is-left",
	  PRIVATE NEW_BPFFS "exec " LOAD "'; [ -e $PINS/v0/timer ]; $XD unload v0\n" },
	{ "bpffs-of-its-shell-will-do",
	  PRIVATE NEW_BPFFS LOAD "; [ -e $PINS/v0/timer ]; $XD status v0; $XD unload v0'\n"
				 "[ ! -e $PINS ]\n" },
	{ "bpffs-of-a-stranger-will-do", /* as that of a container, entered by nsenter */
	  PRIVATE NEW_BPFFS
	  "touch /mnt/a; exec sleep 300' >/dev/null 2>&1 & p=$!\n"
	  "until [ -e /mnt/a ]; do sleep 0.01; done; rm /mnt/a\n"
	  "there() { nsenter --target $p --mount \"$@\"; }\n"
	  "there /mnt/tool load v0 --port 80; there /mnt/tool status v0; [ ! -e $PINS ]\n"
	  "there /mnt/tool unload v0; idle v0; kill $p\n" },
	{ "bpffs-of-none-but-pid-1-is-refused",
	  "fails 'no other process is seen to hold the bpffs' \\\n"
	  "	unshare --pid --fork --mount-proc sh -ec '" NEW_BPFFS "exec " LOAD "'; idle v0\n" },
	/* As in a container, whose only process the command then is. */
	{ "bpffs-of-a-master-elsewhere-will-do", "mount --make-shared /sys/fs/bpf; " SLAVE LOAD
						 "; [ -e $PINS/v0/timer ]; " SLAVE "$XD unload v0\n"
						 "idle v0; mount --make-private /sys/fs/bpf\n" },
	{ "bpffs-of-a-master-of-its-own-is-refused",
	  "mkdir /mnt/master; fails 'no other process is seen to hold the bpffs' \\\n"
	  "	unshare --pid --fork --mount-proc sh -ec '" NEW_BPFFS "mount --make-shared /sys/fs/bpf\n"
	  "	mount --bind /sys/fs/bpf /mnt/master; mount --make-slave /sys/fs/bpf; exec " LOAD
	  "'; idle v0; rmdir /mnt/master\n" },
	/* As `ip netns exec` in a container, whose only process the command then is. */
	{ "bpffs-for-none-but-pid-1-is-not-mounted",
	  "fails 'there is no bpffs at /sys/fs/bpf in this mount namespace; mount -t bpf -o "
	  "mode=0700 ' \\\n"
	  "	unshare --pid --fork --mount-proc sh -ec 'umount /sys/fs/bpf; exec " LOAD "'\n"
	  "idle v0\n" },
	{ "no-bpffs-outside-is-refused",
	  "fails 'there is no bpffs at /sys/fs/bpf in this mount namespace; mount -t bpf -o "
	  "mode=0700 ' \\\n"
	  "	unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf\n"
	  "unshare --mount " LOAD "; exit $?'; idle v0\n" },
	{ "no-proc-is-refused",
	  "not got " PRIVATE "umount -l /proc; ASAN_OPTIONS=detect_leaks=0 exec " LOAD "'\n"
	  "has 'no other process is seen to hold the bpffs'; idle v0; [ ! -e $PINS ]\n" },
	{ "bpffs-is-mounted-where-pid-1-has-none",
	  "got unshare --pid --fork --mount-proc sh -ec 'while umount /sys/fs/bpf; do :; done\n"
	  "	mounts() { grep -c /sys/fs/bpf /proc/mounts || :; }; n=$(mounts)\n"
	  "	if $XD status | grep -v \"no filter is loaded\"; then exit 1; fi\n"
	  "	[ $(mounts) = $n ]\n"
	  "	" LOAD "; grep \"^bpf /sys/fs/bpf bpf .*mode=700\" /proc/mounts; $XD status v0\n"
	  "	$XD unload v0'\n"
	  "has 'bpf /sys/fs/bpf bpf '; has \"interfaces  v0 (native)\n\"\n" },
	/* A second bpffs would hide the pins in the first one. */
	{ "bpffs-is-mounted-once",
	  ALONE "for i in $(seq 20); do for j in 1 2 3 4; do $XD refresh & done; wait; mounted\n"
		"	umount /sys/fs/bpf; done'\n" },
	{ "bpffs-is-mounted-once-if-another-process-begins", ALONE
	  "flock /sys/fs/bpf sh -c \"touch /mnt/locked; sleep 1\n"
	  "	mount -t bpf -o mode=0700 bpf /sys/fs/bpf\" & until [ -e /mnt/locked ]; do sleep 0.01; done\n"
	  "$XD refresh; wait; rm /mnt/locked; mounted'\n" },
	{ "bpffs-is-mounted-though-its-directory-is-locked", ALONE
	  "flock /sys/fs/bpf sleep 300 & while flock --nonblock /sys/fs/bpf true; do sleep 0.01; done\n"
	  "timeout 60 $XD refresh; mounted'\n" },
};

int main(void)
{
	cli_environment();
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("bpffs");
}
