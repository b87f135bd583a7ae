// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "field.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
#define CHARS_SHOWN 40 /* characters of a text that messages repeat */
#define NUMBER_DIGITS_MAX 6
#define IPV4_HEADER_MAX 60 /* its checksum covers all bytes */
#define TAG_ETHERTYPE 2	   /* bytes before the base `tag` */

/* Consecutive bytes, as a profile gives them. */
struct segment {
	enum dedup_base base;
	int32_t offset;			  /* from the base; below 0 from the end */
	uint32_t bytes;			  /* 1 to DEDUP_ID_BYTES_MAX */
	bool little;			  /* its first byte is the least significant one */
	uint8_t mask[DEDUP_ID_BYTES_MAX]; /* the packet's first byte first */
};

static const char *const BASES[DEDUP_BASES] = {
	[DEDUP_FRAME] = "frame",     [DEDUP_TAG] = "tag", [DEDUP_NETWORK] = "ip",
	[DEDUP_PAYLOAD] = "payload", [DEDUP_END] = "end", [DEDUP_OUTER] = "outer",
};

/* Writes an error about this character of the text. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int scan_fail(struct scan *s, const char *at,
							   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->says, sizeof(s->says), format, args);
	va_end(args);
	s->at = at;
	return -EINVAL;
}

void scan_blanks(struct scan *s)
{
	s->at += strspn(s->at, BLANKS);
}

/* Returns the number of characters up to the next blank, but at most what a message repeats. */
static int shown(const char *at)
{
	size_t len = strcspn(at, BLANKS);

	return len < CHARS_SHOWN ? (int)len : CHARS_SHOWN;
}

static int scan_number(struct scan *s, const char *what, uint32_t max, uint32_t *out)
{
	size_t digits = strspn(s->at, "0123456789");
	unsigned long value;

	if (!digits)
		return scan_fail(s, s->at, "%s is missing here: a decimal number", what);
	value = digits > NUMBER_DIGITS_MAX ? UINT32_MAX : strtoul(s->at, NULL, 10);
	if (value > max)
		return scan_fail(s, s->at, "%s is at most %u", what, max);
	s->at += digits;
	*out = value;
	return 0;
}

int scan_hex(struct scan *s, const char *what, uint8_t *out, uint32_t bytes)
{
	const char *start = s->at;
	size_t digits;

	if (strncmp(start, "0x", 2))
		return scan_fail(s, start, "%s is written in hex, as 0x0f", what);
	digits = strspn(start + 2, "0123456789abcdefABCDEF");
	if (digits != 2 * bytes)
		return scan_fail(s, start, "%s of %u byte%s has %u hex digits, and this has %zu",
				 what, bytes, bytes == 1 ? "" : "s", 2 * bytes, digits);
	for (uint32_t i = 0; i < bytes; i++) {
		char byte[3] = { start[2 + 2 * i], start[3 + 2 * i], 0 };

		out[i] = strtoul(byte, NULL, 16);
	}
	s->at = start + 2 + digits;
	return 0;
}

static int scan_base(struct scan *s, enum dedup_base *out)
{
	size_t len = 0;

	while (isalpha((unsigned char)s->at[len]))
		len++;
	for (int i = 0; i < DEDUP_BASES; i++) {
		if (strlen(BASES[i]) == len && !memcmp(BASES[i], s->at, len)) {
			s->at += len;
			*out = i;
			return 0;
		}
	}
	return scan_fail(
		s, s->at,
		"a field begins with frame, tag, ip, payload, end or outer, as in payload+0:4");
}

