# The arguments, as the last of a list with commas: what is there is not offered again.
_assay_offer()
{
	local -a names=($@) listed
	compset -P '*,'
	listed=(${(s:,:)IPREFIX#*=})
	names=(${names:|listed})
	((#listed)) && names=(${names:#none})
	compadd -a names
}

_assay_list()
{
	local names=$($words[1] list --raw-dump $@ 2>/dev/null)
	_assay_offer ${=names:-$_assay_events}
}

# Events of the recording that the line names, or of perf.data.
_assay_recorded()
{
	local file=${recording:-perf.data} i
	local -a names
	for ((i = 2; i < $#words; i++)); do
		case $words[i] in
		(-i | --input) file=${(Q)words[i+1]} ;;
		(--input=*) file=${(Q)${words[i]#*=}} ;;
		esac
	done
	[[ -f $file ]] && names=(${(f)"$($words[1] evlist -i $file 2>/dev/null)"})
	if (($#names)); then
		_assay_offer ${names:#\#*}
	else
		_assay_list hw sw cache pmu tracepoint pfm
	fi
}

_assay_hint()
{
	case $1 in
	(file) _files ;;
	(files) compset -P '*,'; _files ;;
	(dir) _files -/ ;;
	(command) _command_names -e ;;
	(cmd) _describe -t commands command _assay_command_list ;;
	(pid) compset -P '*,'; _pids ;;
	(user) _users ;;
	(event) _assay_list hw sw cache pmu tracepoint pfm ;;
	(recorded) _assay_recorded ;;
	(metric) _assay_list metric metricgroup ;;
	(*\|*) _assay_offer ${(s:|:)1} ;;
	(*) return 1 ;;
	esac
}

_assay()
{
	local cmd='' subs line name skip='' want i=2 first=0 recording='' is_strace=''
	local -a fields options negations program
	local -A takes
	# a link of that name has the options of `trace --strace`
	if [[ ${words[1]:t} == strace ]]; then
		is_strace=1 cmd='trace --strace' i=1
	else
		while ((i < CURRENT)) && [[ $words[i] == -* ]]; do ((i++)); done
		((i < CURRENT)) && cmd=$words[i]
	fi
	if [[ -z $cmd ]]; then
		if [[ $words[CURRENT] == -* ]]; then
			compadd -- --help --version --build-options
		else
			_assay_hint cmd
		fi
		return
	fi
	# `cache verify`: a command of the second level, which has options of its own
	subs=$(_assay_subcommands $cmd)
	if [[ -n $subs ]] && ((i + 1 < CURRENT)) && [[ " $subs " == *" $words[i+1] "* ]]; then
		((i++))
		cmd+=" $words[i]" subs=''
	elif [[ $cmd == trace && $words[i+1] == --strace ]] && ((i + 1 < CURRENT)); then
		((i++))
		cmd+=' --strace' subs=''
	fi
	program=($words[1])
	[[ -n $is_strace ]] || program+=(${=cmd})
	options=('--help:show the options')
	for line in ${(f)"$($program --completion-helper 2>/dev/null)"}; do
		fields=("${(@s:	:)line}")
		for name in $fields[1] $fields[2]; do
			[[ -z $name ]] && continue
			options+=("$name:$fields[5]")
			# an argument that may be left out is one only behind the equals sign
			[[ $fields[3] == \[* ]] && name+='='
			[[ -n $fields[3] ]] && takes[$name]=${fields[4]:--}
		done
		[[ -n $fields[6] ]] && negations+=("$fields[6]:not $fields[2]")
	done
	for ((i++; i < CURRENT; i++)); do
		if [[ -n $skip ]]; then
			skip=''
		elif [[ $words[i] == -- ]]; then
			first=$((i + 1))
			break
		elif [[ $words[i] == -* ]]; then
			[[ -n $takes[$words[i]] ]] && skip=1
		else
			first=$i
			recording=${(Q)words[i]}
			break
		fi
	done
	[[ $words[CURRENT-1] == -* && -n $takes[$words[CURRENT-1]] ]] && skip=1
	want=$(_assay_words $cmd)
	[[ $cmd == 'trace --strace' ]] && want=command
	[[ -n $subs ]] && want=${subs// /|}
	if [[ $want == command ]] && ((first > 0 && CURRENT >= first)); then
		shift $((first - 1)) words
		((CURRENT -= first - 1))
		_normal
	elif [[ $words[CURRENT] == --*=* ]] && compset -P '*='; then
		_assay_hint "${takes[${IPREFIX%=}]:-$takes[$IPREFIX]}"
	elif [[ -n $skip ]]; then
		_assay_hint "$takes[$words[CURRENT-1]]"
	elif [[ $words[CURRENT] == -* ]]; then
		[[ $words[CURRENT] == --no* ]] && options+=($negations)
		_describe -t options option options
	else
		_assay_hint "$want"
	fi
}

if [[ $funcstack[1] == _assay ]]; then
	_assay "$@"
else
	compdef _assay assay
	# under that name only where it is a link to assay
	[[ ${commands[strace]:A:t} == assay ]] && compdef _assay strace
	true
fi
