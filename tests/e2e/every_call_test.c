// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each kind of change, killed at each of its changing system calls and with each of them refused,
 * and after that each next command: at home, and in another network namespace. A case is
 *
 *     KIND:N:HOW:NEXT        e.g. set-ihave:12:kill:status@away, resize-up:3:ENOMEM:save
 *     KIND:0:held:none       not killed: packets come while the tool is held at each call
 *
 * What must be is what clean runs leave: after the change that was cut short the filter is the old
 * one or the new one, and the next command does what it does to that one.
 *
 * Environment: POINTS cases (the default), spread over all, by SEED, half of them at calls that
 * change what outlives the tool; CASES=all: every case; CASES=lasting: only those at such calls;
 * CASE: only those of this name, a pattern; PROCESSES=N do it.
 */
#include "e2e_runner.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "filter_state.h"
#include "intercept.h"
#include "link_probe.h"

#define POINTS 4
#define CASE_SECONDS 300 /* then it hangs */
#define AWAY_SECONDS 2.5 /* a command that takes longer waits for something */
#define LEFT_MS 10000	 /* in which the kernel frees what nobody has any more */
#define ADVICES_MAX 4
#define IMAGE "/mnt/image"
#define SAVED "/mnt/saved"
#define TAUGHT 8    /* ids that the filter knows before the change, */
#define SAVED_TOO 8 /* and that the image has besides */
#define SIZE " --capacity 20k --fpr 1e-6 --window 1d"
#define GSP " --port @0-@2"
#define BOTH 3 /* links */

enum base { OLD, NEW, BASES };

/* A change: @0, @1 and @2 stand for this process's ports. */
struct kind {
	const char *name;
	const char *options;	  /* of the filter that runs before, */
	const char *args;	  /* and what changes it */
	int old_links, new_links; /* on which it runs before and after, a bit each; 0: on both */
	bool passes_after;	  /* the new filter does not drop, or */
	bool unlearning_after;	  /* does not learn */
	bool begins, ends;	  /* there is no filter before; after */
	bool was_resized;   /* the filter before has a predecessor, which knows what was taught, */
	bool has_forgotten; /* or had one, and was taught after that */
	bool forgets;	    /* the new filter does not know what the old one was taught */
	bool untaught;	    /* the new filter has not been taught anything */
	bool is_by_link;    /* each interface may be done, or not */
	bool upgrades;	    /* by the tool of the next format, which also does what follows */
	bool restores;	    /* the new filter knows what the image has */
	const char *ids;    /* as verbs take the stream; NULL: "both" */
};

#define KIND(called, of, change, ...)                                      \
	{                                                                  \
		.name = called, .options = of, .args = change, __VA_ARGS__ \
	}
#define DELIVER " --deliver xsk"
#define STREAMS " --profile gsp:@0 --profile rtp:@1 --profile x=rtp:@2"
#define SEVERAL " --ihave pass --port @0,@2 --to 10.77.0.0/16 --for 3h"
#define REPLACE "load --replace --name both"

