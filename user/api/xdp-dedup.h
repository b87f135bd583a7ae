/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup: a filter that xdp-dedup has loaded, from inside an application. Application and
 * packet program share it: an id that either has learned is a duplicate for the other.
 *
 * Ids are looked up in the filter's own memory, without a system call (only want and stats
 * make one), and beside the packet program at work. An id of GSP/1 is up to XDP_DEDUP_ID_MAX bytes;
 * a shorter one is what it would be in a packet with zero bytes behind it. No bytes, or nothing but
 * zeros, are no id: never known, never learned.
 *
 * An id of another stream is the bytes of its profile's segments, one after the other as they are
 * in the packet, unmasked; and behind them, if the profile has a digest, the whole UDP payload, IP
 * packet, or frame without its VLAN tags.
 *
 * Every call but open, close, stats and counters may run in any number of threads and processes at
 * once. No call prints or ends the process. A negative number is a negated errno. If the call was
 * about an id, nothing is known of it then: treat it as new.
 *   -ESTALE      the window's clock has stopped (the filter was unloaded): the packet
 *                program lets everything pass; or the filter was resized, and this process may
 *                not open what is in its place. Open it again, or do without
 *   -ENOSPC      new, but the window is full: not learned (room comes in milliseconds; in
 *                layout countdown, after a burst, it may take a window)
 *   -EINVAL      an id that is too long, or lacks what its digest is made of
 *   -EDESTADDRREQ the filter has several streams, and none was named when it was opened
 *   -EOPNOTSUPP  this filter's layout cannot do that
 *
 * A filter that is open goes on being that filter when it is changed while it runs (xdp-dedup set,
 * resize), with the packet program's answers: the next call opens it anew, which takes some ms and
 * may make system calls.
 *
 * What a FIPS node needs is in xdp-dedup-fips.h; receiving packets past the network stack is in
 * xdp-dedup-receive.h.
 *
 * Link with `pkg-config --libs xdp-dedup`. Root, or else CAP_BPF and access to the pins
 * under /sys/fs/bpf/xdp-dedup, is needed to open a filter, and not afterwards: but a process that
 * has given them up can follow no change. After `set` calls about ids go on, but stats and counters
 * fail as opening would; after `resize` all end with -ESTALE. It works in a time namespace, too;
 * but a process that enters another one (or is forked into it) must open the filter again.
 */
#ifndef XDP_DEDUP_H
#define XDP_DEDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XDP_DEDUP_ID_MAX 32

struct xdp_dedup_filter;

/* One of many ids. The caller owns the bytes. */
struct xdp_dedup_id {
	const void *bytes; /* may be NULL if len is 0 */
	size_t len;
};

/* Opens the filter of this name (xdp-dedup status lists them): NAME, or NAME/STREAM where calls
 * about ids are to be about that stream; it need not be named if there is only one. 0, and the
 * caller closes *out. -ENOENT if there is none, or no such stream, -ENODEV if there is no BPF file
 * system at /sys/fs/bpf (ip netns exec hides it), -EPROTO if the filter is of another version or
 * incomplete, -EACCES or -EPERM if this process may not open it, or others than root might have
 * made it; another error if it cannot be told.
 */
int xdp_dedup_open(const char *name, struct xdp_dedup_filter **out);

/* NULL is fine. */
void xdp_dedup_close(struct xdp_dedup_filter *filter);

/* Is the id known, that is, in the window? 1 yes (wrongly so for a part of the new ids, at most the
 * filter's rate), 0 no.
 */
int xdp_dedup_test(const struct xdp_dedup_filter *filter, const void *id, size_t len);

/* Learns the id. 1 if it was known, 0 if not. In layout countdown a known id too is known
 * from now on as long as a new one, if there is room; in the others it keeps its age.
 */
int xdp_dedup_add(struct xdp_dedup_filter *filter, const void *id, size_t len);

/* Is this a duplicate? If not, learns it. 1 duplicate, 0 new. Of calls and packets that come with
 * one new id at the same instant, exactly one is told that it is new, but in rare cases: none if
 * the id is a false positive; two if the hand passes the id's place just while a packet is learned
 * (in layout blocked; while the filter is changed, in any layout), or if it passes it twice while a
 * thread is stopped.
 */
int xdp_dedup_check_and_add(struct xdp_dedup_filter *filter, const void *id, size_t len);

/* The same for cnt ids, in order; results[i] is what it would return for ids[i]. Faster than one by
 * one if the filter is larger than the CPU's caches. Returns how many are duplicates (results[i] is
 * 1).
 */
size_t xdp_dedup_check_and_add_many(struct xdp_dedup_filter *filter, const struct xdp_dedup_id *ids,
				    size_t cnt, int *results);

