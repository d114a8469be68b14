/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of CPUs: as written in options and sysfs ("0-3,7"), and as the machine has them.
 */
#ifndef ASSAY_KERNEL_CPUS_H
#define ASSAY_KERNEL_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"

#define CPUS_MAX 65536u /* no kernel is built for more; bounds hostile lists */

/* Ascending, each once. A zeroed struct is an empty list. */
struct cpu_list {
	VEC(uint32_t) cpus;
};
void cpu_list_fini(struct cpu_list *l);

/* Parses "0-3,7" (spaces and a final line break are allowed); -EINVAL with a sentence. "" is empty. */
int cpu_list_parse(struct cpu_list *l, const char *text, struct errbuf *eb);
/* The online CPUs: sysfs, or the affinity mask of init where there is no sysfs; never empty. */
void cpu_list_online(struct cpu_list *l);
/* -C: parses and checks that all are online; -ENODEV with the sentence otherwise. */
int cpu_list_parse_online(struct cpu_list *l, const char *text, struct errbuf *eb);
bool cpu_list_has(const struct cpu_list *l, uint32_t cpu);
/* As text, "0-3,7"; the caller frees. */
char *cpu_list_format(const struct cpu_list *l);

#endif
