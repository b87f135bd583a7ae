// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of MACs whose frames are this host's: what a filter is told of its interfaces and of
 * what is on top of them, and whether that still agrees. Links are made up.
 */
#include "unit.h"

#include "open_filter.h"

#include "iface.h"
#include "own_macs.h"

#define LINKS_MAX 200

/* A filter in this process's memory, and the interfaces that it is told of. */
static struct {
	struct dedup_config config;
	struct dedup_record record;
	struct filter filter;
	struct link list[LINKS_MAX];
	struct links links;
} t;

static int setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	t.filter.config = &t.config;
	t.filter.record = &t.record;
	t.links.list = t.list;
	return 0;
}

/* MACs end with `mac`. */
static struct link *add(uint32_t index, uint8_t mac, uint32_t master, uint32_t below)
{
	struct link *l = &t.list[t.links.cnt++];

	*l = (struct link){ .index = index,
			    .mac = { 2, [5] = mac },
			    .has_mac = true,
			    .is_ethernet = true,
			    .master = master,
			    .below = below };
	return l;
}

static void record(int slot, uint32_t index, bool here)
{
	t.record.ifaces[slot].ifindex = index;
	t.record.ifaces[slot].netns = iface_local_netns() + !here;
	t.config.asked.several = slot > 0;
	t.config.policy.receiver = slot ? DEDUP_SEVERAL_INTERFACES : DEDUP_ONE_INTERFACE;
}

static uint64_t word(uint8_t mac)
{
	uint8_t first[8] = { 2, [5] = mac };
	uint64_t first8;

	memcpy(&first8, first, sizeof(first8));
	return dedup_mac_word(first8);
}

/* What the packet path does. */
static bool is_ours(uint32_t index, uint8_t mac)
{
	uint64_t want = word(mac);

	if (want == t.record.own_mac)
		return true;
	if (t.config.asked.several && want == t.record.own_macs[dedup_own_slot(index)])
		return true;
	if (t.config.asked.several)
		want |= dedup_mac_index(index);
	for (uint64_t i = 0; i < t.record.macs_cnt; i++)
		if (t.record.macs[i] == want)
			return true;
	return false;
}

/* Of MACs up to 9: those that are ours on this interface, as digits. */
static void assert_ours(uint32_t index, const char *macs)
{
	char got[16] = "";

	for (uint8_t mac = 1; mac <= 9; mac++)
		if (is_ours(index, mac))
			strcat(got, (char[]){ '0' + mac, 0 });
	assert_string_equal(got, macs);
}

static void set(void)
{
	assert_int_equal(own_macs_set(&t.filter, &t.links), 0);
}

/* Steps, each with numbers behind it, of one digit:
 * +IMDB   a link: index, MAC (0: none), master, what is below it
 * rSI     slot S of the record is interface I, here
 * n       destinations are named, by --to
 * s       the filter is told
 * mNM     the N-th link's MAC is M now;  dND: its master is D
 * yI, xI  the list agrees with interface I, or does not
 * oM      MAC M is the one that is looked at first (0: none)
 * I=...   MACs that are ours on interface I
 */
static const struct row {
	const char *name, *steps;
} ROWS[] = {
	{ "a-lone-interface-has-its-own", "+1100 +2200 r01 x1 s 1=1 o1 y1" },
	/* Link 2 is another port: its frames go elsewhere. 4 is a macvlan on the bridge, 6 has its MAC. */
	{ "what-is-on-top-counts-and-the-bridge-comes-first",
	  "+1130 +2230 +3300 +4403 +5501 +6403 r01 s 1=1345 o3 y1" },
	{ "every-change-is-seen", "+1100 +2200 r01 s m07 x1 s 1=7 d02 x1 s 1=27 m18 x1 s 1=78 d00 x1 s "
				  "1=7 y1" },
	{ "of-several-each-has-its-own", "+1100 +2200 +3301 r01 r12 s 1=13 2=2 o0 y1 m29 x1 y2" },
	/* Only the whole question has the answer, which --to belongs to. */
	{ "with-destinations-nothing-is-answered-at-once", "+1100 r01 n s o0 1=1 y1" },
	{ "without-a-mac-nothing-is-told", "+1000 r01 s 1= o0" },
};

