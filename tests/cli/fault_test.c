// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What changes a filter that runs, with any one of its questions to the kernel refused, or with an
 * interface that goes meanwhile: the old filter or the new one is whole and in charge, one line
 * tells what is wrong, and the next command is clean. Some of the calls are tried, spread
 * evenly, from a random one on: about as many as the environment's POINTS. Calls that change
 * something are refused by tests/e2e/every_call_test.c.
 */
#include "e2e_runner.h"

#include "every_checks.h"
#include "intercept.h"
#include "open.h"

#define POINTS tries(2, 5) /* by default */
#define SNAPSHOT "/mnt/snapshot"
#define HAS "predecessor_state" /* a filter with a predecessor has this pin */
#define ID "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

enum which { QUESTION, CHANGE, BEHIND_COMMIT };

struct point {
	enum which which;
	unsigned int n;	    /* of all such calls */
	unsigned int count; /* of such calls */
	int err; /* that the call ends with; 0: meanwhile() is done, and the call is made */
	void (*meanwhile)(void);
	bool met, is_committed;
};

static unsigned int points(void)
{
	return environment_number("POINTS", POINTS);
}

static const int ERRORS[] = { ENOMEM, EPERM, EIO, ENOBUFS, EMFILE };

static int at_call(const struct intercepted *call, void *arg)
{
	struct point *p = arg;
	bool counts = p->which == BEHIND_COMMIT ? p->is_committed
						: call->is_change == (p->which == CHANGE);

	p->is_committed |= call->is_change && !strcmp(call->what, "rename");
	p->count += counts;
	if (!counts || p->count != p->n)
		return 0;
	p->met = true;
	if (p->meanwhile)
		p->meanwhile();
	return -p->err;
}

static int run(char *out, size_t size, const char *args)
{
	return sh_out(out, size, "%s %s", tool(), args);
}

/* With something amiss, a verb still succeeded; or it failed and printed why, in one line. */
static void check_output(const char *args, const struct point *p, int status, const char *out)
{
	if (strstr(out, "Sanitizer") || status > 1 || (status && !check_is_one_line(out)))
		fail_msg("exit %d of %s, call %u (kind %d), error %d:\n%s", status, args, p->n,
			 p->which, p->err, out);
}

static void check_links_work(void)
{
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
}

/* A command that succeeds, and says nothing. */
static void check_silent(const char *args, const struct point *p)
{
	char out[4096];

	if (run(out, sizeof(out), args) || *out)
		fail_msg("after call %u (kind %d), error %d: %s: %s", p->n, p->which, p->err, args,
			 out);
}

static void check_settled(void)
{
	assert_int_equal(access(PIN_ROOT "/+both", F_OK), -1);
	assert_int_equal(access(PIN_ROOT "/+", F_OK), -1);
}

static void load(void)
{
	e2e_load("load ve0 ve1 --name both --capacity 20k --fpr 1e-9");
	e2e_tool("add both " ID);
}

static void unload(void)
{
	e2e_remember();
	e2e_tool("unload ve0 ve1");
	e2e_assert_nothing_left();
}

/* After a change with something amiss, of a filter that ran before. True if it is as it was. */
static bool check_changed(const char *args, const struct point *p)
{
	char out[16384];

	(void)args;
	check_links_work();
	assert_int_equal(run(out, sizeof(out), "status both"), 0);
	check_silent("refresh both", p);
	check_settled();
	check_links_work();
	if (run(out, sizeof(out), "test both " ID))
		fail_msg("after call %u (kind %d): %s", p->n, p->which, out);
	return access(PIN_ROOT "/both/" HAS, F_OK);
}

/* After a change with something amiss, where no filter ran: all is there, or nothing. */
static bool check_begun(const char *args, const struct point *p, int status)
{
	char out[16384];

	(void)args;
	for (int i = 0; i < E2E_LINKS; i++)
		if (status)
			e2e_assert_unfiltered(i);
		else
			e2e_assert_works(i);
	if (!status && run(out, sizeof(out), "test both " ID))
		fail_msg("after call %u (kind %d): %s", p->n, p->which, out);
	e2e_remember();
	check_silent("unload --all", p);
	e2e_assert_nothing_left();
	return false;
}

