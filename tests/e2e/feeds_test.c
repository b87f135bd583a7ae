// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each built-in profile, on two sides by two interfaces with one filter: by veth, with the packet
 * program in native and in skb mode, and in a capture, by `replay`. The packets are the first fresh
 * one of user/spec/profiles/NAME.packets, with other numbers. Each side loses and reorders packets
 * of its own. If the profile has a count, both sides pack the first half of the messages alike, and
 * the second half in their own ways. Every message that came is delivered: once, if packed alike.
 * The accounts are exact. SEED=N.
 */
#include "e2e_runner.h"
#include "capture_files.h"
#include "output.h"
#include "profile_packets.h"
#include "senders_seen.h"
#include "udp.h"

#define MESSAGES 2000
#define ALIKE (MESSAGES / 2) /* messages that both sides pack alike */
#define PACKED_MAX 5	     /* messages of a packet */
#define LOSS_PERCENT 10
#define APART 8 /* packets that may change places */
#define BURST 32
#define CAPTURE "/mnt/capture"
#define PASSED "/mnt/passed"
#define PCAP_HEADER 24
#define PCAP_RECORD 16
#define NS_APART 10000 /* packets of the capture */

/* Where this profile's packets have their number, and how many messages they have. */
struct field {
	uint32_t at, bytes; /* bytes 0: nowhere */
	bool little;
};

static struct feed {
	struct frame frame;
	struct field number, count;
	bool numbered, partial;
	uint64_t first;	   /* the number of message 0 */
	char options[256]; /* of load and replay */
} feed;

struct packet {
	uint32_t first, count;
	bool lost;
};

static struct side {
	const char *name;
	int from, to;
	struct packet packets[MESSAGES];
	uint32_t cnt, next, sent, messages; /* packets; of them sent; messages in these */
	uint64_t number;		    /* of the last packet that was delivered */
} sides[E2E_LINKS] = { { .name = "ve0" }, { .name = "ve1" } };

static uint8_t came[MESSAGES], delivered[MESSAGES];
static uint32_t fresh; /* packets with a message that had not come before */
static struct file capture;

static uint64_t number_get(const uint8_t *data, const struct field *f)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < f->bytes; i++)
		number = number << 8 | data[f->at + (f->little ? f->bytes - 1 - i : i)];
	return number;
}

static void number_put(uint8_t *data, const struct field *f, uint64_t number)
{
	for (uint32_t i = 0; i < f->bytes; i++, number >>= 8)
		data[f->at + (f->little ? i : f->bytes - 1 - i)] = number & 0xff;
}

/* Finds `KEY = BASE+AT:BYTES[le]` among the profile's lines. */
static struct field find_field(const struct profile *p, const char *key)
{
	const char *line = strstr(p->text, key);
	struct field f = { 0 };
	char base[8], order[3] = "";
	int at;

	if (!line)
		return f;
	if (sscanf(line + strlen(key), " = %7[a-z]%d:%u%2[le]", base, &at, &f.bytes, order) < 3)
		fail_msg("%s: %s", p->stream.name, line);
	f.little = *order;
	f.at = at + (!strcmp(base, "payload") ? feed.frame.gsp
		     : !strcmp(base, "end")   ? feed.frame.len
		     : !strcmp(base, "ip")    ? feed.frame.ip
		     : !strcmp(base, "tag")   ? 14
					      : 0);
	return f;
}

static void take_first_fresh(const struct profile_packet *p, void *context)
{
	(void)context;
	if (!feed.frame.len && p->reason == DEDUP_REASON_new)
		feed.frame = p->frame;
}

/* Ids that are not numbered: some bytes that belong to the id count up. */
static void prepare(const char *name)
{
	struct profiles all = { 0 };
	const struct profile *p;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, name);
	assert_non_null(p);
	feed = (struct feed){ .numbered = p->numbered.width, .partial = p->numbered.partial };
	profile_packets_each(p, take_first_fresh, NULL);
	feed.number = find_field(p, "\nsequence");
	feed.count = find_field(p, "\ncount");
	assert_true(feed.numbered == !!feed.number.bytes);
	if (!feed.numbered)
		feed.number = (struct field){ p->stream.decoder == DEDUP_GSP
						      ? feed.frame.gsp + sizeof(struct gsp_header)
						      : feed.frame.len - feed.frame.padding -
								p->stream.digest_trailer - 4,
					      4, false };
	/* Numbers go on over their lowest two bytes, or begin again behind them. */
	feed.first = number_get(feed.frame.data, &feed.number) + 0xff00;
	snprintf(feed.options, sizeof(feed.options), "%s --profile %s%s %s",
		 p->stream.decoder == DEDUP_GSP ? "" : "--profiles /mnt/slow", name,
		 p->stream.layer != DEDUP_UDP ? ""
		 : p->needs_to		      ? ":8001@233.252.0.1"
					      : ":8001",
		 feed.numbered ? "--paths 2 --sources 16" : "--capacity 10k");
	/* On a busy machine a pause must end no history. */
	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt; %s profile show %s | "
	   "sed '/^reset /d; /^window /d; $a %s' > /mnt/slow",
	   tool(), name, feed.numbered ? "reset = 1m" : "window = 10m");
	profiles_free(&all);
}

