// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles: from text to what is compiled; names and files of profiles; those that are built in. */
#include "unit.h"

#include "numbering.h"
#include "profile.h"
#include "profile_text.h"

#define ALL UINT64_MAX

/* One load or gate a line; fields as in struct dedup_load. */
#define LOAD(base_, at_, shift_, bytes_, mask_)                                                      \
	{                                                                                            \
		.base = (base_), .at = (at_), .shift = (shift_), .bytes = (bytes_), .mask = (mask_), \
	}
#define GATE(load_, equal_, value_, exempt_)                                             \
	{                                                                                \
		.load = load_, .equal = (equal_), .value = (value_), .exempt = (exempt_) \
	}

#define LOADS(...) .is.loads = { __VA_ARGS__ }
#define GATES(...) .is.gates = { __VA_ARGS__ }

/* What text becomes, but for what all have, or what can be counted. engines_test tries random ids,
 * digests and gates.
 */
static const struct good_row {
	const char *name, *text;
	struct dedup_stream is;
} GOOD[] = {
	{ "one-word", A "id = payload+0:8\n", LOADS(LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL)) },
	/* The 8 bytes begin before the payload, which has headers before it. */
	{ "front-of-payload", A "id = payload+0:2", LOADS(LOAD(DEDUP_PAYLOAD, -6, 48, 2, 0xffff)) },
	{ "near-front-of-frame", A "id = frame+2:3\n", LOADS(LOAD(DEDUP_FRAME, 0, 16, 3, 0xffffff)) },
	{ "ethertype-behind-the-tags",
	  ETH "id = tag-2:2\nrequire = tag-1:1 != 0x06\nexempt = tag-2:4 == 0x88a40110\n",
	  .is.layer = DEDUP_ETHERNET, LOADS(LOAD(DEDUP_TAG, -8, 48, 2, 0xffff)),
	  GATES(GATE(LOAD(DEDUP_TAG, -8, 56, 1, 0xff), 0, 0x06, 0),
		GATE(LOAD(DEDUP_TAG, -6, 32, 4, 0xffffffff), 1, 0x1001a488, 1)) },
	{ "from-the-end", ETH "id = end-6:6/0xffff0fffffff\n", .is.layer = DEDUP_ETHERNET,
	  LOADS(LOAD(DEDUP_END, -8, 16, 6, 0xffffff0fffff)) },
	/* Also in a frame that has nothing before it. */
	{ "far-from-the-end", ETH "id = end-60:2 end-7:1\n", .is.layer = DEDUP_ETHERNET,
	  LOADS(LOAD(DEDUP_END, -60, 0, 2, 0xffff), LOAD(DEDUP_END, -14, 56, 1, 0xff)) },
	{ "mask-in-two-words", A "id = payload+4:10/0x00ff00000000000001f0\n",
	  LOADS(LOAD(DEDUP_PAYLOAD, 4, 0, 8, 0xff00), LOAD(DEDUP_PAYLOAD, 6, 48, 2, 0xf001)) },
	{ "id-on-two-lines", A "id = payload+8:8\nid = payload\nid = payload+0:8\n",
	  .is.digest = DEDUP_DIGEST_PAYLOAD, .is.digest_max = DEDUP_DIGEST_MAX,
	  LOADS(LOAD(DEDUP_PAYLOAD, 8, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL)) },
	{ "payload-of-all-its-parts", A "id = payload[0:-0] payload+0:1\n",
	  .is.digest = DEDUP_DIGEST_PAYLOAD, .is.digest_max = DEDUP_DIGEST_MAX,
	  LOADS(LOAD(DEDUP_PAYLOAD, -7, 56, 1, 0xff)) },
	{ "frame-from-an-offset-to-a-trailer", ETH "id = frame[9216:-9216]\n",
	  .is.layer = DEDUP_ETHERNET, .is.digest = DEDUP_DIGEST_FRAME,
	  .is.digest_max = DEDUP_DIGEST_PART | DEDUP_DIGEST_MAX, .is.digest_skip = 9216,
	  .is.digest_trailer = 9216 },
	{ "require-and-exempt",
	  IP "exempt = ip+9:1 == 0x06\nrequire = ip+0:1/0xf0 == 0x40\nid = packet\n"
	     "require=ip+6:2/0x1fff!=0x0000\n",
	  .is.layer = DEDUP_IP, .is.digest = DEDUP_DIGEST_PACKET, .is.digest_max = DEDUP_DIGEST_MAX,
	  GATES(GATE(LOAD(DEDUP_NETWORK, -7, 56, 1, 0xf0), 1, 0x40, 0),
		GATE(LOAD(DEDUP_NETWORK, 0, 48, 2, 0xff1f), 0, 0, 0),
		GATE(LOAD(DEDUP_NETWORK, 2, 56, 1, 0xff), 1, 6, 1)) },
	/* Mask and value are the number's: the packet has their bytes in reverse. */
	{ "little-endian-gates",
	  A ID "require = payload+4:2le/0x0fff == 0x0102\nexempt = payload+2:1le == 0x07\n"
	       "exempt = payload+8:8le != 0x0102030405060708\n",
	  LOADS(LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL)),
	  GATES(GATE(LOAD(DEDUP_PAYLOAD, -2, 48, 2, 0x0fff), 1, 0x0102, 0),
		GATE(LOAD(DEDUP_PAYLOAD, -5, 56, 1, 0xff), 1, 7, 1),
		GATE(LOAD(DEDUP_PAYLOAD, 8, 0, 8, ALL), 0, 0x0102030405060708, 1)) },
	{ "gate-of-eight",
	  ETH "ethertype = 0x88B5\nid = frame+0:14\nrequire = tag+0:8 != 0x0102030405060708\n",
	  .is.layer = DEDUP_ETHERNET, .is.ethertype = 0xb588,
	  GATES(GATE(LOAD(DEDUP_TAG, 0, 0, 8, ALL), 0, 0x0807060504030201, 0)),
	  LOADS(LOAD(DEDUP_FRAME, 0, 0, 8, ALL), LOAD(DEDUP_FRAME, 6, 16, 6, 0xffffffffffff)) },
	{ "comments-blanks-and-carriage-returns",
	  "\xef\xbb\xbf; one\r\n# two\n\n  [profile a] ; three\r\n\t layer : ip ; four\n  id = "
	  "packet:99\r\n"
	  "\tforwarded = yes\n",
	  .is.layer = DEDUP_IP, .is.forwarded = 1, .is.digest = DEDUP_DIGEST_PACKET,
	  .is.digest_max = 99 },
	{ "longest-id", A "id = payload+0:16 payload+16:16 payload+32:16\nid = payload+9200:16\n",
	  LOADS(LOAD(DEDUP_PAYLOAD, 0, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 8, 0, 8, ALL),
		LOAD(DEDUP_PAYLOAD, 16, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 24, 0, 8, ALL),
		LOAD(DEDUP_PAYLOAD, 32, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 40, 0, 8, ALL),
		LOAD(DEDUP_PAYLOAD, 9200, 0, 8, ALL), LOAD(DEDUP_PAYLOAD, 9208, 0, 8, ALL)) },
};

