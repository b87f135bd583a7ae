// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames that have gone past the network stack: a datagram lies in its frame, and one whose
 * checksum is right is not with another bit.
 */
#include "datagram.h"
#include "fuzz.h"

/* The 2 bytes there, in network byte order. */
static uint32_t word_at(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static void check_datagram(uint8_t *frame, struct xdp_dedup_packet *p, enum datagram_kind kind)
{
	size_t at = (const uint8_t *)p->payload - frame;

	must(at >= 14 + 20 + 8 && at <= p->len && p->payload_len <= p->len - at);
	must(word_at(frame + at - 4) == p->payload_len + 8);
	must(p->source.any.sa_family == AF_INET || p->source.any.sa_family == AF_INET6);
	if (kind != DATAGRAM_UDP || !p->payload_len || !word_at(frame + at - 2))
		return;
	frame[at + p->payload_len / 2] ^= 0x10;
	must(datagram_read(p) == DATAGRAM_BROKEN || datagram_read(p) == DATAGRAM_UNFINISHED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *frame = malloc(size); /* which ends where the input does */
	struct xdp_dedup_packet p = { .data = frame, .len = size };
	enum datagram_kind kind;

	must(frame || !size);
	if (size)
		memcpy(frame, data, size);
	kind = datagram_read(&p);
	if (kind == DATAGRAM_UDP || kind == DATAGRAM_UNFINISHED)
		check_datagram(frame, &p, kind);
	else
		must(!p.payload && !p.payload_len);
	free(frame);
	return 0;
}
