// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "secrets.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "kept.h"
#include "streams.h"

/* Fills `to` with `bytes` random bytes. */
static int draw_random(void *to, size_t bytes)
{
	for (size_t have = 0; have < bytes;) {
		ssize_t n = getrandom((char *)to + have, bytes - have, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		have += n > 0 ? n : 0;
	}
	return 0;
}

/* Returns whether any of the first n streams has this realm key. */
static bool is_realm_key_taken(const struct dedup_config *cfg, uint32_t n, uint64_t key)
{
	for (uint32_t i = 0; i < n; i++)
		if (cfg->policy.streams[i].realm_key == key)
			return true;
	return false;
}

/* Finds the key of the realm that begins with stream n: that of one of its streams in *from, unless
 * an earlier realm has it. Returns true, and *key; or false.
 */
static bool find_key(const struct dedup_config *from, const struct dedup_config *cfg, uint32_t n,
		     __u64 *key)
{
	for (uint32_t i = n; i < cfg->policy.streams_cnt && from; i++) {
		int was = cfg->policy.streams[i].realm == cfg->policy.streams[n].realm
				  ? kept_stream(from, cfg, &cfg->policy.streams[i])
				  : -1;

		if (was < 0 || is_realm_key_taken(cfg, n, from->policy.streams[was].realm_key))
			continue;
		*key = from->policy.streams[was].realm_key;
		return true;
	}
	return false;
}

/* Sets the key of stream n's realm: that of an earlier stream in it, a kept one, or a new one. */
static int set_realm_key(const struct dedup_config *from, struct dedup_config *cfg, uint32_t n)
{
	struct dedup_stream *s = &cfg->policy.streams[n];

	for (uint32_t i = 0; i < n; i++)
		if (cfg->policy.streams[i].realm == s->realm) {
			s->realm_key = cfg->policy.streams[i].realm_key;
			return 0;
		}
	/* A new filter with GSP/1 alone needs no key. */
	if (find_key(from, cfg, n, &s->realm_key) || (!from && dedup_is_gsp(cfg)))
		return 0;
	return draw_random(&s->realm_key, sizeof(s->realm_key));
}

static int set_digest_key(const struct dedup_config *from, struct dedup_config *cfg)
{
	bool digests = false;

	if (from && from->secrets.digest_key[0]) {
		memcpy(cfg->secrets.digest_key, from->secrets.digest_key,
		       sizeof(cfg->secrets.digest_key));
		return 0;
	}
	for (uint32_t i = 0; i < cfg->policy.streams_cnt; i++)
		digests |= cfg->policy.streams[i].digest != DEDUP_DIGEST_NONE;
	return digests ? draw_random(cfg->secrets.digest_key, sizeof(cfg->secrets.digest_key)) : 0;
}

int secrets_set(const struct dedup_config *from, struct dedup_config *cfg)
{
	int err = 0;

	if (from)
		memcpy(cfg->secrets.key, from->secrets.key, sizeof(cfg->secrets.key));
	else
		err = draw_random(cfg->secrets.key, sizeof(cfg->secrets.key));
	for (uint32_t i = 0; i < cfg->policy.streams_cnt && !err; i++)
		err = set_realm_key(from, cfg, i);
	streams_choose_entry(cfg);
	return err ? err : set_digest_key(from, cfg);
}