TEST_ROWS(text_is_compiled, GOOD)
{
	struct profiles p = { 0 };
	struct dedup_stream is = row->is;
	char says[512];

	strcpy(is.name, "a");
	while (is.gates[is.gates_cnt].load.bytes)
		is.gates_cnt++;
	while (is.loads_cnt < DEDUP_ID_WORDS_MAX && is.loads[is.loads_cnt].bytes)
		is.loads_cnt++;
	is.words = is.loads_cnt + !!is.digest;
	is.bytes = 8 * (is.words - 1) +
		   (is.digest ? 8 : is.loads[is.loads_cnt ? is.loads_cnt - 1 : 0].bytes);
	if (parse_as(&p, row->text, PROFILE_GIVEN, says, sizeof(says)))
		fail_msg("%s", says);
	assert_int_equal(p.cnt, 1);
	assert_memory_equal(&p.list[0].stream, &is, sizeof(is));
	profiles_free(&p);
}

#define MS 1000000ULL
#define SECOND (1000 * MS)
#define RECOVERED(width_) ((width_) < DEDUP_WIDTH_MAX ? (width_) : DEDUP_WIDTH_MAX)
#define NUMBER(width_, shift_, ring_, reset_)                                \
	.is.width = (width_), .is.shift = (shift_), .is.reset_ns = (reset_), \
	.is.recovery.width = RECOVERED(width_), .is.recovery.ring_shift = (ring_)

