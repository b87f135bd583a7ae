// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Commands that are killed one after another, at home and in another network namespace: each meets
 * what those before it left. After the last one a refresh at home puts all in order.
 *
 * Environment: CHAINS of them, by SEED, SEED + 1 and so on. One that fails says its seed.
 */
#include "every_checks.h"

#include "gossip.h"
#include "intercept.h"

#define CHAINS 3
#define CHAIN_SECONDS 120 /* then it hangs */
#define STEPS_MIN 2
#define STEPS_MAX 5
/* After the ids that SNAPSHOT has. A group for what is there before, and one after each command. */
#define FIRST(group) (TAUGHT + SAVED_TOO + (group)*TAUGHT)
#define GROUPS (1 + STEPS_MAX)
_Static_assert(FIRST(GROUPS) <= LINK_PROBE_TAUGHT, "too few ids");

/* What the filter no longer knows once the command is committed. */
enum loss {
	NOTHING,
	OLD_PREDECESSOR, /* what was there is the new predecessor; --forget gives up the old one */
	ITS_PREDECESSOR, /* what was there stays, if it runs; --forget gives up its predecessor */
	LAST_INTERFACE,	 /* all, with the last interface */
	NOT_RUNNING,	 /* all, if it ran nowhere: then another one begins */
};

static const struct command {
	const char *args;
	enum loss loss;
} COMMANDS[] = {
	{ "load ve0 ve1 --name both" GSP SIZE, NOT_RUNNING },
	{ "load ve0 --name both" GSP SIZE, NOT_RUNNING },
	{ "restore both " SNAPSHOT, NOT_RUNNING },
#define BEGINNINGS 3
	{ "set both --ihave pass", NOTHING },
	{ "set both --to 10.77.0.0/16,fd77::/16", NOTHING },
	{ "set both --for 3h", NOTHING },
	{ "set both --deliver xsk", NOTHING },
	{ "set both --deliver stack", NOTHING },
	{ "set both --add ve0", NOTHING },
	{ "set both --add ve1", NOTHING },
	{ "set both --remove ve0", NOTHING },
	{ "set both --remove ve1", NOTHING },
	{ "resize both --forget --capacity 40k", OLD_PREDECESSOR },
	{ "resize both --forget --layout flat", OLD_PREDECESSOR },
	{ "resize both --forget --layout countdown", OLD_PREDECESSOR },
	{ "resize both --forget --layout blocked", OLD_PREDECESSOR },
	{ "load --replace --name both", NOTHING },
	{ "load --replace --name both ve0", NOTHING },
	{ "load --replace --name both --forget --capacity 30k", OLD_PREDECESSOR },
	{ "restore both " SNAPSHOT " --forget", ITS_PREDECESSOR },
	{ "save both " SAVED, NOTHING },
	{ "unload ve0", LAST_INTERFACE },
	{ "unload ve1", LAST_INTERFACE },
	{ "refresh both", NOTHING },
};

/* Which calls are counted until the one at which a command is killed, */
enum counted { CHANGING, LASTING, AFTER_RENAME };
static const struct {
	const char *name;
	unsigned int most; /* and up to which: about as many as commands make */
} COUNTED[] = {
	[CHANGING] = { "change", 110 },
	[LASTING] = { "change that outlives the tool", 60 },
	[AFTER_RENAME] = { "change from the first rename on", 30 },
};

static const struct kind BEGIN = {
	.name = "chain",
	.options = GSP SIZE,
	.args = "load ve0 ve1 --name both" GSP SIZE,
};

struct step {
	const struct command *command;
	unsigned int kill_at; /* 0: never */
	enum counted counted;
	bool is_away;

	unsigned int calls; /* met so far, of those that kill_at counts */
	const char *killed; /* at what */
	bool is_renamed;    /* it may have committed something */
	int status;
	char said[256];
};

enum age { FRESH, IN_PREDECESSOR, UNKNOWN };

struct chain {
	struct kind kind;
	struct every_case c;
	bool begins_loaded;
	bool is_partial; /* may be a load that was killed, or an unload: not on all interfaces */
	struct step steps[STEPS_MAX];
	unsigned int steps_cnt, done_cnt;
	struct filter_state now;
	enum age ages[GROUPS]; /* at the most: where each group of ids is */
};

/* One of the first cnt commands. */
static struct step random_step(uint64_t *state, size_t cnt)
{
	struct step s = { .command = &COMMANDS[random_next(state) % cnt] };

	s.counted = random_next(state) % ARRAY_SIZE(COUNTED);
	s.kill_at = 1 + random_next(state) % COUNTED[s.counted].most;
	if (!(random_next(state) % 6))
		s.kill_at = 0;
	s.is_away = !(random_next(state) % 5);
	return s;
}

