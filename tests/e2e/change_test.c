// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that are changed under traffic. The senders know every event, and send copies of each
 * over both links, within less than a window. While they send, a row's changes are made, one after
 * another. Each event is delivered once, and the filter has counted every packet.
 *
 * Environment: TIMES=N, so many changes a row (default: each of the row's once; 200 take half a
 * minute for `set`, 8 minutes for `resize-wait`); BUSY=1, while other processes take all CPUs;
 * RATE=N events a second, for slow machines.
 */

#include <pthread.h>
#include <sys/prctl.h>

#include "e2e_runner.h"
#include "output.h"

#define COPIES 4
#define RATE 10000	/* events a second: the sanitizers leave room for four times as many */
#define LAP_S 0.5	/* copies of an event come in two laps, */
#define SHORT_LAP_S 0.1 /* which are short where a row gives up what is older */
#define EVENTS_MAX 10000000
#define STREAM_PPS 1000
#define KILLED_MS 300  /* after which a change has ended, mostly */
#define PATIENCE_S 900 /* with a row, */
#define CHANGE_S 15    /* and with each of its changes: a flood that hangs is ended */
#define SNAPSHOT "/mnt/snapshot"
#define OPERATIONS_MAX 8

#define LOAD "load ve0 ve1 --name f --capacity 1M --fpr 1e-6 --window "
#define WINDOW_S 20
#define COUNTDOWN " --layout countdown --fpr 1e-3 --capacity 400k"

struct row {
	const char *name;
	const char *load; /* NULL: LOAD and WINDOW_S */
	double window_s;  /* 0: WINDOW_S */
	double lap_s;	  /* 0: LAP_S */
	double fpr;	  /* 0: too small to matter */
	bool is_one_link; /* only ve0 runs the filter all the time */
	const char *operations[OPERATIONS_MAX];
};

/* What gives up a predecessor comes when all copies of its ids have come. */
#define SHORTLY .lap_s = SHORT_LAP_S, .operations
#define RESIZE "resize f --forget "

static const struct row ROWS[] = {
	{ "set", .operations = { "set f --ihave pass", "set f --ihave drop" } },
	{ "set-time", .operations = { "set f --for 1h", "set f --action drop" } },
	{ "set-interfaces", .is_one_link = true,
	  .operations = { "set f --remove ve1", "set f --add ve1" } },
	{ "resize", SHORTLY = { RESIZE "--capacity 2M", RESIZE "--capacity 500k" } },
	{ "resize-layout",
	  SHORTLY = { RESIZE "--layout flat", RESIZE "--layout blocked --hash siphash" } },
	{ "resize-countdown", .fpr = 1e-3,
	  SHORTLY = { RESIZE COUNTDOWN, RESIZE "--layout blocked --fpr 1e-6 --capacity 1M" } },
	{ "resize-window", SHORTLY = { RESIZE "--window 40s", RESIZE "--window 20s" } },
	{ "resize-and-set", SHORTLY = { RESIZE "--capacity 2M", "set f --ihave pass",
					RESIZE "--fpr 1e-7 --capacity 1M", "set f --ihave drop" } },
	/* As soon as the predecessor has forgotten all ids by itself. */
	{ "resize-wait", .load = LOAD "2s", .window_s = 2, .lap_s = SHORT_LAP_S,
	  .operations = { "resize f --wait --capacity 2M", "resize f --wait --capacity 1M" } },
	{ "replace", .operations = { "load --replace --name f" } },
	{ "replace-size", SHORTLY = { "load --replace --name f --forget --fpr 1e-7",
				      "load --replace --name f --forget --fpr 1e-6" } },
	{ "restore", SHORTLY = { "restore f " SNAPSHOT " --forget" } },
	/* At any moment; a refresh then ends it, or takes it back. */
	{ "killed", SHORTLY = { "kill set f --ihave pass", "kill " RESIZE "--capacity 2M",
				"kill set f --ihave drop", "kill " RESIZE "--layout flat",
				"kill load --replace --name f", "kill " RESIZE "--layout blocked",
				"kill restore f " SNAPSHOT " --forget" } },
};

/* By the tool of the next format: there is no way back, so there is a flood for each time. */
static const struct row UPGRADES[] = {
	{ "upgrade", SHORTLY = { "load --replace --name f", "load --replace --name f" } },
	{ "upgrade-size",
	  SHORTLY = { "load --replace --name f --capacity 2M", "set f --ihave pass" } },
	{ "upgrade-countdown", .load = "load ve0 ve1 --name f --window 20s" COUNTDOWN, .fpr = 1e-3,
	  SHORTLY = { "load --replace --name f" } },
};

/* By this tool, of what the last release has loaded. */
static const struct row RELEASES[] = {
	{ "upgrade-from-release", SHORTLY = { "load --replace --name f", "set f --ihave pass" } },
};

