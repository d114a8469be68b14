// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drives the pages that heatmap.sh has made: 1,000 latencies of 1.1, 5.1 and 20.1 ms in 100 columns of 10, and one of 90 ms in column 50.
import { check, finish, open, same } from "./browser.mjs";

const tip = page => page.$$eval(".tip b, .tip div", texts => texts.map(t => t.textContent));
const fills = page => page.$$eval(".cells rect", cells => cells.map(c => getComputedStyle(c).fill));

async function cellAt(page, column, index) {
	return page.evaluate(([c, i]) => {
		const box = document.querySelector(`g[data-c="${c}"]`).children[i].getBoundingClientRect();
		return { x: box.x + box.width / 2, y: box.y + box.height / 2, top: box.y, bottom: box.y + box.height };
	}, [column, index]);
}

async function pointer(page) {
	const low = await cellAt(page, 3, 0), high = await cellAt(page, 3, 2);
	check(high.bottom < low.top, "longer is higher");
	await page.mouse.move(low.x, low.y);
	const lines = await tip(page);
	same(lines.length, 4, `lines of the tip: ${lines}`);
	check(/^[345] lines, [345]0\.0% of the column$/.test(lines[0]), `the count: ${lines[0]}`);
	check(/^latency 0 ms – 2 ms$/.test(lines[1]), `the latency: ${lines[1]}`);
	check(/^time 0\.29\d* s – 0\.39\d* s$|^time 0\.3\d* s – 0\.4\d* s$/.test(lines[2]), `the time: ${lines[2]}`);
	check(lines[3].startsWith("--time 100."), `for other commands: ${lines[3]}`);
	same(await page.locator(".focus rect").count(), 3, "a frame and a cross");
	await page.mouse.move(5, 5);
	same((await tip(page)).length, 0, "it goes when the pointer does");
	await page.mouse.click(low.x, low.y);
	await page.mouse.move(5, 5);
	same((await tip(page)).length, 4, "a click keeps it");
	await page.keyboard.press("Escape");
	same((await tip(page)).length, 0, "Esc lets go");
	same(await page.locator(".cells title").count(), 0, "no second tooltip of the browser's own");
}

async function keyboard(page) {
	const here = () => page.evaluate(() => document.querySelector(".focus rect:last-child")?.getBoundingClientRect().toJSON());
	await page.keyboard.press("Tab");
	const first = await here();
	check(first, "Tab leads to the first cell");
	await page.keyboard.press("ArrowRight");
	check((await here()).x > first.x, "right is later");
	await page.keyboard.press("ArrowUp");
	check((await here()).y < first.y, "up is longer");
	check((await tip(page))[1].startsWith("latency 4 ms – 6 ms"), `the next band: ${(await tip(page))[1]}`);
	await page.keyboard.press("Home");
	same((await here()).x, first.x, "Home is the first column");
	await page.keyboard.press("End");
	const last = await here();
	await page.keyboard.press("ArrowRight");
	same((await here()).x, last.x, "the end is the end");
	await page.keyboard.press("Escape");
	same(await here(), undefined, "Esc lets go");
}

async function looks(page) {
	same(await page.textContent(".title"), "</title><script>alert(3)</script> & more", "the title is text");
	same(await page.textContent(".subtitle"), "]]><b onclick=alert(4)>", "the subtitle is text");
	same(await page.locator("script").count(), 1, "no script comes of a title");
	const counts = await page.$$eval(".cells rect", cells => cells.map(c => Number(c.getAttribute("aria-label").split(" ")[0])));
	same(counts.reduce((a, b) => a + b), 1001, "all are in it");
	same((await page.$$eval(".lines text", t => t.map(e => e.textContent))).join("; "),
		"p50 5.1 ms; p90 20.1 ms; p99 20.1 ms; p99.9 20.1 ms; max 90 ms", "percentiles");
	check(new Set(await fills(page)).size >= 2, "colours differ");
	const cells = await page.evaluate(() => {
		const plot = document.querySelector(".plot").getBoundingClientRect();
		return [...document.querySelectorAll(".cells rect")].every(c => {
			const b = c.getBoundingClientRect();
			return b.x >= plot.x - 1 && b.right <= plot.right + 1 && b.y >= plot.y - 1 && b.bottom <= plot.bottom + 1;
		});
	});
	check(cells, "cells are inside of the plot");
	const overlap = await page.$$eval(".lines text, .axis.y text.tick", texts => {
		const boxes = texts.map(t => t.getBoundingClientRect());
		return boxes.some((a, i) => boxes.some((b, k) => k > i && a.x < b.right && b.x < a.right && a.y + 3 < b.bottom && b.y + 3 < a.bottom));
	});
	check(!overlap, "labels do not overlap");
}

