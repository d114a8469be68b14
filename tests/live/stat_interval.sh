# alone: it counts deadlines that are missed
# noisy: counts the timer ticks of 10 ms that a busy machine misses
# -I: deadlines that do not drift, no interval dropped, and intervals that add up to the whole.
. "$(dirname "$0")/../lib.sh"

# 10 ms for 10 s: 1000 rows (and a last one for the rest), each printed or reported as missed, the last one on time
"$ASSAY" stat -I 10 -e task-clock,context-switches sleep 10 2>out
awk '!/^#/ && $0 ~ /context-switches/ { n++; late = $1 - n * 0.010; if (late > worst) worst = late; t[n] = $1 }
     /times of -I passed unseen/ { missed = $3 } # on a busy machine: reported, never hidden
     END { printf "%d rows, %d missed, the last but one at %.6f s, the latest %.2f ms behind\n", n, missed, t[n - 1], worst * 1000
	   exit n + missed < 1000 || n + missed > 1002 || missed > 500 || t[1000 - missed] - 10.0 >= 0.010 }' out ||
	fail "intervals drift or are missing"

# Stopped for a while: one row for all of it at the time it was read, none made up; then on time again.
"$ASSAY" stat -I 50 -e page-faults -a --timeout 1000 2>out &
pid=$!
sleep 0.3
kill -STOP $pid
sleep 0.4
kill -CONT $pid
wait $pid || fail "stopped and continued: status $?"
grep -q 'times of -I passed unseen' out || fail "missed intervals are not reported: $(cat out)"
awk '/page-faults/ { if (n++ && $1 - last < 0.002) short++; if ($1 - last > 0.3) long++; last = $1 }
     END { exit short > 2 || long != 1 } # short: the row after the stop just before a tick, and the last' out || fail "rows after a stop: $(cat out)"

# what intervals count is what the whole counts
"$ASSAY" stat --no-big-num -I 20 --summary -e page-faults "$WORKLOADS/counted" faults 50000 2>out
awk '/Performance/ { total = 1 }
     /page-faults/ && !total && $2 != "<not" { sum += $2 }
     /page-faults/ && total { whole = $1 }
     END { exit sum != whole || whole < 50000 }' out || fail "intervals do not add up: $(cat out)"

# the heading comes again
[ "$("$ASSAY" stat -I 5 -e task-clock sleep 0.4 2>&1 | grep -c '^#')" -ge 3 ] || fail "no second heading"

# a reader that is slow does not hold up the count for ever, one that goes away ends it
"$ASSAY" stat --log-fd 1 -a -I 10 -e context-switches | head -3 >out
[ "$(wc -l <out)" -eq 3 ] || fail "into head: $(cat out)"
