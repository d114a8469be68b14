// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives the pages that timechart.sh has made. make_timechart.py says what the tasks of states.svg did, in ms.
import { check, finish, open, same, settle } from "./browser.mjs";

const SLOW = 15000; // ms; a loaded machine takes longer than the second that an idle one may
const LEFT = 200, RIGHT = 1260; // of the rows, in a window of 1280 px
const px = ms => LEFT + ms * (RIGHT - LEFT) / 100;
const tip = page => page.$$eval(".tip b, .tip div", texts => texts.map(t => t.textContent));

// The rectangles of a row by state: [from, to] in px.
async function spansOf(page, label) {
	return page.evaluate(want => {
		const text = [...document.querySelectorAll(".label")].find(t => t.textContent === want);
		const y = Number(text.getAttribute("y")), found = {};
		for (const path of document.querySelectorAll(".rows path"))
			for (const [, x, top, w, h] of (path.getAttribute("d") || "").matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)/g))
				if (Number(top) < y && Number(top) + Number(h) > y - 8)
					(found[path.getAttribute("class")] ??= []).push([Number(x), Number(x) + Number(w)]);
		return found;
	}, label);
}

function expect(found, state, parts, what) {
	const got = (found[state] || []).sort((a, b) => a[0] - b[0]);
	const isSame = got.length === parts.length && parts.every(([from, to], i) => Math.abs(got[i][0] - px(from)) < 1 && Math.abs(got[i][1] - px(to)) < 1);
	check(isSame, `${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(parts.map(p => p.map(px)))}`);
}

async function rowMiddle(page, label) {
	return page.evaluate(want => {
		const box = [...document.querySelectorAll(".label")].find(t => t.textContent === want).getBoundingClientRect();
		return box.y + box.height / 2;
	}, label);
}

async function places(page) {
	const one = await spansOf(page, "one 11"), two = await spansOf(page, "two 12"), three = await spansOf(page, "three 13");
	expect(one, "s1", [[0, 10], [20, 30], [60, 80]], "one runs");
	expect(one, "s4", [[10, 18]], "one sleeps");
	expect(one, "s2", [[18, 20]], "one was woken");
	expect(one, "s3", [[30, 60]], "one was preempted");
	expect(one, "s5", [[80, 100]], "one waits for a disk");
	expect(two, "s1", [[30, 60]], "two runs");
	expect(two, "s2", [[25, 30]], "two was woken");
	expect(three, "s1", [[50, 90]], "three runs");
	const cpu0 = await spansOf(page, "CPU 0"), cpu1 = await spansOf(page, "CPU 1");
	expect(cpu0, "s1", [[0, 10], [20, 30], [30, 60], [60, 80]], "CPU 0 is busy");
	expect(cpu0, "s9", [[10, 20], [80, 100]], "CPU 0 is idle");
	expect(cpu1, "s1", [[50, 90]], "CPU 1 is busy");
	expect(cpu1, "s9", [[0, 50], [90, 100]], "CPU 1 is idle");
	const names = await page.$$eval(".name", texts => texts.map(t => t.textContent));
	check(names.includes("two") && names.includes("CPU 1"), `names on spans: ${names}`);
	same(await page.locator(".still").count(), 0, "the still picture has gone");
	const arrows = (await page.getAttribute(".arrows path", "d")).match(/M/g).length;
	same(arrows, 2, "arrows: one woke two, two woke three");
	same(await page.locator(".label.marked").count(), 1, "--highlight");
}

async function pointer(page) {
	const y = await rowMiddle(page, "one 11");
	await page.mouse.move(px(45), y);
	let lines = await tip(page);
	same(lines.slice(0, 2).join("; "), "one 11; runnable (preempted) for 30.00 ms", "a tip");
	check(lines.at(-1) === "--time 1000.030000000,1000.060000000", `for other commands: ${lines.at(-1)}`);
	await page.mouse.move(px(27), await rowMiddle(page, "two 12"));
	lines = await tip(page);
	same(lines[2], "woken by one 11", "who woke it");
	await page.mouse.move(px(40), await rowMiddle(page, "CPU 0"));
	same((await tip(page))[2], "two 12", "who ran there");
	await page.mouse.move(5, 5);
	same((await tip(page)).length, 0, "it goes when the pointer does");
}

async function zoom(page) {
	const y = await rowMiddle(page, "one 11");
	await page.mouse.move(px(10), y);
	await page.mouse.down();
	await page.mouse.move(px(20), y, { steps: 3 });
	await page.mouse.up();
	await settle(page);
	const hash = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));
	check(Math.abs(Number(hash.get("from")) - 10e6) < 2e5 && Math.abs(Number(hash.get("to")) - 20e6) < 2e5, `a drag zooms: ${hash}`);
	const sleeps = (await spansOf(page, "one 11")).s4;
	check(sleeps.length === 1 && sleeps[0][1] - sleeps[0][0] > 0.75 * (RIGHT - LEFT), `what was 8% is 80%: ${JSON.stringify(sleeps)}`);
	for (let i = 0; i < 12; i++)
		await page.keyboard.press("+");
	await settle(page);
	check((await page.textContent(".status")).match(/^\d+\.\d+ µs from/), `keys zoom on: ${await page.textContent(".status")}`);
	const before = await page.evaluate(() => location.hash);
	await page.keyboard.press("ArrowRight");
	check(await page.evaluate(() => location.hash) !== before, "arrow keys move");
	await page.keyboard.press("Escape");
	await settle(page);
	same(await page.evaluate(() => location.hash), "", "Esc: all of the time");
	await page.mouse.move(px(45), y);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -500);
	await page.keyboard.up("Control");
	await settle(page);
	check(await page.evaluate(() => location.hash) !== "", "Ctrl and the wheel zoom");
	await page.mouse.dblclick(px(45), y);
	await settle(page);
	await page.keyboard.press("0");
	await settle(page);
	same(await page.evaluate(() => location.hash), "", "0: all of the time");
}

