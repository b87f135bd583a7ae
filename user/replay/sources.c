// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sources.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "flow.h"
#include "siphash.h"

#define ADDRESS_WORDS 3 /* `address` and `bytes` of a source */

struct sources {
	struct source *slots; /* open addressing; bytes 0 and packets 0: unused */
	uint32_t slots_cnt;   /* a power of 2, at most three quarters used */
	uint32_t used;
	struct source others;
	uint32_t key[4];
};

static struct source source_at(const uint8_t *from, uint32_t bytes)
{
	struct source s = { .bytes = bytes };

	memcpy(s.address, from, bytes);
	return s;
}

/* Returns the frame's source, with packets and duplicates 0. */
static struct source source_of(const struct flow *f, const uint8_t *frame, uint32_t len)
{
	if (f->ipv4 || f->ipv6)
		return source_at(f->from, f->ipv4 ? 4 : 16);
	return len < sizeof(struct ether_header) ? (struct source){ 0 } : source_at(frame + 6, 6);
}

const char *source_text(const struct source *s, char text[SOURCE_TEXT_MAX])
{
	const uint8_t *a = s->address;

	if (s->bytes == 6)
		snprintf(text, SOURCE_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", a[0], a[1], a[2],
			 a[3], a[4], a[5]);
	else if (!s->bytes ||
		 !inet_ntop(s->bytes == 4 ? AF_INET : AF_INET6, a, text, SOURCE_TEXT_MAX))
		snprintf(text, SOURCE_TEXT_MAX, "unknown");
	return text;
}

struct sources *sources_open(void)
{
	struct sources *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->slots_cnt = 64;
	s->slots = calloc(s->slots_cnt, sizeof(*s->slots));
	if (s->slots && getrandom(s->key, sizeof(s->key), 0) == sizeof(s->key))
		return s;
	sources_close(s);
	return NULL;
}

void sources_close(struct sources *s)
{
	if (s)
		free(s->slots);
	free(s);
}

/* Returns the slot of this source, or the unused slot for it. */
static struct source *find_source(struct source *slots, uint32_t cnt, const uint32_t *key,
				  const struct source *of)
{
	__u64 words[ADDRESS_WORDS], i;

	memcpy(words, of, sizeof(words));
	for (i = dedup_siphash(words, ADDRESS_WORDS, key, 0);; i++) {
		struct source *slot = &slots[i & (cnt - 1)];

		if (!slot->packets || !memcmp(slot, of, sizeof(words)))
			return slot;
	}
}

static int grow_slots(struct sources *s)
{
	uint32_t cnt = 2 * s->slots_cnt;
	struct source *slots = calloc(cnt, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->slots_cnt; i++)
		if (s->slots[i].packets)
			*find_source(slots, cnt, s->key, &s->slots[i]) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->slots_cnt = cnt;
	return 0;
}

int sources_note(struct sources *s, const struct flow *f, const uint8_t *frame, uint32_t len,
		 bool is_duplicate)
{
	struct source of = source_of(f, frame, len), *slot;

	if (s->used >= s->slots_cnt / 4 * 3 && grow_slots(s))
		return -ENOMEM;
	slot = find_source(s->slots, s->slots_cnt, s->key, &of);
	if (!slot->packets && s->used == SOURCES_MAX)
		slot = &s->others;
	else if (!slot->packets) {
		*slot = of;
		s->used++;
	}
	slot->packets++;
	slot->duplicates += is_duplicate;
	return 0;
}

/* Compares duplicates, then addresses, so that equal files give equal lists. */
static bool ranks_before(const struct source *a, const struct source *b)
{
	if (a->duplicates != b->duplicates)
		return a->duplicates > b->duplicates;
	return memcmp(a, b, sizeof(a->address) + sizeof(a->bytes)) < 0;
}

int sources_top(struct sources *s, struct source *out, int max)
{
	int cnt = 0;

	for (uint32_t i = 0; i < s->slots_cnt; i++) {
		const struct source *of = &s->slots[i];
		int at = cnt;

		if (!of->duplicates)
			continue;
		while (at && ranks_before(of, &out[at - 1]))
			at--;
		if (at == max)
			continue;
		cnt += cnt < max;
		memmove(&out[at + 1], &out[at], (cnt - at - 1) * sizeof(*out));
		out[at] = *of;
	}
	return cnt;
}
