# Every option that `strace --help` lists is one of `assay trace --strace`: it works, or it is refused by its name with a reason.
. "$(dirname "$0")/../lib.sh"
command -v strace >/dev/null || skip "no strace"
strace --help >help.text || fail "strace --help"
"$ASSAY" trace --strace --completion-helper >ours.text || fail "--completion-helper"

# Options at the beginning of lines: "-e EXPR", "-E VAR=VAL, --env=VAR=VAL", "  --output-separately".
grep -oE '^ +(-[A-Za-z]+|--[a-z-]+).*' help.text | grep -oE '^ +-[^ ,=[]+|, --[a-z-]+|^ +--[a-z-]+' | tr -d ' ,' | sort -u >theirs.text
[ "$(wc -l <theirs.text)" -gt 60 ] || fail "only $(wc -l <theirs.text) options of strace: $(cat theirs.text)"
missing=''
while read -r option; do
	case $option in
	-h | --help) continue ;; # of all commands
	--*) grep -qF "	$option	" ours.text || missing+=" $option" ;;
	-[a-zA-Z]) grep -q "^$option	" ours.text || missing+=" $option" ;;
	-*) # repeated: -ff, -DDD
		letter=${option:0:2}
		[ -z "${option//[-${letter:1}]/}" ] || fail "what is $option?"
		grep -q "^$letter	" ours.text || missing+=" $option"
		;;
	esac
done <theirs.text
[ -z "$missing" ] || fail "neither supported nor refused:$missing"

# Words of -e, and groups of calls.
words=$(sed -n '/options:/,/^$/{s/.*options://;s/,/ /g;p}' help.text)
[ "$(wc -w <<<"$words")" -ge 13 ] || fail "only these words: $words"
for word in $words; do
	"$ASSAY" trace --strace -e "$word=,," true 2>err && fail "-e $word=,, is taken"
	! grep -q 'unknown word' err || fail "-e $word: $(cat err)"
done
groups=$(sed -n '/groups:/,/-e signal=/p' help.text | grep -o '%%*[a-z]*')
[ "$(wc -w <<<"$groups")" -ge 15 ] || fail "only these groups: $groups"
for group in $groups; do
	"$ASSAY" trace --strace -e "$group" --input /nonexistent 2>err && fail "-e $group"
	! grep -q 'class\|no system call' err || fail "-e $group: $(cat err)"
done

# What is refused says so, and names the option.
refused=0
while IFS=$'\x1f' read -r short long arg _ help _; do
	"$ASSAY" trace --strace "$long${arg:+=x}" true 2>err && fail "$long is taken"
	grep -q "strace's option .*$long is not supported: " err || fail "$long: $(cat err)"
	grep -qF -- "$help" err || fail "$long: $(cat err)"
	grep -q -- "\\*$long\\*" "$(dirname "$0")/../../man/assay-trace.1.scd" || fail "$long is not in the man page"
	refused=$((refused + 1))
	[ -z "$short" ] || expect_exit 2 "$ASSAY" trace --strace "$short" ${arg:+x} true
done < <(grep -E '	--(instruction-pointer|debug|daemonize|interruptible|detach-on|summary-syscall-overhead|inject|fault|kvm|tips)	' ours.text | tr '\t' '\037')
[ "$refused" -eq 10 ] || fail "only $refused are refused"
# Columns are those of sums.
expect_exit 2 "$ASSAY" trace --strace -U calls true
"$ASSAY" trace --strace -V | grep -q '^assay ' || fail "-V"
echo "NOTE: $(wc -l <theirs.text) options of $(strace -V | head -1), $refused refused"
