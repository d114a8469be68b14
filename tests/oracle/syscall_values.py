# Compares the values of our tables of flags with those of the kernel's headers: a compiler checks an assertion for each name and header.
#
# usage: syscall_values.py FLAGS x86_64|arm64 COMPILER…
import re
import subprocess
import sys

HEADERS = """asm/mman.h asm/prctl.h asm/resource.h asm/siginfo.h asm/signal.h asm/socket.h linux/bpf.h linux/capability.h linux/close_range.h
linux/eventpoll.h linux/fadvise.h linux/falloc.h linux/fanotify.h linux/fcntl.h linux/fs.h linux/futex.h linux/if_packet.h linux/in.h
linux/in6.h linux/io_uring.h linux/ioprio.h linux/kcmp.h linux/kexec.h linux/keyctl.h linux/landlock.h linux/lsm.h linux/membarrier.h
linux/memfd.h linux/mempolicy.h linux/mman.h linux/module.h linux/mount.h linux/msg.h linux/net.h linux/netlink.h linux/openat2.h
linux/perf_event.h linux/pidfd.h linux/poll.h linux/prctl.h linux/ptrace.h linux/random.h linux/reboot.h linux/resource.h linux/rseq.h
linux/sched.h linux/seccomp.h linux/sem.h linux/shm.h linux/stat.h linux/tcp.h linux/time.h linux/timex.h linux/udp.h
linux/userfaultfd.h linux/wait.h linux/xattr.h sched.h signal.h sys/eventfd.h sys/file.h sys/inotify.h sys/mount.h sys/personality.h
sys/signalfd.h sys/socket.h sys/stat.h sys/statvfs.h sys/swap.h sys/timerfd.h unistd.h""".split()
# Values that are shifted into place.
SHIFTED = {"quota", "ioprio"}


# glibc hides that these differ from the calls without 64.
LIBC = {"F_GETLK64", "F_SETLK64", "F_SETLKW64", "O_LARGEFILE"}
PRELUDE = "#define _GNU_SOURCE\n#include <stddef.h>\n#include <{}>\n"


def assertion(name, value, mask):
    bits = f"((unsigned long long)({name}) & {mask:#x}ULL)" if mask else f"(unsigned long long)({name})"
    return f"_Static_assert({bits} == {value:#x}ULL || (unsigned int)({name}) == {value:#x}ULL, \"value\");\n"


def check_header(compiler, header, flags):
    """Names that the header defines, and those of them that it gives another value."""
    text = PRELUDE.format(header)
    expanded = subprocess.run([*compiler, "-E", "-dD", "-x", "c", "-"], input=text, capture_output=True, text=True).stdout
    words = set(re.findall(r"\w+", expanded))
    flags = [f for f in flags if f[0] in words and (header.startswith(("linux/", "asm/")) or f[0] not in LIBC)]
    first = text.count("\n") + 1
    text += "".join(assertion(*f) for f in flags)
    command = [*compiler, "-fsyntax-only", "-fmax-errors=0", "-w", "-x", "c", "-"]
    errors = subprocess.run(command, input=text, capture_output=True, text=True).stderr
    if "No such file" in errors:
        return set(), set()
    wrong, unknown = set(), set()
    for line, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)", errors, re.M):
        if int(line) < first:
            sys.exit(f"{header}: {message}")
        (wrong if "static assertion failed" in message else unknown).add(flags[int(line) - first][0])
    return {f[0] for f in flags} - unknown, wrong - unknown


flags = {}
for line in open(sys.argv[1]):
    set_name, name, value, mask = line.split()
    others = "arm64" if sys.argv[2] == "x86_64" else "x86"
    if set_name not in SHIFTED and others not in set_name and "<" not in name:
        flags.setdefault(name, (name, int(value, 0), int(mask, 0)))
seen, failures = set(), []
for header in HEADERS:
    known, wrong = check_header(sys.argv[3:], header, list(flags.values()))
    seen |= known
    failures += [f"{header} has another value of {name} than {flags[name][1]:#x}" for name in sorted(wrong)]
if failures:
    sys.exit("\n".join(failures))
print(len(seen), "of", len(flags))
