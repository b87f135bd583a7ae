// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config_streams.h"
#include "diag.h"
#include "positions.h"
#include "prefixes.h"
#include "replay.h"
#include "sampling.h"
#include "stream_options.h"
#include "units.h"

#define RATE_DEFAULT 10
#define EVERY_DEFAULT_NS 1000000000ULL
#define EVERY_MIN_NS 100000000ULL
#define EVERY_MAX_NS 86400000000000ULL

static const char *parse_port(void *to, const char *text)
{
	struct options *o = to;

	switch (parse_ports(text, o->spec.ports, &o->spec.ports_cnt)) {
	case 0:
		return NULL;
	case -E2BIG:
		return "at most {max} ports or ranges";
	default:
		return "give UDP ports from 1 to 65535, as in 8001,9000-9010";
	}
}

static const char *parse_to(void *to, const char *text)
{
	struct options *o = to;

	switch (parse_prefixes(text, o->spec.to, &o->spec.to_cnt, &o->spec.to4_cnt)) {
	case 0:
		return NULL;
	case -E2BIG:
		return "at most {max} destinations";
	case -EDOM:
		return "write a prefix of IPv4 as 192.0.2.0/24, without ::ffff:";
	default:
		return "give addresses or prefixes, as in 192.0.2.1,2001:db8::/64";
	}
}

static const char *parse_vlan(void *to, const char *text)
{
	struct options *o = to;

	switch (parse_vlans(text, o->spec.vlans, &o->spec.vlans_cnt)) {
	case 0:
		return NULL;
	case -E2BIG:
		return "at most {max} VLANs or ranges";
	default:
		return "give VLAN ids from 1 to 4094, or none for frames without a tag, as in 10,20-29,none; or any";
	}
}

static const char *parse_queue(void *to, const char *text)
{
	struct options *o = to;

	switch (parse_queues(text, o->queues, &o->queues_cnt)) {
	case 0:
		return NULL;
	case -E2BIG:
		return "at most {max} queues or ranges";
	default:
		return "give numbers of RX queues, as in 0-31,40";
	}
}

static const char *add_profile(void *to, const char *text)
{
	struct options *o = to;

	if (o->profiles_cnt == DEDUP_STREAMS_MAX)
		return "at most {max} streams";
	o->profiles[o->profiles_cnt++] = (struct given_text){ text, diag_location() };
	return NULL;
}

static const char *add_file(void *to, const char *text)
{
	struct options *o = to;

	if (o->files_cnt == OPTIONS_FILES_MAX)
		return "at most {max} files";
	o->files[o->files_cnt++] = (struct given_text){ text, diag_location() };
	return NULL;
}

static const char *add_interface(const char *text, char **list, int *cnt)
{
	if (*cnt == DEDUP_IFACES_MAX)
		return "at most {max} interfaces";
	list[(*cnt)++] = (char *)text;
	return NULL;
}

static const char *parse_add(void *to, const char *text)
{
	struct options *o = to;

	return add_interface(text, o->add, &o->add_cnt);
}

static const char *parse_remove(void *to, const char *text)
{
	struct options *o = to;

	return add_interface(text, o->remove, &o->remove_cnt);
}

static const char *parse_deliver(void *to, const char *text)
{
	struct options *o = to;

	o->spec.deliver = !strcmp(text, "xsk");
	o->deliver = strncmp(text, "xsk:", 4) ? NULL : text + 4;
	if (!o->spec.deliver && !o->deliver && strcmp(text, "stack"))
		return "it is stack, xsk, or xsk:STREAM,STREAM";
	return NULL;
}

static const char *parse_own_mac(void *to, const char *text)
{
	struct options *o = to;

	return parse_mac(text, o->mac) ? "give a MAC, as in 02:00:00:00:00:01" : NULL;
}

