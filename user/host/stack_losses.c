// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The IP stack's counters: /proc/net/snmp, netstat and snmp6. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stack.h"

#define LINE_MAX_BYTES 8192

/* A counter of IPv4: "PART:NAME". */
struct counter {
	const char *ipv4, *ipv6;
};

static const struct counter COUNTERS[] = {
#define COUNTER(name, ipv4, ipv6, text) { ipv4, ipv6 },
	STACK_LOSSES(COUNTER)
#undef COUNTER
};

/* Takes two lines, "PART: NAME NAME..." and "PART: VALUE VALUE...". */
static void take_pair(char *names, char *values, uint64_t *lost)
{
	char *name_at, *value_at, *name = strtok_r(names, " \n", &name_at);
	const char *part = name, *value = strtok_r(values, " \n", &value_at);

	while (name && value) {
		name = strtok_r(NULL, " \n", &name_at);
		value = strtok_r(NULL, " \n", &value_at);
		for (int i = 0; name && value && i < STACK_LOSSES_CNT; i++) {
			size_t len = strlen(part);

			if (!strncmp(COUNTERS[i].ipv4, part, len) &&
			    !strcmp(COUNTERS[i].ipv4 + len, name))
				lost[i] += strtoumax(value, NULL, 10);
		}
	}
}

static int read_ipv4(const char *path, uint64_t *lost)
{
	static char names[LINE_MAX_BYTES], values[LINE_MAX_BYTES];
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	while (fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f))
		take_pair(names, values, lost);
	fclose(f);
	return 0;
}

/* Reads lines of "NAME VALUE". A kernel without IPv6 has no such file. */
static int read_ipv6(uint64_t *lost)
{
	FILE *f = fopen("/proc/self/net/snmp6", "re");
	char name[64];
	uint64_t value;

	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (fscanf(f, "%63s %" SCNu64, name, &value) == 2)
		for (int i = 0; i < STACK_LOSSES_CNT; i++)
			if (!strcmp(COUNTERS[i].ipv6, name))
				lost[i] += value;
	fclose(f);
	return 0;
}

int stack_losses(uint64_t lost[STACK_LOSSES_CNT])
{
	memset(lost, 0, STACK_LOSSES_CNT * sizeof(*lost));
	return read_ipv4("/proc/self/net/snmp", lost) ?:
	       read_ipv4("/proc/self/net/netstat", lost) ?:
	       read_ipv6(lost);
}
