// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-metrics alone: the test is the service, which answers late, wrongly or not at all, and
 * has rights and descriptors that the program must not keep.
 */
#include "scrape_runner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "serve.h"
#include "drop_privileges.h"

#define GET "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

static pid_t program;
static int channel = -1;
static char reply[REPLY_MAX];

/* Starts it, as setpriv(1) with these words would; NULL: as it is. */
static void start_at(const char *where, char *const *words)
{
	struct socket_address address;
	bool is_absent;
	int pair[2], listener;

	sh("ip link set lo up");
	assert_int_equal(socket_address_read(where, &address), 0);
	listener = scrapes_listen(&address, &is_absent);
	assert_return_code(listener, errno);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	program = fork();
	assert_return_code(program, errno);
	if (!program) {
		int ours = fcntl(listener, F_DUPFD, 10), theirs = fcntl(pair[1], F_DUPFD, 11);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup2(ours, CHANNEL_LISTEN_FD) < 0 || dup2(theirs, CHANNEL_FD) < 0)
			_exit(99);
		if (words)
			execvp(words[0], words);
		else
			execl(SCRAPE_PROGRAM, SCRAPE_PROGRAM, NULL);
		_exit(98);
	}
	close(listener);
	close(pair[1]);
	channel = pair[0];
}

static int setup(void **state)
{
	(void)state;
	start_at("9947", NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (channel >= 0)
		close(channel);
	channel = -1;
	if (program)
		kill(program, SIGKILL);
	while (program && waitpid(program, NULL, 0) < 0 && errno == EINTR)
		;
	program = 0;
	return 0;
}

/* How it ends, by itself. */
static int status_at_end(void)
{
	int status;

	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (waitpid(program, &status, WNOHANG) == program) {
			program = 0;
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		}
		usleep(10000);
	}
	fail_msg("it does not end");
	return -1;
}

static int ask(void)
{
	int fd = scrape_connect();

	assert_true(fd >= 0);
	assert_int_equal(send(fd, GET, strlen(GET), 0), strlen(GET));
	return fd;
}

/* The question that has come within so long; -1: none has. */
static int question(int ms)
{
	struct pollfd p = { .fd = channel, .events = POLLIN };
	unsigned char byte;

	if (poll(&p, 1, ms) <= 0)
		return -1;
	return recv(channel, &byte, 1, MSG_DONTWAIT) == 1 ? byte : -1;
}

static void send_answer(const void *bytes, size_t len, int fd)
{
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = len };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.room);
		*CMSG_FIRSTHDR(&message) = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
							     .cmsg_level = SOL_SOCKET,
							     .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &fd, sizeof(fd));
	}
	assert_int_equal(sendmsg(channel, &message, 0), len);
	if (fd >= 0)
		close(fd);
}

static void answer(enum metrics_format format, const char *text)
{
	const struct channel_answer a = { .format = format };
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	send_answer(&a, sizeof(a), fd);
}

static int status_of(int fd)
{
	return scrape_exchange(fd, "", reply, NULL);
}

static void questions_are_shared(void **state)
{
	int fds[20];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = ask();
	assert_int_equal(question(PATIENCE_MS), METRICS_TEXT);
	assert_int_equal(question(300), -1);
	answer(METRICS_TEXT, "all the same\n");
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		assert_int_equal(status_of(fds[i]), 200);
		assert_non_null(strstr(reply, "\r\n\r\nall the same\n"));
	}
}

/* An answer of one format is not taken for one of the other. */
static void formats_apart(void **state)
{
	int text = ask(), open = scrape_connect();
	const char *request =
		"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n";

	(void)state;
	assert_int_equal(send(open, request, strlen(request), 0), strlen(request));
	assert_int_equal(question(PATIENCE_MS) + question(PATIENCE_MS),
			 METRICS_TEXT + METRICS_OPENMETRICS);
	answer(METRICS_OPENMETRICS, "open\n");
	assert_int_equal(status_of(open), 200);
	assert_non_null(strstr(reply, "\r\n\r\nopen\n"));
	answer(METRICS_TEXT, "text\n");
	assert_int_equal(status_of(text), 200);
	assert_non_null(strstr(reply, "\r\n\r\ntext\n"));
}

static void answer_is_lost(void **state)
{
	int fd = ask();

	(void)state;
	assert_int_equal(question(PATIENCE_MS), METRICS_TEXT);
	assert_int_equal(status_of(fd), 503);
	fd = ask();
	assert_int_equal(question(PATIENCE_MS), METRICS_TEXT); /* it is asked anew */
	answer(METRICS_TEXT, "found\n");
	assert_int_equal(status_of(fd), 200);
}

