// SPDX-License-Identifier: GPL-2.0-or-later
//
// A page of ours in headless Chromium, for the tests beside this file. What the page complains of, what it asks the network for, and
// what a test finds wrong is collected; finish() tells and sets the exit status.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const faults = [];
let browser = null, nrChecks = 0, ignoreDefaultArgs = [];

// Before the first page: scroll bars take room in the window, as on most desks.
export function showScrollBars() {
	ignoreDefaultArgs = ["--hide-scrollbars"];
}

export function check(holds, what) {
	nrChecks++;
	if (!holds)
		faults.push(what);
}

export function same(got, want, what) {
	check(got === want, `${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(want)}`);
}

export async function open(file, { hash = "", ...context } = {}) {
	browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"], ignoreDefaultArgs });
	const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context })).newPage();
	page.on("console", m => ["error", "warning"].includes(m.type()) && faults.push(`${file}: console: ${m.text()}`));
	page.on("pageerror", e => faults.push(`${file}: ${e.message}`));
	page.on("dialog", async d => { faults.push(`${file}: dialog: ${d.message()}`); await d.dismiss(); });
	page.on("request", r => /^(file|data):/.test(r.url()) || faults.push(`${file}: asks for ${r.url()}`));
	await page.goto(pathToFileURL(file).href + hash);
	return page;
}

// The frame of a name in a flame graph: where it is on the screen and how it looks, or null. Labels are cut where they do not fit, so
// names are taken from the page's data.
export async function frameOf(page, name) {
	return page.evaluate(want => {
		const data = JSON.parse(document.querySelector("script[type='application/json']").textContent);
		let i = 0;
		for (const row of data.rows)
			for (let k = 0; k < row.length; k += 4, i++)
				if (data.names[data.frames[row[k + 2] * 5]] === want) {
					const g = document.querySelector(`g[data-i="${i}"]`);
					if (!g)
						continue;
					const { x, y, width, height } = g.firstChild.getBoundingClientRect();
					const [red, green, blue] = getComputedStyle(g.firstChild).fill.match(/\d+/g).map(Number);
					const label = g.querySelector("text")?.textContent;
					return { i, x, y, width, height, red, green, blue, label, class: g.getAttribute("class") || "" };
				}
		return null;
	}, name);
}

// A viewer's page, once it has unpacked and drawn its profile. waitForFunction() would need eval, which the page's policy forbids.
export async function openView(file, options) {
	const page = await open(file, options);
	await drawn(page);
	return page;
}

export async function drawn(page) {
	while (!await page.evaluate(() => performance.getEntriesByName("assay-drawn").length))
		await page.waitForTimeout(50);
	await settle(page);
}

// Events of a scroll come with the next frame.
export const settle = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
export const middle = f => [f.x + f.width / 2, f.y + f.height / 2];
export const details = page => page.textContent(".details");

export async function finish() {
	await browser?.close();
	for (const fault of faults)
		console.log(`FAIL: ${fault}`);
	console.log(`NOTE: ${nrChecks} checks`);
	process.exitCode = faults.length ? 1 : 0;
}
