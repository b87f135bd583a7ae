/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup: uses a filter that xdp-dedup has loaded, from inside an application. Application
 * and packet program share it: an id that one of them has learned is a duplicate for the other.
 *
 * Ids are looked up in the filter's own memory, without a system call (only want and stats make
 * one), while the packet program works. An id of GSP/1 has up to XDP_DEDUP_ID_MAX bytes. A shorter
 * one stands for an id in a packet that has zero bytes after it. No bytes, or only zero bytes, are
 * not an id: never known, never learned.
 *
 * An id of another stream has the bytes of its profile's segments, one after the other as they are
 * in the packet, unmasked. If the profile has a digest, the whole UDP payload, IP packet, or frame
 * without its VLAN tags follows.
 *
 * An id of a numbered stream has the bytes of the profile's source, and behind them those of its
 * sequence number, as they are in the packet. All bytes must be there; they may be zeros. The id is
 * one message's. Numbers do not age: one is known as long as it is in its sender's history.
 *
 * All calls except open, close, stats and counters may run in any number of threads and processes
 * at once. No call prints or ends the process. A negative number is a negated errno. If the call
 * was about an id, nothing is known about the id then: treat it as new.
 *   -ESTALE      the window's clock has stopped (the filter was unloaded), and the packet program
 *                lets everything pass; or the filter was resized, and this process may not open its
 *                successor. Open it again, or continue without a filter
 *   -ENOSPC      the id is new, but not learned: the window is full (there is room again in
 *                milliseconds; in layout countdown, after a burst, it may take a window)
 *   -EINVAL      an id that is too long, or lacks the bytes for its digest, or its number
 *   -ENOENT      a number is not learned, as no packet of its sender arrived lately: only packets
 *                add senders
 *   -ERANGE      a number is not learned: it is older than its sender's history, or far from its
 *                sender's last numbers
 *   -EDESTADDRREQ the filter has several streams, and none was named when it was opened
 *   -EOPNOTSUPP  this filter's layout cannot do that
 *
 * If a filter is changed while it runs (xdp-dedup set, resize), an open filter keeps giving the
 * packet program's answers: the next call opens it again, which takes some ms and may make system
 * calls.
 *
 * xdp-dedup-fips.h is for FIPS nodes. xdp-dedup-receive.h receives packets past the network stack.
 * xdp-dedup-streams.h describes a filter's streams, and finds the id of a packet.
 *
 * Link with `pkg-config --libs xdp-dedup`. Opening a filter needs root, or access to the pins
 * under /sys/fs/bpf/xdp-dedup. Other calls need no rights, but a process that has given
 * its rights up cannot open a changed filter: after `set` calls about ids still work, but stats and
 * counters fail as opening would; after `resize` all calls return -ESTALE. The library works in a
 * time namespace too; a process that enters another one (or is forked into it) must open the filter
 * again.
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

/* Opens the filter `name` (xdp-dedup status lists them). name is NAME, or NAME/STREAM for calls
 * about ids of that stream, which need not be named if it is the only one. Returns 0, and the
 * caller closes *out; or a negative errno:
 *   -ENOENT      no such filter, or no such stream
 *   -ENODEV      no BPF file system at /sys/fs/bpf (ip netns exec hides it)
 *   -EPROTO      the filter has another version, or is incomplete
 *   -EACCES      this process may not open it, or others than root might have made it; also -EPERM
 * Another error means that the library cannot tell.
 */
int xdp_dedup_open(const char *name, struct xdp_dedup_filter **out);

/* Closes the filter. It may be NULL. */
void xdp_dedup_close(struct xdp_dedup_filter *filter);

/* Tests whether the id is known, that is, in the window. Returns 1 if it is, 0 if not. For a part
 * of the new ids, at most the filter's rate, 1 is wrong.
 */
int xdp_dedup_test(const struct xdp_dedup_filter *filter, const void *id, size_t len);

/* Learns the id. Returns 1 if it was known, 0 if not; of a numbered stream also -ENOENT or -ERANGE.
 * In layout countdown a known id, too, is known from now on for as long as a new one, if there is
 * room. In other layouts it keeps its age.
 */
int xdp_dedup_add(struct xdp_dedup_filter *filter, const void *id, size_t len);

/* Tests the id, and learns it if it is new. Returns 1 for a duplicate, 0 for a new id; of a
 * numbered stream also -ENOENT or -ERANGE. If calls and packets come with one new id at the same
 * instant, exactly one of them gets "new". There are rare exceptions: none gets "new" if the id is
 * a false positive; two get it if the hand passes the id's position just while a packet is learned
 * (in layout blocked; in any layout while the filter is changed), or passes it twice while a thread
 * is stopped; or, in layouts flat and countdown, if a thread is stopped while it learns the id and
 * many others are learned by several threads at once.
 */
int xdp_dedup_check_and_add(struct xdp_dedup_filter *filter, const void *id, size_t len);

/* Calls xdp_dedup_check_and_add() for cnt ids, in order; results[i] is the result for ids[i]. This
 * is faster than single calls if the filter is larger than the CPU's caches. Returns the number of
 * duplicates (results[i] is 1).
 */
size_t xdp_dedup_check_and_add_many(struct xdp_dedup_filter *filter, const struct xdp_dedup_id *ids,
				    size_t cnt, int *results);

