// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids by hand: lines of hex digits, as ids of a stream that a built-in profile has. The first byte
 * says which one.
 */
#include "fuzz.h"

#include <errno.h>

#include "lines.h"
#include "open_filter.h"
#include "plan.h"
#include "profile.h"
#include "stream_ids.h"
#include "units.h"

#define BUILTINS_MAX 64

/* A filter of each built-in profile. Returns how many there are. */
static uint32_t plan_all(struct dedup_config *cfgs)
{
	struct profiles all = { 0 };
	uint32_t cnt;

	must(!profiles_add_builtin(&all) && all.cnt <= BUILTINS_MAX);
	for (uint32_t i = 0; i < all.cnt; i++) {
		struct filter_spec spec = { .capacity = 1000,
					    .fpr_e18 = SPEC_FPR(1e-4),
					    .window_ns = 1000000000 };

		spec.streams_cnt = 1;
		spec.streams[0].stream = all.list[i].stream;
		must(!parse_ports("8001", spec.streams[0].ports, &spec.streams[0].ports_cnt));
		must(!plan_config(&spec, 1, 250, &cfgs[i]));
		cfgs[i].secrets.key[0] = cfgs[i].secrets.digest_key[0] = 1;
	}
	cnt = all.cnt;
	profiles_free(&all);
	return cnt;
}

/* Bytes may be any id that the stream has, or none. */
static void make_id(const struct filter *f, const uint8_t *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX], again[DEDUP_ID_BYTES_MAX];
	struct dedup_lookup_key lookup;
	struct dedup_id copy;

	if (stream_make_id(f, bytes, len, id))
		return;
	must(len <= stream_input_max(f->config, 0));
	must(!stream_make_id(f, bytes, len, again) && !memcmp(id, again, sizeof(id)));
	must(stream_seek(f, id, &copy, &lookup) || lookup.words <= DEDUP_ID_WORDS_MAX);
}

/* Lines, and what is left of the input that they are of. */
struct given {
	const struct dedup_config *cfg;
	const uint8_t *rest;
	size_t size;
};

/* Takes the next line that is not empty off the input. */
static size_t take_line(struct given *g, const uint8_t **line)
{
	size_t len = 0;

	while (g->size && !len) {
		const uint8_t *end = memchr(g->rest, '\n', g->size);
		size_t whole = end ? (size_t)(end - g->rest) + 1 : g->size;

		*line = g->rest;
		len = whole - !!end;
		len -= len && g->rest[len - 1] == '\r';
		g->rest += whole;
		g->size -= whole;
	}
	return len;
}

static int try_line(void *arg, const char *text)
{
	struct given *g = arg;
	size_t size = strlen(text);
	uint8_t *bytes = malloc(size);
	const uint8_t *line = NULL;
	int len;

	must(bytes && take_line(g, &line) == size && !memcmp(line, text, size));
	len = parse_hex(text, bytes, size);
	if (len >= 0)
		make_id(&(struct filter){ .config = g->cfg }, bytes, len);
	free(bytes);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dedup_config cfgs[BUILTINS_MAX];
	static uint32_t cnt;
	struct given g = { NULL, data + 1, size - 1 };
	const uint8_t *line = data;
	size_t len;
	FILE *file;
	int err;

	if (size < 2)
		return 0;
	cnt = cnt ?: plan_all(cfgs);
	must(cnt);
	g.cfg = &cfgs[*data % cnt];
	file = fmemopen((void *)(data + 1), size - 1, "r");
	must(file);
	err = lines_each(file, try_line, &g);
	fclose(file);
	len = take_line(&g, &line);
	must(err ? err == -EILSEQ && memchr(line, 0, len) : !len);
	return 0;
}
