// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles: any text. A wrong one gets a place and a sentence; a right one can be loaded, and
 * reads as before when it is read again.
 */
#include "fuzz.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile.h"
#include "tunnels.h"

/* A load can be run: its 8 bytes are in what every packet has around its base. */
static void check_load(const struct dedup_load *l)
{
	must(l->base < DEDUP_BASES && l->form == DEDUP_MASKED && l->bytes >= 1 && l->bytes <= 8);
	must(l->shift % 8 == 0 && l->shift + 8 * l->bytes <= 64);
	must(l->mask <= UINT64_MAX >> (64 - 8 * l->bytes));
	if (l->base == DEDUP_FRAME)
		must(l->at >= 0);
	else if (l->base == DEDUP_END)
		must(l->at <= -8);
	else
		must(l->at >= (l->base == DEDUP_TAG ? -9 : -7) && l->at <= DEDUP_DIGEST_MAX - 8);
}

static void check_stream(const struct dedup_stream *s)
{
	must(s->words >= 1 && s->words <= DEDUP_ID_WORDS_MAX);
	must(s->bytes >= 1 && s->bytes <= DEDUP_ID_BYTES_MAX);
	must(s->decoder == DEDUP_GSP || s->loads_cnt + !!s->digest == s->words);
	must(s->gates_cnt <= DEDUP_GATES_MAX);
	must(!s->digest == !dedup_digest_max(s) && dedup_digest_max(s) <= DEDUP_DIGEST_MAX);
	must((s->digest_skip || s->digest_trailer) == (s->digest_max > DEDUP_DIGEST_MAX));
	must(s->digest <= DEDUP_DIGEST_PAYLOAD || !s->digest_skip ||
	     s->digest_skip >= DEDUP_DIGEST_SKIP_LEAST);
	for (uint32_t i = 0; i < s->loads_cnt; i++) {
		check_load(&s->loads[i]);
		must(s->loads[i].mask);
	}
	for (uint32_t i = 0; i < s->gates_cnt; i++) {
		check_load(&s->gates[i].load);
		must(!(s->gates[i].value & ~s->gates[i].load.mask));
		must(!i || s->gates[i].exempt >= s->gates[i - 1].exempt);
	}
}

static void check_numbers(const struct dedup_numbered *n, const struct dedup_stream *s)
{
	if (!n->width)
		return;
	must(n->width >= DEDUP_WIDTH_MIN && n->shift + n->width <= 64 && n->count_shift < 64);
	must(s->words >= 1 && !s->digest);
	must(s->words + (n->width > DEDUP_WIDTH_MAX) <= 1 + DEDUP_SOURCE_WORDS);
	must(n->count.form == DEDUP_MASKED && n->little <= 1 && n->count_little <= 1);
	must(n->recovery.ring_shift >= DEDUP_WIDTH_MIN && n->recovery.ring_shift <= DEDUP_RING_MAX);
	must(n->recovery.ring_shift <= n->recovery.width);
	must(n->recovery.width == (n->width < DEDUP_WIDTH_MAX ? n->width : DEDUP_WIDTH_MAX));
	must(n->reset_ns >= PROFILE_RESET_MIN_NS && n->reset_ns <= PROFILE_RESET_MAX_NS);
	if (n->count.bytes)
		check_load(&n->count);
}

/* They read as before when they are written and read again. */
static void check_tunnels(const struct dedup_tunnels *t)
{
	struct dedup_tunnels again;

	must(!(t->kinds & ~DEDUP_TUNNELS_ALL) && t->ports_cnt <= DEDUP_TUNNEL_PORTS_MAX);
	for (uint32_t i = 0; i < t->ports_cnt; i++)
		must(t->ports[i].port && t->kinds >> t->ports[i].kind & 1);
	must(!parse_tunnels(FORMAT_TUNNELS(t, t->kinds), &again));
	must(again.kinds == t->kinds && again.ports_cnt == t->ports_cnt);
}

static bool is_same(const struct dedup_tunnels *a, const struct dedup_tunnels *b)
{
	return a->kinds == b->kinds && a->ports_cnt == b->ports_cnt &&
	       !memcmp(a->ports, b->ports, a->ports_cnt * sizeof(*a->ports));
}

static void check_again(const struct profile *p)
{
	struct profiles again = { 0 };
	struct profile_error err = { 0 };

	must(!profiles_parse(&again, p->text, strlen(p->text), p->origin, &err));
	must(again.cnt == 1);
	must(!memcmp(&again.list[0].stream, &p->stream, sizeof(p->stream)));
	must(!memcmp(&again.list[0].numbered, &p->numbered, sizeof(p->numbered)));
	must(again.list[0].window_ns == p->window_ns);
	must(is_same(&again.list[0].tunnels, &p->tunnels));
	profiles_free(&again);
}

static void check_error(const struct profile_error *err, const char *text, size_t len)
{
	uint32_t line = 1;

	for (size_t i = 0; i < len; i++)
		line += text[i] == '\n';
	must(err->line >= 1 && err->line <= line);
	must(err->column >= 1);
	must(*err->says && memchr(err->says, 0, sizeof(err->says)));
}

/* Reads the text from a file. */
static void check_file(const char *text, size_t size, int result, const struct profile_error *err)
{
	int fd = memfd_create("profiles", MFD_CLOEXEC), got;
	struct profile_error from_file;
	struct profiles all = { 0 };
	char path[32];

	must(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	got = profiles_add_file(&all, path, PROFILE_GIVEN, &from_file);
	if (size > PROFILES_FILE_MAX)
		must(got == -EFBIG && !all.cnt);
	else
		must(got == result && from_file.line == err->line &&
		     from_file.column == err->column && !strcmp(from_file.says, err->says));
	profiles_free(&all);
	close(fd);
}

/* The first byte says whether they are taken as built in, or also from a file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profiles all = { 0 };
	struct profile_error err = { 0 };
	bool builtin = size && *data & 1;
	int result;
	char *text;

	if (!size)
		return 0;
	text = malloc(size - 1 ?: 1); /* not ended by a 0 */
	must(text);
	memcpy(text, data + 1, size - 1);
	result = profiles_parse(&all, text, size - 1, builtin ? PROFILE_BUILTIN : PROFILE_GIVEN,
				&err);
	if (*data % 8 == 2)
		check_file(text, size - 1, result, &err);
	if (result)
		check_error(&err, text, size - 1);
	else
		for (size_t i = 0; i < all.cnt; i++) {
			must(profiles_find(&all, all.list[i].stream.name) == &all.list[i]);
			must(stream_name_ok(all.list[i].stream.name));
			check_stream(&all.list[i].stream);
			check_numbers(&all.list[i].numbered, &all.list[i].stream);
			check_tunnels(&all.list[i].tunnels);
			check_again(&all.list[i]);
		}
	profiles_free(&all);
	free(text);
	return 0;
}