// A window that is narrower than the picture.
async function narrow(page) {
	const inside = selector => page.$eval(selector, e => {
		const b = e.getBoundingClientRect();
		return b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight;
	});
	const prevented = selector => page.$eval(selector, e => {
		const key = new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true });
		e.dispatchEvent(key);
		return key.defaultPrevented;
	});
	const column = await page.evaluate(() => [...document.querySelectorAll(".cells g")]
		.findLast(g => g.firstElementChild.getBoundingClientRect().right < 585).dataset.c);
	for (const index of [0, 2]) {
		const cell = await cellAt(page, Number(column), index);
		await page.mouse.move(cell.x, cell.y);
		same((await tip(page)).length, 4, "a tip near the right edge of the window");
		check(await inside(".tip"), "all of it is seen");
	}
	await page.mouse.move(5, 5);
	check(!await prevented("svg"), "without focus the arrow keys are the browser's");
	await page.keyboard.press("Tab");
	check(await prevented(".cells"), "with it they are ours");
	await page.keyboard.press("End");
	check(await page.evaluate(() => scrollX) > 300, "the page scrolls to the last column");
	check(await inside(".focus rect:last-child"), "the cell that the keyboard reached is seen");
	check(await inside(".tip"), "and its tip");
	await page.keyboard.press("Home");
	check(await inside(".focus rect:last-child"), "so is the first one");
	await page.keyboard.press("Escape");
	check(!await prevented("svg"), "Esc gives the keys back");
}

// Numbers of many digits are neither cut nor run into each other.
async function longLabels(page) {
	const wrong = await page.$$eval("text", texts => {
		const page = document.documentElement.getBoundingClientRect();
		const boxes = texts.map(t => ({ t, b: t.getBoundingClientRect() }));
		const cut = boxes.filter(({ b }) => b.x < page.x || b.right > page.right || b.bottom > page.bottom);
		const over = boxes.filter(({ b }, i) => boxes.some(({ b: o }, k) =>
			k > i && b.x < o.right && o.x < b.right && b.y + 3 < o.bottom && o.y + 3 < b.bottom));
		return [...cut, ...over].map(({ t }) => t.textContent);
	});
	same(wrong.join("; "), "", "labels that are cut or overlap");
	const lines = await page.$$eval(".lines text", t => t.map(e => e.textContent));
	same(lines[4], "max 2,605,469,525 ns", "thousands are set apart");
	check((await page.textContent(".legend .unit")).startsWith("lines in a cell, from 1 to 40"), "the scale says where it ends");
	check((await page.textContent(".axis.y")).includes("> 123,456,789 ns"), "the row above");
}

const page = await open("heat.svg");
const light = await fills(page);
await looks(page);
await pointer(page);
await keyboard(await open("heat.svg"));
const dark = await open("heat.svg", { colorScheme: "dark" });
check((await fills(dark))[0] !== light[0], "colours follow the reader's mode");
const touched = await open("heat.svg", { hasTouch: true });
const cell = await cellAt(touched, 50, 2);
await touched.touchscreen.tap(cell.x, cell.y);
same((await tip(touched)).length, 4, "a touch shows the tip");
await narrow(await open("heat.svg", { viewport: { width: 600, height: 600 } }));
await longLabels(await open("long.svg"));
const log = await open("log.svg");
check((await log.textContent(".axis.y")).includes("> 10 ms"), "what is above --max has a row");
check((await log.$$eval(".cells g > :last-child", c => c[0].getAttribute("aria-label"))).includes("above 10 ms"), "and its cells say so");
const empty = await open("empty.svg");
same(await empty.textContent(".empty"), "nothing to show", "nothing is no error");
const offset = await open("offset.svg");
await offset.keyboard.press("Tab");
check((await tip(offset))[1].startsWith("offset "), `the tip of samples: ${(await tip(offset))[1]}`);
await finish();
