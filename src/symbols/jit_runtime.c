/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of files are compared up to a version: php8.2, libruby-3.1.so.3.1.2, libpypy3.9-c.so.
 */
#include "symbols/jit_runtime.h"

#include <string.h>

static const struct file {
	const char *start;
	enum jit_runtime runtime;
} files[] = {
	{ "node", JIT_NODE },
	{ "nodejs", JIT_NODE },
	{ "libnode.so", JIT_NODE },
	{ "libjvm.so", JIT_JAVA },
	{ "libcoreclr.so", JIT_DOTNET },
	{ "php", JIT_PHP },
	{ "libphp", JIT_PHP },
	{ "mono", JIT_MONO },
	{ "mono-sgen", JIT_MONO },
	{ "mono-boehm", JIT_MONO },
	{ "libmonosgen", JIT_MONO },
	{ "ruby", JIT_RUBY },
	{ "libruby", JIT_RUBY },
	{ "luajit", JIT_LUA },
	{ "libluajit", JIT_LUA },
	{ "pypy", JIT_PYPY },
	{ "libpypy", JIT_PYPY },
	{ "beam.smp", JIT_ERLANG },
	{ "libjulia", JIT_JULIA },
	{ "qemu", JIT_QEMU },
	{ "libguile", JIT_GUILE },
	{ "python", JIT_PYTHON },
	{ "libpython", JIT_PYTHON },
};

enum jit_runtime jit_runtime_of_path(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t len;

	base = base ? base + 1 : path;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		len = strlen(files[i].start);
		/* A version, or the end: "phpstorm" is no PHP. */
		if (strncmp(base, files[i].start, len) == 0 && strspn(base + len, "-.0123456789") >= (base[len] != 0))
			return files[i].runtime;
	}
	return JIT_UNKNOWN;
}

const char *jit_runtime_names_advice(enum jit_runtime runtime)
{
	static const char *const texts[JIT_NR_RUNTIMES] = {
		[JIT_UNKNOWN] = ("let the program write its map file (node --perf-basic-prof, java -XX:+UnlockDiagnosticVMOptions "
				 "-XX:+DumpPerfMapAtExit, python3 -X perf)"),
		[JIT_NODE] = "start it with node --perf-basic-prof (or NODE_OPTIONS=--perf-basic-prof)",
		[JIT_JAVA] = "let the program write its map file (java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)",
		[JIT_PYTHON] = "start it with python3 -X perf (3.12 or later)",
		[JIT_DOTNET] = "start it with DOTNET_PerfMapEnabled=1 in its environment",
		[JIT_PHP] = "start it with php -d opcache.jit_debug=0x10",
		[JIT_MONO] = "start it with mono --jitmap (or MONO_ENV_OPTIONS=--jitmap)",
		[JIT_RUBY] = "start it with ruby --yjit-perf (3.3 or later)",
		[JIT_LUA] = "LuaJIT does not say what it compiles to (luajit -joff compiles nothing)",
		[JIT_PYPY] = "PyPy does not say what it compiles to (pypy3 --jit off compiles nothing)",
		[JIT_ERLANG] = "start it with erl +JPperf true (or ERL_FLAGS='+JPperf true')",
		[JIT_JULIA] = "start it with ENABLE_JITPROFILING=1 in its environment",
		[JIT_QEMU] = "start it with qemu -perfmap (8.0 or later)",
		[JIT_GUILE] = "Guile does not say what it compiles to (GUILE_JIT_THRESHOLD=-1 in its environment: compiles nothing)",
	};

	return texts[runtime];
}

const char *jit_runtime_stacks_advice(enum jit_runtime runtime)
{
	static const char *const texts[JIT_NR_RUNTIMES] = {
		[JIT_UNKNOWN] = "let the generated code keep frame pointers (java -XX:+PreserveFramePointer)",
		[JIT_JAVA] = "let the generated code keep frame pointers (java -XX:+PreserveFramePointer)",
		[JIT_PHP] = "PHP's keeps no frame pointers either (php -d opcache.jit=off generates none)",
		[JIT_RUBY] = "start it with ruby --yjit-perf, which keeps frame pointers (3.3 or later)",
		[JIT_LUA] = "LuaJIT's keeps no frame pointers either (luajit -joff generates none)",
		[JIT_PYPY] = "PyPy's keeps no frame pointers either (pypy3 --jit off generates none)",
		[JIT_ERLANG] = "start it with erl +JPperf true, which keeps frame pointers (or ERL_FLAGS='+JPperf true')",
		[JIT_GUILE] = "Guile's keeps no frame pointers either (GUILE_JIT_THRESHOLD=-1 in its environment: generates none)",
	};

	return texts[runtime] ? texts[runtime] : "callers of some of it are not found";
}
