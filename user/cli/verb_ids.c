// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* add, test, remove and want: apply a verb to ids of the command line or stdin. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "ids.h"
#include "kernel.h"
#include "layout.h"
#include "lines.h"
#include "loader.h"
#include "open.h"
#include "stream_ids.h"
#include "units.h"
#include "verbs.h"
#include "want.h"
#include "wanted.h"
#include "attachments.h"

#define ADD_TRIES 1000 /* 1 ms apart, while the hand makes room */

/* One of the verbs: its function, and the words to print after an id. */
struct id_verb {
	/* text: the id as it was given. Returns 1 if the id was known, 0 if not; -EINVAL (not
	 * logged) for the all-zero id; or another -errno (logged).
	 */
	int (*apply)(struct filter *f, const uint8_t *id, const char *text);
	const char *known, *unknown;
	enum exit_code some_unknown; /* after success, if some id was not known */
};

static int add_id(struct filter *f, const uint8_t *id, const char *text)
{
	int err = ids_add(f, id);

	for (int i = 0; err == -ENOSPC && i < ADD_TRIES; i++) {
		usleep(1000);
		err = ids_add(f, id);
	}
	if (err == -ENOENT)
		return diag_err(err, "%s cannot be added: no packet of its sender has come lately",
				text);
	if (err == -ERANGE)
		return diag_err(err,
				"%s cannot be added: it is too far from its sender's last numbers",
				text);
	if (err < 0 && err != -EINVAL && !hand_has_stopped(f))
		diag_err(err, "the window is full" ADVICE "xdp-dedup rotate %s makes room", f->name);
	return err;
}

static int test_id(struct filter *f, const uint8_t *id, const char *text)
{
	(void)text;
	return ids_test(f, id);
}

static int remove_id(struct filter *f, const uint8_t *id, const char *text)
{
	int known = ids_remove(f, id);

	if (known == -EBUSY)
		diag_err(known,
			 "the predecessor of %s still knows %s, and its layout, %s, cannot take ids out" ADVICE
			 "xdp-dedup status says until when",
			 f->name, text, layout_of(f->predecessor->config->memory.layout)->name);
	else if (known < 0 && known != -EINVAL)
		diag_err(known,
			 "%s has layout %s, which cannot take ids out" ADVICE
			 "load it with --layout countdown",
			 f->name, layout_of(f->config->memory.layout)->name);
	return known;
}

static int want_one(struct filter *f, const uint8_t *id, const char *text)
{
	int known = want_id(f, id);

	if (known == -ENOSPC)
		diag_err(known,
			 "%s is one too many: ask again when some of the %d that are wanted have come",
			 text, DEDUP_WANTED_MAX);
	else if (known < 0 && known != -EINVAL)
		diag_err(known, "cannot ask for %s: %s", text, strerror(-known));
	return known;
}

/* Reads an id in hex. Returns 0; or -EINVAL after logging the form of the stream's ids. */
static int read_id(const struct filter *f, const char *text, uint8_t id[DEDUP_ID_BYTES_MAX])
{
	static uint8_t bytes[DEDUP_ID_BYTES_MAX + UINT16_MAX];
	size_t most = stream_input_max(f->config, f->stream);
	size_t least = stream_input_min(f->config, f->stream);
	int len = parse_hex(text, bytes, sizeof(bytes));

	if (len >= 0 && (size_t)len >= least && !stream_make_id(f, bytes, len, id))
		return 0;
	if (least == most)
		return diag_err(-EINVAL, "%s is no id: give %zu hex digits", text, 2 * least);
	return diag_err(
		-EINVAL,
		"%s is no id: give %zu hex digits or more: the bytes of the id's segments, if it has any, and behind them the whole payload or IP packet",
		text, 2 * least);
}

/* Opens the filter of WHAT/STREAM, and its predecessor. Returns 0, or -errno (logged). */
static int open_both(const char *what, struct filter *f)
{
	int err = attachments_open_stream(what, f);

	if (err)
		return err;
	err = filter_open_predecessor(f);
	if (err) {
		loader_explain(f->name, err);
		filter_close(f);
	}
	return err;
}

/* Opens the filter again if somebody has changed it since the last id. Returns 0; or -errno
 * (logged), and *f stays open.
 */
static int reopen_changed(struct filter *f)
{
	char what[sizeof(f->name) + 1 + DEDUP_STREAM_NAME];
	struct filter now;
	int err;

	if (READ_ONCE(f->state->serial) == f->serial)
		return 0;
	snprintf(what, sizeof(what), "%s/%s", f->name, f->config->policy.streams[f->stream].name);
	err = open_both(what, &now);
	if (err)
		return err;
	if (filter_is_kin(f, &now) != 1) {
		filter_close(&now);
		return explain_gone(f);
	}
	filter_close(f);
	*f = now;
	return 0;
}

/* A verb that is applied to ids, and how many of these were not known. */
struct job {
	struct filter *f;
	const struct id_verb *verb;
	uint64_t unknown;
};

/* Applies the verb to one id, and prints the id and the result. Returns 0; or 1 (logged). */
static int apply_to_id(void *arg, const char *text)
{
	struct job *j = arg;
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int known;

	if (reopen_changed(j->f) || read_id(j->f, text, id) || hand_has_stopped(j->f))
		return 1;
	known = j->verb->apply(j->f, id, text);
	if (known == -EINVAL)
		diag_err(known, "%s is no id: all zero stands for none", text);
	if (known < 0)
		return 1;
	j->unknown += !known;
	printf("%s %s\n", text, known ? j->verb->known : j->verb->unknown);
	return 0;
}

/* Calls apply_to_id() for every line of stdin. */
static int apply_to_lines(struct job *j)
{
	int err = lines_each(stdin, apply_to_id, j);

	if (err < 0)
		diag_err(err, "cannot read ids: %s",
			 err == -EILSEQ ? "a line has a 0 byte in it" : strerror(-err));
	return err;
}

/* Checks all ids of the command line before the verb is applied to the first. */
static int check_ids(const struct filter *f, char **ids, int cnt)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = 0;

	for (int i = 0; i < cnt && !err; i++)
		if (strcmp(ids[i], "-"))
			err = read_id(f, ids[i], id);
	return err;
}

/* Applies the verb to all ids. */
static int run_ids_verb(const struct options *o, const struct id_verb *verb)
{
	struct filter f;
	struct job j = { .f = &f, .verb = verb };
	int err = 0;

	if (kernel_ready(o->wish.verbose, false) || open_both(o->args[0], &f))
		return EXIT_FAILED;
	if (check_ids(&f, o->args + 1, o->args_cnt - 1)) {
		filter_close(&f);
		return EXIT_MISUSED;
	}
	for (int i = 1; i < o->args_cnt && !err; i++)
		err = strcmp(o->args[i], "-") ? apply_to_id(&j, o->args[i]) : apply_to_lines(&j);
	filter_close(&f);
	return err ? EXIT_FAILED : j.unknown ? verb->some_unknown : EXIT_DONE;
}

int verb_add(const struct options *o)
{
	return run_ids_verb(o, &(struct id_verb){ add_id, "known", "new", EXIT_DONE });
}

int verb_test(const struct options *o)
{
	return run_ids_verb(o, &(struct id_verb){ test_id, "known", "unknown", EXIT_UNKNOWN });
}

int verb_remove(const struct options *o)
{
	return run_ids_verb(o, &(struct id_verb){ remove_id, "removed", "unknown", EXIT_DONE });
}

int verb_want(const struct options *o)
{
	return run_ids_verb(o, &(struct id_verb){ want_one, "wanted", "unknown", EXIT_DONE });
}
