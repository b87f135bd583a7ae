// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text to numbers and back, and text that is shown. */
#include "unit.h"

#include "text.h"
#include "units.h"

#define UNTOUCHED 12345

/* Takes the text, and writes what it read as text; or returns why not, and changes nothing. */
typedef int again(const char *text, char *out, size_t size);

static int count_again(const char *text, char *out, size_t size)
{
	uint64_t value = UNTOUCHED;
	int err = parse_count(text, &value);

	assert_true(!err || value == UNTOUCHED);
	snprintf(out, size, "%ju", (uintmax_t)value);
	return err;
}

static int time_again(const char *text, char *out, size_t size)
{
	uint64_t ns = UNTOUCHED;
	int err = parse_time(text, &ns);

	assert_true(!err || ns == UNTOUCHED);
	snprintf(out, size, "%ju", (uintmax_t)ns);
	return err;
}

static int rate_again(const char *text, char *out, size_t size)
{
	double value = UNTOUCHED;
	int err = parse_rate(text, &value);

	assert_true(!err || value == UNTOUCHED);
	snprintf(out, size, "%g", value);
	return err;
}

static int ports_again(const char *text, char *out, size_t size)
{
	struct dedup_ports ports[DEDUP_PORTS_MAX];
	uint32_t cnt = UNTOUCHED;
	int err = parse_ports(text, ports, &cnt);

	assert_true(!err || cnt == UNTOUCHED);
	if (!err)
		format_ports(ports, cnt, out, size);
	return err;
}

static int vlans_again(const char *text, char *out, size_t size)
{
	struct dedup_ports vlans[DEDUP_VLANS_MAX];
	uint32_t cnt = UNTOUCHED;
	int err = parse_vlans(text, vlans, &cnt);

	assert_true(!err || cnt == UNTOUCHED);
	if (!err)
		format_vlans(vlans, cnt, out, size);
	return err;
}

static int mac_again(const char *text, char *out, size_t size)
{
	uint8_t mac[6] = { 0 };
	int err = parse_mac(text, mac);

	snprintf(out, size, "%x:%x:%x:%x:%x:%x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return err;
}

#define SOME_30 \
	"2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60"
#define ODD_31 \
	"1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61"
#define FIRST_32 \
	"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32"

/* Texts, each with how it is written again; or those that one error refuses. */
static const struct reading {
	const char *name;
	again *read;
	int err;
	const char *texts;
} READINGS[] = {
	{ "counts", count_again, 0,
	  "0=0|1=1|999=999|250k=250000|250K=250000|1M=1000000|1.5M=1500000|2G=2000000000|0.001k=1|1.=1" },
	{ "no-counts", count_again, -EINVAL,
	  "|M|-1|+1| 1|1 |1x|1MM|1.5|1.2.3|.5k|0x10|1e6|inf|1m|1.0001k" },
	{ "large-counts", count_again, -ERANGE, "9999999999G" },
	{ "times", time_again, 0,
	  "0=0|1ms=1000000|1s=1000000000|1.5s=1500000000|10m=600000000000|2h=7200000000000|"
	  "1d=86400000000000|1.5d=129600000000000" },
	{ "no-times", time_again, -EINVAL, "5||s|1D|1 s|-1s|1M" },
	{ "long-times", time_again, -ERANGE, "99999999999h|999999999d" },
	{ "rates", rate_again, 0, "0.5=0.5|1e-4=0.0001|.01=0.01|1E-9=1e-09" },
	{ "no-rates", rate_again, -EINVAL, "|nan|inf|0.1x|1%| 0.1" },
	{ "other-rates", rate_again, -ERANGE, "0|1|1.0|2|-0.1|1e-400" },
	{ "ports", ports_again, 0,
	  "8001=8001|1=1|65535=65535|1-65535=1-65535|8001,9000-9010=8001,9000-9010|"
	  "9000-9010,8001=8001,9000-9010|3,2,1=1-3|1-5,3-9=1-9|1-9,3-5=1-9|5,5=5|"
	  "65535,65534=65534-65535|" ODD_31 ",63=" ODD_31 ",63|" FIRST_32 ",33=1-33" },
	{ "too-many-ports", ports_again, -E2BIG, ODD_31 ",63,65" },
	{ "other-ports", ports_again, -ERANGE, "0|65536|99999999999999999999|9-8|1-0" },
	{ "no-ports", ports_again, -EINVAL, "|80,|,80|80-|-80|80 81|http" },
	{ "vlans", vlans_again, 0,
	  "7=7|none=none|none,none=none|10,20-29,none=none,10,20-29|1,none=none,1|any=any|4094=4094|"
	  "1-4094,none=none,1-4094|2-4094,none=none,2-4094|" SOME_30 ",62,none=none," SOME_30 ",62" },
	{ "too-many-vlans", vlans_again, -E2BIG, SOME_30 ",62,64,none" },
	{ "other-vlans", vlans_again, -ERANGE, "0|4095|7-4095|9-8|5-none" },
	{ "no-vlans", vlans_again, -EINVAL, "none-5|any,7|nonesuch||7,|seven" },
	{ "macs", mac_again, 0, "02:00:00:00:00:01=2:0:0:0:0:1|aB:cD:0:1:2:f=ab:cd:0:1:2:f" },
	{ "no-macs", mac_again, -EINVAL,
	  "02:00:00:00:00|02:00:00:00:00:01:02|02:00:00:00:00:0x1|02:00:00:00:00: 1|02-00-00-00-00-01|"
	  "+2:00:00:00:00:01|" },
};

TEST_ROWS(read_and_written_again, READINGS)
{
	char *texts = strdup(row->texts), *rest = texts, *text, out[256];

	while ((text = strsep(&rest, "|"))) {
		char *written = strchr(text, '=');

		if (written)
			*written++ = '\0';
		if (row->read(text, out, sizeof(out)) != row->err)
			fail_msg("%s", text);
		if (written)
			assert_string_equal(out, written);
	}
	free(texts);
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
		{ 999000, "999 kB", "999us" },
		{ 999001, "999 kB", "1.0ms" },
		{ 1900000, "1.9 MB", "1.9ms" },
		{ 10900000, "10.9 MB", "10ms" },
		{ 999999999, "1.0 GB", "999ms" },
		{ 1500000000, "1.5 GB", "1.5s" },
		{ 90000000000, "90.0 GB", "1m 30s" },
		{ 5400000000000, "5.4 TB", "1h 30m" },
		{ 86399000000000, "86.4 TB", "23h 59m" },
		{ 86400000000000, "86.4 TB", "1d" },
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
