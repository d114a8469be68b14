# timeout: 1000
# An x86_64 guest with kprobes: `assay probe` on its kernel, and on programs.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
[ "$(uname -m)" = x86_64 ] || skip "there is no x86_64 build"
"$vm/run-guest" amd64 "$vm/probes-in-guest" "$ASSAY" "$WORKLOADS/sdt_probes"
