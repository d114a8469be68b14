#!/bin/bash
# A recording of another user is refused without -f by every command that reads one, as perf refuses it, also for root; root's own and
# the user's own are read, and what comes through standard input.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root can give files to another user"
need setpriv
let_others_run

other=65534
"$ASSAY" record -q -F 5000 -o mine.data -- "$WORKLOADS/burn" 0.1
"$ASSAY" stat record -o counts.data -- true 2>/dev/null
"$ASSAY" record -q -o - -- true >piped.data
gzip -c mine.data >packed.gz
mkdir dir.data
cp mine.data dir.data/data
cp -r mine.data other.data && cp counts.data counts.other && cp piped.data piped.other && cp packed.gz packed.other
cp -r dir.data dir.other
chown -R "$other" other.data counts.other piped.other packed.other dir.other
printf 'main;work 10\n' >folded.other
chown "$other" folded.other

# refused WORDS…: with a sentence and nothing on stdout; read with -f.
refused() {
	"$ASSAY" "$@" >out 2>err && fail "a file of another user is read: assay $*"
	[ ! -s out ] || fail "printed something of a file of another user: assay $*"
	grep -q "is owned by user $other, not by you or root (use -f to read it anyway)" err || fail "assay $* says: $(cat err)"
	"$ASSAY" "$@" -f >out 2>err || fail "assay $* -f: $(cat err)"
}
for file in other.data piped.other packed.other dir.other; do
	for words in "report --stdio" script evlist "export --format folded -o -" "flame -o f.svg" "heatmap --offset -o h.svg" \
		"report --header-only" "script -D" "report -D"; do
		refused $words -i "$file"
	done
done
refused stat report -i counts.other
cp "$(dirname "$0")/../cli/sched_stats/x17.data" stats.data
cp stats.data stats.other && chown "$other" stats.other && chown 0 stats.data
refused sched stats report -i stats.other
for files in "stats.other stats.data" "stats.data stats.other"; do
	expect_exit 1 "$ASSAY" sched stats diff $files >out 2>err
	grep -q "stats.other is owned by user $other, not by you or root" err || fail "stats diff says: $(cat err)"
	"$ASSAY" sched stats diff -f $files >out 2>err || fail "stats diff -f: $(cat err)"
done
for words in "sched latency" "sched timehist" "sched map" "sched summary" "timechart -o t.svg" wall trace "trace -s" "lock contention" "kwork report" \
	"kmem stat" latency "annotate --stdio" "view -o v.html" "inject -b -o i.data"; do
	expect_exit 1 "$ASSAY" $words -i other.data >out 2>err
	grep -q "is owned by user $other, not by you or root" err || fail "$words reads a file of another user: $(cat err)"
done
refused diff other.data mine.data
refused diff mine.data other.data
refused flame -o f.svg --diff mine.data other.data
refused import -o copy.data other.data
refused import -o copy.data packed.other
expect_exit 1 "$ASSAY" import -o copy2.data other.data 2>err
[ ! -e copy2.data ] || fail "a copy was made of a file that was refused"
if [ -n "$PERF" ]; then
	"$PERF" script -i other.data >out 2>err && fail "perf reads a file of another user"
	grep -q "not owned by current user or root (use -f to override)" err || fail "perf says: $(cat err)"
fi

# Profiles of other tools name no files to open.
"$ASSAY" report --stdio -i folded.other >out 2>err || fail "folded stacks of another user: $(cat err)"
# Standard input is no file that somebody else could have put there unseen.
"$ASSAY" script -i - <piped.other >out 2>err || fail "standard input: $(cat err)"
"$ASSAY" script <piped.other -i - >out 2>err || fail "standard input: $(cat err)"

# Another user reads their own files and root's.
chmod 755 . && chmod 644 ./*.data ./*.other
as_other() {
	setpriv --reuid="$other" --regid="$other" --clear-groups env HOME=/nonexistent XDG_CACHE_HOME= "$@"
}
for file in other.data mine.data; do
	as_other "$ASSAY" script -i "$PWD/$file" >out 2>err || fail "$file as its owner or of root: $(cat err)"
done
chown 12345 other.data
expect_exit 1 as_other "$ASSAY" script -i "$PWD/other.data" >out 2>err
grep -q "is owned by user 12345, not by you or root" err || fail "as an ordinary user: $(cat err)"
