/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets take the slow path while there is a reason: ids are wanted (wanted.h), there is a
 * sampler (sample.h), the filter has a predecessor (predecessor.h), or its program is being
 * exchanged. Packets learn that from a word that they test in any case, so it costs
 * nothing: state.stale_at, a time. Its top bit, DEDUP_SLOW_PATH, makes it negative, a time long
 * past; packets then take the slow path, which looks at the reasons.
 *
 * Two sides write the reasons and the bit:
 * - User space (user/filter/slow_path_reason.h) puts a reason where the kernel finds it, and then
 *   sets DEDUP_SLOW_PATH.
 * - The hand, while DEDUP_SLOW_PATH is set and at most ten times a second, walks through the
 *   reasons, deletes wanted ids that have expired, and clears DEDUP_SLOW_PATH if no reason is
 *   left. It adds 1 to state.walks when a walk begins and when it ends: the number is odd during a
 *   walk.
 *
 * A concurrent walk may have missed a new reason and cleared DEDUP_SLOW_PATH, or may have found an
 * expired entry with an equal id and then deleted the new one. So user space waits until
 * state.walks is even, and does both steps again if it has changed meanwhile. In the end both the
 * reason and DEDUP_SLOW_PATH were there before the next walk began, which leaves them until the
 * reason has expired. If user space is killed between the two steps, a reason is left that packets
 * do not look for; when there is another reason, a walk finds it after it has expired.
 *
 * Every reason except an exchange expires by itself, so no process has to end it. The time of
 * expiry is compared with the time of the hand's last step, state.last_ns, so packets need not
 * read a clock.
 */
#pragma once

#define DEDUP_SLOW_PATH (1ULL << 63) /* in state.stale_at: 1 while there may be a reason */
