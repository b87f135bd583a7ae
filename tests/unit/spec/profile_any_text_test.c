// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Any text: what becomes a profile can be run, and the others get an error with its place. */
#include "unit.h"

#include "numbering.h"
#include "profile.h"

#define ALL UINT64_MAX

/* Whatever text has become a profile can be run. */
static void check_load(const struct dedup_load *l)
{
	assert_in_range(l->bytes, 1, 8);
	assert_true(l->base < DEDUP_BASES && l->shift % 8 == 0 && l->shift <= 56);
	assert_true(l->form == DEDUP_MASKED && l->mask <= ALL >> (64 - 8 * l->bytes));
	assert_true(l->shift + 8 * l->bytes <= 64);
	if (l->base == DEDUP_FRAME)
		assert_in_range(l->at, 0, PROFILE_LINE_MAX * 100);
	else if (l->base == DEDUP_END)
		assert_true(l->at <= -8);
	else
		assert_true(l->at >= (l->base == DEDUP_TAG ? -9 : -7) &&
			    l->at <= DEDUP_DIGEST_MAX - 8);
}

static void check_numbers(const struct dedup_numbered *n, const struct dedup_stream *st)
{
	if (!n->width) {
		assert_true(!n->count.bytes && !n->reset_ns && !n->recovery.ring_shift);
		return;
	}
	assert_in_range(n->width, DEDUP_WIDTH_MIN, 64);
	assert_true(n->shift + n->width <= 64 && n->count_shift < 64);
	assert_int_equal(n->recovery.width, n->width < 40 ? n->width : 40);
	assert_in_range(n->recovery.ring_shift, 8, n->recovery.width < 24 ? n->recovery.width : 24);
	assert_in_range(n->reset_ns, PROFILE_RESET_MIN_NS, PROFILE_RESET_MAX_NS);
	assert_true(st->words + (n->width > 40) <= 1 + DEDUP_SOURCE_WORDS);
	if (n->count.bytes)
		check_load(&n->count);
}

static void check_profile(const struct profile *p)
{
	const struct dedup_stream *st = &p->stream;

	assert_true(stream_name_ok(st->name) && p->text && strlen(p->about) < PROFILE_ABOUT_MAX);
	assert_true(st->layer <= DEDUP_ETHERNET && st->digest <= DEDUP_DIGEST_FRAME);
	assert_true(st->gates_cnt <= DEDUP_GATES_MAX && p->ports_cnt <= DEDUP_PORTS_MAX);
	assert_in_range(st->words, 1, DEDUP_ID_WORDS_MAX);
	assert_true(!st->digest == !dedup_digest_max(st) && dedup_digest_max(st) <= DEDUP_DIGEST_MAX);
	assert_true((st->digest_skip || st->digest_trailer) == (st->digest_max > DEDUP_DIGEST_MAX));
	assert_true(st->digest <= DEDUP_DIGEST_PAYLOAD || !st->digest_skip ||
		    st->digest_skip >= DEDUP_DIGEST_SKIP_LEAST);
	if (st->decoder == DEDUP_FIELDS)
		assert_int_equal(st->words, st->loads_cnt + (st->digest != DEDUP_DIGEST_NONE));
	check_numbers(&p->numbered, st);
	for (uint32_t i = 0; i < st->loads_cnt; i++)
		check_load(&st->loads[i]);
	for (uint32_t i = 0; i < st->gates_cnt; i++) {
		check_load(&st->gates[i].load);
		assert_false(st->gates[i].value & ~st->gates[i].load.mask);
		assert_true(!i || st->gates[i].exempt >= st->gates[i - 1].exempt);
	}
}

