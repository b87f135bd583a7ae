// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"
#include "sampling.h"
#include "units.h"

#define RATE_DEFAULT 10
#define EVERY_DEFAULT_NS 1000000000ULL
#define EVERY_MIN_NS 100000000ULL
#define EVERY_MAX_NS 86400000000000ULL

static const char *parse_own_mac(void *to, const char *text)
{
	struct options *o = to;

	return parse_mac(text, o->mac) ? "give a MAC, as in 02:00:00:00:00:01" : NULL;
}

/* Parses a rate, with or without "/s". */
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
#define GIVEN(mark) .given = offsetof(struct options, mark)

/* The options of verbs that are no operations: they follow the rows of WISH_OPTIONS. */
static const struct args_option OWN[] = {
	{ "--engine", "ENGINE", OPT_REPLAY, ARGS_NAMES("user", "kernel"), FIELD(engine),
	  .help = "user: the program compiled for user space; kernel: the\n"
		  "program in the kernel, by test runs, as root (user)" },
	{ "--mac", "MAC", OPT_REPLAY, ARGS_OWN, FIELD(mac), GIVEN(mac_given), .parse = parse_own_mac,
	  .help = "this host's MAC; frames for other hosts are ignored (all\n"
		  "frames are for this host)" },
	{ "--write-passed", "FILE", OPT_REPLAY, ARGS_STRING, FIELD(write_passed),
	  .help = "packets that pass, as pcap; - is standard output" },
	{ "--write-dropped", "FILE", OPT_REPLAY, ARGS_STRING, FIELD(write_dropped),
	  .help = "packets that are dropped, as pcap; - is standard output" },
	{ "--html", "FILE", OPT_REPLAY, ARGS_STRING, FIELD(html),
	  .help = "also write the results as a page for a browser" },
	{ "--memory", "BYTES", OPT_REPLAY, ARGS_COUNT, FIELD(memory),
	  .expects = "give bytes, as in 500M or 4G",
	  .help = "for the table of ids, which finds false drops (1G)" },
	{ "--drops", NULL, OPT_SAMPLE, ARGS_FLAG, FIELD(sample.drops),
	  .help = "only packets that are dropped, or would be without\n"
		  "--action count" },
	{ "--new", NULL, OPT_SAMPLE, ARGS_FLAG, FIELD(sample.fresh),
	  .help = "only packets that pass because an id is new or wanted" },
	{ "--rate", "N/s", OPT_SAMPLE, ARGS_OWN, FIELD(sample.rate), .parse = parse_packet_rate,
	  .min = 1, .max = SAMPLING_RATE_MAX, .help = "at most N packets in each second (10/s)" },
	{ "--snap", "BYTES", OPT_SAMPLE, ARGS_COUNT, FIELD(sample.snap), GIVEN(sample.snap_given),
	  .min = 1, .max = DEDUP_SNAP_MAX,
	  .help = "only the first BYTES of each, up to {max} (256; --write: all)" },
	{ "--count", "N", OPT_SAMPLE | OPT_LOST, ARGS_COUNT, FIELD(sample.count), .min = 1,
	  .expects = "give a number of packets, {min} or more", .help = "end after N packets" },
	{ "--for", "TIME", OPT_SAMPLE | OPT_LOST, ARGS_TIME, FIELD(sample.for_ns), .min = 1,
	  .help = "end after this time, as in 30s" },
	{ "--write", "FILE", OPT_SAMPLE | OPT_LOST, ARGS_STRING, FIELD(sample.write),
	  .expects = "give a file, or - for standard output",
	  .help = "write a pcap file, which Wireshark opens; - is standard output" },
	{ "--want", NULL, OPT_LOST, ARGS_FLAG, FIELD(want_lost),
	  .help = "let the next copy pass of what a program here has lost: in a\n"
		  "full buffer, or while its socket was not open" },
	{ "--force", NULL, OPT_LOST, ARGS_FLAG, FIELD(take_over),
	  .help = "stop the kernel's drop monitor if it is on already" },
	{ "--config", "FILE", OPT_CONFIG, ARGS_STRING, FIELD(config),
	  .help = "what to load and keep (/etc/xdp-dedup/xdp-dedup.conf)" },
	{ "--check", NULL, OPT_CONFIG, ARGS_FLAG, FIELD(check),
	  .help = "only check the file; needs no root" },
	{ "--replace", NULL, OPT_CONFIG, ARGS_FLAG, FIELD(renew),
	  .help = "at the start give running filters this version's program" },
	{ "--every", "TIME", OPT_WATCH, ARGS_TIME, FIELD(watch.every_ns), .min = EVERY_MIN_NS,
	  .max = EVERY_MAX_NS, .expects = "give a time from {min} to {max}, as in 500ms or 10s",
	  .help = "time between two readings (1s)" },
	{ "--count", "N", OPT_WATCH, ARGS_COUNT, FIELD(watch.count), .min = 1,
	  .expects = "give a number of readings, {min} or more", .help = "end after N readings" },
	{ "--json", NULL, OPT_JSON, ARGS_FLAG, FIELD(json),
	  .help = "for programs: one object (sample, lost, watch: one a line), raw\n"
		  "numbers" },
	{ "--exact", NULL, OPT_EXACT, ARGS_FLAG, FIELD(exact),
	  .help = "read all of the memory for fill and estimates, also if it has\n"
		  "more than 4 MB (a sample; counters are always exact)" },
	{ "--all", NULL, OPT_ALL, ARGS_FLAG, FIELD(wish.all), .help = "every filter" },
	{ "--verbose", NULL, 0, ARGS_FLAG, FIELD(wish.verbose),
	  .help = "show the messages of libbpf and libxdp" },
	{ 0 },
};

_Static_assert(offsetof(struct options, wish) == 0, "fields of WISH_OPTIONS are those of options");

const struct args_option *options_table(void)
{
	static struct args_option all[ARGS_OPTIONS_MAX];
	struct args_option *to = all;

	for (const struct args_option *row = WISH_OPTIONS; row->option; row++)
		*to++ = *row;
	memcpy(to, OWN, sizeof(OWN));
	return all;
}

void options_begin(struct options *o)
{
	*o = (struct options){
		.memory = REPLAY_MEMORY_DEFAULT,
		.sample = { .rate = RATE_DEFAULT },
		.watch = { .every_ns = EVERY_DEFAULT_NS },
	};
	wish_begin(&o->wish);
}

int options_parse(struct options *o, const struct args_command *c, int argc, char **argv)
{
	int cnt;

	options_begin(o);
	cnt = args_parse(c, o, argc, argv);
	o->args = argv + 1;
	o->args_cnt = cnt;
	return cnt < 0 ? cnt : wish_end(&o->wish);
}
