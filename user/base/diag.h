/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program tells people beside its output: one line each, on stderr. Names and paths in it
 * may come from others: what could control a terminal is shown as '?'.
 */
#ifndef XDP_DEDUP_DIAG_H
#define XDP_DEDUP_DIAG_H

/* Sets the program's name, with which each line begins; "xdp-dedup" until then. The string is not
 * copied: it must live as long as the program.
 */
void diag_as(const char *program);

/* Prints what went wrong and what to do about it. Returns err as it is given, so that the function
 * which knows the most can print and return in one statement; its callers pass err on and print
 * nothing.
 */
__attribute__((format(printf, 2, 3))) int diag_err(int err, const char *format, ...);

/* Prints a note: what was asked for is done, but something about it may surprise. */
__attribute__((format(printf, 1, 2))) void diag_note(const char *format, ...);

/* A line of a file that is being read, or from which something came. path: NULL: of no file. */
struct diag_place {
	const char *path;
	unsigned int line;
};

/* Has each message of the two above begin with "PATH:LINE: ", until the next call. The path is not
 * copied. Returns the place until now, for whoever puts it back.
 */
struct diag_place diag_at(struct diag_place place);

/* The place of messages now. */
struct diag_place diag_place(void);

enum diag_kind { DIAG_ERR, DIAG_NOTE };

/* Has what the two above are told go to this function instead of to stderr, for whoever shows it in
 * another form: the text alone, without the program's name. `to` is handed on. NULL: to stderr
 * again.
 */
typedef void (*diag_listener)(void *to, enum diag_kind kind, const char *line);
void diag_to(diag_listener listener, void *to);

/* Shows how far the program is, if stderr is a terminal; else does nothing. The line stays until
 * the next call of any function here overwrites it. It must be shorter than the terminal is wide,
 * or a part of it stays.
 */
__attribute__((format(printf, 1, 2))) void diag_progress(const char *format, ...);

/* Erases that line. To be called before something is printed by other means, and at the end. */
void diag_progress_end(void);

#endif