/* Checks that a frame can have the segment's bytes. sign: that of its offset. */
static int check_extent(struct scan *s, const char *start, const struct segment *g, char sign)
{
	int len = shown(start);

	if (g->base == DEDUP_END && sign == '+')
		return scan_fail(s, start,
				 "%.*s lies behind the frame's end: it is end-OFFSET:LENGTH", len,
				 start);
	if (g->base == DEDUP_END && g->offset + (int32_t)g->bytes > 0)
		return scan_fail(s, start, "%.*s goes on behind the frame's end", len, start);
	if (g->base == DEDUP_FRAME && sign == '-')
		return scan_fail(s, start, "%.*s %s before the frame begins", len, start,
				 g->offset + (int32_t)g->bytes > 0 ? "begins" : "ends");
	if (g->base == DEDUP_OUTER && sign == '-')
		return scan_fail(s, start, "%.*s lies before the tunnel's header", len, start);
	if (g->base == DEDUP_TAG && g->offset >= -TAG_ETHERTYPE)
		sign = '+'; /* the EtherType, which all frames have */
	if (g->base != DEDUP_END && sign == '-')
		return scan_fail(s, start, "%.*s: what is before %s counts from the frame's front",
				 len, start, BASES[g->base]);
	if (g->base != DEDUP_END && g->offset + (int32_t)g->bytes > FIELD_MAX)
		return scan_fail(s, start, "%.*s ends behind %d bytes, the longest frame", len,
				 start, FIELD_MAX);
	return 0;
}

/* Reverses bytes in place. */
static void reverse(uint8_t *bytes, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt / 2; i++) {
		uint8_t byte = bytes[i];

		bytes[i] = bytes[cnt - 1 - i];
		bytes[cnt - 1 - i] = byte;
	}
}

static int scan_mask(struct scan *s, struct segment *out)
{
	static const uint8_t none[DEDUP_ID_BYTES_MAX];
	const char *start = s->at;

	memset(out->mask, 0xff, out->bytes);
	if (*start != '/')
		return 0;
	s->at++;
	if (scan_hex(s, "a mask", out->mask, out->bytes))
		return -EINVAL;
	if (!memcmp(out->mask, none, out->bytes))
		return scan_fail(s, start + 1, "this mask leaves nothing of the segment");
	if (out->little)
		reverse(out->mask, out->bytes);
	return 0;
}

/* Reads a segment of at most `max` bytes. limit: a sentence about that maximum. */
static int scan_segment(struct scan *s, uint32_t max, const char *limit, struct segment *out)
{
	const char *start = s->at;
	uint32_t offset = 0;
	char sign;

	*out = (struct segment){ 0 };
	if (scan_base(s, &out->base))
		return -EINVAL;
	sign = *s->at;
	if (sign != '+' && sign != '-')
		return scan_fail(s, s->at, "a segment is %s%sOFFSET:LENGTH", BASES[out->base],
				 out->base == DEDUP_END ? "-" : "+");
	s->at++;
	if (scan_number(s, "an offset", FIELD_MAX, &offset))
		return -EINVAL;
	out->offset = sign == '-' ? -(int32_t)offset : (int32_t)offset;
	if (*s->at != ':')
		return scan_fail(s, s->at, "the length is missing: a segment is %s%cOFFSET:LENGTH",
				 BASES[out->base], sign);
	s->at++;
	if (scan_number(s, "a length", FIELD_MAX, &out->bytes))
		return -EINVAL;
	if (out->bytes < 1 || out->bytes > max)
		return scan_fail(s, start, "%s, and %.*s has %u", limit, shown(start), start,
				 out->bytes);
	if (check_extent(s, start, out, sign))
		return -EINVAL;
	out->little = !strncmp(s->at, "le", 2);
	if (out->little)
		s->at += 2;
	return scan_mask(s, out);
}

/* Returns a word that has these bytes, up to 8, in their order, and then zeros. */
static uint64_t word_of(const uint8_t *from, uint32_t bytes)
{
	uint64_t word = 0;

	for (uint32_t i = 0; i < bytes; i++)
		word |= (uint64_t)from[i] << 8 * i;
	return word;
}

/* Makes a load of up to 8 bytes of the segment, from byte `first` on. */
static struct dedup_load load_of(const struct segment *g, uint32_t first)
{
	uint32_t bytes = g->bytes - first < 8 ? g->bytes - first : 8;
	int32_t offset = g->offset + (int32_t)first, at = offset + (int32_t)bytes - 8;
	uint32_t before = 8 - bytes; /* bytes that are read before the segment's */

	if (g->base == DEDUP_FRAME && at < 0) {
		at = 0;
		before = (uint32_t)offset;
	} else if (g->base == DEDUP_END && offset <= -8) {
		at = offset;
		before = 0;
	}
	return (struct dedup_load){
		.mask = word_of(g->mask + first, bytes),
		.at = at,
		.base = g->base,
		.shift = 8 * before,
		.bytes = bytes,
	};
}

