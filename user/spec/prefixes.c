// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "prefixes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define MAPPED_BITS 96 /* of an IPv4-mapped IPv6 address, before the IPv4 address */

static void set_mask(struct dedup_prefix *p, uint32_t bits)
{
	uint8_t *mask = (uint8_t *)p->mask;

	for (uint32_t i = 0; i < bits; i++)
		mask[i / 8] |= 0x80 >> i % 8;
	for (int i = 0; i < 2; i++)
		p->addr[i] &= p->mask[i];
}

/* Turns ::ffff:a.b.c.d, as dual-stack sockets show IPv4 addresses, into IPv4: no packet has such
 * an address. *bits is the prefix's length.
 */
static int unmap(struct dedup_prefix *p, uint64_t *bits)
{
	uint8_t *addr = (uint8_t *)p->addr;

	if (*bits < MAPPED_BITS)
		return -EDOM;
	*bits -= MAPPED_BITS;
	memcpy(addr, addr + MAPPED_BITS / 8, 4);
	memset(addr + 4, 0, sizeof(p->addr) - 4);
	return 0;
}

/* Parses one ADDRESS[/LEN]; writes into `word`. */
static int parse_prefix(char *word, struct dedup_prefix *out, bool *ipv4)
{
	struct dedup_prefix p = { 0 };
	char *slash = strchr(word, '/');
	uint64_t bits;

	if (slash)
		*slash = 0;
	*ipv4 = !strchr(word, ':');
	if (inet_pton(*ipv4 ? AF_INET : AF_INET6, word, p.addr) != 1)
		return -EINVAL;
	bits = *ipv4 ? 32 : 128;
	if (slash) {
		uint64_t most = bits;

		if (slash[1 + strspn(slash + 1, "0123456789")] || parse_count(slash + 1, &bits) ||
		    bits > most)
			return -EINVAL;
	}
	if (!*ipv4 && IN6_IS_ADDR_V4MAPPED(p.addr)) {
		if (unmap(&p, &bits))
			return -EDOM;
		*ipv4 = true;
	}
	set_mask(&p, bits);
	*out = p;
	return 0;
}

int parse_prefixes(const char *text, struct dedup_prefix *out, uint32_t *cnt, uint32_t *cnt4)
{
	struct dedup_prefix all[DEDUP_TO_MAX];
	uint32_t n = 0, n4 = 0;

	for (;; text++) {
		size_t len = strcspn(text, ",");
		char word[PREFIX_TEXT_MAX];
		struct dedup_prefix p;
		bool ipv4;
		int err;

		if (len >= sizeof(word))
			return -EINVAL;
		memcpy(word, text, len);
		word[len] = 0;
		err = parse_prefix(word, &p, &ipv4);
		if (err)
			return err;
		if (n == DEDUP_TO_MAX)
			return -E2BIG;
		if (ipv4) /* replaces the first one of IPv6, which moves to the end */
			all[n++] = all[n4], all[n4++] = p;
		else
			all[n++] = p;
		text += len;
		if (!*text)
			break;
	}
	memcpy(out, all, n * sizeof(*out));
	*cnt = n;
	*cnt4 = n4;
	return 0;
}

const char *format_prefix(const struct dedup_prefix *p, bool ipv4, char buf[PREFIX_TEXT_MAX])
{
	int bits = __builtin_popcountll(p->mask[0]) + __builtin_popcountll(p->mask[1]);
	size_t len;

	inet_ntop(ipv4 ? AF_INET : AF_INET6, p->addr, buf, PREFIX_TEXT_MAX);
	len = strlen(buf);
	if (bits < (ipv4 ? 32 : 128))
		snprintf(buf + len, PREFIX_TEXT_MAX - len, "/%d", bits);
	return buf;
}
