// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random changes of a filter's streams while it runs, and of all else together with them, against a
 * plain model: an id that a realm has seen stays known there, and no id is known in a realm that
 * never saw it; no counter falls; the time of --for ends when it was said to end.
 *
 * Environment: SEED, EPISODES.
 */
#include "cli_runner.h"

#include <time.h>

#include "kernel.h"
#include "open.h"
#include "streams_runner.h"
#include "totals.h"

#define EPISODES 6
#define CHANGES 9
#define IDS 60
#define PROBES 25
#define KEYS (STREAMS * (CHANGES + 1)) /* realms that an episode can have */
#define HOUR_NS 3600000000000ULL

/* What is known in each realm. */
struct known {
	bool is;
	unsigned int at; /* the number of changes before it was seen */
};

/* A choice of streams. */
struct choice {
	int order[STREAMS], cnt; /* as they are named to the tool */
	int realm[STREAMS];	 /* of each of them; -1: it is not there */
	bool named[STREAMS];	 /* the user gives it a name */
};

static struct random_model {
	uint64_t seed;
	struct choice now;
	int key[STREAMS]; /* which realm of all that there were; -1: it is not there */
	int keys;	  /* how many there were */
	unsigned int changes;
	unsigned int remade; /* the last change that made a new filter */
	unsigned int forgot; /* what only the one before that knew is forgotten */
	struct known known[KEYS][IDS];
	bool wanted[IDS]; /* in a stream that went, or that has forgotten it: its copies say nothing */
	uint64_t sent, drops;
	uint64_t until_ns[2]; /* when the time of --for ends: from and to; 0: without */
	char what[1024];      /* was done last */
} m;

static uint32_t pick(uint32_t cnt)
{
	return random_next(&m.seed) % cnt;
}

/* Another choice of streams, order, realms and names. */
static void choose_streams(struct choice *c)
{
	c->cnt = 0;
	for (int s = 0; s < STREAMS; s++) {
		c->realm[s] = -1;
		c->named[s] = s != GSP && pick(3);
		if (pick(4))
			c->order[c->cnt++] = s;
	}
	if (!c->cnt)
		c->order[c->cnt++] = pick(STREAMS);
	for (int i = 0; i < c->cnt; i++) {
		int with = pick(c->cnt), was = c->order[i];

		c->order[i] = c->order[with];
		c->order[with] = was;
	}
	for (int i = 0; i < c->cnt; i++) {
		int s = c->order[i], before = i ? c->order[i - 1] : s;
		bool joins = i && !pick(3) && s != N && before != N &&
			     STREAM[s].id_bytes == STREAM[before].id_bytes;

		c->realm[s] = joins ? c->realm[before] : i;
	}
}

static size_t say_streams(char *to, size_t size, const struct choice *c)
{
	size_t len = snprintf(to, size, " --profiles " PROFILES);

	for (int i = 0; i < c->cnt; i++) {
		int s = c->order[i];

		len += snprintf(to + len, size - len, " --profile ");
		if (c->named[s])
			len += snprintf(to + len, size - len, "f-%d=", s);
		len += snprintf(to + len, size - len, "%s:%u#r%d", STREAM[s].name, STREAM[s].port,
				c->realm[s]);
	}
	return len;
}

static const char *parameters(void)
{
	static const char *const PARAMETERS[] = {
		" --capacity 10k --layout blocked --hash fast",
		" --capacity 20k --layout blocked --hash siphash",
		" --capacity 30k --layout blocked --hash fast --fpr 2e-9",
		" --capacity 5k --layout flat --hash fast",
		" --capacity 8k --layout flat --hash siphash",
		" --capacity 4k --layout countdown --fpr 1e-8 --hash fast",
	};

	return PARAMETERS[pick(ARRAY_SIZE(PARAMETERS))];
}

static bool is_there(const struct choice *c, int s)
{
	return c->realm[s] >= 0;
}

/* Of the two that have one profile: is this one there, and alone of those without a given name? */
static bool is_alone(const struct choice *c, int s)
{
	int other = s == A ? A_TOO : A;

	return is_there(c, s) && !c->named[s] && !(is_there(c, other) && !c->named[other]);
}

/* The stream of the choice before that stream s goes on as; -1: none. */
static int kept(const struct choice *old, const struct choice *c, int s)
{
	if (s == A || s == A_TOO)
		for (int was = A; was <= A_TOO; was += A_TOO - A)
			if (is_alone(c, s) && is_alone(old, was))
				return was;
	return is_there(old, s) && old->named[s] == c->named[s] ? s : -1;
}

