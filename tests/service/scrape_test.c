// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metrics over a real socket: the replies, files of every kind, many clients and bad ones;
 * systemd's socket; a program without rights.
 */
#include "scrape_runner.h"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "exposition.h"
#include "serve.h"

#define GET "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
#define HEAD(name) "# TYPE xdp_dedup_" name " gauge\n# HELP xdp_dedup_" name " It.\n"

#define TEN "abcdefghij"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONG HUNDRED HUNDRED HUNDRED

static char reply[REPLY_MAX];

static void has(const char *words)
{
	if (!strstr(reply, words))
		fail_msg("no '%s' in: %.2000s", words, reply);
}

/* The file xdp-dedup.prom, with this value. */
static void write_turn(int turn)
{
	char text[256];

	snprintf(text, sizeof(text), HEAD("turn") "xdp_dedup_turn %d\n", turn);
	scrape_write("xdp-dedup", text, strlen(text));
}

static int get_turn(void)
{
	const char *body;

	assert_int_equal(scrape_get("/metrics", "", reply, &body), 200);
	return (int)exposition_value(body, "xdp_dedup_turn");
}

static int setup(void **state)
{
	if (scrape_setup(state))
		return -1;
	write_turn(1);
	return 0;
}

#define HTTP " HTTP/1.1\r\nHost: x\r\n"
static const struct request {
	const char *name, *text;
	int status;
	const char *has, *lacks;
} REQUESTS[] = {
	{ "get", GET, 200, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n", NULL },
	{ "get-by-name", "GET /metrics/xdp-dedup" HTTP "\r\n", 200, "xdp_dedup_turn 1\n", NULL },
	{ "get-1.0", "GET /metrics HTTP/1.0\r\n\r\n", 200, "xdp_dedup_turn 1\n", NULL },
	{ "head", "HEAD /metrics" HTTP "\r\n", 200, "\r\nContent-Length: 71\r\n", "xdp_dedup_turn" },
	{ "no-openmetrics", "GET /metrics" HTTP "Accept: application/openmetrics-text\r\n\r\n", 200,
	  "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n", "# EOF" },
	{ "root", "GET /" HTTP "\r\n", 200, "<a href=\"/metrics\">", "xdp_dedup_turn" },
	{ "no-name", "GET /metrics/" HTTP "\r\n", 404, "no program writes", NULL },
	{ "long-name", "GET /metrics/" LONG HTTP "\r\n", 404, "no program writes", NULL },
	{ "up-and-down", "GET /metrics/../../etc/passwd" HTTP "\r\n", 404, "no program writes", NULL },
	{ "post", "POST /metrics" HTTP "Content-Length: 3\r\n\r\nabc", 405,
	  "\r\nAllow: GET, HEAD\r\n", "xdp_dedup_turn" },
	{ "get-with-body", "GET /metrics" HTTP "Content-Length: 3\r\nConnection: close\r\n\r\nabc",
	  200, "xdp_dedup_turn 1\n", NULL },
	{ "one-request-each", "GET /metrics" HTTP "\r\nGET /metrics" HTTP "\r\n", 200,
	  "\r\nConnection: close\r\n", NULL },
};

TEST_ROWS(request_is_answered, REQUESTS)
{
	assert_int_equal(scrape_exchange(scrape_connect(), row->text, reply, NULL), row->status);
	has(row->has);
	if (row->lacks && strstr(reply, row->lacks))
		fail_msg("%s in: %s", row->lacks, reply);
	assert_null(strstr(reply + 1, "HTTP/1.1 ")); /* one reply */
}

/* What is no HTTP is refused, and nobody else notices. */
TEST(garbage)
{
	static const char *const TEXTS[] = { "\r\n\r\n\r\n\r\n", "\x16\x03\x01\x02\x01\x01",
					     "GET\r\n\r\n", "GET /metrics HTTP/9.9\r\n\r\n",
					     "GET /metrics HTTP/1.1\r\nContent-Length: -5\r\n\r\n" };

	int fds[ARRAY_SIZE(TEXTS)];

	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++) {
		fds[i] = scrape_connect();
		assert_true(send(fds[i], TEXTS[i], strlen(TEXTS[i]), MSG_NOSIGNAL) > 0);
		shutdown(fds[i], SHUT_WR);
	}
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++)
		assert_int_not_equal(scrape_exchange(fds[i], "", reply, NULL), 200);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
}

TEST(headers_without_end)
{
	char line[1024];
	int fd = scrape_connect();

	memset(line, 'x', sizeof(line));
	send(fd, "GET /metrics HTTP/1.1\r\nX: ", 26, MSG_NOSIGNAL);
	for (int i = 0; i < 1000; i++)
		if (send(fd, line, sizeof(line), MSG_NOSIGNAL) < 0)
			break;
	assert_int_not_equal(scrape_exchange(fd, "", reply, NULL), 200);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
}

