// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids by hand: hex digits, as an id of a stream that a built-in profile has. The first byte says
 * which one.
 */
#include "fuzz.h"

#include "plan.h"
#include "profile.h"
#include "stream_ids.h"
#include "units.h"

#define BUILTINS_MAX 32

/* A filter of each built-in profile. Returns how many there are. */
static uint32_t plan_all(struct dedup_config *cfgs)
{
	struct profiles all = { 0 };
	uint32_t cnt;

	must(!profiles_add_builtin(&all) && all.cnt <= BUILTINS_MAX);
	for (uint32_t i = 0; i < all.cnt; i++) {
		struct filter_spec spec = { .capacity = 1000, .fpr = 1e-4, .window_ns = 1000000000 };

		spec.streams_cnt = 1;
		spec.streams[0].stream = all.list[i].stream;
		must(!parse_ports("8001", spec.streams[0].ports, &spec.streams[0].ports_cnt));
		must(!plan_config(&spec, 1, 250, &cfgs[i]));
		cfgs[i].key[0] = cfgs[i].digest_key[0] = 1;
	}
	cnt = all.cnt;
	profiles_free(&all);
	return cnt;
}

/* Bytes may be any id that the stream has, or none. */
static void make_id(const struct filter *f, const uint8_t *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX], again[DEDUP_ID_BYTES_MAX];
	struct dedup_sought sought;
	struct dedup_id copy;

	if (stream_make_id(f, bytes, len, id))
		return;
	must(len <= stream_input_max(f->config, 0));
	must(!stream_make_id(f, bytes, len, again) && !memcmp(id, again, sizeof(id)));
	must(stream_seek(f, id, &copy, &sought) || sought.words <= DEDUP_ID_WORDS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dedup_config cfgs[BUILTINS_MAX];
	static uint32_t cnt;
	uint8_t *bytes;
	char *text;
	int len;

	if (!size)
		return 0;
	cnt = cnt ?: plan_all(cfgs);
	must(cnt);
	bytes = malloc(size);
	must(bytes);
	text = text_of(data + 1, size - 1);
	len = parse_hex(text, bytes, size);
	if (len >= 0)
		make_id(&(struct filter){ .config = &cfgs[*data % cnt] }, bytes, len);
	free(bytes);
	free(text);
	return 0;
}
