// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How `make` behaves: one line tells what a machine lacks, and nothing is installed; flags
 * from outside reach every command. Nothing is built here.
 */
#include "unit.h"

#include <fnmatch.h>

static char dir[] = "/tmp/xdp-dedup-build.XXXXXX"; /* $D in commands */
static bool ready;

/* Programs of a machine where everybody is root and nothing is installed: $D/bin is /usr/bin, but
 * without clang, which is in $D/clang as clang-17; apt-get and its like write down what is asked
 * of them. And what is amiss elsewhere.
 */
static const char SETUP[] =
	"set -e; mkdir $D/bin $D/clang $D/old-clang $D/refused-clang $D/no-bpftool; ln -s "
	"/usr/bin/* $D/bin\n"
	"cd $D/bin; rm -f clang* bpftool apt* dpkg* sudo id\n"
	"fake() { printf '#!/bin/sh\\n%s\\n' \"$2\" >$D/$1; chmod +x $D/$1; }\n"
	"for i in apt-get dpkg sudo; do fake bin/$i \"echo $i \\$* >>$D/asked\"; done\n"
	"fake bin/dpkg-query 'exit 1'; fake bin/id 'echo 0'; fake bin/apt-cache 'echo bpftool'\n"
	"fake bin/bpftool ''; fake no-bpftool/bpftool 'exit 1'\n"
	"fake clang/clang-17 \"exec $CLANG_PATH \\\"\\$@\\\"\"\n"
	"fake old-clang/clang 'echo 13.0.1'; fake refused-clang/clang 'echo 16.0.6'\n"
	"header() { mkdir -p $D/$1/${2%%/*}; echo \"${3-#error none}\" >$D/$1/$2; }\n"
	"for i in libmnl/libmnl json-c/json ./ini pcap/sll ./curses systemd/sd-event ./microhttpd; do\n"
	"header none $i.h; done; header no-libbpf bpf/libbpf.h; header no-libxdp xdp/libxdp.h\n"
	"header old xdp/libxdp.h ''; header old pcap/sll.h ''\n"
	"header old-libbpf bpf/libbpf.h '#define LIBBPF_MAJOR_VERSION 0'";

static void setup(void)
{
	char clang[256];

	if (access("Makefile", R_OK) ||
	    sh_out(clang, sizeof(clang),
		   "command -v make >/dev/null && c=$(CC=cc CLANG= scripts/tools clang) && "
		   "command -v $c"))
		return;
	clang[strcspn(clang, "\n")] = '\0';
	assert_non_null(mkdtemp(dir));
	setenv("D", dir, 1);
	setenv("CLANG_PATH", clang, 1);
	sh("%s", SETUP);
	ready = true;
}

static void teardown(void)
{
	if (ready)
		sh("rm -rf $D");
}

/* Of `make` with these variables, nothing else in its environment; $D/build is its BUILD. */
static int make_out(char *out, size_t size, const char *path, const char *arguments)
{
	if (!ready)
		skip();
	return sh_out(out, size, "rm -rf $D/build $D/asked; env -i PATH=%s make -s BUILD=$D/build %s",
		      path, arguments);
}

#define NO_CLANG "clang from 14 on, but 16 and 17, which Linux 6.1 refuses"

