# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: measure.py BYTES COMMAND…: prints the exit status of the command. Fails where the command is killed by a signal, takes more than 10 s of CPU
# time or 512 MB, or prints more than so many bytes. What it says on stderr is in err.txt.
import os, resource, subprocess, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
from drain import count_bytes
limit = int(sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=open("err.txt", "wb"),
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
printed = count_bytes(child.stdout, limit)
child.stdout.close()
_, status, used = os.wait4(child.pid, 0)
status = os.waitstatus_to_exitcode(status)
seconds, mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
print(status)
if status not in (0, 1) or seconds > 10 or mb > 512 or printed > limit:
    sys.exit(f"{' '.join(sys.argv[3:])}: exit status {status}, {seconds:.1f} s, {mb:.0f} MB, {printed} bytes printed; {open('err.txt').read()[-500:]}")
