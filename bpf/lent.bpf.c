// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is lent with a queue: the program that its borrower runs (include/ask.h). */
#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_helpers.h>

#include "ask.h"
#include "closely.h"
#include "predecessor.h"
#include "wanted.h"

const volatile struct dedup_lent lent SEC(".rodata.lent");

/* Both are the filter's: user space puts them in the place of these. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_state);
} state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEDUP_WANTED_MAX);
	__type(key, struct dedup_want_key);
	__type(value, struct dedup_wanted);
} wanted SEC(".maps");

/* Has the hand not stepped for too long? */
static __always_inline bool is_late(const struct dedup_state *st)
{
	__u64 now_ns = bpf_ktime_get_ns(), last_ns = READ_ONCE(st->last_ns);

	return now_ns > last_ns && now_ns - last_ns > lent.stale_ns;
}

/* Wants the id as user/filter/look_closely.c does it, or wants it no more. */
static __always_inline int want(struct dedup_state *st, const struct dedup_ask *ask)
{
	struct dedup_want_key key = { .id = dedup_id_copy(&ask->id, DEDUP_ID_WORDS_MAX) };
	struct dedup_wanted entry = { READ_ONCE(st->last_ns) + lent.window_ns };
	__u64 walks = __sync_fetch_and_add(&st->walks, 0); /* which is a full barrier */
	__u32 n = ask->slot;
	long err;

	if (n >= DEDUP_SLOTS || !(lent.slots >> n & 1))
		return -EINVAL;
	DEDUP_BOUND(n, DEDUP_SLOTS - 1);
	key.realm_key = lent.realm_keys[n];
	if (ask->what == DEDUP_ASK_NO_MORE) {
		bpf_map_delete_elem(&wanted, &key);
		return 0;
	}
	if (walks % 2)
		return -EAGAIN;
	err = bpf_map_update_elem(&wanted, &key, &entry, BPF_ANY);
	if (err)
		return err;
	__sync_fetch_and_or(&st->stale_at, DEDUP_CLOSELY);
	return READ_ONCE(st->walks) == walks ? 1 : -EAGAIN;
}

SEC("syscall")
int ask(struct dedup_ask *a)
{
	__u32 zero = 0;
	struct dedup_state *st = bpf_map_lookup_elem(&state, &zero);

	if (!st || READ_ONCE(st->successor) != DEDUP_PREDECESSOR_IN_CHARGE)
		return -ESTALE;
	if (a->what != DEDUP_ASK_CHANGED)
		return is_late(st) ? -ESTALE : want(st, a);
	if (READ_ONCE(st->serial) != lent.serial)
		return -ESTALE;
	return is_late(st) ? -ETIME : 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