/* Removes the id, and all ids that share one of its cells; layout countdown only. A number of a
 * numbered stream is removed alone, in any layout. Returns 1 if it was known, 0 if not. Returns
 * -EBUSY, and changes nothing, if the filter had another layout before a resize, and knows the id
 * from there.
 */
int xdp_dedup_remove(struct xdp_dedup_filter *filter, const void *id, size_t len);

/* Wants an event: its next EVENT packet passes, once. This is for an event that the application
 * lacks although the filter knows its id (a false positive, or its first copy was lost after it
 * passed the packet program). Returns 1 if the id is known, and wanted from now on; 0 if it is not
 * known, so its next copy passes anyway; -ENOSPC if 4,096 ids are wanted already: try again when
 * some have arrived; or another errno of bpf(2).
 *
 * The id is wanted until that packet arrives, and for a window at most (to a step of the hand).
 * Another call begins a new window. Of copies that arrive at one instant one passes. More than one
 * may pass if a copy was in flight already, or if the filter forgets the id before a copy arrives:
 * then the first copy passes because it is new, and the next one because it is wanted. An
 * IHAVE with a wanted id passes too, and the id stays wanted. Of a numbered stream, the next packet
 * whose first message has this number passes.
 */
int xdp_dedup_want(struct xdp_dedup_filter *filter, const void *id, size_t len);

struct xdp_dedup_stats {
	const char *layout;	    /* "blocked", "flat", "countdown" */
	const char *hash;	    /* as in --hash: "fast", ... */
	uint64_t capacity;	    /* ids a window for which the promises hold */
	uint64_t window_ns;	    /* an id is remembered for this time to about twice */
	double fpr;		    /* the rate at which new ids may be called duplicates */
	uint64_t m;		    /* bits of a generation; countdown: cells */
	uint32_t k;		    /* probes */
	uint64_t set_bits;	    /* of the current generation; countdown: cells above 0 */
	uint64_t set_bits_previous; /* of the previous generation; countdown: 0 */
	double occupancy;	    /* set_bits / m */
	double occupancy_previous;  /* set_bits_previous / m */
	double ids_estimate;	    /* in the window, from the bits */
	double fpr_estimate;	    /* now, from the bits, with the predecessor */
	uint64_t approx_count;	    /* countdown: ids learned and not expired, or more */
	uint64_t rx;		    /* packets that entered the packet program */
	uint64_t fresh, duplicate;  /* EVENTs that were new; that were in the window */
	uint64_t dropped;	    /* packets dropped */
	bool stopped;		    /* the window's clock has stopped: all ids pass */
	uint64_t wanted;	    /* EVENTs that passed because they were wanted */
	bool sampled;		    /* set_bits to fpr_estimate are from a sample of the memory */
	double ids_error;	    /* if sampled: about ids_estimate's standard error */
	uint64_t predecessor_bytes; /* predecessor's memory, while it is queried; else 0 */
};

/* Reads statistics from the filter's memory: the whole memory up to 4 MB; a random sample of 2 to
 * 4 MB if it is larger, a new sample in each call. The fields from set_bits to fpr_estimate are
 * then estimates, without bias; the others are exact. size is sizeof(*stats): later versions may
 * append fields. Returns 0 or a negative errno.
 */
int xdp_dedup_stats(const struct xdp_dedup_filter *filter, struct xdp_dedup_stats *stats,
		    size_t size);

/* Reads statistics from all of the filter's memory, whatever its size. 730 MB took 0.85 s, and
 * displaced the packet path's data in the CPU's caches. Returns 0 or a negative errno.
 */
int xdp_dedup_stats_exact(const struct xdp_dedup_filter *filter, struct xdp_dedup_stats *stats,
			  size_t size);

/* Counts of packets by result. `xdp-dedup help counters` explains each counter. */
struct xdp_dedup_counters {
	uint64_t rx;		  /* packets that entered the packet program */
	uint64_t dropped;	  /* packets dropped */
	uint64_t fresh;		  /* EVENTs that were new, and learned */
	uint64_t duplicate;	  /* EVENTs that were in the window */
	uint64_t ihave_fresh;	  /* IHAVEs with an unknown id */
	uint64_t ihave_duplicate; /* IHAVEs with all ids in the window */
	uint64_t unlearned;	  /* EVENTs that were new, without room to learn them */
	uint64_t stale;		  /* packets after the window's clock had stopped */
	uint64_t duplicate_bytes; /* bytes of both kinds of duplicate */
	uint64_t early;		  /* blocks aged before their window was over */
	uint64_t late;		  /* blocks aged late: the hand was late */
	uint64_t wanted;	  /* EVENTs that passed because they were wanted */
	bool stopped;		  /* the window's clock has stopped: all ids pass */
	uint64_t untaken; /* EVENTs that were new, but not learned: no AF_XDP socket took them */
};

/* Reads the counters by one system call, which does not read the filter's memory: it is cheap,
 * whatever the filter's size. size is sizeof(*counters): later versions may append fields. Returns
 * 0 or a negative errno.
 */
int xdp_dedup_counters(const struct xdp_dedup_filter *filter, struct xdp_dedup_counters *counters,
		       size_t size);

#ifdef __cplusplus
}
#endif

#endif
