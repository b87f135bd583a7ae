// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names, files and options of others, with ESC, line ends, DEL, C1 controls, UTF-8 and what is not
 * UTF-8: every verb, as text and as JSON, prints them as valid UTF-8 without a control character,
 * on stdout and on stderr.
 */
#include "cli_runner.h"

#include "capture_files.h"
#include "hostile.h"
#include "packet.h"

#define SHOWN "\xc3\xa9"	  /* a letter, which stays */
#define MILD "\xc2\x9b\xff" SHOWN /* which readers of files take */
#define EVIL "\x1b[7m\x7f" MILD
#define LINES_MAX 40
#define UNKNOWN 3 /* exit status of `test` */
#define JSON_IS_VALID " --json | tee /dev/stderr | jq . >/mnt/j"

/* $IF and $TO are the ends of a veth pair, $WORD is a word, $TEXT has line ends, too. After '+' the
 * letter must be shown.
 */
static const struct foreign_row {
	const char *name;
	const char *lines[LINES_MAX];
} ROWS[] = {
	{ "interface",
	  { "+$XD check \"$IF\"", ("+$XD check \"$IF\"" JSON_IS_VALID),
	    "$XD check \"$IF\" --json | grep -F '\"\\u001b[7m\\u007f\\u009b\\ufffd' || exit 9",
	    "+$XD check \"$TEXT\"", ("+$XD check \"$TEXT\"" JSON_IS_VALID),
	    "+$XD load \"$IF\" --port 8001", "+$XD load \"$TEXT\" --port 8001", "$XD unload \"$IF\"",
	    "$XD unload \"$TEXT\"", "+$XD load \"$IF\" --port 8001 --name f --mode hw",
	    "$XD load \"$IF\" --port 8001 --name f --verbose" } },
	{ "filter",
	  { "$XD load \"$IF\" --name f --profile payload:8001 --profile rtp:5004",
	    "+$XD load \"$IF\" --name g --port 8001",
	    "+$XD check \"$IF\"",
	    "+ip link set \"$IF\" address 02:00:00:00:00:77; $XD status f",
	    ("+$XD status" JSON_IS_VALID),
	    "$XD watch f --count 1 --every 100ms",
	    ("+$XD watch f --count 1 --every 100ms" JSON_IS_VALID),
	    "$XD refresh f",
	    "$XD set f --add \"$TO\"",
	    "$XD set f --action count",
	    "$XD resize f --window 2s",
	    "$XD resize f --window 3s --forget",
	    "$XD rotate f",
	    "$XD reset f",
	    "$XD add f/rtp 00000001/1",
	    "$XD save f /mnt/s",
	    ("+ip link set \"$TO\" up; ip link set \"$IF\" up; ip addr add 10.9.9.1/24 dev \"$TO\"\n"
	     "ip neigh add 10.9.9.2 lladdr 02:00:00:00:00:77 dev \"$TO\"\n"
	     "timeout 60 $XD sample f --count 1 & sleep 1\n"
	     "bash -c 'echo x >/dev/udp/10.9.9.2/8001'; wait"),
	    ("timeout 60 $XD sample f --count 1 --json & sleep 1\n"
	     "bash -c 'echo y >/dev/udp/10.9.9.2/8001'; wait"),
	    "$XD load \"$IF\" --replace --name f --profile payload:8001 --profile rtp:5004",
	    "$XD unload --name f",
	    "$XD restore f /mnt/s || exit 9",
	    "$XD restore f /mnt/s",
	    "+ip link del \"$IF\"; $XD status f",
	    "$XD unload --name f" } },
	{ "words",
	  { "+$XD \"$TEXT\"",
	    "+$XD help \"$TEXT\"",
	    "+$XD status \"$TEXT\"",
	    "+$XD watch \"$TEXT\"",
	    "+$XD refresh \"$TEXT\"",
	    "+$XD set \"$TEXT\" --action count",
	    "+$XD resize \"$TEXT\" --window 1m",
	    "+$XD save \"$TEXT\" /mnt/s",
	    "+$XD restore \"$TEXT\" /mnt/s",
	    "+$XD rotate \"$TEXT\"",
	    "+$XD reset \"$TEXT\"",
	    ("+$XD add \"$TEXT\" " ID_A),
	    "+$XD sample \"$TEXT\"",
	    "+$XD profile show \"$TEXT\"",
	    "$XD profile \"$TEXT\" x",
	    "+$XD load v0 \"--$TEXT\"",
	    "+$XD load v0 --name \"$TEXT\" --port 80",
	    "+XDP_DEDUP_WINDOW=\"$TEXT\" $XD size",
	    (LOAD "; $XD test \"v0/$TEXT\" " ID_A),
	    "+$XD test v0 \"$TEXT\"",
	    "+$XD lost \"$TEXT\"",
	    "+echo \"$WORD\" | $XD want v0 -",
	    ("for o in $($XD help load | grep -o -- '--[a-z-]*' | sort -u); do\n"
	     "	$XD load v0 $o \"$TEXT\"; done; true"),
	    "$XD unload v0",
	    "mkdir -p \"$PINS/$WORD\"; $XD status",
	    "$XD status --json",
	    "$XD unload --all; rmdir \"$PINS/$WORD\"" } },
	{ "files",
	  { "+$XD profile check \"$TEXT\"", "$XD profile check \"/mnt/$TEXT\" || exit 9",
	    "+$XD profile check \"/mnt/$WORD\"", "+$XD profile list --profiles \"/mnt/$TEXT\"",
	    ("+$XD profile list --profiles \"/mnt/$TEXT\"" JSON_IS_VALID),
	    "+$XD profile show own --profiles \"/mnt/$TEXT\"",
	    "+$XD run --check --config \"$TEXT\"", "+$XD run --check --config \"/mnt/$TEXT\"",
	    "printf '[service]\\nfilters = none\\n' >\"/mnt/$WORD\"; $XD run --check --config \"/mnt/$WORD\"",
	    ("printf '[filter x]\\ninterfaces = %s\\nport = 80\\n' \"$WORD\" >/mnt/c\n"
	     "$XD run --check --config /mnt/c"),
	    "printf '[%s]\\n' \"$WORD\" >/mnt/c; $XD run --check --config /mnt/c",
	    "timeout -s INT 9 $XD run --config /mnt/c", "+$XD restore f \"/mnt/$TEXT\"",
	    ("+" LOAD "; $XD save v0 \"/mnt/$TEXT.d/$TEXT\""),
	    "+$XD save v0 \"/mnt/$TEXT\"; $XD restore f \"/mnt/$TEXT\" p0", "$XD unload --all",
	    "+$XD size --profiles \"$TEXT\" --profile own" } },
	{ "captures",
	  { "+$XD replay \"$TEXT\"", "+$XD replay \"$CAPTURE\"",
	    ("$XD replay \"$CAPTURE\"" JSON_IS_VALID), "+$XD replay \"$CAPTURE\" --port 8001",
	    ("$XD replay \"$CAPTURE\" --port 8001" JSON_IS_VALID),
	    "+$XD replay \"$CAPTURE\" --port 8001 --write-passed \"/mnt/$TEXT.d/out\"",
	    "+$XD replay \"$CAPTURE\" --html \"/mnt/$TEXT.d/out\"",
	    "+$XD replay \"$CAPTURE\" --port 8001 --mac \"$TEXT\"" } },
};

