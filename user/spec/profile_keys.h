/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by profile.c, which reads lines, profile_keys.c, which parses each key's value, and
 * profile_check.c, which checks the keys together.
 */
#pragma once

#include "field.h"
#include "profile.h"

enum {
	KEY_ABOUT,
	KEY_USE,
	KEY_LAYER,
	KEY_ETHERTYPE,
	KEY_DECODER,
	KEY_REQUIRE,
	KEY_EXEMPT,
	KEY_ID,
	KEY_SOURCE,
	KEY_SEQUENCE,
	KEY_COUNT,
	KEY_HISTORY,
	KEY_RESET,
	KEY_PARTIAL,
	KEY_WINDOW,
	KEY_FPR,
	KEY_PORTS,
	KEY_FORWARDED,
	KEY_TUNNELS,
	KEY_NEEDS,
	KEY_LEARN,
	KEYS_CNT
};

struct position {
	uint32_t line, column; /* 0: nowhere */
};

struct parse {
	struct profiles *profiles;
	struct profile_error *err;
	enum profile_origin origin;
	bool failed;

	const char *next, *end; /* the rest of the text */
	const char *line;	/* the line that was read last */
	uint32_t line_nr;

	/* The section: */
	const char *section; /* its beginning; NULL: there was no section yet */
	struct position section_at;
	bool started; /* it has had a key */
	struct profile now;
	struct field_id id;
	struct field_integer sequence;		   /* of a numbered stream */
	struct position keys_at[KEYS_CNT];	   /* of each key's first value */
	struct position bases_at[DEDUP_BASES + 1]; /* of each base's first use; last: a digest's */
};

/* Notes the error, if it is the first one. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int profile_fail(struct parse *p, struct position at,
						       const char *format, ...);

struct profile_key {
	const char *name;
	/* Sets p->now from the value at this position. Returns 0 or -EINVAL. */
	int (*set)(struct parse *p, const char *value, struct position at);
	bool often; /* may be on several lines */
};

extern const struct profile_key PROFILE_KEYS[KEYS_CNT];

/* Checks that the parts of p->now fit together, and completes it. Returns 0 or -EINVAL. */
int profile_check(struct parse *p);
