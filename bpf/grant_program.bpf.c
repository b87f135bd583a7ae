// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is granted with a queue: the program that its holder runs (include/ask.h). */
#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_helpers.h>

#include "ask.h"
#include "slow_path.h"
#include "predecessor.h"
#include "sockets.bpf.h"
#include "wanted.h"

const volatile struct dedup_grant grant SEC(".rodata.grant");

/* All maps are the filter's: user space puts them in the place of these. */
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

	return now_ns > last_ns && now_ns - last_ns > grant.stale_ns;
}

/* Fills in the key of the id. Returns false if its stream does not exist. */
static __always_inline bool find_key(const struct dedup_ask *ask, struct dedup_want_key *key)
{
	__u32 n = ask->slot % DEDUP_SLOTS;

	DEDUP_BOUND(n, DEDUP_SLOTS - 1);
	if (!(grant.streams >> n & 1) || grant.slots[n] != ask->slot)
		return false;
	key->id = dedup_id_copy(&ask->id, DEDUP_ID_WORDS_MAX);
	key->realm_key = grant.realm_keys[n];
	return true;
}

/* Wants the id as user/filter/slow_path_reason.c does it. */
static __always_inline int want(struct dedup_state *st, const struct dedup_ask *ask)
{
	struct dedup_wanted entry = { READ_ONCE(st->last_ns) + grant.window_ns };
	__u64 walks = __sync_fetch_and_add(&st->walks, 0); /* which is a full barrier */
	struct dedup_want_key key;
	long err;

	if (!find_key(ask, &key))
		return -EINVAL;
	if (walks % 2)
		return -EAGAIN;
	err = bpf_map_update_elem(&wanted, &key, &entry, BPF_ANY);
	if (err)
		return err;
	__sync_fetch_and_or(&st->stale_at, DEDUP_SLOW_PATH);
	/* A full barrier, too: else the end of a walk may be missed. */
	return __sync_fetch_and_add(&st->walks, 0) == walks ? 1 : -EAGAIN;
}

/* What changes a filter shares the map with what it was before. */
static __always_inline int want_no_more(const struct dedup_ask *ask)
{
	struct dedup_want_key key;

	if (!find_key(ask, &key))
		return -EINVAL;
	bpf_map_delete_elem(&wanted, &key);
	return 0;
}

/* The entry of the packet with this number in the slot; NULL does not happen. */
static __always_inline struct dedup_in_flight *find_entry(__u64 number)
{
	__u32 at = grant.slot * DEDUP_IN_FLIGHT_MAX + number % DEDUP_IN_FLIGHT_MAX;

	return bpf_map_lookup_elem(&in_flight, &at);
}

/* The context is used at constant offsets, as the verifier demands: so loops are unrolled. */
static __always_inline void fetch(struct dedup_ask *a, __u32 cnt)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ASK_MAX; i++) {
		const __u64 *h;

		barrier_var(cnt); /* or clang does not unroll it, as cnt is how often it goes round */
		if (i >= cnt)
			return;
		h = (const __u64 *)find_entry(a->packets[i].number);
		if (!h)
			return;
		DEDUP_UNROLL
		for (__u32 w = 0; w < sizeof(struct dedup_in_flight) / 8; w++)
			WRITE_ONCE(((__u64 *)&a->packets[i])[w], h[w]);
	}
}

static __always_inline void clear(const struct dedup_ask *a, __u32 cnt)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ASK_MAX; i++) {
		__u64 number = a->packets[i].number;
		struct dedup_in_flight *h;

		barrier_var(cnt); /* or clang does not unroll it, as cnt is how often it goes round */
		if (i >= cnt)
			return;
		h = find_entry(number);
		if (h && READ_ONCE(h->number) == number + 1)
			WRITE_ONCE(h->number, 0);
	}
}

/* No credit is more than DEDUP_IN_FLIGHT_MAX ahead: beyond, packets would take each other's entries. */
static __always_inline void tell(struct dedup_socket *s, const struct dedup_ask *a)
{
	__u64 granted = a->socket.granted, most = READ_ONCE(s->taken) + DEDUP_IN_FLIGHT_MAX;
	__u32 frames_max = a->socket.frames_max;

	WRITE_ONCE(s->frames_max, frames_max > grant.frames_max ? grant.frames_max : frames_max);
	WRITE_ONCE(s->timestamps, a->socket.timestamps);
	WRITE_ONCE(s->pid, a->socket.pid);
	WRITE_ONCE(s->granted, granted > most ? most : granted);
}

static __always_inline int ask_of_slot(struct dedup_ask *a)
{
	__u32 slot = grant.slot;
	struct dedup_socket *s = bpf_map_lookup_elem(&sockets, &slot);

	if (!s || (READ_ONCE(s->opened) & ~DEDUP_ENDED) != grant.opened)
		return -ESTALE;
	if (a->what == DEDUP_ASK_FETCH)
		fetch(a, a->cnt);
	else
		clear(a, a->cnt);
	a->socket.opened = __sync_fetch_and_add(&s->opened, 0); /* which is a full barrier */
	a->socket.taken = READ_ONCE(s->taken);
	if (a->what == DEDUP_ASK_TELL)
		tell(s, a);
	return 0;
}

static __always_inline int ask_of_filter(const struct dedup_ask *a)
{
	__u32 zero = 0;
	struct dedup_state *st = bpf_map_lookup_elem(&state, &zero);

	if (!st || READ_ONCE(st->successor) != DEDUP_PREDECESSOR_IN_CHARGE)
		return -ESTALE;
	if (a->what == DEDUP_ASK_WANT)
		return is_late(st) ? -ESTALE : want(st, a);
	if (READ_ONCE(st->serial) != grant.serial)
		return -ESTALE;
	return is_late(st) ? -ETIME : 0;
}

SEC("syscall")
int ask(struct dedup_ask *a)
{
	switch (a->what) {
	case DEDUP_ASK_CHANGED:
	case DEDUP_ASK_WANT:
		return ask_of_filter(a);
	case DEDUP_ASK_NO_MORE:
		return want_no_more(a);
	case DEDUP_ASK_FETCH:
	case DEDUP_ASK_TELL:
		return ask_of_slot(a);
	default:
		return -EINVAL;
	}
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