int scan_gate(struct scan *s, struct dedup_gate *out)
{
	const char *start;
	struct segment g;
	uint8_t value[8];

	if (scan_segment(s, 8, "a gate compares 1 to 8 bytes", &g))
		return -EINVAL;
	scan_blanks(s);
	if (strncmp(s->at, "==", 2) && strncmp(s->at, "!=", 2))
		return scan_fail(s, s->at, "== or != comes here, and then a value");
	*out = (struct dedup_gate){ .equal = *s->at == '=' };
	s->at += 2;
	scan_blanks(s);
	start = s->at;
	if (scan_hex(s, "a value", value, g.bytes))
		return -EINVAL;
	if (g.little)
		reverse(value, g.bytes);
	out->load = load_of(&g, 0);
	out->value = word_of(value, g.bytes);
	if (out->value & ~out->load.mask)
		return scan_fail(
			s, start,
			"this value has bits that the mask takes away: it can never be equal");
	scan_blanks(s);
	if (*s->at)
		return scan_fail(s, s->at, "nothing comes behind a gate's value");
	return 0;
}

/* Fills in bits and shift. Returns false if the mask has gaps. */
static bool measure_integer(struct field_integer *i)
{
	uint64_t mask = i->little ? i->load.mask : __builtin_bswap64(i->load.mask);

	i->bits = __builtin_popcountll(mask);
	i->shift = __builtin_ctzll(mask);
	return mask >> i->shift == UINT64_MAX >> (64 - i->bits);
}

int scan_integer(struct scan *s, const char *what, struct field_integer *out)
{
	const char *start = s->at;
	char limit[FIELD_SAYS_MAX];
	struct segment g;

	snprintf(limit, sizeof(limit), "%s has 1 to 8 bytes", what);
	if (scan_segment(s, 8, limit, &g))
		return -EINVAL;
	scan_blanks(s);
	if (*s->at)
		return scan_fail(s, s->at, "%s is one segment", what);
	*out = (struct field_integer){ .load = load_of(&g, 0), .little = g.little };
	if (!measure_integer(out))
		return scan_fail(s, start, "the mask of %s has no gaps", what);
	return 0;
}

/* Returns the length of a digest's name here, and which digest it is; 0 if there is none: a
 * segment's name is followed by + or -.
 */
static size_t digest_at(const char *at, enum dedup_digest_of *of)
{
	size_t len = strcspn(at, BLANKS ":[");

	*of = len == 5 && !memcmp(at, "frame", 5)     ? DEDUP_DIGEST_FRAME
	      : len == 6 && !memcmp(at, "packet", 6)  ? DEDUP_DIGEST_PACKET
	      : len == 7 && !memcmp(at, "payload", 7) ? DEDUP_DIGEST_PAYLOAD
						      : DEDUP_DIGEST_NONE;
	return *of == DEDUP_DIGEST_NONE ? 0 : len;
}

/* Checks that the id has room for `more` words. */
static int check_words(struct scan *s, const char *start, const struct dedup_stream *st, uint32_t more)
{
	uint32_t words = st->loads_cnt + (st->digest != DEDUP_DIGEST_NONE) + more;

	if (words <= DEDUP_ID_WORDS_MAX)
		return 0;
	return scan_fail(
		s, start,
		"with this the id takes %u words, at most %d: each 8 bytes of a segment, or what is left of it, take one, and so does a digest",
		words, DEDUP_ID_WORDS_MAX);
}

/* The fewest bytes that a digest may be limited to. */
static const struct {
	uint32_t bytes;
	const char *says;
} LEAST[] = {
	[DEDUP_DIGEST_PAYLOAD] = { 1, "" },
	[DEDUP_DIGEST_PACKET] = { IPV4_HEADER_MAX, "s, the longest IPv4 header" },
	[DEDUP_DIGEST_FRAME] = { DEDUP_DIGEST_FRAME_LEAST, "s, the shortest frame" },
};

