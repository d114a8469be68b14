# Code of just-in-time compilers: annotated from the dump that they write, and which of several versions of a function the browser opens.
. "$(dirname "$0")/../lib.sh"
need tmux
need jq
need cc
"$ASSAY" version --build-options | grep -q 'libcapstone.*\[ *on' || skip "this build has no capstone"

# A compiler in small: a dump with lines and the code of spin(), which it puts into memory that no file stands behind.
cat >generates.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define SIZE 256
static FILE *dump;
static void u32(uint32_t v) { fwrite(&v, sizeof(v), 1, dump); }
static void u64(uint64_t v) { fwrite(&v, sizeof(v), 1, dump); }
static void record(uint32_t type, size_t body)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	u32(type), u32((uint32_t)(16 + body)), u64((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}
__attribute__((noinline, noclone)) uint64_t spin(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(n));
	return n;
}
int main(int argc, char **argv)
{
	static const char name[] = "generated \33[31m";
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	uint64_t addr = (uintptr_t)code;

	(void)argc;
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	dump = fopen(path, "w+");
	if (!dump || code == MAP_FAILED || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		return 1;
	memcpy(code, (const void *)(uintptr_t)spin, SIZE);
	u32(0x4a695444), u32(1), u32(40), u32(0), u32(0), u32((uint32_t)getpid()), u64(0), u64(0);
	record(2, 16 + 16 + strlen(argv[1]) + 1 + 16 + 2);
	u64(addr), u64(2);
	u64(addr), u32(2), u32(0), fwrite(argv[1], strlen(argv[1]) + 1, 1, dump);
	u64(addr + 1), u32(3), u32(0), fwrite("\xff", 2, 1, dump);
	record(0, 40 + sizeof(name) + SIZE);
	u32((uint32_t)getpid()), u32((uint32_t)syscall(SYS_gettid)), u64(addr), u64(addr), u64(SIZE), u64(1);
	fwrite(name, sizeof(name), 1, dump), fwrite(code, SIZE, 1, dump), fflush(dump);
	for (int i = 0; i < 200; i++)
		((uint64_t(*)(uint64_t))(uintptr_t)code)(2000000);
	return 0;
}
C
cc -O2 -o generates generates.c
printf 'one\nhead of the loop\nthe loop\nfour\n' >loop.src
"$ASSAY" record -q -F 1999 -k CLOCK_MONOTONIC -o dump.data ./generates "$PWD/loop.src"
annotate=("$ASSAY" annotate -q -i dump.data -s $'generated \33[31m')
"${annotate[@]}" --json >json || fail "status $?"
jq -e '.functions[0] | .code_missing == null and (.code_from | test("jit-[0-9]+\\.dump$"))' json >none || fail "no code: $(head -c 600 json)"
jq -e '.functions[0] | ([.instructions[].events[0].samples // 0] | add) == .events[0].samples' json >none || fail "samples are not on its code"
jq -e '[.functions[0].instructions[] | select(.kind == "branch" and .jump != null)] | length > 0' json >none || fail "no jump inside"
jq -e '[.functions[0].instructions[].line] | unique == [2, 3]' json >none || fail "no lines"
"${annotate[@]}" --stdio >out
grep -q ': 2 *head of the loop$' out && grep -q ': 3 *the loop$' out && grep -qF 'generated \e[31m():' out || fail "no source: $(head -30 out)"
# Two versions of a function in a map: the row stands for both, and the hotter one is opened.
cat >twice.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline, noclone)) uint64_t spin(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(n));
	return n;
}
int main(void)
{
	char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map || code == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++) {
		memcpy(code + 4096 * i, (const void *)(uintptr_t)spin, 256);
		fprintf(map, "%lx 100 %s\n", (unsigned long)(uintptr_t)code + 4096 * i, i ? "JS:*again a.js:1" : "JS:~again a.js:1");
	}
	fclose(map);
	for (int i = 0; i < 200; i++) {
		((uint64_t(*)(uint64_t))(uintptr_t)code)(200000);
		((uint64_t(*)(uint64_t))(uintptr_t)(code + 4096))(2000000);
	}
	puts(path);
	return 0;
}
C
cc -O2 -o twice twice.c
rm -f "$("$ASSAY" record -q -F 1999 -o twice.data ./twice)"
hot=$("$ASSAY" annotate --json -i twice.data | jq '[.functions[] | select(.name == "again a.js:1") | .events[0].samples] | sort')
[ "$(jq length <<<"$hot")" = 2 ] || fail "there are not two versions: $hot"
mux() {
	tmux -S "$TMPDIR/tmux.socket" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null || true' EXIT
mux new-session -d -s ui -x 100 -y 24 "env -u LC_ALL LC_CTYPE=C.UTF-8 '$ASSAY' report -i twice.data"
shows() {
	local i
	for ((i = 0; i < 600; i++)); do
		! mux capture-pane -p -t ui 2>/dev/null | grep -qE -- "$1" || return 0
		sleep 0.1
	done
	fail "'$1' does not come: $(mux capture-pane -p -t ui)"
}
shows 'again a.js:1'
mux send-keys -t ui a
shows "again a.js:1 .*, $(jq '.[1]' <<<"$hot") samples"
shows 'compiled 2 times: this is the hottest'
mux send-keys -t ui q q
