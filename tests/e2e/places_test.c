// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a filter runs, compared with a plain model: interfaces move between network namespaces, get
 * new names, are deleted and made anew; links are detached by hand; the filter is changed, and
 * changes are killed. After each step packets over each interface are judged, or not, as the model
 * has it, and status says so.
 *
 * Environment: STEPS of them; SEED.
 */
#include "support.h"

#include <linux/if_packet.h>
#include <net/if.h>

#include <bpf/bpf.h>

#include "iface_link.h"
#include "open.h"
#include "packet.h"
#include "totals.h"

#define NAME "places"
#define CNT 3
#define WAIT_MS 2000

static struct place {
	bool exists, away; /* away: in the other network namespace */
	char name[IF_NAMESIZE];
	char recorded[IF_NAMESIZE]; /* "": the filter is not to run there */
	bool live;		    /* its link has the filter's program */
	bool unsure; /* a change was killed: the record may have another name for it */
	int peer;    /* a packet socket on the far end; -1: none */
} places[CNT];

static pid_t away;
static uint64_t seed;

static uint64_t any(uint64_t below)
{
	return random_next(&seed) % below;
}

/* Runs a command in the namespace where the interface is. */
static void in_its_netns(const struct place *p, const char *command)
{
	if (p->away)
		sh("nsenter -t %d -n %s", away, command);
	else
		sh("%s", command);
}

static void set_up(const struct place *p)
{
	char command[64];

	snprintf(command, sizeof(command), "ip link set %s up", p->name);
	in_its_netns(p, command);
}

/* A name that no interface there has. */
static void free_name(char name[IF_NAMESIZE], bool is_away)
{
	bool is_free;

	do {
		is_free = true;
		snprintf(name, IF_NAMESIZE, "n%d", (int)any(2 * CNT));
		for (const struct place *p = places; p < places + CNT; p++)
			is_free &= !p->exists || p->away != is_away || strcmp(p->name, name) != 0;
	} while (!is_free);
}

static void make(int i)
{
	struct place *p = &places[i];
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	char far[IF_NAMESIZE];
	int one = 1;

	*p = (struct place){ 0 };
	free_name(p->name, false);
	p->exists = true;
	snprintf(far, sizeof(far), "far%d", i);
	sh("ip link add %s type veth peer name %s && ip link set %s up", p->name, far, far);
	set_up(p);
	p->peer = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	to.sll_ifindex = (int)if_nametoindex(far);
	assert_return_code(p->peer, errno);
	assert_return_code(bind(p->peer, (struct sockaddr *)&to, sizeof(to)), errno);
	assert_return_code(setsockopt(p->peer, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)),
			   errno);
}

static struct filter_counters counters(void)
{
	struct filter_counters c;
	struct filter f;

	assert_int_equal(filter_open(NAME, &f), 0);
	assert_int_equal(filter_counters(&f, &c), 0);
	filter_close(&f);
	return c;
}

static void send_frame(const struct place *p, const struct id *id)
{
	struct frame_plan plan = { 0 };
	static struct frame f;

	frame_build(&f, &plan, id);
	assert_int_equal(send(p->peer, f.data, f.len, 0), f.len);
}

/* Two copies of a fresh event: one is fresh, one a duplicate, or the filter sees neither. */
static void check_packets(const struct place *p)
{
	struct filter_counters before = counters(), now = before;
	struct id id = id_fresh();
	uint64_t seen = 2 * p->live;

	send_frame(p, &id);
	send_frame(p, &id);
	for (int ms = 0; ms < (p->live ? WAIT_MS : 20); ms++) {
		now = counters();
		if (now.rx - before.rx >= 2)
			break;
		usleep(1000);
	}
	assert_int_equal(now.new + now.duplicate - before.new - before.duplicate, seen);
	assert_int_equal(now.duplicate - before.duplicate, seen / 2);
}

/* How many interfaces status shows in this state. */
static int count_shown(json_object *ifaces, const char *state)
{
	int cnt = 0;

	for (size_t i = 0; i < json_object_array_length(ifaces); i++) {
		json_object *o = json_object_array_get_idx(ifaces, i);

		cnt += !strcmp(json_object_get_string(json_object_object_get(o, "state")), state);
	}
	return cnt;
}

