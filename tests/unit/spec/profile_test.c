// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles: from text to what is compiled, or to what is wrong, and where; names and files of
 * profiles; those that are built in.
 */
#include "unit.h"

#include "numbering.h"
#include "profile.h"

#define ALL UINT64_MAX

/* The first lines of a profile, for each layer; and an id. */
#define A "[profile a]\nlayer = udp\n"
#define IP "[profile a]\nlayer = ip\n"
#define ETH "[profile a]\nlayer = ethernet\n"
#define ID "id = payload+0:8\n"

/* Returns what profiles_parse() returns, and prints its error into `says`: LINE:COLUMN: TEXT. */
static int parse_as(struct profiles *p, const char *text, enum profile_origin origin, char *says,
		    size_t size)
{
	struct profile_error err = { 0 };
	int result = profiles_parse(p, text, strlen(text), origin, &err);

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

/* What is wrong, and where: LINE:COLUMN. */
#define LONG "0123456789012345678901234567890123456789"

static const struct {
	const char *text, *says;
} BAD[] = {
	{ "", "1:1: there is no [profile NAME] here" },
	{ " layer = udp\n", "1:2: keys come behind a section [profile NAME]" },
	{ A ID " nonsense\n", "4:2: a line is a section, KEY = VALUE, or begins with ; as a comment" },
	{ A ID "  colour = red\n", "4:3: there is no key colour" },
	{ "\n [profile a\nlayer = udp\n", "2:2: a section is [profile NAME]" },
	{ "[filter a]\nlayer = udp\n", "1:1: a section is [profile NAME]" },
	{ "[profile ]\nlayer = udp\n",
	  "1:1:  is no name: 1 to 31 letters, digits, - and _, the first one no - or _" },
	{ "[profile a=b]\nlayer = udp\n", "1:1: a=b is no name: 1 to 31 letters" },
	{ "[profile " LONG "]\nlayer = udp\n", "1:1: 01234567890123456789012345678901 is no name" },
	{ A ID A ID, "4:1: there is a profile a already" },
	{ "[profile a] id = payload\nlayer = udp\n", "1:13: nothing comes behind a section's ]" },
	{ "[profile a]\n\n[profile b]\nlayer = udp\n" ID, "1:1: this section is empty" },
	{ A ID "  [profile b]\n", "4:3: this section is empty" },
	{ "[profile gsp]\nlayer = udp\n" ID, "1:1: gsp stays the built-in one: take another name" },
	{ "\n[profile a]\n" ID, "2:1: the layer is missing: udp, ip or ethernet" },
	{ "[profile a]\nlayer = tcp\n", "2:9: layer is udp, ip or ethernet" },
	{ "[profile a]\nlayer =\n", "2:6: layer is udp, ip or ethernet" },
	{ A "window = 1s\n", "1:1: the id is missing, as in: id = payload+0:8; or a sequence" },
	{ A ID "[profile b]\nlayer = udp\n[profile c]\nlayer = udp\n" ID, "4:1: the id is missing" },
	{ A "id = \n", "3:3: an id is missing here" },
	{ A "decoder = gsp\n", "3:11: only the built-in profile gsp has a decoder" },
	{ A "id = pay\x1bload\n", "3:9: a control character" },
	{ A "; " LONG LONG LONG LONG LONG "\n", "3:191: a line has at most 190 characters" },
	{ A "about = " LONG LONG "\n", "3:9: about has at most 79 characters" },
	{ A "id = udp+0:4\n", "3:6: a field begins with frame, tag, ip, payload, end or outer" },
	{ A "id = payload+0:4 foo+0:4\n", "3:18: a field begins with frame" },
	{ A "id = ip\n", "3:8: a segment is ip+OFFSET:LENGTH" },
	{ A "id = end\n", "3:9: a segment is end-OFFSET:LENGTH" },
	{ A "id = payload/0xff\n", "3:13: a segment is payload+OFFSET:LENGTH" },
	{ A "id = payload+:4\n", "3:14: an offset is missing here" },
	{ A "id = payload+0x10:4\n", "3:15: the length is missing" },
	{ A "id = payload+9217:1\n", "3:14: an offset is at most 9216" },
	{ A "id = end-4\n", "a segment is end-OFFSET:LENGTH" },
	{ A "id = payload+4:\n", "3:16: a length is missing here" },
	{ A "id = payload+4:0\n", "3:6: an id has 1 to 64 bytes, and payload+4:0 has 0" },
	{ A "id = payload+4:65\n", "3:6: an id has 1 to 64 bytes, and payload+4:65 has 65" },
	{ A "id = payload+4:4294967297\n", "3:16: a length is at most 9216" },
	{ A "id = frame-8:4\n", "3:6: frame-8:4 ends before the frame begins" },
	{ A "id = frame-2:4\n", "3:6: frame-2:4 begins before the frame begins" },
	{ ETH "id = tag-3:2\n", "3:6: tag-3:2: what is before tag counts from the frame's front" },
	{ IP "id = ip-2:2\n", "3:6: ip-2:2: what is before ip counts from the frame's front" },
	{ A "id = end+2:1\n", "3:6: end+2:1 lies behind the frame's end" },
	{ A "id = end-2:4\n", "3:6: end-2:4 goes on behind the frame's end" },
	{ A "id = end-0:1\n", "3:6: end-0:1 goes on behind the frame's end" },
	{ A "id = payload+9216:1\n", "3:6: payload+9216:1 ends behind 9216 bytes, the longest frame" },
	{ A "id = payload+0:33 payload+33:33\n", "3:19: with this the id has 66 bytes, at most 64" },
	{ A "id = payload+0:33\nid = payload+33:33\n",
	  "4:6: with this the id has 66 bytes, at most 64" },
	{ A "id = payload+0:17 payload+20:17 payload+40:17\n",
	  "3:33: with this the id takes 9 words, at most 8" },
	{ A "id = payload+0:64 payload\n", "3:19: with this the id takes 9 words, at most 8" },
	{ A "id = payload+0:1 payload+2:1 payload+4:1 payload+6:1 payload+8:1\n",
	  "3:54: an id has at most 4 segments" },
	{ A "id = payload payload:4\n", "3:14: an id has one digest" },
	{ A "id = payload:0\n", "3:14: this digest takes at least 1 byte" },
	{ IP "id = packet:59\n",
	  "3:13: this digest takes at least 60 bytes, the longest IPv4 header" },
	{ ETH "id = frame:59\n", "3:12: this digest takes at least 60 bytes, the shortest frame" },
	{ A "id = payload:9217\n", "3:14: a digest's length is at most 9216" },
	{ A "id = payload+0:4,payload+4:4\n", "3:17: a blank comes between the parts of an id" },
	{ A "id = payload+0:1/12\n", "3:18: a mask is written in hex, as 0x0f" },
	{ A "id = payload+0:2/0xff\n", "3:18: a mask of 2 bytes has 4 hex digits, and this has 2" },
	{ A "id = payload+0:2/0x0000\n", "3:18: this mask leaves nothing of the segment" },
	{ A "require = payload+0:9 == 0x010203040506070809\n",
	  "3:11: a gate compares 1 to 8 bytes, and payload+0:9 has 9" },
	{ A "require = payload+0:1\n", "3:22: == or != comes here" },
	{ A "require = payload+0:1 ==\n", "3:25: a value is written in hex" },
	{ A "exempt = payload+0:1/0xf0 == 0x18\n",
	  "3:30: this value has bits that the mask takes away: it can never be equal" },
	{ A "exempt = payload+0:1 == 0x18 0x19\n", "3:30: nothing comes behind" },
	{ A "require = payload == 0x18\n", "3:18: a segment is payload+OFFSET" },
	{ A "require = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\nrequire = ip+0:1 == 0x01\n"
	    "require = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n"
	    "exempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\nexempt = ip+0:1 == 0x01\n",
	  "11:10: require and exempt are at most 8 together" },
	{ IP "id = ip+0:4 payload+0:4\n", "3:13: only layer udp has a payload" },
	{ "[profile a]\nid = payload+0:4\nlayer = ethernet\n", "2:6: only layer udp has a payload" },
	{ ETH "id = frame+0:4\nrequire = ip+0:1 == 0x40\n", "4:11: layer ethernet has no ip header" },
	{ A "id = payload+0:1 packet\n", "3:18: packet is for layer ip" },
	{ A "id = payload+0:1 frame\n", "3:18: frame as a whole is for layer ethernet" },
	{ A ID "ethertype = 0x0800\n", "4:13: ethertype is for layer ethernet" },
	{ IP "id = packet\nports = 80\n", "4:9: ports are for layer udp" },
	{ ETH "id = frame+0:4\nneeds = destination\n", "4:9: layer ethernet has no destinations" },
	{ ETH "ethertype = 0x800\n", "3:13: an EtherType is written with 4 hex digits, as 0x88fb" },
	{ ETH "ethertype = 0x05ff\n", "3:13: EtherTypes begin at 0x0600" },
	{ ETH "ethertype = 0x8100\n", "3:13: the EtherType is the one behind any" },
	{ A "sequence = payload+0:9\n",
	  "3:12: a sequence number has 1 to 8 bytes, and payload+0:9 has 9" },
	{ A "sequence = payload+0:1/0x7f\n", "3:12: a sequence number has at least 8 bits" },
	{ A "sequence = payload+0:2/0xf0ff\n", "3:12: the mask of a sequence number has no gaps" },
	{ A "sequence = payload\n", "3:19: a segment is payload+OFFSET:LENGTH" },
	{ A "sequence = payload+0:4\nsequence = payload+0:4\n", "4:1: sequence is there already" },
	{ A ID "sequence = payload+0:4\n", "3:6: a profile has an id, or a sequence with a source" },
	{ A "learn = app\nsequence = payload+0:4\n",
	  "3:9: an application teaches ids, not a sequence: leave out learn" },
	{ A "source = payload+0:33\nsequence = payload+0:5\n",
	  "3:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ A "source = payload+0:25\nsequence = payload+0:6/0x01ffffffffff\n",
	  "3:10: here a source is of at most 3 words of 8 bytes, and no digest" },
	{ A "sequence = payload+0:4\nsource = payload+4:4 payload\n",
	  "4:10: here a source is of at most 4 words of 8 bytes, and no digest" },
	{ A "source = payload+0:8\n", "3:10: source is for a profile with a sequence" },
	{ A ID "count = payload+0:2\n", "4:9: count is for a profile with a sequence" },
	{ A ID "history = 1000\n", "4:11: history is for a profile with a sequence" },
	{ A ID "reset = 1s\n", "4:9: reset is for a profile with a sequence" },
	{ A "id = payload[99]\n", "3:16: a part is [OFFSET:MAX] or [OFFSET:-LENGTH]" },
	{ A "id = payload[99:5\n", "3:18: a ] is missing here" },
	{ A "id = payload[99:0]\n", "3:17: this digest takes at least 1 byte" },
	{ IP "id = packet[11:]\n", "3:13: here an offset is 0, or at least 12" },
	{ ETH "id = frame[6:]\n", "3:12: here an offset is 0, or at least 12" },
	{ A "id = payload[9217:]\n", "3:14: an offset is at most 9216" },
	{ A "id = payload[:-9217]\n", "3:16: a trailer's length is at most 9216" },
	{ A "id = payload[3:]+0:4\n", "3:17: a blank comes between the parts of an id" },
	{ A "id = payload+4:4le\n", "3:6: le is for sequence, count, require and exempt" },
	{ A "sequence = payload+0:4\nsource = payload+4:4le\n",
	  "4:10: le is for sequence, count, require and exempt" },
	{ A "sequence = payload+4:4/0x00ffffffle\n", "3:34: a sequence number is one segment" },
	{ A "sequence = payload+4:2le/0x0000\n", "3:26: this mask leaves nothing of the segment" },
	{ A "require = payload+0:2le/0x00ff == 0x0100\n",
	  "3:35: this value has bits that the mask takes away" },
	{ A "sequence = payload+4:4be\n", "3:23: a sequence number is one segment" },
	{ A "count = payload+0:9\n",
	  "3:9: a count of messages has 1 to 8 bytes, and payload+0:9 has 9" },
	{ A "count = payload+0:1 payload+1:1\n", "3:21: a count of messages is one segment" },
	{ A "history = 255\n", "3:11: a history is 256 to 16777184 numbers" },
	{ A "history = 16777185\n", "3:11: a history is 256 to 16777184 numbers" },
	{ A "reset = 9.999ms\n", "3:9: reset is 10ms to 1h" },
	{ A "reset = 3601s\n", "3:9: reset is 10ms to 1h" },
	{ A "sequence = payload+4:4\npartial = maybe\n", "4:11: partial is yes or no" },
	{ A ID "partial = yes\n", "4:11: partial is for a profile with a sequence" },
	{ IP "sequence = ip+4:2\ncount = payload+0:1\n", "4:9: only layer udp has a payload" },
	{ ETH "sequence = ip+4:2\n", "3:12: layer ethernet has no ip header" },
	{ ETH "sequence = tag+0:2\nsource = ip+12:4\n", "4:10: layer ethernet has no ip header" },
	{ A "window = 9ms\n", "3:10: a window is 10ms to 30d" },
	{ A "window = 31d\n", "3:10: a window is 10ms to 30d" },
	{ A "fpr = 1\n", "3:7: fpr is a rate below 1 and at least 1e-18, as 1e-6" },
	{ A "ports = 0\n", "3:9: ports are UDP ports from 1 to 65535" },
	{ A "forwarded = true\n", "3:13: forwarded is yes or no" },
	{ A "needs = port\n", "3:9: what a profile can need is: destination" },
	{ A "learn = kernel\n", "3:9: learn is app, or it is left out" },
};

TEST(error_is_told_with_its_place)
{
	for (size_t i = 0; i < ARRAY_SIZE(BAD); i++) {
		struct profiles p = { 0 };
		char says[512] = "";

		assert_int_equal(profiles_add_builtin(&p), 0);
		if (parse_as(&p, BAD[i].text, PROFILE_GIVEN, says, sizeof(says)) != -EINVAL ||
		    !strstr(says, BAD[i].says))
			fail_msg("of: %s\nsaid: %s\nnot:  %s", BAD[i].text, says, BAD[i].says);
		profiles_free(&p);
	}
}

/* Only built-in texts come so far. */
TEST(decoder_makes_the_id_itself)
{
	static const char *const WITH[] = { "id = payload+0:4\n", "require = payload+0:1 == 0x01\n",
					    "layer = ip\n" };

	for (size_t i = 0; i < ARRAY_SIZE(WITH); i++) {
		struct profiles p = { 0 };
		char text[128], says[512];

		snprintf(text, sizeof(text), "[profile a]\ndecoder = gsp\n%s%s",
			 strstr(WITH[i], "layer") ? "" : "layer = udp\n", WITH[i]);
		assert_int_equal(parse_as(&p, text, PROFILE_BUILTIN, says, sizeof(says)), -EINVAL);
		assert_string_equal(says, "2:11: this decoder is for layer udp, and makes the id");
		profiles_free(&p);
	}
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
