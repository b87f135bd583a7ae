// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "preemption.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "diag.h"

#define SINCE_MAJOR 6
#define SINCE_MINOR 18

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

bool preemption_of(const char *release, const char *version, const char *config)
{
	int major = 0, minor = 0;

	if (!strstr(version, "PREEMPT_RT") || sscanf(release, "%d.%d", &major, &minor) != 2)
		return false;
	return (major > SINCE_MAJOR || (major == SINCE_MAJOR && minor >= SINCE_MINOR)) &&
	       !has_line(config, "CONFIG_PREEMPT_RT_NEEDS_BH_LOCK=y");
}

int preemption_check(void)
{
	char config[PATH_MAX];
	struct utsname un;

	uname(&un);
	snprintf(config, sizeof(config), "/boot/config-%s", un.release);
	if (!preemption_of(un.release, un.version, config))
		return 0;
	return diag_err(
		-EOPNOTSUPP,
		"on this kernel (%s, PREEMPT_RT) a CPU begins a packet before it has ended another one, and would look up the wrong id" ADVICE
		"--action count drops nothing; a kernel with PREEMPT_RT_NEEDS_BH_LOCK=y in %s suits",
		un.release, config);
}