static bool status_agrees(void)
{
	json_object *status = tool_status(NAME),
		    *ifaces = json_object_object_get(status, "interfaces");
	int attached = 0, elsewhere = 0;
	bool agrees;

	for (int i = 0; i < CNT; i++) {
		attached += places[i].live && !places[i].away;
		elsewhere += places[i].live && places[i].away;
	}
	agrees = count_shown(ifaces, "attached") == attached &&
		 count_shown(ifaces, "other netns") == elsewhere;
	if (!agrees && getenv("VERBOSE"))
		print_message("# status: %s\n", json_object_to_json_string(ifaces));
	json_object_put(status);
	return agrees;
}

/* A link that runs nowhere may have the name that another one is to have. */
static bool links_agree(void)
{
	bool agree = true;

	for (int i = 0; i < CNT && agree; i++) {
		struct iface_link link = { .ifindex = 0 };
		int fd = places[i].live ? iface_link_open(NAME, places[i].recorded) : -1;

		agree = !places[i].live || (fd >= 0 && !iface_link_info(fd, &link) && link.ifindex);
		if (fd >= 0)
			close(fd);
	}
	return agree;
}

static void check(void)
{
	assert_true(status_agrees());
	assert_true(links_agree());
	for (int i = 0; i < CNT; i++)
		if (places[i].exists)
			check_packets(&places[i]);
}

/* Every change forgets interfaces that are gone, and records names as they are, if they differ. */
static void note_change(struct place *list)
{
	char names[CNT][IF_NAMESIZE];
	bool distinct = true;

	for (int i = 0; i < CNT; i++) {
		struct place *p = &list[i];

		if (!p->live && (!p->exists || p->away))
			*p->recorded = '\0';
		memcpy(names[i], p->away || !*p->recorded ? p->recorded : p->name, IF_NAMESIZE);
		for (int j = 0; j < i; j++)
			distinct &= !*names[i] || strcmp(names[i], names[j]) != 0;
	}
	for (int i = 0; i < CNT && distinct; i++)
		memcpy(list[i].recorded, names[i], IF_NAMESIZE);
}

/* Would a change keep another interface than this one? A filter that runs nowhere is refused. */
static bool keeps_another(const struct place *p)
{
	for (const struct place *o = places; o < places + CNT; o++)
		if (o != p && *o->recorded && (o->live || (o->exists && !o->away)))
			return true;
	return false;
}

/* A change by the tool. It may be killed: then the next command ends or undoes it. */
static void change(const char *args, const struct place *after)
{
	struct place before[CNT];
	char out[1024];

	memcpy(before, places, sizeof(places));
	memcpy(places, after, sizeof(places));
	if (getenv("VERBOSE"))
		print_message("# %s\n", args);
	if (any(3)) {
		if (sh_out(out, sizeof(out), "%s %s", tool(), args))
			fail_msg("%s: %s", args, out);
		for (int i = 0; i < CNT; i++)
			places[i].unsure = false;
		return;
	}
	sh_out(out, sizeof(out), "timeout -s KILL 0.%03d %s %s", (int)any(150), tool(), args);
	if (getenv("VERBOSE"))
		print_message("# killed, if it was slow: %s\n", out);
	sh("%s refresh " NAME, tool());
	if (!status_agrees() || !links_agree())
		memcpy(places, before, sizeof(places));
	for (int i = 0; i < CNT; i++)
		places[i].unsure = true;
}

static void move(struct place *p)
{
	char command[96];

	for (const struct place *o = places; o < places + CNT; o++)
		if (o != p && o->exists && o->away != p->away && !strcmp(o->name, p->name))
			return;
	snprintf(command, sizeof(command), "ip link set %s netns %d", p->name,
		 p->away ? (int)getpid() : away);
	in_its_netns(p, command);
	p->away = !p->away;
	set_up(p);
}

static void rename_place(struct place *p)
{
	char command[96], name[IF_NAMESIZE];

	free_name(name, p->away);
	snprintf(command, sizeof(command), "ip link set %s down name %s", p->name, name);
	in_its_netns(p, command);
	memcpy(p->name, name, sizeof(name));
	set_up(p);
}

static void delete_place(struct place *p)
{
	char command[64];

	snprintf(command, sizeof(command), "ip link del %s", p->name);
	in_its_netns(p, command);
	close(p->peer);
	p->exists = p->live = p->away = false;
	p->peer = -1;
}

static void detach_by_hand(struct place *p)
{
	int fd = iface_link_open(NAME, p->recorded);

	assert_return_code(fd, -fd);
	assert_return_code(bpf_link_detach(fd), errno);
	close(fd);
	p->live = false;
}

