// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "grant_program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "grant_program.skel.h"
#include "maps.h"
#include "pins.h"
#include "slow_path_reason.h"

static void configure_grant(struct dedup_grant *c, const struct filter *f,
			    const struct granted_queue *q)
{
	*c = (struct dedup_grant){
		.serial = f->serial,
		.window_ns = f->config->memory.window_ns,
		.stale_ns = f->config->memory.stale_ns,
		.slot = q->slot,
		.opened = q->opened,
		.frames_max = q->frames_max,
	};
	for (uint32_t n = 0; n < f->config->policy.streams_cnt; n++) {
		uint32_t slot = f->config->policy.streams[n].slot, i = slot % DEDUP_SLOTS;

		c->realm_keys[i] = f->config->policy.streams[n].realm_key;
		c->slots[i] = slot;
		c->streams |= 1ULL << i;
	}
}

/* Has the object use the filter's map. 0 or -errno. */
static int use_map(struct bpf_map *map, const struct filter *f, enum pin pin)
{
	int fd = filter_open_map(f, pin), err;

	if (fd < 0)
		return fd;
	err = bpf_map__reuse_fd(map, fd);
	close(fd);
	return err;
}

static int load_grant_program(const struct filter *f, const struct granted_queue *q)
{
	struct grant_program *skel = grant_program__open();
	int err, fd = -1;

	if (!skel)
		return -errno;
	configure_grant((struct dedup_grant *)&skel->rodata_grant->grant, f, q);
	err = use_map(skel->maps.state, f, PIN_STATE)
	      ?: use_map(skel->maps.wanted, f, PIN_WANTED)
	      ?: use_map(skel->maps.sockets, f, PIN_SOCKETS)
	      ?: use_map(skel->maps.in_flight, f, PIN_IN_FLIGHT)
	      ?: grant_program__load(skel);
	if (!err)
		fd = fcntl(bpf_program__fd(skel->progs.ask), F_DUPFD_CLOEXEC, 0);
	err = err ? err : fd < 0 ? -errno : fd;
	grant_program__destroy(skel);
	return err;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_loading(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_loading(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child must not inherit a locked mutex. */
static void prepare_fork(void)
{
	pthread_atfork(lock_loading, unlock_loading, unlock_loading);
}

/* libbpf says what it thinks of an error, in this process as a whole: not meanwhile. */
int grant_program_load(const struct filter *f, const struct granted_queue *q)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	libbpf_print_fn_t print;
	int fd;

	pthread_once(&once, prepare_fork);
	lock_loading();
	print = libbpf_set_print(NULL);
	fd = load_grant_program(f, q);
	libbpf_set_print(print);
	unlock_loading();
	return fd;
}

int grant_program_ask(int program_fd, struct dedup_ask *ask, uint32_t what)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ask, .ctx_size_in = sizeof(*ask));

	ask->what = what;
	return bpf_prog_test_run_opts(program_fd, &opts) ? -errno : (int)opts.retval;
}

static int ask_of(int program_fd, struct dedup_ask *ask, const struct dedup_in_flight *h,
		  uint32_t what)
{
	ask->id = h->id;
	ask->slot = h->slot;
	return grant_program_ask(program_fd, ask, what);
}

int grant_program_want(int program_fd, struct dedup_ask *ask, const struct dedup_in_flight *h)
{
	int err = ask_of(program_fd, ask, h, DEDUP_ASK_WANT);

	for (int i = 0; err == -EAGAIN && i < SLOW_PATH_WALK_TRIES; i++) {
		usleep(SLOW_PATH_WALK_US);
		err = grant_program_ask(program_fd, ask, DEDUP_ASK_WANT);
	}
	return err == -EAGAIN ? -ESTALE : err == -E2BIG ? -ENOSPC : err;
}

void grant_program_want_no_more(int program_fd, struct dedup_ask *ask,
				const struct dedup_in_flight *h)
{
	ask_of(program_fd, ask, h, DEDUP_ASK_NO_MORE);
}
