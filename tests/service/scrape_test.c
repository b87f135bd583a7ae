// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scrapes over a real socket: the replies, many clients and bad ones, a service that is held up, a
 * program that is killed or hostile; and that the program has no rights.
 */
#include "scrape_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve.h"

static char reply[REPLY_MAX];

static void has(const char *words)
{
	if (!strstr(reply, words))
		fail_msg("no '%s' in: %.2000s", words, reply);
}

static const struct request {
	const char *name, *text;
	int status;
	const char *has, *lacks;
} REQUESTS[] = {
	{ "get", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200,
	  "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n", NULL },
	{ "get-body", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200, "\r\n\r\ncall 1 format 0\n",
	  NULL },
	{ "get-1.0", "GET /metrics HTTP/1.0\r\n\r\n", 200, "call 1 format 0\n", NULL },
	{ "query", "GET /metrics?name[]=x HTTP/1.1\r\nHost: x\r\n\r\n", 200, "call 1 ", NULL },
	{ "openmetrics",
	  "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n",
	  200, "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n",
	  NULL },
	{ "openmetrics-body",
	  "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n", 200,
	  "\r\n\r\ncall 1 format 1\n", NULL },
	{ "head", "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200, "\r\nContent-Length: 16\r\n",
	  "call" },
	{ "not-compressed", "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n",
	  200, "call 1 ", "Content-Encoding" },
	{ "root", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200, "<a href=\"/metrics\">", "call" },
	{ "elsewhere", "GET /etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404, "only /metrics", NULL },
	{ "up-and-down", "GET /metrics/../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 404,
	  "only /metrics", NULL },
	{ "post", "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 405,
	  "\r\nAllow: GET, HEAD\r\n", "call" },
	{ "delete", "DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 405, "GET and HEAD only", NULL },
	{ "get-with-body",
	  "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
	  200, "call 1 ", NULL },
	{ "one-request-each",
	  "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200,
	  "\r\nConnection: close\r\n", NULL },
};

static void request_is_answered(void **state)
{
	const struct request *row = *state;

	assert_int_equal(scrape_exchange(scrape_connect(), row->text, reply, NULL), row->status);
	has(row->has);
	if (row->lacks && strstr(reply, row->lacks))
		fail_msg("%s in: %s", row->lacks, reply);
	assert_null(strstr(reply + 1, "HTTP/1.1 ")); /* one reply */
}

/* What is no HTTP is refused, and nobody else notices. */
static void garbage(void **state)
{
	static const char *const TEXTS[] = { "\r\n\r\n\r\n\r\n", "\x16\x03\x01\x02\x01\x01",
					     "GET\r\n\r\n", "GET /metrics HTTP/9.9\r\n\r\n",
					     "GET /metrics HTTP/1.1\r\nContent-Length: -5\r\n\r\n" };

	int fds[ARRAY_SIZE(TEXTS)];

	(void)state;
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

static void headers_without_end(void **state)
{
	char line[1024];
	int fd = scrape_connect();

	(void)state;
	memset(line, 'x', sizeof(line));
	send(fd, "GET /metrics HTTP/1.1\r\nX: ", 26, MSG_NOSIGNAL);
	for (int i = 0; i < 1000; i++)
		if (send(fd, line, sizeof(line), MSG_NOSIGNAL) < 0)
			break;
	assert_int_not_equal(scrape_exchange(fd, "", reply, NULL), 200);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
}

/* At once; they share texts, and each gets one. */
static void hundred_at_once(void **state)
{
	uint64_t began_ms = scrape_now_ms();
	int fds[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = scrape_connect();
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		assert_true(send(fds[i], "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 35, 0) == 35);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		assert_int_equal(scrape_exchange(fds[i], "", reply, NULL), 200);
		has("\r\n\r\ncall ");
	}
	assert_in_range(atomic_load(&scrape_shared->calls), 1,
			2 + (scrape_now_ms() - began_ms) / SERVE_SAME_MS);
}

/* New numbers for later clients. */
static void texts_are_new(void **state)
{
	int before = 0, call;
	const char *body;

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(scrape_get("/metrics", "", reply, &body), 200);
		assert_int_equal(sscanf(body, "call %d ", &call), 1);
		assert_true(call > before);
		before = call;
		usleep((SERVE_SAME_MS + 20) * 1000);
	}
}

/* Nobody waits for a client that sends half a request, or does not read a long text. */
static void slow_client(void **state)
{
	int asks = scrape_connect(), reads = scrape_connect(), small = 4096;
	uint64_t began_ms = scrape_now_ms();

	(void)state;
	setsockopt(reads, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	atomic_store(&scrape_shared->bytes, 8 << 20);
	assert_true(send(reads, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 35, 0) == 35);
	for (int ms = 0; !atomic_load(&scrape_shared->calls) && ms < PATIENCE_MS; ms += 10)
		usleep(10000);
	atomic_store(&scrape_shared->bytes, 0);
	assert_true(send(asks, "GET /met", 8, 0) == 8);
	usleep((SERVE_SAME_MS + 50) * 1000);
	for (int i = 0; i < 5; i++)
		assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
	assert_true(scrape_now_ms() - began_ms < SERVE_CONNECTION_MS - 1000);
	close(reads);
	close(asks);
}

/* More clients than there is room for, which send nothing, or half a request, or do not read: a
 * client that comes after them is served at once, however many keep coming.
 */
static const struct crowd {
	const char *name, *says;
	bool comes_again; /* a client that was ended connects again */
} CROWDS[] = {
	{ "a-thousand-say-nothing", "", false },
	{ "a-thousand-say-half", "GET /metrics HTTP/1.1\r\nHost: ", false },
	{ "a-thousand-do-not-read", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", false },
	{ "a-thousand-owe-a-body", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", false },
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

static void crowd(void **state)
{
	const struct rlimit files = { CROWD_CNT + 100, CROWD_CNT + 100 };
	const struct crowd *row = *state;
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
static void endless_client(void **state)
{
	uint64_t began_ms = scrape_now_ms();
	int fd = scrape_connect();

	(void)state;
	assert_true(send(fd, "GET /metrics HTTP/1.1\r\n", 23, 0) == 23);
	while (send(fd, "a: b\r\n", 6, MSG_NOSIGNAL) == 6 && scrape_now_ms() - began_ms < PATIENCE_MS)
		usleep(500000);
	close(fd);
	assert_in_range(scrape_now_ms() - began_ms, SERVE_CONNECTION_MS - 1000, PATIENCE_MS - 1);
}

static void service_held_up(void **state)
{
	uint64_t began_ms = scrape_now_ms();

	(void)state;
	kill(scrape_service(), SIGSTOP);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 503);
	assert_in_range(scrape_now_ms() - began_ms, SERVE_ANSWER_MS - 100, SERVE_CONNECTION_MS);
	assert_int_equal(scrape_get("/", "", reply, NULL), 200);
	kill(scrape_service(), SIGCONT);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
}

static void service_has_no_text(void **state)
{
	uint64_t began_ms = scrape_now_ms();

	(void)state;
	atomic_store(&scrape_shared->fail, -EIO);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 503);
	assert_true(scrape_now_ms() - began_ms < SERVE_ANSWER_MS);
	atomic_store(&scrape_shared->fail, 0);
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
}

/* It is started again, later each time; clients that connect meanwhile are answered then. */
static void program_is_killed(void **state)
{
	pid_t program = scrape_program(0);

	(void)state;
	for (uint64_t least_ms = 1000; least_ms <= 2000; least_ms *= 2) {
		uint64_t killed_ms = scrape_now_ms();

		kill(program, SIGKILL);
		usleep(100000);
		assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
		assert_in_range(scrape_now_ms() - killed_ms, least_ms, least_ms + 10000);
		program = scrape_program(program);
	}
}

/* scrape_stop() sees to it. */
static void ends_with_the_service(void **state)
{
	(void)state;
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
}

/* The text of a line "KEY:\tTEXT" of a file of /proc; in static memory. */
static const char *proc_line(pid_t pid, const char *file, const char *key)
{
	static char out[512];

	assert_int_equal(
		sh_out(out, sizeof(out), "sed -n 's/^%s[: \t]*//p' /proc/%d/%s", key, pid, file), 0);
	out[strcspn(out, "\n")] = '\0';
	return out;
}

static const struct right {
	const char *name, *file, *key, *is;
} RIGHTS[] = {
	{ "uid", "status", "Uid", "65534\t65534\t65534\t65534" },
	{ "gid", "status", "Gid", "65534\t65534\t65534\t65534" },
	{ "groups", "status", "Groups", "" },
	{ "inheritable", "status", "CapInh", "0000000000000000" },
	{ "permitted", "status", "CapPrm", "0000000000000000" },
	{ "effective", "status", "CapEff", "0000000000000000" },
	{ "bounding", "status", "CapBnd", "0000000000000000" },
	{ "ambient", "status", "CapAmb", "0000000000000000" },
	{ "no-new-privileges", "status", "NoNewPrivs", "1" },
	{ "few-calls", "status", "Seccomp", "2" },
	{ "no-threads", "status", "Threads", "1" },
	{ "no-processes", "limits", "Max processes",
	  "0                    0                    processes " },
	{ "no-files", "limits", "Max file size",
	  "0                    0                    bytes     " },
	{ "no-core", "limits", "Max core file size",
	  "0                    0                    bytes     " },
};

static void has_no_right(void **state)
{
	const struct right *row = *state;

	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
	assert_string_equal(proc_line(scrape_program(0), row->file, row->key), row->is);
}

/* Not to be looked into by others of its user, in a network of its own, with nothing open but what
 * it needs: 0 to 4, epoll and the eventfd of libmicrohttpd.
 */
static void is_alone(void **state)
{
	char out[64];
	pid_t pid;

	(void)state;
	assert_int_equal(scrape_get("/metrics", "", reply, NULL), 200);
	pid = scrape_program(0);
	sh("[ $(readlink /proc/%d/ns/net) != $(readlink /proc/self/ns/net) ]", pid);
	sh("[ $(stat -c %%u /proc/%d/fd) = 0 ]", pid); /* not dumpable */
	assert_int_equal(sh_out(out, sizeof(out), "ls /proc/%d/fd | wc -l", pid), 0);
	assert_in_range(atoi(out), 5, 9);
	sh("! tr '\\0' '\\n' </proc/%d/environ | grep -q .", pid);
}

/* Started by hand, with sockets, but by a root that may not change its user. Returns its status.
 */
static int start_by_hand(const char *how)
{
	int pair[2], status;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	sh("rm -f /tmp/xdp-dedup-by-hand; touch /tmp/xdp-dedup-by-hand");
	pid = fork();
	if (!pid) {
		int ours = fcntl(pair[0], F_DUPFD, 10), theirs = fcntl(pair[1], F_DUPFD, 10);

		if (!freopen("/tmp/xdp-dedup-by-hand", "w", stderr) ||
		    dup2(ours, CHANNEL_LISTEN_FD) < 0 || dup2(theirs, CHANNEL_FD) < 0)
			_exit(99);
		execlp("setpriv", "setpriv", "--bounding-set", how, SCRAPE_PROGRAM, NULL);
		_exit(98);
	}
	close(pair[0]);
	close(pair[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	sh_out(reply, sizeof(reply), "cat /tmp/xdp-dedup-by-hand; rm /tmp/xdp-dedup-by-hand");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void does_not_go_on_with_rights(void **state)
{
	(void)state;
	assert_int_equal(start_by_hand("-setuid"), 1);
	has("xdp-dedup-metrics: is still root");
	assert_int_equal(start_by_hand("-setgid"), 1);
	has("xdp-dedup-metrics: is still root");
}

static void started_by_hand(void **state)
{
	(void)state;
	assert_int_equal(sh_out(reply, sizeof(reply), SCRAPE_PROGRAM " 3<&- 4<&-"), 2);
	has("is started by xdp-dedup run");
	assert_int_equal(sh_out(reply, sizeof(reply), SCRAPE_PROGRAM " --version"), 0);
	has("xdp-dedup-metrics ");
	assert_int_equal(sh_out(reply, sizeof(reply), SCRAPE_PROGRAM " --help"), 2);
}

/* Programs that are not what they should be: the service goes on, and gives no more than its number
 * of texts.
 */
static const struct hostile {
	const char *name, *script;
	bool asks;
} HOSTILE[] = {
	{ "says-what-is-no-question", "printf zzz >&4; exec sleep 100", false },
	{ "asks-on-and-on", "while printf '\\001' >&4; do :; done 2>&-", true },
	{ "ends-at-once", "exit 3", false },
	{ "closes-its-end", "exec 4>&-; exec sleep 100", false },
};

/* The service goes on: it has ticked so often, within a while, and not more than it was to. */
static void await_ticks(int cnt, uint64_t began_ms)
{
	int ticks = 0;

	for (int ms = 0; ms < PATIENCE_MS && ticks < cnt; ms += 10) {
		usleep(10000);
		ticks = atomic_load(&scrape_shared->ticks);
	}
	assert_in_range(ticks, cnt, (scrape_now_ms() - began_ms) / SCRAPE_TICK_MS + 1);
}

static void hostile_program(void **state)
{
	const struct hostile *row = *state;
	char path[] = "/tmp/xdp-dedup-hostile.XXXXXX";
	uint64_t began_ms = scrape_now_ms();
	int fd = mkstemp(path), calls;

	assert_true(fd >= 0);
	dprintf(fd, "#!/bin/sh\n%s\n", row->script);
	fchmod(fd, 0700);
	close(fd);
	scrape_start(path);
	sleep(2);
	unlink(path);
	await_ticks(20, began_ms);
	calls = atomic_load(&scrape_shared->calls);
	if (!row->asks)
		assert_int_equal(calls, 0);
	else
		assert_in_range(calls, 3,
				(scrape_now_ms() - began_ms) * SCRAPES_A_SECOND / 1000 + 30);
}

static void program_is_missing(void **state)
{
	uint64_t began_ms = scrape_now_ms();

	(void)state;
	scrape_start("/nonexistent/xdp-dedup-metrics");
	usleep(300000);
	await_ticks(3, began_ms);
	assert_int_equal(scrape_program_now(), 0);
}

int main(void)
{
	add_rows(REQUESTS, request_is_answered, scrape_setup, scrape_teardown);
	add_test("garbage", garbage, scrape_setup, scrape_teardown, NULL);
	add_test("headers_without_end", headers_without_end, scrape_setup, scrape_teardown, NULL);
	add_test("hundred_at_once", hundred_at_once, scrape_setup, scrape_teardown, NULL);
	add_test("texts_are_new", texts_are_new, scrape_setup, scrape_teardown, NULL);
	add_test("slow_client", slow_client, scrape_setup, scrape_teardown, NULL);
	add_rows(CROWDS, crowd, scrape_setup, scrape_teardown);
	add_test("endless_client", endless_client, scrape_setup, scrape_teardown, NULL);
	add_test("service_held_up", service_held_up, scrape_setup, scrape_teardown, NULL);
	add_test("service_has_no_text", service_has_no_text, scrape_setup, scrape_teardown, NULL);
	add_test("program_is_killed", program_is_killed, scrape_setup, scrape_teardown, NULL);
	add_test("ends_with_the_service", ends_with_the_service, scrape_setup, scrape_teardown, NULL);
	add_rows(RIGHTS, has_no_right, scrape_setup, scrape_teardown);
	add_test("is_alone", is_alone, scrape_setup, scrape_teardown, NULL);
	add_test("does_not_go_on_with_rights", does_not_go_on_with_rights, NULL, NULL, NULL);
	add_test("started_by_hand", started_by_hand, NULL, NULL, NULL);
	add_rows(HOSTILE, hostile_program, NULL, scrape_teardown);
	add_test("program_is_missing", program_is_missing, NULL, scrape_teardown, NULL);
	return run_added_tests("scrape");
}
