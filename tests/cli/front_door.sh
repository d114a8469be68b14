# What main.c promises: help, version, suggestions, exit statuses, escaping, the other name.
. "$(dirname "$0")/../lib.sh"

expect_exit 0 "$ASSAY" --help >help
grep -q '^Commands:$' help || fail "--help lists no commands"
expect_exit 0 "$ASSAY" help >help2
expect_same help help2 "--help and help"
expect_exit 2 "$ASSAY" >none 2>usage
[ ! -s none ] || fail "without a command, the usage belongs on stderr"
expect_same help usage "--help and the usage"

# every command has --help, by either way, and refuses an option that it does not have
for c in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help); do
	expect_exit 0 "$ASSAY" "$c" --help >a
	expect_exit 0 "$ASSAY" help "$c" >b
	expect_same a b "$c --help and help $c"
	grep -q "^Usage: assay $c" a || fail "$c --help has no usage line"
	expect_exit 2 "$ASSAY" "$c" --no-such-option-at-all >none 2>err
	[ ! -s none ] && [ "$(wc -l <err)" -eq 1 ] || fail "$c: one line on stderr was expected"
done

expect_exit 0 "$ASSAY" --version >version
expect_exit 0 "$ASSAY" version >version2
expect_same version version2
grep -qE '^assay version [0-9]+\.[0-9]+\.[0-9]+$' version || fail "version: $(cat version)"
expect_exit 0 "$ASSAY" version --build-options >options
expect_exit 0 "$ASSAY" -vv >options2
expect_same options options2
[ "$(sed 1d options | grep -cvE '^ *[a-z0-9_-]+: \[ (on |OFF) \]  # HAVE_[A-Z0-9_]+$')" -eq 0 ] ||
	fail "version --build-options is not in perf's columns"

expect_exit 2 "$ASSAY" versoin 2>err
grep -q "did you mean 'version'" err || fail "no suggestion: $(cat err)"
expect_exit 2 "$ASSAY" version --build-optoins 2>err
grep -q -- "did you mean --build-options" err || fail "no suggestion: $(cat err)"
expect_exit 2 "$ASSAY" --hepl 2>err
expect_exit 2 "$ASSAY" "$(printf 'x\033[31m')" 2>err
! grep -q "$(printf '\033')" err || fail "an escape sequence reached the terminal"

# both spellings, here and there; what a single word of diff is compared with
for words in 'flame --colors mem' 'flame --colours mem' 'heatmap --colors log' 'heatmap --colours log'; do
	"$ASSAY" $words --completion-helper >none 2>err || fail "$words: $(cat err)"
done
"$ASSAY" diff --help | grep -q '\[NEW\].*perf\.data\.old' || fail "diff --help does not say what one word is compared with"

# a reader that goes away is no message, a full disk is one
"$ASSAY" completion zsh 2>err >/dev/full && fail "a full disk went unnoticed"
grep -q '^assay: .*No space left on device' err || fail "full disk: $(cat err)"
set +e
mkfifo gone
(exec 3<gone; exec 3<&-) &
sleep 0.2
{ sleep 0.2; "$ASSAY" --help; echo $? >status; } >gone 2>err
wait
set -e
[ "$(cat status)" -eq 141 ] && [ ! -s err ] || fail "closed pipe: $(cat status err)"

# the other name
ln -s "$ASSAY" perf
./perf version | sed "s/^perf version \(.*\) (assay)$/assay version \1/" >version2
expect_same version version2 "the version under the name perf"

# Its tables have tens of thousands of relocations, which no start needs: it is loaded for vendors' event names alone.
if command -v readelf >/dev/null; then
	! readelf -dW "$ASSAY" | grep -q 'NEEDED.*libpfm' || fail "libpfm is loaded at each start"
	! readelf -dW "$ASSAY" | grep -q 'NEEDED.*libcapstone' || fail "capstone is loaded at each start"
fi