/* The stream's name now: of two of one profile, that of the second has a number. */
static const char *name_now(int s)
{
	static char name[16];
	int first = 0;

	snprintf(name, sizeof(name), "f-%d", s);
	if (m.now.named[s])
		return name;
	if (s != A && s != A_TOO)
		return STREAM[s].name;
	while ((m.now.order[first] != A && m.now.order[first] != A_TOO) ||
	       m.now.named[m.now.order[first]])
		first++;
	return m.now.order[first] == s ? "a" : "a-2";
}

static bool is_key_taken(const int key[STREAMS], int of)
{
	for (int s = 0; s < STREAMS; s++)
		if (key[s] == of)
			return true;
	return false;
}

/* The realm that begins with the i-th stream: that of the first of its streams that is kept, unless
 * a realm before it goes on as that one.
 */
static int key_of_realm(const struct choice *c, const int key[STREAMS], int i)
{
	int realm = c->realm[c->order[i]];

	for (; i < c->cnt && c->realm[c->order[i]] == realm; i++) {
		int was = kept(&m.now, c, c->order[i]);

		if (was >= 0 && !is_key_taken(key, m.key[was]))
			return m.key[was];
	}
	return m.keys++;
}

/* The streams are these now. */
static void note_streams(const struct choice *c)
{
	int key[STREAMS];

	memset(key, -1, sizeof(key));
	for (int i = 0; i < c->cnt; i++) {
		int s = c->order[i];

		key[s] = i && c->realm[s] == c->realm[c->order[i - 1]] ? key[c->order[i - 1]]
								       : key_of_realm(c, key, i);
	}
	memcpy(m.key, key, sizeof(m.key));
	m.now = *c;
}

/* What the filter counts, and when it ends to drop. */
static void check_filter(void)
{
	struct filter_counters c;
	struct filter f;

	assert_int_equal(filter_open("f", &f), 0);
	assert_int_equal(filter_open_change(&f), 0);
	assert_int_equal(filter_counters(&f, &c), 0);
	if (c.rx != m.sent || c.dropped != m.drops)
		fail_msg("after %s: of %ju packets %ju are counted, of %ju drops %ju, seed %ju",
			 m.what, (uintmax_t)m.sent, (uintmax_t)c.rx, (uintmax_t)m.drops,
			 (uintmax_t)c.dropped, (uintmax_t)m.seed);
	if (!m.until_ns[0] != (f.config->policy.action != DEDUP_DROP_FOR) ||
	    (m.until_ns[0] &&
	     (f.state->drop_until_ns < m.until_ns[0] || f.state->drop_until_ns > m.until_ns[1])))
		fail_msg("after %s: drops end at %ju, not from %ju to %ju, seed %ju", m.what,
			 (uintmax_t)f.state->drop_until_ns, (uintmax_t)m.until_ns[0],
			 (uintmax_t)m.until_ns[1], (uintmax_t)m.seed);
	filter_close(&f);
}

/* One change, which may be refused: then nothing has changed. */
static void change_something(void)
{
	static const char *const ACTIONS[] = { " --for 1h", " --action drop", "", "", "", "" };
	enum { SET, REPLACE, REPLACE_LAYOUT, RESIZE } kind = pick(4);
	bool forget = pick(2), makes = kind >= REPLACE_LAYOUT;
	const char *action = kind == RESIZE ? "" : ACTIONS[pick(ARRAY_SIZE(ACTIONS))];
	uint64_t began_ns = kernel_now_ns();
	struct choice c;
	int status;
	size_t len;

	choose_streams(&c);
	len = snprintf(m.what, sizeof(m.what), "$XD %s f",
		       kind == SET	? "set"
		       : kind == RESIZE ? "resize"
					: "load --replace --name");
	if (kind == RESIZE)
		c = m.now;
	else
		len += say_streams(m.what + len, sizeof(m.what) - len, &c);
	snprintf(m.what + len, sizeof(m.what) - len, "%s%s%s", makes ? parameters() : "",
		 makes && forget ? " --forget" : "", action);
	status = sh_out(output, sizeof(output), "%s", m.what);
	if (strstr(output, "Sanitizer") || status > 1)
		fail_msg("%s: %d, %s", m.what, status, output);
	if (status && !strstr(output, "has a predecessor") &&
	    !strstr(output, "has no memory for these streams"))
		fail_msg("%s: %s", m.what, output);
	if (status)
		return;
	/* The memory had no table of sources. */
	makes |= strstr(output, "what was there before") != NULL;
	m.changes++;
	note_streams(&c);
	if (makes && forget)
		m.forgot = m.remade;
	if (makes)
		m.remade = m.changes;
	if (*action)
		memset(m.until_ns, 0, sizeof(m.until_ns));
	if (strstr(action, "--for")) {
		m.until_ns[0] = began_ns + HOUR_NS;
		m.until_ns[1] = kernel_now_ns() + HOUR_NS;
	}
}

