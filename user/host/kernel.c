// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/capability.h>
#include <xdp/libxdp.h>

#include "bpffs.h"
#include "clock.h"
#include "diag.h"
#include "dirs.h"
#include "memory.h"
#include "proc.h"
#include "text.h"
#include "units.h"

#define PREEMPTION_MAJOR 6
#define PREEMPTION_MINOR 18

static char message[160];
static bool is_verbose;
static int (*print)(const char *format, va_list args);
static int64_t clock_offset_ns;

/* Copies the kernel's message about a netlink request. libbpf gives it only to its log function. */
static void keep_message(const char *format, va_list args)
{
	static const char PREFIX[] = "Kernel error message: ";
	char line[sizeof(message)];
	const char *found;
	va_list copy;

	if (!strstr(format, PREFIX))
		return;
	va_copy(copy, args);
	vsnprintf(line, sizeof(line), format, copy);
	va_end(copy);
	found = strstr(line, PREFIX);
	snprintf(message, sizeof(message), "%s", found ? found + strlen(PREFIX) : "");
	message[strcspn(message, "\n")] = 0;
	text_clean(message);
}

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	keep_message(format, args);
	return is_verbose && print && level != LIBBPF_DEBUG ? print(format, args) : 0;
}

static int print_libxdp(enum libxdp_print_level level, const char *format, va_list args)
{
	return is_verbose && print && level != LIBXDP_DEBUG ? print(format, args) : 0;
}

static const struct {
	enum kernel_right right;
	int capability;
	const char *name;
} RIGHTS[] = {
	{ KERNEL_BPF, CAP_BPF, "CAP_BPF" },
	{ KERNEL_PERFMON, CAP_PERFMON, "CAP_PERFMON" },
	{ KERNEL_ATTACH, CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	{ KERNEL_MONITOR, CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
};
#define RIGHTS_CNT (sizeof(RIGHTS) / sizeof(RIGHTS[0]))

const char *kernel_rights_text(unsigned int rights)
{
	static char text[96];

	*text = 0;
	for (size_t i = 0; i < RIGHTS_CNT; i++)
		if (rights & RIGHTS[i].right)
			text_append(text, sizeof(text), "%s%s", *text ? " and " : "", RIGHTS[i].name);
	return text;
}

/* Returns those of these rights that the process does not have. */
static unsigned int lacking(unsigned int rights)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	unsigned int lacks = 0;

	syscall(SYS_capget, &header, data); /* if it fails, data stays 0: no capabilities */
	for (size_t i = 0; i < RIGHTS_CNT; i++) {
		int cap = RIGHTS[i].capability;

		if (!(data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap)))
			lacks |= rights & RIGHTS[i].right;
	}
	if (data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN))
		lacks &= ~(KERNEL_BPF | KERNEL_PERFMON); /* CAP_SYS_ADMIN includes these */
	return lacks;
}

int kernel_permits(const char *verb, unsigned int rights)
{
	unsigned int lacks = lacking(rights);
	int fd;

	if (lacks)
		return diag_err(-EPERM,
				"not permitted: %s needs %s" ADVICE
				"run as root, or with that and access to " BPFFS,
				verb, kernel_rights_text(lacks));
	if (!(rights & KERNEL_PERFMON))
		return 0;
	/* In a container or user namespace a capability that the process has may not suffice. */
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(__u32), sizeof(__u32), 1, NULL);
	if (fd >= 0)
		close(fd);
	else if (errno == EPERM)
		return diag_err(-EPERM,
				"not permitted to use BPF" ADVICE
				"run outside of the container, or user namespace, that forbids it");
	return 0;
}

bool kernel_has_rights(unsigned int rights)
{
	return !lacking(rights);
}

const char *kernel_message(void)
{
	return message;
}

void kernel_forget_message(void)
{
	*message = 0;
}

void kernel_print_by(int (*by)(const char *format, va_list args))
{
	print = by;
}

void kernel_output(bool verbose)
{
	is_verbose = verbose;
	libbpf_set_print(print_libbpf);
	libxdp_set_print(print_libxdp);
}

