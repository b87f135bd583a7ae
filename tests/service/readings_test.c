// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What metrics read of filters in the kernel: as of now, whatever becomes of a filter between two
 * readings.
 */
#include "cli_runner.h"

#include "diags.h"
#include "exposition.h"
#include "kernel.h"
#include "metrics.h"

static struct readings r;

static int setup(void **state)
{
	assert_int_equal(kernel_ready(false, false), 0);
	return cli_setup(state);
}

static int teardown(void **state)
{
	readings_free(&r);
	return cli_teardown(state);
}

static void take(void)
{
	assert_int_equal(readings_take(&r, NULL), 0);
}

static void refresh(void)
{
	assert_int_equal(readings_refresh(&r, NULL), 0);
}

static struct watched *only(void)
{
	assert_int_equal(r.filters.cnt, 1);
	assert_int_equal(r.filters.list[0]->err, 0);
	return r.filters.list[0];
}

TEST(no_filter)
{
	take();
	assert_int_equal(r.filters.cnt, 0);
}

/* The memory is read again by readings_refresh() only; all else each time. */
TEST(fill_is_kept)
{
	uint64_t hand_ns, refreshed_ns;

	sh("$XD load v0 --port 8001 --capacity 1000k");
	cli_write_ids("/mnt/ids", 2000, 1);
	take();
	assert_float_equal(only()->status.fill.ids, 0, 1);
	hand_ns = only()->status.oldest_ns;
	sh("$XD add v0 - </mnt/ids >/dev/null");
	usleep(50000);
	take();
	assert_float_equal(only()->status.fill.ids, 0, 1);
	assert_true(only()->status.pace.ids >= 1990);
	assert_true(only()->status.oldest_ns > hand_ns);
	assert_in_range(only()->fill_ns, 50000000, PATIENCE_MS * 1000000ULL);
	refreshed_ns = kernel_now_ns();
	refresh();
	/* From a sample of a quarter of the memory or more: the error's deviation is up to 80. */
	assert_float_equal(only()->status.fill.ids, 2000, 600);
	assert_true(only()->fill_ns <= kernel_now_ns() - refreshed_ns);
}

TEST(two_filters_and_interfaces)
{
	sh("$XD load v0 --port 8001 --name b; $XD load p0 b0 --mode skb --port 8002 --name a");
	take();
	assert_int_equal(r.filters.cnt, 2);
	assert_string_equal(r.filters.list[0]->name, "a");
	assert_int_equal(r.filters.list[0]->status.ifaces_cnt, 2);
	assert_string_equal(r.filters.list[0]->status.mode, "skb");
	assert_string_equal(r.filters.list[1]->status.mode, "native");
	assert_string_equal(r.filters.list[0]->advice[0].key, "skb_mode");
	sh("ip link set b0 down; ip link del b0");
	refresh();
	assert_int_equal(r.filters.list[0]->status.ifaces[1].state, IFACE_GONE);
	sh("ip link add b0 group 7 type bridge");
}

/* A pin less. That is logged once, as long as it lasts. */
TEST(one_that_cannot_be_read)
{
	sh("$XD load v0 --port 8001 --name a; $XD load p0 --port 8001 --name b");
	take();
	sh("mv $PINS/a/stats /sys/fs/bpf/stats");
	readings_free(&r);
	diags_collect();
	for (int i = 0; i < 3; i++)
		take();
	assert_diag("metrics: ");
	assert_int_equal(r.filters.cnt, 2);
	assert_int_equal(r.filters.list[0]->err, -EPROTO);
	assert_int_equal(r.filters.list[1]->err, 0);
	sh("mv /sys/fs/bpf/stats $PINS/a/stats");
	take();
	assert_int_equal(r.filters.list[0]->err, 0);
}

TEST(wanted_but_not_loaded)
{
	struct config_filter filters[] = { { .name = "zz" }, { .name = "v0" }, { .name = "a" } };
	const struct config_file wanted = { .filters = filters, .cnt = ARRAY_SIZE(filters) };

	sh(LOAD);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(readings_take(&r, &wanted), 0);
		assert_int_equal(r.filters.cnt, 3);
		assert_string_equal(r.filters.list[0]->name, "a");
		assert_int_equal(r.filters.list[0]->err, -ENOENT);
		assert_int_equal(r.filters.list[1]->err, 0);
		assert_int_equal(r.filters.list[2]->err, -ENOENT);
	}
	sh("$XD unload v0");
	assert_int_equal(readings_take(&r, &wanted), 0);
	assert_int_equal(r.filters.list[1]->err, -ENOENT);
	take();
	assert_int_equal(r.filters.cnt, 0);
}