static const struct kind KINDS[] = {
	KIND("set-ihave", GSP SIZE, "set both --ihave pass"),
	KIND("set-port", GSP SIZE, "set both --port @0,@1"),
	KIND("set-to", GSP SIZE, "set both --to 10.77.0.0/16,fd77::/16"),
	KIND("set-for", GSP SIZE " --for 3h", "set both --for 50m"),
	KIND("set-xsk", GSP SIZE, "set both --deliver xsk"),
	KIND("set-stack", GSP SIZE DELIVER, "set both --deliver stack"),
	KIND("set-several", GSP SIZE, "set both" SEVERAL),
	KIND("set-action", GSP SIZE, "set both --action count", .passes_after = true),
	KIND("set-learn", GSP SIZE, "set both --learn app", .unlearning_after = true),
	KIND("set-streams", STREAMS SIZE, "set both --profile gsp:@0 --profile x=rtp:@2",
	     .ids = "both/gsp"),
	KIND("set-add", GSP SIZE, "set both --add ve1", .old_links = 1),
	KIND("set-remove", GSP SIZE, "set both --remove ve1", .new_links = 1),
	KIND("resize-up", GSP SIZE, "resize both --capacity 40k"),
	KIND("resize-down", GSP SIZE, "resize both --capacity 10k"),
	KIND("resize-flat", GSP SIZE, "resize both --layout flat"),
	KIND("resize-countdown", GSP SIZE, "resize both --layout countdown"),
	KIND("resize-of-flat", GSP SIZE " --layout flat", "resize both --layout blocked"),
	KIND("resize-of-countdown", GSP SIZE " --layout countdown",
	     "resize both --layout countdown --capacity 40k"),
	KIND("resize-xsk", GSP SIZE DELIVER, "resize both --window 2d"),
	KIND("resize-forget", GSP SIZE, "resize both --capacity 40k --forget", .was_resized = true,
	     .forgets = true),
	KIND("replace", GSP SIZE, REPLACE),
	KIND("replace-size", GSP SIZE, REPLACE " --capacity 40k --ihave pass"),
	KIND("replace-fewer", GSP SIZE, REPLACE " ve0", .new_links = 1),
	KIND("replace-other", GSP SIZE, REPLACE " ve1", .old_links = 1, .new_links = 2),
	KIND("upgrade", GSP SIZE, REPLACE, .upgrades = true),
	KIND("restore-into", GSP SIZE, "restore both " IMAGE, .restores = true),
	KIND("restore-resized", GSP SIZE, "restore both " IMAGE, .was_resized = true,
	     .has_forgotten = true, .restores = true),
	KIND("restore", GSP SIZE, "restore both " IMAGE, .begins = true, .restores = true),
	KIND("load", GSP SIZE, "load ve0 ve1 --name both" GSP SIZE, .begins = true, .untaught = true),
	KIND("unload", GSP SIZE, "unload --name both", .ends = true),
	KIND("unload-one", GSP SIZE, "unload ve1", .new_links = 1, .is_by_link = true),
};
#define KINDS_CNT ARRAY_SIZE(KINDS)

static const struct next {
	const char *name, *args;
	bool changes;
} NEXTS[] = {
	{ "status", "status both", false },
	{ "json", "status both --json", false },
	{ "save", "save both " SAVED, false },
	{ "test", "test @ids", false },
	{ "set", "set both --vlan none", true },
	{ "resize", "resize both --capacity 30k", true },
	{ "restore", "restore both " IMAGE, true },
	{ "refresh", "refresh both", true },
	{ "unload", "unload --name both", true },
};
#define PLACES 2 /* home, away */
#define NEXTS_CNT (ARRAY_SIZE(NEXTS) * PLACES)

static const int ERRORS[] = { ENOMEM, EPERM, EIO };

struct one {
	const struct kind *kind;
	unsigned int n;	   /* the changing call, from 1 on; 0: none */
	int err;	   /* that it ends with; 0: the tool is killed at it */
	unsigned int next; /* of NEXTS, at home; from ARRAY_SIZE(NEXTS) on, away */

	unsigned int changes;  /* met so far */
	const char *what;      /* call n, once it is met */
	int status;	       /* of the change, */
	enum base base;	       /* which filter it left, */
	struct filter_state s; /* and what the filter is now */
	bool keeps[E2E_LINKS]; /* has the filter learned what came just after the fault? */
	char learned[E2E_LINKS][LINK_PROBE_HEX];
	char advice[128]; /* "" if none was given */
	char fault[1024]; /* the first that was found; "" if none */
};

#define CALLS_MAX 1024
#define TRIES 10000

struct calls {
	const char *what;
	unsigned int cnt;
};

