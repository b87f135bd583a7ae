// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each kind of change, killed at each of its changing system calls and with each of them refused,
 * and after that each next command: at home, and in another network namespace. A case is
 *
 *     KIND:N:HOW:NEXT        e.g. set-ihave:12:kill:status@away, resize-up:3:ENOMEM:save
 *     KIND:N:twice:NEXT      killed, and then a refresh is killed, too
 *     KIND:0:held:none       not killed: packets come while the tool is held at each call
 *
 * At the commit, just behind it, and where links change some cases are tried each time.
 *
 * What must be is what clean runs leave: after the change that was cut short the filter is the old
 * one or the new one, and the next command does what it does to that one.
 *
 * Environment: POINTS cases (the default), spread over all, by SEED, half of them at calls that
 * change what outlives the tool; CASES=all: every case; CASES=lasting: only those at such calls;
 * CASES=distinct: each state that a kill can leave with each next command, and each error with one;
 * CASE: only those of this name, or extended pattern; PROCESSES=N do it.
 */
#include "every_case.h"

#include <fnmatch.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "gossip.h"
#include "intercept.h"

#define POINTS 4
#define CASE_SECONDS 300 /* then it hangs */

static const int ERRORS[] = { ENOMEM, EPERM, EIO };

/* Cut short at the call that commits; at the first one behind it; at each that makes, updates or
 * detaches a link; or at the last one that pins. Most were faults once.
 */
static const struct always {
	const char *kind;
	enum { COMMIT, BEHIND, EXCHANGES, LAST_PIN } where;
	int err; /* 0: killed */
	const char *next;
	bool is_away;
} ALWAYS[] = {
	{ "resize-up", COMMIT, 0, "save", false },	   /* was saved without all ids, */
	{ "resize-up", BEHIND, 0, "save", false },	   /* of either filter */
	{ "resize-up", BEHIND, 0, "json", false },	   /* "detached", and nothing was counted */
	{ "restore-into", BEHIND, EIO, "refresh", false }, /* is made, and the message says so */
	{ "set-add", BEHIND, ENOMEM, "test", false },	   /* detached the link that it ran on */
	{ "set-add", EXCHANGES, 0, "unload", false },	   /* two programs were left */
	{ "set-add", LAST_PIN, 0, "set", true },	   /* the program had no pin: took 3 s */
	{ "set-ihave", BEHIND, 0, "set", true },	   /* took 3 s, and lost the interfaces */
	{ "set-ihave", BEHIND, 0, "refresh", true },	   /* ignored all packets at home */
	{ "resize-forget", COMMIT, EIO, "test", false },   /* had forgotten nevertheless */
	{ "restore-resized", COMMIT, EIO, "set", false },  /* a predecessor that nobody sees */
	{ "load", LAST_PIN, 0, "set", true },		   /* took 3 s */
	{ "load", BEHIND, 0, "set", false },		   /* every later set failed */
	{ "set-for", COMMIT, EPERM, "json", false },	   /* had changed the time */
	{ "replace", EXCHANGES, 0, "json", true },	   /* was attached twice, and dropped all */
	{ "unload-one", EXCHANGES, 0, "set", false },	   /* may leave a program that passes all */
};

#define CALLS_MAX 1024
#define TRIES 10000
#define HOWS 3 /* killed, refused, killed twice */

struct calls {
	const char *what;
	unsigned int cnt;
};

struct figures {
	unsigned int calls, cases, all, faults, unmet;
	unsigned int commit, last_pin;		  /* the calls that commit, and that pin last */
	unsigned int exchanges[8], exchanges_cnt; /* those that change what runs on an interface */
	bool is_lasting[CALLS_MAX + 1];		  /* does call n change what outlives the tool? */
	struct calls by[16];
	double seconds;
};

