# timeout: 1000
# An arm64 guest: `assay probe` on its kernel, and on programs.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
ARM64=${ARM64-$vm/../../build-arm64} # set, and empty, where it could not be built
[ -x "$ARM64/assay" ] || skip "there is no arm64 build"
"$vm/run-guest" arm64 "$vm/probes-in-guest" "$ARM64/assay" "$ARM64/tests/workloads/sdt_probes"
