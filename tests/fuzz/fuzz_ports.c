// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of ports: ascending ranges with gaps between them, which are written as they are read. */
#include "fuzz.h"
#include "units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dedup_ports *ports = malloc(DEDUP_PORTS_MAX * sizeof(*ports));
	struct dedup_ports again[DEDUP_PORTS_MAX];
	char *text = text_of(data, size), buf[PORTS_TEXT_MAX];
	uint32_t cnt = 0, again_cnt;

	must(ports);
	if (!parse_ports(text, ports, &cnt)) {
		must(cnt >= 1 && cnt <= DEDUP_PORTS_MAX);
		for (uint32_t i = 0; i < cnt; i++)
			must(ports[i].lo <= ports[i].hi && (!i || ports[i].lo > ports[i - 1].hi + 1));
		must(!parse_ports(format_ports(ports, cnt, buf, sizeof(buf)), again, &again_cnt));
		must(again_cnt == cnt && !memcmp(again, ports, cnt * sizeof(*ports)));
	} else {
		must(!cnt);
	}
	free(ports);
	free(text);
	return 0;
}
