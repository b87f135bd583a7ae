// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* add, test, remove and want: ids by hand. */
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

static const char UNKNOWN[] = "unknown"; /* compared by its address */

#define ADD_TRIES 1000 /* with 1 ms before each, for the hand to make room */

/* Does what the verb says with an id, and returns the word to print after it; NULL after logging
 * why it could not. `text` is the id as it was given.
 */
typedef const char *(*id_fn)(struct filter *f, const uint8_t *id, const char *text);

/* The answer to the all-zero id, for which ids.h and want.h return -EINVAL. */
static const char *refuse_zero(const char *text)
{
	diag_err(0, "%s is no id: all zero stands for none", text);
	return NULL;
}

static const char *add_id(struct filter *f, const uint8_t *id, const char *text)
{
	int err = ids_add(f, id);

	for (int i = 0; err == -ENOSPC && i < ADD_TRIES; i++) {
		usleep(1000);
		err = ids_add(f, id);
	}
	if (err == -EINVAL)
		return refuse_zero(text);
	if (err == -ENOENT || err == -ERANGE) {
		diag_err(err,
			 err == -ENOENT
				 ? "%s cannot be added: no packet of its sender has come lately"
				 : "%s cannot be added: it is too far from its sender's last numbers",
			 text);
		return NULL;
	}
	if (err < 0 && !hand_has_stopped(f))
		diag_err(err, "the window is full" ADVICE "xdp-dedup rotate %s makes room", f->name);
	return err < 0 ? NULL : err ? "known" : "new";
}

static const char *test_id(struct filter *f, const uint8_t *id, const char *text)
{
	(void)text;
	return ids_test(f, id) ? "known" : UNKNOWN;
}

static const char *remove_id(struct filter *f, const uint8_t *id, const char *text)
{
	int known = ids_remove(f, id);

	if (known == -EINVAL)
		return refuse_zero(text);
	if (known == -EBUSY)
		diag_err(known,
			 "the predecessor of %s still knows %s, and its layout, %s, cannot take ids out" ADVICE
			 "xdp-dedup status says until when",
			 f->name, text, layout_of(f->predecessor->config->memory.layout)->name);
	else if (known < 0)
		diag_err(known,
			 "%s has layout %s, which cannot take ids out" ADVICE
			 "load it with --layout countdown",
			 f->name, layout_of(f->config->memory.layout)->name);
	return known < 0 ? NULL : known ? "removed" : UNKNOWN;
}

static const char *do_want(struct filter *f, const uint8_t *id, const char *text)
{
	int known = want_id(f, id);

	if (known == -EINVAL)
		return refuse_zero(text);
	if (known == -ENOSPC)
		diag_err(known,
			 "%s is one too many: ask again when some of the %d that are wanted have come",
			 text, DEDUP_WANTED_MAX);
	else if (known < 0)
		diag_err(known, "cannot ask for %s: %s", text, strerror(-known));
	return known < 0 ? NULL : known ? "wanted" : UNKNOWN;
}

/* 0, or -EINVAL after logging what an id of this stream looks like. */
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

/* What is done with ids, and how many were not known. */
struct job {
	struct filter *f;
	id_fn fn;
	uint64_t unknown;
};

/* Does it with one id, and prints id and word. 1, after logging why, if it cannot. */
static int do_id(void *arg, const char *text)
{
	struct job *j = arg;
	uint8_t id[DEDUP_ID_BYTES_MAX];
	const char *word;

	if (read_id(j->f, text, id))
		return 1;
	word = hand_has_stopped(j->f) ? NULL : j->fn(j->f, id, text);
	if (!word)
		return 1;
	j->unknown += word == UNKNOWN;
	printf("%s %s\n", text, word);
	return 0;
}

/* Does do_id() for every line of stdin. */
static int do_lines(struct job *j)
{
	int err = lines_each(stdin, do_id, j);

	if (err < 0)
		diag_err(err, "cannot read ids: %s",
			 err == -EILSEQ ? "a line has a 0 byte in it" : strerror(-err));
	return err;
}

/* Are all ids of the command line well-formed? Checked before anything is done with the first. */
static int check_ids(const struct filter *f, char **ids, int cnt)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = 0;

	for (int i = 0; i < cnt && !err; i++)
		if (strcmp(ids[i], "-"))
			err = read_id(f, ids[i], id);
	return err;
}

/* Does the verb with all ids. Returns some_unknown if all is done, but some id was not known. */
static int run_ids_verb(const struct options *o, id_fn fn, enum exit_code some_unknown)
{
	struct filter f;
	struct job j = { .f = &f, .fn = fn };
	int err = 0;

	if (kernel_ready(o->wish.verbose, false) || attachments_open_stream(o->args[0], &f))
		return EXIT_FAILED;
	if (check_ids(&f, o->args + 1, o->args_cnt - 1)) {
		filter_close(&f);
		return EXIT_MISUSED;
	}
	err = filter_open_predecessor(&f);
	if (err)
		loader_explain(f.name, err);
	for (int i = 1; i < o->args_cnt && !err; i++)
		err = strcmp(o->args[i], "-") ? do_id(&j, o->args[i]) : do_lines(&j);
	filter_close(&f);
	return err ? EXIT_FAILED : j.unknown ? some_unknown : EXIT_DONE;
}

int verb_add(const struct options *o)
{
	return run_ids_verb(o, add_id, EXIT_DONE);
}

int verb_test(const struct options *o)
{
	return run_ids_verb(o, test_id, EXIT_UNKNOWN);
}

int verb_remove(const struct options *o)
{
	return run_ids_verb(o, remove_id, EXIT_DONE);
}

int verb_want(const struct options *o)
{
	return run_ids_verb(o, do_want, EXIT_DONE);
}
