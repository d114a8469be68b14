# `make deb`: the package is built from the source archive, lintian finds no errors, dpkg installs it into a root of its own and apt would
# install it here; the installed program is hardened and runs, and manual pages and completion are where they are looked for.
# timeout: 1500
# records nothing
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)

for tool in dh dpkg-buildpackage lintian meson scdoc; do
	command -v "$tool" >/dev/null || skip "$tool is not installed (scripts/install-deps --tests)"
done
# What the compiler makes is tested elsewhere: here it optimises less, and makes no debug information and no package of it.
# (-Og: without, it would not be fortified.) Nor are the archives packed as well as they could be.
jobs=$(nproc)
export DEB_CFLAGS_APPEND="-Og -g0" DEB_BUILD_OPTIONS="noautodbgsym parallel=$jobs" XZ_OPT=-0 DPKG_DEB_COMPRESSOR_LEVEL=0
BUILD=$PWD "$top/scripts/dist" deb >out 2>&1 || fail "$(cat out)"
deb=$(ls dist/assay_*.deb)
lintian --fail-on error "$deb" >lint 2>&1 || fail "lintian: $(cat lint)"

mkdir -p root/var/lib/dpkg/{info,updates}
touch root/var/lib/dpkg/{status,available}
# the libraries are those of this machine: the root has none
if [ "$(id -u)" = 0 ]; then
	dpkg --root="$PWD/root" --force-depends -i "$deb" >out 2>&1 || fail "dpkg does not install it: $(cat out)"
	apt-get install --simulate "./$deb" >out 2>&1 || fail "apt cannot install it: $(cat out)"
else
	dpkg-deb -x "$deb" root
fi
root/usr/bin/assay version >out || fail "the installed program does not run"
version=$(dpkg-deb -f "$deb" Version)
grep -qx "assay version ${version%-*}" out || fail "version: $(cat out), package $version"
for f in man/man1/assay.1.gz man/man1/assay-record.1.gz bash-completion/completions/assay zsh/vendor-completions/_assay \
	fish/vendor_completions.d/assay.fish doc/assay/copyright doc/assay/changelog.Debian.gz; do
	[ -s "root/usr/share/$f" ] || fail "the package lacks $f"
done
readelf -lW root/usr/bin/assay | grep -q GNU_RELRO || fail "it has no RELRO"
readelf -dW root/usr/bin/assay | grep -q 'FLAGS_1.*NOW.*PIE' || fail "it is not position independent with immediate binding"
readelf -sW root/usr/bin/assay | grep -q '__stack_chk_fail' || fail "it has no stack protector"
readelf -sW root/usr/bin/assay | grep -q '__.*printf_chk' || fail "it is not fortified"
