# sched stats: recordings of perf 7.2 (of made-up counters) with its own output of them, mistakes, and machines without /proc/schedstat.
. "$(dirname "$0")/../lib.sh"
stored=$(cd "$(dirname "$0")/sched_stats" && pwd)

same() { # EXPECTED WORDS…
	local expected=$1
	shift
	"$ASSAY" sched stats "$@" >out 2>err || fail "stats $*: $(cat err)"
	diff "$stored/$expected" out >differ || fail "stats $*: $(head differ)"
}
same x15.report report -i "$stored/x15.data"
same x17.report-v report -v "$stored/x17.data"
same x17-y17.diff diff "$stored/x17.data" "$stored/y17.data"
# perf 7.2 calls one line of version 16 "newidle_lb_avg_count", though it is what the others call "avg_pulled".
"$ASSAY" sched stats report -i "$stored/x16.data" >out 2>err || fail "version 16: $(cat err)"
diff <(sed 's/newidle_lb_avg_count /newidle_lb_avg_pulled/' "$stored/x16.report") out >differ || fail "version 16: $(head differ)"

# One CPU, with the means of all.
"$ASSAY" sched stats report -C 1 -i "$stored/x17.data" | grep ^CPU: >out
diff - out <<'TXT' || fail "-C 1"
CPU: <ALL CPUS SUMMARY>
CPU: <ALL CPUS SUMMARY> | DOMAIN: MC
CPU: <ALL CPUS SUMMARY> | DOMAIN: PKG
CPU: 1
CPU: 1 | DOMAIN: MC | DOMAIN_CPUS: 0-1
CPU: 1 | DOMAIN: PKG | DOMAIN_CPUS: 0-1
TXT

# Cut files, other files, other machines.
head -c 3000 "$stored/x17.data" >cut.data
head -c 1500 "$stored/x17.data" >short.data
for file in cut.data short.data "$stored/x17.report-v" missing.data; do
	expect_exit 1 "$ASSAY" sched stats diff "$file" "$stored/x17.data" >none 2>&1
done
expect_exit 1 "$ASSAY" sched stats diff "$stored/x15.data" "$stored/x17.data" 2>none
expect_exit 2 "$ASSAY" sched stats report -o x.data 2>none
expect_exit 2 "$ASSAY" sched stats diff a b c 2>none

if [ ! -e /proc/schedstat ]; then
	expect_exit 1 "$ASSAY" sched stats record -o new.data true 2>err
	grep -q 'built without CONFIG_SCHEDSTATS' err || fail "no reason: $(cat err)"
	[ ! -e new.data ] || fail "a recording without counters"
	exit 0
fi
"$ASSAY" sched stats record -o new.data true 2>err || fail "record: $(cat err)"
"$ASSAY" sched stats report -i new.data | grep -q '^CPU: 0$' || fail "report of what was recorded"
expect_exit 3 "$ASSAY" sched stats record -o new.data sh -c 'exit 3'
