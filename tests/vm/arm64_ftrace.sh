# timeout: 1000
# assay ftrace in an arm64 guest with Linux 6.1, where BPF measures functions by kprobes.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
ARM64=${ARM64-$vm/../../build-arm64} # set, and empty, where it could not be built
[ -x "$ARM64/assay" ] || skip "there is no arm64 build"
GUEST_SECONDS=${GUEST_SECONDS:-800} "$vm/run-guest" arm64 "$vm/ftrace.guest" "$ARM64/assay"
