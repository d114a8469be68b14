// SPDX-License-Identifier: GPL-2.0-or-later
//
// Asks the time lines of the pages that view_states.sh has made by their tips. Truth: make_records.py waits, make_sched.py replay, sampled, missing.
import { check, finish, openView, same, settle } from "./browser.mjs";

// The tip of a thread, at so many ms of the time that is shown.
async function tipAt(page, thread, ms, shown) {
	const row = await page.locator(`.line[title="${thread}"]`).boundingBox(), plot = await page.locator(".plot").boundingBox();
	await page.mouse.move(plot.x + ms / shown * plot.width, row.y + row.height / 2);
	return (await page.locator(".tip").innerText()).split("\n").join(" | ");
}

const pixels = (page, thread, ms, shown) => page.evaluate(([title, share]) => {
	const canvas = /** @type {any} */ (document.querySelector(".plot")), box = canvas.getBoundingClientRect(), row = document.querySelector(`.line[title="${title}"]`).getBoundingClientRect();
	const ratio = canvas.width / box.width, x = Math.round(share * canvas.width), y = Math.round((row.top - box.top + 10) * ratio);
	const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	copy.drawImage(canvas, x, y, 1, 1, 0, 0, 1, 1);
	return [...copy.getImageData(0, 0, 1, 1).data];
}, [thread, ms / shown]);

async function waits() {
	const page = await openView("waits.html"), shown = 190;
	same(await page.$eval("select[aria-label='event']", e => e.selectedOptions[0].textContent.replace(/:.*/, "")), "cpu-clock", "CPU time is shown first, although waits are more samples");
	same(await page.textContent(".counts"), "3 samples", "of which there are");
	check((await tipAt(page, "one 100", 20, shown)).includes("sleeping (S) for 25.0"), "a wait is a span that ends with its sample");
	const sum = await tipAt(page, "one 100", 40, shown);
	check(sum.includes("blocked (D) for 20.0"), `a sum of waits does not begin before the sample in front of it: ${sum}`);
	check((await tipAt(page, "two 101", 75, shown)).includes("runnable (preempted) for 10.0"), "preempted");
	check(!(await tipAt(page, "two 101", 93, shown)).includes(" for "), "between waits nothing is known");

	const lost = await tipAt(page, "two 101", 57, shown);
	check(lost.includes("7 samples were lost in these 10.00 ms"), `a loss is as long as the time since the last sample of its CPU: ${lost}`);
	check(!(await tipAt(page, "two 101", 65, shown)).includes("lost"), "and ends where it is told of");
	check((await tipAt(page, "one 100", 80, shown)).includes("the kernel throttled sampling for 20.00 ms"), "throttling has a length");
	check((await pixels(page, "one 100", 85, shown)).join() !== (await pixels(page, "one 100", 100, shown)).join(), "a gap is drawn");
	await page.locator(".line[title^='CPUs']").click();
	await settle(page);
	check((await tipAt(page, "CPU 1", 57, shown)).includes("lost"), "a gap is of its CPU");
	check(!(await tipAt(page, "CPU 0", 57, shown)).includes("lost"), "and of no other");
	await page.keyboard.press("8");
	const text = await page.textContent(".details");
	check(text.includes("7 samples lost at 1 places") && text.includes("throttled 1 times, 20.00 ms in all"), `details: ${text}`);
	await page.close();
}

async function wakes() {
	const page = await openView("replay.html"), shown = 36;
	check((await page.textContent(".legend")).includes("woken by"), "the legend has arrows");
	const tip = await tipAt(page, "pong 12", 6.4, shown);
	check(tip.includes("runnable (woken)") && tip.includes("woken by ping 11"), `who woke it: ${tip}`);
	// The arrow from ping to pong crosses the row between them.
	const at = await Promise.all([5.7, 5.8, 5.9, 5.95, 6, 6.03, 6.06, 6.1].map(ms => pixels(page, "swapper 0", ms, shown)));
	check(new Set(at.map(p => p.join())).size > 1, "an arrow is drawn");
	await page.close();
}

// Of a part of the switches no state can be told.
async function partOfSwitches() {
	const sampled = await openView("sampled.html"), text = await sampled.textContent(".quality");
	check(text.includes("sched:sched_switch was sampled") && text.includes("-e sched:sched_switch/period=1/"), `switches that were sampled: ${text}`);
	check(!(await sampled.textContent(".legend")).includes("runnable"), "no states are drawn of them");
	await sampled.close();
	const missing = await openView("missing.html", { hash: "#tab=details" });
	check((await missing.textContent(".details")).includes("do not follow the one before"), "switches that are not there are told of");
	check((await missing.textContent(".legend")).includes("running"), "and the others are states");
	await missing.close();
}

await waits();
await wakes();
await partOfSwitches();
await finish();
