// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "xdp-dedup-streams.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "config_streams.h"
#include "device.h"
#include "iface.h"
#include "lib_handle.h"
#include "flow_known.h"

_Static_assert(XDP_DEDUP_PORTS_MAX == DEDUP_PORTS_MAX && XDP_DEDUP_GROUPS_MAX == DEDUP_TO_MAX &&
		       XDP_DEDUP_IDENTITY_MAX == DEDUP_ID_BYTES_MAX,
	       "a stream can have that many");
_Static_assert((int)XDP_DEDUP_DIGEST_NONE == DEDUP_DIGEST_NONE &&
		       (int)XDP_DEDUP_DIGEST_PAYLOAD == DEDUP_DIGEST_PAYLOAD &&
		       (int)XDP_DEDUP_DIGEST_PACKET == DEDUP_DIGEST_PACKET &&
		       (int)XDP_DEDUP_DIGEST_FRAME == DEDUP_DIGEST_FRAME,
	       "one numbering");
_Static_assert(sizeof(((struct xdp_dedup_stream *)0)->name) == DEDUP_STREAM_NAME, "any name fits");

static void describe_numbers(const struct dedup_stream *s, const struct dedup_numbered *numbered,
			     struct xdp_dedup_stream *out)
{
	if (!numbered->width || !s->loads_cnt)
		return;
	out->number_bytes = s->loads[s->loads_cnt - 1].bytes;
	out->number_bits = numbered->width;
	out->number_little = numbered->little;
	out->number_shift = numbered->shift - (numbered->little ? 0 : 64 - 8 * out->number_bytes);
	out->has_count = numbered->count.bytes != 0;
}

static void describe_ports(const struct dedup_config *c, const struct dedup_stream *s,
			   struct xdp_dedup_stream *out)
{
	for (uint32_t i = 0; i < s->ports_cnt && s->ports_first + i < DEDUP_PORTS_MAX; i++) {
		const struct dedup_ports *p = &c->policy.ports[s->ports_first + i];

		out->ports[out->ports_cnt++] = (struct xdp_dedup_ports){ p->lo, p->hi };
	}
}

static void describe_groups(const struct dedup_config *c, const struct dedup_stream *s,
			    struct xdp_dedup_stream *out)
{
	for (uint32_t i = 0; i < s->to_cnt && s->to_first + i < DEDUP_TO_MAX; i++) {
		const struct dedup_prefix *p = &c->policy.to[s->to_first + i];
		struct in6_addr *group = &out->groups[out->groups_cnt];
		bool ipv6 = i >= s->to4_cnt;
		uint8_t first;

		memcpy(&first, p->addr, 1);
		if (!accepts_one_address(p, ipv6) || (ipv6 ? first != 0xff : first >> 4 != 0xe))
			continue;
		out->groups_cnt++;
		if (ipv6)
			memcpy(group, p->addr, sizeof(*group));
		else
			*group = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff } };
		if (!ipv6)
			memcpy(&group->s6_addr[12], p->addr, 4);
	}
}

/* Does xdp_dedup_id_of() need the frame even if both addresses of a datagram are known? */
static bool needs_frame(const struct dedup_config *c, uint32_t n)
{
	const struct dedup_stream *s = &c->policy.streams[n];

	if (s->layer != DEDUP_UDP)
		return true;
	for (int ipv6 = 0; ipv6 < 2; ipv6++)
		if (accepts_family(s, ipv6) && (!flow_known_gates(c, n, ipv6, KNOWN_ALL) ||
						!flow_known_id(c, n, ipv6, KNOWN_ALL)))
			return true;
	return false;
}

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * 0x9e3779b97f4a7c15ULL;
	*hash ^= *hash >> 29;
}

/* Mixes in what the profile says of the load, not how the plan has it done. */
static void mix_load(uint64_t *hash, const struct dedup_load *load)
{
	mix(hash, load->mask);
	mix(hash, (uint32_t)load->at + load->shift / 8);
	mix(hash, load->base | load->bytes << 8);
}

/* Returns a hash of what makes the stream's ids. It must never change: machines with different
 * versions compare it.
 */
