// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Gossip as a program, for the demo: one that sends, one that receives. */
#include "gossip.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SENDERS_MAX 16
#define QUIET_MS 300

static const char USAGE[] =
	"usage: gossip send ADDRESS PORT [options]     send events, then say how many as JSON\n"
	"       gossip receive ADDRESS PORT [options]  receive until SIGTERM, then account\n"
	"  --events N      different events (1000)\n"
	"  --seed N        which events (1)\n"
	"  --copies N      send: of every event (1)\n"
	"  --spread N      send: a copy is up to so many events late (0)\n"
	"  --senders N     send: sockets that share the copies, each with its thread (1)\n"
	"  --rate N        send: packets a second, of all together (0: as fast as can be)\n"
	"  --interface IF  receive: every second say how much arrived there and was read\n";

struct options {
	uint32_t events, seed, copies, spread, senders, rate;
	const char *interface, *address;
	uint16_t port;
};

static int fail(const char *what, int err)
{
	fprintf(stderr, "gossip: %s: %s\n", what, strerror(-err));
	return 1;
}

static bool parse_number(const char *text, uint32_t *out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*out = value;
	return end != text && !*end && value <= UINT32_MAX;
}

/* Where an option's number goes, by its letter. */
static uint32_t *number_of(struct options *o, int letter)
{
	switch (letter) {
	case 'e':
		return &o->events;
	case 's':
		return &o->seed;
	case 'c':
		return &o->copies;
	case 'p':
		return &o->spread;
	case 'n':
		return &o->senders;
	case 'r':
		return &o->rate;
	default:
		return NULL;
	}
}

static bool parse_options(struct options *o, int argc, char **argv)
{
	static const struct option LONG[] = {
		{ "events", required_argument, NULL, 'e' },
		{ "seed", required_argument, NULL, 's' },
		{ "copies", required_argument, NULL, 'c' },
		{ "spread", required_argument, NULL, 'p' },
		{ "senders", required_argument, NULL, 'n' },
		{ "rate", required_argument, NULL, 'r' },
		{ "interface", required_argument, NULL, 'i' },
		{ 0 },
	};
	uint32_t port;
	int c;

	*o = (struct options){ .events = 1000, .copies = 1, .senders = 1, .seed = 1 };
	while ((c = getopt_long(argc, argv, "", LONG, NULL)) != -1) {
		uint32_t *number = number_of(o, c);

		if (c == 'i')
			o->interface = optarg;
		else if (!number || !parse_number(optarg, number))
			return false;
	}
	if (argc - optind != 2 || !parse_number(argv[optind + 1], &port) || port > UINT16_MAX)
		return false;
	o->address = argv[optind];
	o->port = port;
	return o->events && o->copies && o->senders && o->senders <= SENDERS_MAX;
}

/* Deals the copies out to the senders, in turn. Each keeps the order of its own. */
static size_t deal(const struct options *o, const uint32_t *order, uint32_t sender, uint32_t *out)
{
	size_t cnt = 0;

	for (size_t i = sender; i < (size_t)o->events * o->copies; i += o->senders)
		out[cnt++] = order[i];
	return cnt;
}

static int send_all(const struct options *o, struct gossip_sender *s, const uint32_t *order,
		    uint32_t *dealt, uint64_t *sent)
{
	size_t share = (size_t)o->events * o->copies / o->senders + 1;
	int err = 0;

	for (uint32_t i = 0; i < o->senders && !err; i++) {
		size_t cnt = deal(o, order, i, dealt + i * share);

		err = gossip_sender_open(&s[i], o->address, o->port, o->seed);
		s[i].rate_pps = o->rate / o->senders;
		if (!err)
			err = gossip_sender_start(&s[i], dealt + i * share, cnt);
	}
	*sent = 0;
	for (uint32_t i = 0; i < o->senders; i++) {
		if (s[i].running && !err)
			err = gossip_sender_wait(&s[i]);
		*sent += s[i].sent;
		gossip_sender_close(&s[i]);
	}
	return err;
}

static int do_send(const struct options *o)
{
	size_t cnt = (size_t)o->events * o->copies;
	uint32_t *order = gossip_shuffle(o->events, o->copies, o->spread, o->seed);
	uint32_t *dealt = malloc((cnt + o->senders) * sizeof(*dealt));
	struct gossip_sender s[SENDERS_MAX] = { 0 };
	uint64_t sent, start_ns = gossip_now_ns();
	int err = order && dealt ? send_all(o, s, order, dealt, &sent) : -ENOMEM;

	free(order);
	free(dealt);
	if (err)
		return fail("send", err);
	printf("{\"sent\": %llu, \"ns\": %llu}\n", (unsigned long long)sent,
	       (unsigned long long)(gossip_now_ns() - start_ns));
	return 0;
}

/* Packets that this interface has received, as /proc/net/dev counts them. */
static unsigned long long arrived(const char *interface)
{
	FILE *f = fopen("/proc/self/net/dev", "re");
	unsigned long long packets = 0, found = 0;
	char line[512], name[32];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " %31[^:]: %*u %llu", name, &packets) == 2 &&
		    !strcmp(name, interface))
			found = packets;
	if (f)
		fclose(f);
	return found;
}

static void account(struct gossip_receiver *r, const struct options *o)
{
	printf("{\"packets\": %llu, \"events\": %llu, \"once\": %u, \"all_copies\": %u, "
	       "\"strangers\": %llu, \"lost_in_socket\": %lld, \"cpu_ns\": %llu}\n",
	       (unsigned long long)r->packets, (unsigned long long)r->distinct,
	       gossip_delivered(r, 1), gossip_delivered(r, o->copies),
	       (unsigned long long)r->strangers, (long long)gossip_receiver_lost(r),
	       (unsigned long long)r->cpu_ns);
}

static int do_receive(const struct options *o)
{
	unsigned long long before = o->interface ? arrived(o->interface) : 0;
	struct timespec second = { .tv_sec = 1 };
	struct gossip_receiver r;
	sigset_t ends;
	int err;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	err = gossip_receiver_open(&r, o->address, o->port, o->seed, o->events);
	if (err)
		return fail("receive", err);
	err = gossip_receiver_start(&r);
	for (int i = 1; !err && sigtimedwait(&ends, NULL, &second) < 0; i++)
		if (o->interface)
			fprintf(stderr, "%6d s %12llu packets arrived %12llu read %10llu events\n",
				i, arrived(o->interface) - before, (unsigned long long)r.packets,
				(unsigned long long)r.distinct);
	if (!err)
		err = gossip_receiver_stop(&r, QUIET_MS);
	if (!err)
		account(&r, o);
	gossip_receiver_close(&r);
	return err ? fail("receive", err) : 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	struct options o;

	if ((strcmp(verb, "send") && strcmp(verb, "receive")) ||
	    !parse_options(&o, argc - 1, argv + 1)) {
		fputs(USAGE, stderr);
		return 2;
	}
	return strcmp(verb, "send") ? do_receive(&o) : do_send(&o);
}
