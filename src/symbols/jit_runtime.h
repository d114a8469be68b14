/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runtimes that generate code, by the files that their processes map, and what makes each describe its code.
 */
#ifndef ASSAY_SYMBOLS_JIT_RUNTIME_H
#define ASSAY_SYMBOLS_JIT_RUNTIME_H

enum jit_runtime {
	JIT_UNKNOWN,
	JIT_NODE,
	JIT_JAVA,
	JIT_PYTHON,
	JIT_DOTNET,
	JIT_PHP,
	JIT_MONO,
	JIT_RUBY,
	JIT_LUA,
	JIT_PYPY,
	JIT_ERLANG,
	JIT_JULIA,
	JIT_QEMU,
	JIT_GUILE,
	JIT_NR_RUNTIMES,
};

/* Of a program or library, by the last part of its path. */
enum jit_runtime jit_runtime_of_path(const char *path);

/* How its code gets names, and how stacks lead through it: sentences without a full stop. */
const char *jit_runtime_names_advice(enum jit_runtime runtime);
const char *jit_runtime_stacks_advice(enum jit_runtime runtime);

#endif