/* Of the filter's programs, the one that is in charge. */
static uint32_t serial(void)
{
	struct filter f;
	uint32_t serial;

	assert_int_equal(filter_open("both", &f), 0);
	serial = f.config->serial;
	filter_close(&f);
	return serial;
}

/* Exit 0: the change is made. Exit 1: it is not, or the line says that it is, and what is left. */
static void check_account(const char *args, const struct point *p, int status, const char *out,
			  bool is_made)
{
	bool is_told = strstr(out, "both: the change is made, but its last steps are not: ") &&
		       strstr(out, "; xdp-dedup refresh both does them\n");

	if (status ? is_told != is_made : !is_made)
		fail_msg("exit %d of %s, %smade, call %u (kind %d), error %d:\n%s", status, args,
			 is_made ? "" : "not ", p->n, p->which, p->err, out);
}

static const struct row {
	const char *name, *args;
	bool begins;	/* there is no filter before */
	bool is_behind; /* each call behind the commit is refused; else some questions */
} ROWS[] = {
	{ "set", "set both --ihave pass", false, false },
	{ "resize", "resize both --capacity 40k", false, false },
	{ "replace", "load --replace --name both --fpr 1e-8", false, false },
	{ "restore", "restore both " SNAPSHOT, true, false },
	{ "restore-into-one-that-runs", "restore both " SNAPSHOT, false, false },
	{ "change-is-made-though-a-set-fails", "set both --ihave pass", false, true },
	{ "change-is-made-though-a-resize-fails", "resize both --capacity 40k", false, true },
	{ "change-is-made-though-a-restore-fails", "restore both " SNAPSHOT, false, true },
};

/* Runs the verb with this call refused. False if it was not met. */
static bool try_point(const struct row *row, struct point *p)
{
	uint32_t before = row->begins ? 0 : serial();
	char out[16384];
	int status;
	bool same;

	p->count = 0;
	p->met = p->is_committed = false;
	status = intercept_tool(row->args, at_call, p, out, sizeof(out));
	check_output(row->args, p, status, out);
	if (!row->begins)
		check_account(row->args, p, status, out, serial() != before);
	same = row->begins ? check_begun(row->args, p, status) : check_changed(row->args, p);
	if (!row->begins && !same) {
		unload();
		load();
	}
	return p->met;
}

static void try_points(const struct row *row, unsigned int most)
{
	struct point p = { .which = QUESTION };
	uint64_t seed = gossip_now_ns();
	unsigned int step, cnt;

	assert_false(try_point(row, &p)); /* none is refused: counts them */
	cnt = p.count;
	assert_true(cnt > 0);
	step = cnt <= most ? 1 : cnt / most;
	print_message("# %s: one of %u of %u calls, seed %llu\n", row->name, step, cnt,
		      (unsigned long long)seed);
	for (p.n = 1 + random_next(&seed) % step; p.n <= cnt; p.n += step) {
		p.err = ERRORS[random_next(&seed) % ARRAY_SIZE(ERRORS)];
		try_point(row, &p);
	}
}

static void try_points_behind(const struct row *row)
{
	struct point p = { .which = BEHIND_COMMIT };
	uint64_t seed = gossip_now_ns();
	unsigned int step = points() > 90 ? 1 : 29;

	p.n = 1 + random_next(&seed) % step;
	do
		p.err = random_next(&seed) % 2 ? ENOBUFS : EMFILE;
	while (try_point(row, &p) && (p.n += step));
	print_message("# %s: %u calls\n", row->name, p.count);
	assert_true(p.n > 2 * step);
}

static void test_refused(void **state)
{
	const struct row *row = *state;

	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt; rm -f " SNAPSHOT);
	load();
	e2e_tool("save both " SNAPSHOT);
	if (row->begins)
		unload();
	if (row->is_behind)
		try_points_behind(row);
	else
		try_points(row, points());
	if (!row->begins)
		unload();
}

