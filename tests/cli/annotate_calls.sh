# The browser of annotate: Enter on a call goes to the function that is called, and back.
. "$(dirname "$0")/../lib.sh"
need cc
need tmux
"$ASSAY" version --build-options | grep -q 'libcapstone.*\[ *on' || skip "this build has no capstone"
"$ASSAY" version --build-options | grep -q 'ncurses: \[ on' || skip "assay is built without ncurses"

cat >work.c <<'C'
__attribute__((noinline)) unsigned leaf(unsigned n)
{
	unsigned s = n;

	for (unsigned i = 0; i < 100; i++)
		asm volatile("" : "+r"(s));
	return s;
}
__attribute__((noinline)) unsigned caller(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < 100; k++)
			asm volatile("" : "+r"(s));
		s += leaf(i);
	}
	return s;
}
int main(void)
{
	volatile unsigned sum = 0;

	for (int i = 0; i < 20; i++)
		sum += caller(100000);
	return 0;
}
C
cc -O2 -o work work.c
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o work.data ./work
mux() {
	tmux -S "$TMPDIR/tmux.socket" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null || true' EXIT
mux new-session -d -s ui -x 100 -y 24 "LC_ALL=C.UTF-8 '$ASSAY' annotate -i work.data"
shows() {
	local i
	for ((i = 0; i < 600; i++)); do
		! mux capture-pane -p -t ui 2>/dev/null | grep -qE -- "$1" || return 0
		sleep 0.1
	done
	fail "'$1' does not come: $(mux capture-pane -p -t ui)"
}
key() {
	mux send-keys -t ui "$@"
}
shows ' caller \(work\)'
key /
shows 'only rows with:'
key caller Enter
shows "only 'caller'"
key Enter
shows '^caller \(work\), [0-9]+ samples'
key /
shows 'only rows with:'
key ' <leaf>' Enter
shows "only ' <leaf>'"
key Enter
shows '^leaf \(work\), [0-9]+ samples'
key q
shows '^caller \(work\), [0-9]+ samples'
key Escape
shows 'ret$|jne?|cmp'
key Home Enter
shows 'this line neither jumps nor calls'
key q q
