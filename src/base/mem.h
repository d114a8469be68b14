/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Allocation that cannot fail, for sizes that are ours: mem_* print one line and abort. A size that comes from outside is first compared
 * with what the input can hold, or goes through malloc and an error return.
 */
#ifndef ASSAY_BASE_MEM_H
#define ASSAY_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t size);  /* uninitialised */
void *mem_zalloc(size_t size); /* zeroed */
void *mem_realloc(void *p, size_t nr, size_t item_size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Says that `size` bytes could not be had, and aborts. */
void mem_die(size_t size) __attribute__((noreturn));

#endif
