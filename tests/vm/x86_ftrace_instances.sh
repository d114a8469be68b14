# timeout: 1000
# assay ftrace in an x86_64 guest with Linux 6.12, of Debian 13: function_graph works in instances.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
[ "$(uname -m)" = x86_64 ] || skip "there is no x86_64 build"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
GUEST_SUITE=trixie GUEST_SECONDS=${GUEST_SECONDS:-800} "$vm/run-guest" amd64 "$vm/ftrace.guest" "$ASSAY"
