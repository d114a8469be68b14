// Two functions of equal code that share the CPU time 70 to 30; prints the share that the first has had by the process's own clock.
"use strict";
const make = (name) => new Function(`"use strict";
	return function ${name}(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i ^ s >> 3) | 0; return s; };`)();
const work = [make("workSeven"), make("workThree")];
const cpu = [0, 0];
const clock = () => { const u = process.cpuUsage(); return u.user + u.system; };
const end = clock() + 1e6 * Number(process.argv[2]);
let x = 0;

while (clock() < end) {
	for (let k = 0; k < 2; k++) {
		const before = clock();
		x ^= work[k](k ? 3000000 : 7000000);
		cpu[k] += clock() - before;
	}
}
console.log(cpu[0] / (cpu[0] + cpu[1]), x === 0.5);