static void plan(struct chain *ch, uint64_t seed)
{
	*ch = (struct chain){ .kind = BEGIN };
	ch->c.kind = &ch->kind;
	ch->begins_loaded = random_next(&seed) % 4;
	ch->steps_cnt = STEPS_MIN + random_next(&seed) % (STEPS_MAX - STEPS_MIN + 1);
	for (unsigned int i = 0; i < ch->steps_cnt; i++)
		ch->steps[i] = random_step(&seed, i || ch->begins_loaded ? ARRAY_SIZE(COMMANDS)
									 : BEGINNINGS);
	for (int g = 0; g < GROUPS; g++)
		ch->ages[g] = UNKNOWN;
}

static int at_call(const struct intercepted *call, void *arg)
{
	struct step *s = arg;
	bool is_rename = call->is_change && !strcmp(call->what, "rename");

	if (!call->is_change || (s->counted == LASTING && !call->is_lasting) ||
	    (s->counted == AFTER_RENAME && !is_rename && !s->is_renamed))
		return 0;
	if (++s->calls == s->kill_at) {
		s->killed = call->what;
		return INTERCEPT_KILL;
	}
	s->is_renamed |= is_rename;
	return 0;
}

/* Teaches the filter this group of ids, if there is one. While a change has not ended, the
 * predecessor may be in charge, and learn them.
 */
static bool teach(struct chain *ch, int group)
{
	char args[1024] = "add both", out[4096];
	size_t len = strlen(args);
	int status;

	for (unsigned int i = 0; i < TAUGHT; i++) {
		args[len++] = ' ';
		link_probe_id(FIRST(group) + i, args + len);
		len += LINK_PROBE_HEX - 1;
	}
	status = kind_run(&ch->kind, args, out, sizeof(out));
	filter_state_read("both", &ch->now);
	if (!status)
		ch->ages[group] = ch->now.is_changing ? IN_PREDECESSOR : FRESH;
	return check_that(&ch->c, !status || strstr(out, "there is no filter both"),
			  "add: it ends with %d: %s", status, out);
}

/* Can the filter that was there before the command have gone? */
static bool can_end(const struct step *s, const struct filter_state *before)
{
	if (!before->is_there)
		return true;
	if (s->command->loss == LAST_INTERFACE)
		return before->is_changing || strcmp(before->ifaces, "ve0 attached, ve1 attached");
	return (s->command->loss == NOT_RUNNING || s->command->loss == ITS_PREDECESSOR) &&
	       !strstr(before->ifaces, " attached");
}

/* What the command may have had the filter forget. */
static void age(struct chain *ch, const struct step *s, const struct filter_state *before)
{
	bool is_committed = s->is_renamed || !s->status;

	for (int g = 0; g < GROUPS; g++) {
		if (can_end(s, before))
			ch->ages[g] = UNKNOWN;
		else if (s->command->loss == OLD_PREDECESSOR && is_committed)
			ch->ages[g] = ch->ages[g] == FRESH ? IN_PREDECESSOR : UNKNOWN;
		else if (s->command->loss == ITS_PREDECESSOR && is_committed)
			ch->ages[g] = ch->ages[g] == FRESH ? FRESH : UNKNOWN;
	}
}

static bool do_step(struct chain *ch, struct step *s)
{
	char args[KIND_ARGS_MAX], out[16384];
	struct filter_state before = ch->now;

	kind_expand(&ch->kind, s->command->args, args);
	kinds_go(s->is_away);
	s->status = intercept_tool(args, at_call, s, out, sizeof(out));
	kinds_go(false);
	ch->done_cnt++;
	snprintf(s->said, sizeof(s->said), "%.*s", (int)strcspn(out, "\n"), out);
	age(ch, s, &before);
	ch->is_partial |= s->killed && (can_end(s, &before) || s->command->loss == LAST_INTERFACE);
	if (s->status == INTERCEPT_KILLED)
		return true;
	/* What it advises is for now; the commands that come next do not do it. */
	return check_said(&ch->c, s->command->args, s->status, out) && (*ch->c.advice = 0, true);
}

