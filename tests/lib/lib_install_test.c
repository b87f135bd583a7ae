// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libxdp-dedup as it is installed: programs build and run with it, and of what is in it
 * they see its header's functions.
 *
 * Not quick: installations take 36 s of CPU time.
 */
#include "lib_runner.h"

#define MAKE "env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s"

/* Into $R, which vanishes with the sandbox; false where nothing can be built. */
static bool install(void)
{
	static bool installed;
	char out[4096];

	if (installed)
		return true;
	if (access("Makefile", R_OK) ||
	    sh_out(out, sizeof(out),
		   "for i in make pkg-config cc nm ldd; do command -v $i || exit 1; done"))
		return false;
	setenv("R", "/mnt", 1);
	setenv("PKG_CONFIG_PATH", "/mnt/usr/local/lib/pkgconfig", 1);
	setenv("PC", "pkg-config --define-variable=prefix=$R/usr/local", 1);
	sh("mount -t tmpfs tmpfs $R && " MAKE " install DESTDIR=$R");
	installed = true;
	return true;
}

/* Begins a test that needs what was installed, before its { }. */
#define TEST_INSTALLED(f)                  \
	static void f##_here(void);        \
	TEST_WITH(f, lib_setup_none, NULL) \
	{                                  \
		if (!install())            \
			skip();            \
		f##_here();                \
	}                                  \
	static void f##_here(void)

/* How the example is built. */
static const struct example {
	const char *name, *command;
} EXAMPLES[] = {
	{ "example-shared", "cc -Wall -Werror tests/lib/example_main.c $(eval $PC --cflags --libs "
			    "xdp-dedup) -o $R/example && ldd $R/example | grep libxdp-dedup.so.0" },
	{ "example-static", "cc -Wall -Werror tests/lib/example_main.c $(eval $PC --cflags --libs "
			    "--static xdp-dedup | "
			    "sed s/-lxdp-dedup/-l:libxdp-dedup.a/) -o $R/example && "
			    "! ldd $R/example | grep libxdp-dedup" },
	{ "example-c++",
	  "command -v g++ || exit 77; g++ -Wall -Werror -x c++ tests/lib/example_main.c -x none "
	  "$(eval $PC --cflags --libs xdp-dedup) -o $R/example" },
};

static const char MESSAGES[] = "alpha 1\nbeta 2\ngamma 3\nbeta 4\n no id\n no id\n"
			       "far-more-than-thirty-two-bytes-of-id 5\n"
			       "far-more-than-thirty-two-bytes-of-id 6\nalpha 7\ndelta 8\n";
static const char FRESH[] = "beta 2\n no id\n no id\nfar-more-than-thirty-two-bytes-of-id 5\n"
			    "far-more-than-thirty-two-bytes-of-id 6\ndelta 8\n";

TEST_ROWS(run_example, EXAMPLES)
{
	const struct id alpha = { "alpha" }, beta = { "beta" }, gamma_id = { "gamma" };
	char out[4096];
	int status;

	if (!install())
		skip();
	status = sh_out(out, sizeof(out), "%s", row->command);
	if (status == 77)
		skip();
	if (status)
		fail_msg("%s", out);
	lib_load("");
	assert_false(lib_packet_dropped(&alpha));
	assert_false(lib_packet_dropped(&gamma_id));
	status = sh_out(out, sizeof(out),
			"printf '%s' | LD_LIBRARY_PATH=$R/usr/local/lib $R/example " LIB_NAME,
			MESSAGES);
	assert_string_equal(out, FRESH);
	assert_int_equal(status, 0);
	assert_true(lib_packet_dropped(&beta));
	assert_int_equal(
		sh_out(out, sizeof(out), "LD_LIBRARY_PATH=$R/usr/local/lib $R/example none"), 1);
	assert_string_equal(out, "cannot open the filter none: No such file or directory\n");
}

/* A FIPS node by the installed header: the end of a row hears of the other end, in time. */
TEST_INSTALLED(fips_example_runs)
{
	char out[4096];

	sh("cc -Wall -Wextra -Werror tests/lib/example_fips_main.c "
	   "$(eval $PC --cflags --libs xdp-dedup) -o $R/example-fips");
	assert_int_equal(
		sh_out(out, sizeof(out), "LD_LIBRARY_PATH=$R/usr/local/lib $R/example-fips"), 0);
	assert_string_equal(out, "1 s: a tells b\n1 s: b tells a\n1 s: b tells c\n"
				 "1 s: c tells b\n1.5 s: b tells a\n"
				 "a by b: no\nb by b: maybe\nc by b: maybe\nd by b: no\n");
}

