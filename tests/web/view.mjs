// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives the pages that view.sh has made, and compares what they count with `assay report`.
import { execSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { check, finish, openView as view, same, settle } from "./browser.mjs";

const counted = JSON.parse(readFileSync("counts.json", "utf8"));
const grouped = n => n.toLocaleString("en-US");

const counts = page => page.$eval(".counts", e => Number(e.textContent.match(/[\d,]+/)[0].replaceAll(",", "")));
const chips = page => page.$$eval(".chip", list => list.map(e => e.textContent.replace(/×$/, "")));
const line = (page, text) => page.locator(".line", { hasText: text }).first();
// The address once it says so, which is a little later than the page.
async function hashWith(page, holds) {
	let hash = "";
	for (let i = 0; i < 600 && (i === 0 || !holds(hash)); i++) {
		await page.waitForTimeout(i ? 50 : 0);
		hash = await page.evaluate(() => location.hash);
	}
	return hash;
}

function reported(options) {
	const text = execSync(`${process.env.REPORT} ${options}`, { encoding: "utf8", shell: "/bin/bash" });
	return text.split("\n").filter(l => l.includes("%")).reduce((n, l) => n + Number(l.trim().split(/\s+/)[2]), 0);
}

async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
	await settle(page);
}

async function threads(page) {
	same(await counts(page), counted.all, "all samples");
	const tids = Object.keys(counted).filter(k => k.startsWith("tid")).map(k => k.slice(4));
	for (const tid of tids) {
		await page.locator(`.line[title$=" ${tid}"]`).first().click();
		await settle(page);
		same(await counts(page), counted[`tid ${tid}`], `thread ${tid}`);
		same((await chips(page)).length, 1, "one filter");
	}
	await page.locator(`.line[title$=" ${tids[0]}"]`).first().click({ modifiers: ["Control"] });
	await settle(page);
	same(await counts(page), counted[`tid ${tids[0]}`] + counted[`tid ${tids.at(-1)}`], "two threads");
	await press(page, "Control+z");
	same(await counts(page), counted[`tid ${tids.at(-1)}`], "undo");
	await press(page, "c");
	same(await counts(page), counted.all, "no filters");
	await page.locator(".line[title*=' 300 (']").first().click();
	await settle(page);
	same(await counts(page), counted["pid 300"], "a process");
	await press(page, "c");
}