static void no_text(void **state)
{
	const struct channel_answer a = { .format = METRICS_TEXT, .err = -EIO };
	int fd = ask();

	(void)state;
	assert_int_equal(question(PATIENCE_MS), METRICS_TEXT);
	send_answer(&a, sizeof(a), -1);
	assert_int_equal(status_of(fd), 503);
}

static void empty_and_long_texts(void **state)
{
	static char text[REPLY_MAX / 2];
	int fd = ask();

	(void)state;
	question(PATIENCE_MS);
	answer(METRICS_TEXT, "");
	assert_int_equal(status_of(fd), 200);
	assert_non_null(strstr(reply, "Content-Length: 0\r\n"));
	usleep((SERVE_SAME_MS + 20) * 1000);
	memset(text, 'x', sizeof(text) - 1);
	fd = ask();
	question(PATIENCE_MS);
	answer(METRICS_TEXT, text);
	assert_int_equal(status_of(fd), 200);
	assert_non_null(strstr(reply, text));
}

/* What is no answer ends it, and the service starts another one. */
static void no_answer(void **state)
{
	(void)state;
	send_answer("\0\0\0\0", 4, -1);
	assert_int_equal(status_at_end(), 1);
}

static void no_format(void **state)
{
	const struct channel_answer a = { .format = METRICS_FORMATS };

	(void)state;
	send_answer(&a, sizeof(a), -1);
	assert_int_equal(status_at_end(), 1);
}

static void service_goes(void **state)
{
	int fd = ask();

	(void)state;
	question(PATIENCE_MS);
	close(channel);
	channel = -1;
	assert_int_equal(status_at_end(), 0);
	assert_int_equal(status_of(fd), 0);
}

static void over_ipv6(void **state)
{
	const struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					      .sin6_port = htons(SCRAPE_PORT),
					      .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	start_at("[::1]:9947", NULL);
	assert_return_code(connect(fd, (const struct sockaddr *)&address, sizeof(address)), errno);
	assert_int_equal(send(fd, GET, strlen(GET), 0), strlen(GET));
	assert_int_equal(question(PATIENCE_MS), METRICS_TEXT);
	answer(METRICS_TEXT, "six\n");
	assert_int_equal(status_of(fd), 200);
	assert_true(scrape_connect() < 0); /* nobody listens at the other one */
}

/* What it inherits: descriptors, and capabilities in each of the sets. */
static void inherits_nothing(void **state)
{
	static char *const WORDS[] = { "setpriv", "--inh-caps=+net_admin",
				       "--ambient-caps=+net_admin", (SCRAPE_PROGRAM), NULL };
	char out[512];
	int extra;

	(void)state;
	extra = fcntl(STDERR_FILENO, F_DUPFD, 50); /* not closed by exec */
	start_at("9947", WORDS);
	close(extra);
	close(ask()); /* once it serves, it has given up all */
	assert_int_equal(question(PATIENCE_MS), METRICS_TEXT);
	sh("! test -e /proc/%d/fd/%d", program, extra);
	assert_int_equal(sh_out(out, sizeof(out), "grep '^Cap' /proc/%d/status | tr -d '\\t0\\n'",
				program),
			 0);
	assert_string_equal(out, "CapInh:CapPrm:CapEff:CapBnd:CapAmb:");
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* asks for the version */) > 0;
}

/* What a process can still do that has given up its rights: bits of what it should not. */
static int try_all(void)
{
	int done = 0;

	done |= open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 && has_landlock() ? 1 : 0;
	done |= open("/tmp/xdp-dedup-shed", O_RDWR | O_CREAT | O_CLOEXEC, 0600) >= 0 && has_landlock()
			? 2
			: 0;
	done |= fork() >= 0 ? 4 : 0;
	done |= socket(AF_PACKET, SOCK_RAW, 0) >= 0 ? 8 : 0;
	done |= setuid(0) ? 0 : 16;
	execl("/bin/true", "true", NULL);
	return done | (errno == EACCES || !has_landlock() ? 0 : 32);
}