struct figures {
	unsigned int calls, cases, all, faults, unmet;
	const char *at[CALLS_MAX]; /* what the call changes */
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

static pid_t away;
static uint64_t seed;

/* What clean runs leave. */
static struct reference {
	bool is_known;
	int status;
	struct filter_state s;
} references[BASES][NEXTS_CNT + 1]; /* the last: without a next command */

static int old_links(const struct kind *k)
{
	return k->begins ? 0 : k->old_links ?: BOTH;
}

static int new_links(const struct kind *k)
{
	return k->ends ? 0 : k->new_links ?: BOTH;
}

/* Is a filter between the old and the new one nothing wrong? */
static bool is_partial(const struct kind *k)
{
	return k->begins || k->ends || k->is_by_link;
}

static bool is_away(unsigned int next)
{
	return next >= ARRAY_SIZE(NEXTS) && next < NEXTS_CNT;
}

static const struct next *next_of(unsigned int next)
{
	return &NEXTS[next % ARRAY_SIZE(NEXTS)];
}

static double now(void)
{
	return gossip_now_ns() / 1e9;
}

/* Whether this is so; if not, it is what the case has found. */
__attribute__((format(printf, 3, 4))) static bool check(struct one *c, bool is_so,
							const char *format, ...)
{
	va_list args;

	if (is_so || *c->fault)
		return is_so;
	va_start(args, format);
	vsnprintf(c->fault, sizeof(c->fault), format, args);
	va_end(args);
	return false;
}

/* Puts ports and ids in their places. */
static void expand(const struct kind *k, const char *args, char out[4096])
{
	size_t len = 0;

	for (; *args; args++) {
		if (*args != '@')
			out[len++] = *args;
		else if (args[1] >= '0' && args[1] <= '2')
			len += sprintf(out + len, "%d", e2e_port() + *++args - '0');
		else {
			args += strlen("ids");
			len += sprintf(out + len, "%s", k->ids ?: "both");
			for (unsigned int i = 0; i < TAUGHT; i++) {
				out[len++] = ' ';
				link_probe_id(i, out + len);
				len += LINK_PROBE_HEX - 1;
			}
		}
	}
	out[len] = 0;
}

/* Runs the tool; returns its exit status. */
static int run(const struct kind *k, const char *args, char *out, size_t size)
{
	char text[4096];

	expand(k, args, text);
	return sh_out(out, size, "%s %s", tool(), text);
}

/* A command of the test's own, which always works. */
static void must(const struct kind *k, const char *args)
{
	char out[4096];

	if (run(k, args, out, sizeof(out)))
		fail_msg("%s: %s: %s", k->name, args, out);
}

/* Nothing is left, whatever there was. */
static void wipe(void)
{
	char out[4096];

	netns_enter(0);
	sh_out(out, sizeof(out), "%s unload --all --force", tool());
	for (int i = 0; i < E2E_LINKS; i++)
		sh_out(out, sizeof(out), "ip link set ve%d xdp off", i);
	sh_out(out, sizeof(out), "rm -rf %s/*", PIN_ROOT);
	use_tool(NULL);
}

static void load(const struct kind *k)
{
	char args[512];

	snprintf(args, sizeof(args), "load ve0%s --name both%s", k->old_links == 1 ? "" : " ve1",
		 k->options);
	must(k, args);
	must(k, "add @ids");
	if (k->was_resized)
		must(k, "resize both --capacity 25k");
	if (k->has_forgotten) {
		must(k, "reset both");
		must(k, "refresh both");
		must(k, "add @ids");
	}
}

/* Makes what there is before the change. */
static void prepare(const struct kind *k)
{
	use_tool(NULL);
	if (!k->begins)
		load(k);
	if (k->upgrades)
		use_tool(next_tool());
	link_probe_forget();
}

static void make_image(const struct kind *k)
{
	char hex[LINK_PROBE_HEX], args[128];
	struct kind plain = *k;

	plain.was_resized = plain.has_forgotten = false;
	load(&plain);
	for (unsigned int i = TAUGHT; i < TAUGHT + SAVED_TOO; i++) {
		link_probe_id(i, hex);
		snprintf(args, sizeof(args), "add %s %s", k->ids ?: "both", hex);
		must(k, args);
	}
	must(k, "save both " IMAGE);
	wipe();
}

static int run_next(const struct kind *k, unsigned int next, char *out, size_t size)
{
	int status;

	netns_enter(is_away(next) ? away : 0);
	status = run(k, next_of(next)->args, out, size);
	netns_enter(0);
	return status;
}

/* What the next command (or none) does to the old filter, or the new one. */
static const struct reference *reference(const struct kind *k, enum base base, unsigned int next)
{
	struct reference *r = &references[base][next];
	char out[16384];

	if (r->is_known)
		return r;
	prepare(k);
	if (base == NEW)
		must(k, k->args);
	if (next < NEXTS_CNT)
		r->status = run_next(k, next, out, sizeof(out));
	filter_state_read("both", &r->s);
	r->is_known = true;
	wipe();
	return r;
}

static bool is_same(const struct kind *k, const struct filter_state *a, const struct filter_state *b)
{
	if (!a->is_there || !b->is_there)
		return a->is_there == b->is_there;
	/* A program is attached after the commit: until then status says that it is not. */
	return !strcmp(a->settings, b->settings) &&
	       (is_partial(k) || b->is_changing || !strcmp(a->ifaces, b->ifaces));
}

#define NOTE "xdp-dedup: note: "

/* What is wrong, in a line; notes may come before it. */
static bool is_one_line(const char *out)
{
	const char *end;

	while (!strncmp(out, NOTE, strlen(NOTE)) && strchr(out, '\n'))
		out = strchr(out, '\n') + 1;
	end = strchr(out, '\n');
	return !strncmp(out, "xdp-dedup: ", 11) && end && !end[1];
}

/* The command that a message advises, if it is one for this machine. */
static void find_advice(struct one *c, const char *out)
{
	static const char *const WORDS[] = { "both", "ve0", "ve1",    "unload",
					     "load", "set", "resize", "refresh" };
	const char *at = strstr(out + strlen("xdp-dedup: "), "xdp-dedup ");
	char text[128], *rest = text, *word;
	size_t len = 0, words = 0;

	if (!at)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(at + 10, ";,.:()\n"), at + 10);
	while ((word = strsep(&rest, " "))) {
		size_t i = 0;

		while (i < ARRAY_SIZE(WORDS) && strcmp(word, WORDS[i]))
			i++;
		if (i == ARRAY_SIZE(WORDS) && strncmp(word, "--", 2))
			break;
		len += snprintf(c->advice + len, sizeof(c->advice) - len, " %s", word);
		words++;
	}
	if (words < 2 || strstr(out, "IFNAME"))
		*c->advice = 0;
}

