#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: it changes settings of the kernel
# `assay doctor` names each restriction that is switched on here, with the command that fixes it, and in its exit status. Settings of
# the kernel are put back whatever happens.
. "$(dirname "$0")/../lib.sh"
need python3
need setpriv
need prlimit
need unshare
[ "$(id -u)" = 0 ] || skip "needs root, to switch restrictions on"

declare -A saved
restore() {
	for key in "${!saved[@]}"; do
		echo "${saved[$key]}" >"/proc/sys/kernel/$key" || true
	done
	saved=()
}
trap restore EXIT

# set_sysctl KEY VALUE: false where the kernel does not let it be set.
set_sysctl() {
	[ -w "/proc/sys/kernel/$1" ] || return 1
	[ -n "${saved[$1]-}" ] || saved[$1]=$(cat "/proc/sys/kernel/$1")
	echo "$2" >"/proc/sys/kernel/$1" 2>/dev/null
}

# A copy that all users may run: the build directory may be closed to them.
mkdir bin
chmod 755 . bin
cp "$ASSAY" bin/assay
chmod 755 bin/assay
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)

nr=0
# expect_check LEVEL NAME STATE FIX EXIT COMMAND…: the JSON has that check, with these words in it.
expect_check() {
	local level=$1 name=$2 state=$3 fix=$4 want=$5 got=0
	shift 5
	"$@" --json >doctor.json || got=$?
	[ "$got" = "$want" ] || fail "exit status $got instead of $want for $name: $(cat doctor.json)"
	python3 - "$level" "$name" "$state" "$fix" <<-'PY' || fail "$name ($level)"
		import json, sys
		level, name, state, fix = sys.argv[1:]
		d = json.load(open("doctor.json"))
		assert d["schema"] == "assay-doctor-1", d["schema"]
		levels = {c["level"] for c in d["checks"]}
		assert d["status"] == ("broken" if "fail" in levels else "degraded" if "warn" in levels else "ok"), d
		c = next((c for c in d["checks"] if c["name"] == name), None)
		assert c, f"no check {name}: {[c['name'] for c in d['checks']]}"
		assert c["level"] == level, c
		assert state in c["state"], c
		assert fix in (c["fix"] or ""), c
		assert (c["level"] == "ok") == (c["effect"] is None), c
	PY
	nr=$((nr + 1))
}

# Yama makes a warning of its own for ordinary users: it is looked at by itself, below.
set_sysctl yama/ptrace_scope 0 || true
doctor=(bin/assay doctor)
base=0
"${doctor[@]}" >text.out || base=$?
[ "$base" -le 1 ] || fail "exit status $base"
grep -q '^Your programs can be recorded\|^Nothing can be recorded' text.out || fail "no judgement on the first line"
! grep -q $'\033' text.out || fail "colours in a file"

# Root is not restricted, and the output says so.
set_sysctl perf_event_paranoid 2 || skip "cannot change kernel.perf_event_paranoid"
expect_check ok perf_event_paranoid "does not bind root" "" "$base" "${doctor[@]}"
# Others are.
expect_check warn perf_event_paranoid "without their time in the kernel" "sysctl kernel.perf_event_paranoid=-1" 1 "${as_nobody[@]}" "${doctor[@]}"
expect_check note privileges "no CAP_PERFMON" setcap 1 "${as_nobody[@]}" "${doctor[@]}"
"${as_nobody[@]}" "${doctor[@]}" -q >text.out && fail "exit status 0"
grep -A2 '^warn  kernel.perf_event_paranoid' text.out | grep -q '^      fix: *sudo sysctl kernel.perf_event_paranoid=-1' || fail "no fix in the text"
! grep -q '^ok' text.out || fail "-q shows what is well"
set_sysctl perf_event_paranoid 1
expect_check note perf_event_paranoid "with their time in the kernel" "kernel.perf_event_paranoid=-1" "$base" "${as_nobody[@]}" "${doctor[@]}"
# The kernel itself knows no 3; where a distribution's does, nothing is left.
if [ -z "$(find /sys/kernel/tracing -maxdepth 0 -perm -o=rx 2>/dev/null)" ] && [ -d /sys/kernel/tracing/events ]; then
	expect_check note tracefs "not readable" "mount -o remount,mode=755" "$base" "${as_nobody[@]}" "${doctor[@]}"
fi

set_sysctl kptr_restrict 2
expect_check warn kptr_restrict "from all users" "sysctl kernel.kptr_restrict=0" 1 "${doctor[@]}"
set_sysctl kptr_restrict 1
expect_check warn kptr_restrict "kernel.kptr_restrict is 1" "sudo sysctl kernel.kptr_restrict=0" 1 "${as_nobody[@]}" "${doctor[@]}"
set_sysctl kptr_restrict 0
expect_check ok kptr_restrict "shows" "" "$base" "${as_nobody[@]}" "${doctor[@]}"

