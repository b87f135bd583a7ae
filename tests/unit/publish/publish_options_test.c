// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of xdp-dedup-publish, and the file that has them as keys. */
#include "unit.h"

#include "diags.h"
#include "publish_options.h"

#define WORDS_MAX 24
#define PORTS_64                                                                        \
	"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29" \
	",30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54"   \
	",55,56,57,58,59,60,61,62,63,64"
#define NEEDED "eth0 --server nats://a --stream S --subject g"

static char path[] = "/tmp/publish_options_test.XXXXXX";

/* Reads these words, with FILE for the path of a file with this text. */
static int read_words(const char *words, const char *file, struct publish_options *o)
{
	static char copy[1024];
	char *argv[WORDS_MAX + 1] = { (char *)PUBLISH_PROGRAM }, *rest = NULL;
	int argc = 1, fd;

	if (file) {
		strcpy(path + strlen(path) - 6, "XXXXXX");
		fd = mkstemp(path);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, file, strlen(file)), strlen(file));
		close(fd);
	}
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = strcmp(word, "FILE") ? word : path;
	fd = publish_options_read(o, argc, argv);
	if (file)
		unlink(path);
	return fd;
}

#define INDENTED "  filter = eth0\n\tserver = nats://a\n  stream = S\n  subject = g\n"
#define CHARACTERS_26 "abcdefghijklmnopqrstuvwxyz"
#define CHARACTERS_182 \
	CHARACTERS_26 CHARACTERS_26 CHARACTERS_26 CHARACTERS_26 CHARACTERS_26 CHARACTERS_26 CHARACTERS_26
#define FILE_NEEDED "[publish]\nfilter = eth0\nserver = nats://a\nstream = S\nsubject = g\n"