/* What was changed is read at once, not only when everything is read again. */
static const struct change {
	const char *name, *command;
	const char *line; /* of the metrics then */
} CHANGES[] = {
	{ "resized", "$XD resize v0 --capacity 12345", "xdp_dedup_capacity_ids{filter=\"v0\"} 12345" },
	{ "resized-has-a-predecessor", "$XD resize v0 --capacity 12345",
	  "xdp_dedup_predecessor_asked{filter=\"v0\"} 1" },
	{ "set", "$XD set v0 --action count", "xdp_dedup_dropping{filter=\"v0\"} 0" },
	{ "loaded-again", "$XD unload v0; " LOAD " --window 7m",
	  "xdp_dedup_window_seconds{filter=\"v0\"} 420" },
	{ "another-interface", "$XD set v0 --add p0",
	  "xdp_dedup_attached_interfaces{filter=\"v0\"} 2" },
	{ "another-filter", "$XD load p0 --port 80", "xdp_dedup_filter_up{filter=\"p0\"} 1" },
	{ "countdown", "$XD resize v0 --layout countdown --window 1h",
	  "xdp_dedup_geometry{filter=\"v0\",parameter=\"countdowns\"} 15" },
	{ "hand-stopped", "rm $PINS/v0/timer; sleep 8", "xdp_dedup_hand_stopped{filter=\"v0\"} 1" },
};

TEST_ROWS(change_is_seen, CHANGES)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	sh(LOAD " --window 10s");
	take();
	sh("%s", row->command);
	take();
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(metrics_write(out, &r), 0);
	fclose(out);
	exposition_check(text);
	exposition_has(text, row->line);
	free(text);
}

/* Whenever it is read while it changes, it is there and can be read. */
TEST(while_it_changes)
{
	uint64_t takes = 0, packets = 0;

	sh(LOAD "; ip link set v0 up; ip link set p0 up"); /* for some packets */
	sh("{ for i in 1 2 3 4 5; do $XD set v0 --action count; $XD resize v0 --capacity ${i}0000 "
	   "--forget\n"
	   "	$XD set v0 --action drop; $XD load --replace --name v0; done; touch /mnt/done; } "
	   ">/mnt/log 2>&1 &");
	for (; access("/mnt/done", F_OK); takes++) {
		if (takes % 10)
			take();
		else
			refresh();
		assert_true(only()->status.counters.rx >= packets); /* counters go on */
		packets = only()->status.counters.rx;
		assert_int_equal(only()->status.ifaces_cnt, 1);
	}
	sh("rm /mnt/done");
	take();
	assert_int_equal(only()->status.filter.config->memory.capacity, 50000);
	assert_true(takes > 100 && packets);
}

/* A filter that is unloaded is let go with the next reading. */
TEST(memory_is_freed)
{
	char empty[4096];

	cli_take_stock(empty, sizeof(empty));
	sh(LOAD);
	take();
	sh("$XD unload v0");
	take();
	cli_assert_stock(empty);
	sh(LOAD);
	take();
	readings_free(&r);
	sh("$XD unload v0");
	cli_assert_stock(empty);
}

/* A child of the service has not the filters' memory, and is none the worse for it. */
TEST(children)
{
	int status;
	pid_t pid;

	sh(LOAD);
	take();
	pid = fork();
	if (!pid) {
		char line[256], seek[64];
		FILE *maps = fopen("/proc/self/maps", "re");
		bool found = false;

		snprintf(seek, sizeof(seek), "%lx-", (unsigned long)only()->status.filter.blocks);
		while (maps && fgets(line, sizeof(line), maps))
			found |= !strncmp(line, seek, strlen(seek));
		_exit(found);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	take();
	only();
}

/* Reads the filters, and keeps what the log says of their advice. */
static void log_advice(void)
{
	refresh();
	diags_collect();
	readings_log_advice(&r);
	diags_end();
}

static void assert_logged(const char *words)
{
	assert_non_null(strstr(diags_all(), words));
}

TEST(advice_is_logged_when_it_begins_and_when_it_ends)
{
	assert_run(0, "$XD load v0 --port 8001 --mode skb --name a; $XD load b0 --port 8001 --mode "
		      "skb --name b");
	log_advice();
	assert_string_equal(diags_all(), "");
	log_advice();
	assert_logged("note: a: v0 runs it in skb mode");
	assert_logged("note: b: b0 runs it in skb mode");
	log_advice();
	assert_string_equal(diags_all(), "");
	assert_run(0, "$XD set a --add p0 --mode native; $XD set a --remove v0");
	log_advice(); /* it is another program, of which nothing was read before */
	log_advice();
	assert_string_equal(diags_all(), "note: a: is over: skb_mode\n");
	log_advice();
	assert_string_equal(diags_all(), "");
}

/* Another filter of the same name is read anew. */
TEST(advice_on_another_filter_of_the_name)
{
	assert_run(0, "$XD load v0 --port 8001 --mode skb");
	log_advice();
	log_advice();
	assert_logged("note: v0: v0 runs it in skb mode");
	assert_run(0, "$XD unload v0");
	log_advice();
	assert_string_equal(diags_all(), "");
	assert_int_equal(r.filters.cnt, 0);
	assert_run(0, "$XD load v0 --port 8001 --mode skb");
	log_advice();
	log_advice();
	assert_logged("note: v0: v0 runs it in skb mode");
}

TEST(advice_beside_a_filter_that_cannot_be_read)
{
	assert_run(0, "$XD load v0 --port 8001 --mode skb --name b; mkdir $PINS/a");
	log_advice();
	log_advice();
	assert_logged("note: b: v0 runs it in skb mode");
	assert_run(0, "rmdir $PINS/a");
}

int main(void)
{
	cli_environment();
	add_own_tests(setup, teardown);
	return run_added_tests("readings");
}