static const struct lack {
	const char *name, *path, *variables, *lacks; /* lacks: as a file name's pattern */
} LACKS[] = {
	{ "lacks-no-compiler", "$D/clang:$D/bin", "CC=none", "a C compiler (none)" },
	{ "lacks-no-flag", "$D/clang:$D/bin", "CFLAGS=-fnone",
	  "a C compiler that works (cc says: *-fnone*)" },
	{ "lacks-clang", "$D/bin", "", NO_CLANG },
	{ "lacks-newer-clang", "$D/old-clang:$D/bin", "", NO_CLANG },
	{ "lacks-another-clang", "$D/refused-clang:$D/bin", "", NO_CLANG },
	{ "lacks-that-clang", "$D/clang:$D/bin", "CLANG=clang-16", NO_CLANG " (clang-16)" },
	{ "lacks-libbpf", "$D/clang:$D/bin", "CPPFLAGS=-I$D/no-libbpf",
	  "libbpf from 1.0 on (bpf/libbpf.h)*" }, /* libxdp's header wants it too */
	{ "lacks-newer-libbpf", "$D/clang:$D/bin", "CPPFLAGS=-I$D/old-libbpf",
	  "libbpf from 1.0 on (bpf/libbpf.h)*" },
	{ "lacks-libxdp", "$D/clang:$D/bin", "CPPFLAGS=-I$D/no-libxdp",
	  "libxdp from 1.3 on (xdp/libxdp.h)" },
	{ "lacks-newer-ones", "$D/clang:$D/bin", "CPPFLAGS=-I$D/old",
	  "libxdp from 1.3 on (xdp/libxdp.h), libpcap from 1.10 on (pcap/sll.h)" },
	{ "lacks-all-others", "$D/no-bpftool:$D/bin", "CPPFLAGS=-I$D/none",
	  "libmnl (libmnl/libmnl.h), json-c (json-c/json.h), inih (ini.h), "
	  "libpcap from 1.10 on (pcap/sll.h), ncurses (curses.h), libsystemd (systemd/sd-event.h), "
	  "libmicrohttpd (microhttpd.h), " NO_CLANG ", bpftool" },
	{ "lacks-library", "$D/clang:$D/bin", "LDLIBS=-lnone", "a library (cc says: *-lnone*)" },
};

TEST_ROWS(what_is_missing_is_said, LACKS)
{
	char out[4096], pattern[768];

	assert_int_equal(make_out(out, sizeof(out), row->path, row->variables), 2);
	snprintf(pattern, sizeof(pattern),
		 "missing: %s; `make deps` installs packages as root, README.md says which\n"
		 "make: [*][*][*] *",
		 row->lacks);
	if (fnmatch(pattern, out, 0) || strstr(strstr(out, "make: "), "\nm"))
		fail_msg("not as in \"%s\":\n%s", pattern, out);
	sh("! test -e $D/asked");
}

/* Any clang will do, and what is there is not asked for again. */
TEST(machine_that_has_all)
{
	char out[4096];

	assert_int_equal(make_out(out, sizeof(out), "$D/clang:$D/bin", "$D/build/tools"), 0);
	assert_string_equal(out, "");
	sh("! test -e $D/asked");
}

/* What asks for packages, and for which: the words are in what apt-get install hears. */
static const struct ask {
	const char *name, *path, *arguments, *has, *lacks;
} ASKS[] = {
	{ "deps-for-the-build", "$D/bin", "deps", "clang libc6-dev make libbpf-dev", "cmocka" },
	{ "deps-but-a-clang", "$D/clang:$D/bin", "deps", "libc6-dev make libbpf-dev", "clang" },
	{ "deps-for-the-publisher", "$D/bin", "deps", "libnats-dev libssl-dev", "nats-server" },
	{ "deps-for-tests", "$D/bin", "test CLANG=none", "libcmocka-dev .* nats-server",
	  "shellcheck" },
	{ "deps-for-the-demo", "$D/bin", "demo CLANG=none", "iproute2", "shellcheck" },
};

TEST_ROWS(packages_are_asked_for, ASKS)
{
	char out[4096];

	make_out(out, sizeof(out), row->path, row->arguments);
	sh("grep '^apt-get -qq install ' $D/asked | grep -e '%s' | grep -v -e '%s'", row->has,
	   row->lacks);
}

/* Variables from the command line and from the environment. */
static const struct pass {
	const char *name, *env, *arguments;
} PASSES[] = {
	{ "flags-of-the-command-line", "", "$FLAGS" },
	{ "flags-of-the-environment", "$FLAGS", "" },
};