TEST(hundred_at_once)
{
	int fds[100];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = scrape_connect();
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		assert_true(send(fds[i], GET, strlen(GET), 0) == strlen(GET));
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		assert_int_equal(scrape_exchange(fds[i], "", reply, NULL), 200);
		has("\nxdp_dedup_turn 1\n");
	}
}

/* What the file b.prom is, by a script in its directory, and what is served. */
static const struct files {
	const char *name, *script;
	int status;
} FILES[] = {
#define EVERY(s) "echo '# xdp-dedup: written every " s "' | cat - xdp-dedup.prom >b.prom; "
#define AGE(s) "touch -d \"@$(($(date +%s) " s "))\" b.prom"
#define COPY "cp xdp-dedup.prom b.prom; "
	{ "no-file", "", 404 },
	{ "no-directory", "rm -r /mnt/metrics", 404 },
	{ "fresh", COPY, 200 },
	{ "stale", COPY AGE("- 35"), 503 },
	{ "from-the-future", COPY AGE("+ 40"), 503 },
	{ "slow-writer-stale", EVERY("100 s") AGE("- 310"), 503 },
	{ "fast-writer-stale", EVERY("1 s") AGE("- 5"), 503 },
	{ "fifo", "mkfifo b.prom", 404 },
	{ "directory", "mkdir b.prom", 404 },
	{ "symlink", "ln -s xdp-dedup.prom b.prom", 404 },
	{ "empty", ": >b.prom", 200 },
	{ "large", "yes | head -c 5000000 >b.prom", 200 },
};

TEST_ROWS(file_is_served, FILES)
{
	const char *body;

	sh("cd /mnt/metrics; %s", row->script);
	assert_int_equal(scrape_get("/metrics/b", "", reply, &body), row->status);
	if (row->status == 503)
		assert_non_null(strstr(body, "\nxdp_dedup_up 0\n"));
	if (row->status != 200)
		assert_null(strstr(body, "xdp_dedup_turn"));
	if (*body == '#' && row->status == 503)
		exposition_check(body);
}

#define LINES 500

static void write_lines(int turn)
{
	static char text[LINES * 64];
	size_t len = snprintf(text, sizeof(text), HEAD("line"));

	for (int i = 0; i < LINES; i++)
		len += snprintf(text + len, sizeof(text) - len, "xdp_dedup_line{i=\"%d\"} %d\n", i,
				turn);
	scrape_write("xdp-dedup", text, len);
}

/* Each reply has one file, whole, while a process replaces it without pause. */
TEST(file_is_replaced)
{
	uint64_t until_ms = scrape_now_ms() + tries(500, 3000);
	const char *body;
	pid_t writes;

	write_lines(0);
	writes = fork();
	if (!writes) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int turn = 1;; turn++)
			write_lines(turn);
	}
	while (scrape_now_ms() < until_ms) {
		const char *line;
		int turn, cnt = 0;

		assert_int_equal(scrape_get("/metrics", "", reply, &body), 200);
		turn = (int)exposition_value(body, "xdp_dedup_line{i=\"0\"}");
		for (line = body; (line = strstr(line, "\nxdp_dedup_line{")); cnt++)
			assert_int_equal(atoi(strchr(++line, ' ')), turn);
		assert_int_equal(cnt, LINES);
	}
	kill(writes, SIGKILL);
	waitpid(writes, NULL, 0);
}

/* More clients than there is room for, which send nothing, or half a request, or do not read: a
 * client that comes after them is served at once, however many keep coming.
 */
static const struct crowd {
	const char *name, *says;
	bool comes_again; /* a client that was ended connects again */
} CROWDS[] = {
	{ "a-thousand-say-half", "GET /metrics HTTP/1.1\r\nHost: ", false },
	{ "a-thousand-do-not-read", GET, false },
	{ "a-thousand-come-again", "GET /met", true },
};
#define CROWD_MS 10000 /* so soon, on a busy machine: before the first of the crowd is ended */
#define CROWD_CNT 1000
#define CALM_US 300000 /* until the clients to be ended have been */

static int come(const struct crowd *row)
{
	int fd = scrape_connect(), small = 4096;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	send(fd, row->says, strlen(row->says), MSG_NOSIGNAL);
	return fd;
}

