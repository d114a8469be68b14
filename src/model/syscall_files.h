/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What syscall_log.c, syscall_files.c and syscall_describe.c share; others include model/syscall_log.h.
 */
#ifndef ASSAY_MODEL_SYSCALL_FILES_H
#define ASSAY_MODEL_SYSCALL_FILES_H

#include "model/syscall_log.h"

/* Whether a description says what stands for the path: that of a socket, a pipe, an anonymous inode or a memfd. */
bool syscall_files_has_name(struct syscall_log *l, const struct syscall_file *f);
/* Takes t->files. */
void syscall_files_describe(struct syscall_log *l, const struct traced *t);

/* Memory that waits for the end of a call is let go with the task. */
void syscall_log_end_task(struct syscall_log *l, int32_t tid);

#endif
