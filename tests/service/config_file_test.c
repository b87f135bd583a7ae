// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The service's configuration: what each key becomes, and the place of each error; an address. */

#include <netdb.h>

#include "config_file.h"
#include "config_lines.h"
#include "diag.h"
#include "output.h"
#include "plan.h"
#include "socket_address.h"

#define FEED "[filter feed]\ninterfaces = eth0 eth1\nport = 8001\n"

static char path[64];

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* What is wrong, and with which line; `says` is what follows "FILE:". */
static const struct wrong {
	const char *name, *text, *says;
} WRONGS[] = {
	{ "key-before-section", "; x\nport = 8001\n",
	  "2: keys come behind a section, [service] or [filter NAME]" },
	{ "no-section-of-that-kind", FEED "[feed]\n",
	  "4: [feed]: a section is [service] or [filter NAME]" },
	{ "filter-without-a-name", "[filter]\n", "1: [filter]: a section is" },
	{ "section-not-closed", "\n[service\n", "2: a section is [service] or [filter NAME]" },
	{ "service-twice", "[service]\n[service]\n", "2: there is a [service] already" },
	{ "filter-twice", FEED "\n" FEED, "5: there is a [filter feed] already" },
	{ "no-key-of-service", "[service]\nport = 8001\n", "2: [service] has no key port" },
	{ "no-key-of-filter", FEED "metrics = /x\n", "4: [filter feed] has no key metrics" },
	{ "for-is-no-key", FEED "for = 8h\n", "4: [filter feed] has no key for" },
	{ "key-twice", FEED "capacity = 1M\n\ncapacity = 2M\n", "6: capacity is there already" },
	{ "not-yes-or-no", FEED "forwarded = 1\n", "4: forwarded 1: it is yes or no" },
	{ "wrong-value", FEED "capacity = many\n", "4: capacity many: give a number of ids" },
	{ "wrong-port", "[filter feed]\ninterfaces = eth0\nport = 70000\n",
	  "3: port 70000: give UDP ports" },
	{ "second-port-wrong", FEED "port = x\n", "4: port 8001,x: give UDP ports" },
	{ "no-profile", FEED "\nprofile = nosuch:1\n", "5: profile nosuch:1: there is no profile" },
	{ "stream-without-ports", "[filter a]\ninterfaces = eth0\n\nprofile = moldudp64\n",
	  "1: the stream moldudp64 lacks UDP ports" },
	{ "profiles-not-there", FEED "profiles = /nowhere\nprofile = x:1\n",
	  "4: profiles: cannot read /nowhere: No such file" },
	{ "profiles-relative", FEED "profiles = mine.ini\n",
	  "4: profiles mine.ini: give a file from / on" },
	{ "no-interfaces", "[filter a]\nport = 1\n[service]\n",
	  "1: [filter a]: interfaces are missing" },
	{ "no-packets", "[filter a]\ninterfaces = eth0\n",
	  "1: [filter a]: port, or profile, is missing" },
	{ "interface-twice", FEED "interfaces = eth0\n", "4: interfaces: eth0 is there already" },
	{ "interface-of-two", FEED "[filter b]\ninterfaces = eth1\nport = 1\n",
	  "4: [filter b]: eth1 is in [filter feed] already" },
	{ "interface-too-long", FEED "interfaces = aaaaaaaaaaaaaaaa\n",
	  "4: interfaces: aaaaaaaaaaaaaaaa is no name of an interface" },
	{ "parameters-do-not-fit", FEED "bits = 100\n", "1: --bits" },
	{ "metrics", "[service]\nmetrics = here\n",
	  "2: metrics here: give a file from / on, or none" },
	{ "on-exit", "[service]\non-exit = stay\n", "2: on-exit stay: it is leave or unload" },
	{ "save-every", "[service]\nsave-every = 10ms\n", "2: save-every 10ms: give a time" },
	{ "state", "[service]\nstate = here\n", "2: state here: give a directory from / on" },
	{ "no-filter", "[service]\nsave = yes\n", "2: there is no [filter NAME]" },
	{ "empty", "", "1: there is no [filter NAME]" },
	{ "filters", "[service]\nfilters = some\n", "2: filters some: it is none" },
	{ "filters-none-but-one", "[service]\nfilters = none\n" FEED,
	  "5: [service] says filters = none, but there is a [filter feed]" },
	{ "cut-in-a-line", FEED "capacity = 1", "4: the last line has no end" },
	{ "control-character", FEED "port = 80\0331\n", "4: a control character" },
};

/* The service does not take the file with this text, and says why: `says` follows "FILE:". */
static void assert_wrong(const char *text, size_t len, const char *says)
{
	char command[128], line[256];

	write_file(text, len);
	snprintf(command, sizeof(command), "$XD run --check --config %s", path);
	assert_run(2, command);
	snprintf(line, sizeof(line), "xdp-dedup: %s:%s", path, says);
	assert_one_line(line);
}