/* Packs all messages. Some packets are lost, and neighbours change places; the accounts begin and
 * end alike.
 */
static void pack(struct side *s, uint64_t *seed)
{
	uint32_t first = 0;

	for (s->cnt = 0; first < MESSAGES; s->cnt++) {
		uint32_t most = (first < ALIKE ? ALIKE : MESSAGES) - first;
		uint32_t count = 1 + (first < ALIKE ? s->cnt : random_next(seed)) % PACKED_MAX;

		if (!feed.count.bytes)
			count = 1;
		if (count > most)
			count = most;
		s->packets[s->cnt] =
			(struct packet){ first, count, random_next(seed) % 100 < LOSS_PERCENT };
		first += count;
	}
	s->packets[0].lost = s->packets[s->cnt - 1].lost = false;
	for (uint32_t i = 1; i + APART + 1 < s->cnt; i += APART) {
		uint32_t a = i + random_next(seed) % APART, b = i + random_next(seed) % APART;
		struct packet p = s->packets[a];

		s->packets[a] = s->packets[b];
		s->packets[b] = p;
	}
}

/* Notes what a frame brings; what the host itself sends by these links is left out. */
static void note_delivered(struct side *s, const uint8_t *data, uint32_t len)
{
	const struct field *n = &feed.number;
	uint32_t shift = 64 - 8 * n->bytes, index, count = 1;
	uint8_t template[FRAME_MAX];

	if (len != feed.frame.len)
		return;
	memcpy(template, data, len);
	number_put(template, n, number_get(feed.frame.data, n));
	if (feed.count.bytes) {
		count = number_get(data, &feed.count);
		number_put(template, &feed.count, number_get(feed.frame.data, &feed.count));
	}
	if (memcmp(template, feed.frame.data, len) != 0)
		return;
	/* Of a number that wraps, the one that is next to the last one. */
	s->number += (int64_t)((number_get(data, n) - s->number) << shift) >> shift;
	index = s->number - feed.first;
	assert_true(index < MESSAGES && count <= MESSAGES - index);
	for (uint32_t m = 0; m < count; m++)
		delivered[index + m]++;
}

static void read_delivered(void)
{
	static uint8_t data[FRAME_MAX];
	ssize_t len;

	for (struct side *s = sides; s < sides + E2E_LINKS; s++) {
		while ((len = recv(s->to, data, sizeof(data), 0)) > 0)
			note_delivered(s, data, len);
		assert_int_equal(errno, EAGAIN);
	}
}

static void read_passed(void)
{
	static uint8_t record[PCAP_RECORD + FRAME_MAX];
	FILE *f = fopen(PASSED, "re");
	uint32_t len;

	assert_non_null(f);
	fseek(f, PCAP_HEADER, SEEK_SET);
	while (fread(record, PCAP_RECORD, 1, f) == 1) {
		memcpy(&len, record + 8, sizeof(len));
		assert_int_equal(fread(record, len, 1, f), 1);
		note_delivered(&sides[0], record, len);
	}
	fclose(f);
}

/* Sends a packet, or writes it into the capture. */
static void emit(struct side *s, const struct packet *p, bool captured)
{
	static struct frame f;
	bool is_fresh = false;

	f = feed.frame;
	number_put(f.data, &feed.number, feed.first + p->first);
	number_put(f.data, &feed.count, p->count);
	if (captured)
		ng_packet(&capture, s - sides,
			  (uint64_t)(sides[0].sent + sides[1].sent) * NS_APART / 1000, f.data,
			  f.len, f.len, NULL);
	while (!captured && send(s->from, f.data, f.len, 0) < 0)
		assert_int_equal(errno, ENOBUFS);
	for (uint32_t i = 0; i < p->count; i++) {
		is_fresh |= !came[p->first + i];
		came[p->first + i] = 1;
	}
	fresh += is_fresh;
	s->sent++;
	s->messages += p->count;
}

/* Emits what both sides have: first what is behind in the messages, or any of two that are not. */
static void emit_all(uint64_t seed, bool captured)
{
	memset(came, 0, sizeof(came));
	memset(delivered, 0, sizeof(delivered));
	fresh = 0;
	for (struct side *s = sides; s < sides + E2E_LINKS; s++) {
		s->next = s->sent = s->messages = 0;
		s->number = feed.first;
	}
	for (uint32_t n = 0; sides[0].next < sides[0].cnt || sides[1].next < sides[1].cnt; n++) {
		struct side *s = &sides[random_next(&seed) & 1], *other = &sides[s == sides];

		if (s->next == s->cnt ||
		    (other->next < other->cnt &&
		     other->packets[other->next].first < s->packets[s->next].first))
			s = other;
		if (!s->packets[s->next].lost)
			emit(s, &s->packets[s->next], captured);
		s->next++;
		if (n % BURST == 0 && !captured)
			read_delivered();
	}
}

