# SPDX-License-Identifier: GPL-2.0-or-later
#
# Folds the text of `perf script`, as fold.pl does, by fields instead of regular expressions.
/^#/ { next }
/^$/ {
	if (comm != "") {
		key = comm
		for (i = n; i > 0; i--)
			key = key ";" name[i]
		count[key]++
	}
	comm = ""
	n = 0
	next
}
comm == "" { comm = $1; next }
{
	f = $2
	sub(/\+0x[0-9a-f]+$/, "", f)
	if (f == "[unknown]") {
		f = $NF
		gsub(/^\(|\)$/, "", f)
		sub(/^.*\//, "", f)
		f = "[" f "]"
	}
	name[++n] = f
}
END { for (k in count) print k, count[k] }
