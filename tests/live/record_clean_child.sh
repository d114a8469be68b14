# The workload sees the world as if it were not recorded: fds, signal mask and dispositions, terminal, environment.
. "$(dirname "$0")/../lib.sh"

cat >look.sh <<'W'
ls /proc/self/fd | wc -l
grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status
env | grep -v '^_=' | sort
umask
W
sh look.sh >alone.txt
for options in "" "-a" "--switch-output" "-F 100 -g"; do
	# shellcheck disable=SC2086
	"$ASSAY" record -q $options -o x.data -- sh look.sh >recorded.txt
	expect_same alone.txt recorded.txt "what a workload sees with '$options'"
done

# what was ignored stays so, what was not is not
trap '' PIPE XFSZ USR2 CHLD
timeout 120 sh look.sh >alone.txt # it restores what a shell has ignored in the background
timeout 120 "$ASSAY" record -q -o x.data -- sh look.sh >recorded.txt || fail "with SIGCHLD ignored: status $?"
expect_same alone.txt recorded.txt "what a workload sees with signals ignored"
expect_exit 3 timeout 120 "$ASSAY" record -q -o x.data -- sh -c 'exit 3'
trap - PIPE XFSZ USR2 CHLD

# started without standard streams: the workload is recorded, and nothing lands in its way
for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 1>&- 2>&-'; do
	rm -f x.data
	status=0
	eval "timeout 120 '$ASSAY' record -F 999999999 -o x.data -- sh -c 'exit 4' $closed" >/dev/null 2>&1 || status=$?
	[ $status -eq 4 ] || fail "started with $closed: status $status instead of 4"
	"$ASSAY" script -i x.data >/dev/null || fail "started with $closed: the file cannot be read"
done

# SIGPIPE ends it as ever
status=0
"$ASSAY" record -q -o p.data bash -c 'set -o pipefail; yes | head -1 >/dev/null' || status=$?
[ $status -eq 141 ] || fail "a broken pipe in the workload gives $status, not 141"
