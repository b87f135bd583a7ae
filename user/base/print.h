/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program prints beside its output: messages (diag.h), one line each, on stderr. Only
 * programs include this header.
 */
#ifndef XDP_DEDUP_PRINT_H
#define XDP_DEDUP_PRINT_H

/* Prints messages from here on, each as "PROGRAM: MESSAGE" or "PROGRAM: note: MESSAGE"; and
 * progress, if stderr is a terminal. The first call of main(). The string is not copied: it must
 * live as long as the program.
 */
void print_as(const char *program);

#endif