/* Of all processes. */
#define JOBS_MAX 64
static struct {
	struct figures figures[JOBS_MAX][KINDS_CNT];
} * shared;
static pid_t jobs[JOBS_MAX];
static unsigned int job, jobs_cnt;
static FILE *out_of_all; /* where each process says what it found */

static uint64_t seed;

static const char *how_name(const struct every_case *c)
{
	return c->err == ENOMEM	 ? "ENOMEM"
	       : c->err == EPERM ? "EPERM"
	       : c->err == EIO	 ? "EIO"
	       : c->is_twice	 ? "twice"
				 : "kill";
}

static void name_case(const struct every_case *c, char name[128])
{
	if (!c->n)
		snprintf(name, 128, "%s:0:held:none", c->kind->name);
	else
		snprintf(name, 128, "%s:%u:%s:%s%s", c->kind->name, c->n, how_name(c),
			 next_of(c->next)->name, next_is_away(c->next) ? "@away" : "");
}

/* Says what the case has found. */
static void report(struct every_case *c, struct figures *f)
{
	char name[128];

	if (!*c->fault)
		return;
	name_case(c, name);
	c->fault[strcspn(c->fault, "\n")] = 0;
	f->faults++;
	fprintf(out_of_all, "# CASE=%s (%s) %s\n", name, c->what ?: "held", c->fault);
}

static void try_case(struct every_case *c, struct figures *f)
{
	alarm(CASE_SECONDS);
	every_case_run(c);
	report(c, f);
	every_case_run_saved(c);
	report(c, f);
	f->cases++;
	f->unmet += !c->what;
}

static void count(struct figures *f, const struct intercepted *call)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(f->by) - 1 && f->by[i].what && strcmp(f->by[i].what, call->what))
		i++;
	f->by[i].what = call->what;
	f->by[i].cnt++;
	assert_true(f->calls < CALLS_MAX);
	f->is_lasting[++f->calls] = call->is_lasting;
	if (!f->commit && !strcmp(call->what, "rename"))
		f->commit = f->calls;
	if (!strncmp(call->what, "LINK_", 5) && f->exchanges_cnt < ARRAY_SIZE(f->exchanges))
		f->exchanges[f->exchanges_cnt++] = f->calls;
	if (!strcmp(call->what, "OBJ_PIN"))
		f->last_pin = f->calls;
}

struct held {
	struct every_case *c;
	struct figures *f;
	bool is_seen; /* what has been done so far */
};

/* Counts, and looks at packets before the call, if what has been done since the last look may
 * change what becomes of them.
 */
static int at_held(const struct intercepted *call, void *arg)
{
	struct link_seen seen[E2E_LINKS];
	struct held *h = arg;
	char when[64];

	if (!call->is_change)
		return 0;
	h->c->changes++;
	count(h->f, call);
	snprintf(when, sizeof(when), "held at call %u (%s)", call->changes, call->what);
	if (!h->is_seen)
		check_at_once(h->c, when, seen);
	h->is_seen = !call->is_lasting;
	return 0;
}

static void try_held(const struct kind *k, struct figures *f)
{
	struct every_case c = { .kind = k };
	char out[16384];
	int status;

	alarm(CASE_SECONDS);
	kind_prepare(k);
	status = kind_change(k, at_held, &(struct held){ .c = &c, .f = f }, out, sizeof(out));
	if (status)
		fail_msg("%s: exit %d: %s", k->name, status, out);
	kinds_wipe();
	f->cases++;
	report(&c, f);
}

/* The case of this number, in the order in which all of them are tried. */
static struct every_case case_of(const struct kind *k, uint64_t number)
{
	unsigned int next = number % NEXTS_CNT, n = 1 + number / NEXTS_CNT / HOWS;
	unsigned int how = number / NEXTS_CNT % HOWS;

	return (struct every_case){ .kind = k,
				    .n = n,
				    .next = next,
				    .err = how == 1 ? ERRORS[(n + next) % ARRAY_SIZE(ERRORS)] : 0,
				    .is_twice = how == 2 };
}

