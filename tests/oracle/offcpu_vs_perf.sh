# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# Recordings with --off-cpu through perf and through assay: the same events, samples, times, stacks and sums.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
[ "$(id -u)" -eq 0 ] || skip "BPF programs need root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" record -q --off-cpu -o probe.data true 2>err || skip "--off-cpu: $(cat err)"

compare() { # RECORDING
	for tool in "$PERF" "$ASSAY"; do
		"$tool" script --no-inline -i "$1" 2>err | sed '/^ *$/d; s/ *$//' >"script.${tool##*/}" || fail "$tool script of $1: $(cat err)"
		"$tool" evlist -v -i "$1" 2>err >"evlist.${tool##*/}" || fail "$tool evlist of $1: $(cat err)"
		"$tool" report --stdio --no-children -g none -t ";" -s comm,dso,sym -i "$1" 2>err | grep -v '^$' | sed 's/ *$//' >"report.${tool##*/}" ||
			fail "$tool report of $1: $(cat err)"
	done
	grep -q offcpu-time "script.${PERF##*/}" || fail "$1: perf shows no samples"
	for what in script evlist; do
		cmp "$what.${PERF##*/}" "$what.${ASSAY##*/}" || fail "$what of $1: $(diff "$what.${PERF##*/}" "$what.${ASSAY##*/}" | head -20)"
	done
	# perf cuts names to what the other event's rows need, which a thread without such samples has none of: the first seven letters.
	for tool in "$PERF" "$ASSAY"; do
		sed -n "/of event 'offcpu-time'/,\$p" "report.${tool##*/}" | grep -v '(Tip:' | grep '%\|Event count' | sed 's/;\([^ ;]\{1,7\}\)[^;]*;/;\1;/' |
			sort >"sums.${tool##*/}"
	done
	[ -s "sums.${PERF##*/}" ] || fail "$1: perf reports nothing"
	cmp "sums.${PERF##*/}" "sums.${ASSAY##*/}" || fail "report of $1: $(diff "sums.${PERF##*/}" "sums.${ASSAY##*/}" | head -20)"
}

for options in '-g' '--call-graph dwarf' '-g --off-cpu-thresh 0' '-g --user-callchains'; do
	# shellcheck disable=SC2086 # several words
	"$ASSAY" record -q -e cpu-clock -F 500 --off-cpu $options -o waits.data -- "$WORKLOADS/unwind_waits" >truth 2>err ||
		fail "record $options: $(cat err)"
	compare waits.data
done
