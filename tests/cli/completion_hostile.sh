# Names of events in a recording, and of files, that a shell would run: completed in real shells on a terminal, and Enter pressed.
. "$(dirname "$0")/../lib.sh"
need python3

"$ASSAY" record -q -e "cpu-clock/name=$(printf 'X%.0s' {1..48})/" -o template.data -- true
mkdir bin
cat >bin/assay <<END
#!/bin/bash
case " \$* " in
*' --completion-helper '* | ' evlist '* | ' list '*) exec "$ASSAY" "\$@" ;;
esac
printf '%s\0' "\$@" >"$TMPDIR/ran"
END
chmod +x bin/assay
touch a.data
export PATH=$TMPDIR/bin:$PATH HOME=$TMPDIR TERM=xterm LC_ALL=C.UTF-8
nr=0
for shell in bash zsh fish; do
	command -v "$shell" >/dev/null || continue
	nr=$((nr + 1))
	"$ASSAY" completion "$shell" >script."$shell"
	mkdir "$shell"
	cp template.data a.data "$shell"
	(cd "$shell" && sed -i "s|${TMPDIR}[^\"]*/ran|$TMPDIR/$shell/ran|" ../bin/assay &&
		python3 "$(dirname "$0")/completion_hostile.py" "$shell" "$TMPDIR/script.$shell") || fail "$shell"
done
[ "$nr" -gt 1 ] || echo "NOTE: neither zsh nor fish is here"
