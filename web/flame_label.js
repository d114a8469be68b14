// SPDX-License-Identifier: GPL-2.0-or-later
//
// A flame graph's page: a name in as many letters as there is room for. What goes first is what many names have in common: parameters,
// template arguments, leading namespaces; what goes last is the function's own name. src/view/label.h does the same for the still picture.
const ELLIPSIS = "…", LEAST_CUT = 6, MOST_PARSED = 4096, CLOSED_BY = { "(": ")", "[": "]", "{": "}", "<": ">" };
const SUFFIX = /^(\d|(constprop|isra|part|cold|lto_priv|llvm|so|clone)(?!\w))/;
const isWord = c => c !== undefined && /^\w$/.test(c);

// The symbol of an operator at `i`, which is no bracket: where it ends; `i`: there is none.
function behindOperator(s, i) {
	if (s[i] !== "o" || isWord(s[i - 1]) || s.slice(i, i + 8).join("") !== "operator" || isWord(s[i + 8]))
		return i;
	i += 8;
	if (s[i] + s[i + 1] === "()" || s[i] + s[i + 1] === "[]")
		return i + 2;
	while (i < s.length && "<>=!+-*/%^&|~,".includes(s[i]))
		i++;
	return i;
}

// Brackets that stand in no others as [open, close], and the separators and spaces outside of all.
function scanName(s) {
	const found = { spans: [], colons: [], dots: [], spaces: [] }, open = [];
	let operator = false;
	for (let i = 0; i < s.length; i++) {
		const c = s[i], behind = behindOperator(s, i);
		if (behind > i) {
			operator ||= !open.length;
			i = behind - 1;
		} else if (c in CLOSED_BY) {
			open.push(i);
		} else if (c === ">" ? s[i - 1] !== "-" && s[open.at(-1)] === "<" : c === ")" || c === "]" || c === "}") {
			while (c !== ">" && open.length && s[open.at(-1)] === "<")
				open.pop();
			if (open.length && CLOSED_BY[s[open.at(-1)]] === c && open.length === 1)
				found.spans.push([open.pop(), i]);
			else if (open.length && CLOSED_BY[s[open.at(-1)]] === c)
				open.pop();
		} else if (open.length) {
			continue;
		} else if (c === ":" && s[i + 1] === ":") {
			found.colons.push(i++);
		} else if (c === "/" || (c === "." && !SUFFIX.test(s.slice(i + 1, i + 12).join("")))) {
			found.dots.push(i);
		} else if (c === " " && !operator) {
			found.spaces.push(i);
		}
	}
	return found;
}

const isSeparator = c => c === ":" || c === "." || c === "/";

// Where a name's parts are: parameters, what stands before the name, its components, and the brackets whose contents may go.
function parseName(s) {
	const { spans, colons, dots, spaces } = scanName(s);
	const params = spans.findLast(([a, z]) => s[a] === "(" && a > 0 && !isSeparator(s[a - 1]) && (z + 1 === s.length || s[z + 1] === " " || s[z + 1] === "["));
	const end = params ? params[0] : s.length, start = params ? (spaces.findLast(i => i + 1 < end) ?? -1) + 1 : 0;
	const within = list => list.filter(i => i >= start && i < end - 1);
	const isPlain = (params || !spaces.length) && !s.join("").includes("+0x");
	const isScoped = within(colons).length > 0, separators = isScoped ? within(colons) : isPlain ? within(dots) : [];
	const parts = [start, ...separators.map(i => i + (isScoped ? 2 : 1))].filter(i => i < end), base = parts.at(-1);
	const isGiven = ([a, z]) => z - a > 2 && a >= start && z < end;
	const isQualifier = ([a, z]) => z < base && (s[a] === "<" || (s[a] === "(" && a > start && !isSeparator(s[a - 1])));
	const isArguments = ([a]) => a > base && (s[a] === "<" || s[a] === "[");
	const own = spans.find(span => isArguments(span) && span[1] < end);
	return {
		params, start, end, parts, base, isScoped, ident: own ? own[0] : end,
		spans: spans.filter(span => isGiven(span) && (isQualifier(span) || span === own)),
	};
}

// Too short for two ends, it is the beginning.
function cutMiddle(s, max) {
	const tail = max < LEAST_CUT ? 0 : Math.floor((max - 1) * 2 / 5);
	return s.length <= max ? s : [...s.slice(0, max - 1 - tail), ELLIPSIS, ...s.slice(s.length - tail)];
}

// How long [from, to) is at least: with the contents of its brackets left out.
function leastLength(from, to, spans) {
	return spans.reduce((n, [a, z]) => a >= from && a < to ? n - (z - a - 2) : n, to - from);
}

// [from, to) in `max` letters: of the contents of brackets, as much as there is room for, the last ones first.
function fitted(s, from, to, spans, max) {
	let room = max - leastLength(from, to, spans), kept = [], end = to;
	for (const [a, z] of spans.filter(([open]) => open >= from && open < to).reverse()) {
		const most = Math.min(room + 1, z - a - 1), shown = most < LEAST_CUT && most < z - a - 1 ? 1 : most;
		kept = [...(shown === 1 ? [ELLIPSIS] : cutMiddle(s.slice(a + 1, z), shown)), ...s.slice(z, end), ...kept];
		room -= shown - 1;
		end = a + 1;
	}
	return [...s.slice(from, end), ...kept];
}

// Where a component without its arguments and the separator behind it ends.
function identEnd(p, k) {
	const span = p.spans.find(([a]) => a > p.parts[k]), end = p.parts[k + 1] - (p.isScoped ? 2 : 1);
	return span && span[0] < end ? span[0] : end;
}

// As many of the last components as fit, behind a piece of the one before or a mark; where not even one does, the function's own name.
function lastParts(s, p, max) {
	const separator = p.isScoped ? 2 : 1;
	let k = p.parts.length, length = 0;
	for (; k > 0; k--) {
		const more = leastLength(p.parts[k - 1], p.parts[k] ?? p.end, p.spans);
		if (length + more + (p.isScoped ? 3 : 1) > max)
			break;
		length += more;
	}
	if (k > 0 && k < p.parts.length) {
		const room = max - length - separator, from = p.parts[k];
		if (room < LEAST_CUT)
			return [ELLIPSIS, ...(p.isScoped ? [":", ":"] : []), ...fitted(s, from, p.end, p.spans, max - (p.isScoped ? 3 : 1))];
		const piece = cutMiddle(s.slice(p.parts[k - 1], identEnd(p, k - 1)), room);
		return [...piece, ...s.slice(from - separator, from), ...fitted(s, from, p.end, p.spans, max - separator - piece.length)];
	}
	return leastLength(p.base, p.end, p.spans) <= max ? fitted(s, p.base, p.end, p.spans, max) : cutMiddle(s.slice(p.base, p.ident), max);
}

function shortLetters(s, max) {
	const p = parseName(s), isLong = p.params && p.params[1] - p.params[0] > 2;
	const behind = isLong ? ["(", ELLIPSIS, ...s.slice(p.params[1])] : s.slice(p.end);
	for (const from of [0, p.start])
		if (p.end - from + behind.length <= max)
			return [...s.slice(from, p.end), ...behind];
	if (leastLength(p.start, p.end, p.spans) <= max)
		return fitted(s, p.start, p.end, p.spans, max);
	return lastParts(s, p, max);
}

function shortName(name, max) {
	if (name.length <= max)
		return name;
	const letters = Array.from(name);
	if (letters.length <= max)
		return name;
	return (letters.length > MOST_PARSED ? cutMiddle(letters, max) : shortLetters(letters, max)).join("");
}
