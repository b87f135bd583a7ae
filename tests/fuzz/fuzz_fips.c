// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* FilterAnnounce: any bytes. What is accepted is written as it was read, and a node takes it from a
 * peer, or says why not; what is refused changes nothing.
 */
#include "fuzz.h"

#include "fips.h"
#include "xdp-dedup-fips.h"

static void check_decoded(const struct fips_filter *f, uint64_t sequence, const uint8_t *msg,
			  size_t len)
{
	uint8_t again[FIPS_V1_MSG_BYTES];

	must(len == sizeof(again));
	must(fips_encode(f, sequence, again, sizeof(again)) == (int)len);
	must(!memcmp(again, msg, len));
	must(fips_set_bits(f) <= FIPS_BITS(f->size_class));
}

static void give_to_node(const uint8_t *msg, size_t len)
{
	static const uint8_t SELF[FIPS_ITEM_BYTES] = { 1 };
	struct xdp_dedup_fips_node *node;
	const char *why = NULL;
	uint64_t peer;
	int got;

	must(!xdp_dedup_fips_node_new(SELF, 0.1, 1, &node));
	must(!xdp_dedup_fips_node_add_peer(node, 7, true));
	got = xdp_dedup_fips_node_receive(node, 7, msg, len, &why);
	must(got >= 0 || (why && *why));
	must(got < 0 || xdp_dedup_fips_node_receive(node, 7, msg, len, &why) < 0); /* stale */
	must(xdp_dedup_fips_node_candidates(node, SELF, &peer, 1) <= 1);
	xdp_dedup_fips_node_free(node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fips_filter *f = calloc(1, sizeof(*f)), untouched;
	uint64_t sequence = 42;

	must(f && !fips_init(f, 3, 0));
	untouched = *f;
	if (fips_decode(data, size, f, &sequence) == FIPS_ACCEPTED)
		check_decoded(f, sequence, data, size);
	else
		must(sequence == 42 && fips_equal(f, &untouched));
	give_to_node(data, size);
	free(f);
	return 0;
}
