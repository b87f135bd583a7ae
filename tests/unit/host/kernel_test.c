// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages about kernels and drivers that lack something: such are played here. */
#include "unit.h"

#include "attach.h"
#include "device.h"
#include "diags.h"
#include "kernel.h"

/* Kernels whose packets may interrupt each other on a CPU. */
TEST(preemption_is_told)
{
	static const struct {
		const char *release, *version;
		bool locked, is;
	} KERNELS[] = {
		{ "6.12.9-rt", "#1 SMP PREEMPT_RT Debian 6.12.9-1", false, false },
		{ "6.18.0-rt", "#1 SMP PREEMPT_RT Debian 6.18-1", false, true },
		{ "6.18.0-rt", "#1 SMP PREEMPT_RT Debian 6.18-1", true, false },
		{ "7.0.1", "#1 SMP PREEMPT_RT Thu", false, true },
		{ "7.0.1", "#1 SMP PREEMPT_DYNAMIC Thu", false, false },
		{ "6.1.0", "#1 SMP PREEMPT_RT Thu", false, false },
		{ "unknown", "#1 SMP PREEMPT_RT Thu", false, false },
	};
	char path[] = "/tmp/xdp-dedup-config.XXXXXX";
	int fd = mkstemp(path);

	assert_return_code(fd, errno);
	dprintf(fd, "CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_RT_NEEDS_BH_LOCK=y\n");
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(KERNELS); i++)
		assert_int_equal(kernel_preempts(KERNELS[i].release, KERNELS[i].version,
						 KERNELS[i].locked ? path : "/no/such/file"),
				 KERNELS[i].is);
	unlink(path);
}

/* A driver that cannot redirect drops what a program redirects. */
static const struct redirect {
	const char *name;
	enum attach_mode mode;
	uint64_t features;
	int err;
	const char *says;
} REDIRECTS[] = {
	{ "native", MODE_NATIVE, DEVICE_XDP | DEVICE_XDP_REDIRECT, 0, "" },
	{ "any-native", MODE_ANY, DEVICE_XDP | DEVICE_XDP_REDIRECT, 0, "" },
	{ "native-without", MODE_NATIVE, DEVICE_XDP, -EOPNOTSUPP,
	  "the driver of eth0 cannot redirect" },
	{ "any-without", MODE_ANY, DEVICE_XDP, -EOPNOTSUPP, "; --mode skb can" },
	{ "any-without-native", MODE_ANY, 0, 0, "note: eth0 delivers in skb mode" },
	{ "skb", MODE_SKB, DEVICE_XDP, 0, "note: eth0 delivers in skb mode" },
	{ "hw", MODE_HW, DEVICE_XDP | DEVICE_XDP_REDIRECT, -EOPNOTSUPP, "in hw mode" },
};

TEST_ROWS(redirect_is_checked, REDIRECTS)
{
	diags_collect();
	assert_int_equal(attach_check_redirect("eth0", row->mode, row->features), row->err);
	diags_end();
	assert_non_null(strstr(diags_last(), row->says));
	assert_int_equal(diags_cnt(), *row->says ? 1 : 0);
}

/* -E2BIG is also the verifier's, of a program, and where the maps are there it can be no other. */
TEST(program_too_large_is_no_lack_of_memory)
{
	assert_true(kernel_lacks_memory(-ENOMEM, 1000000));
	assert_true(kernel_lacks_memory(-ENOMEM, 0));
	assert_false(kernel_lacks_memory(-E2BIG, 0));
	assert_false(kernel_lacks_memory(-E2BIG, 8000000));
	assert_false(kernel_lacks_memory(-E2BIG, 64ULL << 31));
	assert_true(kernel_lacks_memory(-E2BIG, (64ULL << 31) + 64));
	assert_false(kernel_lacks_memory(-EINVAL, 1000000));
}

/* Without memory no feature can be looked for: none is missing because of that. */
TEST(lack_of_memory_is_told)
{
	diags_collect();
	assert_int_equal(kernel_explain(-ENOMEM, 8000000), -ENOMEM);
	assert_non_null(strstr(diags_last(), "no memory for a filter of 8.0 MB; lower --capacity"));
	assert_int_equal(kernel_explain(-ENOMEM, 0), -ENOMEM);
	assert_non_null(strstr(diags_last(), "no memory for the filter's program"));
	assert_int_equal(diags_cnt(), 2);
	diags_end();
}

UNIT_MAIN()