async function searches(page) {
	await page.keyboard.press("/");
	await page.keyboard.type("t[wh]");
	await settle(page);
	same(await page.locator(".label.hit").count(), 2, "two and three are found");
	same(await page.textContent(".matched"), "2 rows", "and counted");
	await page.keyboard.press("Escape");
	await settle(page);
	same(await page.locator(".label.hit").count(), 0, "Esc ends it");
}

// The middle of what is drawn must not stay where another window of time was.
async function looksAgain() {
	const page = await open("states.svg", { hash: "#from=20000000&to=30000000&search=two" });
	const runs = (await spansOf(page, "one 11")).s1;
	check(runs.length === 1 && runs[0][0] < LEFT + 1 && runs[0][1] > RIGHT - 1, `the address says what to look at: ${JSON.stringify(runs)}`);
	same(await page.$eval("input", e => e.value), "two", "and what to search");
}

async function otherKinds() {
	const io = await open("io.svg");
	const labels = await io.$$eval(".label", texts => texts.map(t => t.textContent));
	same(labels.join("; "), "disk 11; net 12", "rows of system calls");
	const disk = await spansOf(io, "disk 11");
	same([disk.s12?.length, disk.s14?.length].join(), "2,1", "reads and a sync");
	check((await spansOf(io, "net 12")).s17?.length === 1, "a poll");
	const power = await open("power.svg");
	const rows = await power.$$eval(".label", texts => texts.map(t => t.textContent));
	same(rows.join("; "), "CPU 0; C-state of 0; MHz of 0; C-state of 1; one 11", "rows of power");
	// Heights are numbers, of one scale for all CPUs: C1 is half of C3, 1 GHz half of 2 GHz.
	const heights = await power.evaluate(() => Object.fromEntries(["s10", "s11"].map(state =>
		[state, [...document.querySelector(`.rows .${state}`).getAttribute("d").matchAll(/v(\d+)h/g)].map(([, h]) => Number(h))])));
	same(heights.s10.join(), "7,13", "heights of C-states");
	same(heights.s11.join(), "7,13", "heights of frequencies");
	const words = await power.$$eval(".name.value", texts => texts.map(t => t.textContent));
	same(words.join("; "), "C1; 1000 MHz; 2000 MHz; C3", "C-states and frequencies are written on them");
	const lost = await open("lost.svg");
	check((await spansOf(lost, "task13 13")).s0?.length > 0, "what is not known is drawn as such");
	const names = await open("names.svg");
	check((await names.$$eval(".label", texts => texts.map(t => t.textContent).join())).includes("</script><b>"), "names are text");
	same(await names.locator("b:not(.tip b)").count(), 0, "and no markup");
	same(await names.textContent(".title"), "<b onclick=alert(4)> names", "so is the title");
}

async function modes(page) {
	const fill = p => p.$eval(".rows .s1", e => getComputedStyle(e).fill);
	const dark = await open("states.svg", { colorScheme: "dark" });
	check(await fill(dark) !== await fill(page), "colours follow the reader's mode");
	const narrow = await open("states.svg", { viewport: { width: 500, height: 700 } });
	check(await narrow.evaluate(() => document.documentElement.scrollWidth <= 500), "a narrow window needs no scroll bar");
	const overlap = await narrow.$$eval(".tick", texts => {
		const boxes = texts.map(t => t.getBoundingClientRect());
		return boxes.some((a, i) => i && a.x < boxes[i - 1].right);
	});
	check(!overlap, "ticks do not overlap");
}

async function busy() {
	const page = await open("busy.svg"), ms = await page.evaluate(() => performance.getEntriesByName("assay-drawn")[0].startTime);
	const redraw = await page.evaluate(() => {
		const begin = performance.now();
		for (let i = 0; i < 10; i++)
			window.dispatchEvent(new KeyboardEvent("keydown", { key: i < 5 ? "+" : "-" }));
		return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin))));
	});
	console.log(`NOTE: a minute of 50 tasks was drawn ${ms.toFixed(0)} ms after its load began; a zoom took ${redraw.toFixed(0)} ms`);
	check(ms < SLOW, `a minute of 50 tasks opens: ${ms} ms`);
	// The time of the page's own thread does not depend on what else the machine does.
	const asked = await page.context().newCDPSession(page);
	await asked.send("Performance.enable", { timeDomain: "threadTicks" });
	await page.reload();
	await settle(page);
	const spent = (await asked.send("Performance.getMetrics")).metrics.find(m => m.name === "TaskDuration").value;
	console.log(`NOTE: its thread needed ${(1000 * spent).toFixed(0)} ms of CPU time`);
	check(spent < 1, `a minute of 50 tasks needs less than a second: ${spent} s`);
	same(await page.evaluate(() => JSON.parse(document.querySelector("script[type='application/json']").textContent).rows.length), 54, "50 tasks, 4 CPUs");
	const drawn = await page.locator(".label").count();
	check(drawn < 54 && drawn > 20, `rows that are not in sight are not drawn: ${drawn}`);
	await page.evaluate(() => window.scrollTo(0, 1e6));
	await settle(page);
	check((await page.$$eval(".label", texts => texts.map(t => t.textContent))).some(t => t.endsWith(" 149")), "until one scrolls to them");
	const y = await page.$eval(".axis text", e => e.getBoundingClientRect().y);
	check(y >= 0 && y < 40, `the axis goes along: ${y}`);
}

const page = await open("states.svg");
await places(page);
await pointer(page);
await zoom(page);
await searches(page);
await looksAgain();
await otherKinds();
await modes(page);
await busy();
await finish();
