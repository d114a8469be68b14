# The portable program needs nothing of the root it runs in: it records and reports itself in an empty directory, and is hardened. The
# source archive has what the build needs, and is the same bytes each time.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$ASSAY")

[ "$(id -u)" = 0 ] || skip "chroot needs root"
grep -q '^build assay-portable:' "$build/build.ninja" || skip "a static library is missing here"
export XZ_OPT=-0 # how well the archives are packed is no matter here
BUILD=$build "$top/scripts/dist" portable >out || fail "$(cat out)"
tar -xf "$(tail -1 out)"
mkdir root
cp assay-*/bin/assay root/assay
readelf -lW root/assay | grep -q INTERP && fail "it asks for a dynamic loader"
readelf -dW root/assay >dynamic
grep -q NEEDED dynamic && fail "it needs shared libraries: $(cat dynamic)"
grep -q 'FLAGS_1.*NOW.*PIE' dynamic || fail "it is not position independent with immediate binding: $(cat dynamic)"
for f in man/man1/assay.1 bash-completion/completions/assay zsh/site-functions/_assay fish/vendor_completions.d/assay.fish doc/assay/COPYING; do
	[ -s "$(echo assay-*)/share/$f" ] || fail "the archive lacks $f"
done

chroot root /assay record -F 5000 -g -o /own.data -- /assay list >/dev/null 2>err || fail "it does not record in an empty root: $(cat err)"
chroot root /assay report --stdio -i /own.data >report 2>err || fail "it does not report in an empty root: $(cat err)"
grep -q '^# Samples: [1-9]' report || fail "it has no samples: $(cat report)"
chroot root /assay record -u nosuchuser -o /u.data 2>err && fail "a user without /etc/passwd is found"
grep -q "no user 'nosuchuser'" err || fail "not an unknown user: $(cat err)"
mkdir root/etc
echo 'shop:x:4242:4242::/:/bin/sh' >root/etc/passwd
chroot root /assay record -u shop -o /u.data 2>err && fail "there are no processes of 'shop'"
grep -q "no user 'shop'" err && fail "/etc/passwd is not read: $(cat err)"

BUILD=$PWD "$top/scripts/dist" source >out || fail "$(cat out)"
cp "$(cat out)" first.tar.xz
BUILD=$PWD "$top/scripts/dist" source >out
cmp first.tar.xz "$(cat out)" || fail "the source archive differs from one time to the next"
tar -tf first.tar.xz | sed 's,^[^/]*/,,' >names
for f in Makefile meson.build README.md COPYING CONTRIBUTING.md debian/control src/cmd/main.c web/types.d.ts; do
	grep -qx "$f" names || fail "the source archive lacks $f"
done