/* By `run`, on a file with LOAD's options, and at its end what "file LINE" adds; "kill" kills the
 * service, and starts it again.
 */
static const struct row SERVED[] = {
	{ "service-set", .operations = { "file ihave = pass", "kill", "file ihave = drop", "kill" } },
	{ "service-resize", .load = LOAD "500ms", .window_s = 0.5, .lap_s = SHORT_LAP_S,
	  .operations = { "file layout = flat", "file layout = blocked" } },
};

static uint32_t rate(void)
{
	return environment_number("RATE", RATE);
}

static double window_s(const struct row *row)
{
	return row->window_s > 0 ? row->window_s : WINDOW_S;
}

/* What is sent over a link, a lap at a time. */
static struct feed {
	struct gossip_sender *s;
	int32_t *order; /* of a lap: its events, from 0 on, and those of the lap before, below 0 */
	size_t cnt;
	pthread_t thread;
	bool is_running; /* the thread, to be joined */
	bool has_ended;	 /* it sends no more */
	int64_t lap;
	int err;
} feeds[E2E_LINKS];

static int64_t lap_events, laps; /* in lap number `laps`, the last one, no event is new */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t lap_begins = PTHREAD_COND_INITIALIZER;

/* Half of the copies of each event come in its own lap, half in the next one, in any order. */
static void make_order(struct feed *feed, int64_t copies, uint64_t seed)
{
	feed->cnt = lap_events * copies;
	feed->order = malloc(feed->cnt * sizeof(*feed->order));
	assert_non_null(feed->order);
	for (size_t i = 0; i < feed->cnt; i++) {
		size_t other = random_next(&seed) % (i + 1);

		feed->order[i] = feed->order[other];
		feed->order[other] = (int32_t)(i % (2 * lap_events) - lap_events);
	}
}

/* The events of this lap. Returns how many. */
static size_t events_of(const struct feed *feed, int64_t lap, int64_t end, uint32_t *events)
{
	size_t n = 0;

	for (size_t i = 0; i < feed->cnt; i++) {
		int64_t event = lap * lap_events + feed->order[i];

		if (event >= 0 && event < end)
			events[n++] = event;
	}
	return n;
}

/* Does a feed still send what comes before this lap? The caller holds the lock. */
static bool is_any_before(int64_t lap)
{
	for (int i = 0; i < E2E_LINKS; i++)
		if (feeds[i].is_running && !feeds[i].has_ended && feeds[i].lap < lap)
			return true;
	return false;
}

/* Begins the next lap, with the other feed: copies may come by both. Returns all laps. */
static int64_t next_lap(struct feed *feed)
{
	int64_t all;

	pthread_mutex_lock(&lock);
	feed->lap++;
	pthread_cond_broadcast(&lap_begins);
	while (is_any_before(feed->lap))
		pthread_cond_wait(&lap_begins, &lock);
	all = laps;
	pthread_mutex_unlock(&lock);
	return all;
}

static void *flood(void *arg)
{
	struct feed *feed = arg;
	uint32_t *events = malloc(feed->cnt * sizeof(*events));
	int64_t all = laps;

	feed->err = events ? 0 : -ENOMEM;
	for (int64_t lap = 0; lap <= all && !feed->err; lap++) {
		size_t cnt = events_of(feed, lap, all * lap_events, events);

		feed->err = gossip_send(feed->s, events, cnt);
		all = next_lap(feed);
	}
	free(events);
	pthread_mutex_lock(&lock);
	feed->has_ended = true;
	pthread_cond_broadcast(&lap_begins);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* The lap in which the foremost feed is. The caller holds the lock. */
static int64_t foremost(void)
{
	int64_t lap = 0;

	for (int i = 0; i < E2E_LINKS; i++)
		if (feeds[i].lap > lap)
			lap = feeds[i].lap;
	return lap;
}

/* Waits until no copy comes any more of what has come by now. */
static void await_copies(void)
{
	int64_t end;

	pthread_mutex_lock(&lock);
	end = foremost() + 2;
	while (is_any_before(end))
		pthread_cond_wait(&lap_begins, &lock);
	pthread_mutex_unlock(&lock);
}

static void start_feed(int link, int64_t copies, uint64_t seed)
{
	struct feed *feed = &feeds[link];

	feed->s = e2e_sender(link, AF_INET, seed);
	feed->s->rate_pps = rate() * copies;
	make_order(feed, copies, seed + link);
	feed->is_running = !pthread_create(&feed->thread, NULL, flood, feed);
	assert_true(feed->is_running);
}

static void start_feeds(const struct row *row, uint64_t seed)
{
	lap_events = (int64_t)(rate() * (row->lap_s > 0 ? row->lap_s : LAP_S));
	laps = EVENTS_MAX / lap_events;
	memset(feeds, 0, sizeof(feeds));
	start_feed(0, row->is_one_link ? COPIES : COPIES / E2E_LINKS, seed);
	if (row->is_one_link)
		e2e_stream_start(1, STREAM_PPS);
	else
		start_feed(1, COPIES / E2E_LINKS, seed);
}

static void end_feed(struct feed *feed)
{
	if (feed->is_running)
		pthread_join(feed->thread, NULL);
	feed->is_running = false;
	free(feed->order);
	feed->order = NULL;
}

/* Returns how many events they have sent. */
static uint32_t end_feeds(void)
{
	int64_t end;

	pthread_mutex_lock(&lock);
	end = foremost() + 1;
	assert_true(end <= laps);
	laps = end;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < E2E_LINKS; i++) {
		end_feed(&feeds[i]);
		assert_return_code(feeds[i].err, -feeds[i].err);
	}
	return end * lap_events;
}