TEST_ROWS(flags_reach_all_commands, PASSES)
{
	if (!ready)
		skip();
	setenv("FLAGS",
	       "CPPFLAGS=-DIN_CPPFLAGS CFLAGS=-DIN_CFLAGS LDFLAGS=-Wl,--in-ldflags "
	       "LDLIBS=-lin-ldlibs BPF_CFLAGS=-DIN_BPF_CFLAGS",
	       1);
	sh("env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL %s make -n BUILD=$D/none all %s >$D/commands",
	   row->env, row->arguments);
	/* each command of a kind has all of these words, and there are some */
	sh("set -e; cd $D; sed -i -e ':a' -e '/\\\\$/N; s/\\\\\\n//; ta' commands\n"
	   "all() { grep -e \"$2\" commands >kind; test $(wc -l <kind) -ge $1; shift 2\n"
	   "for i; do ! grep -v -e \"$i\" kind || exit 1; done; }\n"
	   "all 40 '-MD -MP' -DIN_CPPFLAGS -DIN_CFLAGS -std=gnu11 -Wall -fstack-protector-strong\n"
	   "all 2 '-target bpf' -DIN_BPF_CFLAGS -O2 -mcpu=v3\n"
	   "all 2 '-Wl,-z,now' -DIN_CFLAGS ' -Wl,--in-ldflags .* -lm -lin-ldlibs'\n");
}

/* _FORTIFY_SOURCE only where it works, and as was chosen outside. */
static const struct harden {
	const char *name, *variables, *has, *lacks;
} HARDENS[] = {
	{ "hardened", "", "-D_FORTIFY_SOURCE=2.*-fstack-protector-strong.* -O2", "-fPIC.*-fPIE" },
	{ "hardened-unoptimized", "CFLAGS='-O2 -O0'", "-fstack-protector-strong", "FORTIFY" },
	{ "hardened-otherwise", "CPPFLAGS=-D_FORTIFY_SOURCE=3", "FORTIFY_SOURCE=3", "SOURCE=2" },
	{ "hardened-sanitized", "CFLAGS='-O2 -fsanitize=undefined'", "stack-protector", "FORTIFY" },
	{ "not-hardened", "HARDEN=", " -O2", "FORTIFY\\|-fstack-p\\|-f[pP][iI][eE]\\|-pie\\|relro" },
};

TEST_ROWS(is_hardened, HARDENS)
{
	if (!ready)
		skip();
	sh("env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u CPPFLAGS -u HARDEN make -n "
	   "BUILD=$D/none all %s | grep -e ' -MD ' -e '^cc' >$D/commands\n"
	   "grep -q -e '%s' $D/commands && ! grep -e '%s' $D/commands",
	   row->variables, row->has, row->lacks);
}

/* Without libnats the publisher is left out, in one line. Nothing else needs libnats. */
TEST(publisher_needs_libnats)
{
	if (!ready)
		skip();
	sh("set -e; all() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n BUILD=$D/none all $1 "
	   ">$D/commands; }\n"
	   "all NATS=; grep -c publish $D/commands | grep -qx 1\n"
	   "grep -q 'SKIP .*xdp-dedup-publish: libnats' $D/commands; ! grep -e -lnats $D/commands\n"
	   "all NATS=yes; ! grep SKIP $D/commands\n"
	   "grep -e '-lnats .*-o .*/xdp-dedup-publish' $D/commands | grep -v installed | grep -q rpath\n");
}

/* The kernel reads BTF; DWARF would be two fifths of the tool. */
TEST(bpf_objects_have_btf_alone)
{
	if (!ready)
		skip();
	sh("cd build; for i in *.bpf.o; do readelf -SW $i >$D/sections || exit 1\n"
	   "grep -q ' \\.BTF ' $D/sections && grep -q ' \\.BTF.ext ' $D/sections &&\n"
	   "! grep debug_ $D/sections || exit 1; done");
}

int main(void)
{
	setup();
	add_own_tests(NULL, NULL);
	int failed = run_added_any_tests("build");
	teardown();
	return failed;
}
