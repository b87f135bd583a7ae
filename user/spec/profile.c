// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* inih parses the lines. It gets one line at a time, so that messages have positions: no line goes
 * on in the next one.
 */
#include "profile.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_keys.h"

#define BLANKS " \t"
#define BOM "\xef\xbb\xbf"
#define SECTION "profile"

bool stream_name_ok(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && (!i || (name[i] != '-' && name[i] != '_')))
			return false;
	return len >= 1 && len < DEDUP_STREAM_NAME;
}

/* Returns the position of a character of the line that was read last. */
static struct position position_of(const struct parse *p, const char *at)
{
	return (struct position){ p->line_nr, at - p->line + 1 };
}

/* Returns the list's entry for a profile of this name, a new one if needed; NULL: no memory. */
static struct profile *place_in_list(struct profiles *all, const char *name)
{
	struct profile *list;

	for (size_t i = 0; i < all->cnt; i++)
		if (!strcmp(all->list[i].stream.name, name))
			return &all->list[i];
	list = reallocarray(all->list, all->cnt + 1, sizeof(*list));
	if (!list)
		return NULL;
	all->list = list;
	list[all->cnt] = (struct profile){ 0 };
	return &list[all->cnt++];
}

/* Ends the section, whose text ends at `end`. */
static int end_section(struct parse *p, const char *end)
{
	struct profile *place;

	if (!p->section)
		return 0;
	if (!p->started)
		return profile_fail(p, p->section_at, "this section is empty");
	if (profile_check(p))
		return -EINVAL;
	p->now.text = strndup(p->section, end - p->section);
	place = p->now.text ? place_in_list(p->profiles, p->now.stream.name) : NULL;
	if (!place) {
		free(p->now.text);
		return profile_fail(p, p->section_at, "out of memory");
	}
	free(place->text);
	*place = p->now;
	return 0;
}

/* Called at the section's first key, with its name, of which inih gives at most 49 characters. */
static int start_section(struct parse *p, const char *section)
{
	size_t word = strlen(SECTION);
	const struct profile *same;
	char name[DEDUP_STREAM_NAME + 1] = ""; /* one more, to be too long */

	p->started = true;
	if (strncmp(section, SECTION, word) || !strspn(section + word, BLANKS))
		return profile_fail(p, p->section_at, "a section is [" SECTION " NAME]");
	section += word + strspn(section + word, BLANKS);
	snprintf(name, sizeof(name), "%s", section);
	if (!stream_name_ok(name))
		return profile_fail(
			p, p->section_at,
			"%s is no name: 1 to %d letters, digits, - and _, the first one no - or _",
			name, DEDUP_STREAM_NAME - 1);
	same = profiles_find(p->profiles, name);
	if (same && same->origin >= p->origin)
		return profile_fail(p, p->section_at, "there is a profile %s already", name);
	if (same && same->stream.decoder == DEDUP_GSP)
		return profile_fail(p, p->section_at,
				    "gsp stays the built-in one: take another name");
	if (!same && p->profiles->cnt == PROFILES_MAX)
		return profile_fail(p, p->section_at, "at most %d profiles", PROFILES_MAX);
	p->now = (struct profile){ .origin = p->origin };
	memcpy(p->now.stream.name, name, sizeof(p->now.stream.name));
	return 0;
}

/* Begins a section. The line at p->line has it from `start` on, in `len` characters. */
static int begin_section(struct parse *p, const char *start, size_t len)
{
	const char *close = memchr(start, ']', len), *rest = close ? close + 1 : start + len;
	const char *line_end = start + len;

	if (end_section(p, p->line))
		return -EINVAL;
	while (rest < line_end && strchr(BLANKS, *rest))
		rest++;
	if (rest < line_end && *rest != ';' && *rest != '#')
		return profile_fail(p, position_of(p, rest), "nothing comes behind a section's ]");
	p->section = p->line;
	p->section_at = position_of(p, start);
	p->started = false;
	memset(p->keys_at, 0, sizeof(p->keys_at));
	memset(p->bases_at, 0, sizeof(p->bases_at));
	p->id = (struct field_id){ 0 };
	p->sequence = (struct field_integer){ 0 };
	return 0;
}

