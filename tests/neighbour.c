// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "neighbour.h"

#include "support.h"

#include <net/if.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

#include "neighbour.skel.h"

static int quiet(enum libxdp_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

void neighbour_move_in(struct neighbour_run *n, const char *ifname, unsigned int priority)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .prog_name = "neighbour");

	libxdp_set_print(quiet);
	libbpf_set_print(NULL);
	n->ifindex = if_nametoindex(ifname);
	n->skel = neighbour__open();
	assert_non_null(n->skel);
	opts.obj = n->skel->obj;
	n->prog = xdp_program__create(&opts);
	assert_int_equal(libxdp_get_error(n->prog), 0);
	assert_int_equal(xdp_program__set_run_prio(n->prog, priority), 0);
	assert_int_equal(xdp_program__attach(n->prog, n->ifindex, XDP_MODE_NATIVE, 0), 0);
}

void neighbour_move_out(struct neighbour_run *n)
{
	if (n->prog) {
		xdp_program__detach(n->prog, n->ifindex, XDP_MODE_NATIVE, 0);
		xdp_program__close(n->prog);
	}
	neighbour__destroy(n->skel);
	*n = (struct neighbour_run){ 0 };
}

uint64_t neighbour_seen(const struct neighbour_run *n)
{
	uint64_t value = 0;
	__u32 key = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(n->skel->maps.bss), &key, &value), 0);
	return value;
}

bool neighbour_has_dispatcher(const char *ifname)
{
	struct neighbour_run n;
	struct xdp_multiprog *mp;
	bool alone;

	neighbour_move_in(&n, ifname, 10);
	mp = xdp_multiprog__get_from_ifindex(n.ifindex);
	assert_int_equal(libxdp_get_error(mp), 0);
	alone = xdp_multiprog__is_legacy(mp);
	xdp_multiprog__close(mp);
	neighbour_move_out(&n);
	return !alone;
}
