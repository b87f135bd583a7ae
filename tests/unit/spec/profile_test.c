// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles: from text to what is compiled, what is wrong and where; those that are built in; and
 * text at random.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "numbering.h"
#include "profile.h"

#define A "[profile a]\nlayer = udp\n"
#define IP "[profile a]\nlayer = ip\n"
#define ETH "[profile a]\nlayer = ethernet\n"
#define ALL UINT64_MAX

static int parse_as(struct profiles *p, const char *text, bool builtin, char *says, size_t size)
{
	struct profile_error err = { 0 };
	int result = profiles_parse(p, text, strlen(text), builtin, &err);

	snprintf(says, size, "%u:%u: %s", err.line, err.column, err.says);
	return result;
}

/* One load or gate a line; fields as in struct dedup_load. */
#define LOAD(base_, at_, shift_, bytes_, mask_)                                                      \
	{                                                                                            \
		.base = (base_), .at = (at_), .shift = (shift_), .bytes = (bytes_), .mask = (mask_), \
	}
#define GATE(load_, equal_, value_, exempt_)                                             \
	{                                                                                \
		.load = load_, .equal = (equal_), .value = (value_), .exempt = (exempt_) \
	}

/* What text becomes. `name` is the stream's too, where it is 0 here. */
static const struct good_row {
	const char *name, *text;
	struct dedup_stream is;
} GOOD[] = {
	{ "one-word",
	  A "id = payload+0:8\n",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL) } } },
	{ "one-byte",
	  A "id = payload+7:1\n",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_PAYLOAD, 0, 56, 1, 0xff) } } },
	/* The 8 bytes begin before the payload, which has headers before it. */
	{ "front-of-payload",
	  A "id = payload+0:2",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_PAYLOAD, -6, 48, 2, 0xffff) } } },
	/* Nothing is before the frame. */
	{ "front-of-frame",
	  A "id = frame+0:6\n",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_FRAME, 0, 0, 6, 0xffffffffffff) } } },
	{ "near-front-of-frame",
	  A "id = frame+2:3\n",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_FRAME, 0, 16, 3, 0xffffff) } } },
	{ "front-word-of-frame",
	  A "id = frame+0:8\n",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_FRAME, 0, 0, 8, ALL) } } },
	{ "behind-front-of-frame",
	  A "id = frame+6:6\n",
	  { .words = 1, .loads_cnt = 1, .loads = { LOAD(DEDUP_FRAME, 4, 16, 6, 0xffffffffffff) } } },
	{ "ethertype-behind-the-tags",
	  ETH "id = tag-2:2\nrequire = tag-1:1 != 0x06\nexempt = tag-2:4 == 0x88a40110\n",
	  { .layer = DEDUP_ETHERNET,
	    .words = 1,
	    .loads_cnt = 1,
	    .loads = { LOAD(DEDUP_TAG, -8, 48, 2, 0xffff) },
	    .gates_cnt = 2,
	    .gates = { GATE(LOAD(DEDUP_TAG, -8, 56, 1, 0xff), 0, 0x06, 0),
		       GATE(LOAD(DEDUP_TAG, -6, 32, 4, 0xffffffff), 1, 0x1001a488, 1) } } },
	{ "front-of-tag",
	  ETH "id = tag+0:2\n",
	  { .layer = DEDUP_ETHERNET,
	    .words = 1,
	    .loads_cnt = 1,
	    .loads = { LOAD(DEDUP_TAG, -6, 48, 2, 0xffff) } } },
	{ "from-the-end",
	  ETH "id = end-6:6/0xffff0fffffff\n",
	  { .layer = DEDUP_ETHERNET,
	    .words = 1,
	    .loads_cnt = 1,
	    .loads = { LOAD(DEDUP_END, -8, 16, 6, 0xffffff0fffff) } } },
	{ "long-from-the-end",
	  ETH "id = end-20:12\n",
	  { .layer = DEDUP_ETHERNET,
	    .words = 2,
	    .loads_cnt = 2,
	    .loads = { LOAD(DEDUP_END, -20, 0, 8, ALL), LOAD(DEDUP_END, -12, 0, 4, 0xffffffff) } } },
	/* Also in a frame that has nothing before it. */
	{ "far-from-the-end",
	  ETH "id = end-60:2 end-7:1\n",
	  { .layer = DEDUP_ETHERNET,
	    .words = 2,
	    .loads_cnt = 2,
	    .loads = { LOAD(DEDUP_END, -60, 0, 2, 0xffff), LOAD(DEDUP_END, -14, 56, 1, 0xff) } } },
	{ "twenty-bytes",
	  A "id = payload+0:20\n",
	  { .words = 3,
	    .loads_cnt = 3,
	    .loads = { LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 8, 0, 8, ALL),
		       LOAD(DEDUP_PAYLOAD, 12, 32, 4, 0xffffffff) } } },
	{ "frame-over-the-front",
	  A "id = frame+1:9\n",
	  { .words = 2,
	    .loads_cnt = 2,
	    .loads = { LOAD(DEDUP_FRAME, 1, 0, 8, ALL), LOAD(DEDUP_FRAME, 2, 56, 1, 0xff) } } },
	{ "mask-in-two-words",
	  A "id = payload+4:10/0x00ff00000000000001f0\n",
	  { .words = 2,
	    .loads_cnt = 2,
	    .loads = { LOAD(DEDUP_PAYLOAD, 4, 0, 8, 0xff00), LOAD(DEDUP_PAYLOAD, 6, 48, 2, 0xf001) } } },
	{ "four-segments",
	  A "id = ip+12:4\tframe+6:6 payload+0:1  payload+9:1\n",
	  { .words = 4,
	    .loads_cnt = 4,
	    .loads = { LOAD(DEDUP_NETWORK, 8, 32, 4, 0xffffffff),
		       LOAD(DEDUP_FRAME, 4, 16, 6, 0xffffffffffff),
		       LOAD(DEDUP_PAYLOAD, -7, 56, 1, 0xff), LOAD(DEDUP_PAYLOAD, 2, 56, 1, 0xff) } } },
	{ "id-on-two-lines",
	  A "id = payload+8:8\nid = payload\nid = payload+0:8\n",
	  { .words = 3,
	    .digest = DEDUP_DIGEST_PAYLOAD,
	    .digest_max = DEDUP_DIGEST_MAX,
	    .loads_cnt = 2,
	    .loads = { LOAD(DEDUP_PAYLOAD, 8, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL) } } },
	{ "payload",
	  A "id = payload\n",
	  { .words = 1, .digest = DEDUP_DIGEST_PAYLOAD, .digest_max = DEDUP_DIGEST_MAX } },
	{ "payload-cut",
	  A "id = payload:256\n",
	  { .words = 1, .digest = DEDUP_DIGEST_PAYLOAD, .digest_max = 256 } },
	{ "payload-longest",
	  A "id=payload:9216",
	  { .words = 1, .digest = DEDUP_DIGEST_PAYLOAD, .digest_max = 9216 } },
	{ "packet-cut",
	  IP "id = packet:60\n",
	  { .layer = DEDUP_IP, .words = 1, .digest = DEDUP_DIGEST_PACKET, .digest_max = 60 } },
	{ "frame",
	  ETH "ethertype = 0x88b8\nid = frame\n",
	  { .layer = DEDUP_ETHERNET,
	    .ethertype = 0xb888,
	    .words = 1,
	    .digest = DEDUP_DIGEST_FRAME,
	    .digest_max = DEDUP_DIGEST_MAX } },
	{ "frame-cut",
	  ETH "id = frame:60\n",
	  { .layer = DEDUP_ETHERNET, .words = 1, .digest = DEDUP_DIGEST_FRAME, .digest_max = 60 } },
	{ "frame-behind-a-segment-of-it",
	  ETH "id = frame+0:8 frame:100\n",
	  { .layer = DEDUP_ETHERNET,
	    .words = 2,
	    .digest = DEDUP_DIGEST_FRAME,
	    .digest_max = 100,
	    .loads_cnt = 1,
	    .loads = { LOAD(DEDUP_FRAME, 0, 0, 8, ALL) } } },
	{ "require-and-exempt",
	  IP "exempt = ip+9:1 == 0x06\nrequire = ip+0:1/0xf0 == 0x40\nid = packet\n"
	     "require=ip+6:2/0x1fff!=0x0000\n",
	  { .layer = DEDUP_IP,
	    .words = 1,
	    .digest = DEDUP_DIGEST_PACKET,
	    .digest_max = DEDUP_DIGEST_MAX,
	    .gates_cnt = 3,
	    .gates = { GATE(LOAD(DEDUP_NETWORK, -7, 56, 1, 0xf0), 1, 0x40, 0),
		       GATE(LOAD(DEDUP_NETWORK, 0, 48, 2, 0xff1f), 0, 0, 0),
		       GATE(LOAD(DEDUP_NETWORK, 2, 56, 1, 0xff), 1, 6, 1) } } },
	{ "gate-of-eight",
	  ETH "ethertype = 0x88B5\nid = frame+0:14\nrequire = tag+0:8 != 0x0102030405060708\n",
	  { .layer = DEDUP_ETHERNET,
	    .ethertype = 0xb588,
	    .words = 2,
	    .gates_cnt = 1,
	    .gates = { GATE(LOAD(DEDUP_TAG, 0, 0, 8, ALL), 0, 0x0807060504030201, 0) },
	    .loads_cnt = 2,
	    .loads = { LOAD(DEDUP_FRAME, 0, 0, 8, ALL),
		       LOAD(DEDUP_FRAME, 6, 16, 6, 0xffffffffffff) } } },
	{ "comments-blanks-and-carriage-returns",
	  "\xef\xbb\xbf; one\r\n# two\n\n  [profile a] ; three\r\n\t layer : ip ; four\n  id = "
	  "packet:99\r\n"
	  "\tforwarded = yes\n",
	  { .layer = DEDUP_IP,
	    .forwarded = 1,
	    .words = 1,
	    .digest = DEDUP_DIGEST_PACKET,
	    .digest_max = 99 } },
	{ "longest-id",
	  A "id = payload+0:16 payload+16:16 payload+32:16\nid = payload+9200:16\n",
	  { .words = 8,
	    .loads_cnt = 8,
	    .loads = { LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 8, 0, 8, ALL),
		       LOAD(DEDUP_PAYLOAD, 16, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 24, 0, 8, ALL),
		       LOAD(DEDUP_PAYLOAD, 32, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 40, 0, 8, ALL),
		       LOAD(DEDUP_PAYLOAD, 9200, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 9208, 0, 8, ALL) } } },
};

