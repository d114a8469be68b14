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

# SIGPIPE ends it as ever
status=0
"$ASSAY" record -q -o p.data bash -c 'set -o pipefail; yes | head -1 >/dev/null' || status=$?
[ $status -eq 141 ] || fail "a broken pipe in the workload gives $status, not 141"
