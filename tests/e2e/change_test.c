// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that are changed under traffic: the senders know every event, and send copies of each over
 * both links, soon after it and long after. Whatever is done meanwhile, each is delivered once.
 *
 * Environment: TIMES=N, each row so many times; BUSY=1, while other processes take all CPUs.
 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e_runner.h"
#include "output.h"

#define EVENTS 100000
#define COPIES 4
#define SPREAD (EVENTS / 10) /* events by which copies of one are apart, at most */
#define LOAD "load ve0 ve1 --name f --capacity 1M --window 60s --fpr 1e-6"
#define OPERATIONS_MAX 8

struct row {
	const char *name;
	double fpr;	  /* 0: too small to matter */
	const char *load; /* NULL: LOAD */
	const char *operations[OPERATIONS_MAX];
};

static const struct row ROWS[] = {
	{ "set-twice", 0, NULL, { "set f --ihave pass", "set f --ihave drop" } },
	{ "drop-for-a-time-and-for-ever", 0, NULL, { "set f --for 1h", "set f --action drop" } },
	{ "larger", 0, NULL, { "resize f --capacity 2M" } },
	{ "smaller", 0, NULL, { "resize f --capacity 500k" } },
	{ "again-and-again",
	  0,
	  NULL,
	  { "resize f --capacity 2M", "set f --ihave pass", "resize f --forget --fpr 1e-7" } },
	{ "to-flat", 0, NULL, { "resize f --layout flat" } },
	{ "to-countdown", 1e-3, NULL, { "resize f --layout countdown --fpr 1e-3 --capacity 250k" } },
	{ "from-flat", 0, LOAD " --layout flat", { "resize f --layout blocked --hash siphash" } },
	{ "from-countdown",
	  1e-3,
	  LOAD " --layout countdown --fpr 1e-3 --capacity 250k",
	  { "resize f --layout blocked" } },
	{ "another-window", 0, NULL, { "resize f --window 120s" } },
	{ "replace", 0, NULL, { "load --replace --name f", "load --replace --name f --fpr 1e-7" } },
};

/* By the tool of the next format. */
static const struct row UPGRADES[] = {
	{ "upgrade", 0, NULL, { "load --replace --name f", "load --replace --name f" } },
	{ "upgrade-larger", 0, NULL, { "load --replace --name f --capacity 2M", "set f --ihave pass" } },
	{ "upgrade-of-countdown",
	  1e-3,
	  LOAD " --layout countdown --fpr 1e-3 --capacity 250k",
	  { "load --replace --name f" } },
};

/* By `run`, on a file that says the same as LOAD: "serve" starts it, "file LINE" adds to the file
 * and has it read, "kill" kills it.
 */
static const struct row SERVED[] = {
	{ "served",
	  0,
	  NULL,
	  { "serve", "file ihave = pass", "file layout = flat", "kill", "serve",
	    "file action = drop" } },
};

static pid_t service;
static char file[64];

static void add_to_file(const char *mode, const char *text)
{
	FILE *f = fopen(file, mode);

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0 && !fclose(f));
}

/* SIGHUP waits, blocked, for a service that is not yet ready for it. */
static void serve(void)
{
	char text[256];
	sigset_t hup;

	if (!*file) {
		snprintf(file, sizeof(file), "/tmp/xdp-dedup-change-%d", getpid());
		snprintf(text, sizeof(text),
			 "[filter f]\ninterfaces = ve0 ve1\nport = %u\ncapacity = 1M\n"
			 "window = 60s\nfpr = 1e-6\n",
			 e2e_port());
		add_to_file("we", text);
	}
	service = fork();
	assert_return_code(service, errno);
	if (!service) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigemptyset(&hup);
		sigaddset(&hup, SIGHUP);
		sigprocmask(SIG_BLOCK, &hup, NULL);
		execl(tool(), "xdp-dedup", "run", "--config", file, NULL);
		_exit(127);
	}
}

static void end_service(void)
{
	if (service > 0) {
		kill(service, SIGKILL);
		waitpid(service, NULL, 0);
	}
	service = 0;
}

/* Has everything been done that was asked of it by now? */
static void await_service(const char *key, const char *value)
{
	for (int ms = 0; ms < PATIENCE_MS; ms += 50) {
		json_object *o = tool_status("f");
		bool is = !strcmp(text(o, key), value);

		json_object_put(o);
		if (is)
			return;
		usleep(50000);
	}
	fail_msg("%s is not %s", key, value);
}