/* A command that may have failed said so in a line. */
static bool check_said(struct one *c, const char *who, int status, const char *out)
{
	bool is_test = !strcmp(who, "test") && status == 3;

	if (!check(c, !strstr(out, "Sanitizer"), "crash: %s: %s", who, out) ||
	    !check(c, status <= 1 || is_test, "exit: %s ends with %d: %s", who, status, out) ||
	    !check(c, status != 1 || is_one_line(out), "lines: %s: %s", who, out))
		return false;
	if (status == 1)
		find_advice(c, out);
	return true;
}

/* What a link must do, and may. */
static bool check_link(struct one *c, int i, const struct link_seen *seen, const char *when,
		       bool must_drop, bool may_drop, bool must_learn)
{
	return check(c, !seen->loses_fresh, "loses: %s, ve%d loses a fresh id", when, i) &&
	       check(c, !must_drop || c->kind->untaught || c->kind->forgets || !seen->passes_known,
		     "passes: %s, ve%d passes a known id", when, i) &&
	       check(c, may_drop || c->kind->untaught || seen->passes_known,
		     "drops: %s, ve%d drops a known id", when, i) &&
	       check(c, !must_learn || !seen->passes_copy,
		     "passes: %s, ve%d passes what it has just learned", when, i);
}

/* Does an interface of this network namespace run a program of this configuration? */
static bool runs_here(uint32_t config_id)
{
	struct attachment *list;
	bool runs = false;
	int cnt;

	assert_int_equal(attach_list(&list, &cnt), 0);
	for (int i = 0; i < cnt; i++)
		runs |= !list[i].err && list[i].id.config_id == config_id;
	free(list);
	return runs;
}

/* Which of the states of ARCHITECTURE.md's table there is: NAME is never incomplete, the two are
 * never of one age, and before the commit no interface runs what is in +NAME.
 */
static bool check_pins_state(struct one *c, const char *when)
{
	struct filter f, beside;
	struct identity id = { 0 };
	bool ok = true;
	int err = filter_open("both", &f);

	if (err)
		return check(c, err == -ENOENT || c->kind->upgrades,
			     "table: %s, both cannot be opened: %d", when, err);
	err = filter_open_beside("both", &beside);
	ok = check(c, !err || err == -ENOENT || err == -EPROTO, "table: %s, +both: %d", when, err);
	if (!err) {
		ok = check(c, f.config->serial != beside.config->serial, "table: %s, of one age",
			   when);
		filter_identity("+both", &id);
		if (ok && filter_is_later(&beside, &f))
			ok = check(c, !runs_here(id.config_id),
				   "table: %s, what is not committed is attached", when);
		filter_close(&beside);
	}
	filter_close(&f);
	return ok;
}

/* Just after the fault, or at a call: what both filters do is done. */
static bool check_at_once(struct one *c, const char *when, struct link_seen seen[E2E_LINKS])
{
	const struct kind *k = c->kind;
	int always = old_links(k) & new_links(k), ever = old_links(k) | new_links(k);
	bool ok = check_pins_state(c, when);

	link_probe(c->changes % TAUGHT, seen);
	for (int i = 0; i < E2E_LINKS && ok; i++) {
		bool must_drop = always >> i & 1 && !k->passes_after;

		ok = check_link(c, i, &seen[i], when, must_drop, ever >> i & 1,
				must_drop && !k->unlearning_after);
	}
	return ok && check(c,
			   always != BOTH || k->passes_after || k->unlearning_after ||
				   (!seen[0].passes_other && !seen[1].passes_other),
			   "passes: %s, one interface passes what came by the other", when);
}