/* What a sequence becomes. `last` is the id's last word; `words` are all: its source comes first.
 * 0 words: only the numbers count.
 */
static const struct numbered_row {
	const char *name, *text;
	struct dedup_numbered is;
	struct dedup_load last;
	uint32_t words, bytes;
} NUMBERED[] = {
	{ "number-of-a-byte", A "sequence = payload+0:1\n", NUMBER(8, 56, 8, 20 * MS),
	  .last = LOAD(DEDUP_PAYLOAD, -7, 56, 1, 0xff), .words = 1, .bytes = 1 },
	{ "number-of-two-bytes", A "source = payload+8:4\nsequence = payload+2:2\n",
	  NUMBER(16, 48, 16, 20 * MS), .last = LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff), .words = 2,
	  .bytes = 10 },
	{ "number-of-17-bits", A "sequence = payload+8:3/0x01ffff\n", NUMBER(17, 40, 17, 20 * MS),
	  .last = LOAD(DEDUP_PAYLOAD, 3, 40, 3, 0xffff01), .words = 1, .bytes = 3 },
	{ "number-of-18-bits", A "sequence = payload+8:3/0x03ffff\n", NUMBER(18, 40, 17, 10 * SECOND),
	  .last = LOAD(DEDUP_PAYLOAD, 3, 40, 3, 0xffff03), .words = 1, .bytes = 3 },
	{ "number-of-40-bits-longest-source", A "source = payload+8:32\nsequence = payload+0:5\n",
	  NUMBER(40, 24, 17, 10 * SECOND), .last = LOAD(DEDUP_PAYLOAD, -3, 24, 5, 0xffffffffff),
	  .words = 5, .bytes = 37 },
	{ "number-of-41-bits-longest-source",
	  A "source = payload+8:24\nsequence = payload+0:6/0x01ffffffffff\n",
	  NUMBER(41, 16, 17, 10 * SECOND), .last = LOAD(DEDUP_PAYLOAD, -2, 16, 6, 0xffffffffff01),
	  .words = 4, .bytes = 30 },
	{ "number-of-64-bits", A "source = payload+0:10\nsequence = payload+10:8\n",
	  NUMBER(64, 0, 17, 10 * SECOND), .last = LOAD(DEDUP_PAYLOAD, 10, 0, 8, ALL), .words = 3,
	  .bytes = 24 },
	{ "number-under-a-mask", A "sequence = payload+0:2/0x0fff\n", NUMBER(12, 48, 12, 20 * MS),
	  .last = LOAD(DEDUP_PAYLOAD, -6, 48, 2, 0xff0f), .words = 1, .bytes = 2 },
	{ "number-between-other-bits", A "sequence = payload+0:8/0x00fffffffffffe00\n",
	  NUMBER(47, 9, 17, 10 * SECOND), .last = LOAD(DEDUP_PAYLOAD, 0, 0, 8, 0x00feffffffffff00),
	  .words = 1, .bytes = 8 },
	{ "source-on-two-lines", A "source = payload+8:4\nsequence = payload+2:2\nsource = ip+12:4\n",
	  NUMBER(16, 48, 16, 20 * MS), .last = LOAD(DEDUP_PAYLOAD, -4, 48, 2, 0xffff), .words = 3,
	  .bytes = 18 },
	{ "count", A "sequence = payload+10:8\ncount = payload+18:2\n",
	  NUMBER(64, 0, 17, 10 * SECOND), .is.count = LOAD(DEDUP_PAYLOAD, 12, 48, 2, 0xffff),
	  .is.count_shift = 48, .last = LOAD(DEDUP_PAYLOAD, 10, 0, 8, ALL), .words = 1, .bytes = 8 },
	{ "count-under-a-mask", A "sequence = payload+10:8\ncount = payload+18:1/0x7e\n",
	  NUMBER(64, 0, 17, 10 * SECOND), .is.count = LOAD(DEDUP_PAYLOAD, 11, 56, 1, 0x7e),
	  .is.count_shift = 57, .last = LOAD(DEDUP_PAYLOAD, 10, 0, 8, ALL), .words = 1, .bytes = 8 },
	{ "little-endian-number", A "source = payload+8:4\nsequence = payload+4:4le\n",
	  NUMBER(32, 0, 17, 10 * SECOND), .is.little = 1,
	  .last = LOAD(DEDUP_PAYLOAD, 0, 32, 4, 0xffffffff), .words = 2, .bytes = 12 },
	{ "little-endian-number-of-64-bits",
	  A "sequence = payload+24:8le\ncount = payload+14:2le\n", NUMBER(64, 0, 17, 10 * SECOND),
	  .is.little = 1, .is.count = LOAD(DEDUP_PAYLOAD, 8, 48, 2, 0xffff), .is.count_little = 1,
	  .last = LOAD(DEDUP_PAYLOAD, 24, 0, 8, ALL), .words = 1, .bytes = 8 },
	/* The number is the middle 12 bits of a little-endian 24-bit field. */
	{ "little-endian-number-between-other-bits", A "sequence = payload+2:3le/0x03ffc0\n",
	  NUMBER(12, 6, 12, 20 * MS), .is.little = 1,
	  .last = LOAD(DEDUP_PAYLOAD, -3, 40, 3, 0x03ffc0), .words = 1, .bytes = 3 },
	{ "little-endian-count-under-a-mask", A "sequence = tag+2:2le\ncount = tag+6:2le/0x0ff0\n",
	  NUMBER(16, 0, 16, 20 * MS), .is.little = 1, .is.count = LOAD(DEDUP_TAG, 0, 48, 2, 0x0ff0),
	  .is.count_little = 1, .is.count_shift = 4, .last = LOAD(DEDUP_TAG, -4, 48, 2, 0xffff),
	  .words = 1, .bytes = 2 },
	{ "history-least", A "sequence = payload+4:4\nhistory = 256\n",
	  NUMBER(32, 32, 9, 10 * SECOND) },
	/* Those of a word leave the history together. */
	{ "history-is-a-minimum", A "sequence = payload+4:4\nhistory = 480\n",
	  NUMBER(32, 32, 9, 10 * SECOND) },
	{ "history-is-rounded-up", A "sequence = payload+4:4\nhistory = 481\n",
	  NUMBER(32, 32, 10, 10 * SECOND) },
	{ "history-most", A "sequence = payload+4:4\nhistory = 16777184\n",
	  NUMBER(32, 32, 24, 10 * SECOND) },
	{ "history-shorter-than-the-numbers", A "sequence = payload+2:2\nhistory = 4000\n",
	  NUMBER(16, 48, 12, 20 * MS) },
	{ "reset-most", A "sequence = payload+2:2\nreset = 1h\n", NUMBER(16, 48, 16, 3600 * SECOND) },
	{ "partial", A "sequence = payload+4:4\npartial = yes\n", NUMBER(32, 32, 17, 10 * SECOND),
	  .is.partial = 1 },
};

