# Every option, sort key, field and script that perf 6.1 or 7.2 lists (and the perf that is here) is there, or is named as perf's with
# what serves instead, and never taken for a misspelling.
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")
need python3

cp "$here/perf_options.list" list
[ -z "$PERF" ] || python3 "$here/perf_options.py" "$PERF" >>list
LC_ALL=C sort -u list -o list
for command in record stat report script diff list evlist version top; do
	"$ASSAY" "$command" --completion-helper | cut -f 1,2,6 | tr '\t' '\n' | sort -u >has."$command"
done

there=0 absent=0
# refused WHAT WORDS…: exit 2, and perf's. The parser stops at the helper where it takes the option after all.
refused() {
	local what=$1
	shift
	expect_exit 2 "$ASSAY" "$@" </dev/null >out 2>err
	grep -q "perf's $what.* not in this version of assay" err || fail "assay $*: $(cat err out)"
	! grep -q "did you mean" err || fail "assay $*: $(cat err)"
	cat err >>sentences
	absent=$((absent + 1))
}
while read -r kind first second; do
	case $kind in
	key)
		for command in report diff; do
			if ! "$ASSAY" "$command" --sort "$first" --completion-helper >none 2>err; then
				refused "key '$first'" "$command" --sort "$first" --completion-helper
			fi
		done
		"$ASSAY" report --sort "$first" --completion-helper >none 2>&1 && there=$((there + 1)) ;;
	field)
		if "$ASSAY" script -F "ip,sym,$first" --completion-helper >none 2>err; then
			there=$((there + 1))
		else
			refused "field '$first'" script -F "ip,sym,$first" --completion-helper
		fi ;;
	run)
		refused "script '$first'" script "$first"
		refused "script '$first'" script record "$first"
		refused "script '$first'" script report "$first" ;;
	*)
		for option in "$first" "$second"; do
			[ "$option" != - ] || continue
			if grep -qx -e "$option" -e "--${option#--no-}" has."$kind"; then
				there=$((there + 1))
			else
				refused "option .*$option" "$kind" "$option" --completion-helper
			fi
		done ;;
	esac
done <list

# a letter among others, a name that is begun, a negation
refused "option -b, --branch-any" record -ab --completion-helper
refused "option --itrace" report --itr=i100us --completion-helper
refused "option --itrace" report --no-itrace --completion-helper
# what is no option of perf's still gets a suggestion
expect_exit 2 "$ASSAY" record --frequ --completion-helper >none 2>err || true
expect_exit 2 "$ASSAY" record --outptu >none 2>err
grep -q "unknown option --outptu; did you mean --output" err || fail "--outptu: $(cat err)"

# every command that such a sentence quotes is one, with options that exist: the parser reads them, then stops
commands=0
while read -r line; do
	words=$(sed 's/ -- .*//; s/FROM,TO/1,2/; s/ FILE$/ x/; s/NAME/x/; s/ --comms$/ --comms x/; s/ --kallsyms$/ --kallsyms x/; s/ -k$/ -k x/
		s/ --percentage$/ --percentage relative/; s/ -M$/ -M x/' <<<"${line#assay }")
	"$ASSAY" $words --completion-helper >none 2>err || fail "'$line' is advised: $(cat err)"
	commands=$((commands + 1))
done < <(grep -o "'assay [^']*'" sentences | tr -d "'" | sort -u)
[ "$there" -gt 250 ] && [ "$absent" -gt 150 ] || fail "only $there options are there, $absent refused"
echo "NOTE: $there words of perf are there, $absent named as perf's, $commands commands advised"