/* What status says is what becomes of packets, and they are counted. Of a change that has not ended
 * it says so: until then packets may meet the program of before.
 */
static bool check_status_is_true(struct one *c, const char *when)
{
	uint64_t sent[E2E_LINKS] = { 0 }, counted = 0, before;
	struct link_seen seen[E2E_LINKS];
	struct filter_state now;
	char ifname[] = "ve0";
	bool ok = true;

	filter_state_read("both", &c->s);
	before = c->s.looked_at;
	for (int i = 0; i < E2E_LINKS; i++)
		sent[i] = link_probe_sent(i);
	link_probe((c->changes + 1) % TAUGHT, seen);
	for (int i = 0; i < E2E_LINKS && ok; i++) {
		bool runs, drops, is_sure = c->s.is_there && !c->s.is_changing;

		ifname[2] = '0' + i;
		runs = filter_state_runs_on(&c->s, ifname);
		drops = runs && c->s.drops;
		/* Of a filter that could not be opened, status says so; its program may run. */
		ok = check_link(c, i, &seen[i], when, drops && is_sure, drops || !is_sure,
				drops && is_sure && c->s.learns);
		counted += runs ? link_probe_sent(i) - sent[i] : 0;
	}
	if (!ok || !c->s.is_there)
		return ok;
	filter_state_read("both", &now);
	return check(c, now.looked_at - before >= counted,
		     "counters: %s, of %ju packets status counts %ju", when, (uintmax_t)counted,
		     (uintmax_t)(now.looked_at - before));
}

/* No id has been forgotten. */
static bool check_ids(struct one *c, const char *when, bool knows_image)
{
	char args[2048], out[4096];
	size_t len = snprintf(args, sizeof(args), "test %s", c->kind->ids ?: "both");
	unsigned int cnt = knows_image ? TAUGHT + SAVED_TOO : TAUGHT;
	bool is_taught = !c->kind->untaught && !(c->kind->forgets && c->base == NEW);
	int status;

	if (!c->s.is_there)
		return true;
	for (unsigned int i = is_taught ? 0 : cnt; i < cnt; i++) {
		args[len++] = ' ';
		link_probe_id(i, args + len);
		len += LINK_PROBE_HEX - 1;
	}
	for (int i = 0; i < E2E_LINKS; i++)
		if (c->keeps[i])
			len += snprintf(args + len, sizeof(args) - len, " %s", c->learned[i]);
	if (!strchr(args + strlen("test "), ' '))
		return true;
	status = run(c->kind, args, out, sizeof(out));
	return check(c, status != 3, "forgets: %s, an id is unknown", when) &&
	       check(c, !status, "refused: %s, test ends with %d: %s", when, status, out);
}

/* There are the filter's pins, and no others. */
static bool check_pins(struct one *c, const char *when)
{
	DIR *dir = opendir(PIN_ROOT);
	struct dirent *entry;
	char left[512] = "";

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || (c->s.is_there && !strcmp(entry->d_name, "both")))
			continue;
		snprintf(left + strlen(left), sizeof(left) - strlen(left), " %.60s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return check(c, !*left, "left: %s there is%s", when, left) &&
	       check(c, !c->s.is_there || !c->s.is_changing, "left: %s a change has not ended", when);
}

/* The next command did what it does to the old filter or to the new one. */
static bool check_reference(struct one *c, int status, const char *out)
{
	const struct kind *k = c->kind;
	const struct reference *r[BASES] = { &references[OLD][c->next], &references[NEW][c->next] };
	char not_old[512];
	bool may[BASES];

	for (enum base b = OLD; b < BASES; b++) {
		bool same_status = r[b]->status == status || (is_partial(k) && status <= 1);

		may[b] = same_status && is_same(k, &r[b]->s, &c->s);
		/* A command may refuse half a filter. */
		if (is_partial(k) && status == 1)
			may[b] |= is_same(k, &references[b][NEXTS_CNT].s, &c->s);
	}
	if (c->n && c->err && !c->status)
		may[OLD] &= is_same(k, &r[OLD]->s, &r[NEW]->s);
	c->base = may[NEW] ? NEW : OLD;
	/* Of half a filter there may be nothing but its pins. */
	if (is_partial(k) && !c->s.is_there && status == 1)
		return true;
	if (!check(c, status == r[OLD]->status || status == r[NEW]->status || is_partial(k),
		   "refused: it ends with %d: %s", status, out))
		return false;
	snprintf(not_old, sizeof(not_old), "%s", filter_state_difference(&r[OLD]->s, &c->s));
	return check(c, may[OLD] || may[NEW], "state: after exit %d and %d, not old: %s; not new: %s",
		     c->status, status, not_old, filter_state_difference(&r[NEW]->s, &c->s));
}