/* Two interfaces of this name, two copies of a packet. */
static void write_capture(const char *path)
{
	static struct frame f;
	struct file file = { 0 };
	struct id id = id_fresh();
	FILE *to = fopen(path, "w");

	frame_build(&f, &(struct frame_plan){ 0 }, &id);
	ng_section(&file);
	ng_named_iface(&file, EVIL "\n1");
	ng_named_iface(&file, EVIL "\n2");
	for (int i = 0; i < 20; i++)
		ng_packet(&file, i % 2, i * 1000, f.data, f.len, f.len, NULL);
	assert_non_null(to);
	assert_int_equal(fwrite(file.data, 1, file.len, to), file.len);
	fclose(to);
	file_free(&file);
}

static int setup(void **state)
{
	int err = cli_setup(state);

	setenv("IF", EVIL, 1);
	setenv("TO", EVIL "-", 1);
	setenv("WORD", EVIL, 1);
	setenv("MILD", MILD, 1);
	setenv("TEXT", EVIL "\nFORGED\t" EVIL, 1);
	setenv("CAPTURE", "/mnt/" EVIL "\nFORGED.pcapng", 1);
	write_capture(getenv("CAPTURE"));
	sh("ip link add \"$IF\" type veth peer name \"$TO\"\n"
	   "printf '[profile own]\\n# %%s\\nabout = %%s\\nlayer = udp\\nid = payload+0:8\\n' "
	   "\"$MILD\" \"$MILD\" >\"/mnt/$TEXT\"; cat \"$CAPTURE\" >\"/mnt/$WORD\"");
	return err;
}

static int teardown(void **state)
{
	sh("ip link del \"$IF\" 2>/dev/null || true");
	return cli_teardown(state);
}

static void is_shown_clean(void **state)
{
	const struct foreign_row *row = *state;

	for (int i = 0; i < LINES_MAX && row->lines[i]; i++) {
		bool shown = *row->lines[i] == '+';
		int status = sh_out(output, sizeof(output), "%s", row->lines[i] + shown);

		if ((status > 2 && status != UNKNOWN) || strstr(output, "Sanitizer"))
			fail_msg("exit %d of %s:\n%s", status, row->lines[i], output);
		hostile_assert_shown(output);
		if (strstr(output, "\nFORGED"))
			fail_msg("a line is forged by %s:\n%s", row->lines[i], output);
		if (shown && !strstr(output, SHOWN))
			fail_msg("nothing is shown by %s:\n%s", row->lines[i], output);
	}
}

int main(void)
{
	cli_environment();
	add_rows(ROWS, is_shown_clean, setup, teardown);
	return run_added_tests("foreign_text");
}
