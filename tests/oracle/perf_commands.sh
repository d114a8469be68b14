# perf's commands that assay lacks are called that, and what is said to serve instead does.
# only recorder: it records all CPUs
. "$(dirname "$0")/../lib.sh"

said() { expect_exit 2 "$ASSAY" "$@" 2>err >none; cat err; }
grep -q "did you mean 'flame'" <<<"$(said flamegraph)" || fail "flamegraph: $(cat err)"
grep -q "'test' is not in this version of assay: 'assay doctor" <<<"$(said test)" || fail "test: $(cat err)"
said help c2c | grep -q "not in this version" || fail "help c2c: $(cat err)"
said c2c -b | grep -q "not in this version" || fail "c2c -b: $(cat err)"

# whatever perf has, assay has too or says that it has not
names='annotate archive bench buildid-cache buildid-list c2c config daemon data diff evlist ftrace inject iostat kallsyms kmem kvm kwork
	list lock mem probe record report sched script stat test timechart top trace version'
[ -z "$PERF" ] || names="$names $("$PERF" --list-cmds 2>/dev/null)"
absent=0
for name in $(printf '%s\n' $names | sort -u); do
	! "$ASSAY" "$name" --help >none 2>err || continue
	grep -q "perf's command '$name' is not in this version of assay" err || fail "$name: $(cat err)"
	absent=$((absent + 1))
	cat err >>sentences
done

# every command that such a sentence quotes is one, with options that exist: the parser reads them, then stops
commands=0
while read -r line; do
	read -ra words <<<"${line%% -- *}"
	words=("${words[@]:1}" --completion-helper)
	"$ASSAY" "${words[@]}" >none 2>err || fail "'$line' is advised: $(cat err)"
	commands=$((commands + 1))
done < <(grep -o "'assay [^']*'" sentences | tr -d "'" | grep -v -- --help | sort -u)
[ "$commands" -ge 10 ] || fail "only $commands commands are advised"

# two of them as they are said
advice() { said "$1" | grep -o "'assay [^']*'" | tr -d "'" | sed -n "$2p" | sed 's/sleep 5/sleep 0.3/; s/COMMAND/sleep 0.1/'; }
run() {
	local words
	read -ra words <<<"$1"
	[ "${words[0]}" = assay ] || fail "no advice: '$1'"
	shift
	expect_exit 0 "$ASSAY" "${words[@]:1}" "$@" 2>err
}
run "$(advice bench 1)"
run "$(advice check 1)" >built
grep -q 'libelf' built || fail "no build options: $(head -5 built)"
echo "NOTE: $absent commands of perf are absent, $commands of ours advised"
