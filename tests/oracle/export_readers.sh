# What `assay export` writes, read by the programs it is for: go tool pprof, callgrind_annotate, speedscope's importer and the Firefox Profiler's
# command line. They print our numbers.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(dirname "$0")
readers=
for dir in "$(dirname "$ASSAY")/export-readers" "$here/../../build/export-readers"; do
	[ -d "$dir/node_modules" ] && readers=$dir/node_modules && break
done

"$ASSAY" record -q -F 4000 -g -o recurse.data "$WORKLOADS/recurse" 1
"$ASSAY" record -q -F 4000 -g -o inlined.data "$WORKLOADS/inlined" 1
# Imported sums without times: they count by weight, and lie end to end where a format is drawn along time.
cat >sums.data <<'EOF'
nginx;main;epoll_wait;schedule 48000000
nginx;main;read;schedule 900
nginx;main;read 70
nginx;main;walk;walk;walk;leaf 5000000
EOF
for name in recurse inlined sums; do
	"$ASSAY" export -q --format csv -i $name.data -o $name.csv
	"$ASSAY" export -q -i $name.data -o $name.pb.gz
	"$ASSAY" export -q --format callgrind -i $name.data -o $name.callgrind
	"$ASSAY" export -q -i $name.data -o $name.speedscope.json
	"$ASSAY" export -q --format chrome -i $name.data -o $name.trace.json
	"$ASSAY" export -q --format firefox -i $name.data -o $name.firefox.json
done
"$ASSAY" report -q --json --no-inline --sort sym -i recurse.data >recurse.report
"$ASSAY" export -q --no-inline -i recurse.data -o recurse-flat.pb.gz

python3 "$TOOLS/make_timechart.py" states states.data
python3 "$TOOLS/make_sched.py" lost lost.data

ran= missing=
# run READER FILE…: its output is compared with the CSV by export_read_by.py.
compare() {
	python3 "$here/export_read_by.py" "$@" || fail "$1 reads something else"
}

if go tool -n pprof >/dev/null 2>&1; then
	export PPROF_TMPDIR=$TMPDIR
	for name in recurse inlined; do
		go tool pprof -sample_index=samples -nodecount=100000 -nodefraction=0 -edgefraction=0 -top $name.pb.gz >$name.pprof.txt 2>err ||
			fail "pprof: $(cat err)"
		compare pprof $name.pprof.txt $name.csv
	done
	go tool pprof -sample_index=cpu -unit=ns -nodecount=100000 -nodefraction=0 -edgefraction=0 -top recurse-flat.pb.gz >flat.txt 2>err ||
		fail "pprof: $(cat err)"
	compare pprof-report flat.txt recurse.report
	go tool pprof -traces recurse.pb.gz >traces.txt 2>err || fail "pprof -traces: $(cat err)"
	grep -q 'pid: *' traces.txt || fail "pprof shows no labels"
	go tool pprof -comments recurse.pb.gz 2>/dev/null | grep -q '^quality: ' || fail "pprof does not show the quality"
	ran="$ran pprof"
else
	missing="$missing pprof (golang-go)"
fi

if command -v callgrind_annotate >/dev/null; then
	for name in recurse inlined; do
		callgrind_annotate --threshold=100 --auto=no $name.callgrind >self.txt 2>err || fail "callgrind_annotate: $(cat err)"
		callgrind_annotate --threshold=100 --auto=no --inclusive=yes $name.callgrind >inclusive.txt 2>err || fail "callgrind_annotate: $(cat err)"
		compare callgrind self.txt inclusive.txt $name.csv
	done
	callgrind_annotate --threshold=100 --auto=no sums.callgrind >self.txt 2>err || fail "callgrind_annotate: $(cat err)"
	callgrind_annotate --threshold=100 --auto=no --inclusive=yes sums.callgrind >inclusive.txt 2>err || fail "callgrind_annotate: $(cat err)"
	compare callgrind-sums self.txt inclusive.txt sums.csv
	ran="$ran callgrind_annotate"
else
	missing="$missing callgrind_annotate (valgrind)"
fi

if [ -n "$readers" ] && command -v node >/dev/null; then
	for name in recurse inlined sums; do
		node "$here/speedscope_import.js" "$readers/speedscope" $name.speedscope.json >speedscope.txt || fail "speedscope does not read its own format"
		compare speedscope speedscope.txt $name.csv
		node "$here/speedscope_import.js" "$readers/speedscope" $name.trace.json >trace.txt || fail "speedscope does not read the trace"
	done
	compare speedscope trace.txt sums.csv
	ran="$ran speedscope"
	# It answers from a process that holds the profile; that one is ours, so that it is waited for and ended.
	mkdir sessions
	export PROFILER_CLI_SESSION_DIR=$TMPDIR/sessions PROFILER_CLI_NO_SYMBOLICATE=1
	firefox() {
		timeout 60 node "$readers/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"
	}
	# ask NAME QUESTION…: what the profiler answers of NAME.firefox.json, in firefox.txt.
	ask() {
		local name=$1
		shift
		node "$readers/@firefox-devtools/profiler-cli/dist/profiler-cli.js" --daemon "$PWD/$name.firefox.json" --session $name >daemon 2>&1 &
		daemon=$!
		# Who asks too early is taken for the end of it: its metadata are gone then.
		for _ in $(seq 120); do
			grep -qs 'Profile loaded' sessions/$name.log && break
			kill -0 $daemon 2>/dev/null || fail "the Firefox Profiler does not read it: $(cat daemon)"
			sleep 0.25
		done
		for _ in $(seq 20); do
			firefox "$@" --session $name --json >firefox.txt 2>err && break
			kill -0 $daemon 2>/dev/null || fail "the Firefox Profiler does not read it: $(cat daemon)"
			sleep 0.5
		done
		kill $daemon 2>/dev/null || true
		wait $daemon 2>/dev/null || true
		[ -s firefox.txt ] || fail "the Firefox Profiler does not answer: $(cat err)"
	}
	for name in recurse inlined sums; do
		ask $name thread functions --include-idle --limit 0
		case $name in
		sums) compare firefox-sums firefox.txt sums.csv ;;
		*) compare firefox firefox.txt $name.csv ;;
		esac
	done
	# States of tasks as markers, and a hole where records were lost.
	for name in states lost; do
		"$ASSAY" export -q --format firefox -i $name.data -o $name.firefox.json
		ask $name profile markers --limit 100000
		cp firefox.txt $name.markers
	done
	compare firefox-states states.markers lost.markers
	ran="$ran firefox"
else
	missing="$missing speedscope, firefox (npm packages: scripts/install-deps --tests)"
fi

[ -n "$ran" ] || skip "there is no reader:$missing"
echo "NOTE: read by$ran${missing:+; not there:$missing}"
