/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages on stderr. The level is one of the few mutable globals.
 */
#ifndef ASSAY_BASE_LOG_H
#define ASSAY_BASE_LOG_H

enum log_level { LOG_QUIET = -1, LOG_NORMAL = 0, LOG_VERBOSE = 1, LOG_DEBUG = 2 };

extern enum log_level log_level;

/* Always shown, prefix "assay: "; for cmd/main.c. Control bytes of all messages are escaped, but for line breaks. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Shown unless -q: what the user should know about the result. Prefix "assay: ". */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Shown with -v / -vv. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
