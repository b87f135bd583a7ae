/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gives up every right that the process has, for good. */
#ifndef XDP_DEDUP_DROP_PRIVILEGES_H
#define XDP_DEDUP_DROP_PRIVILEGES_H

/* Closes all descriptors from `keep` on, leaves the network namespace (sockets stay where they
 * are), drops groups, user (to nobody), capabilities and the bounding set. After that no program,
 * thread or file can be made, and at most `files` descriptors be open. With Landlock no file can
 * be opened; with its later versions no other process be signalled, nor connect() be used. A
 * process that is not root goes on without what the kernel refuses it. A process that is still
 * root afterwards, or has a capability, does not: -EPERM (logged). Returns 0 if it has no right
 * left.
 */
int drop_privileges(unsigned int keep, unsigned int files);

#endif