/* What the receiver has seen. */
static struct {
	uint64_t *sent_ns; /* of each event, when its last copy that came was sent */
	uint64_t window_ns;
	uint32_t young; /* copies that came though their id was younger than the window, */
	uint32_t old;	/* or perhaps was not: where this machine is too slow */
} seen;

/* An id is no older than from when its packet was sent to when the copy is read. */
static void on_event(void *ctx, const struct gossip_packet *p, uint64_t now_ns)
{
	uint64_t *sent_ns = &seen.sent_ns[p->index];

	(void)ctx;
	if (*sent_ns && now_ns - *sent_ns < seen.window_ns)
		seen.young++;
	else if (*sent_ns)
		seen.old++;
	*sent_ns = p->sent_ns;
}

static pid_t service;
static char file[64];

/* The file for `run`; the line is the last one. It appears as a whole. */
static void write_file(const struct row *row, const char *line)
{
	char written[80];
	FILE *f;

	snprintf(written, sizeof(written), "%s.new", file);
	f = fopen(written, "we");

	assert_non_null(f);
	assert_true(fprintf(f,
			    "[filter f]\ninterfaces = ve0 ve1\nport = %u\ncapacity = 1M\n"
			    "window = %gs\nfpr = 1e-6\n%s\n",
			    e2e_port(), window_s(row), line) > 0);
	assert_int_equal(fclose(f), 0);
	assert_return_code(rename(written, file), errno);
}

/* SIGHUP waits, blocked, for a service that is not yet ready for it. */
static void serve(void)
{
	sigset_t hup, before;

	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	sigprocmask(SIG_BLOCK, &hup, &before);
	service = fork();
	if (!service) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(tool(), "xdp-dedup", "run", "--config", file, NULL);
		_exit(127);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_return_code(service, errno);
}

static void end_service(void)
{
	if (service > 0) {
		kill(service, SIGKILL);
		waitpid(service, NULL, 0);
	}
	service = 0;
}

/* Waits until the filter is as the line says, in `status --json`. */
static void await_line(const char *line)
{
	uint64_t end_ns = gossip_now_ns() + PATIENCE_MS * 1000000ULL;
	char key[32], value[32];

	assert_int_equal(sscanf(line, "%31s = %31s", key, value), 2);
	while (gossip_now_ns() < end_ns) {
		json_object *o = tool_status("f");
		bool is = !strcmp(text(o, key), value);

		json_object_put(o);
		if (is)
			return;
		usleep(20000);
	}
	fail_msg("not within %d s: %s", PATIENCE_MS / 1000, line);
}

static void run_killed(const char *args)
{
	uint64_t ns = gossip_now_ns();
	char out[4096];

	sh_out(out, sizeof(out), "timeout -s KILL %g %s %s",
	       random_next(&ns) % KILLED_MS / 1000.0 + 0.001, tool(), args);
	e2e_tool("refresh f");
}

static void operate(const struct row *row, const char *operation)
{
	if (strstr(operation, " --forget"))
		await_copies();
	if (strstr(operation, "restore "))
		e2e_tool("save f " SNAPSHOT " --forget");
	/* A service that finds a predecessor tries again after 5 s. */
	if (!strncmp(operation, "file layout", 11))
		usleep(2.1e6 * window_s(row));
	if (!strcmp(operation, "kill")) {
		end_service();
		serve();
	} else if (!strncmp(operation, "kill ", 5)) {
		run_killed(operation + 5);
	} else if (!strncmp(operation, "file ", 5)) {
		write_file(row, operation + 5);
		kill(service, SIGHUP);
		await_line(operation + 5);
	} else {
		e2e_tool("%s", operation);
	}
}

/* The row's operations in turn; at least each of them once. */
static void operate_often(const struct row *row, unsigned int times)
{
	for (unsigned int i = 0, next = 0; i < times || row->operations[next]; i++, next++) {
		if (next == OPERATIONS_MAX || !row->operations[next])
			next = 0;
		operate(row, row->operations[next]);
	}
}

