// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The pure code is pure, which is what groups 8 and 9 of Colibri's tests are for: the
 * compiler refuses floating point in it, and its objects ask for no clock and no chance.
 */
#include "unit.h"

#define COMPILE                                                                                                \
	"d=$(mktemp -d) && trap 'rm -rf $d' EXIT && "                                                          \
	"${CC:-gcc} -std=gnu11 -O2 -Iinclude -Iuser/base -Iuser/filter -Iuser/layout -Iuser/spec -Iuser/fips " \
	"-Iuser/api -D_GNU_SOURCE "                                                                            \
	"-c user/*/%s.c -o $d/o %s "

/* Every function that pure code may ask for. */
#define MAY                                                                            \
	"(mem(cpy|set|cmp|move|chr)|strcmp)|__popcountdi2|(m|c|re)alloc(array)?|free|" \
	"stats_uses_predecessor|(dedup|fips|filter|ids|layout|numbers|streams?)_[a-z0-9_]*"

static const char *const PURE[] = { "ids",  "stream_ids", "stream_numbers",
				    "fips", "fips_peers", "fips_sequences" };
/* What only sizing and status compute with floating point; their part in ids is include/'s. */
static const char *const TIMELESS[] = { "layout", "blocked", "flat", "countdown" };
#define MATH                                                                                     \
	"|LAYOUT_[A-Z]*|(array|fill|walk|size|textbook)_[a-z_]*|snprintf|exp|log|pow|sqrt|fmin|" \
	"strcmp"
/* What the checks must find: floating point, and a clock. */
static const char *const IMPURE[] = { "array_size", "clock" };

static char out[4096];

static int floats(const char *name)
{
	return sh_out(out, sizeof(out), COMPILE "2>&1", name, "-mgeneral-regs-only");
}

/* Succeeds if the object asks for something else. */
static int strangers(const char *name, const char *more)
{
	return sh_out(out, sizeof(out), COMPILE "&& nm -u $d/o | awk '{print $2}' | grep -vxE '%s%s'",
		      name, "", MAY, more);
}

TEST(group_8_no_floating_point)
{
	for (size_t i = 0; i < ARRAY_SIZE(PURE); i++)
		if (floats(PURE[i]))
			fail_msg("%s.c has floating point:\n%s", PURE[i], out);
	assert_int_not_equal(floats(IMPURE[0]), 0);
	assert_non_null(strstr(out, "SSE"));
}

TEST(group_9_no_clock_and_no_chance)
{
	for (size_t i = 0; i < ARRAY_SIZE(PURE); i++)
		if (!strangers(PURE[i], ""))
			fail_msg("%s.c asks for:\n%s", PURE[i], out);
	for (size_t i = 0; i < ARRAY_SIZE(TIMELESS); i++)
		if (!strangers(TIMELESS[i], MATH))
			fail_msg("%s.c asks for:\n%s", TIMELESS[i], out);
	assert_int_equal(strangers(IMPURE[1], MATH), 0);
	assert_non_null(strstr(out, "clock_gettime"));
}

/* Lines of these files, without their comments, that match. */
static int lines(const char *files, const char *pattern)
{
	return sh_out(out, sizeof(out),
		      "for f in %s; do ${CC:-gcc} -fpreprocessed -dD -E -P -w -xc $f | "
		      "grep -E '%s' | sed \"s|^|$f: |\"; done | grep .",
		      files, pattern);
}

/* What the kernel and user space share has neither, and so has the kernel's side but for
 * the hand's clock, the packet path's look at it, and the times of numbers, of samples and of what
 * is delivered.
 */
TEST(shared_code_has_neither)
{
	if (!lines("include/*.h bpf/*", "\\b(float|double)\\b"))
		fail_msg("floating point in\n%s", out);
	if (!lines("include/*.h", "time\\(|clock_get|rand"))
		fail_msg("clock or chance in\n%s", out);
	if (!lines("$(ls bpf/*.[ch] | grep -v -e hand -e /lookup -e /numbers -e /sample -e "
		   "deliver)",
		   "bpf_(ktime|jiffies|get_prandom)"))
		fail_msg("clock or chance in\n%s", out);
	assert_int_equal(lines("bpf/hand.bpf.h", "bpf_ktime"), 0);
	assert_int_equal(lines("user/layout/array_size.c", "\\bdouble\\b"), 0);
}

UNIT_MAIN()
