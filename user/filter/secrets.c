// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "secrets.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

/* Fills `to` with `bytes` random bytes. */
static int draw(void *to, size_t bytes)
{
	for (size_t have = 0; have < bytes;) {
		ssize_t n = getrandom((char *)to + have, bytes - have, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		have += n > 0 ? n : 0;
	}
	return 0;
}

/* The realm key of the stream with this name; NULL if there is none. In a filter of GSP/1 alone
 * every id is of the realm whose key is 0.
 */
static const __u64 *find_key(const struct dedup_config *from, const struct dedup_stream *s)
{
	static const __u64 NO_KEY;

	if (!from)
		return NULL;
	if (!from->streams_cnt)
		return s->decoder == DEDUP_GSP ? &NO_KEY : NULL;
	for (uint32_t i = 0; i < from->streams_cnt; i++)
		if (!strcmp(from->streams[i].name, s->name))
			return &from->streams[i].realm_key;
	return NULL;
}

/* The key of stream n's realm: of any of its streams that is in *from, or else a new one. */
static int set_realm_key(const struct dedup_config *from, struct dedup_config *cfg, uint32_t n)
{
	struct dedup_stream *s = &cfg->streams[n];
	const __u64 *key = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (cfg->streams[i].realm == s->realm) {
			s->realm_key = cfg->streams[i].realm_key;
			return 0;
		}
	for (uint32_t i = n; i < cfg->streams_cnt && !key; i++)
		if (cfg->streams[i].realm == s->realm)
			key = find_key(from, &cfg->streams[i]);
	if (key) {
		s->realm_key = *key;
		return 0;
	}
	return draw(&s->realm_key, sizeof(s->realm_key));
}

static int set_digest_key(const struct dedup_config *from, struct dedup_config *cfg)
{
	bool digests = false;

	if (from && from->digest_key[0]) {
		memcpy(cfg->digest_key, from->digest_key, sizeof(cfg->digest_key));
		return 0;
	}
	for (uint32_t i = 0; i < cfg->streams_cnt; i++)
		digests |= cfg->streams[i].digest != DEDUP_DIGEST_NONE;
	return digests ? draw(cfg->digest_key, sizeof(cfg->digest_key)) : 0;
}

/* from: NULL, all are drawn. */
static int set_secrets(const struct dedup_config *from, struct dedup_config *cfg)
{
	int err = 0;

	if (from)
		memcpy(cfg->key, from->key, sizeof(cfg->key));
	else
		err = draw(cfg->key, sizeof(cfg->key));
	for (uint32_t i = 0; i < cfg->streams_cnt && !err; i++)
		err = set_realm_key(from, cfg, i);
	return err ? err : set_digest_key(from, cfg);
}

int secrets_draw(struct dedup_config *cfg)
{
	return set_secrets(NULL, cfg);
}

int secrets_take(const struct dedup_config *from, struct dedup_config *cfg)
{
	return set_secrets(from, cfg);
}