/* The next command, and all that must be then. */
static bool check_next(struct one *c)
{
	const struct next *next = next_of(c->next);
	bool is_restored, is_home = !is_away(c->next);
	double began = now();
	char out[16384];
	int status = run_next(c->kind, c->next, out, sizeof(out));

	began = now() - began;
	if (!is_home && !check(c, began < AWAY_SECONDS, "slow: away it takes %.1f s: %s", began, out))
		return false;
	/* What was advised elsewhere is for there. */
	if (!check_said(c, next->name, status, out))
		return false;
	if (!is_home)
		*c->advice = 0;
	if (!check_status_is_true(c, "after it") || !check_reference(c, status, out))
		return false;
	is_restored = !status && is_home && !strcmp(next->name, "restore");
	return check_ids(c, "after it", is_restored || (c->kind->restores && c->base == NEW)) &&
	       (!is_home || !next->changes || status || check_pins(c, "after it"));
}

/* Afterwards a refresh at home finds all in order, or puts it so. */
static bool check_refresh(struct one *c)
{
	struct filter_state before = c->s;
	char out[4096];
	int status;

	if (!c->s.is_there)
		return true;
	status = run(c->kind, "refresh both", out, sizeof(out));
	return check(c, !status && !*out, "refresh: it ends with %d: %s", status, out) &&
	       check_status_is_true(c, "after refresh") &&
	       check(c, !strcmp(before.settings, c->s.settings), "refresh: changes %s",
		     filter_state_difference(&before, &c->s)) &&
	       check(c,
		     is_partial(c->kind) || !before.is_changing ||
			     is_same(c->kind, &references[c->base][c->next].s, &c->s),
		     "refresh: it is %s",
		     filter_state_difference(&references[c->base][c->next].s, &c->s)) &&
	       check_pins(c, "after refresh") && check_ids(c, "after refresh", false);
}

static bool follow_advice(struct one *c)
{
	char out[4096], advice[sizeof(c->advice)];
	int status;

	if (!*c->advice)
		return true;
	memcpy(advice, c->advice, sizeof(advice));
	*c->advice = 0;
	status = run(c->kind, advice, out, sizeof(out));
	return check(c, !status, "advice:%s ends with %d: %s", advice, status, out);
}

/* What was to begin can begin, by what messages advise. */
static bool check_begins(struct one *c)
{
	char out[4096];
	int status, i;

	if (!c->kind->begins)
		return true;
	for (i = 0; i < ADVICES_MAX; i++) {
		status = run(c->kind, c->kind->args, out, sizeof(out));
		if (!status)
			return check_status_is_true(c, "when begun again") &&
			       check_pins(c, "when begun again");
		/* A filter that is there gets the image, once. */
		if (strstr(out, "both has a predecessor"))
			return true;
		if (!check_said(c, "beginning again", status, out) ||
		    !check(c, *c->advice, "advice: none: %s", out) || !follow_advice(c))
			return false;
	}
	return check(c, false, "advice: it never begins: %s", out);
}

/* Unloaded, it leaves nothing. */
static bool check_unload(struct one *c)
{
	struct link_seen seen[E2E_LINKS];
	char out[4096];
	int status, left = 0;

	filter_state_read("both", &c->s);
	e2e_remember();
	status = run(c->kind, "unload --name both", out, sizeof(out));
	if (!check(c, !status || (!c->s.is_there && strstr(out, "there is no filter both")),
		   "unload: it ends with %d: %s", status, out))
		return false;
	c->s = (struct filter_state){ 0 };
	link_probe(0, seen);
	for (int i = 0; i < E2E_LINKS; i++)
		if (!check_link(c, i, &seen[i], "after unload", false, false, false))
			return false;
	for (int ms = 0; ms < LEFT_MS && (left = e2e_objects_left()); ms += 5)
		usleep(5000);
	return check_pins(c, "after unload") &&
	       check(c, !left, "left: after unload, %d maps or programs", left);
}

