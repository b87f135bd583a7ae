// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Nats-Msg-Id. Hashes were computed by Python's hmac module:
 * hmac.new(SECRET, REALM + b"\0" + bytes([len(SEGMENTS)]) + SEGMENTS + PAYLOAD, "sha256")
 * with the payload if the stream has a digest, or numbers that come again; if only a part of the
 * payload counts, with that part and its length as 8 bytes.
 */
#include "unit.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include "diags.h"
#include "message_id.h"

static const struct row {
	const char *name, *want;
	const char *realm, *payload;
	struct xdp_dedup_stream stream;
	struct xdp_dedup_identity id;
	bool is_hashed;
} ROWS[] = {
	{ "short", "r:0102abff", .payload = "p", .stream.udp = true, .stream.bytes = 4, .id.len = 4,
	  .id.bytes = "\1\2\xab\xff" },
	{ "another-realm", "feed:0102", .realm = "feed", .payload = "p", .stream.udp = true,
	  .stream.bytes = 2, .id.len = 2, .id.bytes = "\1\2" },
	{ "longest", "r:6162636465666768696a6b6c6d6e6f707172737475767778797a303132333435",
	  .payload = "p", .stream.udp = true, .stream.bytes = 32, .id.len = 32,
	  .id.bytes = "abcdefghijklmnopqrstuvwxyz012345" },
	{ "too-long", "r:@LONG", .payload = "p", .stream.udp = true, .stream.bytes = 33,
	  .id.len = 33, .id.bytes = "abcdefghijklmnopqrstuvwxyz0123456", .is_hashed = true },
	{ "digest", "r:@DIGEST", .payload = "payload", .stream.udp = true, .stream.bytes = 2,
	  .stream.digest = XDP_DEDUP_DIGEST_PAYLOAD, .stream.digest_max = 9216, .id.len = 10,
	  .id.bytes = "\1\2ddddDDDD", .is_hashed = true },
	/* HEP3's header differs in copies, and a trailer does. */
	{ "part-of-a-digest", "r:@DIGEST", .payload = "abcpayloadxy", .stream.udp = true,
	  .stream.bytes = 2, .stream.digest = XDP_DEDUP_DIGEST_PAYLOAD, .stream.digest_skip = 3,
	  .stream.digest_trailer = 2, .stream.digest_max = 9216, .id.len = 10,
	  .id.bytes = "\1\2ddddDDDD", .is_hashed = true },
	/* As the filter does, by its first bytes and by its length. */
	{ "beginning-of-a-digest", "r:@CUT", .payload = "payload and more", .stream.udp = true,
	  .stream.bytes = 2, .stream.digest = XDP_DEDUP_DIGEST_PAYLOAD, .stream.digest_max = 7,
	  .id.len = 10, .id.bytes = "\1\2ddddDDDD", .is_hashed = true },
	{ "number", "r:73657373:18446744073709551615", .payload = "p", .stream.udp = true,
	  .stream.bytes = 12, .stream.number_bytes = 8, .stream.number_bits = 64, .id.len = 12,
	  .id.number = 18446744073709551615ULL, .id.bytes = "sess" },
	{ "count", "r:73657373:7:3", .payload = "p", .stream.udp = true, .stream.bytes = 12,
	  .stream.number_bytes = 8, .stream.number_bits = 64, .stream.has_count = true,
	  .id.len = 12, .id.number = 7, .id.messages = 3, .id.bytes = "sess" },
	{ "laps", "r:73737263:65535:@LAPS", .payload = "rtp", .stream.udp = true, .stream.bytes = 6,
	  .stream.number_bytes = 2, .stream.number_bits = 16, .id.len = 6, .id.number = 65535,
	  .id.bytes = "ssrc\xff\xff", .is_hashed = true },
	{ "laps-of-a-long-source", "r:@WIDE", .payload = "rtp", .stream.udp = true, .stream.bytes = 35,
	  .stream.number_bytes = 2, .stream.number_bits = 16, .id.len = 35, .id.number = 65535,
	  .id.bytes = "abcdefghijklmnopqrstuvwxyz0123456\xff\xff", .is_hashed = true },
};

static const char SECRET[] = "0123456789abcdef0123456789abcdef";

/* A file with the secret, or with so many of its bytes. */
static char *write_secret(mode_t mode, size_t len)
{
	static char path[] = "/tmp/message_id_test.XXXXXX";
	int fd;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, SECRET, len), len);
	fchmod(fd, mode);
	close(fd);
	return path;
}

static struct message_secret read_secret_file(void)
{
	struct message_secret s = { 0 };
	char *path = write_secret(0600, 32);

	assert_int_equal(message_secret_read(path, &s), 0);
	unlink(path);
	return s;
}

static const char *expand(const char *want, char out[MESSAGE_ID_MAX])
{
	static const struct {
		const char *name, *hex;
	} HASHES[] = {
		{ "@LONG", "6d9ffa39a98078eb4c4370fc69578a62" },
		{ "@DIGEST", "6351eb1bbf951bbf7f995aa2b0c5fce9" },
		{ "@CUT", "0830356baa9fc81e972a4b4eb7535c5a" },
		{ "@WIDE", "6c71f6f70c05b8ea039b14b817ed3dce" },
		{ "@LAPS", "ad21bff6446364dd64ae4a98b3ee1326" },
	};
	const char *at = strchr(want, '@');

	strcpy(out, want);
	for (size_t i = 0; at && i < ARRAY_SIZE(HASHES); i++)
		if (!strcmp(at, HASHES[i].name))
			strcpy(out + (at - want), HASHES[i].hex);
	return out;
}

