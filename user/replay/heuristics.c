// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "heuristics.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "integers.h"

/* MoldUDP64 1.00: a session in printable ASCII, a sequence number, a count of messages, and the
 * messages, each after its length.
 */
static bool like_moldudp64(const uint8_t *p, uint32_t have, uint32_t len)
{
	uint32_t at = 20, cnt;

	if (len < at || have < at)
		return false;
	for (uint32_t i = 0; i < 10; i++)
		if (p[i] < 0x20 || p[i] > 0x7e)
			return false;
	cnt = be16(p + 18);
	if (cnt == 0xffff)
		cnt = 0;
	for (; cnt && at + 2 <= have; cnt--)
		at += 2 + be16(p + at);
	return have < len && cnt ? at <= len : at == len && !cnt;
}

/* RFC 3550 5.1: version 2, CSRCs; with P, the last byte is the length of the padding. */
static bool like_rtp(const uint8_t *p, uint32_t have, uint32_t len)
{
	if (len < 12 || have < 12 || p[0] >> 6 != 2)
		return false;
	if (12U + 4U * (p[0] & 15) > len)
		return false;
	return !(p[0] & 0x20) || have < len || (p[len - 1] && p[len - 1] <= len - 12);
}

/* Data and coding shreds have one length each; answers to repairs have 4 more bytes. */
static bool like_shred(const uint8_t *p, uint32_t have, uint32_t len)
{
	(void)p, (void)have;
	return len == 1203 || len == 1228 || len == 1203 + 4 || len == 1228 + 4;
}

/* An RLP list follows hash, signature and type. */
static bool like_discv4(const uint8_t *p, uint32_t have, uint32_t len)
{
	return len >= 99 && len <= 1280 && (have < 99 || (p[97] >= 1 && p[97] <= 6 && p[98] >= 0xc0));
}

static const struct surveyed {
	const char *profile;
	heuristic like;
} SURVEYED[] = {
	{ "discv4", like_discv4 },
	{ "gsp", NULL },
	{ "hsr", NULL },
	{ "mirror", NULL },
	{ "mirror-l2", NULL },
	{ "moldudp64", like_moldudp64 },
	{ "payload", NULL },
	{ "prp", NULL },
	{ "r-tag", NULL },
	{ "rtp", like_rtp },
	{ "solana-shred", like_shred },
};

static const struct surveyed *surveyed(const char *profile)
{
	for (size_t i = 0; i < sizeof(SURVEYED) / sizeof(SURVEYED[0]); i++)
		if (!strcmp(SURVEYED[i].profile, profile))
			return &SURVEYED[i];
	return NULL;
}

bool is_surveyed(const char *profile)
{
	return surveyed(profile);
}

heuristic heuristic_of(const char *profile)
{
	const struct surveyed *s = surveyed(profile);

	return s ? s->like : NULL;
}

const struct path_bits *path_bits_of(const char *profile)
{
	static const struct {
		const char *profile;
		struct path_bits path;
	} PATHS[] = {
		{ "hsr", { DEDUP_TAG, 0, 0xf0 } },
		{ "prp", { DEDUP_END, -4, 0xf0 } },
	};

	for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++)
		if (!strcmp(PATHS[i].profile, profile))
			return &PATHS[i].path;
	return NULL;
}

#define AHEAD_MOST 32 /* the most packets that are lost in a row, or overtaken */

void numbers_add(struct numbers *n, const uint8_t *header)
{
	uint16_t number = be16(header + 2);
	uint32_t ssrc = (uint32_t)be16(header + 8) << 16 | be16(header + 10);
	uint32_t at = (ssrc * 2654435761U) >> 27;
	bool known = n->sources[at].known && n->sources[at].ssrc == ssrc;
	int ahead = known ? abs((int16_t)(number - n->sources[at].last)) : 0;

	if (known && ahead && ahead <= AHEAD_MOST)
		n->go_on++;
	else if (known)
		n->jump++;
	n->sources[at].ssrc = ssrc;
	n->sources[at].last = number;
	n->sources[at].known = 1;
}