static void check_senders(json_object *o, uint32_t lost)
{
	struct sender_seen s;

	assert_int_equal(senders_read(o, &s, 1), 1);
	assert_int_equal(s.messages, MESSAGES);
	assert_int_equal(s.lost + s.missing, lost);
	assert_int_equal(s.restarts + s.others, 0);
	assert_int_equal(s.partial, feed.partial);
	for (int i = 0; i < E2E_LINKS; i++) {
		const struct path_seen *p = path_seen(&s, sides[i].name, NULL);

		assert_int_equal(p->packets, sides[i].sent);
		assert_int_equal(p->received, sides[i].messages);
		assert_int_equal(p->lost + p->missing, MESSAGES - sides[i].messages);
		assert_int_equal(p->repeated + p->late + p->far, 0);
	}
}

/* Checks what was delivered, and what the tool's object shows. */
static void check(json_object *o)
{
	json_object *counters =
		member(json_object_array_get_idx(member(o, "streams"), 0), "counters");
	uint32_t lost = 0;

	for (uint32_t i = 0; i < MESSAGES; i++) {
		bool alike = i < ALIKE || !feed.count.bytes;

		if (alike ? delivered[i] != came[i] : !delivered[i] != !came[i])
			fail_msg("message %u came: %u, and was delivered %u times", i, came[i],
				 delivered[i]);
		lost += !came[i];
	}
	assert_number(counters, "new", fresh);
	assert_number(counters, "duplicate", sides[0].sent + sides[1].sent - fresh);
	if (feed.numbered)
		check_senders(o, lost);
	json_object_put(o);
}

static int unload(void **state)
{
	(void)state;
	sh("%s unload --all", tool());
	return 0;
}

/* Short numbers may begin anew after 20 ms of silence, as on a busy machine. Then a copy is new.
 * Returns whether this has happened.
 */
static bool began_anew(void)
{
	return feed.numbered && feed.number.bytes <= 2 && tool_counter("feed", "new") > fresh;
}

static void by_veth(uint64_t seed, const char *mode)
{
	int tries = 0;

	do {
		unload(NULL);
		sh("%s load ve0 ve1 --name feed --mode %s %s", tool(), mode, feed.options);
		emit_all(seed, false);
		e2e_counters_after("feed", sides[0].sent + sides[1].sent);
		usleep(20000);
		read_delivered();
	} while (began_anew() && ++tries < 5);
	check(tool_status("feed"));
	if (feed.numbered) /* what no path has brought */
		sh("%s status feed | grep -q ', [0-9]* %slost on all paths'", tool(),
		   feed.partial ? "for others, or " : "");
	unload(NULL);
}

static void by_replay(uint64_t seed)
{
	char command[512];
	FILE *f;

	capture = (struct file){ 0 };
	ng_section(&capture);
	ng_named_iface(&capture, "ve0");
	ng_named_iface(&capture, "ve1");
	emit_all(seed, true);
	f = fopen(CAPTURE, "we");
	assert_int_equal(fwrite(capture.data, capture.len, 1, f), 1);
	assert_int_equal(fclose(f), 0);
	file_free(&capture);
	snprintf(command, sizeof(command),
		 "$XD replay " CAPTURE " --json --write-passed " PASSED " %s", feed.options);
	sides[0].number = feed.first;
	json_object *o = json_of(command);

	read_passed();
	check(o);
}

static void every_message_is_delivered(void **state)
{
	uint64_t seed = environment_number("SEED", udp_now_ns());

	print_message("# SEED=%llu\n", (unsigned long long)seed);
	prepare(*state);
	for (int i = 0; i < E2E_LINKS; i++)
		pack(&sides[i], &seed);
	by_veth(seed, "native");
	by_veth(seed, "skb");
	by_replay(seed);
}

/* Once for all profiles. Both near ends have one MAC, as in PRP: some ids have it. The host sends
 * nothing by itself.
 */
static int setup(void **state)
{
	if (sides[0].from)
		return 0;
	e2e_setup(state);
	sh("for i in ve0 ve1; do sysctl -qw net.ipv6.conf.$i.disable_ipv6=1; done\n"
	   "ip link set ve1 address " FRAME_MAC_TEXT);
	e2e_far_sh("for i in pe0 pe1; do sysctl -qw net.ipv6.conf.$i.disable_ipv6=1; done");
	for (int i = 0; i < E2E_LINKS; i++) {
		sides[i].to = e2e_packet_socket(sides[i].name);
		netns_enter(e2e_far());
		sides[i].from = e2e_packet_socket(i ? "pe1" : "pe0");
		netns_enter(0);
	}
	return 0;
}

int main(void)
{
	name_tool();
	profile_packets_add_tests(every_message_is_delivered, setup, unload);
	return run_added_tests("feeds");
}
