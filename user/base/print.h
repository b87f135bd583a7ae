/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program prints beside its output: messages (diag.h), one line each. Only programs include
 * this header.
 */
#pragma once

#include <stdarg.h>

/* Installs the receiver that prints messages: DIAG_DONE without a prefix on stdout; others on
 * stderr as "PROGRAM: MESSAGE" or "PROGRAM: note: MESSAGE"; and progress, if stderr is a terminal.
 * The first call of main(). The string is not copied: it must live as long as the program.
 */
void print_as(const char *program);

/* Does what printf() does, after text_clean(): for a part of a line with text from outside. Returns
 * the number of bytes.
 */
__attribute__((format(printf, 1, 2))) int print_clean(const char *format, ...);

/* Prints lines on stderr, after text_clean_lines(): for libraries that print whole lines
 * (kernel_print_by()). Returns the number of bytes, or -1.
 */
__attribute__((format(printf, 1, 0))) int print_lines(const char *format, va_list args);

/* Closes stdout, and returns the status for main() to return; the last call of a program. Output is
 * buffered, so that a full disk may be detected only here: then it prints an error, and returns
 * EXIT_FAILED unless the status was EXIT_MISUSED.
 */
int check_output(int status);