TEST_ROWS(sequence_is_compiled, NUMBERED)
{
	const struct dedup_stream *st;
	struct profiles p = { 0 };
	char says[512];

	if (parse_as(&p, row->text, PROFILE_GIVEN, says, sizeof(says)))
		fail_msg("%s", says);
	st = &p.list[0].stream;
	assert_memory_equal(&p.list[0].numbered, &row->is, sizeof(row->is));
	if (row->words) {
		assert_int_equal(st->words, row->words);
		assert_int_equal(st->bytes, row->bytes);
		assert_true(st->loads_cnt == row->words && !st->digest);
		assert_memory_equal(&st->loads[row->words - 1], &row->last, sizeof(row->last));
	}
	profiles_free(&p);
}

TEST(profiles_are_so_many)
{
	struct profiles p = { 0 };
	char text[128], says[512];
	int i;

	for (i = 0; i < PROFILES_MAX; i++) {
		snprintf(text, sizeof(text), "[profile p%d]\nlayer=udp\n" ID, i);
		assert_int_equal(parse_as(&p, text, PROFILE_GIVEN, says, sizeof(says)), 0);
	}
	assert_int_equal(parse_as(&p, A ID, PROFILE_GIVEN, says, sizeof(says)), -EINVAL);
	assert_string_equal(says, "1:1: at most 256 profiles");
	profiles_free(&p);
}

