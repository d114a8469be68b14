// SPDX-License-Identifier: GPL-2.0-or-later
//
// The viewer's page: instructions and source lines of the hottest functions, as the file has them (src/view/viewer_code.c), with what passes the filters.
// Of enum annotation_row_kind (src/model/annotation.h).
const CODE_SOURCE = 3, CODE_LINE = 4, CODE_INSN = 5, CODE_ADDRESS = 7;

const code = { sheet: null, choice: null, note: null, /** @type {any[]} */ rows: [], first: 0, shown: NONE, /** @type {Float64Array} */ sums: null };

const codeOf = frame => about.code.find(c => c.frame === frame);
const hasCode = frame => codeOf(frame) !== undefined;

function showCode(frame) {
	state.focus = frame;
	state.tab = "code";
	changed("tab");
}

// By line of the code, of the selection.
function lineSums() {
	const { tree, passes, first, end } = selection, weight = state.weight === "samples" ? rows.count : rows.period;
	const last = about.code[about.code.length - 1], sums = new Float64Array(last ? last.first + last.rows.length : 0);
	for (let i = first; i < end; i++)
		if (passes[i] && rows.line[i] && (!tree.of || tree.of[rows.node[i]] !== NONE))
			sums[rows.line[i]] += weight[i];
	return sums;
}

const samplesOf = i => code.sums[code.first + i];
const isLine = row => row[0] === CODE_SOURCE || row[0] === CODE_LINE;

// Of a line of source: what the instructions below it have, up to those of another line.
function costOf(i) {
	if (!isLine(code.rows[i]))
		return samplesOf(i);
	let cost = 0;
	for (let k = i + 1; k < code.rows.length && code.rows[k][0] === CODE_INSN && code.rows[k][1] === code.rows[i][1]; k++)
		cost += samplesOf(k);
	return cost;
}

function codeRow(row, count, sum) {
	const [kind, number, address, text] = row, isCode = kind === CODE_INSN || kind === CODE_ADDRESS;
	const share = count ? [bar(count / sum), el("span", { class: "share" }, percent(count, sum))] : [];
	return el("div", { class: `row ${isCode ? "" : isLine(row) ? "source" : "other"}`, role: "row", title: count ? weightText(count) : text }, el("span", { class: "number", role: "gridcell" }, ...share),
		el("span", { class: "line-number", role: "gridcell" }, number ? String(number) : ""), el("span", { class: "address", role: "gridcell" }, address), el("span", { role: "gridcell" }, text));
}

function drawCode() {
	const found = codeOf(state.focus) || about.code[0], { sheet } = code;
	code.rows = found ? found.rows : [];
	code.first = found ? found.first : 0;
	code.sums = lineSums();
	const sum = code.rows.reduce((n, row, i) => n + samplesOf(i), 0);
	code.choice.value = found ? String(found.frame) : "";
	code.note.textContent = !found ? "This page has no code in it." : found.missing ? `No code: ${found.missing}. These are the addresses of samples.` :
		`${weightText(sum)}${weightText(selectedFunctions().self[found.frame]) === weightText(sum) ? "" : ` in these lines, of ${weightText(selectedFunctions().self[found.frame])} in the function itself`}`;
	sheet.nr = code.rows.length;
	sheet.head.replaceChildren(...["Samples", "Line", "Address", ""].map(label => el("span", { role: "columnheader" }, label)));
	sheet.make = i => codeRow(code.rows[i], costOf(i), sum);
	drawSheet(sheet);
	if (found && code.shown !== found.frame) {
		const [hottest] = hotRows();
		code.shown = found.frame;
		sheet.box.scrollTop = Math.max(0, (hottest ?? 0) * CELL - sheet.box.clientHeight / 3);
	}
}

const hotRows = () => code.rows.map((row, i) => [samplesOf(i), i]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).map(([, i]) => i);

// To the next hottest instruction.
function nextHot() {
	const order = hotRows();
	if (order.length)
		focusRow(code.sheet, order[(order.indexOf(code.sheet.focus) + 1) % order.length]);
}

function makeCode() {
	code.sheet = newSheet("code", "grid");
	code.sheet.box.classList.add("code");
	listenToSheet(code.sheet, functionMenu(() => state.focus), () => drawSheet(code.sheet), { n: nextHot });
	code.choice = select("function", about.code.map(c => [String(c.frame), shortName(nameOf(c.frame), 60)]), value => showCode(Number(value)));
	code.note = el("span");
	return [el("div", { class: "code-tools" }, code.choice, button("Hottest", "go to the hottest instruction, then the next (n)", nextHot), code.note), code.sheet.box];
}
