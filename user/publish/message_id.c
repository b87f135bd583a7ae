// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "message_id.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "private_file.h"

#define HEX_BYTES_MAX 32 /* a longer id is hashed */
#define HASH_BYTES 16	 /* of a hash, in an id */
#define NUMBER_MAX 24	 /* bytes of a number with its colon */
#define MAC_BYTES 32

/* Appends bytes in hex, and a 0 byte. Returns the address of the 0. */
static char *write_hex(char *out, const uint8_t *bytes, size_t len)
{
	static const char DIGITS[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*out++ = DIGITS[bytes[i] >> 4];
		*out++ = DIGITS[bytes[i] & 15];
	}
	*out = '\0';
	return out;
}

/* Returns HMAC-SHA-256 with this key; NULL if libcrypto fails. */
static EVP_MAC_CTX *make_mac(const uint8_t *key, size_t len)
{
	char sha256[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, sha256, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *mac = hmac ? EVP_MAC_CTX_new(hmac) : NULL;

	EVP_MAC_free(hmac);
	if (mac && EVP_MAC_init(mac, key, len, params))
		return mac;
	EVP_MAC_CTX_free(mac);
	return NULL;
}

/* A part of the hashed bytes. */
struct part {
	const void *bytes;
	size_t len;
};

/* Hashes these parts, of which the last has no bytes. Returns 0; or -EIO if libcrypto fails. */
static int hash_parts(EVP_MAC_CTX *mac, const struct part *parts, uint8_t hash[MAC_BYTES])
{
	bool good = EVP_MAC_init(mac, NULL, 0, NULL);
	size_t len = 0;

	for (; parts->bytes && good; parts++)
		good = EVP_MAC_update(mac, parts->bytes, parts->len);
	return good && EVP_MAC_final(mac, hash, &len, MAC_BYTES) && len == MAC_BYTES ? 0 : -EIO;
}

int message_secret_read(const char *path, struct message_secret *out)
{
	static const char LABEL[] = "xdp-dedup-publish: name of the secret";
	uint8_t bytes[MESSAGE_SECRET_MAX + 1], hash[MAC_BYTES];
	ssize_t len = private_file_read(path, bytes, sizeof(bytes));

	if (len >= MESSAGE_SECRET_MIN && len <= MESSAGE_SECRET_MAX)
		out->mac = make_mac(bytes, len);
	explicit_bzero(bytes, sizeof(bytes));
	if (len < 0)
		return len;
	if (len < MESSAGE_SECRET_MIN || len > MESSAGE_SECRET_MAX)
		return diag_err(-EINVAL,
				"%s has %zd bytes%s, and a secret has %d to %d" ADVICE
				"head -c 32 /dev/urandom >%s",
				path, len, len > MESSAGE_SECRET_MAX ? " or more" : "",
				MESSAGE_SECRET_MIN, MESSAGE_SECRET_MAX, path);
	if (!out->mac ||
	    hash_parts(out->mac, (const struct part[]){ { LABEL, sizeof(LABEL) }, { 0 } }, hash))
		return diag_err(-EOPNOTSUPP, "libcrypto has no HMAC-SHA-256");
	write_hex(out->name, hash, (MESSAGE_SECRET_NAME_MAX - 1) / 2);
	return 0;
}

void message_secret_free(struct message_secret *s)
{
	EVP_MAC_CTX_free(s->mac);
	s->mac = NULL;
}

const char *message_id_obstacle(const struct xdp_dedup_stream *s)
{
	if (!s->udp)
		return "its packets are no UDP datagrams";
	if (s->needs_frame ||
	    (s->digest != XDP_DEDUP_DIGEST_NONE && s->digest != XDP_DEDUP_DIGEST_PAYLOAD))
		return "its ids depend on more than the UDP payload";
	return NULL;
}

/* Returns whether the stream's numbers wrap and so repeat: those of 64 bits never do. */
static bool numbers_wrap(const struct xdp_dedup_stream *s)
{
	return s->number_bytes && s->number_bits < 64;
}

bool message_id_is_hashed(const struct xdp_dedup_stream *s)
{
	return s->digest != XDP_DEDUP_DIGEST_NONE || s->bytes > HEX_BYTES_MAX || numbers_wrap(s);
}

/* Returns the bytes of the payload by which, and by whose number, copies are recognized: those that
 * the filter hashes; all of them if numbers come again; else none. *cnt: their number, before a
 * limit.
 */
static struct part part_of(const struct xdp_dedup_stream *s, const struct message_event *e,
			   uint64_t *cnt)
{
	size_t skip = s->digest_skip < e->len ? s->digest_skip : e->len;
	size_t rest = e->len - skip, trailer = s->digest_trailer < rest ? s->digest_trailer : rest;

	*cnt = s->digest || numbers_wrap(s) ? rest - trailer : 0;
	return (struct part){ (const char *)e->payload + skip,
			      s->digest && *cnt > s->digest_max ? s->digest_max : *cnt };
}

/* Appends the hash of realm, segments and payload in hex. A 0 ends the realm, a length precedes the
 * segments, and one follows a payload that is cut, so different ones never give equal bytes.
 * Returns 0 or -EIO.
 */
static int write_hash(char *out, const char *realm, const struct message_secret *secret,
		      const struct xdp_dedup_stream *s, const struct message_event *e)
{
	uint8_t hash[MAC_BYTES], len = s->bytes;
	uint64_t cnt;
	const struct part part = part_of(s, e, &cnt);
	const struct part parts[] = {
		{ realm, strlen(realm) + 1 },
		{ &len, 1 },
		{ e->id->bytes, s->bytes },
		part,
		{ &cnt, part.len < cnt ? sizeof(cnt) : 0 },
		{ 0 },
	};
	int err;

	cnt = htole64(cnt);
	err = hash_parts(secret->mac, parts, hash);
	if (!err)
		write_hex(out, hash, HASH_BYTES);
	return err;
}

int message_id_write(const struct xdp_dedup_stream *s, const char *realm,
		     const struct message_secret *secret, const struct message_event *e,
		     char out[MESSAGE_ID_MAX])
{
	out = stpcpy(stpcpy(out, realm), MESSAGE_ID_FORMAT == 1 ? ":" : "::");
	if (s->digest != XDP_DEDUP_DIGEST_NONE || s->bytes > HEX_BYTES_MAX)
		return write_hash(out, realm, secret, s, e);
	out = write_hex(out, e->id->bytes, s->bytes - s->number_bytes);
	if (!s->number_bytes)
		return 0;
	out += snprintf(out, NUMBER_MAX, ":%" PRIu64, e->id->number);
	if (s->has_count)
		out += snprintf(out, NUMBER_MAX, ":%u", e->id->messages);
	if (!numbers_wrap(s))
		return 0;
	*out++ = ':';
	return write_hash(out, realm, secret, s, e);
}