/* Some that are built in, and what they make of ids and gates. */
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
	{ "mirror-l2", DEDUP_ETHERNET, 1, 8, 50, 1e-7, 0, 0 },
	{ "moldudp64", DEDUP_UDP, 3, 2, 0, 0, 64, 10000 },
	{ "payload", DEDUP_UDP, 1, 0, 1000, 1e-6, 0, 0 },
	{ "prp", DEDUP_ETHERNET, 2, 6, 0, 0, 16, 10 },
	{ "r-tag", DEDUP_ETHERNET, 5, 2, 0, 0, 16, 20 },
	{ "rtp", DEDUP_UDP, 2, 2, 0, 0, 16, 20 },
	{ "solana-shred", DEDUP_UDP, 1, 2, 120000, 1e-6, 0, 0 },
};

TEST_ROWS(built_in_profile, BUILTIN)
{
	struct profiles all = { 0 };
	const struct profile *p;

	assert_int_equal(profiles_add_builtin(&all), 0);
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
	assert_true(p->fpr == row->fpr && p->origin == PROFILE_BUILTIN && *p->about);
	assert_true(p->needs_to == !strcmp(row->name, "moldudp64"));
	assert_int_equal(p->stream.forwarded, !strncmp(row->name, "mirror", 6));

	profiles_free(&all);
}

TEST(files_are_read)
{
	char path[] = "/tmp/xdp-dedup-profile.XXXXXX";
	struct profiles p = { 0 };
	struct profile_error err;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(profiles_add_file(&p, path, PROFILE_GIVEN, &err), -EINVAL);
	assert_int_equal(err.line, 1);
	sh("printf '" A "id=payload\n' >%s", path);
	assert_int_equal(profiles_add_file(&p, path, PROFILE_GIVEN, &err), 0);
	assert_int_equal(p.cnt, 1);
	sh("yes ';' | head -c %d >%s", PROFILES_FILE_MAX, path);
	assert_int_equal(profiles_add_file(&p, path, PROFILE_GIVEN, &err), -EINVAL);
	sh("yes ';' | head -c %d >%s", PROFILES_FILE_MAX + 1, path);
	assert_int_equal(profiles_add_file(&p, path, PROFILE_GIVEN, &err), -EFBIG);
	assert_int_equal(err.line, 0);
	assert_int_equal(profiles_add_file(&p, "/tmp", PROFILE_GIVEN, &err), -EISDIR);
	unlink(path);
	assert_int_equal(profiles_add_file(&p, path, PROFILE_GIVEN, &err), -ENOENT);
	profiles_free(&p);
}

TEST(names)
{
	assert_true(stream_name_ok("a") && stream_name_ok("A-b_9") && stream_name_ok("9"));
	assert_true(stream_name_ok("0123456789012345678901234567890"));
	assert_false(stream_name_ok("01234567890123456789012345678901"));
	assert_false(stream_name_ok("") || stream_name_ok("-a") || stream_name_ok("_a"));
	assert_false(stream_name_ok("a b") || stream_name_ok("a#") || stream_name_ok("\xe4"));
}

UNIT_MAIN()