/* Reads MAX of a digest. */
static int scan_digest_max(struct scan *s, uint32_t least, const char *why, uint32_t *out)
{
	const char *start = s->at;

	if (scan_number(s, "a digest's length", DEDUP_DIGEST_MAX, out))
		return -EINVAL;
	if (*out < least)
		return scan_fail(s, start, "this digest takes at least %u byte%s", least, why);
	return 0;
}

/* Reads the part of a digest: "[OFFSET:MAX]" or "[OFFSET:-TRAILER]". Each number may be missing. */
static int scan_digest_part(struct scan *s, enum dedup_digest_of of, struct dedup_stream *st,
			    uint32_t *max)
{
	const char *start = ++s->at;
	uint32_t skip = 0, trailer = 0;

	if (*s->at != ':' && scan_number(s, "an offset", FIELD_MAX, &skip))
		return -EINVAL;
	if (skip && skip < DEDUP_DIGEST_SKIP_LEAST && of != DEDUP_DIGEST_PAYLOAD)
		return scan_fail(s, start, "here an offset is 0, or at least %d",
				 DEDUP_DIGEST_SKIP_LEAST);
	if (*s->at != ':')
		return scan_fail(s, s->at, "a part is [OFFSET:MAX] or [OFFSET:-LENGTH]");
	s->at++;
	if (*s->at == '-') {
		s->at++;
		if (scan_number(s, "a trailer's length", FIELD_MAX, &trailer))
			return -EINVAL;
	} else if (*s->at != ']' &&
		   scan_digest_max(s, skip ? 1 : LEAST[of].bytes, skip ? "" : LEAST[of].says, max)) {
		return -EINVAL;
	}
	if (*s->at != ']')
		return scan_fail(s, s->at, "a ] is missing here");
	s->at++;
	st->digest_skip = skip;
	st->digest_trailer = trailer;
	return 0;
}

static int scan_digest(struct scan *s, size_t len, enum dedup_digest_of of, struct dedup_stream *st)
{
	const char *start = s->at;
	uint32_t max = DEDUP_DIGEST_MAX;

	if (st->digest != DEDUP_DIGEST_NONE)
		return scan_fail(s, start, "an id has one digest, payload, packet or frame");
	if (check_words(s, start, st, 1))
		return -EINVAL;
	s->at += len;
	if (*s->at == '[') {
		if (scan_digest_part(s, of, st, &max))
			return -EINVAL;
	} else if (*s->at == ':') {
		s->at++;
		if (scan_digest_max(s, LEAST[of].bytes, LEAST[of].says, &max))
			return -EINVAL;
	}
	st->digest = of;
	st->digest_max = max | (st->digest_skip || st->digest_trailer ? DEDUP_DIGEST_PART : 0);
	return DEDUP_BASES;
}

static int scan_id_segment(struct scan *s, struct field_id *id)
{
	struct dedup_stream *st = id->stream;
	const char *start = s->at;
	struct segment g;

	if (id->segments == FIELD_SEGMENTS_MAX)
		return scan_fail(s, start, "an id has at most %d segments", FIELD_SEGMENTS_MAX);
	if (scan_segment(s, DEDUP_ID_BYTES_MAX, "an id has 1 to 64 bytes", &g))
		return -EINVAL;
	if (g.little)
		return scan_fail(s, start, "le is for sequence, count, require and exempt");
	if (id->bytes + g.bytes > DEDUP_ID_BYTES_MAX)
		return scan_fail(s, start, "with this the id has %u bytes, at most %d",
				 id->bytes + g.bytes, DEDUP_ID_BYTES_MAX);
	if (check_words(s, start, st, (g.bytes + 7) / 8))
		return -EINVAL;
	for (uint32_t first = 0; first < g.bytes; first += 8)
		st->loads[st->loads_cnt++] = load_of(&g, first);
	id->segments++;
	id->bytes += g.bytes;
	return (int)g.base;
}

int scan_id_part(struct scan *s, struct field_id *id)
{
	enum dedup_digest_of of;
	size_t digest = digest_at(s->at, &of);
	int what = digest ? scan_digest(s, digest, of, id->stream) : scan_id_segment(s, id);

	if (what >= 0 && *s->at && !strchr(BLANKS, *s->at))
		return scan_fail(s, s->at, "a blank comes between the parts of an id");
	return what;
}
