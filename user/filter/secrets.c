// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "secrets.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
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

int secrets_draw(struct dedup_config *cfg)
{
	int err = draw(cfg->key, sizeof(cfg->key));

	for (uint32_t i = 0; i < cfg->streams_cnt && !err; i++) {
		struct dedup_stream *s = &cfg->streams[i];

		/* Streams of one realm have the key of the first of them. */
		for (uint32_t j = 0; j <= i; j++)
			if (cfg->streams[j].realm == s->realm) {
				s->realm_key = cfg->streams[j].realm_key;
				break;
			}
		if (!s->realm_key)
			err = draw(&s->realm_key, sizeof(s->realm_key));
		if (s->digest && !cfg->digest_key[0] && !err)
			err = draw(cfg->digest_key, sizeof(cfg->digest_key));
	}
	return err;
}
