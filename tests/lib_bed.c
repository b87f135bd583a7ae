// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib_bed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "hand.h"
#include "kernel.h"

#define HOUR_NS 3600000000000ULL

struct lib lib = { .raw.stats_fd = -1, .prog = -1 };

static const struct kind {
	const char *name, *options;
} KINDS[] = {
	{ "blocked", "" },
	{ "siphash", "--layout flat --hash siphash" },
	{ "colibri", "--layout flat --hash colibri" },
	{ "fips", "--layout flat --hash fips --bits 33554432 --hashes 12" },
	{ "countdown", "--layout countdown" },
	{ "tezos", "--layout countdown --hash tezos" },
};

static const struct kind *loaded; /* NULL: whatever else a test left */
static bool bed;		  /* links and namespaces are there */

void lib_let_go(void)
{
	if (lib.raw.config)
		filter_close(&lib.raw);
	xdp_dedup_close(lib.f);
	lib.f = NULL;
	if (lib.prog >= 0)
		close(lib.prog);
	lib.prog = -1;
	loaded = NULL;
}

void lib_take(const char *name)
{
	char path[PATH_MAX];

	assert_int_equal(xdp_dedup_open(name, &lib.f), 0);
	assert_int_equal(filter_open(name, &lib.raw), 0);
	pin_path(path, name, PIN_PROG);
	lib.prog = bpf_obj_get(path);
	assert_return_code(lib.prog, errno);
}

void lib_load(const char *options)
{
	lib_let_go();
	bed_tool("unload --all");
	bed_tool("load ve0 --name " LIB_NAME " --port %d --capacity 20k --fpr 1e-9 %s", GOSSIP_PORT,
		 options);
	sh("ip link set ve0 down"); /* no packets but the test's own */
	lib_take(LIB_NAME);
}

static void add_bed(void **state)
{
	if (!bed)
		bed_setup(state);
	bed = true;
}

int lib_setup_none(void **state)
{
	add_bed(state);
	lib_let_go();
	bed_tool("unload --all");
	return 0;
}

static int setup_kind(void **state)
{
	const struct kind *kind = *state;

	add_bed(state);
	if (loaded == kind) {
		bed_tool("reset " LIB_NAME);
		return 0;
	}
	lib_load(kind->options);
	loaded = kind;
	return 0;
}

int lib_setup_links(void **state)
{
	lib_let_go();
	if (bed)
		bed_teardown(state); /* and what the last test left, if it failed */
	bed = true;
	return bed_setup(state);
}

bool lib_is_countdown(void)
{
	return lib.raw.config->layout == DEDUP_COUNTDOWN;
}

bool lib_dropped(enum gsp_type type, const struct id *id)
{
	static struct frame frame;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.data, .repeat = 1);

	frame_build(&frame, &(struct frame_plan){ .type = type, .body = 18 }, id);
	opts.data_size_in = frame.len;
	assert_int_equal(bpf_prog_test_run_opts(lib.prog, &opts), 0);
	assert_true(opts.retval == 1 || opts.retval == 2); /* XDP_DROP, XDP_PASS */
	return opts.retval == 1;
}

bool lib_packet_dropped(const struct id *id)
{
	return lib_dropped(GSP_EVENT, id);
}

int lib_asked(const struct id *id)
{
	return xdp_dedup_test(lib.f, id->bytes, sizeof(id->bytes));
}

int lib_added(const struct id *id)
{
	return xdp_dedup_add(lib.f, id->bytes, sizeof(id->bytes));
}

int lib_seen(const struct id *id)
{
	return xdp_dedup_check_and_add(lib.f, id->bytes, sizeof(id->bytes));
}

struct xdp_dedup_stats lib_stats(void)
{
	struct xdp_dedup_stats s;

	assert_int_equal(xdp_dedup_stats_exact(lib.f, &s, sizeof(s)), 0);
	return s;
}

void lib_freeze(void)
{
	struct dedup_state *st = lib.raw.state;
	uint64_t last_ns;

	loaded = NULL; /* of no use to others */
	sh("rm %s/" LIB_NAME "/timer", PIN_ROOT);
	do {
		last_ns = dedup_read(&st->last_ns);
		usleep(50000);
	} while (dedup_read(&st->last_ns) != last_ns);
	st->last_ns = kernel_now_ns() + HOUR_NS;
	st->stale_at += 1000000;
}

void lib_add_row(const char *before, const char *name, CMUnitTestFunction f,
		 CMFixtureFunction setup, const void *row)
{
	char *both;

	if (asprintf(&both, "%s%s", before, name) < 0)
		abort();
	add_test(both, f, setup, NULL, row);
}

void lib_add_kind_tests(const struct CMUnitTest *tests, size_t cnt)
{
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++)
		for (size_t j = 0; j < cnt; j++)
			lib_add_row(KINDS[i].name, tests[j].name + 4, tests[j].test_func,
				    setup_kind, &KINDS[i]);
}

int lib_run_tests(const char *group)
{
	int failed = run_added_tests(group);

	lib_let_go();
	if (bed)
		bed_teardown(NULL);
	return failed;
}
