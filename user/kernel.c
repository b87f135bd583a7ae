// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>
#include <xdp/libxdp.h>

#include "clock.h"
#include "say.h"
#include "units.h"

#define BPFFS "/sys/fs/bpf"
#define LOCK_WAIT_S 10

static bool loud;
static int64_t clock_offset_ns;

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	return loud && level != LIBBPF_DEBUG ? vfprintf(stderr, format, args) : 0;
}

static int print_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	return loud && level != LIBXDP_DEBUG ? vfprintf(stderr, format, args) : 0;
}

/* `ip netns exec` gives its command a mount namespace of its own, where bpffs is
 * missing, and a bpffs mounted there would go, with all pins, when the command ends.
 */
static bool mounts_are_passing(void)
{
	struct stat own, init;

	return !stat("/proc/self/ns/mnt", &own) && !stat("/proc/1/ns/mnt", &init) &&
	       own.st_ino != init.st_ino;
}

static int mount_bpffs(void)
{
	struct statfs fs;

	if (!statfs(BPFFS, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC)
		return 0;
	if (mounts_are_passing())
		return say_err(-ENODEV,
			       "there is no bpffs at " BPFFS " in this mount namespace; under "
			       "ip netns exec NS, say nsenter --net=/run/netns/NS instead");
	if (mount("bpf", BPFFS, "bpf", 0, "mode=0700"))
		return say_err(-errno,
			       "cannot mount bpffs: %s; try mount -t bpf bpf " BPFFS " as root",
			       strerror(errno));
	return 0;
}

int kernel_permits(bool verbose)
{
	__u32 id;
	int err;

	loud = verbose;
	libbpf_set_print(print_libbpf);
	libxdp_set_print(print_libxdp);
	/* Listing programs asks for more than loading them: without, what is attached
	 * could not be seen, which looks like nothing.
	 */
	if (geteuid() != 0 || (bpf_prog_get_next_id(0, &id) && errno == EPERM) ||
	    !libbpf_probe_bpf_map_type(BPF_MAP_TYPE_ARRAY, NULL))
		return say_err(-EPERM, "not permitted to use BPF; run as root (with CAP_SYS_ADMIN, "
				       "CAP_BPF and CAP_NET_ADMIN)");
	err = clock_measure_offset(&clock_offset_ns);
	return err ? say_err(err, "cannot ask the kernel for its clock: %s", strerror(-err)) : 0;
}

int kernel_ready(bool verbose)
{
	int err = kernel_permits(verbose);

	return err ? err : mount_bpffs();
}

int kernel_lock(int fd)
{
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK)
			return say_err(-errno, "cannot lock the filters: %s", strerror(errno));
		if (i == LOCK_WAIT_S * 10)
			return say_err(-EBUSY,
				       "another xdp-dedup is still changing filters; try again");
		usleep(100000);
	}
	return 0;
}

/* What the programs need, and the kernel that brought it. */
static const struct {
	const char *text;
	enum bpf_prog_type type;
	enum bpf_func_id helper; /* BPF_FUNC_unspec: the program type itself */
} NEEDS[] = {
	{ "BPF, which came with Linux 4.8 for XDP", BPF_PROG_TYPE_XDP, BPF_FUNC_unspec },
	{ "BPF syscall programs, which came with Linux 5.14", BPF_PROG_TYPE_SYSCALL, BPF_FUNC_unspec },
	{ "BPF timers, which came with Linux 5.15", BPF_PROG_TYPE_XDP, BPF_FUNC_timer_init },
	{ "BPF loops, which came with Linux 5.17", BPF_PROG_TYPE_XDP, BPF_FUNC_loop },
};

bool kernel_has(enum bpf_prog_type type, enum bpf_func_id helper)
{
	/* Negative means unknown: not a thing to blame. */
	return (helper ? libbpf_probe_bpf_helper(type, helper, NULL)
		       : libbpf_probe_bpf_prog_type(type, NULL)) != 0;
}

const char *kernel_lacks(bool (*has)(enum bpf_prog_type type, enum bpf_func_id helper))
{
	for (size_t i = 0; i < sizeof(NEEDS) / sizeof(NEEDS[0]); i++)
		if (!has(NEEDS[i].type, NEEDS[i].helper))
			return NEEDS[i].text;
	return NULL;
}

bool kernel_has_frags(void)
{
	return kernel_has(BPF_PROG_TYPE_XDP, BPF_FUNC_xdp_get_buff_len);
}

uint64_t kernel_memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kb = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb * 1024;
}

int kernel_explain(int err, uint64_t bytes)
{
	const char *lacks = kernel_lacks(kernel_has);
	struct utsname un;
	char text[32];

	uname(&un);
	if (lacks)
		return say_err(err, "this kernel (%s) has no %s", un.release, lacks);
	if (err == -ENOMEM || err == -E2BIG)
		return say_err(err, "no memory for a filter of %s; lower --capacity or raise --fpr",
			       format_bytes(bytes, text, sizeof(text)));
	return say_err(err, "the kernel (%s) refused the filter: %s; --verbose shows what it says",
		       un.release, strerror(-err));
}

uint64_t kernel_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC) + clock_offset_ns;
}

uint32_t kernel_netns(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) ? 0 : st.st_ino;
}