/* Runs the reader as nobody, with these capabilities alone and no way to get others. */
#define READER(capabilities)                                                         \
	"LD_LIBRARY_PATH=$R/usr/local/lib exec setpriv --reuid=65534 --regid=65534 " \
	"--clear-groups --no-new-privs --inh-caps=-all," capabilities                \
	" --ambient-caps=-all," capabilities " --bounding-set=-all," capabilities    \
	" $R/example-receive " LIB_NAME " "

/* What a reader that is not root must have to open its queues: any less does not do. */
static const struct {
	const char *reader, *error;
} LESS[] = {
	{ READER("+net_raw"), "Permission denied" }, /* the pins are root's */
	{ READER("+net_raw,+dac_read_search"), "Permission denied" },
	{ READER("+dac_override"), "Operation not permitted" },
};

static void less_rights_do_not_do(void)
{
	char out[4096], error[256];

	for (size_t i = 0; i < ARRAY_SIZE(LESS); i++) {
		snprintf(error, sizeof(error), "cannot open a queue of " LIB_NAME ": %s\n",
			 LESS[i].error);
		assert_int_equal(sh_out(out, sizeof(out), "timeout 20 sh -c '%s 1'", LESS[i].reader),
				 1);
		assert_string_equal(out, error);
	}
}

/* Returns when the reader has given up all that it could have. */
static void start_reader(void)
{
	sh("{ sh -c 'echo $$ >$R/pid; %s %d >$R/came 2>&1'; echo $? >$R/ended; } >$R/log 2>&1 &\n"
	   "for i in $(seq 200); do [ $(grep -c '^Cap.*:.0000000000000000$' "
	   "/proc/$(cat $R/pid)/status) = 4 ] && exit; sleep 0.1; done; exit 1",
	   READER("+net_raw,+dac_override"), e2e_port());
}

/* An application opens its queues with these rights, gives up all, and receives, also after a
 * `set`: each event comes, one way. Then the filter delivers no more, which ends it.
 */
TEST_WITH(receiving_example_runs, lib_setup_links, NULL)
{
	const uint32_t order[] = { 0, 1, 0, 2, 2, 1 };
	uint64_t seed = gossip_now_ns();
	struct gossip_sender *s;

	if (!install())
		skip();
	sh("cc -Wall -Wextra -Werror tests/lib/example_receive_main.c "
	   "$(eval $PC --cflags --libs xdp-dedup) -o $R/example-receive; chmod 755 $R");
	e2e_load("load ve0 --name " LIB_NAME " --deliver xsk");
	less_rights_do_not_do();
	start_reader();
	s = e2e_sender(0, AF_INET, seed);
	assert_return_code(gossip_send(s, order, 3), EIO);
	e2e_counters_after(LIB_NAME, 3);
	e2e_tool("set " LIB_NAME " --ihave pass");
	assert_return_code(gossip_send(s, order + 3, 3), EIO);
	e2e_counters_after(LIB_NAME, 6);
	sh("for i in $(seq 200); do [ $(wc -l <$R/came) = 3 ] && break; sleep 0.1; done");
	e2e_tool("set " LIB_NAME " --deliver stack");
	sh("for i in $(seq 200); do [ -s $R/ended ] && break; sleep 0.1; done; [ $(cat $R/ended) = 3 ]\n"
	   "[ $(grep -c '^xsk 47535031' $R/came) = 3 ] && [ $(sort -u $R/came | wc -l) = 3 ]");
	e2e_close(s, NULL);
}

/* Its headers' functions and nothing else, from both forms of the library. */
TEST_INSTALLED(symbols_are_the_headers)
{
	sh("set -e; cd $R/usr/local; sed 's,/\\*.*,,' include/xdp-dedup*.h |\n"
	   "	grep -o '\\bxdp_dedup_[a-z_]*(' | tr -d '(' | sort -u >header\n"
	   "[ $(wc -l <header) = 36 ]\n"
	   "nm -D --defined-only lib/libxdp-dedup.so.0 | awk '$2 != \"A\" { print $3 }' |\n"
	   "	sed 's/@.*//' | sort -u | diff header -\n"
	   "nm -g --defined-only lib/libxdp-dedup.a | awk 'NF == 3 { print $3 }' | sort -u |\n"
	   "	diff header -\n");
}

/* An application may include each alone, in C and in C++. */
TEST_INSTALLED(headers_need_no_other)
{
	sh("set -e; cd $R/usr/local/include; for h in xdp-dedup*.h; do\n"
	   "	echo \"#include <$h>\" | cc -I. -Wall -Wextra -Werror -fsyntax-only -x c -std=c99 -\n"
	   "	command -v g++ || continue\n"
	   "	echo \"#include <$h>\" | g++ -I. -Wall -Wextra -Werror -fsyntax-only -x c++ -\n"
	   "done");
}