TEST_ROWS(is_wrong, WRONGS)
{
	assert_wrong(row->text, strlen(row->text), row->says);
}

TEST(line_of_any_length)
{
	char text[1024], says[128];
	struct config_file c;

	for (int len = 1; len < 900; len++) {
		int head = snprintf(text, sizeof(text), "%s; ", FEED);

		memset(text + head, 'x', len);
		strcpy(text + head + len, "\naction = count\n");
		write_file(text, strlen(text));
		if (2 + len > CONFIG_LINE_MAX)
			break;
		assert_int_equal(config_read(path, &c), 0);
		assert_true(c.filters[0].wish.spec.count_only);
		config_free(&c);
	}
	snprintf(says, sizeof(says), "4: a line has at most %d characters", CONFIG_LINE_MAX);
	assert_wrong(text, strlen(text), says);
}

TEST(no_text)
{
	assert_wrong("[service]\n\0\n", 12, "2: a 0 byte");
	assert_run(2, "$XD run --check --config /nowhere");
	assert_one_line("cannot read /nowhere: No such file");
	assert_run(2, "$XD run --check --config /");
	assert_says("cannot read");
}

TEST(says_all)
{
	static const char TEXT[] = "\xef\xbb\xbf[service]\r\n"
				   "metrics = /run/x.prom\nmetrics-every = 30s\nmetrics-all = yes\n"
				   "on-exit = unload\nrecover = yes\n"
				   "save = yes\nsave-every = 10m ; often\nstate = /var/x\n"
				   "# comment\n"
				   "  [filter feed] ; of the exchange\n"
				   "interfaces = eth0\n"
				   "  interfaces = eth1, eth2\n"
				   "port = 8001\n"
				   "port = 9000-9010\n"
				   "to = 192.0.2.1\nto = 2001:db8::/64\nvlan = 10,none\n"
				   "capacity = 2M\nfpr: 1e-5\nwindow = 30s\n"
				   "action = count\nlearn = app\nihave = pass\nforwarded = yes\n"
				   "layout = countdown\nhash = tezos\nhashes = 6\nindex-bits = 20\n"
				   "countdown-bits = 5\nmode = skb\n"
				   "[filter ab]\n"
				   "forwarded = no\nprofile = a=moldudp64:1@233.252.0.1#feed\n"
				   "profile = b=moldudp64:2@233.252.0.2#feed\ninterfaces = eth3\n";
	const struct filter_spec *spec;
	const struct wish *w;
	struct config_file c;

	write_file(TEXT, strlen(TEXT));
	assert_int_equal(config_read(path, &c), 0);
	assert_string_equal(c.metrics, "/run/x.prom");
	assert_int_equal(c.metrics_every_ns, 30 * 1000000000ULL);
	assert_true(c.metrics_all);
	assert_true(c.recover && c.unload);
	assert_true(c.save);
	assert_int_equal(c.save_every_ns, 600 * 1000000000ULL);
	assert_string_equal(c.state, "/var/x");
	assert_int_equal(c.cnt, 2);
	assert_null(config_find(&c, "fee"));
	w = &config_find(&c, "feed")->wish;
	spec = &w->spec;
	assert_string_equal(w->name, "feed");
	assert_string_equal(w->where.ifnames[0], "eth0");
	assert_string_equal(w->where.ifnames[2], "eth2");
	assert_int_equal(spec->streams[0].ports_cnt, 2);
	assert_int_equal(spec->streams[0].ports[1].hi, 9010);
	assert_int_equal(spec->streams[0].to_cnt, 2);
	assert_int_equal(spec->vlans[1].lo, 10);
	assert_int_equal(spec->capacity, 2000000);
	assert_true(spec_fpr(spec) > 0.99e-5 && spec_fpr(spec) < 1.01e-5);
	assert_int_equal(spec->window_ns, 30 * 1000000000ULL);
	assert_true(spec->count_only && spec->learn_app && spec->ihave_pass && spec->forwarded);
	assert_int_equal(spec->layout, DEDUP_COUNTDOWN);
	assert_int_equal(spec->countdown_bits, 5);
	assert_int_equal(w->where.mode, MODE_SKB);
	w = &config_find(&c, "ab")->wish;
	assert_false(w->spec.forwarded);
	assert_int_equal(w->spec.streams_cnt, 2);
	assert_int_equal(w->spec.streams[0].stream.realm, w->spec.streams[1].stream.realm);
	assert_int_equal(w->spec.capacity, SPEC_CAPACITY_DEFAULT);
	config_free(&c);
}