/* All ids that must be known are known; packets with the latest of them are dropped. */
static bool check_filter(struct chain *ch, const char *when)
{
	bool is_known = false;

	for (int g = 0; g < GROUPS; g++)
		if (ch->ages[g] != UNKNOWN) {
			ch->c.first = FIRST(g);
			is_known = true;
		}
	ch->kind.untaught = !is_known;
	if (!check_status_is_true(&ch->c, when) || !check_pins(&ch->c, when) ||
	    !check_that(&ch->c, !strstr(ch->c.s.ifaces, "detached"), "state: %s, %s", when,
			ch->c.s.ifaces))
		return false;
	for (int g = 0; g < GROUPS; g++) {
		char of[64];

		snprintf(of, sizeof(of), "%s, of those taught after command %d", when, g);
		ch->c.first = FIRST(g);
		if (ch->ages[g] != UNKNOWN && !check_ids(&ch->c, of, false))
			return false;
	}
	return true;
}

/* A refresh finds all in order, or puts it so; if there is no filter, one can be loaded. */
static bool settle(struct chain *ch)
{
	char out[4096];
	int status;

	filter_state_read("both", &ch->c.s);
	status = kind_run(&ch->kind, "refresh both", out, sizeof(out));
	if (!check_that(&ch->c, (!status && !*out) == ch->c.s.is_there,
			"refresh: it ends with %d: %s", status, out))
		return false;
	ch->kind.begins = !ch->c.s.is_there;
	for (int g = 0; g < GROUPS && ch->kind.begins; g++)
		ch->ages[g] = UNKNOWN;
	ch->kind.untaught = ch->kind.begins;
	return check_begins(&ch->c);
}

/* A command that must work. */
static bool check_works(struct chain *ch, const char *args)
{
	char out[4096];
	int status = kind_run(&ch->kind, args, out, sizeof(out));

	return check_that(&ch->c, !status, "%s (%s): it ends with %d: %s", args, ch->c.s.ifaces,
			  status, out);
}

/* A filter that does not run on all of its interfaces runs there by what `set` advises. */
static bool complete(struct chain *ch)
{
	filter_state_read("both", &ch->c.s);
	if (!ch->is_partial ||
	    (strstr(ch->c.s.ifaces, "attached") && !strstr(ch->c.s.ifaces, "detached")))
		return true;
	return check_works(ch, "load --replace --name both ve0 ve1");
}

static void run_chain(struct chain *ch)
{
	bool ok;

	kinds_wipe();
	link_probe_forget();
	unlink(SAVED);
	if (ch->begins_loaded)
		kind_must(&ch->kind, ch->kind.args);
	ok = teach(ch, 0);
	for (unsigned int i = 0; i < ch->steps_cnt && ok; i++)
		ok = do_step(ch, &ch->steps[i]) && teach(ch, 1 + i);
	ok = ok && settle(ch) && complete(ch) && check_filter(ch, "after refresh") &&
	     check_works(ch, "set both --vlan none") && check_filter(ch, "after set") &&
	     check_unload(&ch->c);
	kinds_wipe();
}

/* Says what was found, and after which commands. */
static void report(const struct chain *ch, uint64_t seed)
{
	print_message("# SEED=%ju CHAINS=1: %.*s\n", (uintmax_t)seed,
		      (int)strcspn(ch->c.fault, "\n"), ch->c.fault);
	print_message("#   %s\n", ch->begins_loaded ? "loaded" : "nothing");
	for (unsigned int i = 0; i < ch->done_cnt; i++) {
		const struct step *s = &ch->steps[i];

		if (s->killed)
			print_message("#   %s%s: killed at %s %u (%s)\n", s->command->args,
				      s->is_away ? " (away)" : "", COUNTED[s->counted].name,
				      s->calls, s->killed);
		else
			print_message("#   %s%s: exit %d %s\n", s->command->args,
				      s->is_away ? " (away)" : "", s->status, s->said);
	}
}

TEST(chains)
{
	uint64_t seed = environment_number("SEED", gossip_now_ns() / 1000);
	uint64_t chains = environment_number("CHAINS", tries(1, CHAINS));
	unsigned int faults = 0, killed = 0;
	struct chain ch;

	print_message("# SEED=%ju\n", (uintmax_t)seed);
	kinds_open(&BEGIN);
	for (uint64_t i = 0; i < chains; i++) {
		alarm(CHAIN_SECONDS);
		plan(&ch, seed + i);
		run_chain(&ch);
		for (unsigned int s = 0; s < ch.steps_cnt; s++)
			killed += ch.steps[s].killed != NULL;
		faults += *ch.c.fault != 0;
		if (*ch.c.fault || getenv("SHOW"))
			report(&ch, seed + i);
	}
	alarm(0);
	kinds_close();
	print_message("# %ju chains, %u commands killed, %u faults\n", (uintmax_t)chains, killed,
		      faults);
	assert_int_equal(faults, 0);
}

int main(void)
{
	add_own_tests(e2e_setup, e2e_teardown);
	return run_added_tests("kill_chain");
}
