// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rules of ARCHITECTURE.md about rooms, as scripts/rooms reads them. A file includes only
 * headers of rooms that its own room may use, and only libraries that its room may use. No room
 * uses itself through other rooms. Rooms below the programs do not print. A room of fixtures uses
 * only rooms above it in tests/README.md.
 */
#include "support.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOMS_MAX 64
#define GENERATED "build" /* skeletons and profiles */
#define PROGRAMS "cli|service|tool|metrics|publish"
#define PRINTS                                                  \
	"\\<(v?printf|puts|putchar|perror)\\(|[(,] *stderr\\>|" \
	"\\<(fprintf|fputs|fputc|putc|fwrite)\\(.*\\<stdout\\>|#include \"print[.]h\""

struct room {
	char name[32], files[64];
	char dirs[1024];  /* where its headers are, separated by spaces */
	char never[1024]; /* an extended regular expression: what no file of the room includes */
};

/* Rooms outside of user/. GSP/1's header is the parser's and the packet makers'. */
static const struct room OUTSIDE[] = {
	{ "include", "include/*.h", "include",
	  "gsp\\.h|<(bpf/(lib)?bpf\\.h|xdp/|(stdio|stdlib|math|unistd|sys)[/.])" },
	{ "bpf", "bpf/*.[ch]", "bpf include", "<(std(io|lib)|math|unistd|sys)[/.]" },
};

/* How the header of a library is included. */
static const struct {
	const char *name, *header;
} LIBRARIES[] = {
	{ "libbpf", "<bpf/|skel\\.h" },
	{ "libxdp", "<xdp/" },
	{ "libpcap", "<pcap" },
	{ "libsystemd", "<systemd/" },
	{ "libmicrohttpd", "<microhttpd" },
	{ "json-c", "<json-c/" },
	{ "inih", "<ini\\.h" },
	{ "ncurses", "<n?curses" },
	{ "libnats", "<nats[/.]" },
	{ "libcrypto", "<openssl/" },
	{ "libmnl", "<(libmnl/|linux/(rt|ge)?netlink\\.h)" },
};

static struct room rooms[ROOMS_MAX];
static int rooms_cnt;

/* What `scripts/rooms` prints of this room; the caller frees it. */
static char *ask(const char *name, const char *what)
{
	char *out = malloc(4096);

	assert_non_null(out);
	if (sh_out(out, 4096, "scripts/rooms %s | sed -n 's/^%s://p'", what, name))
		fail_msg("scripts/rooms: %s", out);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static void append(char *text, size_t size, const char *format, const char *value)
{
	size_t len = strlen(text);

	assert_true(snprintf(text + len, size - len, format, value) < (int)(size - len));
}

static void read_room(const char *name)
{
	struct room *room = &rooms[rooms_cnt++];
	char *used = ask(name, "rooms"), *may = ask(name, "libraries");

	assert_true(rooms_cnt < ROOMS_MAX);
	snprintf(room->name, sizeof(room->name), "%s", name);
	snprintf(room->files, sizeof(room->files), "user/%s/*.[ch]", name);
	snprintf(room->dirs, sizeof(room->dirs), "include " GENERATED);
	for (char *save, *dir = strtok_r(used, " ", &save); dir; dir = strtok_r(NULL, " ", &save))
		append(room->dirs, sizeof(room->dirs), " user/%s", dir);
	snprintf(room->never, sizeof(room->never), "gsp\\.h");
	for (size_t i = 0; i < ARRAY_SIZE(LIBRARIES); i++)
		if (!has_word(may, LIBRARIES[i].name))
			append(room->never, sizeof(room->never), "|%s", LIBRARIES[i].header);
	free(used);
	free(may);
}

static bool is_in(const char *dirs, const char *header)
{
	char copy[1024], path[512];

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

/* Only programs print: the others report (user/base/diag.h). A capture may be written to the file
 * stdout, if the user names it.
 */
TEST(only_programs_print)
{
	char out[4096];

	if (!sh_out(out, sizeof(out),
		    "ls user/*/*.[ch] | grep -vE '^user/(%s)/|^user/base/print[.]' | "
		    "xargs grep -nE '%s'",
		    PROGRAMS, PRINTS))
		fail_msg("prints, and is of no program:\n%s", out);
}

TEST(every_room_is_in_the_table)
{
	char out[4096];

	if (sh_out(out, sizeof(out),
		   "for d in user/*/; do d=${d#user/}; d=${d%%/}; ls user/$d/*.[ch] >/dev/null "
		   "2>&1 || "
		   "continue; scripts/rooms | grep -q \"^$d:\" || { echo $d; exit 1; }; done"))
		fail_msg("ARCHITECTURE.md does not have the room %s", out);
}

/* In the order of the table a room uses only rooms above it. */
TEST(no_room_uses_one_below_it)
{
	char seen[1024] = " ";

	for (int i = 0; i < rooms_cnt; i++) {
		char *used = ask(rooms[i].name, "rooms");

		append(seen, sizeof(seen), "%s ", rooms[i].name);
		for (char *save, *r = strtok_r(used, " ", &save); r; r = strtok_r(NULL, " ", &save))
			if (strncmp(r, "..", 2) && !has_word(seen, r))
				fail_msg("%s uses %s, which comes after it", rooms[i].name, r);
		free(used);
	}
}

/* In the order of the table in tests/README.md. */
TEST(no_fixture_uses_one_below_it)
{
	char out[4096];

	if (sh_out(out, sizeof(out),
		   "below=; for r in $(sed -n 's,^| \\[\\([a-z0-9]*\\)](fixture/.*,\\1,p' tests/README.md | tac)\n"
		   "do for h in $(sed -n 's/^#include \"\\(.*\\)\"/\\1/p' tests/fixture/$r/*.[ch])\n"
		   "do for b in $below\n"
		   "do [ ! -e tests/fixture/$b/$h ] || { echo $r: $b/$h; exit 1; }\n"
		   "done; done; below=\"$below $r\"; done; [ -n \"$below\" ]"))
		fail_msg("this room of tests/fixture uses a room below it: %s", out);
}

int main(void)
{
	char names[1024];

	add_own_tests(NULL, NULL);
	add_rows(OUTSIDE, headers_are_of_rooms_below, NULL, NULL);
	if (sh_out(names, sizeof(names), "scripts/rooms | cut -d: -f1"))
		return 1;
	for (char *save, *name = strtok_r(names, "\n", &save); name;
	     name = strtok_r(NULL, "\n", &save))
		read_room(name);
	for (int i = 0; i < rooms_cnt; i++)
		add_test(rooms[i].name, headers_are_of_rooms_below, NULL, NULL, &rooms[i]);
	return run_added_any_tests("rooms");
}
