// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Dependencies point one way: service → cli → replay → program, lib → fips, and they and bench →
 * filter → base → include. What each file includes with quotes is looked for where its room may
 * look, and nowhere else. Only replay knows libpcap, only metrics libmicrohttpd and
 * libseccomp, and only program includes what the kernel runs.
 */
#include "support.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the files in `dir`, headers are in these, separated by spaces; none includes what `never`
 * (an extended regular expression) matches.
 */
static const struct room {
	const char *name, *files, *dirs, *never;
} ROOMS[] = {
	/* GSP/1's header is the parser's and the packet makers', the bench's among them. */
	{ "include", "include/*.h", "include",
	  "gsp\\.h|<(bpf/(lib)?bpf\\.h|xdp/|(stdio|stdlib|math|unistd|sys)[/.])" },
	{ "bpf", "bpf/*.[ch]", "bpf include", "<(std(io|lib)|math|unistd|sys)[/.]" },
	{ "base", "user/base/*.[ch]", "user/base include", "gsp\\.h|<(bpf|xdp|pcap)[/.]|skel\\.h" },
	{ "filter", "user/filter/*.[ch]", "user/filter user/base include build", "gsp\\.h|<pcap[/.]" },
	{ "fips", "user/fips/*.[ch]", "user/fips user/api user/filter user/base include",
	  "gsp\\.h|<(bpf|xdp|pcap)[/.]" },
	/* xsk.h is in line. */
	{ "lib", "user/lib/*.[ch]", "user/lib user/api user/fips user/filter user/base include",
	  "gsp\\.h|<(bpf|pcap)[/.]|<xdp/[^x]" },
	{ "api", "user/api/*.h", "user/api", "<(bpf|xdp|pcap|linux)[/.]" },
	{ "program", "user/program/*.[ch]", "user/program bpf include",
	  "<(bpf|xdp|pcap)[/.]|skel\\.h" },
	{ "replay", "user/replay/*.[ch]", "user/replay user/program user/filter user/base include",
	  "gsp\\.h|<(bpf|xdp)/" },
	{ "cli", "user/cli/*.[ch]", "user/cli user/replay user/program user/filter user/base include",
	  "gsp\\.h|<(bpf|xdp|pcap)[/.]|skel\\.h" },
	{ "service", "user/service/*.[ch]",
	  "user/service user/cli user/replay user/program user/filter user/base include",
	  "gsp\\.h|<(bpf|xdp|pcap|microhttpd|seccomp)[/.]|skel\\.h" },
	{ "metrics", "user/metrics/*.[ch]", "user/metrics user/base include",
	  "gsp\\.h|<(bpf|xdp|pcap|systemd)[/.]|skel\\.h" },
	{ "bench", "user/bench/*.[ch]", "user/bench user/filter user/base include build",
	  "<(xdp|pcap)[/.]" },
};

static bool is_in(const char *dirs, const char *header)
{
	char copy[256], path[512];

	snprintf(copy, sizeof(copy), "%s", dirs);
	for (char *dir = strtok(copy, " "); dir; dir = strtok(NULL, " ")) {
		snprintf(path, sizeof(path), "%s/%s", dir, header);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static void check_file(const struct room *room, const char *path)
{
	char line[512], header[256];
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "#include \"%255[^\"]\"", header) == 1 && !is_in(room->dirs, header))
			fail_msg("%s may not include %s", path, header);
	}
	fclose(f);
}

static void headers_are_of_rooms_below(void **state)
{
	const struct room *room = *state;
	char out[4096];
	glob_t files = { 0 };

	assert_int_equal(glob(room->files, 0, NULL, &files), 0);
	assert_true(files.gl_pathc > 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		check_file(room, files.gl_pathv[i]);
	if (!sh_out(out, sizeof(out), "grep -E '^#include.*(%s)' %s", room->never, room->files))
		fail_msg("%s includes what it must not:\n%s", room->name, out);
	globfree(&files);
}

int main(void)
{
	add_rows(ROOMS, headers_are_of_rooms_below, NULL, NULL);
	return run_added_any_tests("rooms");
}
