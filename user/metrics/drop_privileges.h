/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gives up every right that the process has, for good. */
#ifndef XDP_DEDUP_DROP_PRIVILEGES_H
#define XDP_DEDUP_DROP_PRIVILEGES_H

/* Closes all descriptors from `keep` on, leaves the network namespace (sockets stay where they
 * are), drops groups, user (to nobody), capabilities and the bounding set; after that no program,
 * thread or file can be made, and at most `files` descriptors be open. Where there is Landlock no
 * file can be opened; with its later versions nobody else be signalled, nor connect() be used. What
 * the kernel refuses to somebody who is not root goes without; but who still is root, or has a
 * capability, does not go on: -EPERM (logged). 0: it has no right left.
 */
int drop_privileges(unsigned int keep, unsigned int files);

#endif
