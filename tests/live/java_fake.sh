# What only looks like a Java virtual machine cannot stop the recorder, nor lead it to what belongs to others.
# waits: for answers that do not come
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)
pid=
clean() {
	[ -n "$pid" ] || return 0
	kill -9 "$pid" || true
	wait "$pid" 2>/dev/null || true
	rm -f "/tmp/.java_pid$pid" "/tmp/.attach_pid$pid" "/tmp/perf-$pid.map"
	pid=
}
trap clean EXIT
is_ready() { grep -q ready out; }
fake() { # KIND MESSAGE
	: >out
	python3 "$here/fake_jvm.py" "$1" >out 2>fake.err &
	pid=$!
	for _ in $(seq 600); do
		! is_ready || break
		sleep 0.05
	done
	is_ready || fail "$1: $(cat fake.err)"
	# It would never end if it waited for an answer; how long that takes otherwise is a question of the machine.
	timeout 60 "$ASSAY" record -v -F 100 -e cpu-clock -g -p $pid -o "$1.data" -- sleep 0.4 2>err || fail "$1: status $?: $(cat err)"
	kill -0 $pid || fail "$1: it was killed: $(cat fake.err)"
	grep -q -- "$2" err || fail "$1: $(cat err)"
	"$ASSAY" report --stdio -i "$1.data" >shown 2>&1 || true
	! grep -q "$(printf '\033')\|root:" shown || fail "$1: $(cat shown)"
}
fake deaf 'does not catch SIGQUIT'
[ ! -e /tmp/.attach_pid$pid ] || fail "deaf: the trigger was left behind"
clean
fake mute 'did not answer in time'
clean
fake silent 'did not answer in time'
clean
fake endless 'cannot be asked for the names\|did not answer in time'
clean
fake old 'too old.*Java 17'
clean
fake foreign 'is not its own'
clean
fake link 'answered something unexpected'
[ -L /tmp/perf-$pid.map ] || fail "link: it was removed"
clean
fake map 'Captured and wrote'
[ ! -e /tmp/perf-$pid.map ] || fail "map: it was left behind"
clean
fake agent 'Captured and wrote'
[ ! -e asked ] || fail "agent: it was told to write over its own map"
[ "$(cat /tmp/perf-$pid.map)" = "1000 10 of_agent" ] || fail "agent: $(cat /tmp/perf-$pid.map)"
clean
