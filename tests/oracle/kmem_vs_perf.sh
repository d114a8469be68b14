# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# Memory of the kernel as perf kmem sums it up, on perf's recordings and on ours: rows, their order, sums. Where perf is wrong, kmem_truth.py
# computes both perf's number and the right one from the samples.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
"$ASSAY" record -q -a -e kmem:kmalloc -o probe.data true 2>err || skip "no tracepoints of memory: $(cat err)"
here=$(dirname "$0")
work="ls -R /usr/include/linux"

perf_record --no-bpf-event -a -m 4096 -c 1 -R -e kmem:kmalloc,kmem:kfree,kmem:kmem_cache_alloc,kmem:kmem_cache_free -o slab_perf.data -- $work
perf_record --no-bpf-event -a -m 1024 -c 1 -R -g -e kmem:mm_page_alloc,kmem:mm_page_free -o page_perf.data -- $work
"$ASSAY" kmem record -q -o slab_ours.data -- $work >/dev/null 2>err || fail "kmem record: $(cat err)"
"$ASSAY" kmem record --page -q -o page_ours.data -- $work >/dev/null 2>err || fail "kmem record --page: $(cat err)"

# perf_kmem OPTIONS: with the options before the word, where perf has them.
perf_kmem() { "$PERF" kmem "$@" stat 2>perf.err || fail "perf kmem $*: $(cat perf.err)"; }
rows() { grep '|' "$1" | grep -v 'Frag$'; }
for data in slab_perf.data slab_ours.data; do
	"$PERF" script -i $data -F cpu,event,trace >samples.txt 2>/dev/null || fail "perf script"
	[ "$(wc -l <samples.txt)" -gt 1000 ] || skip "hardly any allocation"
	for table in --caller --alloc; do
		for keys in frag,hit,bytes bytes; do
			perf_kmem -i $data $table -s $keys >perf.txt
			"$ASSAY" kmem stat -q -i $data $table -s $keys >ours.txt 2>err || fail "kmem stat $table: $(cat err)"
			# All but the column of ping-pong, in perf's order.
			diff <(rows perf.txt | cut -d'|' -f1-4,6) <(rows ours.txt | cut -d'|' -f1-4,6) >rows ||
				fail "$data $table -s $keys: $(head -20 rows)"
			python3 "$here/kmem_truth.py" slab samples.txt perf.txt ours.txt || fail "$data $table -s $keys"
		done
	done
	perf_kmem -i $data --caller -l 2 --raw-ip >perf.txt
	"$ASSAY" kmem stat -q -i $data --caller -l 2 --raw-ip >ours.txt
	diff <(rows perf.txt | grep 0x | cut -d'|' -f1-4,6) <(rows ours.txt | cut -d'|' -f1-4,6) || fail "--raw-ip"
	grep -Eq '^ \.\.\. [0-9]+ more$' ours.txt || fail "-l 2: $(cat ours.txt)"
done
# A part of it by time.
times=$("$PERF" script -i slab_perf.data -F time 2>/dev/null | awk -F: '{ t[NR] = $1 + 0 } END { printf "%.6f,%.6f", t[int(NR / 4)], t[int(NR / 2)] }')
perf_kmem -i slab_perf.data --time "$times" >perf.txt
"$ASSAY" kmem stat -q -i slab_perf.data --time "$times" >ours.txt 2>err || fail "--time: $(cat err)"
diff <(grep -E 'requested|allocated:|wasted' perf.txt | grep -v Net) <(grep -E 'requested|allocated:|wasted' ours.txt | grep -v Net) || fail "--time $times"

for data in page_perf.data page_ours.data; do
	"$PERF" script -i $data -F cpu,event,trace -G >samples.txt 2>/dev/null || fail "perf script"
	perf_kmem -i $data --page --alloc >perf.txt
	"$ASSAY" kmem stat -q -i $data --page --alloc >ours.txt 2>err || fail "kmem stat --page: $(cat err)"
	python3 "$here/kmem_truth.py" page samples.txt perf.txt ours.txt || fail "$data --page --alloc"
	perf_kmem -i $data --page --alloc --live >perf.txt
	"$ASSAY" kmem stat -q -i $data --page --alloc --live >ours.txt 2>err || fail "kmem stat --live: $(cat err)"
	python3 "$here/kmem_truth.py" live samples.txt perf.txt ours.txt || fail "$data --page --alloc --live"
	"$ASSAY" kmem stat -q -i $data --page --caller -s order,hit >ours.txt || fail "--page --caller"
	grep '|' ours.txt | grep -v Mig.type | cut -d'|' -f5 | grep -Ev '^ *(__?)?alloc_(frozen_)?pages' | grep -q '[a-z_]+*[0-9a-f]' || fail "callers: $(cat ours.txt)"
done

"$ASSAY" kmem stat -q --caller --alloc -s callsite --raw-ip -i slab_ours.data >ours.txt || fail "-s callsite of one of two tables"
sort -r -c <(sed '/Alloc Ptr/,$d' ours.txt | grep -o '^ 0xffffffff[0-9a-f]*') || fail "-s callsite: $(head -20 ours.txt)"

# Live; both kinds; JSON; mistakes.
"$ASSAY" kmem stat --slab --page --caller --json -- true >live.json 2>err || fail "live: $(cat err)"
python3 - <<'PY' || fail "JSON"
import json
d = json.load(open("live.json"))
for kind in "slab", "page":
    rows, sums = d[kind + "_callers"], d[kind + "_sums"]
    assert rows and sum(r["hits"] for r in rows) == sums["hits"] and sum(r["bytes_allocated"] for r in rows) == sums["bytes_allocated"], kind
PY
expect_exit 2 "$ASSAY" kmem stat --live --caller -i slab_ours.data
expect_exit 2 "$ASSAY" kmem stat --caller -s order -i slab_ours.data
expect_exit 2 "$ASSAY" kmem stat --page --caller -s frag -i page_ours.data
expect_exit 2 "$ASSAY" kmem stat -s hit -i slab_ours.data
expect_exit 2 "$ASSAY" kmem stat --caller -l 0 -i slab_ours.data
expect_exit 2 "$ASSAY" kmem stat -i slab_ours.data true
expect_exit 2 "$ASSAY" kmem stat -m 4M -i slab_ours.data
expect_exit 1 "$ASSAY" kmem stat --page -i slab_ours.data
"$ASSAY" kmem stat --slab --page -i slab_ours.data >ours.txt 2>err || fail "--slab --page: $(cat err)"
grep -q 'there are no events kmem:mm_page_alloc' err || fail "pages were not recorded: $(cat err)"