/* What was saved has what the filter knew. */
static bool check_saved(struct one *c)
{
	char out[4096];
	int status;

	if (access(SAVED, F_OK))
		return true;
	/* Saved elsewhere it does not say where the filter ran. */
	status = run(c->kind, "restore both " SAVED " ve0 ve1", out, sizeof(out));
	c->s.is_there = true;
	c->keeps[0] = c->keeps[1] = false;
	return check(c, !status, "saved: restore ends with %d: %s", status, out) &&
	       check_ids(c, "saved", c->kind->restores && c->base == NEW);
}

static int at_call(const struct intercepted *call, void *arg)
{
	struct one *c = arg;

	if (!call->is_change || ++c->changes != c->n)
		return 0;
	c->what = call->what;
	return c->err ? -c->err : INTERCEPT_KILL;
}

static bool check_all(struct one *c)
{
	struct link_seen seen[E2E_LINKS];
	char args[4096], out[16384];

	expand(c->kind, c->kind->args, args);
	c->status = intercept_tool(args, at_call, c, out, sizeof(out));
	if (!c->what)
		return true;
	if (c->status != INTERCEPT_KILLED && !check_said(c, "the change", c->status, out))
		return false;
	/* For a moment: what it advises is tried when all else has been looked at. */
	if (!check_at_once(c, "at once", seen))
		return false;
	for (int i = 0; i < E2E_LINKS; i++) {
		c->keeps[i] =
			(old_links(c->kind) & new_links(c->kind)) >> i & 1 && !seen[i].passes_copy;
		link_probe_last(i, c->learned[i]);
	}
	return check_next(c) && check_refresh(c) && follow_advice(c) && check_begins(c) &&
	       check_unload(c);
}

static const char *error_name(int err)
{
	return err == ENOMEM ? "ENOMEM" : err == EPERM ? "EPERM" : err == EIO ? "EIO" : "kill";
}

static void name_case(const struct one *c, char name[128])
{
	if (!c->n)
		snprintf(name, 128, "%s:0:held:none", c->kind->name);
	else
		snprintf(name, 128, "%s:%u:%s:%s%s", c->kind->name, c->n, error_name(c->err),
			 next_of(c->next)->name, is_away(c->next) ? "@away" : "");
}

/* Says what the case has found. */
static void report(struct one *c, struct figures *f)
{
	char name[128];

	if (!*c->fault)
		return;
	name_case(c, name);
	c->fault[strcspn(c->fault, "\n")] = 0;
	f->faults++;
	fprintf(out_of_all, "# CASE=%s (%s) %s\n", name, c->what ?: "held", c->fault);
}

static void try_case(struct one *c, struct figures *f)
{
	alarm(CASE_SECONDS);
	unlink(SAVED);
	reference(c->kind, OLD, c->next);
	reference(c->kind, NEW, c->next);
	for (enum base b = OLD; b < BASES && is_partial(c->kind); b++)
		reference(c->kind, b, NEXTS_CNT);
	prepare(c->kind);
	check_all(c);
	report(c, f);
	wipe();
	use_tool(c->kind->upgrades ? next_tool() : NULL);
	*c->fault = 0;
	check_saved(c);
	report(c, f);
	wipe();
	f->cases++;
	f->unmet += !c->what;
}

static void count(struct figures *f, const char *what)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(f->by) - 1 && f->by[i].what && strcmp(f->by[i].what, what))
		i++;
	f->by[i].what = what;
	f->by[i].cnt++;
	assert_true(f->calls < CALLS_MAX);
	f->at[f->calls++] = what;
}

struct held {
	struct one *c;
	struct figures *f;
};

/* Counts, and looks at packets before the call. */
static int at_held(const struct intercepted *call, void *arg)
{
	struct link_seen seen[E2E_LINKS];
	struct held *h = arg;
	char when[64];

	if (!call->is_change)
		return 0;
	h->c->changes++;
	count(h->f, call->what);
	snprintf(when, sizeof(when), "held at call %u (%s)", call->changes, call->what);
	check_at_once(h->c, when, seen);
	return 0;
}

static void try_held(const struct kind *k, struct figures *f)
{
	struct one c = { .kind = k };
	char args[4096], out[16384];
	int status;

	alarm(CASE_SECONDS);
	prepare(k);
	expand(k, k->args, args);
	status = intercept_tool(args, at_held, &(struct held){ &c, f }, out, sizeof(out));
	if (status)
		fail_msg("%s: exit %d: %s", k->name, status, out);
	wipe();
	f->cases++;
	report(&c, f);
}