static void delete_interface(void)
{
	sh("ip link del ve1");
}

static void move_interface(void)
{
	sh("ip link set ve1 netns %d", e2e_far());
}

static const struct gone {
	const char *name, *args;
	void (*go)(void);
} GONE[] = {
	{ "interface-deleted-during-set", "set both --ihave pass", delete_interface },
	{ "interface-deleted-during-resize", "resize both --capacity 40k", delete_interface },
	{ "interface-moves-during-set", "set both --ihave pass", move_interface },
	{ "interface-moves-during-resize", "resize both --capacity 40k", move_interface },
};

static void bring_back(const struct gone *row, const struct point *p)
{
	if (row->go == move_interface)
		e2e_far_sh("ip link del ve1");
	e2e_add_link(1);
	e2e_remember();
	check_silent("unload --all", p);
	e2e_assert_nothing_left();
}

/* The filter goes on, wherever the interface is. */
static bool try_gone(const struct gone *row, struct point *p)
{
	char out[16384];
	int status;

	load();
	p->count = 0;
	p->met = false;
	status = intercept_tool(row->args, at_call, p, out, sizeof(out));
	if (!p->met) {
		unload();
		return false;
	}
	check_output(row->args, p, status, out);
	e2e_assert_works(0);
	assert_int_equal(run(out, sizeof(out), "status both"), 0);
	check_silent("refresh both", p);
	check_settled();
	e2e_assert_works(0);
	if (run(out, sizeof(out), "test both " ID))
		fail_msg("after change %u: %s", p->n, out);
	bring_back(row, p);
	return true;
}

static void test_gone(void **state)
{
	const struct gone *row = *state;
	struct point p = { .which = CHANGE, .meanwhile = row->go };
	unsigned int step = points() > 90 ? 1 : 40;
	uint64_t seed = gossip_now_ns();
	unsigned int met = 0;

	for (p.n = 1 + random_next(&seed) % step; try_gone(row, &p); p.n += step)
		met++;
	print_message("# %s: at %u changes, one of %u\n", row->name, met, step);
	assert_true(met > 0);
}

#define SAVES 400

static struct {
	int cnt;
	bool is_saved[SAVES];
} saves;

/* For intercept_tool(): saves the filter before each change. */
static int save_before_change(const struct intercepted *call, void *arg)
{
	char out[4096];
	int status;

	(void)arg;
	if (!call->is_change || saves.cnt == SAVES)
		return 0;
	status = sh_out(out, sizeof(out), "%s save both " SNAPSHOT "-%d", tool(), saves.cnt);
	if (status && !strstr(out, "has a predecessor"))
		fail_msg("save before change %d: %s", saves.cnt, out);
	saves.is_saved[saves.cnt++] = !status;
	return 0;
}

/* What is saved while the filter is being resized has its ids, or is refused. */
TEST(saved_while_resized)
{
	int after = 0;
	char out[4096];

	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt");
	saves.cnt = 0;
	load();
	assert_int_equal(intercept_tool("resize both --capacity 40k", save_before_change, NULL, out,
					sizeof(out)),
			 0);
	unload();
	for (int i = 0; i < saves.cnt; i += i < saves.cnt - 40 ? 20 : 3) {
		if (!saves.is_saved[i])
			continue;
		e2e_tool("restore both " SNAPSHOT "-%d", i);
		if (run(out, sizeof(out), "test both " ID))
			fail_msg("saved before change %d of %d: %s", i, saves.cnt, out);
		e2e_tool("unload --all");
		after++;
	}
	assert_true(after > 2 && saves.cnt > after);
}

int main(void)
{
	add_own_tests(e2e_setup, e2e_teardown);
	add_rows(GONE, test_gone, e2e_setup, e2e_teardown);
	add_rows(ROWS, test_refused, e2e_setup, e2e_teardown);
	return run_added_tests("fault");
}