/* Layout countdown: takes the id out, and any other that shares one of its cells. 1 if it
 * was known, 0 if not. -EBUSY, and it is as before, if the filter had another layout before a
 * resize, and knows the id from there.
 */
int xdp_dedup_remove(struct xdp_dedup_filter *filter, const void *id, size_t len);

/* For an event that the application knows to be missing though the filter knows its id (a false
 * positive, or its first copy was lost behind the packet program): its next EVENT packet passes,
 * once. 1: known, and wanted from now on. 0: not known, so its next copy passes by itself.
 * -ENOSPC: 4,096 ids are wanted already; ask again when some have come. Else what bpf(2) said.
 *
 * It holds until that packet has come, and for a window at most (to a step of the hand); asked
 * for again, from then on. Of copies that come at the same instant one passes. What may come
 * besides: a copy that was on its way already; and if the filter forgets the id before any
 * copy comes, the first one passes because it is new and the next one because it is wanted. An
 * IHAVE with a wanted id passes too, and the id stays wanted.
 */
int xdp_dedup_want(struct xdp_dedup_filter *filter, const void *id, size_t len);

struct xdp_dedup_stats {
	const char *layout;	    /* "blocked", "flat", "countdown" */
	const char *hash;	    /* "fast", ... as of --hash */
	uint64_t capacity;	    /* ids a window that it keeps its promises for */
	uint64_t window_ns;	    /* an id is remembered so long, at most about twice */
	double fpr;		    /* the rate at which new ids may be called duplicates */
	uint64_t m;		    /* bits of a generation; countdown: cells */
	uint32_t k;		    /* probes */
	uint64_t set_bits;	    /* of the present generation; countdown: cells above 0 */
	uint64_t set_bits_previous; /* of the one before; countdown: 0 */
	double occupancy;	    /* set_bits / m */
	double occupancy_previous;  /* set_bits_previous / m */
	double ids_estimate;	    /* in the window, from the bits */
	double fpr_estimate;	    /* now, from the bits, the predecessor's included */
	uint64_t approx_count;	    /* countdown: ids learned and not expired, never fewer */
	uint64_t rx;		    /* packets that entered the packet program */
	uint64_t fresh, duplicate;  /* EVENTs that were new, and that were not */
	uint64_t dropped;	    /* packets dropped */
	bool stopped;		    /* the window's clock has: everything passes */
	uint64_t wanted;	    /* EVENTs that passed because they were wanted */
	bool sampled;		    /* set_bits to fpr_estimate are from a sample of the memory */
	double ids_error;	    /* if so: about the standard error of ids_estimate; else 0 */
	uint64_t predecessor_bytes; /* memory from before a resize, while its ids are known; else 0 */
};

/* Reads all of a filter of up to 4 MB; of a larger one a random sample of 2 to 4 MB, a new one in
 * each call. The fields from set_bits to fpr_estimate are then estimates, without bias; the others
 * are exact. size is sizeof(*stats): later versions may append fields.
 */
int xdp_dedup_stats(const struct xdp_dedup_filter *filter, struct xdp_dedup_stats *stats,
		    size_t size);

/* The same from all of the filter, whatever its size: 730 MB took 0.85 s, and displaced what the
 * packet path had in the CPU's caches.
 */
int xdp_dedup_stats_exact(const struct xdp_dedup_filter *filter, struct xdp_dedup_stats *stats,
			  size_t size);

/* What packets counted as; `xdp-dedup help counters` says more of each. */
struct xdp_dedup_counters {
	uint64_t rx;		  /* packets that entered the packet program */
	uint64_t dropped;	  /* packets dropped */
	uint64_t fresh;		  /* EVENTs that were new, and learned */
	uint64_t duplicate;	  /* EVENTs that were in the window */
	uint64_t ihave_fresh;	  /* IHAVEs with an unknown id */
	uint64_t ihave_duplicate; /* IHAVEs whose every id was in the window */
	uint64_t unlearned;	  /* EVENTs that were new, without room to learn them */
	uint64_t stale;		  /* packets that came after the window's clock had stopped */
	uint64_t duplicate_bytes; /* of both kinds of duplicate */
	uint64_t early;		  /* blocks aged before their window was over */
	uint64_t late;		  /* blocks aged late: the hand was held up */
	uint64_t wanted;	  /* EVENTs that passed because they were wanted */
	bool stopped;		  /* the window's clock has: everything passes */
};

/* Cheap, whatever the filter's size: one system call, which does not read the filter's memory. size
 * is sizeof(*counters): later versions may append fields.
 */
int xdp_dedup_counters(const struct xdp_dedup_filter *filter, struct xdp_dedup_counters *counters,
		       size_t size);

#ifdef __cplusplus
}
#endif

#endif