static void text_is_compiled(void **state)
{
	const struct good_row *row = *state;
	struct profiles p = { 0 };
	struct dedup_stream is = row->is;
	char says[512];

	strcpy(is.name, "a");
	is.bytes = 8 * (is.words - 1) +
		   (is.digest ? 8 : is.loads[is.loads_cnt ? is.loads_cnt - 1 : 0].bytes);
	if (parse_as(&p, row->text, false, says, sizeof(says)))
		fail_msg("%s", says);
	assert_int_equal(p.cnt, 1);
	assert_memory_equal(&p.list[0].stream, &is, sizeof(is));
	profiles_free(&p);
}

#define MS 1000000ULL
#define SECOND (1000 * MS)
#define NUMBER(width_, shift_, ring_, reset_)                                     \
	.width = (width_), .shift = (shift_), .reset_ns = (reset_),               \
	.recovery = {                                                             \
		.width = (width_) < DEDUP_WIDTH_MAX ? (width_) : DEDUP_WIDTH_MAX, \
		.ring_shift = (ring_),                                            \
	}

/* What a sequence becomes. `last` is the id's last word; `words` are all: its source comes first. */
static const struct numbered_row {
	const char *name, *text;
	struct dedup_numbered is;
	struct dedup_load last;
	uint32_t words, bytes;
} NUMBERED[] = {
	{ "number-of-a-byte",
	  A "sequence = payload+0:1\n",
	  { NUMBER(8, 56, 8, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -7, 56, 1, 0xff),
	  1,
	  1 },
	{ "number-of-two-bytes",
	  A "source = payload+8:4\nsequence = payload+2:2\n",
	  { NUMBER(16, 48, 16, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff),
	  2,
	  10 },
	{ "number-of-17-bits",
	  A "sequence = payload+8:3/0x01ffff\n",
	  { NUMBER(17, 40, 17, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, 3, 40, 3, 0xffff01),
	  1,
	  3 },
	{ "number-of-18-bits",
	  A "sequence = payload+8:3/0x03ffff\n",
	  { NUMBER(18, 40, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 3, 40, 3, 0xffff03),
	  1,
	  3 },
	{ "number-of-four-bytes",
	  A "sequence = payload+4:4\n",
	  { NUMBER(32, 32, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
	{ "number-of-40-bits-longest-source",
	  A "source = payload+8:32\nsequence = payload+0:5\n",
	  { NUMBER(40, 24, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, -3, 24, 5, 0xffffffffff),
	  5,
	  37 },
	{ "number-of-41-bits-longest-source",
	  A "source = payload+8:24\nsequence = payload+0:6/0x01ffffffffff\n",
	  { NUMBER(41, 16, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, -2, 16, 6, 0xffffffffff01),
	  4,
	  30 },
	{ "number-of-64-bits",
	  A "source = payload+0:10\nsequence = payload+10:8\n",
	  { NUMBER(64, 0, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 10, 0, 8, ALL),
	  3,
	  24 },
	{ "number-under-a-mask",
	  A "sequence = payload+0:2/0x0fff\n",
	  { NUMBER(12, 48, 12, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -6, 48, 2, 0xff0f),
	  1,
	  2 },
	{ "number-above-other-bits",
	  A "sequence = payload+0:2/0xfff0\n",
	  { NUMBER(12, 52, 12, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -6, 48, 2, 0xf0ff),
	  1,
	  2 },
	{ "number-between-other-bits",
	  A "sequence = payload+0:8/0x00fffffffffffe00\n",
	  { NUMBER(47, 9, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 0, 0, 8, 0x00feffffffffff00),
	  1,
	  8 },
	{ "number-of-a-frame",
	  ETH "source = frame+6:6\nsequence = tag+2:2\n",
	  { NUMBER(16, 48, 16, 20 * MS) },
	  LOAD(DEDUP_TAG, -4, 48, 2, 0xffff),
	  2,
	  10 },
	{ "number-before-its-source",
	  A "sequence = payload+2:2\nsource = payload+8:4\n",
	  { NUMBER(16, 48, 16, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff),
	  2,
	  10 },
	{ "source-on-two-lines",
	  A "source = payload+8:4\nsequence = payload+2:2\nsource = ip+12:4\n",
	  { NUMBER(16, 48, 16, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff),
	  3,
	  18 },
	{ "count",
	  A "sequence = payload+10:8\ncount = payload+18:2\n",
	  { NUMBER(64, 0, 17, 10 * SECOND), .count = LOAD(DEDUP_PAYLOAD, 12, 48, 2, 0xffff),
	    .count_shift = 48 },
	  LOAD(DEDUP_PAYLOAD, 10, 0, 8, ALL),
	  1,
	  8 },
	{ "count-under-a-mask",
	  A "sequence = payload+10:8\ncount = payload+18:1/0x7e\n",
	  { NUMBER(64, 0, 17, 10 * SECOND), .count = LOAD(DEDUP_PAYLOAD, 11, 56, 1, 0x7e),
	    .count_shift = 57 },
	  LOAD(DEDUP_PAYLOAD, 10, 0, 8, ALL),
	  1,
	  8 },
	{ "history-least",
	  A "sequence = payload+4:4\nhistory = 256\n",
	  { NUMBER(32, 32, 8, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
	{ "history-rounded-up",
	  A "sequence = payload+4:4\nhistory = 257\n",
	  { NUMBER(32, 32, 9, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
	{ "history-most",
	  A "sequence = payload+4:4\nhistory = 16777216\n",
	  { NUMBER(32, 32, 24, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
	{ "history-shorter-than-the-numbers",
	  A "sequence = payload+2:2\nhistory = 4096\n",
	  { NUMBER(16, 48, 12, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff),
	  1,
	  2 },
	{ "history-longer-than-the-numbers",
	  A "sequence = payload+2:2\nhistory = 10M\n",
	  { NUMBER(16, 48, 16, 20 * MS) },
	  LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff),
	  1,
	  2 },
	{ "reset-least",
	  A "sequence = payload+4:4\nreset = 10ms\n",
	  { NUMBER(32, 32, 17, 10 * MS) },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
	{ "reset-most",
	  A "sequence = payload+2:2\nreset = 1h\n",
	  { NUMBER(16, 48, 16, 3600 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff),
	  1,
	  2 },
	{ "partial",
	  A "sequence = payload+4:4\npartial = yes\n",
	  { NUMBER(32, 32, 17, 10 * SECOND), .partial = 1 },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
	{ "partial-not",
	  A "sequence = payload+4:4\npartial = no\n",
	  { NUMBER(32, 32, 17, 10 * SECOND) },
	  LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff),
	  1,
	  4 },
};

static void sequence_is_compiled(void **state)
{
	const struct numbered_row *row = *state;
	const struct dedup_stream *st;
	struct profiles p = { 0 };
	char says[512];

	if (parse_as(&p, row->text, false, says, sizeof(says)))
		fail_msg("%s", says);
	st = &p.list[0].stream;
	assert_memory_equal(&p.list[0].numbered, &row->is, sizeof(row->is));
	assert_int_equal(st->words, row->words);
	assert_int_equal(st->bytes, row->bytes);
	assert_true(st->loads_cnt == row->words && !st->digest);
	assert_memory_equal(&st->loads[row->words - 1], &row->last, sizeof(row->last));
	profiles_free(&p);
}

/* A section begins without the numbers of the one before. */
static void numbers_are_of_one_section(void **state)
{
	static const char TEXT[] =
		A "source = payload+8:4\nsequence = payload+2:2\ncount = payload+4:1\n"
		  "history = 300\nreset = 1s\n"
		  "[profile b]\nlayer = udp\nid = payload+0:8\n"
		  "[profile c]\nlayer = udp\nsequence = payload+4:4\n";
	static const struct dedup_numbered NONE = { 0 }, C = { NUMBER(32, 32, 17, 10 * SECOND) };
	struct profiles p = { 0 };
	char says[512];

	(void)state;
	assert_int_equal(parse_as(&p, TEXT, false, says, sizeof(says)), 0);
	assert_int_equal(p.list[0].numbered.recovery.ring_shift, 9);
	assert_memory_equal(&p.list[1].numbered, &NONE, sizeof(NONE));
	assert_int_equal(p.list[1].stream.words, 1);
	assert_memory_equal(&p.list[2].numbered, &C, sizeof(C));
	assert_int_equal(p.list[2].stream.words, 1);
	profiles_free(&p);
}

/* Of an id, for the hashes of other systems: no zeros behind the last word's. */
static void id_has_so_many_bytes(void **state)
{
	static const struct {
		const char *text;
		uint32_t words, bytes;
	} ROWS[] = {
		{ A "id = payload+0:1", 1, 1 },
		{ A "id = payload+0:8", 1, 8 },
		{ A "id = payload+0:20", 3, 20 },
		{ A "id = payload+0:64", 8, 64 },
		{ A "id = payload+0:4 payload+4:4", 2, 12 },
		{ A "id = payload", 1, 8 },
		{ A "id = payload:4 payload+0:4", 2, 16 },
		{ A "decoder = gsp", 4, 32 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct profiles p = { 0 };
		char says[512];

		assert_int_equal(parse_as(&p, ROWS[i].text, true, says, sizeof(says)), 0);
		assert_int_equal(p.list[0].stream.words, ROWS[i].words);
		assert_int_equal(p.list[0].stream.bytes, ROWS[i].bytes);
		profiles_free(&p);
	}
}

/* What is wrong, and where: LINE:COLUMN. */
#define ID "id = payload+0:8\n"
#define LONG "0123456789012345678901234567890123456789"

static const struct bad_row {
	const char *name, *text, *says;
} BAD[] = {
	{ "empty", "", "1:1: there is no [profile NAME] here" },
	{ "comments-only", "; x\n", "1:1: there is no [profile NAME] here" },
	{ "key-before-section", " layer = udp\n", "1:2: keys come behind a section [profile NAME]" },
	{ "no-key", A ID " nonsense\n",
	  "4:2: a line is a section, KEY = VALUE, or begins with ; as a comment" },
	{ "unknown-key", A ID "  colour = red\n", "4:3: there is no key colour" },
	{ "key-of-a-longer-name", A "ids = payload\n", "3:1: there is no key ids" },
	{ "key-without-name", A "= payload\n", "3:1: there is no key " },
	{ "key-twice", A "layer = ip\n", "3:1: layer is there already" },
	{ "window-twice", A "window = 1s\nwindow = 1s\n", "4:1: window is there already" },
	{ "section-open", "\n [profile a\nlayer = udp\n", "2:2: a section is [profile NAME]" },
	{ "second-section-open", A ID "[profile b\nlayer = udp\n",
	  "4:1: a section is [profile NAME]" },
	{ "section-of-others", "[filter a]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "section-no-blank", "[profilea]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "section-no-name", "[profile]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "section-empty-name", "[profile ]\nlayer = udp\n",
	  "1:1:  is no name: 1 to 31 letters, digits, - and _, the first one no - or _" },
	{ "section-bad-name", "[profile a=b]\nlayer = udp\n", "1:1: a=b is no name: 1 to 31 letters" },
	{ "section-dash-name", "[profile -a]\nlayer = udp\n", "1:1: -a is no name: 1 to 31 letters" },
	{ "section-long-name", "[profile " LONG "]\nlayer = udp\n",
	  "1:1: 01234567890123456789012345678901 is no name" },
	{ "section-longer-name", "[profile " LONG LONG "]\nlayer = udp\n",
	  "1:1: 01234567890123456789012345678901 is no name" },
	{ "section-twice", A ID A ID, "4:1: there is a profile a already" },
	{ "section-and-more", "[profile a] id = payload\nlayer = udp\n",
	  "1:13: nothing comes behind a section's ]" },
	{ "section-without-keys", "[profile a]\n\n[profile b]\nlayer = udp\n" ID,
	  "1:1: this section is empty" },
	{ "last-section-without-keys", A ID "  [profile b]\n", "4:3: this section is empty" },
	{ "gsp-taken", "[profile gsp]\nlayer = udp\n" ID,
	  "1:1: gsp stays the built-in one: take another name" },
	{ "layer-missing", "\n[profile a]\n" ID, "2:1: the layer is missing: udp, ip or ethernet" },
	{ "layer-unknown", "[profile a]\nlayer = tcp\n", "2:9: layer is udp, ip or ethernet" },
	{ "layer-empty", "[profile a]\nlayer =\n", "2:6: layer is udp, ip or ethernet" },
	{ "id-missing", A "window = 1s\n",
	  "1:1: the id is missing, as in: id = payload+0:8; or a sequence" },
	{ "second-id-missing", A ID "[profile b]\nlayer = udp\n[profile c]\nlayer = udp\n" ID,
	  "4:1: the id is missing" },
	{ "id-empty", A "id = \n", "3:3: an id is missing here" },
	{ "decoder", A "decoder = gsp\n", "3:11: only the built-in profile gsp has a decoder" },
	{ "decoder-unknown", A "decoder = x\n", "3:11: only the built-in profile gsp has a decoder" },
	{ "control-character", A "id = pay\x1bload\n", "3:9: a control character" },
	{ "line-long", A "; " LONG LONG LONG LONG LONG "\n",
	  "3:191: a line has at most 190 characters" },
	{ "about-long", A "about = " LONG LONG "\n", "3:9: about has at most 79 characters" },

	{ "base-unknown", A "id = udp+0:4\n",
	  "3:6: a field begins with frame, tag, ip, payload, end or outer" },
	{ "base-second", A "id = payload+0:4 foo+0:4\n", "3:18: a field begins with frame" },
	{ "base-of-a-longer-name", A "id = ips+0:4\n", "3:6: a field begins with frame" },
	{ "base-alone", A "id = ip\n", "3:8: a segment is ip+OFFSET:LENGTH" },
	{ "end-alone", A "id = end\n", "3:9: a segment is end-OFFSET:LENGTH" },
	{ "digest-masked", A "id = payload/0xff\n", "3:13: a segment is payload+OFFSET:LENGTH" },
	{ "offset-missing", A "id = payload+:4\n", "3:14: an offset is missing here" },
	{ "offset-hex", A "id = payload+0x10:4\n", "3:15: the length is missing" },
	{ "offset-large", A "id = payload+9217:1\n", "3:14: an offset is at most 9216" },
	{ "offset-huge", A "id = payload+99999999999999999999:1\n",
	  "3:14: an offset is at most 9216" },
	{ "length-missing", A "id = payload+4\n",
	  "3:15: the length is missing: a segment is payload+OFFSET:LENGTH" },
	{ "length-missing-end", A "id = end-4\n", "a segment is end-OFFSET:LENGTH" },
	{ "length-empty", A "id = payload+4:\n", "3:16: a length is missing here" },
	{ "length-0", A "id = payload+4:0\n", "3:6: an id has 1 to 64 bytes, and payload+4:0 has 0" },
	{ "length-65", A "id = payload+4:65\n",
	  "3:6: an id has 1 to 64 bytes, and payload+4:65 has 65" },
	{ "length-huge", A "id = payload+4:4294967297\n", "3:16: a length is at most 9216" },
	{ "before-the-frame", A "id = frame-8:4\n", "3:6: frame-8:4 ends before the frame begins" },
	{ "over-the-front", A "id = frame-2:4\n", "3:6: frame-2:4 begins before the frame begins" },
	{ "before-the-tag", ETH "id = tag-3:2\n",
	  "3:6: tag-3:2: what is before tag counts from the frame's front" },
	{ "before-the-ip-header", IP "id = ip-2:2\n",
	  "3:6: ip-2:2: what is before ip counts from the frame's front" },
	{ "behind-the-end", A "id = end+2:1\n", "3:6: end+2:1 lies behind the frame's end" },
	{ "over-the-end", A "id = end-2:4\n", "3:6: end-2:4 goes on behind the frame's end" },
	{ "nothing-of-the-end", A "id = end-0:1\n", "3:6: end-0:1 goes on behind the frame's end" },
	{ "behind-all-frames", A "id = payload+9216:1\n",
	  "3:6: payload+9216:1 ends behind 9216 bytes, the longest frame" },
	{ "id-of-66-bytes", A "id = payload+0:33 payload+33:33\n",
	  "3:19: with this the id has 66 bytes, at most 64" },
	{ "id-of-66-bytes-on-two-lines", A "id = payload+0:33\nid = payload+33:33\n",
	  "4:6: with this the id has 66 bytes, at most 64" },
	{ "id-of-nine-words", A "id = payload+0:17 payload+20:17 payload+40:17\n",
	  "3:33: with this the id takes 9 words, at most 8" },
	{ "id-of-eight-words-and-a-digest", A "id = payload+0:64 payload\n",
	  "3:19: with this the id takes 9 words, at most 8" },
	{ "id-of-a-digest-and-eight-words", A "id = payload payload+0:64\n",
	  "3:14: with this the id takes 9 words, at most 8" },
	{ "id-of-five-segments",
	  A "id = payload+0:1 payload+2:1 payload+4:1 payload+6:1 payload+8:1\n",
	  "3:54: an id has at most 4 segments" },
	{ "two-digests", A "id = payload payload:4\n", "3:14: an id has one digest" },
	{ "digest-of-0", A "id = payload:0\n", "3:14: this digest takes at least 1 byte" },
	{ "digest-within-a-header", IP "id = packet:59\n",
	  "3:13: this digest takes at least 60 bytes, the longest IPv4 header" },
	{ "digest-within-the-shortest-frame", ETH "id = frame:59\n",
	  "3:12: this digest takes at least 60 bytes, the shortest frame" },
	{ "two-digests-of-a-frame", ETH "id = frame frame:20\n", "3:12: an id has one digest" },
	{ "digest-of-too-much", A "id = payload:9217\n", "3:14: a digest's length is at most 9216" },
	{ "digest-of-a-word", A "id = payload:x\n", "3:14: a digest's length is missing here" },
	{ "id-with-a-comma", A "id = payload+0:4,payload+4:4\n",
	  "3:17: a blank comes between the parts of an id" },
	{ "digest-with-a-comma", A "id = payload:4,payload+4:4\n",
	  "3:15: a blank comes between the parts of an id" },

	{ "mask-decimal", A "id = payload+0:1/12\n", "3:18: a mask is written in hex, as 0x0f" },
	{ "mask-short", A "id = payload+0:2/0xff\n",
	  "3:18: a mask of 2 bytes has 4 hex digits, and this has 2" },
	{ "mask-long", A "id = payload+0:1/0x0ff\n",
	  "3:18: a mask of 1 byte has 2 hex digits, and this has 3" },
	{ "mask-of-nothing", A "id = payload+0:2/0x0000\n",
	  "3:18: this mask leaves nothing of the segment" },

	{ "gate-of-9", A "require = payload+0:9 == 0x010203040506070809\n",
	  "3:11: a gate compares 1 to 8 bytes, and payload+0:9 has 9" },
	{ "gate-without-comparison", A "require = payload+0:1\n", "3:22: == or != comes here" },
	{ "gate-of-one-sign", A "require = payload+0:1 = 0x01\n", "3:23: == or != comes here" },
	{ "gate-without-value", A "require = payload+0:1 ==\n", "3:25: a value is written in hex" },
	{ "gate-value-short", A "exempt = payload+0:2 != 0x1\n",
	  "3:25: a value of 2 bytes has 4 hex digits, and this has 1" },
	{ "gate-value-outside-mask", A "exempt = payload+0:1/0xf0 == 0x18\n",
	  "3:30: this value has bits that the mask takes away: it can never be equal" },
	{ "gate-and-more", A "exempt = payload+0:1 == 0x18 0x19\n", "3:30: nothing comes behind" },
	{ "gate-of-a-digest", A "require = payload == 0x18\n", "3:18: a segment is payload+OFFSET" },
	{ "nine-gates",
	  A "require = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\n"
	    "require = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n"
	    "exempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n",
	  "11:10: require and exempt are at most 8 together" },

	{ "ip-without-payload", IP "id = ip+0:4 payload+0:4\n", "3:13: only layer udp has a payload" },
	{ "ethernet-without-payload", "[profile a]\nid = payload+0:4\nlayer = ethernet\n",
	  "2:6: only layer udp has a payload" },
	{ "ethernet-without-ip", ETH "id = frame+0:4\nrequire = ip+0:1 == 0x40\n",
	  "4:11: layer ethernet has no ip header" },
	{ "ip-without-payload-digest", IP "id = payload\n", "3:6: only layer udp has a payload" },
	{ "udp-without-packet", A "id = payload+0:1 packet\n", "3:18: packet is for layer ip" },
	{ "ethernet-without-packet", ETH "id = packet\n", "3:6: packet is for layer ip" },
	{ "udp-without-frame", A "id = payload+0:1 frame\n",
	  "3:18: frame as a whole is for layer ethernet" },
	{ "ip-without-frame", IP "id = frame:60\n", "3:6: frame as a whole is for layer ethernet" },
	{ "udp-ethertype", A ID "ethertype = 0x0800\n", "4:13: ethertype is for layer ethernet" },
	{ "ip-ports", IP "id = packet\nports = 80\n", "4:9: ports are for layer udp" },
	{ "ethernet-needs", ETH "id = frame+0:4\nneeds = destination\n",
	  "4:9: layer ethernet has no destinations" },

	{ "ethertype-short", ETH "ethertype = 0x800\n",
	  "3:13: an EtherType is written with 4 hex digits, as 0x88fb" },
	{ "ethertype-decimal", ETH "ethertype = 2048\n", "3:13: an EtherType is written" },
	{ "ethertype-and-more", ETH "ethertype = 0x0800 x\n", "3:13: an EtherType is written" },
	{ "ethertype-length", ETH "ethertype = 0x05ff\n", "3:13: EtherTypes begin at 0x0600" },
	{ "ethertype-vlan", ETH "ethertype = 0x8100\n", "3:13: the EtherType is the one behind any" },
	{ "sequence-of-9", A "sequence = payload+0:9\n",
	  "3:12: a sequence number has 1 to 8 bytes, and payload+0:9 has 9" },
	{ "sequence-of-7-bits", A "sequence = payload+0:1/0x7f\n",
	  "3:12: a sequence number has at least 8 bits" },
	{ "sequence-with-gaps", A "sequence = payload+0:2/0xf0ff\n",
	  "3:12: the mask of a sequence number has no gaps" },
	{ "sequence-with-a-gap-in-its-low-bits", A "sequence = payload+0:2/0xffdf\n",
	  "3:12: the mask of a sequence number has no gaps" },
	{ "sequence-of-a-digest", A "sequence = payload\n",
	  "3:19: a segment is payload+OFFSET:LENGTH" },
	{ "sequence-of-two-segments", A "sequence = payload+0:4 payload+4:4\n",
	  "3:24: a sequence number is one segment" },
	{ "sequence-twice", A "sequence = payload+0:4\nsequence = payload+0:4\n",
	  "4:1: sequence is there already" },
	{ "sequence-beside-an-id", A ID "sequence = payload+0:4\n",
	  "3:6: a profile has an id, or a sequence with a source" },
	{ "source-of-5-words", A "source = payload+0:33\nsequence = payload+0:5\n",
	  "3:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ "source-of-4-words-for-41-bits",
	  A "source = payload+0:25\nsequence = payload+0:6/0x01ffffffffff\n",
	  "3:10: here a source is of at most 3 words of 8 bytes, and no digest" },
	{ "source-with-a-digest", A "sequence = payload+0:4\nsource = payload+4:4 payload\n",
	  "4:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ "source-without-sequence", A "source = payload+0:8\n",
	  "3:10: source is for a profile with a sequence" },
	{ "count-without-sequence", A ID "count = payload+0:2\n",
	  "4:9: count is for a profile with a sequence" },
	{ "history-without-sequence", A ID "history = 1000\n",
	  "4:11: history is for a profile with a sequence" },
	{ "reset-without-sequence", A ID "reset = 1s\n",
	  "4:9: reset is for a profile with a sequence" },
	{ "count-of-9", A "count = payload+0:9\n",
	  "3:9: a count of messages has 1 to 8 bytes, and payload+0:9 has 9" },
	{ "count-with-gaps", A "count = payload+0:1/0xa0\n",
	  "3:9: the mask of a count of messages has no gaps" },
	{ "count-of-two-segments", A "count = payload+0:1 payload+1:1\n",
	  "3:21: a count of messages is one segment" },
	{ "history-short", A "history = 255\n", "3:11: a history is 256 to 16777216 numbers" },
	{ "history-long", A "history = 16777217\n", "3:11: a history is 256 to 16777216 numbers" },
	{ "history-of-a-time", A "history = 10s\n", "3:11: a history is 256 to 16777216 numbers" },
	{ "reset-short", A "reset = 9.999ms\n", "3:9: reset is 10ms to 1h" },
	{ "reset-long", A "reset = 3601s\n", "3:9: reset is 10ms to 1h" },
	{ "partial-maybe", A "sequence = payload+4:4\npartial = maybe\n",
	  "4:11: partial is yes or no" },
	{ "partial-without-sequence", A ID "partial = yes\n",
	  "4:11: partial is for a profile with a sequence" },
	{ "reset-no-unit", A "reset = 10\n", "3:9: reset is 10ms to 1h" },
	{ "ip-without-payload-sequence", IP "sequence = payload+0:4\n",
	  "3:12: only layer udp has a payload" },
	{ "ip-without-payload-count", IP "sequence = ip+4:2\ncount = payload+0:1\n",
	  "4:9: only layer udp has a payload" },
	{ "ethernet-without-ip-sequence", ETH "sequence = ip+4:2\n",
	  "3:12: layer ethernet has no ip header" },
	{ "ethernet-without-ip-source", ETH "sequence = tag+0:2\nsource = ip+12:4\n",
	  "4:10: layer ethernet has no ip header" },

	{ "window-short", A "window = 9ms\n", "3:10: a window is 10ms to 30d" },
	{ "window-no-unit", A "window = 10\n", "3:10: a window is 10ms to 30d" },
	{ "window-long", A "window = 31d\n", "3:10: a window is 10ms to 30d" },
	{ "fpr", A "fpr = 1\n", "3:7: fpr is a rate below 1 and at least 1e-18, as 1e-6" },
	{ "ports", A "ports = 0\n", "3:9: ports are UDP ports from 1 to 65535" },
	{ "forwarded", A "forwarded = true\n", "3:13: forwarded is yes or no" },
	{ "needs", A "needs = port\n", "3:9: what a profile can need is: destination" },
	{ "learn", A "learn = kernel\n", "3:9: learn is app, or it is left out" },
};

static void error_is_told_with_its_place(void **state)
{
	const struct bad_row *row = *state;
	struct profiles p = { 0 };
	char says[512];

	assert_int_equal(profiles_add_builtin(&p), 0);
	assert_int_equal(parse_as(&p, row->text, false, says, sizeof(says)), -EINVAL);
	if (!strstr(says, row->says))
		fail_msg("said: %s\nnot:  %s", says, row->says);
	profiles_free(&p);
}

/* Only built-in texts come so far. */
static void decoder_makes_the_id_itself(void **state)
{
	static const char *const WITH[] = { "id = payload+0:4\n", "require = payload+0:1 == 0x01\n",
					    "layer = ip\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(WITH); i++) {
		struct profiles p = { 0 };
		char text[128], says[512];

		snprintf(text, sizeof(text), "[profile a]\ndecoder = gsp\n%s%s",
			 strstr(WITH[i], "layer") ? "" : "layer = udp\n", WITH[i]);
		assert_int_equal(parse_as(&p, text, true, says, sizeof(says)), -EINVAL);
		assert_string_equal(says, "2:11: this decoder is for layer udp, and makes the id");
		profiles_free(&p);
	}
}

static void keys_beside_the_stream(void **state)
{
	static const char TEXT[] = A ID
		"about = what it is ; not this\nwindow = 1.5s\nfpr = 1e-9\nports = 9000-9010,80\n"
		"needs = destination\nlearn = app\n[profile b]\nlayer=udp\n" ID;
	struct profiles p = { 0 };
	char says[512];

	(void)state;
	assert_int_equal(parse_as(&p, TEXT, false, says, sizeof(says)), 0);
	assert_int_equal(p.cnt, 2);
	assert_string_equal(p.list[0].about, "what it is");
	assert_int_equal(p.list[0].window_ns, 1500000000);
	assert_true(p.list[0].fpr == 1e-9);
	assert_int_equal(p.list[0].ports_cnt, 2);
	assert_true(p.list[0].ports[0].lo == 80 && p.list[0].ports[1].hi == 9010);
	assert_true(p.list[0].needs_to && p.list[0].needs_app && !p.list[0].builtin);
	assert_string_equal(p.list[1].text, "[profile b]\nlayer=udp\n" ID);
	assert_true(!p.list[1].window_ns && !p.list[1].ports_cnt && !p.list[1].needs_to);
	assert_true(!p.list[1].needs_app && p.list[1].fpr == 0);
	assert_ptr_equal(profiles_find(&p, "b"), &p.list[1]);
	assert_null(profiles_find(&p, "c"));
	profiles_free(&p);
}

/* A user's own takes the place of the built-in one; and of no other user's. */
static void built_in_ones_are_replaced_by_name(void **state)
{
	static const char TEXT[] = "[profile rtp]\nlayer = udp\nid = payload\n";
	struct profiles p = { 0 };
	char says[512];
	size_t cnt;

	(void)state;
	assert_int_equal(profiles_add_builtin(&p), 0);
	cnt = p.cnt;
	assert_int_equal(profiles_find(&p, "rtp")->stream.words, 2);
	assert_int_equal(parse_as(&p, TEXT, false, says, sizeof(says)), 0);
	assert_int_equal(p.cnt, cnt);
	assert_int_equal(profiles_find(&p, "rtp")->stream.words, 1);
	assert_string_equal(profiles_find(&p, "rtp")->text, TEXT);
	assert_int_equal(parse_as(&p, TEXT, false, says, sizeof(says)), -EINVAL);
	assert_string_equal(says, "1:1: there is a profile rtp already");
	profiles_free(&p);
}

static void profiles_are_so_many(void **state)
{
	struct profiles p = { 0 };
	char text[128], says[512];
	int i;

	(void)state;
	for (i = 0; i < PROFILES_MAX; i++) {
		snprintf(text, sizeof(text), "[profile p%d]\nlayer=udp\n" ID, i);
		assert_int_equal(parse_as(&p, text, false, says, sizeof(says)), 0);
	}
	assert_int_equal(parse_as(&p, A ID, false, says, sizeof(says)), -EINVAL);
	assert_string_equal(says, "1:1: at most 256 profiles");
	profiles_free(&p);
}

/* Those that come along, and what they make of ids and gates. */
static const struct builtin_row {
	const char *name;
	uint32_t layer, words, gates;
	uint64_t window_ms;
	double fpr;
	uint32_t width, reset_ms; /* of numbers */
} BUILTIN[] = {
	{ "discv4", DEDUP_UDP, 1, 1, 30000, 1e-4, 0, 0 },
	{ "gsp", DEDUP_UDP, 4, 0, 0, 0, 0, 0 },
	{ "hsr", DEDUP_ETHERNET, 2, 3, 0, 0, 16, 10 },
	{ "mirror", DEDUP_IP, 1, 0, 50, 1e-7, 0, 0 },
	{ "mirror-l2", DEDUP_ETHERNET, 1, 6, 50, 1e-7, 0, 0 },
	{ "moldudp64", DEDUP_UDP, 3, 2, 0, 0, 64, 10000 },
	{ "payload", DEDUP_UDP, 1, 0, 1000, 1e-6, 0, 0 },
	{ "prp", DEDUP_ETHERNET, 2, 6, 0, 0, 16, 10 },
	{ "r-tag", DEDUP_ETHERNET, 5, 2, 0, 0, 16, 20 },
	{ "rtp", DEDUP_UDP, 2, 2, 0, 0, 16, 20 },
	{ "solana-shred", DEDUP_UDP, 1, 2, 120000, 1e-6, 0, 0 },
};

static void built_in_profile(void **state)
{
	const struct builtin_row *row = *state;
	struct profiles all = { 0 }, again = { 0 };
	const struct profile *p;
	char file[8192], says[512];

	assert_int_equal(profiles_add_builtin(&all), 0);
	assert_int_equal(all.cnt, ARRAY_SIZE(BUILTIN));
	p = profiles_find(&all, row->name);
	assert_non_null(p);
	assert_int_equal(p->stream.layer, row->layer);
	assert_int_equal(p->stream.words, row->words);
	assert_int_equal(p->stream.gates_cnt, row->gates);
	assert_int_equal(p->stream.decoder, strcmp(row->name, "gsp") ? DEDUP_FIELDS : DEDUP_GSP);
	assert_int_equal(p->window_ns, row->window_ms * 1000000);
	assert_int_equal(p->numbered.width, row->width);
	assert_int_equal(p->numbered.reset_ns, row->reset_ms * 1000000ULL);
	assert_int_equal(p->numbered.partial, !strcmp(row->name, "hsr") || !strcmp(row->name, "prp"));
	assert_true(p->fpr == row->fpr && p->builtin && *p->about);
	assert_true(p->needs_to == !strcmp(row->name, "moldudp64"));
	assert_int_equal(p->stream.forwarded, !strncmp(row->name, "mirror", 6));

	/* Its text is the file's, and what it was compiled from. */
	assert_int_equal(sh_out(file, sizeof(file), "cat user/spec/profiles/%s.ini", row->name), 0);
	assert_string_equal(p->text, file);
	if (parse_as(&again, p->text, true, says, sizeof(says)))
		fail_msg("%s", says);
	assert_memory_equal(&again.list[0].stream, &p->stream, sizeof(p->stream));
	assert_memory_equal(&again.list[0].numbered, &p->numbered, sizeof(p->numbered));
	profiles_free(&all);
	profiles_free(&again);
}

/* Whatever text has become a profile can be run. */
static void check_load(const struct dedup_load *l)
{
	assert_in_range(l->bytes, 1, 8);
	assert_true(l->base < DEDUP_BASES && l->shift % 8 == 0 && l->shift <= 56);
	assert_true(l->mask <= ALL >> (64 - 8 * l->bytes));
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
	result = profiles_parse(&p, text, len, builtin, &err);
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

static void texts_cut_at_every_byte(void **state)
{
	struct profiles all = { 0 };
	int taken = 0;

	(void)state;
	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < all.cnt; i++)
		for (size_t len = 0; len <= strlen(all.list[i].text); len++)
			taken += try_text(all.list[i].text, len, i % 2);
	assert_true(taken > 50);
	profiles_free(&all);
}

static const char *const PIECES[] = {
	"[",
	"]",
	"[profile x]\n",
	"=",
	":",
	"/",
	"+",
	"-",
	"==",
	"!=",
	"0x",
	"0xffff",
	"0x00",
	"99999",
	"-1",
	"64",
	"frame",
	"end",
	"payload",
	"packet",
	"tag",
	"ip",
	"\n",
	" ",
	"\t",
	";",
	"\r\n",
	"\xff",
	"\x01",
	"id = ",
	"udp",
	"ethernet",
	"decoder=",
	"ports",
	"require = end-1:1 == 0x01\n",
	"payload+0:8",
	"\xef\xbb\xbf",
	"%s%n",
	"#",
	"2147483648",
	"\nsequence = payload+2:4\n",
	"\nsource = ",
	"\ncount = ",
	"\nhistory = 4096\n",
	"\nreset = 50ms\n",
	"\npartial = yes\n",
};

/* Bytes and pieces put in, taken out, doubled. */
static size_t mutate(char *text, size_t len, size_t max, uint64_t *seed)
{
	uint64_t r = random_next(seed);
	size_t at = r % (len + 1), n = (r >> 16) % 12;
	const char *piece = PIECES[(r >> 24) % ARRAY_SIZE(PIECES)];

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

static void mutated_texts(void **state)
{
	struct profiles all = { 0 };
	char text[4096];
	uint64_t seed = 14;
	int taken = 0;

	(void)state;
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

static void random_texts(void **state)
{
	char text[512];
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = 0, want = random_next(&seed) % 400;

		while (len < want) {
			const char *piece = PIECES[random_next(&seed) % ARRAY_SIZE(PIECES)];

			len += snprintf(text + len, sizeof(text) - len, "%s", piece);
		}
		try_text(text, len, false);
	}
}

static void files_are_read(void **state)
{
	char path[] = "/tmp/xdp-dedup-profile.XXXXXX";
	struct profiles p = { 0 };
	struct profile_error err;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(profiles_add_file(&p, path, &err), -EINVAL);
	assert_int_equal(err.line, 1);
	sh("printf '" A "id=payload\n' >%s", path);
	assert_int_equal(profiles_add_file(&p, path, &err), 0);
	assert_int_equal(p.cnt, 1);
	sh("yes ';' | head -c %d >%s", PROFILES_FILE_MAX, path);
	assert_int_equal(profiles_add_file(&p, path, &err), -EINVAL);
	sh("yes ';' | head -c %d >%s", PROFILES_FILE_MAX + 1, path);
	assert_int_equal(profiles_add_file(&p, path, &err), -EFBIG);
	assert_int_equal(err.line, 0);
	assert_int_equal(profiles_add_file(&p, "/tmp", &err), -EISDIR);
	unlink(path);
	assert_int_equal(profiles_add_file(&p, path, &err), -ENOENT);
	profiles_free(&p);
}

static void names(void **state)
{
	(void)state;
	assert_true(stream_name_ok("a") && stream_name_ok("A-b_9") && stream_name_ok("9"));
	assert_true(stream_name_ok("0123456789012345678901234567890"));
	assert_false(stream_name_ok("01234567890123456789012345678901"));
	assert_false(stream_name_ok("") || stream_name_ok("-a") || stream_name_ok("_a"));
	assert_false(stream_name_ok("a b") || stream_name_ok("a#") || stream_name_ok("\xe4"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_has_so_many_bytes),
		cmocka_unit_test(numbers_are_of_one_section),
		cmocka_unit_test(decoder_makes_the_id_itself),
		cmocka_unit_test(keys_beside_the_stream),
		cmocka_unit_test(built_in_ones_are_replaced_by_name),
		cmocka_unit_test(profiles_are_so_many),
		cmocka_unit_test(texts_cut_at_every_byte),
		cmocka_unit_test(mutated_texts),
		cmocka_unit_test(random_texts),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(names),
	};

	add_rows(GOOD, text_is_compiled, NULL, NULL);
	add_rows(NUMBERED, sequence_is_compiled, NULL, NULL);
	add_rows(BAD, error_is_told_with_its_place, NULL, NULL);
	add_rows(BUILTIN, built_in_profile, NULL, NULL);
	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_any_tests("profile");
}
