// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libxdp-dedup as it is installed: programs build and run with it, and of what is in it
 * they see its header's functions.
 *
 * Not quick: installations take 36 s of CPU time.
 */
#include "lib_runner.h"
#include "scripts.h"

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

/* The README's example on a machine where nothing but `make install` was done: found by pkg-config
 * and the loader by themselves. The machine has the directories that it writes to back after it.
 */
TEST_WITH(installed_library_is_found, lib_setup_none, NULL)
{
	char out[4096];

	if (!install())
		skip();
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

static int setup_scripts(void **state)
{
	install();
	return lib_setup_none(state);
}

int main(void)
{
	add_scripts("tests/lib/lib_install", setup_scripts, NULL);
	return lib_run_tests(own_tests);
}