TEST(defaults)
{
	static const char NONE[] = "[service]\nfilters = none\n";
	static const char OFTEN[] = "[service]\nfilters = none\nsave-every = 10m\n";
	struct config_file c;

	write_file(NONE, strlen(NONE));
	setenv("STATE_DIRECTORY", "/var/s", 1);
	assert_int_equal(config_read(path, &c), 0);
	assert_int_equal(c.cnt, 0);
	assert_null(c.metrics);
	assert_int_equal(c.metrics_every_ns, 10 * 1000000000ULL);
	assert_false(c.metrics_all || c.unload || c.save || c.save_every_ns);
	assert_string_equal(c.state, "/var/s");
	config_free(&c);
	write_file(OFTEN, strlen(OFTEN));
	assert_int_equal(config_read(path, &c), 0);
	assert_true(c.save);
	config_free(&c);
	unsetenv("STATE_DIRECTORY");
	setenv("XDP_DEDUP_CAPACITY", "3M", 1);
	write_file(FEED, strlen(FEED));
	assert_int_equal(config_read(path, &c), 0);
	assert_string_equal(c.state, CONFIG_STATE_DEFAULT);
	assert_int_equal(c.filters[0].wish.spec.capacity, 3000000);
	config_free(&c);
	unsetenv("XDP_DEDUP_CAPACITY");
}

/* A file's name is no part of any message: one that is called like a key has its lines, too. */
TEST(file_named_like_a_key)
{
	char command[512];

	write_file(FEED "window = 1\n", strlen(FEED "window = 1\n"));
	snprintf(command, sizeof(command),
		 "XD=$(readlink -f $XD); mkdir %s.d && mv %s %s.d/window && cd %s.d && "
		 "$XD run --check --config window",
		 path, path, path, path);
	assert_run(2, command);
	sh("rm -r %s.d", path);
	assert_one_line("xdp-dedup: window:4: window 1: give a time");
}

/* As many filters as there may be, and one more. */
TEST(most)
{
	static char text[CONFIG_FILTERS_MAX * 128];
	struct config_file c;
	char says[128];
	size_t len = 0;

	for (int i = 0; i < CONFIG_FILTERS_MAX; i++)
		len += snprintf(text + len, sizeof(text) - len,
				"[filter f%d]\ninterfaces = e%d\nport = 1\n", i, i);
	write_file(text, len);
	assert_int_equal(config_read(path, &c), 0);
	assert_int_equal(c.cnt, CONFIG_FILTERS_MAX);
	config_free(&c);
	len += snprintf(text + len, sizeof(text) - len, "[filter one-more]\n");
	snprintf(says, sizeof(says), "%d: at most %d filters", 3 * CONFIG_FILTERS_MAX + 1,
		 CONFIG_FILTERS_MAX);
	assert_wrong(text, len, says);
}

/* Where metrics are scraped: [ADDRESS:]PORT. */
static const struct address {
	const char *name, *text;
	const char *is; /* "HOST PORT"; NULL: refused */
} ADDRESSES[] = {
	{ "port", "9947", "127.0.0.1 9947" },
	{ "ipv4", "192.0.2.1:80", "192.0.2.1 80" },
	{ "any", "0.0.0.0:65535", "0.0.0.0 65535" },
	{ "ipv6", "[::1]:9947", "::1 9947" },
	{ "port-0", "0", NULL },
	{ "port-65536", "65536", NULL },
	{ "no-port", "127.0.0.1:", NULL },
	{ "no-address", ":9947", NULL },
	{ "a-name", "localhost:9947", NULL },
	{ "port-by-name", "127.0.0.1:http", NULL },
	{ "port-with-sign", "+80", NULL },
	{ "ipv6-without-brackets", "::1:9947", NULL },
	{ "ipv6-open", "[::1:9947", NULL },
	{ "ipv4-in-brackets", "[127.0.0.1]:80", NULL },
	{ "too-long",
	  "111111111111111111111111111111111111111111111111111111111111111111111111111111111.1.1.1:80",
	  NULL },
};

TEST_ROWS(address_is_read, ADDRESSES)
{
	char host[NI_MAXHOST], port[NI_MAXSERV], is[NI_MAXHOST + NI_MAXSERV + 1];
	struct socket_address a;
	int err = socket_address_read(row->text, &a);

	if (!row->is) {
		assert_int_equal(err, -EINVAL);
		return;
	}
	assert_int_equal(err, 0);
	assert_int_equal(getnameinfo((const struct sockaddr *)&a.addr, a.len, host, sizeof(host),
				     port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV),
			 0);
	snprintf(is, sizeof(is), "%s %s", host, port);
	assert_string_equal(is, row->is);
}

int main(void)
{
	int failed;

	snprintf(path, sizeof(path), "/tmp/xdp-dedup-config-%d", getpid());
	name_tool();
	add_own_tests(NULL, NULL);
	failed = run_added_any_tests("config_file");
	unlink(path);
	return failed;
}
