// SPDX-License-Identifier: GPL-2.0-or-later
//
// A flame graph's page: what a regular expression matches, how much that is, and the way from match to match. Frames that are
// too narrow to be drawn count, too ("narrow" in src/view/flame_svg.h).
const button = (text, title) => make(HTML, "button", { type: "button", title }, text);
const input = make(HTML, "input", { type: "search", placeholder: "search (/)", "aria-label": "search", spellcheck: "false", autocomplete: "off",
	autocapitalize: "off", title: "a regular expression: Ctrl-F or /; Enter and Shift-Enter, or n and N: the next match and the one before" });
const caseButton = button("Aa", "capitals matter: Ctrl-I");
const matched = make(HTML, "span", { class: "matched", role: "status" });
let matchedText = "";

// Of the stacks too narrow to be drawn, on rectangles that no match holds already: what matches, and what no list has.
function searchNarrow(hitName, inside) {
	let found = 0, unknown = 0;
	for (const list of data.narrow || []) {
		let depth = 0, hitDepth = 0;
		if (inside[shownOf(list[0])])
			continue;
		for (let k = 1; k < list.length; k++) {
			const isCut = list[k] < 0;
			depth -= isCut ? ~list[k] : list[k];
			if (hitDepth > depth)
				hitDepth = 0;
			while (list[++k] >= 0) {
				depth++;
				if (!hitDepth && hitName[list[k]])
					hitDepth = depth;
			}
			if (hitDepth)
				found -= list[k];
			else if (isCut)
				unknown -= list[k];
		}
	}
	return [found, unknown];
}

// A match on another one counts once.
function measure(hitName) {
	const inside = new Uint8Array(nr);
	let seen = 0;
	for (let i = 0; i < nr; i++) {
		inside[i] = i && inside[parent[i]];
		if (!inside[i] && state.hits[frame[i]]) {
			inside[i] = 1;
			seen += w[i];
		}
	}
	const [narrow, unknown] = searchNarrow(hitName, inside);
	matchedText = "matched " + percent(seen + narrow, w[0]);
	if (unknown)
		matchedText += ` (+ up to ${percent(unknown, w[0])})`;
	matched.title = narrow || unknown ? `${percent(narrow, w[0])} is in frames too narrow to be drawn` +
		(unknown ? `; of ${percent(unknown, w[0])} that is narrower still, names are not known here` : "") : "";
}

function search(text) {
	let expression = null;
	state.query = text;
	state.hits = null;
	state.at = -1;
	matchedText = matched.title = "";
	input.removeAttribute("aria-invalid");
	if (input.value !== text)
		input.value = text;
	caseButton.setAttribute("aria-pressed", state.matchCase);
	try {
		expression = text ? new RegExp(text, state.matchCase ? "" : "i") : null;
	} catch {
		input.setAttribute("aria-invalid", "true");
		matchedText = "no regex";
	}
	if (expression) {
		const hitName = data.names.map(n => expression.test(n));
		state.hits = new Uint8Array(nrFrames);
		for (let f = 0; f < nrFrames; f++)
			state.hits[f] = field(f, 2) !== ROOT && hitName[field(f, 0)];
		measure(hitName);
	}
	matched.textContent = matchedText;
}

// The next match that is wide enough to be drawn, from the root outwards and from left to right; by -1 the one before.
function walkMatches(step) {
	const all = [];
	for (let i = 0; state.hits && i < nr; i++)
		if (state.hits[frame[i]] && isShown(i))
			all.push(i);
	if (!all.length)
		return -1;
	const next = step > 0 ? all.findIndex(i => i > state.at) : all.findLastIndex(i => i < state.at);
	const k = next >= 0 ? next : step > 0 ? 0 : all.length - 1, i = all[k];
	drawn.get(state.at)?.classList.remove("at");
	state.at = state.focus = i;
	bringInSight(i);
	follow();
	reach(i).classList.add("at");
	matched.textContent = `${matchedText} · ${k + 1}/${all.length}`;
	tell(i);
	showTipOf(i);
	return i;
}