static const struct {
	const char *words, *file;
	const char *wrong; /* words of the error; NULL: there is none */
} ROWS[] = {
	{ NEEDED, NULL, NULL },
	{ "--server a --stream S --subject g", NULL, "the filter's name is missing" },
	{ "eth0 --stream S --subject g", NULL, "--server is missing" },
	{ "eth0 --server a --subject g", NULL, "--stream is missing" },
	{ "eth0 --server a --stream S", NULL, "--subject is missing" },
	{ "eth0 --server a --stream S --subject a..b", NULL, "words separated by dots" },
	{ "eth0 --server http://a:8222 --stream S --subject g", NULL,
	  "http://a:8222 is no URL of NATS" },
	{ "eth0 --server tls://a,ws://b --stream S --subject g", NULL, "ws://b is no URL of NATS" },
	{ "eth0 --server a --stream S.T --subject g", NULL, "without dots" },
	{ "eth0 --server nats://a --stream S-{shard} --subject g.{shard} --shards 4", NULL, NULL },
	{ "eth0 --server nats://a --stream S --subject g.{shard} --shards 4", NULL, NULL },
	{ NEEDED " --shards 4", NULL, "--shards goes together with {shard}" },
	{ "eth0 --server a --stream S --subject g.{shard}", NULL,
	  "--shards goes together with {shard}" },
	{ "eth0 --server a --stream S --subject g.{shard} --shards 65", NULL, "64" },
	{ "eth0 --server a --stream S{shard} --subject g", NULL, "must be in --subject, too" },
	{ "eth0 --server nats://a --stream S-{stream} --subject g.{stream}", NULL, NULL },
	{ "eth0 --server a --stream S-{stream} --subject g", NULL, "must be in --subject, too" },
	{ NEEDED " eth1", NULL, "" },
	{ NEEDED " --user x", NULL, "go together" },
	{ NEEDED " --password-file x", NULL, "go together" },
	{ NEEDED " --token-file x --credentials y", NULL, "give one of" },
	{ NEEDED " --tls-key x", NULL, "go together" },
	{ NEEDED " --pending 0", NULL, "--pending" },
	{ NEEDED " --replicas 6", NULL, "from 1 to 5" },
	{ NEEDED " --metrics x", NULL, "give a file from / on, or none" },
	{ NEEDED " --listen 8001,192.0.2.1:8002,192.0.2.2:8002,[::1]:8002", NULL, NULL },
	{ NEEDED " --listen 0.0.0.0:8001,[2001:db8::1]:8001", NULL, NULL },
	{ NEEDED " --listen 192.0.2.1", NULL, "give ports, or addresses and ports" },
	{ NEEDED " --listen ,", NULL, "give at least one port" },
	{ "--config FILE", FILE_NEEDED "listen = 1\nlisten = x\n",
	  "give ports, or addresses and ports" },
	{ NEEDED " --listen " PORTS_64 ",65", NULL, "at most 64" },
	{ NEEDED " --receive x", NULL, "auto, xsk or udp" },
	{ NEEDED " --duplicates 1ms", NULL, "100ms" },
	{ NEEDED " --create --duplicates 29s", NULL, "shorter than --skew" },
	{ "eth0 --server nats://u:p@a --stream S --subject g", NULL, "login in a URL" },
	{ "eth0 --server , --stream S --subject g", NULL, "--server is missing" },
	{ NEEDED " --machine=", NULL, "--machine: it must not be empty" },
	{ NEEDED " --stream T", NULL, "--stream is given twice" },
	{ "--config FILE", FILE_NEEDED, NULL },
	{ "--config FILE", "\xef\xbb\xbf [publish]\r\n" INDENTED, NULL },
	{ "--config FILE", FILE_NEEDED "secret = " CHARACTERS_182 "\n",
	  ":6: a line has at most 190 characters" },
	{ "--config FILE", FILE_NEEDED "secret = \x1b\n", ":6: a control character" },
	{ "--config /nowhere/x", NULL, "No such file" },
	{ "--config FILE", FILE_NEEDED "stream = T\n", ":6: stream is there already" },
	{ "--config FILE", FILE_NEEDED "nothing = 1\n", "there is no key nothing" },
	{ NEEDED " --new-ids", NULL, "--new-ids goes with --check" },
	{ "--config FILE", FILE_NEEDED "check = yes\n", "there is no key check" },
	{ "--config FILE", "[filter x]\nport = 1\n", "not [filter x]" },
	{ "--config FILE", "stream = S\n", "not []" },
	{ "--config FILE", FILE_NEEDED "hello\n", ":6: this is no section" },
	{ "--config FILE", FILE_NEEDED "retries = x\n", "retries" },
};

TEST(options)
{
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct publish_options o;
		int err;

		diags_collect();
		err = read_words(ROWS[i].words, ROWS[i].file, &o);
		if (!err == !!ROWS[i].wrong)
			fail_msg("%s: %d", ROWS[i].words, err);
		if (ROWS[i].wrong) {
			assert_diag(ROWS[i].wrong);
			continue;
		}
		assert_string_equal(diags_end(), "");
		assert_string_equal(o.filter, "eth0");
		assert_string_equal(o.servers, "nats://a");
		assert_int_equal(*o.stream, 'S');
		assert_int_equal(*o.subject, 'g');
		assert_true(*o.machine);
		publish_options_free(&o);
	}
}

/* An option wins over a key, and several lines of one key are joined. */
TEST(option_wins)
{
	struct publish_options o;

	assert_int_equal(read_words("--stream T --config FILE --retries 9",
				    FILE_NEEDED "server = nats://b\nretries = 2\ncreate = yes\n"
						"skew = 1m\n",
				    &o),
			 0);
	assert_string_equal(o.stream, "T");
	assert_string_equal(o.servers, "nats://a,nats://b");
	assert_int_equal(o.urls_cnt, 2);
	assert_string_equal(o.urls[1], "nats://b");
	assert_int_equal(o.retries, 9);
	assert_true(o.create);
	assert_int_equal(o.skew_ns, 60000000000);
	publish_options_free(&o);
}

UNIT_MAIN()