/* Is the next case one of those that this process tries? */
static bool is_mine(void)
{
	static unsigned int cnt;

	return cnt++ % jobs_cnt == job;
}

static bool cases_are(const char *which)
{
	const char *cases = getenv("CASES");

	return cases && !strcmp(cases, which);
}

/* A kill leaves what the lasting calls before it have made, so a kill at each of these is enough.
 * After an error the tool takes back what it has done, and a refresh does so after a kill, whatever
 * comes next.
 */
static bool is_distinct(const struct figures *f, const struct every_case *c)
{
	return (c->err || f->is_lasting[c->n]) &&
	       ((!c->err && !c->is_twice) || c->next == c->n % NEXTS_CNT);
}

static bool is_wanted(const struct figures *f, const struct every_case *c)
{
	const char *pattern = getenv("CASE");
	char name[128];

	name_case(c, name);
	return (!cases_are("lasting") || f->is_lasting[c->n]) &&
	       (!cases_are("distinct") || is_distinct(f, c)) &&
	       (!pattern || !fnmatch(pattern, name, FNM_EXTMATCH));
}

/* Each case; where cases are named, with each error. */
static void try_every(const struct kind *k, struct figures *f)
{
	bool is_named = getenv("CASE") && !cases_are("distinct");
	size_t errors = is_named ? ARRAY_SIZE(ERRORS) : 1;

	for (uint64_t i = 0; i < f->all * errors; i++) {
		struct every_case c = case_of(k, i / errors);

		if (!c.err && i % errors)
			continue;
		if (c.err && errors > 1)
			c.err = ERRORS[i % errors];
		if (is_wanted(f, &c) && is_mine())
			try_case(&c, f);
	}
}

/* How many of POINTS cases are this kind's: an equal number for each, as far as that goes. */
static unsigned int points_of(const struct kind *k)
{
	uint64_t points = environment_number("POINTS", POINTS), at = (k - EVERY_KINDS) * points;

	at += seed % KINDS_CNT;
	return (at + points) / KINDS_CNT - at / KINDS_CNT;
}

/* One of the cases from..to-1, if any is wanted. */
static void try_one_of(const struct kind *k, uint64_t from, uint64_t to, uint64_t *state,
		       struct figures *f)
{
	bool is_any = random_next(state) % 2;
	struct every_case c;

	for (int tries = 0; tries < TRIES && from < to; tries++) {
		c = case_of(k, from + random_next(state) % (to - from));
		if (!is_wanted(f, &c) || (!is_any && !f->is_lasting[c.n] && tries < TRIES / 2))
			continue;
		if (is_mine())
			try_case(&c, f);
		return;
	}
}

static void try_this(const struct kind *k, const struct always *a, unsigned int n, struct figures *f)
{
	struct every_case c = { .kind = k, .n = n, .err = a->err };

	while (strcmp(next_of(c.next)->name, a->next) || next_is_away(c.next) != a->is_away)
		c.next++;
	if (is_mine())
		try_case(&c, f);
}

static void try_always(const struct kind *k, struct figures *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(ALWAYS); i++) {
		const struct always *a = &ALWAYS[i];

		if (strcmp(a->kind, k->name))
			continue;
		if (a->where == LAST_PIN)
			try_this(k, a, f->last_pin, f);
		else if (a->where == COMMIT || a->where == BEHIND)
			try_this(k, a, f->commit + a->where, f);
		for (unsigned int e = 0; a->where == EXCHANGES && e < f->exchanges_cnt; e++)
			try_this(k, a, f->exchanges[e], f);
	}
}

static void try_some(const struct kind *k, struct figures *f)
{
	unsigned int points = points_of(k);
	uint64_t state = seed + (k - EVERY_KINDS);

	for (uint64_t i = 0; i < points; i++)
		try_one_of(k, i * f->all / points, (i + 1) * f->all / points, &state, f);
}