/* An ini_reader: the next line, without its indent, by which it would continue the last one. */
static char *read_line(char *str, int num, void *stream)
{
	struct parse *p = stream;
	const char *end, *start;
	size_t len;

	if (p->failed || p->next == p->end)
		return NULL;
	p->line = p->next;
	p->line_nr++;
	end = memchr(p->next, '\n', p->end - p->next) ?: p->end;
	p->next = end < p->end ? end + 1 : end;
	if (end > p->line && end[-1] == '\r')
		end--;
	for (start = p->line; start < end; start++) {
		if (iscntrl((unsigned char)*start) && *start != '\t') {
			profile_fail(p, position_of(p, start), "a control character");
			return NULL;
		}
	}
	if (end - p->line > PROFILE_LINE_MAX || end - p->line > num - 2) {
		profile_fail(p, position_of(p, p->line + PROFILE_LINE_MAX),
			     "a line has at most %d characters", PROFILE_LINE_MAX);
		return NULL;
	}
	start = p->line;
	while (start < end && strchr(BLANKS, *start))
		start++;
	len = end - start;
	if (len && *start == '[' && begin_section(p, start, len))
		return NULL;
	memcpy(str, start, len);
	memcpy(str + len, "\n", 2);
	return str;
}

/* Returns the position of the value, which is after the name in the line. */
static struct position value_position(const struct parse *p, const char *name, const char *value)
{
	char line[PROFILE_LINE_MAX + 1];
	size_t len = p->next - p->line;
	const char *at;

	snprintf(line, sizeof(line), "%.*s", (int)len, p->line);
	at = strstr(line, name);
	at = at ? strstr(at + strlen(name), value) : NULL;
	return (struct position){ p->line_nr, at ? at - line + 1 : 1 };
}

static int use_key(struct parse *p, const char *section, const char *name, const char *value)
{
	struct position line = { p->line_nr, 1 + strspn(p->line, BLANKS) };
	struct position at = value_position(p, name, value);

	if (!p->section)
		return profile_fail(p, line, "keys come behind a section [" SECTION " NAME]");
	if (!p->started && start_section(p, section))
		return -EINVAL;
	for (size_t i = 0; i < KEYS_CNT; i++) {
		const struct profile_key *key = &PROFILE_KEYS[i];

		if (strcmp(key->name, name))
			continue;
		if (p->keys_at[i].line && !key->often)
			return profile_fail(p, line, "%s is there already", name);
		if (!p->keys_at[i].line)
			p->keys_at[i] = at;
		return key->set(p, value, at);
	}
	return profile_fail(p, line, "there is no key %.32s", name);
}

/* An ini_handler. Always returns success: a 0 could not be told from inih's own errors. */
static int take_key(void *user, const char *section, const char *name, const char *value)
{
	struct parse *p = user;

	if (!p->failed)
		use_key(p, section, name, value);
	return 1;
}

/* Explains an error of which inih tells only the line. */
static int fail_line(struct parse *p, const char *text, uint32_t line)
{
	const char *at = text;
	struct position where = { line, 1 };

	for (uint32_t i = 1; i < line; at++)
		i += *at == '\n';
	while (at < p->end && strchr(BLANKS, *at))
		at++, where.column++;
	p->failed = false;
	if (at < p->end && *at == '[')
		return profile_fail(p, where, "a section is [" SECTION " NAME]");
	return profile_fail(p, where,
			    "a line is a section, KEY = VALUE, or begins with ; as a comment");
}

int profiles_parse(struct profiles *profiles, const char *text, size_t len,
		   enum profile_origin origin, struct profile_error *err)
{
	struct parse p = {
		.profiles = profiles,
		.err = err,
		.origin = origin,
		.end = text + len,
	};
	int bad;

	if (len >= strlen(BOM) && !memcmp(text, BOM, strlen(BOM)))
		text += strlen(BOM);
	p.next = p.line = text;
	bad = ini_parse_stream(read_line, &p, take_key, &p);
	if (bad < 0)
		profile_fail(&p, (struct position){ 1, 1 }, "out of memory");
	if (bad > 0 && (!p.failed || (uint32_t)bad <= err->line))
		return fail_line(&p, text, bad);
	if (!p.failed)
		end_section(&p, p.end);
	if (!p.failed && !p.section)
		profile_fail(&p, (struct position){ 1, 1 }, "there is no [" SECTION " NAME] here");
	return p.failed ? -EINVAL : 0;
}
