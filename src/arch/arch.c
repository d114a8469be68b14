/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The architectures by name and by ELF machine. A new one is a file with its table and a row here.
 */
#include "arch/arch.h"

#include <string.h>

static const struct arch_ops *const all[] = { &arch_x86_64, &arch_arm64, &arch_i386 };

#define NR_ARCHS (sizeof(all) / sizeof(all[0]))

const struct arch_ops *arch_find(const char *name)
{
	for (size_t i = 0; i < NR_ARCHS; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	/* Other names: of the kernel's tree and of distributions. */
	if (strcmp(name, "arm64") == 0)
		return &arch_arm64;
	if (strcmp(name, "amd64") == 0)
		return &arch_x86_64;
	return name[0] == 'i' && name[1] && strcmp(name + 2, "86") == 0 ? &arch_i386 : NULL; /* i486 to i686 */
}

const struct arch_ops *arch_find_machine(uint16_t elf_machine)
{
	for (size_t i = 0; i < NR_ARCHS; i++)
		if (all[i]->elf_machine == elf_machine)
			return all[i];
	return NULL;
}

const struct arch_ops *arch_native(void)
{
#if defined(__x86_64__)
	return &arch_x86_64;
#elif defined(__aarch64__)
	return &arch_arm64;
#else
#error "an architecture that assay has no table for: add one beside this file"
#endif
}
