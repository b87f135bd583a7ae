// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random changes of a filter's streams while it runs, and of all else together with them, against a
 * plain model: an id that a stream has seen stays known there, and no id is known in a stream that
 * never saw it.
 *
 * Environment: SEED, EPISODES.
 */
#include "cli_runner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "streams_runner.h"

#define EPISODES 6
#define CHANGES 9
#define IDS 60
#define PROBES 25

/* What is known of each stream. */
struct known {
	bool is;
	unsigned int at; /* the number of changes before it was seen */
};

static struct random_model {
	uint64_t seed;
	int order[STREAMS], cnt; /* the streams, as they are named to the tool */
	int realm[STREAMS];	 /* of each of them; -1: it is not there */
	unsigned int changes;
	unsigned int steady[STREAMS]; /* since then a stream is there, its realm with the same streams */
	unsigned int remade;	      /* the last change that made a new filter */
	unsigned int forgot;	      /* what only the one before that knew is forgotten */
	bool linked[STREAMS][STREAMS]; /* were they ever in one realm? */
	struct known known[STREAMS][IDS];
	bool wanted[IDS]; /* in a stream that went, or that has forgotten it: its copies say nothing */
	char what[1024]; /* was done last */
} m;

static uint32_t pick(uint32_t cnt)
{
	return random_next(&m.seed) % cnt;
}

/* Another choice of streams, order and realms. */
static void choose_streams(int order[STREAMS], int *cnt, int realm[STREAMS])
{
	*cnt = 0;
	for (int s = 0; s < STREAMS; s++) {
		realm[s] = -1;
		if (pick(4))
			order[(*cnt)++] = s;
	}
	if (!*cnt)
		order[(*cnt)++] = pick(STREAMS);
	for (int i = 0; i < *cnt; i++) {
		int with = pick(*cnt), was = order[i];

		order[i] = order[with];
		order[with] = was;
	}
	for (int i = 0; i < *cnt; i++) {
		bool joins = i && !pick(6) && order[i] != N && order[i - 1] != N &&
			     STREAM[order[i]].id_bytes == STREAM[order[i - 1]].id_bytes;

		realm[order[i]] = joins ? realm[order[i - 1]] : i;
	}
}

