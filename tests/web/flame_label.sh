# Labels of the page's script and of the still picture are shortened alike: tests/unit/labels.tsv, which unit label reads, too.
. "$(dirname "$0")/../lib.sh"
need node
node "$(dirname "$0")/flame_label.mjs" "$(dirname "$0")/../.."
