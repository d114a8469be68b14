/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of capstone that the disassembler calls, from the shared library, which is loaded when the first of them is called: its tables
 * have 77,000 relocations, which would be the largest part of each start of assay. The statically linked program has the library's own functions
 * instead of this file.
 */
#include <capstone/capstone.h>

#include "base/lazy_library.h"

#define LIBRARY "libcapstone.so.4"

#define FUNCTIONS(X)                                                                                                                       \
	X(cs_open)                                                                                                                         \
	X(cs_close)                                                                                                                        \
	X(cs_option)                                                                                                                       \
	X(cs_malloc)                                                                                                                       \
	X(cs_free)                                                                                                                         \
	X(cs_disasm_iter)                                                                                                                  \
	X(cs_insn_name)

LAZY_LIBRARY(FUNCTIONS)

/* Called before any other function. */
cs_err cs_open(cs_arch arch, cs_mode mode, csh *handle)
{
	static int is_loaded = -1;

	if (is_loaded < 0)
		is_loaded = LAZY_LOAD(LIBRARY, "no disassembly");
	return is_loaded ? library.cs_open(arch, mode, handle) : CS_ERR_MEM;
}

cs_err cs_close(csh *handle)
{
	return library.cs_close(handle);
}

cs_err cs_option(csh handle, cs_opt_type type, size_t value)
{
	return library.cs_option(handle, type, value);
}

cs_insn *cs_malloc(csh handle)
{
	return library.cs_malloc(handle);
}

void cs_free(cs_insn *insn, size_t count)
{
	library.cs_free(insn, count);
}

bool cs_disasm_iter(csh handle, const uint8_t **code, size_t *size, uint64_t *address, cs_insn *insn)
{
	return library.cs_disasm_iter(handle, code, size, address, insn);
}

const char *cs_insn_name(csh handle, unsigned int id)
{
	return library.cs_insn_name(handle, id);
}
