// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In a time namespace, where CLOCK_MONOTONIC is not the kernel's: the library and the tool see
 * whether the hand goes.
 */
#include "lib_runner.h"

#include <fcntl.h>
#include <sched.h>
#include <time.h>

#include "await.h"
#include "clock.h"
#include "output.h"
#include "pins.h"

#define S 1000000000LL

static int own_timens = -1;

static void enter(int fd)
{
	assert_return_code(fd, errno);
	assert_return_code(setns(fd, CLONE_NEWTIME), errno);
	close(fd);
}

/* The clock is a day ahead; or back by half the time since the machine's start. */
static const struct row {
	const char *name;
	bool ahead;
} ROWS[] = { { "clock_ahead", true }, { "clock_behind", false } };

/* Loads a filter, then moves this process into a namespace whose clock is off by so much. */
static void load_and_enter(int64_t by_s)
{
	int fd;

	lib_load("");
	own_timens = open("/proc/self/ns/time", O_RDONLY | O_CLOEXEC);
	if (own_timens < 0)
		skip(); /* a kernel without */
	assert_return_code(unshare(CLONE_NEWTIME), errno);
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	assert_return_code(fd, errno);
	assert_true(dprintf(fd, "monotonic %lld 0\n", (long long)by_s) > 0);
	close(fd);
	enter(open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC));
	lib_let_go();
	lib_take(LIB_NAME);
}

static int leave(void **state)
{
	(void)state;
	if (own_timens >= 0)
		enter(own_timens);
	own_timens = -1;
	return 0;
}

/* Whether the hand goes is seen, and whether it has stopped; and by how much the clock is off. */
TEST_ROWS_WITH(hand_is_seen, ROWS, lib_setup_none, leave)
{
	int64_t by_s = row->ahead ? 86400 : -(int64_t)(clock_ns(CLOCK_MONOTONIC) / S / 2 + 1);
	int64_t offset = -1;
	struct id id = id_fresh();
	json_object *o;

	assert_int_equal(clock_read_offset(&offset), 0);
	assert_int_equal(offset, 0);
	load_and_enter(by_s);
	assert_int_equal(clock_read_offset(&offset), 0);
	assert_int_equal(offset, -by_s * S);

	assert_int_equal(lib_seen(&id), 0);
	assert_int_equal(lib_asked(&id), 1);
	assert_false(lib_stats().stopped);
	o = tool_status(LIB_NAME);
	assert_false(json_object_get_boolean(member(o, "stopped")));
	/* At most two windows, and what a busy machine takes. */
	assert_true(number(o, "oldest_id_ns") < 3600.0 * S);
	json_object_put(o);
	e2e_tool("rotate " LIB_NAME);

	sh("rm %s/" LIB_NAME "/timer", PIN_ROOT);
	AWAIT(lib_asked(&id) == -ESTALE);
	assert_int_equal(lib_seen(&id), -ESTALE);
	assert_true(lib_stats().stopped);
	o = tool_status(LIB_NAME);
	assert_true(json_object_get_boolean(member(o, "stopped")));
	json_object_put(o);
}

LIB_MAIN()
