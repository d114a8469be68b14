# report --stdio beside perf's on recordings of both recorders: same rows, figures, columns and chains in the same order.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/recordings.bash"
need perf
need python3

identical=0 alike=0
# Whether chains of a file go in a circle: other programs that run meanwhile may have no frame pointers. Ours cuts those.
has_circles() { # FILE
	"$ASSAY" script --no-inline -F ip -i "$1" 2>/dev/null | awk -v RS= -F '\n' '{
		for (p = 1; p <= 8; p++) {
			need = 3 * p > 8 ? 3 * p : 8
			for (i = 0; i < need - p && NF - i - p > 1 && $(NF - i) == $(NF - i - p); i++)
				;
			if (i >= need - p)
				found = 1
		}
	} END { exit !found }'
}
compare() { # FILE OPTIONS…
	local f=$1
	shift
	# shellcheck disable=SC2046
	set -- "$@" $(own_processes "$f")
	# Rows are the same all the same; trees are not.
	case " $circles :: $* " in
	*" $f "*"-g none"*) ;;
	*" $f "*"::"*-g* | *" $f "*"::"*-G* | *" $f "*"::"*--max-stack*) return ;;
	*" $f "*) set -- "$@" -g none ;;
	esac
	"$PERF" report --stdio --no-inline -i "$f" "$@" >perf.txt 2>perf.err </dev/null || {
		# A build-id that another recorder asked for, in compressed records, where stray_build_ids.py does not look.
		! grep -q '^assertion failed at util/build-id.c' perf.err || return 0
		fail "perf report $* of $f: $(cat perf.err)"
	}
	"$ASSAY" report --stdio --bare-addresses --no-inline -i "$f" "$@" >ours.txt 2>ours.err </dev/null || fail "report $* of $f: $(cat ours.err)"
	[ -s perf.txt ] || fail "perf shows nothing of $f"
	if cmp -s <(grep -v '^# (' perf.txt) <(without_quality ours.txt | grep -v '^# ('); then
		identical=$((identical + 1))
	else
		python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report $* of $f differs from perf's"
		alike=$((alike + 1))
	fi
}

make_recordings
circles=
for f in *.data; do
	! has_circles "$f" || circles="$circles $f"
done
rm perf-group.data # perf shows a group in one table of several columns, we show a table for each event
for f in *.data; do
	# Of a pipe perf does not know in time that there are chains, and counts without children; ours reports as of a file.
	case $f in *-pipe.data) ;; *) compare "$f" ;; esac
	compare "$f" --no-children
done
for f in perf-chains.data assay-events.data assay-process.data assay-shell.data perf-forks.data; do
	while read -r options; do
		# Without the DSO among the keys perf's comparison of rows with and without a symbol is no order: where several
		# programs ran it lists one unresolved address twice at times.
		case $f:$options in
		perf-chains.data:* | assay-events.data:* | *dso,sym*) ;;
		*sym*) continue ;;
		esac
		# shellcheck disable=SC2086
		compare "$f" $options
	done <<-'END'
		-n
		-n -g caller
		--sort comm,dso
		--sort sym
		--sort dso,sym -g none
		--sort pid -g none
		--sort pid,sym --no-children
		--sort comm -g none
		-F overhead,sample,comm,sym --no-children -g none
		-F overhead,period,dso --no-children -g none
		-F +period -g none
		--no-children -g fractal
		--no-children -g flat
		--no-children -g folded
		--no-children -g folded,count
		--no-children -g graph,2,callee
		--no-children -g caller
		-g graph,5,3
		-G
		--percent-limit 2
		--max-stack 4
		--show-total-period -n -g none
		--show-cpu-utilization -g none
		--time 10%-60%
		--header
		-t , -g none
		-q -g none
	END
done
compare assay-cpu.data --sort cpu -g none
compare assay-forks.data --comms forkstorm --no-children
compare perf-shell.data --comms ls,sort --no-children -g none
compare assay-chains.data --dsos mixed --no-children
compare assay-chains.data --symbols user_work --no-children
compare perf-plain.data --sort sym -n
echo "$identical reports are identical, $alike have the same rows in the same order but for ties"
[ "$identical" -gt "$alike" ] || fail "ties everywhere: the comparison is no longer worth much"