int kernel_ready(bool verbose, bool may_mount)
{
	int err = bpffs_ready(may_mount);

	kernel_output(verbose);
	if (err)
		return err;
	err = clock_read_offset(&clock_offset_ns);
	return err ? diag_err(err, "cannot ask the kernel for its clock: %s", strerror(-err)) : 0;
}

/* Returns the names of this kernel. They are static. */
static const struct utsname *names(void)
{
	static struct utsname un;

	uname(&un);
	return &un;
}

int kernel_check_delivery(void)
{
	if (libbpf_probe_bpf_map_type(BPF_MAP_TYPE_XSKMAP, NULL)) /* or unknown */
		return 0;
	return diag_err(
		-EOPNOTSUPP,
		"this kernel (%s) has no AF_XDP sockets (CONFIG_XDP_SOCKETS), to which --deliver xsk has packets go" ADVICE
		"without it, all go to the stack",
		names()->release);
}

uint64_t kernel_memory_available(void)
{
	return proc_number("/proc/meminfo", "MemAvailable:") * 1024;
}

/* The kernel returns -E2BIG also for a program that is too complex for the verifier. It means too
 * little memory only if the array map has more than 2^31 entries: the kernel
 * rounds their number up to a power of 2, which must fit 32 bits.
 */
bool kernel_lacks_memory(int err, uint64_t bytes)
{
	return err == -ENOMEM || (err == -E2BIG && bytes / sizeof(struct dedup_block) > 1U << 31);
}

int kernel_check(int err)
{
	/* What came last of all that the programs need. */
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, BPF_FUNC_xdp_get_buff_len,
				    NULL)) /* or unknown */
		return 0;
	return diag_err(err, "this kernel (%s) has no XDP frags, which came with Linux 5.18",
			names()->release);
}

static bool has_line(const char *path, const char *line)
{
	FILE *file = fopen(path, "re");
	char text[256];
	bool has = false;

	while (file && !has && fgets(text, sizeof(text), file)) {
		text[strcspn(text, "\n")] = '\0';
		has = !strcmp(text, line);
	}
	if (file)
		fclose(file);
	return has;
}

bool kernel_preempts(const char *release, const char *version, const char *config)
{
	int major = 0, minor = 0;

	if (!strstr(version, "PREEMPT_RT") || sscanf(release, "%d.%d", &major, &minor) != 2)
		return false;
	return (major > PREEMPTION_MAJOR || (major == PREEMPTION_MAJOR && minor >= PREEMPTION_MINOR)) &&
	       !has_line(config, "CONFIG_PREEMPT_RT_NEEDS_BH_LOCK=y");
}

int kernel_check_preemption(void)
{
	const struct utsname *un = names();
	char config[PATH_MAX];

	snprintf(config, sizeof(config), "/boot/config-%s", un->release);
	if (!kernel_preempts(un->release, un->version, config))
		return 0;
	return diag_err(
		-EOPNOTSUPP,
		"on this kernel (%s, PREEMPT_RT) a CPU begins a packet before it has ended another one, and would look up the wrong id" ADVICE
		"--action count drops nothing; a kernel with PREEMPT_RT_NEEDS_BH_LOCK=y in %s suits",
		un->release, config);
}

int kernel_explain(int err, uint64_t bytes)
{
	/* Memory is checked first: without memory the probes of features fail, too. */
	if (kernel_lacks_memory(err, bytes))
		return bytes ? diag_err(err,
					"no memory for a filter of %s" ADVICE
					"lower --capacity or raise --fpr",
					FORMAT_BYTES(bytes))
			     : diag_err(err, "no memory for the filter's program");
	if (kernel_check(err))
		return err;
	if (err == -E2BIG)
		return diag_err(err,
				"the program is too large for this kernel's verifier (%s)" ADVICE
				"a newer one may take it; --verbose shows what it says",
				names()->release);
	return diag_err(err,
			"the kernel (%s) refused the filter: %s" ADVICE
			"--verbose shows what it says",
			names()->release, strerror(-err));
}

uint64_t kernel_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC) + clock_offset_ns;
}
