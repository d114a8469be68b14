// SPDX-License-Identifier: GPL-2.0-or-later
//
// node timechart.mjs FILE: for tests/bench/timechart.
import { check, finish, open } from "../web/browser.mjs";

const MOST_MS = 1000, TURNS = 5, times = [];

for (let turn = 0; turn < TURNS; turn++) {
	const page = await open(process.argv[2]);
	times.push(await page.evaluate(() => performance.getEntriesByName("assay-drawn")[0].startTime));
	await page.context().close();
}
times.sort((a, b) => a - b);
const median = times[Math.floor(TURNS / 2)];
console.log(`opened in ${median.toFixed(0)} ms (median of ${TURNS}; ${times[0].toFixed(0)} to ${times.at(-1).toFixed(0)} ms), at most ${MOST_MS} ms`);
check(median <= MOST_MS, `the chart takes ${median.toFixed(0)} ms to open`);
await finish();