static uint64_t hash_profile(const struct dedup_stream *s, const struct dedup_numbered *numbered)
{
	uint64_t hash = s->layer | s->decoder << 8 | (uint64_t)s->ethertype << 16;

	mix(&hash, s->digest);
	mix(&hash, s->digest ? dedup_digest_max(s) : 0);
	mix(&hash, s->digest_skip | (uint64_t)s->digest_trailer << 32);
	for (uint32_t i = 0; i < s->loads_cnt; i++)
		mix_load(&hash, &s->loads[i]);
	for (uint32_t i = 0; i < s->gates_cnt; i++) {
		mix_load(&hash, &s->gates[i].load);
		mix(&hash, s->gates[i].value);
		mix(&hash, s->gates[i].equal | s->gates[i].exempt << 8);
	}
	mix(&hash, numbered->width | (uint64_t)numbered->shift << 32);
	mix(&hash, numbered->count_shift | (uint64_t)numbered->little << 32 |
			   (uint64_t)numbered->count_little << 33);
	mix_load(&hash, &numbered->count);
	return hash;
}

static struct xdp_dedup_stream describe_stream(const struct dedup_config *c, uint32_t n)
{
	const struct dedup_stream *s = &c->policy.streams[n];
	struct xdp_dedup_stream out = {
		.realm = s->realm,
		.udp = s->layer == DEDUP_UDP,
		.app_learns = c->asked.learn_app,
		.needs_frame = needs_frame(c, n),
		.bytes = stream_fields_bytes(s),
		.digest = (enum xdp_dedup_digest)s->digest,
		.digest_skip = s->digest_skip,
		.digest_trailer = s->digest_trailer,
		.digest_max = s->digest ? dedup_digest_max(s) : 0,
		.profile = hash_profile(s, &c->numbered[n]),
	};

	memccpy(out.name, s->name, 0, sizeof(out.name) - 1);
	describe_numbers(s, &c->numbered[n], &out);
	if (!out.udp)
		return out;
	describe_ports(c, s, &out);
	describe_groups(c, s, &out);
	return out;
}

int xdp_dedup_streams(const struct xdp_dedup_filter *f, struct xdp_dedup_stream *out, size_t size,
		      uint32_t max)
{
	struct filter *now;
	int err = lib_enter_whole(f, &now), cnt;

	if (err)
		return err;
	cnt = now->config->policy.streams_cnt;
	for (uint32_t n = 0; n < (uint32_t)cnt && n < max; n++) {
		struct xdp_dedup_stream stream = describe_stream(now->config, n);

		stream.change = lib_view_of(now)->number;
		lib_copy_out((char *)out + n * size, size, &stream, sizeof(stream));
	}
	lib_leave();
	return cnt;
}

/* Describes the interface of an entry of the record. Returns 1; 0 if the interface is not in this
 * network namespace now; -errno if that is unknown.
 */
static int describe_interface(const struct dedup_iface *entry, struct xdp_dedup_interface *out)
{
	uint32_t max;

	*out = (struct xdp_dedup_interface){ .index = READ_ONCE(entry->ifindex) };
	if (!iface_is_local(entry))
		return 0;
	if (!if_indextoname(out->index, out->name))
		return errno == ENXIO ? 0 : -errno;
	if (device_queues(out->name, &out->queues, &max))
		out->queues = 0;
	return 1;
}

int xdp_dedup_interfaces(const struct xdp_dedup_filter *f, struct xdp_dedup_interface *out,
			 size_t size, uint32_t max)
{
	struct filter *now;
	int err = lib_enter_whole(f, &now), cnt = 0;

	if (err)
		return err;
	if (!iface_local_netns())
		err = -EMFILE;
	for (uint32_t i = 0; i < DEDUP_IFACES_MAX && err >= 0; i++) {
		struct xdp_dedup_interface iface;

		err = describe_interface(&now->record->ifaces[i], &iface);
		if (err > 0 && (uint32_t)cnt < max)
			lib_copy_out((char *)out + cnt * size, size, &iface, sizeof(iface));
		cnt += err > 0;
	}
	lib_leave();
	return err < 0 ? err : cnt;
}