TEST_INSTALLED(the_library_neither_prints_nor_ends)
{
	sh("! nm -u $R/usr/local/lib/libxdp-dedup.a | grep -E ' U _*(v?f?printf|puts|fputs|putchar|"
	   "fputc|perror|exit|abort|assert_fail|errx?|warnx?|syslog|stdout|stderr)(_chk)?$'");
	sh("nm -u $R/usr/local/lib/libxdp-dedup.a | grep -q ' U mmap'"); /* or the above is void */
}

/* The README's example on a machine where nothing but `make install` was done: found by pkg-config
 * and the loader by themselves. The machine has the directories that it writes to back after it.
 */
TEST_INSTALLED(installed_library_is_found)
{
	char out[4096];

	lib_load("");
	assert_int_equal(sh_out(out, sizeof(out),
				"unshare -m sh -ec 'mkdir -p $R/etc; cp -a /etc/. $R/etc; mount "
				"--bind $R/etc /etc\n"
				"mount -t tmpfs tmpfs /usr/local; mount -t tmpfs tmpfs /var/cache\n"
				"unset PKG_CONFIG_PATH; " MAKE " install PREFIX=/usr/local >&2\n"
				"cd $R; cc /$OLDPWD/tests/lib/example_main.c -o found "
				"$(pkg-config --cflags --libs xdp-dedup)\n"
				"echo beta 1 | ./found " LIB_NAME "'"),
			 0);
	assert_string_equal(out, "beta 1\n");
}

/* Where install puts things: what the variables say, so does the pkg-config file; uninstall takes
 * away that and nothing else.
 */
static const struct place {
	const char *name, *variables, *tool, *header, *library, *pc, *share, *zsh, *etc, *units,
		*runpath;
} PLACES[] = {
	{ "places-local", "", "usr/local/bin", "usr/local/include", "usr/local/lib",
	  "${prefix}/include ${prefix}/lib", "usr/local/share", "zsh/site-functions", "etc",
	  "usr/local/lib/systemd/system", "" },
	{ "places-prefix", "PREFIX=/opt/x", "opt/x/bin", "opt/x/include", "opt/x/lib",
	  "${prefix}/include ${prefix}/lib", "opt/x/share", "zsh/site-functions", "opt/x/etc",
	  "opt/x/lib/systemd/system", "/opt/x/lib" },
	{ "places-multiarch", "PREFIX=/usr", "usr/bin", "usr/include",
	  "usr/lib/$(cc -print-multiarch)", "${prefix}/include ${prefix}/lib/$(cc -print-multiarch)",
	  "usr/share", "zsh/vendor-completions", "etc", "usr/lib/systemd/system", "" },
	{ "places-each",
	  "PREFIX=/usr LIBDIR=/lib64 BINDIR=/programs INCLUDEDIR=/usr/include/x SYSCONFDIR=/conf "
	  "UNITDIR=/units",
	  "programs", "usr/include/x", "lib64", "${prefix}/include/x /lib64", "usr/share",
	  "zsh/vendor-completions", "conf", "units", "" },
};

