// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers, each parser by the first byte: what is refused leaves the result alone. */
#include "fuzz.h"
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
	default:
		try_hex(text, *data);
	}
	free(text);
	return 0;
}