/* Can a case of this name, or pattern, be one of the kind's? */
static bool is_of_kind(const char *name, const struct kind *k)
{
	char kind[128];

	snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(name, ":"), name);
	return !fnmatch(kind, k->name, FNM_EXTMATCH);
}

static void test_kind(void **state)
{
	const struct kind *k = *state;
	struct figures *f = &shared->figures[job][k - EVERY_KINDS];
	const char *name = getenv("CASE");
	bool is_sample = getenv("POINTS") || (!name && !getenv("CASES"));
	uint64_t began_ns = gossip_now_ns();

	if (name && !is_of_kind(name, k))
		return;
	kinds_open(k);
	try_held(k, f);
	f->all = f->calls * HOWS * NEXTS_CNT;
	if (is_sample) {
		try_always(k, f);
		try_some(k, f);
	} else {
		try_every(k, f);
	}
	kinds_close();
	f->seconds = (gossip_now_ns() - began_ns) / 1e9;
	if (f->faults)
		fail_msg("%u faults in %u cases of %s", f->faults, f->cases, k->name);
}

static void add_figures(struct figures *sum, const struct figures *f)
{
	sum->cases += f->cases;
	sum->faults += f->faults;
	sum->unmet += f->unmet;
	sum->seconds += f->seconds;
}

/* Of a kind, from all processes. */
static struct figures figures_of(size_t kind)
{
	struct figures sum = shared->figures[0][kind];

	for (unsigned int i = 1; i < jobs_cnt; i++)
		add_figures(&sum, &shared->figures[i][kind]);
	return sum;
}

static void print_figures(void)
{
	struct figures sum = { 0 };

	for (size_t i = 0; i < KINDS_CNT; i++) {
		const struct figures f = figures_of(i);

		if (!f.cases)
			continue;
		printf("# %-20s %3u calls, %5u cases of %5u, %u faults, %.0f s:", EVERY_KINDS[i].name,
		       f.calls, f.cases, f.all + 1, f.faults, f.seconds);
		for (size_t b = 0; b < ARRAY_SIZE(f.by) && f.by[b].what; b++)
			printf(" %u %s", f.by[b].cnt, f.by[b].what);
		printf("\n");
		sum.all += f.all + 1;
		add_figures(&sum, &f);
	}
	printf("# %u of %u cases (%u calls were not made again), %u faults, %.0f s\n", sum.cases,
	       sum.all, sum.unmet, sum.faults, sum.seconds);
}

/* The end: the other processes have found nothing either. */
static void test_others(void **state)
{
	unsigned int failed = 0;
	int status;

	(void)state;
	alarm(0);
	for (unsigned int i = 1; i < jobs_cnt && !job; i++)
		failed += waitpid(jobs[i], &status, 0) != jobs[i] || status;
	if (!job)
		print_figures();
	assert_int_equal(failed, 0);
}

/* The others say what they find, and nothing else. */
static void start_jobs(void)
{
	jobs_cnt = environment_number("PROCESSES", 1);
	if (!jobs_cnt || jobs_cnt > JOBS_MAX)
		jobs_cnt = 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	out_of_all = fdopen(dup(1), "w");
	if (shared == MAP_FAILED || !out_of_all)
		abort();
	setvbuf(out_of_all, NULL, _IOLBF, 0);
	for (unsigned int i = 1; i < jobs_cnt && !job; i++) {
		jobs[i] = fork();
		if (jobs[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		job = i;
		if (!freopen("/dev/null", "w", stdout))
			abort();
	}
}

int main(void)
{
	seed = environment_number("SEED", gossip_now_ns() / 1000);
	printf("# SEED=%ju\n", (uintmax_t)seed);
	fflush(stdout);
	start_jobs();
	add_rows(EVERY_KINDS, test_kind, e2e_setup, e2e_teardown);
	add_test("other-processes", test_others, NULL, NULL, NULL);
	return run_added_tests("every_call");
}