static void run_step(const char *step)
{
	int n[4] = { 0 };

	for (int i = 0; i < 4 && step[i] && step[1 + i]; i++)
		n[i] = step[1 + i] - '0';
	switch (*step) {
	case '+':
		add(n[0], n[1], n[2], n[3])->has_mac = n[1] != 0;
		break;
	case 'r':
		record(n[0], n[1], true);
		break;
	case 'n':
		t.config.policy.receiver = DEDUP_NAMED;
		break;
	case 's':
		set();
		break;
	case 'm':
		t.list[n[0]].mac[5] = n[1];
		break;
	case 'd':
		t.list[n[0]].master = n[1];
		break;
	case 'y':
	case 'x':
		assert_int_equal(own_macs_agree(&t.filter, &t.links, n[0]), *step == 'y');
		break;
	case 'o':
		assert_true(t.record.own_mac == (n[0] ? word(n[0]) : DEDUP_MAC_NONE));
		break;
	default:
		assert_ours(*step - '0', step + 2);
	}
}

TEST_ROWS_WITH(runs, ROWS, setup, NULL)
{
	char copy[128], *rest = strcpy(copy, row->steps);

	for (char *step; (step = strsep(&rest, " "));)
		run_step(step);
}

/* Their own MACs are in the list then, with their index. */
TEST(of_several_two_may_share_a_slot)
{
	add(1, 1, 0, 0);
	add(1 + DEDUP_OWN_SLOTS, 2, 0, 0);
	record(0, 1, true);
	record(1, 1 + DEDUP_OWN_SLOTS, true);
	set();
	assert_ours(1, "1");
	assert_ours(1 + DEDUP_OWN_SLOTS, "2");
	assert_true(own_macs_agree(&t.filter, &t.links, 1));
	assert_true(own_macs_agree(&t.filter, &t.links, 1 + DEDUP_OWN_SLOTS));
}

TEST(another_netns_keeps_what_it_was_told)
{
	add(1, 1, 0, 0);
	add(2, 2, 0, 0);
	add(3, 3, 0, 1);
	add(4, 4, 0, 2);
	record(0, 1, true);
	record(1, 2, true);
	set();
	t.record.ifaces[0].netns++;
	t.links.list++; /* out of sight, with what was on it */
	t.links.list[1] = t.links.list[2];
	t.links.cnt = 2;
	t.links.list[1].mac[5] = 5;
	set();
	assert_ours(1, "13");
	assert_ours(2, "25");
}

/* A change gives a filter another form of the list: what is elsewhere takes part, both ways. */
TEST(another_netns_is_kept_in_another_form)
{
	struct dedup_record record_before;
	struct dedup_config config_before;
	struct filter before = { .config = &config_before, .record = &record_before };
	static const int FORMS[] = { DEDUP_ONE_INTERFACE, DEDUP_NAMED, DEDUP_SEVERAL_INTERFACES };

	add(1, 1, 0, 0);
	add(2, 3, 0, 1);
	record(0, 1, true);
	set();
	t.record.ifaces[0].netns++;
	t.links.cnt = 0;
	for (int i = 0; i < 9; i++) {
		config_before = t.config;
		record_before = t.record;
		memset(t.record.own_macs, 0, sizeof(t.record.own_macs));
		t.record.own_mac = 0;
		t.config.policy.receiver = FORMS[i % 2 ? i / 2 % 3 : (i + 1) % 3];
		t.config.asked.several = t.config.policy.receiver == DEDUP_SEVERAL_INTERFACES;
		own_macs_keep(&t.filter, &before);
		set();
		assert_ours(1, "13");
	}
}

TEST(too_many_are_told_of)
{
	add(1, 0, 0, 0);
	for (uint32_t i = 0; i < DEDUP_MACS_MAX; i++)
		add(2 + i, 1 + i, 0, 1);
	record(0, 1, true);
	set();
	assert_true(own_macs_agree(&t.filter, &t.links, 1));
	add(2 + DEDUP_MACS_MAX, 1 + DEDUP_MACS_MAX, 0, 1);
	assert_false(own_macs_agree(&t.filter, &t.links, 1));
	assert_int_equal(own_macs_set(&t.filter, &t.links), -ENOSPC);
	assert_ours(1, "123456789");
	assert_false(own_macs_agree(&t.filter, &t.links, 1));
}

UNIT_MAIN_WITH(setup, NULL)