/* Of exactly so many bytes, that reading behind them is noticed. Returns whether it was taken. */
static int try_text(const char *bytes, size_t len, bool builtin)
{
	struct profile_error err = { 0 };
	struct profiles p = { 0 };
	char *text = malloc(len ?: 1);
	int result;

	assert_non_null(text);
	memcpy(text, bytes, len);
	result = profiles_parse(&p, text, len, builtin ? PROFILE_BUILTIN : PROFILE_GIVEN, &err);
	for (size_t i = 0; i < p.cnt; i++)
		check_profile(&p.list[i]);
	if (result) {
		assert_int_equal(result, -EINVAL);
		assert_true(err.line >= 1 && err.column >= 1 && *err.says);
		assert_true(strlen(err.says) < sizeof(err.says));
	}
	profiles_free(&p);
	free(text);
	return !result;
}

TEST(texts_cut_at_every_byte)
{
	struct profiles all = { 0 };
	int taken = 0;

	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < all.cnt; i++)
		for (size_t len = 0; len <= strlen(all.list[i].text); len++)
			taken += try_text(all.list[i].text, len, i % 2);
	assert_true(taken > 50);
	profiles_free(&all);
}

static const char PIECES[] =
	"[~]~[profile x]\n~=~:~/~+~-~==~!=~0x~0xffff~0x00~99999~-1~64~frame~end~payload~"
	"packet~tag~ip~\n~ ~\t~;~\r\n~\xff~\x01~id = ~udp~ethernet~decoder=~ports~"
	"require = end-1:1 == 0x01\n~payload+0:8~\xef\xbb\xbf~%s%n~#~2147483648~"
	"\nsequence = payload+2:4\n~\nsource = ~\ncount = ~\nhistory = 4096\n~"
	"\nreset = 50ms\n~\npartial = yes\n~le~4le/0x~payload[3:]~frame[12:-4]~[~]";

/* Returns one of the pieces between the ~ in PIECES. */
static const char *any_piece(uint64_t random)
{
	static char list[sizeof(PIECES)], *pieces[sizeof(PIECES)];
	static size_t cnt;
	char *rest = list;

	if (!cnt)
		for (memcpy(list, PIECES, sizeof(list)); (pieces[cnt] = strsep(&rest, "~"));)
			cnt++;
	return pieces[random % cnt];
}

/* Bytes and pieces put in, taken out, doubled. */
static size_t mutate(char *text, size_t len, size_t max, uint64_t *seed)
{
	uint64_t r = random_next(seed);
	size_t at = r % (len + 1), n = (r >> 16) % 12;
	const char *piece = any_piece(r >> 24);

	switch ((r >> 40) % 4) {
	case 0:
		if (at < len)
			text[at] = (char)(r >> 48);
		return len;
	case 1:
		n = strlen(piece);
		break;
	case 2:
		n = n > len - at ? len - at : n;
		memmove(text + at, text + at + n, len - at - n);
		return len - n;
	default:
		n = (n * 8) > at ? at : n * 8;
		piece = text + at - n;
	}
	if (len + n > max)
		return len;
	memmove(text + at + n, text + at, len - at);
	memmove(text + at, piece, n);
	return len + n;
}

TEST(mutated_texts)
{
	struct profiles all = { 0 };
	char text[4096];
	uint64_t seed = 14;
	int taken = 0;

	assert_int_equal(profiles_add_builtin(&all), 0);
	for (int i = 0; i < 30000; i++) {
		const char *from = all.list[random_next(&seed) % all.cnt].text;
		const char *keys = strstr(from, "\nabout"); /* most mutations are to hit keys */
		size_t len;

		len = snprintf(text, sizeof(text), "[profile m]%s",
			       random_next(&seed) % 8 ? keys : from);
		for (uint64_t n = random_next(&seed) % 6; n; n--)
			len = mutate(text, len, sizeof(text), &seed);
		taken += try_text(text, len, i % 2);
	}
	assert_in_range(taken, 3000, 29000);
	profiles_free(&all);
}

TEST(random_texts)
{
	char text[512];
	uint64_t seed = 3;

	for (int i = 0; i < 20000; i++) {
		size_t len = 0, want = random_next(&seed) % 400;

		while (len < want) {
			const char *piece = any_piece(random_next(&seed));

			len += snprintf(text + len, sizeof(text) - len, "%s", piece);
		}
		try_text(text, len, false);
	}
}

UNIT_MAIN()