static size_t say_streams(char *to, size_t size, const int order[STREAMS], int cnt,
			  const int realm[STREAMS])
{
	size_t len = snprintf(to, size, " --profiles " PROFILES);

	for (int i = 0; i < cnt; i++)
		len += snprintf(to + len, size - len, " --profile %s:%u#r%d", STREAM[order[i]].name,
				STREAM[order[i]].port, realm[order[i]]);
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

static bool same_realms(const int a[STREAMS], const int b[STREAMS], int s)
{
	if (a[s] < 0 || b[s] < 0)
		return false;
	for (int t = 0; t < STREAMS; t++)
		if ((a[t] == a[s]) != (b[t] == b[s]))
			return false;
	return true;
}

/* The stream's name now: of two of one profile, that of the second has a number. */
static const char *name_now(int s)
{
	int first = 0;

	if (s != A && s != A_TOO)
		return STREAM[s].name;
	while (m.order[first] != A && m.order[first] != A_TOO)
		first++;
	return m.order[first] == s ? "a" : "a-2";
}

/* The streams are these now. */
static void note_streams(const int order[STREAMS], int cnt, const int realm[STREAMS])
{
	for (int s = 0; s < STREAMS; s++) {
		if (!same_realms(m.realm, realm, s))
			m.steady[s] = m.changes;
		for (int t = 0; t < STREAMS; t++)
			if (realm[s] >= 0 && realm[s] == realm[t])
				m.linked[s][t] = true;
	}
	/* The only one of its profile, which has other ports now. */
	for (int s = A, t = A_TOO; s <= A_TOO; s += A_TOO - A, t -= A_TOO - A)
		if (m.realm[s] >= 0 && m.realm[t] < 0 && realm[s] < 0 && realm[t] >= 0)
			m.linked[s][t] = m.linked[t][s] = true;
	memcpy(m.realm, realm, sizeof(m.realm));
	memcpy(m.order, order, sizeof(m.order));
	m.cnt = cnt;
}

static void close_links(void)
{
	for (int k = 0; k < STREAMS; k++)
		for (int i = 0; i < STREAMS; i++)
			for (int j = 0; j < STREAMS; j++)
				m.linked[i][j] |= m.linked[i][k] && m.linked[k][j];
}

/* One change, which may be refused: then nothing has changed. */
static void change_something(void)
{
	int order[STREAMS], realm[STREAMS], cnt, status;
	enum { SET, REPLACE, REPLACE_LAYOUT, RESIZE } kind = pick(4);
	bool forget = pick(2), makes = kind >= REPLACE_LAYOUT;
	size_t len;

	choose_streams(order, &cnt, realm);
	len = snprintf(m.what, sizeof(m.what), "$XD %s f",
		       kind == SET	? "set"
		       : kind == RESIZE ? "resize"
					: "load --replace --name");
	if (kind == RESIZE) {
		memcpy(order, m.order, sizeof(order));
		memcpy(realm, m.realm, sizeof(realm));
		cnt = m.cnt;
	} else {
		len += say_streams(m.what + len, sizeof(m.what) - len, order, cnt, realm);
	}
	snprintf(m.what + len, sizeof(m.what) - len, "%s%s", makes ? parameters() : "",
		 makes && forget ? " --forget" : "");
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
	note_streams(order, cnt, realm);
	close_links();
	if (makes && forget)
		m.forgot = m.remade;
	if (makes)
		m.remade = m.changes;
}

/* Was the id seen by a stream that has been one realm with this one ever since? */
static bool must_be_known(int s, uint32_t id)
{
	for (int t = 0; t < STREAMS; t++) {
		const struct known *k = &m.known[t][id];

		if (m.realm[t] == m.realm[s] && k->is && k->at >= m.steady[s] && k->at >= m.forgot)
			return true;
	}
	return false;
}

static bool must_be_fresh(int s, uint32_t id)
{
	for (int t = 0; t < STREAMS; t++)
		if ((t == s || m.linked[s][t]) && m.known[t][id].is)
			return false;
	return true;
}

static void probe(void)
{
	int s = m.order[pick(m.cnt)];
	uint32_t id = pick(IDS);
	bool known = must_be_known(s, id), fresh = must_be_fresh(s, id);
	bool dropped = streams_drops(s, id);

	if (!m.wanted[id] && ((known && !dropped) || (fresh && dropped)))
		fail_msg("after %s: id %u of %s is %s, seed %llu", m.what, id, STREAM[s].name,
			 dropped ? "dropped, but fresh" : "passed, but known",
			 (unsigned long long)m.seed);
	/* A duplicate does not renew its id: it is as old as it was. */
	if (!dropped)
		m.known[s][id] = (struct known){ true, m.changes };
	m.known[s][id].is = true;
}

/* Wants an id that must be known, changes the filter, and sees one copy pass, and one alone. */
static void probe_want(void)
{
	int s = m.order[pick(m.cnt)];
	uint32_t id = pick(IDS), before = m.changes;
	bool known = !m.wanted[id] && must_be_known(s, id), wanted = known;
	char command[256];

	if (wanted) {
		snprintf(command, sizeof(command), "$XD want f/%s %s", name_now(s),
			 streams_hex(s, id));
		assert_run(0, command);
	}
	change_something();
	known = known && m.realm[s] >= 0 && m.steady[s] <= before && must_be_known(s, id);
	m.wanted[id] |= wanted && !known;
	if (known && (streams_drops(s, id) || !streams_drops(s, id)))
		fail_msg("after %s: id %u of %s was wanted, seed %llu", m.what, id, STREAM[s].name,
			 (unsigned long long)m.seed);
}

static void episode(void)
{
	int order[STREAMS], realm[STREAMS], cnt;
	uint64_t seed = m.seed;
	size_t len;

	memset(&m, 0, sizeof(m));
	memset(m.realm, -1, sizeof(m.realm));
	m.seed = seed;
	choose_streams(order, &cnt, realm);
	len = snprintf(m.what, sizeof(m.what), "$XD load v0 --name f --window 1h --fpr 1e-8");
	len += say_streams(m.what + len, sizeof(m.what) - len, order, cnt, realm);
	snprintf(m.what + len, sizeof(m.what) - len, "%s", parameters());
	assert_run(0, m.what);
	note_streams(order, cnt, realm);
	for (int i = 0; i < CHANGES; i++) {
		for (int j = 0; j < PROBES; j++)
			probe();
		probe_want();
	}
	for (int j = 0; j < PROBES; j++)
		probe();
	assert_run(0, "$XD unload --all");
}

static void any_changes(void **state)
{
	uint64_t episodes = environment_number("EPISODES", tries(1, EPISODES));

	(void)state;
	m.seed = environment_number("SEED", (uint64_t)time(NULL) << 20 | getpid());
	print_message("# SEED=%llu\n", (unsigned long long)m.seed);
	for (uint64_t i = 0; i < episodes; i++)
		episode();
}

int main(void)
{
	cli_environment();
	repeat_in_rest("any_changes");
	add_test("any_changes", any_changes, streams_setup, cli_teardown, NULL);
	return run_added_tests("streams_random");
}
