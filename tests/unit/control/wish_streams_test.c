// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Streams as a command line asks for them: what their names, realms, ports and destinations are. */
#include "unit.h"

#include "options.h"
#include "prefixes.h"
#include "units.h"

#define WORDS_MAX 40

/* options: words between blanks. streams: NAME/REALM/PORTS/DESTINATIONS of each, "-" for none. */
static const struct row {
	const char *name, *options, *streams;
} ROWS[] = {
	{ "one", "--profile rtp:5004", "rtp/0/5004/-" },
	{ "usual-ports", "--profile discv4", "discv4/0/30303/-" },
	{ "usual-ports-and-destination", "--profile discv4@192.0.2.1", "discv4/0/30303/192.0.2.1" },
	{ "usual-ports-left-out", "--profile discv4:@192.0.2.1#r", "discv4/0/30303/192.0.2.1" },
	{ "stream-name", "--profile video=rtp:5004", "video/0/5004/-" },
	{ "all-parts", "--profile v=rtp:1-2@192.0.2.0/24,2001:db8::1#x",
	  "v/0/1-2/192.0.2.0/24+2001:db8::1" },
	{ "ipv6-alone", "--profile mirror@2001:db8::/32", "mirror/0//2001:db8::/32" },
	{ "no-ports", "--profile hsr --profile mirror", "hsr/0//- mirror/1//-" },
	{ "names-are-made-unique", "--profile rtp:1 --profile rtp:2 --profile rtp:3",
	  "rtp/0/1/- rtp-2/1/2/- rtp-3/2/3/-" },
	{ "given-names-first", "--profile rtp:1 --profile rtp:2 --profile rtp-2=payload:3",
	  "rtp/0/1/- rtp-3/1/2/- rtp-2/2/3/-" },
	{ "given-name-of-a-profile", "--profile rtp:1 --profile rtp=payload:2",
	  "rtp-2/0/1/- rtp/1/2/-" },
	{ "realms", "--profile a=rtp:1#x --profile rtp:2 --profile b=rtp:3#x --profile rtp:4#y",
	  "a/0/1/- rtp/1/2/- b/0/3/- rtp-2/3/4/-" },
	/* A realm's word is no stream's name. */
	{ "realm-like-a-stream", "--profile a=rtp:1 --profile b=rtp:2#a", "a/0/1/- b/1/2/-" },
	{ "port-comes-first", "--profile rtp:1 --port 8001 --profile gsp:8002",
	  "gsp/0/8001/- rtp/1/1/- gsp-2/2/8002/-" },
	{ "to-is-for-all-that-name-none",
	  "--profile rtp:1 --profile rtp:2@192.0.2.2 --profile hsr --to 192.0.2.1 --port 8001",
	  "gsp/0/8001/192.0.2.1 rtp/1/1/192.0.2.1 rtp-2/2/2/192.0.2.2 hsr/3//-" },
	{ "to-without-port", "--to 192.0.2.1 --profile rtp:1", "rtp/0/1/192.0.2.1" },
	{ "nothing", "", "gsp/0//-" },
};

static void show(const struct options *o, char *out, size_t size)
{
	size_t len = 0;

	*out = 0;
	for (uint32_t i = 0; i < o->wish.spec.streams_cnt; i++) {
		const struct spec_stream *s = &o->wish.spec.streams[i];
		char ports[PORTS_TEXT_MAX], to[PREFIX_TEXT_MAX];

		len += snprintf(out + len, size - len, "%s%s/%u/%s/%s", i ? " " : "",
				s->stream.name, s->stream.realm,
				format_ports(s->ports, s->ports_cnt, ports, sizeof(ports)),
				s->to_cnt ? "" : "-");
		for (uint32_t j = 0; j < s->to_cnt; j++)
			len += snprintf(out + len, size - len, "%s%s", j ? "+" : "",
					format_prefix(&s->to[j], j < s->to4_cnt, to));
	}
}

/* Of the text's words; they belong to `copy`. */
static int parse(struct options *o, char *copy)
{
	const struct args_command load = {
		.name = "load",
		.command = "xdp-dedup load",
		.usage = "",
		.help = "",
		.options = options_table(),
		.takes = OPT_LOAD,
	};
	char *argv[WORDS_MAX] = { copy };
	int argc = 1;

	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return options_parse(o, &load, argc, argv);
}

TEST_ROWS(streams_are, ROWS)
{
	char copy[512], is[1024];
	struct options o;

	snprintf(copy, sizeof(copy), "%s", row->options);
	assert_int_equal(parse(&o, copy), 0);
	show(&o, is, sizeof(is));
	assert_string_equal(is, row->streams);
}

/* A name that is too long with its number is cut before it. */
TEST(long_names_keep_their_number)
{
	static const char FORMAT[] = "--profiles %s --profile %s:1 --profile %s:2";
	static const char NAME[] = "a123456789012345678901234567890";
	char path[] = "/tmp/xdp-dedup-streams.XXXXXX", copy[512];
	struct options o;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	sh("printf '[profile %s]\\nlayer = udp\\nid = payload\\n' >%s", NAME, path);
	snprintf(copy, sizeof(copy), FORMAT, path, NAME, NAME);
	assert_int_equal(parse(&o, copy), 0);
	assert_string_equal(o.wish.spec.streams[0].stream.name, NAME);
	assert_string_equal(o.wish.spec.streams[1].stream.name, "a1234567890123456789012345678-2");
	sh("rm %s", path);
}

UNIT_MAIN()