async function brush(page) {
	const box = await page.locator(".plot").boundingBox();
	for (const [from, to] of [[0.2, 0.5], [0.03, 0.09], [0.6, 0.995]]) {
		await page.mouse.move(box.x + from * box.width, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(box.x + (from + to) / 2 * box.width, box.y + 62);
		await page.mouse.move(box.x + to * box.width, box.y + 60);
		await page.mouse.up();
		await settle(page);
		const time = await page.getAttribute(".chip[data-kind='time']", "title");
		same(await counts(page), reported(time), `a range of time: ${time}`);
	}
	const tid = Object.keys(counted).find(k => k.startsWith("tid")).slice(4), time = await page.getAttribute(".chip[data-kind='time']", "title");
	await page.locator(`.line[title$=" ${tid}"]`).first().click();
	await settle(page);
	same(await counts(page), reported(`${time} --tid ${tid}`), "a thread in a range of time");
	const hash = await hashWith(page, h => h.includes("thread") && h.includes("time"));
	const again = await view("mixed.html", { hash });
	same(await counts(again), await counts(page), "the address has the filters");
	same((await chips(again)).join(), (await chips(page)).join(), "and shows them");
	await again.close();
	await page.click(".clear");
	await settle(page);
	same(await counts(page), counted.all, "clear all");
}

const isZoomed = hash => hash.includes("zoom=");

// Walks to the heaviest frame by keys; the status line says what it is.
async function flame(page) {
	await press(page, "g", "ArrowDown");
	const status = await page.textContent(".status");
	check(status.startsWith("_start · ") && status.includes("samples"), `the keyboard walks through the flame graph: ${status}`);
	await press(page, "ArrowDown", "ArrowDown", "Enter");
	check((await hashWith(page, isZoomed)).includes("zoom="), "Enter zooms");
	await press(page, "Escape");
	check(!(await hashWith(page, h => !isZoomed(h))).includes("zoom="), "Esc shows all");
	const box = await page.locator(".flame canvas").boundingBox();
	await page.mouse.move(box.x + 40, box.y + 9);
	check((await page.textContent(".tip")).startsWith("all ("), "a tip");
	await page.mouse.click(box.x + 40, box.y + 27);
	check((await hashWith(page, isZoomed)).includes("zoom="), "a click zooms");
	await press(page, "Escape", "i");
	same(await page.getAttribute("button[aria-label^='inverted']", "aria-pressed"), "true", "inverted");
	await press(page, "g", "ArrowDown");
	check(!(await page.textContent(".status")).startsWith("_start"), "from the sampled function");
	await press(page, "i");
	for (const order of ["name", "time", "weight"]) {
		await page.selectOption("select[aria-label='order']", order);
		await settle(page);
	}
}

// Rows of a table as [name, total, self].
const rowsOf = (page, panel) => page.$$eval(`#panel-${panel} .row`, list => list.map(e => {
	const [total, self] = [...e.querySelectorAll(".amount")].map(a => Number(a.textContent.replaceAll(",", "")));
	return { name: e.querySelector(".name").textContent.replace(/^[▾▸]/, ""), total, self };
}));

async function tables(page) {
	await press(page, "4");
	const rows = await rowsOf(page, "table");
	const selfs = Object.fromEntries(execSync(`${process.env.REPORT} --sort sym`, { encoding: "utf8", shell: "/bin/bash" }).split("\n").filter(l => l.includes("%"))
		.map(l => l.trim().split(/\s+/)).map(w => [w.at(-1), Number(w[2])]));
	same(rows.filter(r => r.self).map(r => `${r.name} ${r.self}`).sort().join(), Object.entries(selfs).map(([n, s]) => `${n} ${s}`).sort().join(), "own samples of functions");
	check(rows.every((r, i) => !i || rows[i - 1].total >= r.total), "by total");
	await page.click("#panel-table .head .self button");
	await settle(page);
	const bySelf = await rowsOf(page, "table");
	check(bySelf.every((r, i) => !i || bySelf[i - 1].self >= r.self), "by self");
	await page.click("#panel-table .head .self button");
	await settle(page);
	same((await rowsOf(page, "table"))[0].self, bySelf.at(-1).self, "the other way round");
	same(await page.getAttribute("#panel-table .head .self", "aria-sort"), "ascending", "which is said");
	await press(page, "/");
	await page.keyboard.type("^ren");
	await settle(page);
	same((await rowsOf(page, "table")).map(r => r.name).join(), "render", "search");
	const render = rows.find(r => r.name === "render").total;
	same(await page.textContent(".found"), `${(100 * render / counted.all).toFixed(100 * render / counted.all < 9.995 ? 2 : 1)}% matched`, "how much goes through it");
	await press(page, "Escape");
	await page.locator("#panel-table .row", { hasText: "render" }).click();
	await settle(page);
	check((await page.textContent("#panel-sandwich .about")).startsWith(`render: total ${grouped(render)} samples`), "sandwich");
	return rows;
}

async function treeViews(page, rows) {
	await press(page, "2");
	const down = await rowsOf(page, "down");
	same(down[0].name, "_start", "top-down begins at the outermost function");
	same(down[0].total, counted.all, "which all samples go through");
	check(down.length > 2, "the hottest path is open");
	await page.locator("#panel-down .row").first().focus();
	await press(page, "ArrowLeft");
	same((await rowsOf(page, "down")).length, 1, "the keyboard closes it");
	await press(page, "ArrowRight");
	check((await rowsOf(page, "down")).length > 1, "and opens it");
	await press(page, "3");
	const up = (await rowsOf(page, "up")).filter((r, i, all) => all.findIndex(o => o.self === r.self && o.self) === i && r.self);
	for (const row of up)
		same(row.self, rows.find(r => r.name === row.name).self, `bottom-up: ${row.name}`);
}

async function transformed(page) {
	await press(page, "4");
	await page.click("#panel-table .head .total button");
	await settle(page);
	const before = await rowsOf(page, "table"), menuOf = async name => {
		await page.locator("#panel-table .row", { has: page.locator(`.name:text-is("${name}")`) }).click({ button: "right" });
	};
	await menuOf("recurse");
	await page.click(".menu button:has-text('Merge it into its callers')");
	await settle(page);
	let rows = await rowsOf(page, "table");
	check(!rows.some(r => r.name === "recurse"), "merged");
	same(rows.reduce((n, r) => n + r.self, 0), counted.all, "its samples are its callers'");
	await press(page, "u");
	same(JSON.stringify(await rowsOf(page, "table")), JSON.stringify(before), "undo brings it back");
	await menuOf("render");
	await page.click(".menu button:has-text('Only stacks through it')");
	await settle(page);
	same(await counts(page), before.find(r => r.name === "render").total, "through it");
	await press(page, "u");
	await menuOf("render");
	await page.click(".menu button:has-text('Without stacks through it')");
	await settle(page);
	same(await counts(page), counted.all - before.find(r => r.name === "render").total, "without it");
	await press(page, "u");
	await menuOf("handle_request");
	await page.click(".menu button:has-text('Stacks from it on')");
	await settle(page);
	rows = await rowsOf(page, "table");
	same(rows[0].name, "handle_request", "stacks begin at it");
	same(await counts(page), before.find(r => r.name === "handle_request").total, "those without it are out");
	await press(page, "u");
	await menuOf("recurse");
	await page.click(".menu button:has-text('Draw recursion once')");
	await settle(page);
	same(await counts(page), counted.all, "recursion once: the same samples");
	await press(page, "c");
	await menuOf("render");
	await page.click(".menu button:has-text('Collapse ')");
	await settle(page);
	same((await rowsOf(page, "table")).filter(r => r.self).length, 1, "a module is one frame");
	await press(page, "u");
}

// Samples of instructions follow filters as everything else does.
async function codeOfThread(page, name) {
	const tid = Object.keys(counted).find(k => k.startsWith("tid")).slice(4);
	await page.locator(`.line[title$=" ${tid}"]`).first().click();
	await settle(page);
	const own = execSync(`${process.env.REPORT} --sort sym --tid ${tid}`, { encoding: "utf8", shell: "/bin/bash" }).split("\n").map(l => l.trim().split(/\s+/)).find(w => w.at(-1) === name);
	check((await page.textContent(".code-tools")).includes(`${grouped(Number(own[2]))} samples`), `the code of a thread: ${own} in ${await page.textContent(".code-tools")}`);
	const lines = await page.$$eval("#panel-code .row[title$='sample'], #panel-code .row[title$='samples']", list => list.map(e => Number(e.title.match(/[\d,]+/)[0].replaceAll(",", ""))));
	same(lines.reduce((n, c) => n + c, 0), Number(own[2]), "by line");
	await press(page, "c");
}

async function otherViews(page, rows) {
	await press(page, "6");
	const hottest = rows.reduce((a, b) => a.self > b.self ? a : b), choice = page.locator("select[aria-label='function']");
	same(await choice.evaluate(e => e.selectedOptions[0].textContent), hottest.name, "the code of the hottest function");
	check((await page.textContent(".code-tools")).includes(`${grouped(hottest.self)} samples`), "and its samples");
	await page.click("button[aria-label^='go to the hottest']");
	check((await page.textContent("#panel-code .row:focus")).includes("%"), "its hottest instruction");
	await codeOfThread(page, hottest.name);
	await press(page, "7");
	const box = await page.locator(".heat canvas").boundingBox();
	await page.mouse.move(box.x + 70, box.y + box.height - 40);
	await page.mouse.down();
	await page.mouse.move(box.x + 100, box.y + 40);
	await page.mouse.up();
	await settle(page);
	const time = await page.getAttribute(".chip[data-kind='time']", "title");
	same(await counts(page), reported(time), "cells of the heat map are a range of time");
	await press(page, "c", "8");
	check((await page.textContent(".details")).includes("mixed.data"), "details");
	await press(page, "?");
	check(await page.isVisible(".help"), "the list of keys");
	await press(page, "Escape", "1");
	check(!await page.isVisible(".help"), "goes");
}

async function saved(page, label) {
	await press(page, "s");
	const [download] = await Promise.all([page.waitForEvent("download"), page.click(`.menu button:has-text('${label}')`)]);
	return readFileSync(await download.path());
}

async function exports_(page) {
	const folded = (await saved(page, "folded")).toString().trim().split("\n");
	same(folded.reduce((n, l) => n + Number(l.split(" ").at(-1)), 0), counted.all, "folded stacks have all samples");
	check((await saved(page, "SVG")).toString().includes("<title>_start"), "an SVG");
	same((await saved(page, "PNG")).subarray(1, 4).toString(), "PNG", "a PNG");
}

// A function that has no caller to be merged into.
async function mergedAway() {
	const page = await view("alone.html", { hash: "#tab=table" });
	await page.locator("#panel-table .row", { hasText: "alone" }).click({ button: "right" });
	await page.click(".menu button:has-text('Merge it into its callers')");
	await settle(page);
	same(await counts(page), 8, "its samples stay");
	same((await saved(page, "folded")).toString(), "[no function] 5\nmain;work 3\n", "in folded stacks, too");
	await page.close();
}

// What is saved is what is selected now, whether the flame graph was ever in sight or not.
async function exportsOfSelection() {
	const tid = Object.keys(counted).find(k => k.startsWith("tid")).slice(4), nr = grouped(counted[`tid ${tid}`]);
	const page = await view("mixed.html", { hash: "#tab=table", viewport: { width: 1280, height: 1800 } });
	check((await saved(page, "Flame graph as SVG")).toString().includes(`<title>all (${grouped(counted.all)} samples)`), "a flame graph that was not looked at");
	await page.locator(`.line[title$=" ${tid}"]`).first().click();
	await settle(page);
	check((await saved(page, "Flame graph as SVG")).toString().includes(`<title>all (${nr} samples)`), "of a filter that came since");
	await page.locator("#panel-table .row", { hasText: "render" }).click();
	await settle(page);
	const [, total] = (await page.textContent("#panel-sandwich .about")).match(/^render: total ([\d,]+) samples/);
	check((await saved(page, "Sandwich as SVG")).toString().includes(`<title>render\n${total} samples`), "the sandwich");

	await press(page, "1");
	await page.selectOption("select[aria-label='order']", "time");
	await settle(page);
	const outermost = (await saved(page, "Flame graph as SVG")).toString().split("<g").filter(g => g.includes(' y="18" ')).map(g => g.match(/\n([\d,]+) samples?,/)[1]);
	const sum = outermost.reduce((n, count) => n + Number(count.replaceAll(",", "")), 0);
	check(sum <= counted[`tid ${tid}`] && sum > 0.9 * counted[`tid ${tid}`], `in the order of time rectangles have the samples they stand for: ${sum} of ${nr}`);
	await page.close();
}

// The command that is copied counts the same, and is one command whatever the recording is called.
async function copiedCommand() {
	const page = await view("quoted.html", { viewport: { width: 1280, height: 1800 }, permissions: ["clipboard-read", "clipboard-write"] });
	await page.locator(".line[title*=' 300 (']").first().click();
	await press(page, "4");
	await page.locator("#panel-table .row", { hasText: "render" }).click({ button: "right" });
	await page.click(".menu button:has-text('Without stacks through it')");
	await press(page, "s");
	await page.click(".menu button:has-text('Copy the command line')");
	await press(page, "/", "Control+v");
	const command = await page.inputValue("input[type='search']");
	same(command, "assay report -i 'x; touch owned '\\'' $(touch owned).data' --pid 300 # and in the page alone: without render", "quoted for a shell");
	same(execSync(command.replace("assay report", 'printf "%s\\n"'), { encoding: "utf8", shell: "/bin/bash" }), "-i\nx; touch owned ' $(touch owned).data\n--pid\n300\n", "which a shell reads as words");
	await page.close();
}

// A page of a part of the samples says so, and its command counts the same.
async function partOfRecording() {
	const page = await view("part.html", { viewport: { width: 1280, height: 1800 }, permissions: ["clipboard-read", "clipboard-write"] });
	const own = "--pid 300 --symbols render,recurse";
	same(await page.textContent(".chip.made"), own, "the filters that a page was made with");
	check((await page.textContent(".none")).includes("of this page"), "are not called all");
	same(await counts(page), reported(own), "and its samples are those of the report");
	await press(page, "8");
	check((await page.textContent(".details")).includes(`made with ${own}`), "the details have them");
	const rows = await page.$$eval(".line", list => list.length), tids = await page.$$eval("#panel-details dt", list => list.find(e => e.textContent === "threads").nextSibling.textContent);
	check(Number(tids) <= rows, `threads without samples do not count: ${tids}, ${rows} rows`);
	await page.locator(".line[title*=' 300']").first().click();
	await settle(page);
	const nr = await counts(page);
	await press(page, "s");
	await page.click(".menu button:has-text('Copy the command line')");
	await press(page, "/", "Control+v");
	const command = await page.inputValue("input[type='search']");
	same(command.match(/--pid/g).length, 1, `each option once: ${command}`);
	check(command.includes("--symbols render,recurse"), `what the page was made with is in the command: ${command}`);
	same(reported(command.replace(/^assay report -i \S+/, "")), nr, "which counts the same");
	await page.close();
}

// Moving about is no change to undo; a change that was is not lost by a click.
async function undoOfDrags() {
	const page = await view("mixed.html", { viewport: { width: 1280, height: 1800 } }), box = await page.locator(".plot").boundingBox();
	const drag = async (from, to, y) => {
		await page.mouse.move(box.x + from * box.width, box.y + y);
		await page.mouse.down();
		await page.mouse.move(box.x + to * box.width, box.y + y, { steps: 3 });
		await page.mouse.up();
		await settle(page);
	};
	await press(page, "t", "ArrowDown", "Enter");
	const chosen = await counts(page);
	check(chosen < counted.all, "a thread is chosen");
	await page.mouse.click(box.x + 0.5 * box.width, box.y + 8);
	await page.mouse.click(box.x + 0.5 * box.width, box.y + 60);
	await press(page, "p", "+", "+");
	await drag(0.5, 0.4, 8);
	same(await counts(page), chosen, "moving and clicks change nothing");
	await page.click("button[aria-label^='undo']");
	await settle(page);
	same(await counts(page), counted.all, "undo takes back the choice, not the moves");
	check(await page.isDisabled("button[aria-label^='undo']"), "and then there is nothing to undo");
	await drag(0.2, 0.5, 60);
	check(await counts(page) < counted.all, "a range");
	await page.mouse.click(box.x + 0.9 * box.width, box.y + 60);
	await settle(page);
	same(await counts(page), counted.all, "a click ends it");
	await page.click("button[aria-label^='undo']");
	await settle(page);
	check(await counts(page) < counted.all, "undo brings it back");
	await press(page, "c", "7");

	// The button may be let go anywhere.
	const map = await page.locator(".heat canvas").boundingBox();
	await page.mouse.move(map.x + 100, map.y + map.height - 60);
	await page.mouse.down();
	await page.mouse.move(map.x + 130, map.y + map.height - 90);
	await page.mouse.move(map.x + 140, map.y - 60);
	await page.mouse.up();
	await settle(page);
	const nr = await counts(page);
	await page.mouse.move(map.x + 300, map.y + 60);
	await page.mouse.move(map.x + 400, map.y + 90);
	await settle(page);
	same(await counts(page), nr, "a drag of the heat map ends outside of it");
	same(nr, reported(await page.getAttribute(".chip[data-kind='time']", "title")), "with a range of time");
	await page.close();
}

async function wheel(page) {
	const box = await page.locator(".plot").boundingBox(), view = hash => new URLSearchParams(hash.slice(1)).get("view"), fromOf = hash => Number((view(hash) || "0").split("-")[0]);
	await press(page, "p", "0");
	await page.mouse.move(box.x + box.width / 2, box.y + 60);
	await page.mouse.wheel(0, -300);
	await settle(page);
	const zoomed = await hashWith(page, view), [from, to] = (view(zoomed) || "").split("-").map(Number);
	check(from > 0 && to > from, `the wheel zooms to where the pointer is: ${zoomed}`);
	await page.keyboard.down("Shift");
	await page.mouse.wheel(0, 200);
	await page.keyboard.up("Shift");
	await settle(page);
	check(fromOf(await hashWith(page, h => fromOf(h) > from)) > from, "with Shift it moves");
	await press(page, "0");
	same(view(await hashWith(page, h => !view(h))), null, "0 shows all");
	await press(page, "Escape");
}

async function modes(page) {
	const ground = p => p.$eval("body", e => getComputedStyle(e).backgroundColor);
	const dark = await view("mixed.html", { colorScheme: "dark" });
	check(await ground(dark) !== await ground(page), "the page follows the reader's mode");
	await press(dark, "d");
	same(await ground(dark), await ground(page), "and a key changes it");
	await dark.close();
	for (const width of [360, 2560]) {
		const other = await view("mixed.html", { viewport: { width, height: 800 } });
		check(await other.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${width} px: no scroll bar`);
		check(await other.$eval(".plot", e => e.getBoundingClientRect().right <= window.innerWidth && e.getBoundingClientRect().width > 150), `${width} px: the time line fits`);
		same(await counts(other), counted.all, `${width} px: counts`);
		const outside = () => other.$$eval("button, select, input", list => list.filter(e => e.offsetParent && !e.closest(".tabs") && e.getBoundingClientRect().right > window.innerWidth).map(e => e.getAttribute("aria-label")));
		same((await outside()).join(), "", `${width} px: controls are in the window`);
		await press(other, "6");
		same((await outside()).join(), "", `${width} px: those of the code, too`);
		check(await other.$eval("#panel-code .row > span:last-child", e => e.getBoundingClientRect().left < 200 || window.innerWidth > 700), `${width} px: instructions are in the window`);
		for (const key of ["2", "4", "5", "6", "7", "8", "1"]) {
			await press(other, key);
			check(await other.$eval("[aria-selected='true'][role='tab']", e => e.getBoundingClientRect().left >= 0 && e.getBoundingClientRect().right <= window.innerWidth), `${width} px: the tab of view ${key} is in the window`);
		}
		await other.close();
	}
}

// The views that are pictures: sandwich, flame graph in the order of time, heat map.
async function graphsByKeys(page) {
	const status = () => page.textContent(".status");
	await press(page, "4", "/");
	await page.keyboard.type("^rend");
	await press(page, "Enter");
	check((await page.evaluate(() => document.activeElement.textContent)).includes("render"), "Enter goes from a search to what was found");
	await press(page, "Escape");
	await press(page, "5", "g", "ArrowDown");
	const [name] = (await page.textContent("#panel-sandwich .about")).split(":");
	check((await status()).startsWith(`${name} · `), `keys begin at the function of the sandwich: ${await status()}`);
	await press(page, "ArrowUp");
	const [caller] = (await status()).split(" · ");
	check(caller !== name, "go to a caller");
	await press(page, "Enter");
	check((await page.textContent("#panel-sandwich .about")).startsWith(`${caller}: `), "and Enter makes it the middle");
	await press(page, "g", "ArrowDown", "m");
	check(await page.isVisible(".menu"), "its menu");
	await press(page, "Escape", "1");
	await page.selectOption("select[aria-label='order']", "time");
	await press(page, "g", "ArrowDown", "ArrowDown", "ArrowDown");
	check(/ · [\d,]+ samples?, /.test(await status()), `keys in the order of time: ${await status()}`);
	await page.selectOption("select[aria-label='order']", "weight");
	await page.evaluate(() => ["7", "g"].forEach(key => window.dispatchEvent(new KeyboardEvent("keydown", { key }))));
	check(await page.evaluate(() => document.activeElement.closest("#panel-heat") !== null), "a key for a view that the key before has opened");
	await press(page, "ArrowRight", "ArrowRight", "ArrowUp", "Enter");
	const [, cell] = (await status()).match(/: ([\d,]+) samples?$/);
	same(await counts(page), Number(cell), "Enter chooses a cell of the heat map");
	same(await counts(page), reported(await page.getAttribute(".chip[data-kind='time']", "title")), "as a range of time");
	await press(page, "c");
}

// Without a pointer: a thread, a range, a view, and back.
async function keyboardOnly() {
	const page = await view("mixed.html");
	await press(page, "t", "ArrowDown", "Enter");
	same((await chips(page)).length, 1, "keys choose a thread");
	const name = await page.evaluate(() => document.activeElement.getAttribute("title"));
	const tid = name.split(" ").at(-1);
	same(await counts(page), reported(`--tid ${tid}`), "and its samples are shown");
	await press(page, "p", "b");
	same((await chips(page)).length, 2, "keys choose a range");
	same(await counts(page), reported(`--tid ${tid} ${await page.getAttribute(".chip[data-kind='time']", "title")}`), "and its samples are shown");
	check((await page.textContent(".status")).startsWith("chosen: "), `and the range is said: ${await page.textContent(".status")}`);
	await press(page, "+", "+");
	check((await page.textContent(".status")).startsWith("in sight: "), "as is what is in sight");
	await press(page, "ArrowRight", "0", "?", "Escape");
	check(await page.evaluate(() => document.activeElement.classList.contains("plot")), "after the list of keys the keyboard is where it was");
	await press(page, "t", "m");
	check(await page.isVisible(".menu"), "a menu opens");
	await press(page, "ArrowDown", "Escape");
	check(!await page.isVisible(".menu"), "and closes");
	await press(page, "u", "u");
	same(await counts(page), counted.all, "undo");
	await graphsByKeys(page);
	await page.close();
}

async function hostile() {
	const page = await view("hostile.html", { hash: "#f=%7B%22kind%22%3A%22function%22%2C%22frame%22%3A99999%7D&f=nonsense&tab=%3Cb%3E&zoom=7.8.9&focus=-4&view=9-1" });
	same(await page.textContent("h1"), "</title><script>alert(5)</script>", "the title is text");
	same(await counts(page), 10, "what is wrong in an address is left out");
	for (const key of ["1", "2", "3", "4", "5", "6", "7", "8"])
		await press(page, key);
	await press(page, "4");
	const names = (await rowsOf(page, "table")).map(r => r.name);
	for (const name of ["</script><img src=x onerror=alert(1)>", '"onmouseover=alert(2)', "<b>bold</b>", "a`${alert(4)}"])
		check(names.includes(name), `a name is text: ${name}`);
	same(await page.locator("img, main b").count(), 0, "and no markup");
	check(names.some(n => n.includes("\\x1b")), `escape sequences are shown: ${names}`);
	await press(page, "s");
	const [download] = await Promise.all([page.waitForEvent("download"), page.click(".menu button:has-text('SVG')")]);
	check(readFileSync(await download.path(), "utf8").includes("&lt;img src=x"), "in a saved picture, too");
	await page.close();
	const deep = await view("deep.html");
	same(await counts(deep), 30, "deep stacks");
	await press(deep, "2", "3", "5");
	// Of 400 callers only the nearest have room above the function.
	check(await deep.$eval("#panel-sandwich .graph-box", e => e.scrollTop > 0 && e.scrollHeight - e.scrollTop - e.clientHeight < 4), "the function of a sandwich is in sight below deep callers");
	await press(deep, "1");
	await deep.close();
}

// Lines of source have what their instructions have, and tabs are room.
async function sourceLines() {
	const page = await view("source.html", { hash: "#tab=code" });
	await page.$eval("#panel-code .sheet", e => e.scrollTo(0, 0));
	await settle(page);
	const rows = await page.$$eval("#panel-code .row", list => list.map(e => ({ isLine: e.classList.contains("source"), nr: Number((e.title.match(/^([\d,]+) samples?$/) || [0, "0"])[1].replaceAll(",", "")), text: e.textContent })));
	const lines = rows.filter(r => r.isLine);
	check(lines.length > 2 && !rows.some(r => r.text.includes("\\x09")), `source lines: ${rows.map(r => r.text).slice(0, 9)}`);
	check(lines.some(r => r.text.includes("        s += i ^")), "with their indentation");
	same(lines.reduce((n, r) => n + r.nr, 0), rows.reduce((n, r) => n + (r.isLine ? 0 : r.nr), 0), "lines have the samples of their instructions");
	check(lines.some(r => r.nr > 0), "and some have any");
	await page.close();
}

async function otherRecordings() {
	const events = await view("events.html");
	same(await events.locator("select[aria-label='event'] option").count(), 2, "two events");
	const before = await counts(events);
	const sharesOf = async (tab, cells) => {
		await press(events, tab);
		const found = await events.$$eval(`#panel-${tab === "4" ? "table" : tab === "2" ? "down" : "up"} .row`, (list, cells) => list.map(e => [e.querySelector(".name").title,
			[...e.querySelectorAll(cells)].map(share => share.textContent.replace("–", "0.00%")).slice(0, 2)]), cells);
		return new Map(found);
	};
	// The columns of the other event have what the usual ones have when it is chosen.
	const others = {};
	for (const tab of ["2", "3", "4"])
		others[tab] = await sharesOf(tab, ".other .share");
	await events.selectOption("select[aria-label='event']", { index: (await events.$eval("select[aria-label='event']", e => e.selectedIndex)) ? 0 : 1 });
	await settle(events);
	check(await counts(events) !== before && await counts(events) > 0, "each has its samples");
	for (const tab of ["2", "3", "4"]) {
		const chosen = await sharesOf(tab, ".number:not(.other) .share"), both = [...chosen.keys()].filter(name => others[tab].has(name));
		check(both.length > 0 && both.some(name => others[tab].get(name)[0] !== "0.00%"), `rows of both events in ${tab}: ${[...others[tab].keys()]} and ${[...chosen.keys()]}`);
		for (const name of both)
			same(others[tab].get(name).join(), chosen.get(name).join(), `${name} beside another event in ${tab}`);
	}
	await press(events, "7");
	check(/^A column is \d[\d.]* \S+, a cell \d[\d.]* \S+ of it.* samples?$/.test(await events.textContent("#panel-heat .about")), `what the heat map shows: ${await events.textContent("#panel-heat .about")}`);
	await press(events, "8");
	const known = await events.textContent(".details");
	check(known.includes(": 1 sample") || (known.match(/: [\d,]+ samples/g) || []).length >= 2, `the details have the samples of each event: ${known}`);
	check(/processes\d+threads\d+/.test(known), `and how many processes there are: ${known}`);
	await events.close();
	const none = await view("none.html");
	check((await none.textContent(".subtitle")).endsWith(" · 0 samples"), `no samples: ${await none.textContent(".subtitle")}`);
	await press(none, "2", "3", "4", "5", "6", "7");
	check((await none.textContent("#panel-heat .about")).endsWith("no samples"), "a heat map of none");
	await press(none, "8");
	const machine = await none.textContent(".details");
	for (const what of ["architecture", "CPUs", "memory", "recorder", "processes0"])
		check(machine.includes(what), `the details have ${what}: ${machine}`);
	check(!machine.includes("1 ns"), "and no time of samples");
	await none.close();
	const legend = await page.textContent(".legend");
	check(legend.includes("running"), `switches are states: ${legend}`);
	const box = await page.locator(".plot").boundingBox();
	const tips = [];
	for (let x = 0.2; x < 0.8; x += 0.02) {
		await page.mouse.move(box.x + x * box.width, box.y + 22 + 33);
		tips.push(await page.textContent(".tip"));
	}
	check(tips.some(t => t.includes("running for")), `a tip tells how long it ran: ${tips[0]}`);
	const lost = await view("lost.html");
	check((await lost.textContent(".legend")).includes("samples lost"), "gaps are drawn");
	await press(lost, "8");
	check((await lost.textContent(".details")).includes("samples lost at"), "and counted");
	await lost.close();
}

// As high as all rows of the time line need.
const page = await view("mixed.html", { viewport: { width: 1280, height: 1800 } });
await threads(page);
await brush(page);
await flame(page);
const rows = await tables(page);
await treeViews(page, rows);
await transformed(page);
await otherViews(page, rows);
await exports_(page);
await exportsOfSelection();
await mergedAway();
await copiedCommand();
await partOfRecording();
await undoOfDrags();
await wheel(page);
await modes(page);
await keyboardOnly();
await hostile();
if (existsSync("source.html"))
	await sourceLines();
await otherRecordings();
await finish();
