# Compares the names that our tables give to bits and values of arguments with those that strace prints.
#
# usage: syscall_names.py program ARCH CALLS FLAGS          the source of a program with a call for each name, and for each set with all bits of it
#        syscall_names.py each ARCH CALLS FLAGS             of one that makes each call once
#        syscall_names.py compare ARCH CALLS FLAGS TRACE    TRACE: what strace printed of the first
# CALLS, FLAGS: of syscall_dump. The programs have no libc, so that strace may refuse all of its calls and none is really made.
import re
import sys

NEWEST = 450  # strace 6.1 knows no newer ones, and what it does not know it does not refuse
NEVER = {"execve", "execveat", "exit", "exit_group", "rt_sigreturn", "uretprobe", "uprobe"}
ASSEMBLY = {
    "x86_64": """static void make(const long *c)
{
	long result;
	register long r10 __asm__("r10") = c[4], r8 __asm__("r8") = c[5], r9 __asm__("r9") = c[6];
	__asm__ volatile("syscall" : "=a"(result) : "a"(c[0]), "D"(c[1]), "S"(c[2]), "d"(c[3]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
}""",
    "arm64": """static void make(const long *c)
{
	register long x8 __asm__("x8") = c[0], x0 __asm__("x0") = c[1], x1 __asm__("x1") = c[2], x2 __asm__("x2") = c[3];
	register long x3 __asm__("x3") = c[4], x4 __asm__("x4") = c[5], x5 __asm__("x5") = c[6];
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
}""",
}
# The argument that decides which set is meant, and for what value.
DECIDES = {"socket_option": (1, 1), "ip_protocol": (0, 2), "seccomp_filter": (0, 1)}
# Newer than strace 6.1, or printed otherwise: getsockopt has another name for SO_ATTACH_FILTER, FUTEX_PRIVATE_FLAG is part of names.
UNKNOWN = set("""MAP_ABOVE4G SOL_MPTCP SOL_MCTP SOL_SMC SOL_VSOCK FAN_REPORT_FD_ERROR FAN_REPORT_MNT FAN_MARK_MNTNS RSEQ_FLAG_UNREGISTER
PIDFD_SIGNAL_THREAD PIDFD_SIGNAL_THREAD_GROUP PIDFD_SIGNAL_PROCESS_GROUP LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF SO_ATTACH_FILTER FUTEX_PRIVATE_FLAG""".split())


def read_flags(path):
    sets = {}
    for line in open(path):
        name, flag, value, mask = line.split()
        sets.setdefault(name, []).append((flag, int(value, 0), int(mask, 0)))
    return sets


def read_calls(path):
    for line in open(path):
        nr, name, _, *args = line.split()
        if name not in NEVER and int(nr) <= NEWEST:
            yield int(nr), name, [re.match(r"(\w+)(?:([=:])(\w+))?$", a).groups() for a in args]


def plan(calls, sets):
    """Calls to make: (number, arguments, position, set, names in the order that is expected)."""
    for nr, name, args in calls:
        for i, (_, kind, set_name) in enumerate(args):
            if not set_name:
                continue
            values = [0] * 6
            if set_name in DECIDES:
                values[DECIDES[set_name][0]] = DECIDES[set_name][1]
            for flag, value, mask in sets[set_name]:
                yield nr, name, values[:i] + [value] + values[i + 1:], i, set_name, [flag]
            if kind == "=":
                bits, order = 0, []
                for flag, value, mask in sets[set_name]:
                    if not mask and not bits & value:
                        bits |= value
                        order.append(flag)
                if len(order) > 1:
                    yield nr, name, values[:i] + [bits] + values[i + 1:], i, set_name, order


def put_program(arch, numbers_and_values):
    print(ASSEMBLY[arch])
    print("static const long calls[][7] = {")
    for nr, values in numbers_and_values:
        print("\t{ %d, %s }," % (nr, ", ".join("(long)%#xUL" % v for v in values)))
    print("};")
    print("void _start(void)\n{\n\tfor (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)\n\t\tmake(calls[i]);")
    print("\tmake((const long[7]){ %d });\n\t__builtin_trap(); /* where exit_group is refused too */\n}" % (231 if arch == "x86_64" else 94))


def is_same(text, order, names):
    seen = [w for w in re.findall(r"[0-9]*<*[A-Za-z_][A-Za-z_0-9]*", text) if w in names]
    if len(order) == 1:
        return order[0] in seen or order[0] in UNKNOWN or "???" in text
    seen = [w for w in seen if w in order]
    return seen == [o for o in order if o in seen] and (seen or set(order) <= UNKNOWN)


def compare(calls, sets, trace):
    lines = [l for l in open(trace, errors="replace") if re.match(r"\w+\(", l)][1:]
    nr_same, wrong = 0, []
    for (_, name, _, _, set_name, order), line in zip(plan(calls, sets), lines):
        text = line.split(" = ")[0].strip()
        if not text.startswith(name + "("):
            sys.exit(f"{name} was expected, strace has: {line}")
        if is_same(text, order, {f for f, _, _ in sets[set_name]}):
            nr_same += 1
        else:
            wrong.append(f"{set_name}: {' '.join(order)}: strace has {text}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(nr_same)


calls, sets = list(read_calls(sys.argv[3])), read_flags(sys.argv[4])
if sys.argv[1] == "program":
    put_program(sys.argv[2], ((c[0], c[2]) for c in plan(calls, sets)))
elif sys.argv[1] == "each":
    put_program(sys.argv[2], ((nr, [0] * 6) for nr, _, _ in calls))
else:
    compare(calls, sets, sys.argv[5])
