# `assay profile`: from programs of several languages to the answer and the page, in one command.
. "$(dirname "$0")/../lib.sh"

# hot NAME: the first of the hottest functions has it
hot() {
	sed -n '/^Hottest functions/{n;p}' answer | grep -q -- "$1" || fail "the hottest function is not $1: $(cat answer log)"
	grep -q '^Quality: ' answer || fail "no quality line: $(cat answer)"
	[ -s profile.html ] && [ -s perf.data ] || fail "files are missing: $(ls)"
}

profile() {
	rm -f profile.html perf.data answer
	"$ASSAY" profile "$@" >answer 2>log || fail "profile $*: status $?: $(cat log)"
}

profile -- "$WORKLOADS/seventy_thirty" 1
hot seventy
grep -q '^ *[0-9.]*% *seventy$' answer || fail "the path does not end in seventy(): $(cat answer)"
grep -q '^Page:      profile\.html' answer || fail "the page is not named: $(cat answer)"
[ "$("$ASSAY" report --stdio --no-children -g none 2>/dev/null | grep -c ' seventy$')" = 1 ] || fail "the recording is not readable"

# a running process, for a time; Ctrl-C
"$WORKLOADS/seventy_thirty" 60 &
pid=$!
profile -p $pid --duration 1
hot seventy
rm -f profile.html perf.data
"$ASSAY" profile -p $pid >answer 2>log &
profiler=$!
spent() { # by the program, in ticks of 10 ms
	awk '{ print $14 + $15 }' "/proc/$pid/stat"
}
until [ -s perf.data ]; do
	kill -0 $profiler || fail "profile -p: $(cat log)"
	sleep 0.1
done
from=$(spent)
until [ $(($(spent) - from)) -ge 100 ]; do
	kill -0 $profiler || fail "profile -p: $(cat log)"
	sleep 0.1
done
kill -INT $profiler
wait $profiler || fail "Ctrl-C: status $?: $(cat log)"
hot seventy
kill $pid

# where there is no room for the page, the answer comes all the same
rm -f perf.data
expect_exit 1 "$ASSAY" profile -o /dev/full -- "$WORKLOADS/seventy_thirty" 1 >answer 2>log
grep -q 'cannot write /dev/full' log || fail "the full disk is not named: $(cat log)"
sed -n '/^Hottest functions/{n;p}' answer | grep -q seventy || fail "no answer without a page: $(cat answer log)"
! grep -q '^Page:' answer && grep -q '^Recording: perf\.data' answer || fail "a page that is not there is named: $(cat answer)"

# nor where it cannot be made at all, and nobody could know before
if [ -w /proc ]; then
	rm -f perf.data
	expect_exit 1 "$ASSAY" profile -o /proc/profile.html -- "$WORKLOADS/seventy_thirty" 1 >answer 2>log
	grep -q 'cannot write /proc/profile.html' log || fail "the page is not named: $(cat log)"
	sed -n '/^Hottest functions/{n;p}' answer | grep -q seventy || fail "no answer without a page: $(cat answer log)"
	grep -q '^Quality: 100.0% of stacks' answer && grep -q '^Recording: perf\.data' answer || fail "no quality without a page: $(cat answer)"
fi

# the command's status; what cannot be run; wrong command lines
expect_exit 3 "$ASSAY" profile -q -- sh -c 'exit 3' >answer
before=$(stat -c %Y%i perf.data)
expect_exit 127 "$ASSAY" profile -- ./no-such-program >answer 2>log
[ ! -s answer ] && [ "$(stat -c %Y%i perf.data)" = "$before" ] || fail "an older recording was shown: $(cat answer)"
expect_exit 2 "$ASSAY" profile 2>log
expect_exit 2 "$ASSAY" profile -o - -- true 2>log
expect_exit 2 "$ASSAY" profile --data same --output same -- true 2>log
ln -s perf.data linked
expect_exit 2 "$ASSAY" profile -o linked -- true >answer 2>log

# other languages, where they are there
if command -v c++ >/dev/null; then
	printf '%s\n' 'namespace shop { __attribute__((noinline)) long search(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s << 1); return s; } }' \
		'int main() { volatile long s = 0; for (int i = 0; i < 4000; i++) s = s + shop::search(200000 + i % 7 + s % 2); }' >a.cc
	c++ -O1 -g -o a-cc a.cc
	profile -- ./a-cc
	hot 'shop::search'
fi
if command -v rustc >/dev/null; then
	printf '%s\n' '#[inline(never)] fn churn(n: u64) -> u64 { let mut s = 0u64; for i in 0..n { s = s.wrapping_mul(31).wrapping_add(i); } s }' \
		'fn main() { let mut t = 0u64; for i in 0..4000u64 { t ^= churn(std::hint::black_box(200000) + i % 2); } println!("{}", t); }' >a.rs
	rustc -O -g -o a-rs a.rs 2>rustc.log && { profile -- ./a-rs; hot churn; }
fi
if command -v go >/dev/null; then
	printf '%s\n' 'package main' '//go:noinline' 'func churn(n int) int { s := 0; for i := 0; i < n; i++ { s = s*31 + i }; return s }' \
		'func main() { t := 0; for i := 0; i < 4000; i++ { t ^= churn(200000 + t%3) }; println(t) }' >a.go
	GOCACHE=$PWD/go-cache GO111MODULE=off go build -o a-go a.go 2>go.log && { profile -- ./a-go; hot main.churn; }
fi
if command -v node >/dev/null; then
	printf '%s\n' 'function churn(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }' \
		'let t = 0; while (process.cpuUsage().user < 1500000) t ^= churn(300000); console.log(t);' >a.js
	profile -- node a.js
	hot churn
fi
if command -v javac >/dev/null && command -v java >/dev/null; then
	printf '%s\n' 'public class A { static long churn(long n) { long s = 0; for (long i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }' \
		'public static void main(String[] a) { long t = 0, end = System.nanoTime() + 3000000000L; while (System.nanoTime() < end) t ^= churn(300000); System.out.println(t); } }' >A.java
	javac A.java && { profile -- java -cp . A; hot churn; }
fi
if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ] && [ -x /usr/bin/python3 ] && "$ASSAY" version --build-options | grep -q 'bpf: \[ on'; then
	printf '%s\n' 'import time' 'def churn(n):' '    s = 0' '    for i in range(n):' '        s = (s + i) & 255' '    return s' \
		'while time.process_time() < 1.5:' '    churn(20000)' >a.py
	profile -- /usr/bin/python3 a.py
	! grep -q 'Recording goes on without' log || skip "BPF cannot be used here"
	hot 'a\.py:churn'
fi
