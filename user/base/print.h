/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program prints beside its output: messages (diag.h), one line each. Only programs include
 * this header.
 */
#ifndef XDP_DEDUP_PRINT_H
#define XDP_DEDUP_PRINT_H

#include <stdarg.h>

/* Prints messages from here on: what was done, as it is, on stdout; others on stderr as "PROGRAM:
 * MESSAGE" or "PROGRAM: note: MESSAGE"; and progress, if stderr is a terminal. The first call of
 * main(). The string is not copied: it must live as long as the program.
 */
void print_as(const char *program);

/* Prints on stdout as printf() does, in text_clean()'s form: for a part of a line with text from
 * outside. Returns how many bytes it prints.
 */
__attribute__((format(printf, 1, 2))) int print_clean(const char *format, ...);

/* Prints lines on stderr, in text_clean_lines()'s form: for libraries that print whole lines
 * (kernel_print_by()). Returns how many bytes it prints, or -1.
 */
__attribute__((format(printf, 1, 0))) int print_lines(const char *format, va_list args);

/* Closes stdout and returns the status for main() to return; the last call of a program. Output is
 * buffered, so that a full disk may be noticed only here: this is printed, and the status is
 * EXIT_FAILED unless it was EXIT_MISUSED.
 */
int check_output(int status);

#endif
