// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of destinations: prefixes without bits behind their length, written as they are read. */
#include "fuzz.h"
#include "prefixes.h"

static void check_prefix(const struct dedup_prefix *p, bool ipv4)
{
	struct dedup_prefix again[DEDUP_TO_MAX];
	char buf[PREFIX_TEXT_MAX];
	uint32_t cnt, cnt4;

	must((p->addr[0] & ~p->mask[0]) == 0 && (p->addr[1] & ~p->mask[1]) == 0);
	must(!parse_prefixes(format_prefix(p, ipv4, buf), again, &cnt, &cnt4));
	must(cnt == 1 && cnt4 == ipv4 && !memcmp(again, p, sizeof(*p)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dedup_prefix *to = malloc(DEDUP_TO_MAX * sizeof(*to));
	char *text = text_of(data, size);
	uint32_t cnt = 0, cnt4 = 0;

	must(to);
	if (!parse_prefixes(text, to, &cnt, &cnt4)) {
		must(cnt >= 1 && cnt <= DEDUP_TO_MAX && cnt4 <= cnt);
		for (uint32_t i = 0; i < cnt; i++)
			check_prefix(&to[i], i < cnt4);
	} else {
		must(!cnt && !cnt4);
	}
	free(to);
	free(text);
	return 0;
}
