# Java virtual machines of another user, and in namespaces of their own, with another number and another /tmp: root asks them all.
. "$(dirname "$0")/../lib.sh"
need java
need javac
need setpriv
need unshare
[ "$(id -u)" -eq 0 ] || skip "namespaces and other users need root"
unshare -pmf --mount-proc true 2>/dev/null || skip "no PID namespaces here"
here=$(cd "$(dirname "$0")" && pwd)
javac -d . "$here/JavaSplit.java"
chmod 755 .
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" || true' EXIT
wait_for() { # WHAT COMMAND…
	local what=$1
	shift
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "waited for $what: $(cat java.err)"
}
is_at_work() { grep -q '^cpu' out; }
check() { # NAME
	"$ASSAY" record -F 500 -e cpu-clock -g -p "$pid" -o "$1.data" -- sleep 0.5 2>err || fail "$1: $(cat err)"
	kill -9 "$pid"
	"$ASSAY" report --stdio -i "$1.data" >shown 2>/dev/null
	grep -q 'JavaSplit.heavy' shown || fail "$1: $(cat err shown)"
	! grep -q 'Full thread dump' out java.err || fail "$1: it printed its stacks"
}

# Classes are read by that user.
mkdir classes
cp JavaSplit.class classes/
chmod -R a+rX classes
for dir in "$PWD" "$(dirname "$PWD")"; do
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$dir" || skip "$dir is closed to other users"
done
setpriv --reuid 65534 --regid 65534 --clear-groups java -XX:+PreserveFramePointer -cp classes JavaSplit 300 >out 2>java.err &
pid=$!
wait_for "JavaSplit of another user" is_at_work
check user
rm -f "/tmp/.java_pid$pid"
[ ! -e "/tmp/perf-$pid.map" ] || fail "the map was left behind"

mkdir private
: >out # the shell truncates it in the background: the first one's lines must not be taken for this one's
# shellcheck disable=SC2016
unshare -pmf --mount-proc sh -c 'mount -t tmpfs none private && cp JavaSplit.class private && mount --move private /tmp && cd /tmp &&
	exec java -XX:+PreserveFramePointer -cp /tmp JavaSplit 300' >out 2>java.err &
outer=$!
pid=$outer
wait_for "JavaSplit in a namespace" is_at_work
pid=$(cat "/proc/$outer/task/$outer/children" | tr -d ' ')
[ "$(awk '/^NSpid/ { print $NF }' "/proc/$pid/status")" = 1 ] || fail "it is not in a namespace of its own"
check namespace
