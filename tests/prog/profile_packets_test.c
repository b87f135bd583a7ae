// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each built-in profile on the packets beside it, user/spec/profiles/NAME.packets:
 *   SIDE VERDICT HEX...
 * one packet after the other, to one filter. SIDE is a or b: the sides of a feed, two streams of
 * one realm. VERDICT is a counter's name. HEX is the UDP payload; of layer ip the packet; of layer
 * ethernet the frame. A line that begins with a blank goes on. ; and # begin comments.
 */
#include "profile_runner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "units.h"

#define DIRECTORY "user/spec/profiles/"
#define HEX_MAX (2 * FRAME_MAX)
#define PROFILES_SIZE 16384

/* A packet of a file. */
struct entry {
	int line;
	char side;
	enum dedup_reason reason;
	char hex[HEX_MAX + 1];
};

static enum dedup_reason reason_by_name(const char *name, const char *row)
{
	static const char *const NAMES[] = {
#define NAME(reason, ...) [DEDUP_REASON_##reason] = #reason,
		DEDUP_REASONS(NAME)
#undef NAME
	};

	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++)
		if (!strcmp(NAMES[i], name))
			return i;
	fail_msg("%s: there is no counter %s", row, name);
	return 0;
}

static void add_hex(struct entry *e, const char *text, const char *row)
{
	size_t len = strlen(e->hex);

	for (; *text; text++) {
		if (isspace((unsigned char)*text))
			continue;
		if (!isxdigit((unsigned char)*text) || len == HEX_MAX)
			fail_msg("%s: not hex: %s", row, text);
		e->hex[len++] = *text;
	}
	e->hex[len] = 0;
}

/* The frame of a payload, of an IP packet, or as it is. */
static void make_frame(struct frame *f, uint32_t layer, const struct entry *e)
{
	static uint8_t bytes[FRAME_MAX];
	uint32_t len = strlen(e->hex) / 2;
	struct protocol_packet p = { .protocol = DATAGRAM, .body = len };

	assert_int_equal(parse_hex(e->hex, bytes, sizeof(bytes)), len);
	if (layer == DEDUP_UDP) {
		memcpy(p.to, (uint8_t[]){ 233, 252, 0, e->side == 'b' ? 2 : 1 }, 4);
		p.port = e->side == 'b' ? 8002 : 8001;
		protocol_frame(f, &p);
		memcpy(f->data + f->gsp, bytes, len);
		return;
	}
	p.body = 0;
	p.ipv6 = layer == DEDUP_IP && bytes[0] >> 4 == 6;
	protocol_frame(f, &p);
	f->padding = 0;
	f->len = (layer == DEDUP_IP ? f->ip : 0) + len;
	memcpy(f->data + f->len - len, bytes, len);
}

static void expect_entry(uint32_t layer, const struct entry *e, const char *file, int *seen)
{
	char row[128];
	struct frame f;

	if (!e->line)
		return;
	snprintf(row, sizeof(row), "%s:%d", file, e->line);
	fixture.row = row;
	make_frame(&f, layer, e);
	expect(&f, fixture_verdict(e->reason), e->reason);
	seen[e->reason]++;
	fixture.row = "";
}

static void run_packets(uint32_t layer, FILE *from, const char *file, int *seen)
{
	static char line[HEX_MAX + 64];
	static struct entry now;
	char row[128], verdict[32];
	int end;

	now.line = 0;
	for (int i = 1; fgets(line, sizeof(line), from); i++) {
		snprintf(row, sizeof(row), "%s:%d", file, i);
		if (strchr(";#\n", *line))
			continue;
		if (isspace((unsigned char)*line)) {
			add_hex(&now, line, row);
			continue;
		}
		expect_entry(layer, &now, file, seen);
		if (sscanf(line, "%c %31s %n", &now.side, verdict, &end) < 2 ||
		    (now.side != 'a' && now.side != 'b'))
			fail_msg("%s: a line is SIDE VERDICT HEX...", row);
		now.line = i;
		now.reason = reason_by_name(verdict, row);
		now.hex[0] = 0;
		add_hex(&now, line + end, row);
	}
	expect_entry(layer, &now, file, seen);
}

static void packets_get_their_verdicts(void **state)
{
	const char *name = *state;
	int seen[DEDUP_REASONS_CNT] = { 0 };
	struct profiles all = { 0 };
	const struct profile *p;
	char file[128];
	FILE *from;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, name);
	assert_non_null(p);
	snprintf(file, sizeof(file), DIRECTORY "%s.packets", name);
	from = fopen(file, "re");
	if (!from)
		fail_msg("a profile needs packets: there is no %s", file);
	profile_load(name, p->stream.layer == DEDUP_UDP ? FEEDS : ALONE, NULL);
	run_packets(p->stream.layer, from, file, seen);
	fclose(from);
	if (!seen[DEDUP_REASON_new] || !seen[DEDUP_REASON_duplicate])
		fail_msg("%s needs a fresh packet and a duplicate", file);
	profiles_free(&all);
	fixture_unload(NULL);
}

/* One test for each profile. */
int main(void)
{
	static char names[PROFILES_SIZE];
	char *name;

	sh_out(names, sizeof(names), "ls " DIRECTORY "*.ini | sed 's|.*/||; s|\\.ini$||'");
	for (name = strtok(names, "\n"); name; name = strtok(NULL, "\n"))
		add_test(name, packets_get_their_verdicts, NULL, NULL, name);
	return run_added_tests("profile_packets");
}