static void nothing_can_be_done(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(drop_privileges(100, 200) ? 100 : try_all());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unlink("/tmp/xdp-dedup-shed");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A socket that listens on a port of this namespace, *to: where. */
static int listen_somewhere(struct sockaddr_in *to)
{
	socklen_t len = sizeof(*to);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	assert_return_code(bind(fd, (const struct sockaddr *)to, len), errno);
	assert_return_code(listen(fd, 8), errno);
	assert_return_code(getsockname(fd, (struct sockaddr *)to, &len), errno);
	return fd;
}

/* What else a process can do that was taken over: with sockets that listen outside of its network
 * namespace, to one that does so, too; and to another process of its user.
 */
static struct outside {
	int listeners[3];
	struct sockaddr_in target;
	pid_t other;
} outside;

/* Without connect(), from a socket that no longer listens. */
static bool connects_fast(int listener, bool by_message)
{
	struct iovec byte = { "x", 1 };
	struct msghdr message = { .msg_name = &outside.target,
				  .msg_namelen = sizeof(outside.target),
				  .msg_iov = &byte,
				  .msg_iovlen = 1 };
	const int flags = MSG_FASTOPEN | MSG_NOSIGNAL;

	shutdown(listener, SHUT_RD);
	return (by_message ? sendmsg(listener, &message, flags)
			   : sendto(listener, "x", 1, flags, message.msg_name, message.msg_namelen)) ==
	       1;
}

static int try_calls(void)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	const int *l = outside.listeners;
	void *code;
	int done = 0;

	(void)connect(l[0], &none, sizeof(none)); /* it listens no more */
	done |= connect(l[0], (const struct sockaddr *)&outside.target, sizeof(outside.target)) ? 0
												: 1;
	done |= connects_fast(l[1], false) || connects_fast(l[2], true) ? 2 : 0;
	done |= kill(outside.other, 0) ? 0 : 4;
	done |= fcntl(l[0], F_SETOWN, outside.other) ? 0 : 8;
	done |= socket(AF_INET, SOCK_DGRAM, 0) < 0 ? 0 : 16;
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	done |= code == MAP_FAILED ? 0 : 32;
	return done | (unshare(CLONE_NEWUSER) ? 0 : 64);
}

static int only_become_nobody(void)
{
	return setgid(65534) || setuid(65534);
}

/* Returns once the process is nobody's. */
static pid_t fork_nobody(void)
{
	int is_nobody[2];
	char byte = 0;
	pid_t pid;

	assert_return_code(pipe(is_nobody), errno);
	pid = fork();
	if (!pid) {
		if (!only_become_nobody() && write(is_nobody[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(is_nobody[1]);
	assert_int_equal(read(is_nobody[0], &byte, 1), 1);
	close(is_nobody[0]);
	return pid;
}

static int give_up_rights(void)
{
	return drop_privileges(100, 200);
}

static int give_up_calls(void)
{
	return only_become_nobody() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || calls_limit();
}

static int give_up_all(void)
{
	return drop_privileges(100, 200) || calls_limit();
}

static int landlock_version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
}

/* Bits of try_calls() that each leaves; only_become_nobody() is no measure, but shows that they tell. */
static void taken_over(void **state)
{
	int landlock = landlock_version();
	const struct {
		int (*give_up)(void);
		int least, most;
	} ROWS[] = {
		{ only_become_nobody, 1 | 2 | 4 | 8 | 16 | 32, 127 },
		{ give_up_rights, 8 | 16, /* without sanitizers not 32: memory is limited */
		  127 - (landlock >= 4 ? 1 : 0) - (landlock >= 6 ? 4 : 0) },
		{ give_up_calls, 0, 0 },
		{ give_up_all, 0, 0 },
	};
	struct sockaddr_in unused;
	int target, status;

	(void)state;
	sh("ip link set lo up");
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		pid_t pid;

		target = listen_somewhere(&outside.target);
		for (int l = 0; l < 3; l++)
			outside.listeners[l] = listen_somewhere(&unused);
		outside.other = fork_nobody();
		pid = fork();
		if (!pid)
			syscall(SYS_exit_group,
				ROWS[i].give_up()
					? 128
					: try_calls()); /* AddressSanitizer has more to do at _exit() */
		assert_int_equal(waitpid(pid, &status, 0), pid);
		kill(outside.other, SIGKILL);
		waitpid(outside.other, NULL, 0);
		for (int l = 0; l < 3; l++)
			close(outside.listeners[l]);
		close(target);
		assert_true(WIFEXITED(status));
		if ((WEXITSTATUS(status) & ROWS[i].least) != ROWS[i].least ||
		    WEXITSTATUS(status) & ~ROWS[i].most)
			fail_msg("row %zu: bits %x", i, WEXITSTATUS(status));
	}
}

int main(void)
{
	add_test("questions_are_shared", questions_are_shared, setup, teardown, NULL);
	add_test("formats_apart", formats_apart, setup, teardown, NULL);
	add_test("answer_is_lost", answer_is_lost, setup, teardown, NULL);
	add_test("no_text", no_text, setup, teardown, NULL);
	add_test("empty_and_long_texts", empty_and_long_texts, setup, teardown, NULL);
	add_test("no_answer", no_answer, setup, teardown, NULL);
	add_test("no_format", no_format, setup, teardown, NULL);
	add_test("service_goes", service_goes, setup, teardown, NULL);
	add_test("over_ipv6", over_ipv6, NULL, teardown, NULL);
	add_test("inherits_nothing", inherits_nothing, NULL, teardown, NULL);
	add_test("nothing_can_be_done", nothing_can_be_done, NULL, NULL, NULL);
	add_test("taken_over", taken_over, NULL, NULL, NULL);
	return run_added_tests("scrape_channel");
}
