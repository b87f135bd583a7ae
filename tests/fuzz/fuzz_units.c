// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers, ports and destinations, each parser by the first byte: what is refused leaves the result
 * alone, what is taken reads as before when it is written and read again.
 */
#include "fuzz.h"
#include "prefixes.h"
#include "units.h"

#define UNTOUCHED 0x5555555555555555ULL

static void try_count(const char *text)
{
	uint64_t n = UNTOUCHED, again;
	char buf[32];

	if (parse_count(text, &n)) {
		must(n == UNTOUCHED);
		return;
	}
	must(n <= INT64_MAX);
	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)n);
	must(!parse_count(buf, &again) && again == n);
	format_bytes(n, buf, sizeof(buf));
}

static void try_time(const char *text)
{
	uint64_t ns = UNTOUCHED;
	char buf[32];

	if (parse_time(text, &ns)) {
		must(ns == UNTOUCHED);
		return;
	}
	must(ns <= INT64_MAX);
	must(*format_time(ns, buf, sizeof(buf)));
}

static void try_rate(const char *text)
{
	double rate = -1;

	if (parse_rate(text, &rate))
		must(rate == -1);
	else
		must(rate >= 1e-18 && rate < 1);
}

static void try_hex(const char *text, size_t max)
{
	uint8_t *bytes = malloc(max ?: 1);
	int len;

	must(bytes);
	len = parse_hex(text, bytes, max);
	must(len < 0 || ((size_t)len <= max && strlen(text) == 2 * (size_t)len));
	for (int i = 0; i < len; i++) {
		char digits[3] = { text[2 * i], text[2 * i + 1] };

		must(strtoul(digits, NULL, 16) == bytes[i]);
	}
	free(bytes);
}

static void try_mac(const char *text)
{
	uint8_t mac[6], again[6];
	char buf[18];

	if (parse_mac(text, mac))
		return;
	snprintf(buf, sizeof(buf), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
		 mac[4], mac[5]);
	must(!parse_mac(buf, again) && !memcmp(mac, again, sizeof(mac)));
}

/* Ascending ranges with gaps between them. */
static void try_ports(const char *text)
{
	struct dedup_ports ports[DEDUP_PORTS_MAX], again[DEDUP_PORTS_MAX];
	uint32_t cnt = 0, again_cnt;
	char buf[PORTS_TEXT_MAX];

	if (parse_ports(text, ports, &cnt)) {
		must(!cnt);
		return;
	}
	must(cnt >= 1 && cnt <= DEDUP_PORTS_MAX);
	for (uint32_t i = 0; i < cnt; i++)
		must(ports[i].lo <= ports[i].hi && (!i || ports[i].lo > ports[i - 1].hi + 1));
	must(!parse_ports(format_ports(ports, cnt, buf, sizeof(buf)), again, &again_cnt));
	must(again_cnt == cnt && !memcmp(again, ports, cnt * sizeof(*ports)));
}

/* Prefixes without bits behind their length. */
static void try_prefixes(const char *text)
{
	struct dedup_prefix to[DEDUP_TO_MAX], again[DEDUP_TO_MAX];
	uint32_t cnt = 0, cnt4 = 0, again_cnt, again_cnt4;
	char buf[PREFIX_TEXT_MAX];

	if (parse_prefixes(text, to, &cnt, &cnt4)) {
		must(!cnt && !cnt4);
		return;
	}
	must(cnt >= 1 && cnt <= DEDUP_TO_MAX && cnt4 <= cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		must(!(to[i].addr[0] & ~to[i].mask[0]) && !(to[i].addr[1] & ~to[i].mask[1]));
		must(!parse_prefixes(format_prefix(&to[i], i < cnt4, buf), again, &again_cnt,
				     &again_cnt4));
		must(again_cnt == 1 && again_cnt4 == (i < cnt4));
		must(!memcmp(again, &to[i], sizeof(to[i])));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = text_of(data + 1, size - 1);
	switch (*data % 8) {
	case 0:
		try_count(text);
		break;
	case 1:
		try_time(text);
		break;
	case 2:
		try_rate(text);
		break;
	case 3:
		try_mac(text);
		break;
	case 4:
		try_ports(text);
		break;
	case 5:
		try_prefixes(text);
		break;
	default:
		try_hex(text, *data);
	}
	free(text);
	return 0;
}
