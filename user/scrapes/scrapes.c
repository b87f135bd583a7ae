// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "scrapes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "diag.h"
#include "timer.h"

#define US_PER_S 1000000ULL
#define PAUSE_US (US_PER_S / SCRAPES_A_SECOND)
#define RESTART_MIN_US US_PER_S
#define RESTART_MAX_US (60 * US_PER_S)
#define END_MS 1000 /* how long the program may take to end */
#define LIBEXEC "libexec/xdp-dedup/" SCRAPES_PROGRAM
#define FD_ABOVE 10 /* the program's descriptors are below */

struct scrapes {
	sd_event *events;
	int listen_fd, channel, pidfd;
	struct scrapes_writer writer;
	const char *program;
	pid_t pid;
	uint64_t started_ns, delay_us;	  /* delay: of the last restart; 0: there was none */
	sd_event_source *asked, *ended;	  /* of the program that runs */
	sd_event_source *pause, *restart; /* timers */
	char logged[PATH_MAX + 128];	  /* why it could not be started */
};

/* Looks for the program beside this one's, in its libexec, and where that is by default. */
static const char *find_program(char path[PATH_MAX])
{
	static const char *const PLACES[] = { "/" SCRAPES_PROGRAM, "/../" LIBEXEC,
					      "/usr/local/" LIBEXEC, "/usr/" LIBEXEC };
	char dir[PATH_MAX / 2];
	ssize_t len = readlink("/proc/self/exe", dir, sizeof(dir) - 1);

	dir[len > 0 ? len : 0] = '\0';
	if (strrchr(dir, '/'))
		*strrchr(dir, '/') = '\0';
	for (size_t i = 0; i < sizeof(PLACES) / sizeof(PLACES[0]); i++) {
		/* The first two are where this program is. */
		snprintf(path, PATH_MAX, "%s%s", i < 2 ? dir : "", PLACES[i]);
		if (!access(path, X_OK))
			return path;
	}
	return NULL;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Has what it does be its own: no environment, no signals blocked or ignored, no descriptors but
 * the two, and stderr. 0 or -errno.
 */
static int spawn(struct scrapes *s, const char *path, int channel)
{
	char *const argv[] = { SCRAPES_PROGRAM, NULL }, *const none[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, empty;
	int err;

	sigfillset(&all);
	sigemptyset(&empty);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, s->listen_fd, CHANNEL_LISTEN_FD);
	posix_spawn_file_actions_adddup2(&files, channel, CHANNEL_FD);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &empty);
	posix_spawnattr_setsigdefault(&attr, &all);
	err = posix_spawn(&s->pid, path, &files, &attr, argv, none);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (err)
		s->pid = 0;
	return -err;
}