/* With or without "/s". */
static const char *parse_packet_rate(void *to, const char *text)
{
	struct options *o = to;
	size_t len = strlen(text);
	uint64_t rate;
	char number[32];

	if (len > 2 && !strcmp(text + len - 2, "/s"))
		len -= 2;
	if (len >= sizeof(number))
		return "give packets a second, as in 10/s or 1k/s";
	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	if (parse_count(number, &rate) || rate < 1 || rate > SAMPLING_RATE_MAX)
		return "give a number from {min} to {max}";
	o->sample.rate = rate;
	return NULL;
}

#define FIELD(member) ARGS_FIELD(struct options, member)
#define FIELDS(first, last) ARGS_FIELDS(struct options, first, last)
#define GIVEN(mark) .given = offsetof(struct options, given.mark)

const struct args_option OPTIONS[OPTIONS_MAX + 1] = {
	{ "--name", "NAME", OPT_NAME, ARGS_STRING, FIELD(name),
	  .help = "the filter's (load: the first interface's name)" },
	{ "--mode", "MODE", OPT_MODE, ARGS_NAMES("native", "skb", "hw"), FIELD(mode),
	  .min = MODE_NATIVE, .key = ARGS_KEY_ONCE, .help = "{names} (native, or else skb)" },
	{ "--port", "PORTS", OPT_PORT, ARGS_OWN, FIELDS(spec.ports, spec.ports_cnt), GIVEN(port),
	  .parse = parse_port, .max = DEDUP_PORTS_MAX, .key = ARGS_KEY_JOINED,
	  .help = "GSP/1's UDP destination ports, as in 8001,9000-9010 (no default)" },
	{ "--profile", "PROFILE", OPT_PROFILE, ARGS_OWN, FIELDS(profiles, profiles_cnt),
	  .parse = add_profile, .max = DEDUP_STREAMS_MAX, .key = ARGS_KEY_LIST,
	  .help = "a stream of another protocol (`xdp-dedup profile list`), as in\n"
		  "rtp:5004; up to {max}. In full:\n"
		  "[STREAM=]NAME[:PORTS[@DESTINATIONS]][#REALM]" },
	{ "--profiles", "FILE", OPT_PROFILES, ARGS_OWN, FIELDS(files, files_cnt), .parse = add_file,
	  .max = OPTIONS_FILES_MAX, .key = ARGS_KEY_LIST, .help = "more profiles, from this file" },
	{ "--capacity", "N", OPT_CAPACITY, ARGS_COUNT, FIELD(spec.capacity), GIVEN(capacity),
	  .min = 1, .key = ARGS_KEY_ONCE, .env = "XDP_DEDUP_CAPACITY",
	  .expects = "give a number of ids, as in 500000, 250k or 1M",
	  .range = "a filter must hold at least {min} id",
	  .help = "ids a window, as in 250k or 1M (1M)" },
	{ "--fpr", "P", OPT_FPR, ARGS_RATE, FIELD(spec.fpr), GIVEN(fpr), .key = ARGS_KEY_ONCE,
	  .env = "XDP_DEDUP_FPR",
	  .help = "bound on the rate at which fresh events are lost\n"
		  "(1e-4, or what its profiles say)" },
	{ "--window", "TIME", OPT_WINDOW, ARGS_TIME, FIELD(spec.window_ns), GIVEN(window),
	  .min = SPEC_WINDOW_MIN_NS, .max = SPEC_WINDOW_MAX_NS, .key = ARGS_KEY_ONCE,
	  .env = "XDP_DEDUP_WINDOW",
	  .expects = "give a time with its unit, as in 500ms, 30s, 10m, 2h or 1d",
	  .range = "a window is {min} to {max}",
	  .help = "an id is remembered so long, at most twice, as in 30s or 1d\n"
		  "(10m, or what its profiles say)" },
	{ "--action", "ACTION", OPT_ACTION, ARGS_NAMES("drop", "count"), FIELD(spec.count_only),
	  GIVEN(action), .key = ARGS_KEY_ONCE, .help = "drop duplicates, or only count them (drop)" },
	/* No key: how long is counted from when it is asked for, which a file cannot say. */
	{ "--for", "TIME", OPT_ACTION, ARGS_TIME, FIELD(spec.drop_ns), GIVEN(drop_for),
	  .min = SPEC_DROP_MIN_NS, .max = SPEC_DROP_MAX_NS,
	  .expects = "give a time with its unit, as in 90s, 8h or 3d", .range = "it is {min} to {max}",
	  .help = "drop for so long, as in 8h, then only count (for ever)" },
	{ "--learn", "WHO", OPT_ACTION, ARGS_NAMES("kernel", "app"), FIELD(spec.learn_app),
	  GIVEN(learn), .key = ARGS_KEY_ONCE,
	  .help = "kernel: ids of packets; app: only what `add` adds (kernel)" },
	{ "--to", "DESTINATIONS", OPT_DESTINATION, ARGS_OWN, FIELDS(spec.to, spec.to4_cnt),
	  GIVEN(to), .parse = parse_to, .max = DEDUP_TO_MAX, .key = ARGS_KEY_JOINED,
	  .help = "only packets to these addresses or prefixes, as in\n"
		  "192.0.2.1,2001:db8::/64 (all that are for this host)" },
	{ "--vlan", "VLANS", OPT_DESTINATION, ARGS_OWN, FIELDS(spec.vlans, spec.vlans_cnt),
	  GIVEN(vlan), .parse = parse_vlan, .max = DEDUP_VLANS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "only frames of these VLANs, by their outermost tag, as in\n"
		  "10,20-29,none; none: those without a tag (any)" },
	{ "--forwarded", NULL, OPT_DESTINATION, ARGS_FLAG, FIELD(spec.forwarded), GIVEN(forwarded),
	  .key = ARGS_KEY_ONCE,
	  .help = "also frames for other hosts' MACs: mirrored or forwarded traffic" },
	{ "--ihave", "WHAT", OPT_ACTION, ARGS_NAMES("drop", "pass"), FIELD(spec.ihave_pass),
	  GIVEN(ihave), .key = ARGS_KEY_ONCE,
	  .help = "drop IHAVEs whose every id is known, or pass them all (drop)" },
	{ "--deliver", "WHERE", OPT_ACTION, ARGS_OWN, FIELD(spec.deliver), GIVEN(deliver),
	  .parse = parse_deliver, .key = ARGS_KEY_ONCE,
	  .help = "fresh packets go to the network stack, or past it to AF_XDP\n"
		  "sockets: xsk, or xsk:STREAM,STREAM for these streams (stack)" },
	{ "--layout", "LAYOUT", OPT_SHAPE, ARGS_NAMES("blocked", "flat", "countdown"),
	  FIELD(spec.layout), GIVEN(layout), .key = ARGS_KEY_ONCE, .help = "{names} (blocked)" },
	{ "--hash", "HASH", OPT_SHAPE,
	  ARGS_NAMES("fast", "siphash", "colibri", "fips", "fnv1a", "tezos"), FIELD(spec.hash),
	  GIVEN(hash), .key = ARGS_KEY_ONCE,
	  .help = "fast or siphash; flat and countdown also have\n"
		  "colibri, fips, fnv1a and tezos (fast)" },
	{ "--bits", "M", OPT_SHAPE, ARGS_COUNT, FIELD(spec.bits), GIVEN(bits), .min = 1,
	  .max = UINT32_MAX, .key = ARGS_KEY_ONCE,
	  .help = "flat: bits of an array (what --fpr asks for)" },
	{ "--hashes", "K", OPT_SHAPE, ARGS_COUNT, FIELD(spec.hashes), GIVEN(hashes), .min = 1,
	  .max = DEDUP_HASHES_MAX, .key = ARGS_KEY_ONCE,
	  .help = "flat, countdown: probes, {min} to {max} (what --fpr asks for)" },
	{ "--index-bits", "N", OPT_SHAPE, ARGS_COUNT, FIELD(spec.index_bits), GIVEN(index_bits),
	  .min = 1, .max = SPEC_INDEX_BITS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "countdown: 2^N cells, {min} to {max} (what --fpr asks for)" },
	{ "--countdown-bits", "N", OPT_SHAPE, ARGS_COUNT, FIELD(spec.countdown_bits),
	  GIVEN(countdown_bits), .min = 1, .max = SPEC_COUNTDOWN_BITS_MAX, .key = ARGS_KEY_ONCE,
	  .help = "countdown: an id lasts 2^N - 1 countdowns, {min} to {max} (4)" },
	{ "--add", "IFNAME", OPT_INTERFACES, ARGS_OWN, FIELDS(add, add_cnt), .parse = parse_add,
	  .max = DEDUP_IFACES_MAX, .help = "run on this interface, too; may be given several times" },
	{ "--remove", "IFNAME", OPT_INTERFACES, ARGS_OWN, FIELDS(remove, remove_cnt),
	  .parse = parse_remove, .max = DEDUP_IFACES_MAX,
	  .help = "no longer run on this one, which may have gone; likewise" },
	{ "--replace", NULL, OPT_REPLACE, ARGS_FLAG, FIELD(replace),
	  .help = "if it runs already: put this version's program, and what else is\n"
		  "asked for, in its place; forgets nothing" },
	{ "--wait", NULL, OPT_PREDECESSOR, ARGS_FLAG, FIELD(wait),
	  .help = "while an earlier change is not over: wait (it fails)" },
	{ "--forget", NULL, OPT_PREDECESSOR, ARGS_FLAG, FIELD(forget),
	  .help = "likewise: give up what only its predecessor knows" },
	{ "--engine", "ENGINE", OPT_REPLAY, ARGS_NAMES("user", "kernel"), FIELD(engine),
	  .help = "user: the program compiled for user space; kernel: the\n"
		  "very one, by test runs, as root (user)" },
	{ "--mac", "MAC", OPT_REPLAY, ARGS_OWN, FIELD(mac), GIVEN(mac), .parse = parse_own_mac,
	  .help = "this host's: frames for others are ignored (all are ours)" },
	{ "--write-passed", "FILE", OPT_REPLAY, ARGS_STRING, FIELD(write_passed),
	  .help = "packets that pass, as pcap; - is standard output" },
	{ "--write-dropped", "FILE", OPT_REPLAY, ARGS_STRING, FIELD(write_dropped),
	  .help = "packets that are dropped, likewise" },
	{ "--memory", "BYTES", OPT_REPLAY, ARGS_COUNT, FIELD(memory),
	  .expects = "give bytes, as in 500M or 4G",
	  .help = "for ids that came, by which false positives are told (1G)" },
	{ "--drops", NULL, OPT_SAMPLE, ARGS_FLAG, FIELD(sample.drops),
	  .help = "only what is dropped, or would be but for --action count" },
	{ "--new", NULL, OPT_SAMPLE, ARGS_FLAG, FIELD(sample.fresh),
	  .help = "only what is new, and so passes" },
	{ "--rate", "N/s", OPT_SAMPLE, ARGS_OWN, FIELD(sample.rate), .parse = parse_packet_rate,
	  .min = 1, .max = SAMPLING_RATE_MAX, .help = "at most N packets in each second (10/s)" },
	{ "--snap", "BYTES", OPT_SAMPLE, ARGS_COUNT, FIELD(sample.snap), GIVEN(snap), .min = 1,
	  .max = DEDUP_SNAP_MAX,
	  .help = "only the first BYTES of each, up to {max} (256; --write: all)" },
	{ "--count", "N", OPT_SAMPLE, ARGS_COUNT, FIELD(sample.count), .min = 1,
	  .expects = "give a number of packets, {min} or more", .help = "end after N packets" },
	{ "--for", "TIME", OPT_SAMPLE, ARGS_TIME, FIELD(sample.for_ns), .min = 1,
	  .help = "end after this time, as in 30s" },
	{ "--write", "FILE", OPT_SAMPLE, ARGS_STRING, FIELD(sample.write), .min = 1,
	  .expects = "give a file, or - for standard output",
	  .help = "write a pcap file, which Wireshark opens; - is standard output" },
	{ "--config", "FILE", OPT_CONFIG, ARGS_STRING, FIELD(config),
	  .help = "what to load and keep (/etc/xdp-dedup/xdp-dedup.conf)" },
	{ "--check", NULL, OPT_CONFIG, ARGS_FLAG, FIELD(check),
	  .help = "only see whether that file is right, without root" },
	{ "--user", "USER", OPT_EXEC, ARGS_STRING, FIELD(user),
	  .help = "run the command as this user, without any right (as who this is)" },
	{ "--queues", "QUEUES", OPT_EXEC, ARGS_OWN, FIELDS(queues, queues_cnt),
	  .parse = parse_queue, .max = DEDUP_PORTS_MAX,
	  .help = "grant only these RX queues of each interface, as in 0-31,40 (all)" },
	{ "--every", "TIME", OPT_WATCH, ARGS_TIME, FIELD(watch.every_ns), .min = EVERY_MIN_NS,
	  .max = EVERY_MAX_NS, .expects = "give a time from {min} to {max}, as in 500ms or 10s",
	  .help = "between two readings (1s)" },
	{ "--count", "N", OPT_WATCH, ARGS_COUNT, FIELD(watch.count), .min = 1,
	  .expects = "give a number of readings, {min} or more", .help = "end after N readings" },
	{ "--json", NULL, OPT_JSON, ARGS_FLAG, FIELD(json),
	  .help = "for programs: one object (sample, watch: one a line), raw numbers" },
	{ "--exact", NULL, OPT_EXACT, ARGS_FLAG, FIELD(exact),
	  .help = "fill and estimates from all of the memory, of more than 4 MB too;\n"
		  "else from a sample (counters are exact anyhow)" },
	{ "--all", NULL, OPT_ALL, ARGS_FLAG, FIELD(all), .help = "every filter" },
	{ "--force", NULL, OPT_FORCE, ARGS_FLAG, FIELD(force),
	  .help = "remove pins also if it cannot be told that nothing uses them" },
	{ "--verbose", NULL, 0, ARGS_FLAG, FIELD(verbose), .help = "show what libbpf and libxdp say" },
};