# Rings: by the kernel's setting and the limit of locked memory together.
if set_sysctl perf_event_mlock_kb 16; then
	expect_check warn perf_event_mlock_kb "is 16" "kernel.perf_event_mlock_kb=516" 1 prlimit --memlock=65536 "${as_nobody[@]}" "${doctor[@]}"
	expect_check ok perf_event_mlock_kb "does not bind" "" "$base" prlimit --memlock=65536 "${doctor[@]}"
fi
restore

expect_check warn nofile 256 "65536" 1 prlimit --nofile=256:256 "${doctor[@]}"
expect_check note nofile 2000 "65536" "$base" prlimit --nofile=64:2000 "${doctor[@]}"

# Refused while call chains are recorded elsewhere.
if set_sysctl perf_event_max_stack 16; then
	expect_check warn perf_event_max_stack "is 16" "sysctl kernel.perf_event_max_stack=127" 1 "${doctor[@]}"
fi
if set_sysctl perf_cpu_time_max_percent 2; then
	expect_check warn perf_cpu_time_max_percent "is 2" "perf_cpu_time_max_percent=25" 1 "${doctor[@]}"
	set_sysctl perf_cpu_time_max_percent "${saved[perf_cpu_time_max_percent]}"
fi
if set_sysctl perf_event_max_sample_rate 1000; then
	expect_check warn perf_event_max_sample_rate "is 1000" "kernel.perf_event_max_sample_rate=100000" 1 "${doctor[@]}"
fi
if set_sysctl yama/ptrace_scope 2; then
	# a command that is refused outright is a warning
	expect_check warn ptrace_scope "none, except by root" "kernel.yama.ptrace_scope=0" 1 "${as_nobody[@]}" "${doctor[@]}"
	expect_check ok ptrace_scope "does not bind" "" "$base" "${doctor[@]}"
fi
restore

# What is not to be had in a mount namespace of its own: nothing of it is seen outside.
if unshare -m true 2>/dev/null; then
	expect_check note tracefs "not mounted" "mount -t tracefs nodev /sys/kernel/tracing" "$base" \
		unshare -m sh -c 'umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"' sh "${doctor[@]}"
	expect_check note btf "no /sys/kernel/btf/vmlinux" "CONFIG_DEBUG_INFO_BTF" "$base" \
		unshare -m sh -c '[ ! -d /sys/kernel/btf ] || mount -t tmpfs none /sys/kernel/btf; exec "$@"' sh "${doctor[@]}"
fi

# Whether or not its command is here: what it is, and that it is run for each file. No server is named.
expect_check note debuginfod "debuginfod-find" "debuginfod" "$base" env -u DEBUGINFOD_URLS "${doctor[@]}"
grep -q "debuginfod-find debuginfo BUILD-ID" doctor.json || fail "the command that fetches is not named"
! grep -q '://' doctor.json || fail "a host is named"
if [ -x /usr/bin/debuginfod-find ]; then
	expect_check ok debuginfod "assay fetches none" "" "$base" env DEBUGINFOD_URLS=x "${doctor[@]}"
fi

# The system call refused, as a container's filter does it.
if python3 -c 'import ctypes; ctypes.CDLL(None).prctl' 2>/dev/null && [ "$(uname -m)" = x86_64 ]; then
	cat >filtered.py <<-'PY'
		"""Runs a command under a seccomp filter that answers EPERM to perf_event_open."""
		import ctypes, os, struct, sys
		libc = ctypes.CDLL(None, use_errno=True)
		code = [(0x20, 0, 0, 0), (0x15, 0, 1, 298), (0x06, 0, 0, 0x00050000 | 1), (0x06, 0, 0, 0x7fff0000)]
		program = b"".join(struct.pack("HBBI", *i) for i in code)
		buf = ctypes.create_string_buffer(program)
		prog = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(buf))
		if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(prog), 0, 0):
		    sys.exit(99)
		os.execv(sys.argv[1], sys.argv[1:])
	PY
	expect_check fail perf_events "seccomp" "seccomp=unconfined" 1 python3 filtered.py "${doctor[@]}"
	python3 filtered.py "${doctor[@]}" >text.out && fail "exit status 0"
	[ "$(head -c 28 text.out)" = "Nothing can be recorded with" ] || fail "the first line does not say that nothing works"
fi

expect_exit 2 "${doctor[@]}" now 2>/dev/null
echo "NOTE: $nr restrictions named"
