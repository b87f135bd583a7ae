// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t clock_left_ns(uint64_t start_ns, uint64_t for_ns)
{
	uint64_t spent_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;

	if (!for_ns)
		return UINT64_MAX;
	return spent_ns < for_ns ? for_ns - spent_ns : 0;
}

/* Does the process's file of offsets show the namespace in which the process is? */
static bool is_in_shown_namespace(void)
{
	struct stat own, shown;

	return !stat("/proc/self/ns/time", &own) &&
	       !stat("/proc/self/ns/time_for_children", &shown) && own.st_ino == shown.st_ino;
}

int clock_read_offset(int64_t *offset_ns)
{
	FILE *f = fopen("/proc/self/timens_offsets", "re");
	long long s = 0, ns = 0;
	int fields;

	*offset_ns = 0;
	if (!f && errno == ENOENT) /* no such namespaces; or, if there is no /proc, that is unknown */
		return access("/proc/self/ns", F_OK) ? -EXDEV : 0;
	if (!f)
		return -errno;
	fields = fscanf(f, "monotonic %lld %lld", &s, &ns);
	fclose(f);
	if (fields != 2)
		return -EPROTO;
	if (!is_in_shown_namespace())
		return -EXDEV;
	*offset_ns = -(s * 1000000000 + ns);
	return 0;
}
