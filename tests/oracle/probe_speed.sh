#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lines and variables of a program with 100 MB of debug information take a fifth of perf's CPU time at most. CPU time, because others run beside.
. "$(dirname "$0")/../lib.sh"
need perf
need gcc
. "$TOOLS/many_units.bash"
big=$WORKLOADS/many_units
make_many_units "$big"

# cost COMMAND…: its CPU time in milliseconds, the least of three runs
cost() {
	python3 - "$@" <<'END'
import os, resource, subprocess, sys
best = None
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(sys.argv[1:], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"{sys.argv[1:]}: exit status {run.returncode}: {run.stderr.decode()[:300]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    best = spent if best is None else min(best, spent)
print(round(best * 1000) or 1)
END
}

# Of a function and a file of the last unit; perf looks through all units for a file.
compare() {
	local ours theirs
	ours=$(cost "$ASSAY" probe -x "$big" "$@")
	theirs=$(cost "$PERF" probe -q -x "$big" "$@")
	echo "NOTE: probe $*: $ours ms of CPU, perf $theirs ms"
	[ $((ours * 5)) -le "$theirs" ] || fail "probe $* takes $ours ms of CPU, perf $theirs ms"
}
compare -L main
compare -V main
compare -L main.c:1-5
compare -D main.c:3
compare -V step_12
# perf stops at the first of a hundred units that have the file, and shows its lines alone: here all are read.
ours=$(cost "$ASSAY" probe -x "$big" -L unit.c:100-110)
theirs=$(cost "$PERF" probe -q -x "$big" -L unit.c:100-110)
echo "NOTE: probe -L unit.c:100-110, a file of a hundred units: $ours ms of CPU, perf $theirs ms for one of them"
[ "$ours" -le "$theirs" ] || fail "probe -L of a file in a hundred units takes $ours ms of CPU, perf $theirs ms"

# A file that is part of a hundred units: all are read, and none of them is kept.
memory=$(python3 - "$ASSAY" probe -x "$big" -L unit.c:100-110 <<'END'
import os, sys
out = os.open("lines", os.O_WRONLY | os.O_CREAT)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss if status == 0 else 1 << 30)
END
)
[ "$(wc -l <lines)" -eq 12 ] || fail "-L of a file: $(cat lines)"
[ "$memory" -lt 100000 ] || fail "-L of a file in a hundred units takes $memory kB"
