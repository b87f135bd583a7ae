// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cli_bed.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "plan.h"

#include "neighbour.h"
#include "packet.h"

#define NOTHING "maps: 0, programs:, pins: "

struct dedup_config cli_plan;

/* A capacity of this process' own, so that its maps can be told from others' in the
 * kernel, and one that this machine has not the memory for.
 */
void cli_environment(void)
{
	struct filter_spec spec = { .capacity = 20000 + getpid() % 1000 * 100,
				    .fpr = 1e-4,
				    .window_ns = 600000000000,
				    .ports_cnt = 1,
				    .ports = { { 80, 80 } } };
	char digits[32];

	name_tool();
	assert_int_equal(plan_here(&spec, &cli_plan), 0);
	snprintf(digits, sizeof(digits), "%ju", (uintmax_t)spec.capacity);
	setenv("XDP_DEDUP_CAPACITY", digits, 1);
	snprintf(digits, sizeof(digits), "%ju",
		 (uintmax_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2);
	setenv("HUGE", digits, 1);
	setenv("LIBXDP_PINS", "/sys/fs/bpf/xdp", 1);
	setenv("OTHER", "/sys/fs/bpf/other", 1);
	setenv("NAMESAKE", "/sys/fs/bpf/namesake", 1);
	setenv("NOBODY", "setpriv --reuid 65534 --regid 65534 --clear-groups /mnt/tool", 1);
	libbpf_set_print(NULL);
}

/* Filter maps of the size that this process' filters have, and no one else's. */
static int maps_cnt(void)
{
	__u32 id = 0;
	int cnt = 0;

	while (!bpf_map_get_next_id(id, &id)) {
		struct bpf_map_info info = { 0 };
		__u32 len = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(info.name, "filter"))
			cnt += info.max_entries == cli_plan.blocks;
		close(fd);
	}
	return cnt;
}

static uint32_t prog_on(const char *ifname)
{
	__u32 id = 0;

	return bpf_xdp_query_id(if_nametoindex(ifname), 0, &id) ? 0 : id;
}

void cli_take_stock(char *stock, size_t size)
{
	struct if_nameindex *names = if_nameindex();
	size_t len = snprintf(stock, size, "maps: %d, programs:", maps_cnt());

	for (int i = 0; names[i].if_index; i++)
		if (prog_on(names[i].if_name))
			len += snprintf(stock + len, size - len, " %s", names[i].if_name);
	if_freenameindex(names);
	len += snprintf(stock + len, size - len, ", pins: ");
	sh_out(stock + len, size - len,
	       "find $PINS $LIBXDP_PINS -mindepth 1 2>/dev/null | sort | tr '\\n' ' '");
}

void cli_assert_stock(const char *before)
{
	char now[4096];

	for (int ms = 0; ms < PATIENCE_MS; ms += 20) {
		cli_take_stock(now, sizeof(now));
		if (!strcmp(now, before))
			return;
		usleep(20000);
	}
	assert_string_equal(now, before);
}

/* A program of somebody else's, pinned. */
static void pin_other(const char *name, const char *path)
{
	static const struct bpf_insn PASS[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", PASS, ARRAY_SIZE(PASS), NULL);

	assert_return_code(fd, errno);
	assert_int_equal(bpf_obj_pin(fd, path), 0);
	close(fd);
}

/* $HOW; once v0 is there. */
static void tell_how(void)
{
	static const char *how;

	if (!how)
		how = neighbour_has_dispatcher("v0") ? "native, through the dispatcher"
						     : "native, alone";
	setenv("HOW", how, 1);
}

int cli_setup(void **state)
{
	(void)state;
	sh("mountpoint -q /mnt || { mount -t tmpfs -o mode=0755 tmpfs /mnt && cp $XD /mnt/tool; }");
	sh("rm -rf /sys/fs/bpf/*; ip link del group 7 2>&-\n" /* at once: each takes its time */
	   "ip link add v0 address " FRAME_MAC_TEXT " group 7 type veth peer name p0 group 7 && "
	   "ip link add b0 group 7 type bridge");
	pin_other("other", getenv("OTHER"));
	pin_other("xdp_dedup", getenv("NAMESAKE"));
	tell_how();
	return 0;
}

int cli_teardown(void **state)
{
	(void)state;
	assert_run(0, "$XD unload --all");
	cli_assert_stock(NOTHING);
	return 0;
}

void cli_write_ids(const char *path, int cnt, uint64_t seed)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (int i = 0; i < cnt; i++) {
		for (int w = 0; w < 4; w++)
			fprintf(f, "%016llx", (unsigned long long)random_next(&seed));
		fputc('\n', f);
	}
	assert_int_equal(fclose(f), 0);
}

/* The words that cli_bed.h gives scripts. */
static const char PRELUDE[] =
	"set -ex\n"
	"got() { said=$(\"$@\" 2>&1) || { echo \"$said\"; return 1; }; }\n"
	"exits() { want=$1; shift; code=0; said=$(\"$@\" 2>&1) || code=$?\n"
	"	[ $code = $want ] || { echo \"EXIT $code: $said\"; return 1; }; }\n"
	"has() { case $said in *\"$1\"*) ;; *) echo \"NOT '$1' IN $said\"; return 1; esac; }\n"
	"lacks() { case $said in *\"$1\"*) echo \"'$1' IN $said\"; return 1; esac; }\n"
	"is() { [ \"$said\" = \"$1\" ]; }\n"
	"fails() { text=$1; shift; ! said=$(\"$@\" 2>&1 >/dev/null) && has \"xdp-dedup: \" &&\n"
	"	has \"$text\" && [ $(echo \"$said\" | wc -l) = 1 ]; }\n"
	"runs() { ip link show $1 | grep -q prog/xdp; }\n"
	"idle() { ! runs $1; }\n"
	"clean() { [ -z \"$(ls $PINS; ls -d $LIBXDP_PINS/dispatch-* 2>/dev/null)\" ]; }\n";

void cli_run_story(void **state)
{
	const struct cli_story *story = *state;
	int status;

	cli_write_ids("/mnt/ids", 2000, 2);
	status = sh_out(said, sizeof(said), "%s%s", PRELUDE, story->script);
	/* The end of what `set -x` shows is where it stopped. */
	if (status)
		fail_msg("exit %d:\n%s", status,
			 said + (strlen(said) > 800 ? strlen(said) - 800 : 0));
}
