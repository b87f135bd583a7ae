// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stream_ids.h"

#include <errno.h>
#include <string.h>

#include "config_streams.h"
#include "digest.h"
#include "open_filter.h"

#define IPV4_HEADER 20 /* bytes, without options */
#define IPV6_HEADER 40

int stream_select(struct filter *f, const char *name)
{
	int n = stream_number(f->config, name);

	if (n < 0)
		return -ENOENT;
	f->stream = n;
	return 0;
}

size_t stream_input_min(const struct dedup_config *c, uint32_t n)
{
	const struct dedup_stream *s = &c->policy.streams[n];

	if (stream_is_gsp(c, n))
		return 8 * s->words;
	if (s->digest == DEDUP_DIGEST_PACKET)
		return stream_fields_bytes(s) + IPV4_HEADER;
	if (s->digest == DEDUP_DIGEST_FRAME)
		return stream_fields_bytes(s) + DEDUP_DIGEST_HEADER;
	return stream_fields_bytes(s) + (s->digest ? 1 : 0);
}

size_t stream_input_max(const struct dedup_config *c, uint32_t n)
{
	size_t least = stream_input_min(c, n);

	return stream_is_gsp(c, n) || !c->policy.streams[n].digest ? least : least + UINT16_MAX;
}

/* Returns the digest of an IP packet, a payload, or a frame without its VLAN tags, as
 * bpf/digest.bpf.h computes it; 0 if there is none.
 */
static uint64_t digest(const struct dedup_config *c, const struct dedup_stream *s,
		       const uint8_t *bytes, size_t len)
{
	size_t max = dedup_digest_max(s), out = (size_t)s->digest_skip + s->digest_trailer, cnt;
	uint64_t in[DEDUP_DIGEST_WORDS + 1] = { 0 };
	struct dedup_digest d;

	if (s->digest == DEDUP_DIGEST_PACKET &&
	    (len < IPV4_HEADER || (bytes[0] >> 4 == 6 && len < IPV6_HEADER)))
		return 0;
	if (s->digest == DEDUP_DIGEST_FRAME &&
	    len < DEDUP_DIGEST_HEADER + (s->digest_skip ? 0 : (size_t)s->digest_trailer))
		return 0;
	if (len <= out || dedup_digest_is_too_long(len - out, max))
		return 0;
	len -= out;
	cnt = len < max ? len : max;
	memcpy(in, bytes + s->digest_skip, cnt);
	if (s->digest == DEDUP_DIGEST_PACKET && !s->digest_skip)
		dedup_digest_normalize((uint8_t *)in);
	if (s->digest == DEDUP_DIGEST_FRAME && !s->digest_skip) {
		len = dedup_digest_padded(len);
		cnt = dedup_digest_padded(cnt);
	}
	dedup_digest_start(&d, len, (const __u64 *)c->secrets.digest_key);
	for (size_t i = 0; 8 * i < cnt; i++)
		dedup_digest_word(&d, in[i], (const __u64 *)c->secrets.digest_key, i);
	return dedup_digest_end(&d);
}

static int make_fields_id(const struct dedup_config *c, const struct dedup_stream *s,
			  const uint8_t *bytes, size_t len, struct dedup_id *id)
{
	size_t fields = stream_fields_bytes(s), at = 0;

	if (s->digest ? len <= fields : len > fields)
		return -EINVAL;
	for (uint32_t i = 0; i < s->loads_cnt; i++) {
		const struct dedup_load *load = &s->loads[i];
		size_t left = len > at ? len - at : 0;

		memcpy(&id->word[i], bytes + at, left < load->bytes ? left : load->bytes);
		id->word[i] &= load->mask;
		at += load->bytes;
	}
	if (!s->digest)
		return 0;
	id->word[s->loads_cnt] = digest(c, s, bytes + fields, len - fields);
	return id->word[s->loads_cnt] ? 0 : -EINVAL;
}

int stream_make_id(const struct filter *f, const void *bytes, size_t len,
		   uint8_t out[DEDUP_ID_BYTES_MAX])
{
	const struct dedup_config *c = f->config;
	struct dedup_id id = { 0 };
	int err = 0;

	if (f->stream < 0)
		err = -EDESTADDRREQ;
	else if (len > stream_input_max(c, f->stream) ||
		 (c->numbered[f->stream].width && len < stream_input_min(c, f->stream)))
		err = -EINVAL;
	else if (!stream_is_gsp(c, f->stream))
		err = make_fields_id(c, &c->policy.streams[f->stream], bytes, len, &id);
	else if (len)
		memcpy(&id, bytes, len);
	if (err)
		id = (struct dedup_id){ 0 };
	memcpy(out, &id, sizeof(id));
	return err;
}

struct stream_form stream_form_of(const struct dedup_config *c, uint32_t n)
{
	const struct dedup_stream *s = &c->policy.streams[n];
	struct stream_form form = { 0 };

	if (stream_is_gsp(c, n)) {
		for (size_t at = 0, len = stream_input_min(c, n); at < len; at += 8)
			form.bytes[at / 8] = len - at < 8 ? len - at : 8;
		return form;
	}
	for (uint32_t i = 0; i < s->loads_cnt; i++)
		form.bytes[i] = s->loads[i].bytes;
	if (s->digest)
		form.bytes[s->loads_cnt] = sizeof(__u64);
	return form;
}

size_t stream_form_bytes(const struct stream_form *form, const struct dedup_id *id,
			 uint8_t bytes[DEDUP_ID_BYTES_MAX])
{
	size_t len = 0;

	for (uint32_t i = 0; i < DEDUP_ID_WORDS_MAX; i++) {
		memcpy(bytes + len, &id->word[i], form->bytes[i]);
		len += form->bytes[i];
	}
	return len;
}

size_t stream_id_bytes(const struct dedup_config *c, uint32_t n, const struct dedup_id *id,
		       uint8_t bytes[DEDUP_ID_BYTES_MAX])
{
	struct stream_form form = stream_form_of(c, n);

	return stream_form_bytes(&form, id, bytes);
}

int stream_seek(const struct filter *f, const uint8_t *id, struct dedup_id *copy,
		struct dedup_lookup_key *out)
{
	const struct dedup_stream *s;

	if (f->stream < 0)
		return -EDESTADDRREQ;
	s = &f->config->policy.streams[f->stream];
	*out = (struct dedup_lookup_key){
		.id = copy,
		.words = s->words,
		.bytes = s->bytes,
		.realm_key = s->realm_key,
	};
	memset(copy, 0, sizeof(*copy));
	memcpy(copy->byte, id, 8 * out->words);
	if (f->config->numbered[f->stream].width)
		return 0;
	return dedup_is_no_id(copy, out->words) ? -EINVAL : 0;
}
