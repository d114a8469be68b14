# Compares the sizes of structs in our table with those that the kernel's headers give them.
#
# usage: syscall_types.py TYPES x86_64|arm64|i386 COMPILER…    TYPES: of syscall_dump
import re
import subprocess
import sys

STRUCTS = """IOVEC linux/uio.h struct iovec
STAT asm/stat.h struct stat
STATX linux/stat.h struct statx
STATFS asm/statfs.h struct statfs
TIMESPEC linux/time.h struct timespec
ITIMERSPEC linux/time.h struct itimerspec
RLIMIT linux/resource.h struct rlimit
RUSAGE linux/resource.h struct rusage
SIGINFO asm/siginfo.h siginfo_t
SIGALTSTACK asm/signal.h stack_t
POLLFD linux/poll.h struct pollfd
EPOLL_EVENT linux/eventpoll.h struct epoll_event
UTSNAME linux/utsname.h struct new_utsname
SYSINFO linux/sysinfo.h struct sysinfo
TIMEX linux/timex.h struct timex
WINSIZE asm/termios.h struct winsize
TERMIOS asm/termbits.h struct termios
FLOCK linux/fcntl.h struct flock64
TMS linux/times.h struct tms
SIGEVENT asm/siginfo.h struct sigevent
SEMBUF linux/sem.h struct sembuf
MQ_ATTR linux/mqueue.h struct mq_attr
IO_EVENT linux/aio_abi.h struct io_event
IO_URING_PARAMS linux/io_uring.h struct io_uring_params
FUTEX_WAITV linux/futex.h struct futex_waitv
STAT64 asm/stat.h struct stat64
STATFS64 asm/statfs.h struct statfs64""".splitlines()

column = ["x86_64", "arm64", "i386"].index(sys.argv[2])
sizes = {line.split()[0]: int(line.split()[1 + column]) for line in open(sys.argv[1])}
nr = 0
for entry in STRUCTS:
    name, header, struct = entry.split(" ", 2)
    if column < 2 and struct in ("struct stat64", "struct flock64"):
        struct = struct.replace("64", "")  # the only one
    text = f'#include <stddef.h>\n#include <{header}>\n_Static_assert(sizeof({struct}) == {sizes[name]}, "size");\n'
    command = [*sys.argv[3:], "-fsyntax-only", "-w", "-x", "c", "-"]
    errors = subprocess.run(command, input=text, capture_output=True, text=True).stderr
    if "static assertion failed" in errors:
        sys.exit(f"{struct} of {sys.argv[2]} has not {sizes[name]} bytes")
    if re.search("error", errors):
        print(f"{struct} of {sys.argv[2]}: {errors}", file=sys.stderr)
    else:
        nr += 1
print(nr)