/* Has the stream's realm seen the id, in a memory that is there? */
static bool must_be_known(int s, uint32_t id)
{
	const struct known *k = &m.known[m.key[s]][id];

	return k->is && k->at >= m.forgot;
}

static bool drops(int s, uint32_t id)
{
	bool dropped = streams_drops(s, id);

	m.sent++;
	m.drops += dropped;
	return dropped;
}

static void probe(void)
{
	int s = pick(STREAMS);
	uint32_t id = pick(IDS);
	bool known = is_there(&m.now, s) && must_be_known(s, id);
	bool fresh = !is_there(&m.now, s) || !m.known[m.key[s]][id].is;
	bool dropped = drops(s, id);

	if (!m.wanted[id] && ((known && !dropped) || (fresh && dropped)))
		fail_msg("after %s: id %u of %s is %s, seed %llu", m.what, id, STREAM[s].name,
			 dropped ? "dropped, but fresh" : "passed, but known",
			 (unsigned long long)m.seed);
	if (!is_there(&m.now, s))
		return;
	/* A duplicate does not renew its id: it is as old as it was. */
	if (!dropped)
		m.known[m.key[s]][id].at = m.changes;
	m.known[m.key[s]][id].is = true;
}

/* Wants an id that must be known, changes the filter, and sees one copy pass, and one alone. */
static void probe_want(void)
{
	int s = m.now.order[pick(m.now.cnt)], key = m.key[s];
	bool known, wanted;
	uint32_t id = pick(IDS);
	char command[256];

	wanted = !m.wanted[id] && must_be_known(s, id);
	if (wanted) {
		snprintf(command, sizeof(command), "$XD want f/%s %s", name_now(s),
			 streams_hex(s, id));
		assert_run(0, command);
	}
	change_something();
	known = wanted && m.key[s] == key && must_be_known(s, id);
	m.wanted[id] |= wanted && !known;
	if (known && (drops(s, id) || !drops(s, id)))
		fail_msg("after %s: id %u of %s was wanted, seed %llu", m.what, id, STREAM[s].name,
			 (unsigned long long)m.seed);
}

static void episode(void)
{
	uint64_t seed = m.seed;
	const char *memory;
	struct choice c;
	size_t len;

	memset(&m, 0, sizeof(m));
	memset(m.now.realm, -1, sizeof(m.now.realm));
	m.seed = seed;
	memory = parameters();
	choose_streams(&c);
	len = snprintf(m.what, sizeof(m.what), "$XD load v0 --name f --window 1h%s",
		       strstr(memory, "--fpr") ? "" : " --fpr 1e-8");
	len += say_streams(m.what + len, sizeof(m.what) - len, &c);
	snprintf(m.what + len, sizeof(m.what) - len, "%s", memory);
	assert_run(0, m.what);
	note_streams(&c);
	for (int i = 0; i < CHANGES; i++) {
		for (int j = 0; j < PROBES; j++)
			probe();
		check_filter();
		probe_want();
		check_filter();
	}
	for (int j = 0; j < PROBES; j++)
		probe();
	assert_run(0, "$XD unload --all");
}

TEST(any_changes)
{
	uint64_t episodes = environment_number("EPISODES", tries(1, EPISODES));

	assert_int_equal(kernel_ready(false, false), 0);
	m.seed = environment_number("SEED", (uint64_t)time(NULL) << 20 | getpid());
	print_message("# SEED=%llu\n", (unsigned long long)m.seed);
	for (uint64_t i = 0; i < episodes; i++)
		episode();
}

int main(void)
{
	cli_environment();
	add_own_tests(streams_setup, cli_teardown);
	return run_added_tests("streams_random");
}