static void operate(const char *operation)
{
	if (!strcmp(operation, "serve")) {
		serve();
	} else if (!strcmp(operation, "kill")) {
		await_service("layout", "flat");
		end_service();
	} else if (!strncmp(operation, "file ", 5)) {
		add_to_file("ae", operation + 5);
		add_to_file("ae", "\n");
		kill(service, SIGHUP);
	} else {
		e2e_tool("%s", operation);
	}
}

/* What is sent over one link: all events, each in half of its copies. */
struct feed {
	struct gossip_sender *s;
	uint32_t *order;
};

static void start_feed(struct feed *feed, int link, uint64_t seed)
{
	feed->s = e2e_sender(link, AF_INET, seed);
	feed->order = gossip_shuffle(EVENTS, COPIES / E2E_LINKS, SPREAD, seed + link);
	assert_non_null(feed->order);
	feed->s->rate_pps = 40000; /* half of what goes through here with the sanitizers on */
	assert_return_code(gossip_sender_start(feed->s, feed->order, EVENTS * COPIES / E2E_LINKS),
			   EAGAIN);
}

static void end_feed(struct feed *feed)
{
	assert_return_code(gossip_sender_wait(feed->s), EIO);
	e2e_close(feed->s, NULL);
	free(feed->order);
}

static void assert_counters(uint32_t lost)
{
	json_object *o = tool_status("f"), *counters = member(o, "counters");

	assert_number(counters, "new", EVENTS - lost);
	assert_number(counters, "duplicate", EVENTS * (COPIES - 1) + lost);
	assert_number(counters, "dropped", EVENTS * (COPIES - 1) + lost);
	json_object_put(o);
}

/* The changes are done by this tool; NULL: the one that is tested. */
static void change(const struct row *row, const char *by)
{
	struct feed feeds[E2E_LINKS];
	struct gossip_receiver *r;
	uint64_t seed;
	uint32_t lost;

	seed = gossip_now_ns();
	r = e2e_receiver(-1, AF_INET, seed, EVENTS);
	e2e_load("%s", row->load ?: LOAD);
	use_tool(by);
	assert_return_code(gossip_receiver_start(r), EAGAIN);
	for (int i = 0; i < E2E_LINKS; i++)
		start_feed(&feeds[i], i, seed);
	for (int i = 0; i < OPERATIONS_MAX && row->operations[i]; i++) {
		usleep(500000);
		operate(row->operations[i]);
		assert_false(feeds[0].s->stop);
	}
	for (int i = 0; i < E2E_LINKS; i++)
		end_feed(&feeds[i]);
	assert_return_code(gossip_receiver_stop(r, 200), EIO);
	assert_int_equal(gossip_receiver_lost(r), 0);
	lost = gossip_delivered(r, 0);
	print_message("# once %u, never %u, twice %u; stale %llu, unlearned %llu\n",
		      gossip_delivered(r, 1), lost, gossip_delivered(r, 2),
		      (unsigned long long)tool_counter("f", "stale"),
		      (unsigned long long)tool_counter("f", "unlearned"));
	assert_true(lost <= (row->fpr > 0 ? poisson_bound(EVENTS * row->fpr) : 0));
	assert_int_equal(gossip_delivered(r, 1), EVENTS - lost);
	assert_counters(lost);
	e2e_close(NULL, r);
	e2e_tool("unload ve0 ve1");
}

/* TIMES times. */
static void change_often(const struct row *row, const char *by)
{
	unsigned int times = environment_number("TIMES", 1);

	for (unsigned int i = 0; i < times; i++) {
		use_tool(NULL);
		change(row, by);
	}
}

static void test_change(void **state)
{
	change_often(*state, NULL);
}

static void test_upgrade(void **state)
{
	change_often(*state, next_tool());
}

static void test_served(void **state)
{
	change(*state, NULL);
	assert_int_equal(waitpid(service, NULL, WNOHANG), 0); /* it runs */
}

static int teardown(void **state)
{
	end_service();
	if (*file)
		unlink(file);
	return e2e_teardown(state);
}

/* They end with this process. */
static void be_busy(void)
{
	for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
}

int main(void)
{
	if (getenv("BUSY"))
		be_busy();
	add_rows(ROWS, test_change, e2e_setup, e2e_teardown);
	add_rows(UPGRADES, test_upgrade, e2e_setup, e2e_teardown);
	add_rows(SERVED, test_served, e2e_setup, teardown);
	return run_added_tests("change");
}
