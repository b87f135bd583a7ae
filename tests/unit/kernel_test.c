// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said on kernels that lack something: such kernels are played here. */
#include "support.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "kernel.h"

/* What the kernel of a row has not. */
static struct {
	enum bpf_prog_type type;
	enum bpf_func_id helper;
} missing;

static bool played_has(enum bpf_prog_type type, enum bpf_func_id helper)
{
	return type != missing.type || helper != missing.helper;
}

static const struct {
	enum bpf_prog_type type;
	enum bpf_func_id helper;
	const char *what, *since;
} ROWS[] = {
	{ BPF_PROG_TYPE_XDP, BPF_FUNC_unspec, "XDP", "4.8" },
	{ BPF_PROG_TYPE_SYSCALL, BPF_FUNC_unspec, "syscall programs", "5.14" },
	{ BPF_PROG_TYPE_XDP, BPF_FUNC_timer_init, "timers", "5.15" },
	{ BPF_PROG_TYPE_XDP, BPF_FUNC_loop, "loops", "5.17" },
};

static void missing_feature_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		const char *text;

		missing.type = ROWS[i].type;
		missing.helper = ROWS[i].helper;
		text = kernel_lacks(played_has);
		assert_non_null(text);
		assert_non_null(strstr(text, ROWS[i].what));
		assert_non_null(strstr(text, ROWS[i].since));
	}
}

static void nothing_missing_is_not_blamed(void **state)
{
	(void)state;
	missing.type = BPF_PROG_TYPE_UNSPEC;
	assert_null(kernel_lacks(played_has));
}

/* -E2BIG is also the verifier's, of a program, and where the maps are there it can be no other. */
static void program_too_large_is_no_lack_of_memory(void **state)
{
	(void)state;
	assert_true(kernel_lacks_memory(-ENOMEM, 1000000));
	assert_true(kernel_lacks_memory(-ENOMEM, 0));
	assert_false(kernel_lacks_memory(-E2BIG, 0));
	assert_false(kernel_lacks_memory(-E2BIG, 8000000));
	assert_false(kernel_lacks_memory(-E2BIG, 64ULL << 31));
	assert_true(kernel_lacks_memory(-E2BIG, (64ULL << 31) + 64));
	assert_false(kernel_lacks_memory(-EINVAL, 1000000));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_feature_is_named),
		cmocka_unit_test(nothing_missing_is_not_blamed),
		cmocka_unit_test(program_too_large_is_no_lack_of_memory),
	};

	return run_any_tests("kernel", tests, ARRAY_SIZE(tests));
}
