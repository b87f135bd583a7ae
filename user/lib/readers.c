// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "readers.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

__thread struct reader reader_self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reader *all_readers;
static uint64_t retirements;
static pthread_key_t key; /* its destructor runs when a thread ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;
static bool ends_unseen; /* a thread in the list may end without being removed */

static void unlink_reader(void *arg)
{
	struct reader *r = arg;

	pthread_mutex_lock(&lock);
	*r->link = r->next;
	if (r->next)
		r->next->link = r->link;
	r->listed = false;
	pthread_mutex_unlock(&lock);
}

static void link_self(void)
{
	struct reader *r = &reader_self;

	r->next = all_readers;
	r->link = &all_readers;
	if (all_readers)
		all_readers->link = &r->next;
	all_readers = r;
	r->listed = true;
	r->out_at = retirements;
}

/* Empties the list in the child of fork(), which has one thread. */
static void in_child(void)
{
	all_readers = NULL;
	if (reader_self.listed)
		link_self();
	pthread_mutex_unlock(&lock);
}

static void create_key(void)
{
	has_key = !pthread_key_create(&key, unlink_reader) &&
		  !pthread_atfork(readers_lock, readers_unlock, in_child);
}

/* For dlclose(): the process may continue without the library. */
__attribute__((destructor)) static void delete_key(void)
{
	if (has_key)
		pthread_key_delete(key);
}

static bool barrier(void)
{
	return !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void readers_begin(void)
{
	pthread_once(&once, create_key);
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void readers_lock(void)
{
	pthread_mutex_lock(&lock);
}

void readers_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void reader_list(void)
{
	pthread_mutex_lock(&lock);
	link_self();
	pthread_mutex_unlock(&lock);
	if (!has_key || pthread_setspecific(key, &reader_self))
		ends_unseen = true;
}

uint64_t readers_retire(void)
{
	return ++retirements;
}

bool readers_are_done(uint64_t retired)
{
	bool done = true;

	/* A thread that is outside of calls after the barrier finds only new pointers in its next
	 * call.
	 */
	if (ends_unseen || !barrier())
		return false;
	for (struct reader *r = all_readers; r; r = r->next) {
		if (!__atomic_load_n(&r->inside, __ATOMIC_ACQUIRE))
			r->out_at = retirements;
		done &= r->out_at >= retired;
	}
	return done;
}
