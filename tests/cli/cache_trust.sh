# The symbol index is used only where no other user could have put it: under sudo with somebody else's HOME or XDG_CACHE_HOME, through
# links of theirs, or below directories of theirs, nothing is read, written or removed, and one line says so. Links that the user or root
# made are followed.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root can give files to another user"
need setpriv
let_others_run
other=65534
unset XDG_CACHE_HOME
chmod 755 .
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o p.data -- "$WORKLOADS/burn" 0.2

# What an attacker would have root write to, and sweep: an index, and what looks like a leftover of a killed writer.
mkdir target
printf x >target/.old.tmp
touch -d '2 days ago' target/.old.tmp
printf x >target/0123456789abcdef0123456789abcdef01234567.idx
state() {
	find target -printf '%p %s %T@ %u\n' | sort
}
before=$(state)

# refused NAME VAR=VALUE…: nothing is touched, each command says why, once, and works.
refused() {
	local name=$1
	shift
	for words in "report --stdio -i p.data" "script -i p.data" "record -q -g -o r.data -- true" "record -o r.data -- true" \
		"flame -o f.svg --diff p.data p.data" "diff p.data p.data"; do
		env "$@" "$ASSAY" $words >out 2>err || fail "$name: $words: $(cat err)"
		case $words in
		*-q*) [ "$(grep -c 'symbol index is not used' err)" -eq 0 ] || fail "$name: $words: -q, and still: $(cat err)" ;;
		*) [ "$(grep -c 'the symbol index is not used: .*; set .* or ASSAY_CACHE=off$' err)" -eq 1 ] || fail "$name: $words: $(cat err)" ;;
		esac
	done
	for words in "cache list" "cache verify" "cache clear"; do
		expect_exit 1 env "$@" "$ASSAY" $words >out 2>err
		grep -q 'the symbol index is not used: ' err || fail "$name: $words: $(cat err)"
	done
	[ "$(state)" = "$before" ] || fail "$name: $(diff <(echo "$before") <(state))"
}
give() { chown -hR "$other:$other" "$@"; }

mkdir theirs theirs/.cache && ln -s "$PWD/target" theirs/.cache/assay && give theirs
refused "another user's home with a link" HOME="$PWD/theirs"
grep -q "$PWD/theirs belongs to user $other, not to root; set HOME to your own home (sudo -H does)" err || fail "says $(cat err)"
rm -r theirs/.cache && ln -s "$PWD/target" theirs/.cache && give theirs
refused "another user's ~/.cache is a link" HOME="$PWD/theirs"
refused "XDG_CACHE_HOME below another user's directory" XDG_CACHE_HOME="$PWD/theirs/.cache"
mkdir -p theirs/deep/.cache/assay && chown -R 0:0 theirs/deep
refused "a directory of root's below another user's" XDG_CACHE_HOME="$PWD/theirs/deep/.cache"
[ -z "$(ls -A theirs/deep/.cache/assay)" ] || fail "written below another user's directory"
mkdir sticky && chmod 1777 sticky && ln -s "$PWD" sticky/link && give sticky/link
refused "another user's link in a directory like /tmp" XDG_CACHE_HOME="$PWD/sticky/link"
grep -q "sticky/link, a symbolic link, belongs to user $other, not to root; set XDG_CACHE_HOME to a directory of your own" err ||
	fail "says $(cat err)"
mkdir -p open/mine/assay && chmod 777 open
refused "a directory that anyone could replace" XDG_CACHE_HOME="$PWD/open/mine"
grep -q "others may write to $PWD/open (chmod go-w $PWD/open)" err || fail "says $(cat err)"
mkdir -p mine && ln -s "$PWD/target" mine/assay
refused "the index itself is a link" XDG_CACHE_HOME="$PWD/mine"
mkdir -p group/assay && chmod 770 group/assay
refused "the index may be written by a group" XDG_CACHE_HOME="$PWD/group"

# used NAME PATH VAR=VALUE…: the index is made there, without a word.
used() {
	local name=$1 path=$2
	shift 2
	"$@" "$ASSAY" report --stdio -i "$PWD/p.data" >out 2>err || fail "$name: $(cat err)"
	! grep -q 'symbol index' err || fail "$name: $(cat err)"
	[ -n "$(ls "$path" | grep '\.idx$')" ] || fail "$name: no index in $path: $(ls -laR "$path" 2>&1 | head)"
}
mkdir disk home && ln -s "$PWD/disk" home/.cache && ln -s home home.link
used "a link of root's" disk/assay env HOME="$PWD/home.link"
used "a directory like /tmp" sticky/assay env XDG_CACHE_HOME="$PWD/sticky"
mkdir -p homes/user bigdisk/user && ln -s homes house && ln -s "$PWD/bigdisk/user/cache" homes/user/.cache
give homes/user bigdisk/user && chmod 2775 homes/user && chmod 644 p.data
as_other=(setpriv --reuid="$other" --regid="$other" --clear-groups)
used "a user's ~/.cache on another disk" bigdisk/user/cache/assay "${as_other[@]}" env HOME="$PWD/house/user"
[ "$(stat -c '%u %a' bigdisk/user/cache/assay bigdisk/user/cache | sort -u)" = "$other 700" ] || fail "made with $(stat -c '%u %a' bigdisk/user/cache)"
# What sudo left in a user's cache directory is root's.
mkdir -p sudo/.cache/assay && give sudo && chown 0:0 sudo/.cache/assay
"${as_other[@]}" env HOME="$PWD/sudo" "$ASSAY" report --stdio -i "$PWD/p.data" >out 2>err || fail "an index of root's: $(cat err)"
grep -q "sudo/.cache/assay belongs to user 0, not to you; set XDG_CACHE_HOME to a directory of your own" err || fail "an index of root's: $(cat err)"
