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

#define DIGEST(max)                                                                             \
	.stream.bytes = 2, .stream.digest = XDP_DEDUP_DIGEST_PAYLOAD, .stream.digest_max = max, \
	.id.bytes = "\1\2ddddDDDD", .is_hashed = true
#define NUMBER(of_id, bits) \
	.stream.bytes = of_id, .stream.number_bytes = (bits) / 8, .stream.number_bits = bits

static const struct row {
	const char *name, *want;
	const char *realm, *payload; /* NULL: "r", and "p" */
	struct xdp_dedup_stream stream;
	struct xdp_dedup_identity id;
	bool is_hashed;
} ROWS[] = {
	{ "short", "r:0102abff", .stream.bytes = 4, .id.bytes = "\1\2\xab\xff" },
	{ "another-realm", "feed:0102", "feed", .stream.bytes = 2, .id.bytes = "\1\2" },
	{ "longest", "r:6162636465666768696a6b6c6d6e6f707172737475767778797a303132333435",
	  .stream.bytes = 32, .id.bytes = "abcdefghijklmnopqrstuvwxyz012345" },
	{ "too-long", "r:6d9ffa39a98078eb4c4370fc69578a62", .stream.bytes = 33,
	  .id.bytes = "abcdefghijklmnopqrstuvwxyz0123456", .is_hashed = true },
	{ "digest", "r:6351eb1bbf951bbf7f995aa2b0c5fce9", .payload = "payload", DIGEST(9216) },
	/* HEP3's header differs in copies, and a trailer does. */
	{ "part-of-a-digest", "r:6351eb1bbf951bbf7f995aa2b0c5fce9", .payload = "abcpayloadxy",
	  DIGEST(9216), .stream.digest_skip = 3, .stream.digest_trailer = 2 },
	/* As the filter does, by its first bytes and by its length. */
	{ "beginning-of-a-digest", "r:0830356baa9fc81e972a4b4eb7535c5a",
	  .payload = "payload and more", DIGEST(7) },
	{ "number", "r:73657373:18446744073709551615", NUMBER(12, 64),
	  .id.number = 18446744073709551615ULL, .id.bytes = "sess" },
	{ "count", "r:73657373:7:3", NUMBER(12, 64), .stream.has_count = true, .id.number = 7,
	  .id.messages = 3, .id.bytes = "sess" },
	{ "laps", "r:73737263:65535:ad21bff6446364dd64ae4a98b3ee1326", .payload = "rtp",
	  NUMBER(6, 16), .id.number = 65535, .id.bytes = "ssrc\xff\xff", .is_hashed = true },
	{ "laps-of-a-long-source", "r:6c71f6f70c05b8ea039b14b817ed3dce", .payload = "rtp",
	  NUMBER(35, 16), .id.number = 65535,
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

/* Writes the id of a row. */
static int write_id(const struct row *row, const struct message_secret *secret, char *out)
{
	const char *payload = row->payload ?: "p";
	const struct message_event e = { &row->id, payload, strlen(payload) };

	return message_id_write(&row->stream, row->realm ?: "r", secret, &e, out);
}

TEST_ROWS(id_of_row, ROWS)
{
	struct message_secret secret = read_secret_file();
	char out[MESSAGE_ID_MAX];

	assert_int_equal(message_id_is_hashed(&row->stream), row->is_hashed);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(write_id(row, &secret, out), 0);
		assert_string_equal(out, row->want);
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
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		assert_int_equal(write_id(&ROWS[i], &no_key, out), ROWS[i].is_hashed ? -EIO : 0);
	message_secret_free(&no_key);
	EVP_MAC_free(hmac);
}

/* Of two packets that differ in anything that is not covered by other parts of the id. */
TEST(hashes_differ)
{
	static const struct xdp_dedup_stream STREAM = { .bytes = 2,
							.digest = XDP_DEDUP_DIGEST_PAYLOAD,
							.digest_max = 9216 };
	static const struct {
		const char *realm, *segments, *payload;
	} EVENTS[] = {
		{ "a", "12", "x" },  { "b", "12", "x" }, { "a", "13", "x" }, { "a", "12", "y" },
		{ "a", "12", "xx" }, { "a1", "2x", "" }, { "a", "1", "2x" }, { "a", "12", "" },
	};
	char out[ARRAY_SIZE(EVENTS)][MESSAGE_ID_MAX];
	struct message_secret secret = read_secret_file();

	for (size_t i = 0; i < ARRAY_SIZE(EVENTS); i++) {
		struct xdp_dedup_identity id = { 0 };
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
	static const struct {
		struct xdp_dedup_stream stream;
		bool is_one;
	} STREAMS[] = {
		{ { .udp = true, .bytes = 4 }, false },
		{ { .udp = true, .bytes = 4, .digest = XDP_DEDUP_DIGEST_PAYLOAD }, false },
		{ { .udp = false, .bytes = 4 }, true },
		{ { .udp = true, .bytes = 4, .digest = XDP_DEDUP_DIGEST_PACKET }, true },
		{ { .udp = true, .bytes = 4, .digest = XDP_DEDUP_DIGEST_FRAME }, true },
		{ { .udp = true, .bytes = 4, .needs_frame = true }, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(STREAMS); i++)
		assert_int_equal(message_id_obstacle(&STREAMS[i].stream) != NULL, STREAMS[i].is_one);
}

#define OF_OTHERS " can be read or changed by others: chmod 600 it"
#define OF_ANOTHER " belongs to another user, who can read"

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
	{ "secret-that-a-group-reads", 0640, 32, -EPERM, OF_OTHERS, 0 },
	{ "secret-that-others-write", 0602, 32, -EPERM, OF_OTHERS, 0 },
	{ "secret-of-another-user", 0600, 32, -EPERM, OF_ANOTHER, 65534 },
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