TEST_ROWS(uninstall_undoes_install, PLACES)
{
	if (!install())
		skip();
	sh("set -e; rm -rf $R/d; mkdir $R/d; cd $R/d; tool=%s header=%s library=%s share=%s "
	   "prefix='${prefix}' etc=%s units=%s\n"
	   "mkdir -p $tool $header $library/pkgconfig; ls() { find . ! -type d | sort; }\n"
	   "touch $tool/tool $header/xdp.h $library/libxdp.so $library/pkgconfig/libxdp.pc\n"
	   "ls >../before; make() { " MAKE " -C $OLDPWD $@ DESTDIR=$R/d %s; }\n"
	   "make install install-bench; test -x $tool/xdp-dedup -a -x $tool/xdp-dedup-bench\n"
	   "test -f $header/xdp-dedup.h -a -f $header/xdp-dedup-fips.h -a -f "
	   "$header/xdp-dedup-receive.h -a -f $header/xdp-dedup-streams.h\n"
	   "test -f $library/libxdp-dedup.a\n"
	   "test \"$(readlink $library/libxdp-dedup.so)\" = libxdp-dedup.so.0\n"
	   "test \"$(sed -n 's/^\\(include\\|lib\\)dir=//p' $library/pkgconfig/xdp-dedup.pc | "
	   "xargs)\" = \"%s\"\n"
	   "test -f $share/xdp-dedup/alerts.yml -a -f $share/xdp-dedup/dashboard.json\n"
	   "test -f $share/xdp-dedup/daemonset.yaml -a -f $share/xdp-dedup/xdp-dedup.container\n"
	   "test -f $share/man/man8/xdp-dedup.8 -a -f $share/man/man8/xdp-dedup-bench.8\n"
	   "test -f $share/man/man3/libxdp-dedup.3 -a -f $share/man/man5/xdp-dedup-profiles.5\n"
	   "test -f $share/bash-completion/completions/xdp-dedup -a -f $share/%s/_xdp-dedup\n"
	   "test -f $share/man/man5/xdp-dedup.conf.5\n"
	   "grep -qx \"ExecStart=/$tool/xdp-dedup run --config /$etc/xdp-dedup/xdp-dedup.conf\" "
	   "$units/xdp-dedup.service\n"
	   "libexec=$(sed -n 's/^ExecStart=//p' $units/xdp-dedup-metrics.service)\n"
	   "test -x .$libexec -a -f $units/xdp-dedup-metrics.socket\n"
	   "if grep '@[A-Z]*@' $units/*; then exit 1; fi\n"
	   "publisher=0; if test -e $tool/xdp-dedup-publish; then publisher=7; "
	   "unit=$units/xdp-dedup-publish@.service\n"
	   "grep -qx \"ExecStart=/$tool/xdp-dedup-publish --config /$etc/xdp-dedup/publish-%%i.conf\" "
	   "$unit\n"
	   "test -f $share/xdp-dedup/publish.conf -a -f $share/xdp-dedup/publish-alerts.yml\n"
	   "test -f $share/man/man8/xdp-dedup-publish.8\n"
	   "test -f $share/bash-completion/completions/xdp-dedup-publish\n"
	   "test -f $share/%s/_xdp-dedup-publish\n"
	   /* where ld.so does not look, the program says where the library is */
	   "test \"$(readelf -d $tool/xdp-dedup-publish | sed -n 's/.*runpath: \\[\\(.*\\)\\].*/\\1/p')\" "
	   "= \"%s\"; fi\n"
	   "test $(ls | wc -l) = $(($(wc -l <../before) + 26 + publisher))\n"
	   "make uninstall; ls | diff ../before -; find . -name '*xdp-dedup*' | diff /dev/null -",
	   row->tool, row->header, row->library, row->share, row->etc, row->units, row->variables,
	   row->pc, row->zsh, row->zsh, row->runpath);
}

TEST_INSTALLED(what_was_changed_stays)
{
	sh("set -e; rm -rf $R/d; mkdir $R/d; make() { " MAKE " $@ DESTDIR=$R/d; }\n"
	   "make install; echo changed >$R/d/etc/xdp-dedup/xdp-dedup.conf; make install\n"
	   "make uninstall; grep -qx changed $R/d/etc/xdp-dedup/xdp-dedup.conf");
}

/* A user's build directory: nothing in it becomes root's, though man pages and units are missing.
 * It is a layer over the real one.
 */
TEST_INSTALLED(what_root_installs_is_built_by_the_owner)
{
	if (system("setpriv --reuid=65534 test -r Makefile"))
		skip();
	sh("unshare -m sh -ec 'build=${BUILD:-build}; mkdir $R/up $R/work\n"
	   "mount -t overlay -o lowerdir=$build,upperdir=$R/up,workdir=$R/work overlay $build\n"
	   "cd $build; rm -rf man completion here *.pc *.service; find -type d -exec chown 65534 {} +\n"
	   "cd -; touch $R/begin; " MAKE " install install-bench DESTDIR=$R/d\n"
	   "[ $(find $build -newer $R/begin ! -type d | wc -l) -ge 10 ]\n"
	   "find $build -newer $R/begin ! -uid 65534 | diff /dev/null -'");
}

/* Position-independent, nothing writable that need not be, calls checked. */
TEST_INSTALLED(programs_are_hardened)
{
	if (getenv("HARDEN") || getenv("CFLAGS"))
		skip();
	sh("set -e; cd $R/usr/local\n"
	   "for i in bin/xdp-dedup* libexec/xdp-dedup/xdp-dedup-metrics lib/libxdp-dedup.so.0; do "
	   "readelf -dlW $i >$R/elf\n"
	   "grep -q GNU_RELRO $R/elf; grep -q BIND_NOW $R/elf; if grep -q TEXTREL $R/elf; then "
	   "exit 1; fi\n"
	   "nm -D $i >$R/symbols; grep -q __stack_chk_fail $R/symbols; done\n"
	   "if readelf -d bin/xdp-dedup | grep -E 'microhttpd|nats'; then exit 1; fi\n"
	   "readelf -d bin/xdp-dedup | grep -q PIE; nm -D bin/xdp-dedup | grep -q printf_chk");
}

LIB_MAIN()