void options_begin(struct options *o)
{
	*o = (struct options){
		.spec = { .capacity = SPEC_CAPACITY_DEFAULT },
		.memory = REPLAY_MEMORY_DEFAULT,
		.sample = { .rate = RATE_DEFAULT },
		.watch = { .every_ns = EVERY_DEFAULT_NS },
	};
}

int options_end(struct options *o)
{
	if (stream_options_set(o))
		return -EINVAL;
	if (o->spec.streams_cnt && stream_options_deliver(o, &o->spec))
		return -EINVAL;
	if (!o->spec.streams_cnt && o->deliver && !strcmp(o->deliver, STREAM_GSP))
		o->spec.deliver = true;
	if (o->spec.drop_ns && o->spec.count_only)
		return diag_err(
			-EINVAL,
			"--for says how long duplicates are dropped, and --action count drops none" ADVICE
			"leave one of them out");
	/* Not given, which no option can say as 0: by the profiles, or else the defaults. */
	if (o->spec.fpr <= 0)
		o->spec.fpr = o->fpr > 0 ? o->fpr : SPEC_FPR_DEFAULT;
	o->spec.window_ns = o->spec.window_ns ?: o->window_ns ?: SPEC_WINDOW_DEFAULT_NS;
	return 0;
}

int options_parse(struct options *o, const struct args_command *c, int argc, char **argv)
{
	int cnt;

	options_begin(o);
	cnt = args_parse(c, o, argc, argv);
	o->args = argv + 1;
	o->args_cnt = cnt;
	return cnt < 0 ? cnt : options_end(o);
}

int options_check_once(char *const *ifnames, int cnt)
{
	for (int i = 0; i < cnt; i++)
		for (int j = 0; j < i; j++)
			if (!strcmp(ifnames[i], ifnames[j]))
				return diag_err(-EINVAL, "%s is named twice", ifnames[i]);
	return 0;
}