/* The name by which a command takes it off; NULL if that may mean another one. */
static const char *name_to_remove(const struct place *p)
{
	bool is_home = p->exists && !p->away;

	if (!*p->recorded || (!is_home && p->unsure))
		return NULL;
	for (const struct place *o = places; o < places + CNT; o++) {
		bool other_is_home = o->exists && !o->away;

		if (o == p || is_home == other_is_home || (is_home && (p->live || !*o->recorded)))
			continue;
		if (!strcmp(is_home ? p->name : p->recorded, other_is_home ? o->name : o->recorded))
			return NULL;
	}
	return is_home ? p->name : p->recorded;
}

static void remove_place(int i)
{
	struct place after[CNT], *p = &places[i];
	const char *name = name_to_remove(p);
	bool is_unload = any(2) && !p->away;
	char args[128];

	if (!name || !keeps_another(p))
		return;
	memcpy(after, places, sizeof(places));
	if (!is_unload)
		note_change(after);
	snprintf(args, sizeof(args), is_unload ? "unload %s" : "set " NAME " --remove %s", name);
	*after[i].recorded = '\0';
	after[i].live = false;
	change(args, after);
}

static void add_place(int i)
{
	struct place after[CNT], *p = &places[i];
	char args[128];

	/* Refused: this was the name of one that runs the filter. */
	for (const struct place *o = places; o < places + CNT; o++)
		if (o != p && !strcmp(o->recorded, p->name))
			return;
	memcpy(after, places, sizeof(places));
	note_change(after);
	snprintf(args, sizeof(args), "set " NAME " --add %s", p->name);
	memcpy(after[i].recorded, p->name, sizeof(p->name));
	after[i].live = true;
	change(args, after);
}

/* One step with place i. */
static void step(int i)
{
	struct place after[CNT], *p = &places[i];
	char args[128];

	memcpy(after, places, sizeof(places));
	note_change(after);
	switch (any(10)) {
	case 0:
		if (p->exists)
			move(p);
		break;
	case 1:
		if (p->exists)
			rename_place(p);
		break;
	case 2:
		if (p->exists)
			delete_place(p);
		break;
	case 3:
		if (p->live)
			detach_by_hand(p);
		break;
	case 4:
		snprintf(args, sizeof(args), "resize " NAME " --forget --capacity %dk",
			 (int)(20 + any(20)));
		change(args, after);
		break;
	case 5:
		change(any(2) ? "set " NAME " --ihave pass" : "set " NAME " --ihave drop", after);
		break;
	case 6:
		remove_place(i);
		break;
	default:
		if (!p->exists)
			make(i);
		else if (!p->away && !p->live)
			add_place(i);
	}
}

static bool runs_anywhere(void)
{
	for (int i = 0; i < CNT; i++)
		if (places[i].live)
			return true;
	return false;
}

/* For whoever looks for the step that fails: VERBOSE=1. */
static void print_places(uint64_t n)
{
	for (int i = 0; i < CNT && getenv("VERBOSE"); i++)
		print_message("# %llu: %s%s%s%s%s\n", (unsigned long long)n, places[i].name,
			      places[i].exists ? "" : ", gone", places[i].away ? ", away" : "",
			      places[i].live ? ", runs it as " : ", recorded as ",
			      places[i].recorded);
}

TEST(a_filter_runs_where_the_model_has_it)
{
	uint64_t steps = environment_number("STEPS", tries(60, 600));

	seed = environment_number("SEED", (uint64_t)getpid());
	print_message("# SEED=%llu\n", (unsigned long long)seed);
	away = netns_start();
	for (int i = 0; i < CNT; i++)
		make(i);
	for (uint64_t n = 0; n < steps; n++) {
		if (!runs_anywhere()) { /* a change would be refused */
			sh("%s unload --all", tool());
			for (int i = 0; i < CNT; i++) {
				*places[i].recorded = '\0';
				if (places[i].exists)
					delete_place(&places[i]);
				make(i);
			}
			sh("%s load %s --name " NAME " --port 8001 --capacity 20k --forwarded",
			   tool(), places[0].name);
			places[0].live = true;
			memcpy(places[0].recorded, places[0].name, IF_NAMESIZE);
		}
		step((int)any(CNT));
		print_places(n);
		if (runs_anywhere())
			check();
	}
	sh("%s unload --all", tool());
	for (int i = 0; i < CNT; i++)
		if (places[i].exists)
			delete_place(&places[i]);
	netns_stop(away);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_tests("places");
}