TEST_ROWS(crowd, CROWDS)
{
	const struct rlimit files = { CROWD_CNT + 100, CROWD_CNT + 100 };
	int fds[CROWD_CNT];
	char byte;

	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; i < CROWD_CNT; i++)
		fds[i] = come(row);
	usleep(CALM_US);
	for (int turn = 0; turn < 10; turn++) {
		uint64_t began_ms = scrape_now_ms();

		assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
		assert_in_range(scrape_now_ms() - began_ms, 0, CROWD_MS - 1);
		for (int i = 0; i < CROWD_CNT && row->comes_again; i++)
			if (fds[i] < 0 || recv(fds[i], &byte, 1, MSG_DONTWAIT) >= 0 ||
			    errno != EAGAIN) {
				close(fds[i]);
				fds[i] = come(row);
			}
	}
	for (int i = 0; i < CROWD_CNT; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* A client that goes on sending a little is ended, too. */
TEST(endless_client)
{
	uint64_t began_ms = scrape_now_ms();
	int fd = scrape_connect();

	assert_true(send(fd, "GET /metrics HTTP/1.1\r\n", 23, 0) == 23);
	while (send(fd, "a: b\r\n", 6, MSG_NOSIGNAL) == 6 && scrape_now_ms() - began_ms < PATIENCE_MS)
		usleep(500000);
	close(fd);
	assert_in_range(scrape_now_ms() - began_ms, SERVE_CONNECTION_MS - 1000, PATIENCE_MS - 1);
}

TEST(ends_by_interrupt)
{
	assert_int_equal(scrape_stop(SIGINT), 0);
}

/* At 127.0.0.1, at a port that the kernel chooses; of this type. Passed as systemd does. */
static int own_socket(int type, struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, type, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	assert_return_code(bind(fd, (const struct sockaddr *)at, len), errno);
	assert_return_code(getsockname(fd, (struct sockaddr *)at, &len), errno);
	if (type == SOCK_STREAM)
		assert_return_code(listen(fd, 8), errno);
	return fd;
}

static const char PROGRAM[] = SCRAPE_PROGRAM;

/* Also if --listen names another address. Connections that are made before are answered. */
TEST(systemd_passes_a_socket)
{
	static const char *const ARGV[] = { PROGRAM, "--listen=9947", "--directory",
					    SCRAPE_DIRECTORY, NULL };
	struct sockaddr_in at;
	int listener = own_socket(SOCK_STREAM, &at), fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(scrape_stop(SIGTERM), 0);
	assert_return_code(connect(fd, (const struct sockaddr *)&at, sizeof(at)), errno);
	scrape_start(ARGV, listener);
	close(listener);
	assert_int_equal(scrape_exchange(fd, GET, reply, NULL), 200);
	assert_true(scrape_connect() < 0);
}

TEST(over_ipv6)
{
	static const char *const ARGV[] = { PROGRAM,	   "--listen",	     "[::1]:9947",
					    "--directory", SCRAPE_DIRECTORY, NULL };
	const struct sockaddr_in6 at = { .sin6_family = AF_INET6,
					 .sin6_port = htons(SCRAPE_PORT),
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(scrape_stop(SIGTERM), 0);
	scrape_start(ARGV, -1);
	assert_return_code(connect(fd, (const struct sockaddr *)&at, sizeof(at)), errno);
	assert_int_equal(scrape_exchange(fd, GET, reply, NULL), 200);
	assert_true(scrape_connect() < 0); /* nobody listens at the other one */
}

/* As in its unit: another user, no capability. A file that others may not read is not served. */
TEST(needs_no_right)
{
	static const char *const ARGV[] = { "setpriv",
					    "--reuid=65534",
					    "--regid=65534",
					    "--clear-groups",
					    "--inh-caps=-all",
					    "--bounding-set=-all",
					    "--no-new-privs",
					    "/mnt/metrics-program",
					    "--directory",
					    SCRAPE_DIRECTORY,
					    NULL };

	assert_int_equal(scrape_stop(SIGTERM), 0);
	sh("cp " SCRAPE_PROGRAM
	   " /mnt/metrics-program; cd /mnt/metrics; cp xdp-dedup.prom b.prom; chmod 600 b.prom");
	scrape_start(ARGV, -1);
	assert_int_equal(get_turn(), 1);
	assert_int_equal(scrape_get("/metrics/b", "", reply, NULL), 404);
}

/* Commands, as P, that end at once. */
static const struct misuse {
	const char *name, *command;
	int status;
	const char *has;
} MISUSES[] = {
	{ "version", "$P --version", 0, "xdp-dedup-metrics " },
	{ "help", "$P --help", 0, "--listen [ADDRESS:]PORT" },
	{ "no-such-option", "$P --port 1", 2, "--port" },
	{ "no-arguments", "$P 9947", 2, "usage: xdp-dedup-metrics [options]" },
	{ "port-taken", "$P", 1,
	  "cannot listen at 127.0.0.1:9947: Address already in use; give another" },
	{ "foreign-address", "$P --listen 192.0.2.1:80", 1, "cannot listen at 192.0.2.1:80: " },
	{ "two-sockets", "LISTEN_FDS=2 sh -c 'LISTEN_PID=$$ exec $P' 3<&0 4<&0", 2,
	  "exactly one socket that listens for streams; give" },
	{ "another-ones-socket", "LISTEN_FDS=1 LISTEN_PID=1 $P", 1, "cannot listen at" },
};

TEST_ROWS(ends_at_once, MISUSES)
{
	assert_int_equal(sh_out(reply, sizeof(reply), "export P=" SCRAPE_PROGRAM "; %s", row->command),
			 row->status);
	has(row->has);
}

ROOT_MAIN(setup, scrape_teardown)