/* Every packet has been judged, and counted. */
static void check_counters(const struct row *row, uint64_t sent, uint64_t passed)
{
	json_object *o = tool_status("f"), *c = member(o, "counters");

	for (int ms = 0; ms < PATIENCE_MS && number(c, "duplicate") < sent - passed; ms += 50) {
		usleep(50000);
		json_object_put(o);
		o = tool_status("f");
		c = member(o, "counters");
	}
	assert_number(c, "duplicate", sent - passed);
	assert_number(c, "dropped", sent - passed);
	/* And what came on the other link while the filter ran there. */
	if (!row->is_one_link)
		assert_number(c, "new", passed);
	json_object_put(o);
}

static struct gossip_receiver *receive(const struct row *row, uint64_t seed)
{
	struct gossip_receiver *r = e2e_receiver(-1, AF_INET, seed, EVENTS_MAX);

	free(seen.sent_ns);
	memset(&seen, 0, sizeof(seen));
	seen.window_ns = window_s(row) * 1e9;
	seen.sent_ns = calloc(EVENTS_MAX, sizeof(*seen.sent_ns));
	assert_non_null(seen.sent_ns);
	r->on_event = on_event;
	assert_return_code(gossip_receiver_start(r), EAGAIN);
	return r;
}

/* Why packets passed as if they were new: the hand was late, or the filter was full. */
static void print_passed(void)
{
	json_object *o = tool_status("f"), *c = member(o, "counters");

	print_message("# stale %g, unlearned %g\n", number(c, "stale"), number(c, "unlearned"));
	json_object_put(o);
}

/* No event came twice, and those that never came are as few as the row's rate promises. */
static void check_received(const struct row *row, struct gossip_receiver *r, uint32_t events)
{
	uint32_t lost;

	assert_return_code(gossip_receiver_stop(r, 200), EIO);
	assert_int_equal(gossip_receiver_lost(r), 0);
	r->events = events;
	lost = gossip_delivered(r, 0);
	print_message("# %u events: never %u, twice %u, after a window %u\n", events, lost,
		      seen.young, seen.old);
	print_passed();
	assert_true(lost <= (row->fpr > 0 ? poisson_bound(events * row->fpr) : 0));
	assert_int_equal(seen.young, 0);
	assert_int_equal(r->packets, events - lost + seen.old);
}

/* The changes are made by this tool; NULL: the one that is tested. */
static void change(const struct row *row, const char *by, unsigned int times)
{
	uint64_t seed = gossip_now_ns();
	struct gossip_receiver *r;
	uint32_t events;

	alarm(PATIENCE_S + CHANGE_S * times);
	if (row->load)
		e2e_load("%s", row->load);
	else
		e2e_load(LOAD "%ds", WINDOW_S);
	use_tool(by);
	if (*file)
		serve();
	r = receive(row, seed);
	start_feeds(row, seed);
	await_copies();
	operate_often(row, times);
	events = end_feeds();
	if (row->is_one_link)
		e2e_stream_stop(1);
	check_received(row, r, events);
	check_counters(row, (uint64_t)events * COPIES, r->packets);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_close(feeds[i].s, NULL);
	e2e_close(NULL, r);
	e2e_tool("unload --name f");
}

static unsigned int times(void)
{
	return environment_number("TIMES", 1);
}

static void test_change(void **state)
{
	change(*state, NULL, times());
}

static void test_upgrade(void **state)
{
	for (unsigned int i = 0; i < times(); i++) {
		use_tool(NULL);
		change(*state, next_tool(), 1);
	}
}

static void test_release(void **state)
{
	if (access(last_tool(), X_OK))
		skip();
	for (unsigned int i = 0; i < times(); i++) {
		use_tool(last_tool());
		change(*state, NULL, 1);
	}
}

static void test_served(void **state)
{
	const struct row *row = *state;

	snprintf(file, sizeof(file), "/tmp/xdp-dedup-change-%d", getpid());
	write_file(row, "");
	change(row, NULL, times());
	assert_int_equal(waitpid(service, NULL, WNOHANG), 0); /* it runs */
}

static int setup(void **state)
{
	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt");
	return e2e_setup(state);
}

static int teardown(void **state)
{
	end_service();
	if (*file)
		unlink(file);
	*file = 0;
	for (int i = 0; i < E2E_LINKS; i++) {
		if (feeds[i].is_running)
			feeds[i].s->stop = true;
		laps = 0;
		end_feed(&feeds[i]);
	}
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
	add_rows(ROWS, test_change, setup, teardown);
	add_rows(UPGRADES, test_upgrade, setup, teardown);
	add_rows(RELEASES, test_release, setup, teardown);
	add_rows(SERVED, test_served, setup, teardown);
	return run_added_tests("change");
}
