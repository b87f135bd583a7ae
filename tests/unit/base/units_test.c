// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text to numbers and back, and text that is shown. */
#include "unit.h"

#include "text.h"
#include "units.h"

#define UNTOUCHED 12345

static const struct {
	const char *text;
	int err;
	uint64_t value;
} COUNTS[] = {
	{ "0", 0, 0 },		 { "1", 0, 1 },
	{ "999", 0, 999 },	 { "250k", 0, 250000 },
	{ "250K", 0, 250000 },	 { "1M", 0, 1000000 },
	{ "1.5M", 0, 1500000 },	 { "2G", 0, 2000000000 },
	{ "0.001k", 0, 1 },	 { "", -EINVAL, 0 },
	{ "M", -EINVAL, 0 },	 { "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },	 { " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },	 { "1x", -EINVAL, 0 },
	{ "1MM", -EINVAL, 0 },	 { "1.5", -EINVAL, 0 },
	{ "1.2.3", -EINVAL, 0 }, { ".5k", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },	 { "1e6", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },	 { "9999999999G", -ERANGE, 0 },
	{ "1m", -EINVAL, 0 },	 { "1.0001k", -EINVAL, 0 },
	{ "1.", 0, 1 },
};

TEST(macs)
{
	static const struct {
		const char *text;
		int err;
		uint8_t mac[6];
	} ROWS[] = {
		{ "02:00:00:00:00:01", 0, { 2, 0, 0, 0, 0, 1 } },
		{ "aB:cD:0:1:2:f", 0, { 0xab, 0xcd, 0, 1, 2, 15 } },
		{ "02:00:00:00:00", -EINVAL, { 0 } },
		{ "02:00:00:00:00:01:02", -EINVAL, { 0 } },
		{ "02:00:00:00:00:0x1", -EINVAL, { 0 } },
		{ "02:00:00:00:00: 1", -EINVAL, { 0 } },
		{ "02-00-00-00-00-01", -EINVAL, { 0 } },
		{ "+2:00:00:00:00:01", -EINVAL, { 0 } },
		{ "", -EINVAL, { 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		uint8_t mac[6] = { 0 };

		assert_int_equal(parse_mac(ROWS[i].text, mac), ROWS[i].err);
		assert_memory_equal(mac, ROWS[i].mac, sizeof(mac));
	}
}

TEST(counts)
{
	for (size_t i = 0; i < ARRAY_SIZE(COUNTS); i++) {
		uint64_t value = UNTOUCHED;

		assert_int_equal(parse_count(COUNTS[i].text, &value), COUNTS[i].err);
		assert_int_equal(value, COUNTS[i].err ? UNTOUCHED : COUNTS[i].value);
	}
}

static const struct {
	const char *text;
	int err;
	uint64_t ns;
} TIMES[] = {
	{ "0", 0, 0 },
	{ "1ms", 0, 1000000 },
	{ "1s", 0, 1000000000 },
	{ "1.5s", 0, 1500000000 },
	{ "10m", 0, 600000000000 },
	{ "2h", 0, 7200000000000 },
	{ "5", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ "1d", 0, 86400000000000 },
	{ "1.5d", 0, 129600000000000 },
	{ "1D", -EINVAL, 0 },
	{ "1 s", -EINVAL, 0 },
	{ "-1s", -EINVAL, 0 },
	{ "1M", -EINVAL, 0 },
	{ "99999999999h", -ERANGE, 0 },
	{ "999999999d", -ERANGE, 0 },
};

TEST(times)
{
	for (size_t i = 0; i < ARRAY_SIZE(TIMES); i++) {
		uint64_t ns = UNTOUCHED;

		assert_int_equal(parse_time(TIMES[i].text, &ns), TIMES[i].err);
		assert_int_equal(ns, TIMES[i].err ? UNTOUCHED : TIMES[i].ns);
	}
}

static const struct {
	const char *text;
	int err;
	double value;
} RATES[] = {
	{ "0.5", 0, 0.5 },	  { "1e-4", 0, 1e-4 },	  { ".01", 0, 0.01 },
	{ "1E-9", 0, 1e-9 },	  { "0", -ERANGE, 0 },	  { "1", -ERANGE, 0 },
	{ "1.0", -ERANGE, 0 },	  { "2", -ERANGE, 0 },	  { "-0.1", -ERANGE, 0 },
	{ "1e-400", -ERANGE, 0 }, { "", -EINVAL, 0 },	  { "nan", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },	  { "0.1x", -EINVAL, 0 }, { "1%", -EINVAL, 0 },
	{ " 0.1", -EINVAL, 0 },
};

TEST(rates)
{
	for (size_t i = 0; i < ARRAY_SIZE(RATES); i++) {
		double value = UNTOUCHED;

		assert_int_equal(parse_rate(RATES[i].text, &value), RATES[i].err);
		assert_true(value == (RATES[i].err ? UNTOUCHED : RATES[i].value));
	}
}

static const struct {
	const char *text;
	int err;
	const char *back; /* as it is printed again */
} PORTS[] = {
	{ "8001", 0, "8001" },
	{ "1", 0, "1" },
	{ "65535", 0, "65535" },
	{ "1-65535", 0, "1-65535" },
	{ "8001,9000-9010", 0, "8001,9000-9010" },
	{ "9000-9010,8001", 0, "8001,9000-9010" },
	{ "3,2,1", 0, "1-3" },
	{ "1-5,3-9", 0, "1-9" },
	{ "1-9,3-5", 0, "1-9" },
	{ "5,5", 0, "5" },
	{ "65535,65534", 0, "65534-65535" },
	{ "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,"
	  "63",
	  0,
	  "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63" },
	{ "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,"
	  "63,65",
	  -E2BIG, NULL },
	{ "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,"
	  "33",
	  0, "1-33" },
	{ "0", -ERANGE, NULL },
	{ "65536", -ERANGE, NULL },
	{ "99999999999999999999", -ERANGE, NULL },
	{ "9-8", -ERANGE, NULL },
	{ "1-0", -ERANGE, NULL },
	{ "", -EINVAL, NULL },
	{ "80,", -EINVAL, NULL },
	{ ",80", -EINVAL, NULL },
	{ "80-", -EINVAL, NULL },
	{ "-80", -EINVAL, NULL },
	{ "80 81", -EINVAL, NULL },
	{ "http", -EINVAL, NULL },
};

TEST(ports)
{
	for (size_t i = 0; i < ARRAY_SIZE(PORTS); i++) {
		struct dedup_ports out[DEDUP_PORTS_MAX];
		uint32_t cnt = UNTOUCHED;
		char text[256];

		assert_int_equal(parse_ports(PORTS[i].text, out, &cnt), PORTS[i].err);
		if (PORTS[i].err)
			assert_int_equal(cnt, UNTOUCHED);
		else
			assert_string_equal(format_ports(out, cnt, text, sizeof(text)),
					    PORTS[i].back);
	}
}

static const struct {
	const char *text;
	int err;
	const char *back;
} VLANS[] = {
	{ "7", 0, "7" },
	{ "none", 0, "none" },
	{ "none,none", 0, "none" },
	{ "10,20-29,none", 0, "none,10,20-29" },
	{ "1,none", 0, "none,1" },
	{ "1-4094,none", 0, "none,1-4094" },
	{ "2-4094,none", 0, "none,2-4094" },
	{ "4094", 0, "4094" },
	{ "any", 0, "any" },
	{ "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,"
	  "62,"
	  "none",
	  0,
	  "none,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62" },
	{ "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,"
	  "62,"
	  "64,none",
	  -E2BIG, NULL },
	{ "0", -ERANGE, NULL },
	{ "4095", -ERANGE, NULL },
	{ "7-4095", -ERANGE, NULL },
	{ "9-8", -ERANGE, NULL },
	{ "none-5", -EINVAL, NULL },
	{ "5-none", -ERANGE, NULL },
	{ "any,7", -EINVAL, NULL },
	{ "nonesuch", -EINVAL, NULL },
	{ "", -EINVAL, NULL },
	{ "7,", -EINVAL, NULL },
	{ "seven", -EINVAL, NULL },
};

TEST(vlans)
{
	for (size_t i = 0; i < ARRAY_SIZE(VLANS); i++) {
		struct dedup_ports out[DEDUP_VLANS_MAX];
		uint32_t cnt = UNTOUCHED;
		char text[VLANS_TEXT_MAX];

		assert_int_equal(parse_vlans(VLANS[i].text, out, &cnt), VLANS[i].err);
		if (VLANS[i].err)
			assert_int_equal(cnt, UNTOUCHED);
		else
			assert_string_equal(format_vlans(out, cnt, text, sizeof(text)),
					    VLANS[i].back);
	}
}

TEST(ids)
{
	static const char GOOD[] = "000102030405060708090a0b0c0d0e0fF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF";
	uint8_t id[32];
	char text[80];

	assert_int_equal(parse_hex(GOOD, id, 32), 32);
	for (int i = 0; i < 16; i++) {
		assert_int_equal(id[i], i);
		assert_int_equal(id[16 + i], 0xf0 + i);
	}
	for (size_t at = 0; at < sizeof(GOOD) - 1; at++) {
		memcpy(text, GOOD, sizeof(GOOD));
		text[at] = 'g';
		assert_int_equal(parse_hex(text, id, 32), -EINVAL);
		text[at] = 0; /* half a byte, every second time */
		assert_int_equal(parse_hex(text, id, 32), at % 2 ? -EINVAL : (int)at / 2);
	}
	strcpy(text, GOOD);
	strcat(text, "0");
	assert_int_equal(parse_hex(text, id, 32), -EINVAL);
	assert_int_equal(parse_hex(GOOD, id, 31), -EINVAL);
	assert_int_equal(id[16], 0xf0);
}

TEST(formats)
{
	static const struct {
		uint64_t value;
		const char *bytes, *time;
	} ROWS[] = {
		{ 0, "0 B", "0ms" },
		{ 999, "999 B", "1us" },
		{ 1001, "1.0 kB", "2us" },
		{ 999000, "999 kB", "999us" },
		{ 999001, "999 kB", "1.0ms" },
		{ 1000000, "1.0 MB", "1ms" },
		{ 1900000, "1.9 MB", "1.9ms" },
		{ 7029824, "7.0 MB", "7.0ms" },
		{ 10900000, "10.9 MB", "10ms" },
		{ 250000000, "250 MB", "250ms" },
		{ 999999999, "1.0 GB", "999ms" },
		{ 1500000000, "1.5 GB", "1.5s" },
		{ 60000000000, "60.0 GB", "1m" },
		{ 90000000000, "90.0 GB", "1m 30s" },
		{ 3600000000000, "3.6 TB", "1h" },
		{ 5400000000000, "5.4 TB", "1h 30m" },
		{ 86399000000000, "86.4 TB", "23h 59m" },
		{ 86400000000000, "86.4 TB", "1d" },
		{ 129600000000000, "130 TB", "1d 12h" },
		{ 2592000000000000, "2.6 PB", "30d" },
	};
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		assert_string_equal(format_bytes(ROWS[i].value, text, sizeof(text)), ROWS[i].bytes);
		assert_string_equal(format_time(ROWS[i].value, text, sizeof(text)), ROWS[i].time);
	}
}

/* A count's text is read back as that count; a text of "about" so many has 3 digits, or 2. */
TEST(counts_are_shown)
{
	static const struct {
		double value;
		const char *about;
	} ROWS[] = {
		{ 0, "0" },	     { 0.25, "0.25" },	 { 1, "1.0" },
		{ 7.14, "7.1" },     { 99.94, "99.9" },	 { 99.96, "100" },
		{ 999, "999" },	     { 999.6, "1.00k" }, { 1234, "1.23k" },
		{ 45600, "45.6k" },  { 456000, "456k" }, { 999600, "1.00M" },
		{ 1.5e12, "1.50T" }, { 9.9e14, "990T" }, { 1.23e16, "1.2e+16" },
	};
	char text[32];
	uint64_t seed = 1;

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		assert_string_equal(format_about(ROWS[i].value, text, sizeof(text)), ROWS[i].about);
	assert_string_equal(format_count(2400000, text, sizeof(text)), "2.4M");
	assert_string_equal(format_count(2450000, text, sizeof(text)), "2450k");
	assert_string_equal(format_count(1500, text, sizeof(text)), "1.5k");
	assert_string_equal(format_count(1550, text, sizeof(text)), "1550");
	assert_string_equal(format_count(20000000000, text, sizeof(text)), "20G");
	for (int i = 0; i < 100000; i++) {
		uint64_t n = random_next(&seed) >> (28 + random_next(&seed) % 36), back;

		for (int zeros = random_next(&seed) % 12; zeros && n < 100000000000; zeros--)
			n *= 10;
		if (parse_count(format_count(n, text, sizeof(text)), &back))
			fail_msg("%ju is shown as %s", (uintmax_t)n, text);
		assert_int_equal(back, n);
	}
}

/* What could control a terminal, and what is not UTF-8, is shown as '?', byte by byte. */
TEST(text_is_cleaned)
{
	static const struct {
		const char *text, *shown;
	} ROWS[] = {
		{ "", "" },
		{ "eth0.7 ~", "eth0.7 ~" },
		{ "a\033[31mb\n\t\177", "a?[31mb???" },
		{ "\u00e9\u20ac\U0001f600", "\u00e9\u20ac\U0001f600" },
		{ "\xc2\x9b"
		  "1m\xc2\xa0",
		  "??1m\xc2\xa0" },
		{ "\x9b"
		  "1m\xff\xc3",
		  "?1m??" },
		{ "\xe2\x82", "??" },
	};
	char text[32], lines[] = "a\033\t\xff\n\177";

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		strcpy(text, ROWS[i].text);
		text_clean(text);
		assert_string_equal(text, ROWS[i].shown);
	}
	text_clean_lines(lines);
	assert_string_equal(lines, "a?\t?\n?");
}

UNIT_MAIN()
