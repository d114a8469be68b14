#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Following doctor's fixes leads to a machine that it finds nothing wrong with, and none of them undoes another: at each level of
# kernel.perf_event_paranoid and kernel.kptr_restrict, and with little memory for rings. The settings are files that are mounted over the
# kernel's in a mount namespace of its own: nothing changes outside of it. The other way, `setcap`, is real, and recorded with.
. "$(dirname "$0")/../lib.sh"
need python3
need setpriv
need unshare
[ "$(id -u)" = 0 ] || skip "needs root, to mount over settings"
unshare -m true 2>/dev/null || skip "no mount namespaces here"

mkdir bin
chmod 755 . bin
cp "$ASSAY" bin/assay
chmod 755 bin/assay
export PATH=$TMPDIR/bin:/usr/sbin:/sbin:$PATH DIR=$TMPDIR
# What fixes begin with. The kernel shows its symbols to users where kptr_restrict is 0 and perf_event_paranoid at most 1.
cat >bin/sudo <<'END'
#!/bin/sh
exec "$@"
END
cat >bin/sysctl <<'END'
#!/bin/sh
for setting; do
	echo "${setting#*=}" >"$DIR/set.${setting%%=*}"
done
if [ "$(cat "$DIR/set.kernel.perf_event_paranoid")" -le 1 ] && [ "$(cat "$DIR/set.kernel.kptr_restrict")" -eq 0 ]; then
	echo 'ffffffff81000000 T _text' >"$DIR/kallsyms"
else
	echo '0000000000000000 T _text' >"$DIR/kallsyms"
fi
END
chmod 755 bin/*
cat >follow.py <<'END'
"""Prints the first command of each fix of checks that warn or fail; `settled`: also of notes about the settings in question."""
import json, sys
settings = ("perf_event_paranoid", "kptr_restrict", "perf_event_mlock_kb")
for c in json.load(sys.stdin)["checks"]:
    if c["fix"] and (c["level"] in ("warn", "fail") or c["name"] in settings):
        print(c["fix"].split(", or ")[0])
END
cat >left.py <<'END'
import json, sys
settings = ("perf_events", "perf_event_paranoid", "kptr_restrict", "perf_event_mlock_kb")
for c in json.load(sys.stdin)["checks"]:
    if c["level"] in ("warn", "fail") or (c["level"] != "ok" and c["name"] in settings):
        print(c["name"], c["level"], c["state"], "|", c["fix"])
END
as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
# in_level PARANOID KPTR MLOCK COMMAND…: with the settings so; kallsyms too unless it begins with `real`.
cat >in_level <<'END'
#!/bin/bash
sysctl kernel.perf_event_paranoid="$1" kernel.kptr_restrict="$2" kernel.perf_event_mlock_kb="$3"
for key in perf_event_paranoid kptr_restrict perf_event_mlock_kb; do
	mount --bind "$DIR/set.kernel.$key" /proc/sys/kernel/$key || exit 99
done
[ ! -e /proc/sys/kernel/yama/ptrace_scope ] || mount --bind "$DIR/zero" /proc/sys/kernel/yama/ptrace_scope || exit 99
shift 3
if [ "$1" = real ]; then
	shift
else
	mount --bind "$DIR/kallsyms" /proc/kallsyms || exit 99
fi
exec "$@"
END
chmod 755 in_level
echo 0 >zero
: >kallsyms
for key in perf_event_paranoid kptr_restrict perf_event_mlock_kb; do echo 0 >set.kernel.$key; done

cat >follow <<'END'
#!/bin/bash
# Asks as an ordinary user, follows what is said, asks again.
as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
"${as_user[@]}" assay doctor --json >before.json
python3 follow.py <before.json >fixes
while read -r fix; do
	sh -c "$fix" || { echo "'$fix' fails"; exit 1; }
done <fixes
"${as_user[@]}" assay doctor --json >after.json
status=$?
python3 left.py <after.json >left
[ ! -s left ] && [ "$status" -eq 0 ] && exit 0
echo "exit status $status, left: $(cat left); followed: $(tr '\n' ';' <fixes)"
exit 1
END
chmod 755 follow
nr=0
for paranoid in -1 0 1 2 3 4; do
	for kptr in 0 1 2; do
		for mlock in 16 516; do
			unshare -m ./in_level "$paranoid" "$kptr" "$mlock" prlimit --memlock=65536 ./follow >said 2>&1 ||
				fail "paranoid $paranoid, kptr_restrict $kptr, mlock_kb $mlock: $(cat said)"
			[ "$paranoid" -le 1 ] || grep -q 'perf_event_paranoid=-1' fixes || fail "level $paranoid is left as it is: $(cat fixes)"
			nr=$((nr + 1))
		done
	done
done

# setcap, as doctor writes it: then assay may all it may as root, at any level.
command -v setcap >/dev/null || { echo "NOTE: $nr settings fixed; setcap is not installed"; exit 0; }
"${as_user[@]}" --bounding-set=-all bin/assay doctor --json >before.json || true
fix=$(grep -o 'sudo setcap [^,]*,[^"]*"[^"]*"' <(python3 -c 'import json, sys; [print(c["fix"]) for c in json.load(sys.stdin)["checks"] if c["name"] == "privileges"]' <before.json))
sh -c "$fix" || skip "file capabilities cannot be set here: $fix"
mkdir out && chown 65534 out
cat >recorded <<'END'
#!/bin/bash
assay doctor --json >out/doctor.json || { python3 left.py <out/doctor.json; exit 1; }
[ -z "$(python3 left.py <out/doctor.json)" ] || { python3 left.py <out/doctor.json; exit 1; }
assay record -a -g -o out/all.data -- sleep 0.2 2>out/err || { cat out/err; exit 1; }
! grep -i 'warn\|paranoid\|permission\|restrict' out/err
END
chmod 755 recorded
for paranoid in 2 3 4; do
	unshare -m ./in_level "$paranoid" 1 516 real "${as_user[@]}" env XDG_CACHE_HOME="$PWD/out/cache" ./recorded >said 2>&1 ||
		fail "after '$fix', at level $paranoid: $(cat said)"
	nr=$((nr + 1))
done
echo "NOTE: $nr settings fixed by what doctor says"