/* What it answers with is a memfd, so that it can be of any size, and nobody waits. */
static int make_text(struct scrapes *s, enum metrics_format format)
{
	int fd = memfd_create("metrics", MFD_CLOEXEC | MFD_ALLOW_SEALING), copy, err;
	FILE *out;

	if (fd < 0)
		return -errno;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	out = copy < 0 ? NULL : fdopen(copy, "w");
	if (!out) {
		err = -errno;
		close_fd(&copy);
	} else {
		err = s->writer.write(s->writer.arg, out, format);
		if (fclose(out) && !err)
			err = -errno;
	}
	if (!err && fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void answer(struct scrapes *s, enum metrics_format format)
{
	int fd = make_text(s, format);
	struct channel_answer a = { .format = format, .err = fd < 0 ? fd : 0 };
	struct iovec part = { .iov_base = &a, .iov_len = sizeof(a) };
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
	/* If the program does not take the message, nobody waits. */
	sendmsg(s->channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	close_fd(&fd);
}

static int on_paused(sd_event_source *source, uint64_t usec, void *arg)
{
	struct scrapes *s = arg;

	(void)source, (void)usec;
	return s->asked ? sd_event_source_set_enabled(s->asked, SD_EVENT_ON) : 0;
}

static int on_asked(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct scrapes *s = arg;
	unsigned char format;
	ssize_t n = recv(fd, &format, sizeof(format), MSG_DONTWAIT);

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	if (n != sizeof(format) || format >= METRICS_FORMATS) {
		/* It has ended, or is no longer what it was: on_program_ended() goes on. */
		kill(s->pid, SIGKILL);
		return 0;
	}
	answer(s, format);
	return timer_arm(s->events, &s->pause, PAUSE_US, on_paused, s);
}

static int start_program(struct scrapes *s);

static int on_restart(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source, (void)usec;
	return start_program(arg);
}

/* In a second; twice as long from one time to the next, unless it has run for long. Returns how
 * long, in seconds.
 */
static unsigned int start_later(struct scrapes *s)
{
	uint64_t ran_us = s->started_ns ? (clock_ns(CLOCK_MONOTONIC) - s->started_ns) / 1000 : 0;

	s->delay_us = s->delay_us && ran_us < RESTART_MAX_US ? 2 * s->delay_us : RESTART_MIN_US;
	if (s->delay_us > RESTART_MAX_US)
		s->delay_us = RESTART_MAX_US;
	s->started_ns = 0;
	timer_arm(s->events, &s->restart, s->delay_us, on_restart, s);
	return s->delay_us / US_PER_S;
}

/* Forgets the program, which has ended or is ended now, and waits for that at most END_MS. Returns
 * its status, as of waitpid().
 */
static int reap(struct scrapes *s)
{
	int status = 0;

	s->asked = sd_event_source_disable_unref(s->asked);
	s->ended = sd_event_source_disable_unref(s->ended);
	/* A child process may still have the channel: the program is to see its end nevertheless. */
	shutdown(s->channel, SHUT_RDWR);
	close_fd(&s->channel);
	close_fd(&s->pidfd);
	for (int ms = 0; s->pid && ms < END_MS && !waitpid(s->pid, &status, WNOHANG); ms++)
		usleep(1000);
	s->pid = 0;
	return status;
}

static int on_program_ended(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct scrapes *s = arg;
	int status = reap(s);
	unsigned int seconds = start_later(s);

	(void)source, (void)fd, (void)revents;
	if (WIFSIGNALED(status))
		diag_err(0, SCRAPES_PROGRAM " was ended by signal %d; it is started again in %u s",
			 WTERMSIG(status), seconds);
	else
		diag_err(0, SCRAPES_PROGRAM " has ended with status %d; it is started again in %u s",
			 WEXITSTATUS(status), seconds);
	return 0;
}

/* Of the program that has been started. */
static int watch_program(struct scrapes *s)
{
	int err;

	s->pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0);
	if (s->pidfd < 0)
		return -errno;
	err = sd_event_add_io(s->events, &s->ended, s->pidfd, EPOLLIN, on_program_ended, s);
	if (err >= 0)
		err = sd_event_add_io(s->events, &s->asked, s->channel, EPOLLIN, on_asked, s);
	/* Behind all else in the event loop. */
	if (err >= 0)
		err = sd_event_source_set_priority(s->asked, SD_EVENT_PRIORITY_NORMAL + 10);
	return err < 0 ? err : 0;
}

static int try_start(struct scrapes *s, const char *path)
{
	int pair[2], theirs, err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	s->channel = pair[0];
	theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, FD_ABOVE);
	err = theirs < 0 ? -errno : spawn(s, path, theirs);
	close(pair[1]);
	close_fd(&theirs);
	if (!err)
		err = watch_program(s);
	if (!err)
		s->started_ns = clock_ns(CLOCK_MONOTONIC);
	return err;
}

static int start_program(struct scrapes *s)
{
	char found[PATH_MAX], text[sizeof(s->logged)];
	const char *path = s->program ?: find_program(found);
	int err = path ? try_start(s, path) : -ENOENT;

	if (!err)
		return 0;
	if (s->pid)
		kill(s->pid, SIGKILL);
	reap(s);
	snprintf(text, sizeof(text), "cannot start %s, so nobody answers scrapes: %s",
		 path ?: SCRAPES_PROGRAM, strerror(-err));
	start_later(s);
	if (strcmp(text, s->logged))
		diag_err(0, "%s", text);
	memcpy(s->logged, text, sizeof(text));
	return 0;
}

int scrapes_open(sd_event *events, int listen_fd, struct scrapes_writer writer, const char *program,
		 struct scrapes **out)
{
	struct scrapes *s = calloc(1, sizeof(*s));
	int err = 0;

	if (!s) {
		close(listen_fd);
		return diag_err(-ENOMEM, "no memory");
	}
	*s = (struct scrapes){ .events = sd_event_ref(events),
			       .channel = -1,
			       .pidfd = -1,
			       .writer = writer,
			       .program = program };
	s->listen_fd = fcntl(listen_fd, F_DUPFD_CLOEXEC, FD_ABOVE);
	if (s->listen_fd < 0)
		err = diag_err(-errno, "cannot answer scrapes: %s", strerror(errno));
	close(listen_fd);
	if (err) {
		scrapes_close(s);
		return err;
	}
	start_program(s);
	*out = s;
	return 0;
}

void scrapes_close(struct scrapes *s)
{
	if (!s)
		return;
	if (s->pid)
		kill(s->pid, SIGKILL); /* it has nothing to lose */
	reap(s);
	sd_event_source_disable_unref(s->pause);
	sd_event_source_disable_unref(s->restart);
	close_fd(&s->listen_fd);
	sd_event_unref(s->events);
	free(s);
}
