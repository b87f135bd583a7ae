// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets that look like tunnels, as only a port or a control word tells: the survey and the packet
 * program open the same ones.
 */
#include "unit.h"

#include "inside.h"
#include "plan.h"
#include "profile.h"
#include "program.h"
#include "protocol_packets.h"
#include "secrets.h"
#include "tunnels.h"

#define BUFFER_BYTES 9000

static struct dedup_tunnels all_tunnels(void)
{
	struct dedup_tunnels t;

	assert_int_equal(parse_tunnels("all", &t), 0);
	return t;
}

/* A filter of what comes behind taps, which opens these tunnels. */
static void plan_mirrors(const struct dedup_tunnels *t, struct dedup_config *cfg)
{
	static const char *const STREAMS[] = { "mirror", "mirror-l2" };
	static struct filter_spec spec;
	struct profiles all = { 0 };

	spec = (struct filter_spec){ .capacity = 1000,
				     .fpr_e18 = SPEC_FPR(1e-4),
				     .window_ns = 1000000000 };
	spec.tunnels = *t;
	spec.given.tunnels = true;
	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < ARRAY_SIZE(STREAMS); i++) {
		const struct profile *p = profiles_find(&all, STREAMS[i]);

		spec.streams[spec.streams_cnt].stream = p->stream;
		spec.streams[spec.streams_cnt++].stream.realm = (uint32_t)i;
	}
	assert_int_equal(plan_config(&spec, 1, 100, cfg), 0);
	profiles_free(&all);
}

/* A datagram to a tunnel's port, or MPLS: parts that look like one, in any order. */
static void make_likeness(uint64_t *seed, struct frame *f)
{
	static const struct part {
		const char *bytes;
		uint32_t len;
	} PARTS[] = {
#define PART(text) { text, sizeof(text) - 1 }
		PART("\x08\0\0\0\0\0\7\0"),		      /* VXLAN */
		PART("\x0c\0\0\3\0\0\7\0"),		      /* VXLAN-GPE of Ethernet */
		PART("\x0c\0\0\1\0\0\7\0"),		      /* of IPv4 */
		PART("\0\0\x65\x58\0\0\7\0"),		      /* Geneve of Ethernet */
		PART("\2\0\x86\xdd\0\0\7\0\1\2\1\1\1\2\3\4"), /* of IPv6, with an option */
		PART("\x30\xff\0\x28\0\0\0\1"),		      /* GTP-U */
		PART("\0\6\x41\x40\0\0\0\7"),		      /* a label, a control word */
		PART("\x08\7\x81\x80\0\1\0\1\0\0\0\0\7example\3com\0"), /* DNS */
		PART("\6\0\0\0\0\1\6\0\0\0\0\2\x08\0"),			/* Ethernet of IPv4 */
		PART("\6\0\0\0\0\1\6\0\0\0\0\2\x86\xdd"),		/* of IPv6 */
		PART("\6\0\0\0\0\1\6\0\0\0\0\2\x08\6\0\1\x08\0\6\4"),	/* of ARP */
		PART("\6\0\0\0\0\1\6\0\0\0\0\2\0\x26\x42\x42\3"),	/* of STP */
		PART("\x81\0\0\1\x08\0"),
		PART("\x45\0\0\x28\0\1\0\0\x40\x11\x66\xc2\x0a\0\0\1\x0a\0\0\2"), /* IPv4 */
		PART("\x60\0\0\0\0\x14\x11\x40\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"),
#undef PART
	};
	static const uint16_t PORTS[] = { 4789, 4790, 6081, 2152 };
	struct protocol_packet p = { .protocol = DATAGRAM, .body = 60 + random_next(seed) % 60 };
	uint32_t at;

	p.port = PORTS[random_next(seed) % ARRAY_SIZE(PORTS)];
	p.ipv6 = random_next(seed) % 4 == 0;
	p.ip_id = (uint16_t)random_next(seed);
	protocol_frame(f, &p);
	at = f->gsp;
	if (random_next(seed) % 4 == 0) {
		frame_put(f, 12, 2, 0x8847);
		at = 14;
	}
	for (uint32_t i = at; i < f->len; i++)
		f->data[i] = (uint8_t)(random_next(seed) % 2 ? random_next(seed) : 0);
	for (uint32_t parts = 1 + random_next(seed) % 4; parts; parts--) {
		const struct part *part = &PARTS[random_next(seed) % ARRAY_SIZE(PARTS)];

		if (at + part->len > f->len)
			break;
		memcpy(f->data + at, part->bytes, part->len);
		at += part->len;
	}
	if (random_next(seed) % 8 == 0)
		f->data[14 + random_next(seed) % (f->len - 14)] ^= 1 << random_next(seed) % 8;
}

/* The survey opens a tunnel if the packet program does: the frame has the id of the packet that the
 * survey finds inside, or is faulty for the same reason.
 */
TEST(the_program_opens_what_the_survey_opens)
{
	static struct dedup_config closed, open;
	static struct frame f;
	static struct {
		struct frame inner;
		struct program_id id;
	} seen[4000];
	const struct dedup_tunnels t = all_tunnels(), none = { 0 };
	uint32_t opened = 0, faulty = 0, cnt = 0;
	uint8_t buffer[BUFFER_BYTES];
	uint64_t seed = 5;

	plan_mirrors(&t, &open);
	plan_mirrors(&none, &closed);
	assert_int_equal(secrets_set(NULL, &open), 0);
	closed.secrets = open.secrets;
	assert_int_equal(program_open(&open, false, 1), 0);
	for (uint32_t i = 0; i < 200000; i++) {
		struct capture_frame c;
		struct program_id id;
		struct inside in;

		make_likeness(&seed, &f);
		c = (struct capture_frame){ .data = f.data, .len = f.len, .wire_len = f.len };
		program_identify(f.data, f.len, &id);
		inside_open(&in, &c, &t, buffer, sizeof(buffer));
		faulty += in.is_faulty;
		opened += in.tunnels && !in.is_faulty;
		if (in.is_faulty)
			assert_int_equal(id.reason, in.because);
		if (in.is_faulty || cnt >= (in.tunnels ? ARRAY_SIZE(seen) : ARRAY_SIZE(seen) / 4))
			continue;
		seen[cnt].inner.len = in.frame.len;
		memcpy(seen[cnt].inner.data, in.frame.data, in.frame.len);
		seen[cnt++].id = id;
	}
	assert_int_equal(program_open(&closed, false, 1), 0);
	for (uint32_t i = 0; i < cnt; i++) {
		struct program_id id;

		program_identify(seen[i].inner.data, seen[i].inner.len, &id);
		assert_int_equal(id.reason, seen[i].id.reason);
		assert_int_equal(id.stream, seen[i].id.stream);
		assert_memory_equal(&id.id, &seen[i].id.id, sizeof(id.id));
	}
	program_close();
	print_message("%u opened, %u faulty, %u compared\n", opened, faulty, cnt);
	assert_true(opened > 1000 && faulty > 500 && cnt > 1000 + opened / 2);
}

UNIT_MAIN()