TEST_ROWS(id_of_row, ROWS)
{
	const struct message_event e = { &row->id, row->payload, strlen(row->payload) };
	struct message_secret secret = read_secret_file();
	char out[MESSAGE_ID_MAX], want[MESSAGE_ID_MAX];

	assert_null(message_id_obstacle(&row->stream));
	assert_int_equal(message_id_is_hashed(&row->stream), row->is_hashed);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(message_id_write(&row->stream, row->realm ?: "r", &secret, &e, out),
				 0);
		assert_string_equal(out, expand(row->want, want));
	}
	message_secret_free(&secret);
}

/* Without a hash all events would have one id. */
TEST(hash_fails)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	struct message_secret no_key = { .mac = EVP_MAC_CTX_new(hmac) };
	char out[MESSAGE_ID_MAX];

	assert_non_null(no_key.mac);
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		const struct row *row = &ROWS[i];
		const struct message_event e = { &row->id, row->payload, strlen(row->payload) };

		assert_int_equal(message_id_write(&row->stream, row->realm ?: "r", &no_key, &e, out),
				 row->is_hashed ? -EIO : 0);
	}
	message_secret_free(&no_key);
	EVP_MAC_free(hmac);
}

/* Of two packets that differ in anything that is not covered by other parts of the id. */
TEST(hashes_differ)
{
	static const struct xdp_dedup_stream STREAM = {
		.udp = true, .bytes = 2, .digest = XDP_DEDUP_DIGEST_PAYLOAD, .digest_max = 9216
	};
	static const struct {
		const char *realm, *segments, *payload;
	} EVENTS[] = {
		{ "a", "12", "x" },  { "b", "12", "x" }, { "a", "13", "x" }, { "a", "12", "y" },
		{ "a", "12", "xx" }, { "a1", "2x", "" }, { "a", "1", "2x" }, { "a", "12", "" },
	};
	char out[ARRAY_SIZE(EVENTS)][MESSAGE_ID_MAX];
	struct message_secret secret = read_secret_file();

	for (size_t i = 0; i < ARRAY_SIZE(EVENTS); i++) {
		struct xdp_dedup_identity id = { .len = 10 };
		const struct message_event e = { &id, EVENTS[i].payload, strlen(EVENTS[i].payload) };

		memcpy(id.bytes, EVENTS[i].segments, strlen(EVENTS[i].segments));
		assert_int_equal(message_id_write(&STREAM, EVENTS[i].realm, &secret, &e, out[i]), 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(strchr(out[i], ':'), strchr(out[j], ':'));
	}
	message_secret_free(&secret);
}

TEST(obstacles)
{
	static const struct xdp_dedup_stream NONE[] = {
		{ .udp = false, .bytes = 4 },
		{ .udp = true, .bytes = 4, .digest = XDP_DEDUP_DIGEST_PACKET },
		{ .udp = true, .bytes = 4, .digest = XDP_DEDUP_DIGEST_FRAME },
		{ .udp = true, .bytes = 4, .needs_frame = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(NONE); i++)
		assert_non_null(message_id_obstacle(&NONE[i]));
}

/* Files with a secret, and what is said of them. */
static const struct secret_file {
	const char *name;
	mode_t mode;
	size_t len;
	int err;
	const char *words;
	uid_t owner; /* 0: this process's user */
} FILES[] = {
	{ "secret-0600", 0600, 32, 0, "", 0 },
	{ "secret-0400", 0400, 32, 0, "", 0 },
	{ "secret-that-a-group-reads", 0640, 32, -EPERM,
	  " can be read or changed by others: chmod 600 it", 0 },
	{ "secret-that-others-write", 0602, 32, -EPERM,
	  " can be read or changed by others: chmod 600 it", 0 },
	{ "secret-of-another-user", 0600, 32, -EPERM, " belongs to another user, who can read",
	  65534 },
	{ "secret-of-another-user-that-others-read", 0604, 32, -EPERM,
	  " belongs to another user, who can read", 65534 },
	{ "secret-of-31-bytes", 0600, 31, -EINVAL, " has 31 bytes, and a secret has 32 to 4096", 0 },
	{ "secret-of-0-bytes", 0600, 0, -EINVAL, " has 0 bytes, and a secret has 32 to 4096", 0 },
};

TEST_ROWS(secret_files, FILES)
{
	char *path = write_secret(row->mode, row->len);
	struct message_secret s = { 0 };

	if (row->owner && chown(path, row->owner, -1)) {
		unlink(path);
		print_message("only root can give files away\n");
		skip();
	}
	diags_collect();
	assert_int_equal(message_secret_read(path, &s), row->err);
	assert_non_null(strstr(diags_end(), row->words));
	if (!row->err)
		assert_string_equal(s.name, "9b85520541438da8");
	message_secret_free(&s);
	unlink(path);
}

TEST(no_secret_files)
{
	struct message_secret s = { 0 };

	diags_collect();
	assert_int_equal(message_secret_read("/tmp", &s), -EPERM);
	assert_non_null(strstr(diags_all(), "/tmp is no regular file"));
	assert_int_equal(message_secret_read("/nowhere/x", &s), -ENOENT);
	diags_end();
}

UNIT_MAIN()