/* The case of this number, in the order in which all of them are tried. */
static struct one case_of(const struct kind *k, uint64_t number)
{
	unsigned int next = number % NEXTS_CNT, n = 1 + number / NEXTS_CNT / 2;
	bool is_killed = number / NEXTS_CNT % 2 == 0;

	return (struct one){ .kind = k,
			     .n = n,
			     .next = next,
			     .err = is_killed ? 0 : ERRORS[(n + next) % ARRAY_SIZE(ERRORS)] };
}

/* Does the call change what is there when the tool has ended? */
static bool is_lasting(const struct figures *f, unsigned int n)
{
	static const char *const OWN[] = { "MAP_CREATE",    "MAP_FREEZE", "PROG_LOAD",
					   "PROG_BIND_MAP", "BTF_LOAD",	  "membarrier" };

	for (size_t i = 0; i < ARRAY_SIZE(OWN); i++)
		if (n <= f->calls && !strcmp(f->at[n - 1], OWN[i]))
			return false;
	return true;
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

static bool is_wanted(const struct figures *f, const struct one *c)
{
	const char *pattern = getenv("CASE");
	char name[128];

	name_case(c, name);
	return (!cases_are("lasting") || is_lasting(f, c->n)) &&
	       (!pattern || !fnmatch(pattern, name, 0));
}

/* Each case; where they are named, with each error. */
static void try_every(const struct kind *k, struct figures *f)
{
	size_t errors = getenv("CASE") ? ARRAY_SIZE(ERRORS) : 1;

	for (uint64_t i = 0; i < f->all * errors; i++) {
		struct one c = case_of(k, i / errors);

		if (!c.err && i % errors)
			continue;
		if (c.err && errors > 1)
			c.err = ERRORS[i % errors];
		if (is_wanted(f, &c) && is_mine())
			try_case(&c, f);
	}
}

/* How many of POINTS cases are this kind's: the same number of each, as far as that goes. */
static unsigned int points_of(const struct kind *k)
{
	uint64_t points = environment_number("POINTS", POINTS), at = (k - KINDS) * points;

	at += seed % KINDS_CNT;
	return (at + points) / KINDS_CNT - at / KINDS_CNT;
}

/* One of the cases from..to-1, if any is wanted. */
static void try_one_of(const struct kind *k, uint64_t from, uint64_t to, uint64_t *state,
		       struct figures *f)
{
	bool is_any = random_next(state) % 2;
	struct one c;

	for (int tries = 0; tries < TRIES && from < to; tries++) {
		c = case_of(k, from + random_next(state) % (to - from));
		if (!is_wanted(f, &c) || (!is_any && !is_lasting(f, c.n) && tries < TRIES / 2))
			continue;
		if (is_mine())
			try_case(&c, f);
		return;
	}
}

static void try_some(const struct kind *k, struct figures *f)
{
	unsigned int points = points_of(k);
	uint64_t state = seed + (k - KINDS);

	for (uint64_t i = 0; i < points; i++)
		try_one_of(k, i * f->all / points, (i + 1) * f->all / points, &state, f);
}

/* Can a case of this name, or pattern, be one of the kind's? */
static bool is_of_kind(const char *name, const struct kind *k)
{
	char kind[128];

	snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(name, ":"), name);
	return !fnmatch(kind, k->name, 0);
}

static void test_kind(void **state)
{
	const struct kind *k = *state;
	struct figures *f = &shared->figures[job][k - KINDS];
	const char *name = getenv("CASE");
	bool is_sample = getenv("POINTS") || (!name && !getenv("CASES"));
	double began = now();

	if ((name && !is_of_kind(name, k)) || (is_sample && !points_of(k)))
		return;
	memset(references, 0, sizeof(references));
	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt");
	away = netns_start();
	link_probe_open();
	make_image(k);
	try_held(k, f);
	f->all = f->calls * 2 * NEXTS_CNT;
	if (is_sample)
		try_some(k, f);
	else
		try_every(k, f);
	netns_stop(away);
	f->seconds = now() - began;
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
		printf("# %-20s %3u calls, %5u cases of %5u, %u faults, %.0f s:", KINDS[i].name,
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
	add_rows(KINDS, test_kind, e2e_setup, e2e_teardown);
	add_test("other-processes", test_others, NULL, NULL, NULL);
	return run_added_tests("every_call");
}
