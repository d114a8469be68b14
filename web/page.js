// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page kit: what the script of every page begins with, in one function with it (src/view/page.c). Lines of text, the legend, the part
// of the picture that is in sight and the tooltip; page_dom.js stands before it. Names reach the document as text nodes only.
const LINE = 17, TIP_WIDTH = 440;
const svg = document.currentScript.closest("svg");
const standalone = document.documentElement === svg;
const pad = Number(svg.querySelector(".title").getAttribute("x"));
// The size of the picture in its own units; set by pages that follow their window.
let { width, height } = svg.viewBox.baseVal;

// The part of the picture that can be seen, in its own units. A window's scroll bars are no part of it.
function sight() {
	const box = svg.getBoundingClientRect(), scale = box.width / width || 1, windowWidth = standalone && svg.clientWidth || window.innerWidth;
	const from = Math.max(0, -box.top / scale), left = Math.max(0, -box.left / scale);
	return {
		scale, from, to: Math.max(from, Math.min(height, (window.innerHeight - box.top) / scale)),
		left, right: Math.max(left, Math.min(width, (windowWidth - box.left) / scale)),
	};
}

// Lines of text

const canvas = make(HTML, "canvas").getContext("2d");

function pieces(word, room) {
	const found = [];
	let from = 0;
	for (let end = 1; end <= word.length; end++)
		if (end - from > 1 && canvas.measureText(word.slice(from, end)).width > room) {
			found.push(word.slice(from, end - 1));
			from = end - 1;
		}
	return [...found, word.slice(from)];
}

// Text in as many lines of `room` as it takes, but no more than `most`.
function linesOf(e, text, room, most) {
	const style = getComputedStyle(e), lines = [""];
	canvas.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
	const fits = t => canvas.measureText(t).width <= room;
	for (const word of text.split(" ").flatMap(t => fits(t) ? [t] : pieces(t, room))) {
		const longer = lines.at(-1) ? lines.at(-1) + " " + word : word;
		if (fits(longer))
			lines[lines.length - 1] = longer;
		else
			lines.push(word);
		if (lines.length > most)
			break;
	}
	if (lines.length <= most)
		return lines;
	let last = lines[most - 1];
	while (last && !fits(last + "…"))
		last = last.slice(0, -1);
	return [...lines.slice(0, most - 1), last + "…"];
}

// Returns the number of lines.
function setLines(e, text, y, room, most, line) {
	const lines = linesOf(e, text, room, most);
	e.setAttribute("y", y);
	if (lines.length < 2)
		e.textContent = lines[0];
	else
		e.replaceChildren(...lines.map((t, i) => make(SVG, "tspan", { x: pad, y: y + i * line }, t)));
	if (lines.at(-1).endsWith("…") && !text.endsWith("…"))
		e.append(make(SVG, "title", {}, text));
	return lines.length;
}

const keys = [...svg.querySelectorAll(".key")].map(e => ({ e, text: e.querySelector("text") }));

// Entries of the legend in rows; returns where the next thing may begin.
function placeLegend(y) {
	let left = pad;
	for (const { e, text } of keys) {
		const size = Math.ceil(text.getBBox().x + text.getBBox().width);
		if (left > pad && left + size > width - pad) {
			left = pad;
			y += LINE + 1;
		}
		e.setAttribute("transform", `translate(${left} ${y})`);
		left += size + 14;
	}
	return keys.length ? y + LINE : y;
}

// The tooltip

const tip = make(HTML, "div", { class: "tip" });
const tipBox = make(SVG, "foreignObject", { class: "tip-box", height: 1, visibility: "hidden", "aria-hidden": "true" }, tip);
svg.append(tipBox);

// Beside a box of the picture, always in sight: below it (or, with `above`, above it) where there is room.
function showTip([first, ...others], box, above = false) {
	const seen = sight(), most = Math.min(TIP_WIDTH, seen.right - seen.left - 8);
	tip.replaceChildren(make(HTML, "b", {}, first), ...others.filter(Boolean).map(text => make(HTML, "div", {}, text)));
	tip.style.maxWidth = most + "px";
	tip.style.maxHeight = Math.max(80, seen.to - seen.from - 8) + "px";
	tipBox.setAttribute("width", most);
	tipBox.setAttribute("visibility", "visible");
	const size = tip.getBoundingClientRect(), tw = size.width / seen.scale, th = size.height / seen.scale;
	const over = box.y - 10 - th, under = box.y + box.height + 18;
	let left = box.x + box.width + 14, y = above ? over : under;
	if (left + tw > seen.right - 4)
		left = Math.max(seen.left + 4, Math.min(box.x - 14 - tw, seen.right - tw - 4));
	if (above ? over < seen.from + 4 : under + th > seen.to - 4)
		y = above ? under : over;
	tipBox.setAttribute("x", left);
	tipBox.setAttribute("y", Math.max(seen.from + 4, Math.min(y, seen.to - 4 - th)));
}

function hideTip() {
	tipBox.setAttribute("visibility", "hidden");
	tip.replaceChildren();
}
