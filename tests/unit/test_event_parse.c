/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event grammar: what is understood, what it becomes, and what is said about the rest, on
 * machines made for the purpose (fake_sysfs.h). Attr bits and names are those that perf 6.1 has for
 * the same text.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "fake_sysfs.h"
#include "kernel/event_parse.h"
#include "kernel/event_parser.h"

static char *server, *hybrid;

static void render_terms(FILE *f, const struct event_terms *t)
{
	static const char *const modes[] = { "no", "fp", "dwarf", "lbr" };

	if (t->given & EVENT_TERM_PERIOD)
		fprintf(f, " period=%llu", (unsigned long long)t->period);
	if (t->given & EVENT_TERM_FREQ)
		fprintf(f, " freq=%llu", (unsigned long long)t->freq);
	if (t->given & EVENT_TERM_TIME)
		fprintf(f, " time=%d", t->time);
	if (t->given & EVENT_TERM_CALLGRAPH)
		fprintf(f, " chain=%s", modes[t->callgraph]);
	if (t->given & EVENT_TERM_STACK_SIZE)
		fprintf(f, " stack=%u", t->stack_size);
	if (t->given & EVENT_TERM_MAX_STACK)
		fprintf(f, " depth=%u", t->max_stack);
	if (t->given & EVENT_TERM_INHERIT)
		fprintf(f, " inherit=%d", t->inherit);
	if (t->given & EVENT_TERM_OVERWRITE)
		fprintf(f, " overwrite=%d", t->overwrite);
	if (t->given & EVENT_TERM_BRANCH_TYPE)
		fprintf(f, " branches=%#llx", (unsigned long long)t->branch_type);
}

static void render_attr(FILE *f, const struct attr *a)
{
	static const struct {
		uint64_t bit;
		char letter;
	} excluded[] = {
		{ ATTR_EXCLUDE_USER, 'u' }, { ATTR_EXCLUDE_KERNEL, 'k' }, { ATTR_EXCLUDE_HV, 'h' },
		{ ATTR_EXCLUDE_HOST, 'H' }, { ATTR_EXCLUDE_GUEST, 'G' },  { ATTR_EXCLUDE_IDLE, 'I' },
	};

	fprintf(f, " %u:%llx", a->type, (unsigned long long)a->config);
	if (a->config1 || a->config2 || a->config3)
		fprintf(f, ",%llx,%llx,%llx", (unsigned long long)a->config1, (unsigned long long)a->config2,
			(unsigned long long)a->config3);
	if (a->size != ATTR_SIZE_VER7)
		fprintf(f, " size=%u", a->size);
	fputs(" -", f);
	for (size_t i = 0; i < sizeof(excluded) / sizeof(excluded[0]); i++)
		if (a->flags & excluded[i].bit)
			fputc(excluded[i].letter, f);
	if (attr_precise_ip(a))
		fprintf(f, " precise=%u", attr_precise_ip(a));
	if (a->flags & ATTR_PINNED)
		fputs(" pinned", f);
	if (a->flags & ATTR_EXCLUSIVE)
		fputs(" exclusive", f);
	if (a->flags & ATTR_AUX_OUTPUT)
		fputs(" aux-output", f);
	if (a->aux_sample_size)
		fprintf(f, " aux=%u", a->aux_sample_size);
	if (a->bp_type)
		fprintf(f, " bp=%u", a->bp_type);
}

/* NAME TYPE:CONFIG[,CONFIG1,CONFIG2,CONFIG3] -EXCLUDED and whatever else is not as usual. */
static void render_event(FILE *f, const struct event_spec *s)
{
	fprintf(f, "%s", s->name);
	render_attr(f, &s->attr);
	if (s->group_leader >= 0)
		fprintf(f, " group=%d%s%s", s->group_leader, s->group_name ? "=" : "", s->group_name ? s->group_name : "");
	if (s->pmu)
		fprintf(f, " pmu=%s", s->pmu);
	if (s->unit)
		fprintf(f, " unit=%s", s->unit);
	if (s->scale != 1.0)
		fprintf(f, " scale=%.4g", s->scale);
	if (s->cpus.cpus.nr)
		fprintf(f, " cpus=%u", s->cpus.cpus.nr);
	fputs(s->is_uncore ? " uncore" : "", f);
	fputs(s->is_merged ? " merged" : "", f);
	fputs(s->is_snapshot ? " snapshot" : "", f);
	fputs(s->per_core ? " percore" : "", f);
	fputs(s->precise_max ? " max" : "", f);
	fputs(s->sample_read ? " read" : "", f);
	fputs(s->weak_group ? " weak" : "", f);
	fputs(s->bpf_counter ? " bpf" : "", f);
	if (s->tool)
		fprintf(f, " tool=%d", s->tool);
	render_terms(f, &s->terms);
}

/* All events of a text, or "!" and the sentence. The caller frees. */
static char *render(const char *text, const char *sysfs)
{
	struct event_sources sources = fake_sources(sysfs);
	struct event_list list = { 0 };
	struct errbuf eb = { 0 };
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	int err = event_list_parse_from(&list, text, &sources, &eb);

	if (err)
		fprintf(f, "!%s", eb.text);
	for (uint32_t i = 0; i < list.events.nr; i++) {
		fputs(i ? "; " : "", f);
		render_event(f, &list.events.v[i]);
	}
	fclose(f);
	event_list_fini(&list);
	return out;
}

/* On the server. */
static const struct {
	const char *text, *means;
} good[] = {
	{ "cycles", "cycles 0:0 -G" },
	{ "cpu-cycles", "cpu-cycles 0:0 -G" },
	{ "instructions:u", "instructions:u 0:1 -khG" },
	{ "cache-references", "cache-references 0:2 -G" },
	{ "branch-misses:k", "branch-misses:k 0:5 -uh" },
	{ "bus-cycles", "bus-cycles 0:6 -G" },
	{ "stalled-cycles-frontend", "stalled-cycles-frontend 0:7 -G" },
	{ "idle-cycles-backend", "idle-cycles-backend 0:8 -G" },
	{ "ref-cycles", "ref-cycles 0:9 -G" },
	{ "branches", "branches 0:4 -G" },
	{ "cpu-clock", "cpu-clock 1:0 -G" },
	{ "task-clock", "task-clock 1:1 -G" },
	{ "cs", "cs 1:3 -G" },
	{ "context-switches", "context-switches 1:3 -G" },
	{ "faults", "faults 1:2 -G" },
	{ "page-faults", "page-faults 1:2 -G" },
	{ "minor-faults", "minor-faults 1:5 -G" },
	{ "major-faults", "major-faults 1:6 -G" },
	{ "migrations", "migrations 1:4 -G" },
	{ "alignment-faults", "alignment-faults 1:7 -G" },
	{ "emulation-faults", "emulation-faults 1:8 -G" },
	{ "dummy", "dummy 1:9 -G" },
	{ "bpf-output", "bpf-output 1:a -G" },
	{ "cgroup-switches", "cgroup-switches 1:b -G" },
	{ "cpu-clock:u", "cpu-clock:u 1:0 -khG" },
	{ "cpu-clock:k", "cpu-clock:k 1:0 -uh" },
	{ "cpu-clock:h", "cpu-clock:h 1:0 -uk" },
	{ "cpu-clock:uk", "cpu-clock:uk 1:0 -hG" },
	{ "cpu-clock:ukh", "cpu-clock:ukh 1:0 -G" },
	{ "cpu-clock:H", "cpu-clock:H 1:0 -G" },
	{ "cpu-clock:G", "cpu-clock:G 1:0 -H" },
	{ "cpu-clock:kGH", "cpu-clock:kGH 1:0 -uh" },
	{ "cpu-clock:uG", "cpu-clock:uG 1:0 -khH" },
	{ "cpu-clock:Gu", "cpu-clock:Gu 1:0 -khH" },
	{ "cpu-clock:p", "cpu-clock:p 1:0 -G precise=1" },
	{ "cpu-clock:ppp", "cpu-clock:ppp 1:0 -G precise=3" },
	{ "cpu-clock:P", "cpu-clock:P 1:0 - precise=3 max" },
	{ "cpu-clock:uppp", "cpu-clock:uppp 1:0 -khG precise=3" },
	{ "cpu-clock:I", "cpu-clock:I 1:0 -I" },
	{ "cpu-clock:D", "cpu-clock:D 1:0 - pinned" },
	{ "cpu-clock:e", "cpu-clock:e 1:0 - exclusive" },
	{ "cpu-clock:S", "cpu-clock:S 1:0 - read" },
	{ "cpu-clock:W", "cpu-clock:W 1:0 - weak" },
	{ "cpu-clock:b", "cpu-clock:b 1:0 - bpf" },
	{ "L1-dcache-load-misses", "L1-dcache-load-misses 3:10000 -G" },
	{ "LLC-loads:k", "LLC-loads:k 3:2 -uh" },
	{ "l1d-write", "l1d-write 3:100 -G" },
	{ "dTLB-store-misses", "dTLB-store-misses 3:10103 -G" },
	{ "iTLB-loads", "iTLB-loads 3:4 -G" },
	{ "branch-load-misses", "branch-load-misses 3:10005 -G" },
	{ "node-prefetches", "node-prefetches 3:206 -G" },
	{ "L2", "L2 3:2 -G" },
	{ "LLC-misses", "LLC-misses 3:10002 -G" },
	{ "r0", "r0 4:0 -G" },
	{ "r1a8", "r1a8 4:1a8 -G" },
	{ "rFFc0:u", "rFFc0:u 4:ffc0 -khG" },
	{ "rffffffffffffffff", "rffffffffffffffff 4:ffffffffffffffff -G" },
	{ "r1a8/period=1000/u", "r1a8/period=1000/u 4:1a8 -khG period=1000" },
	{ "1:2", "1:2 1:2 -G" },
	{ "0x1:0x10:u", "0x1:0x10:u 1:10 -khG" },
	{ "4:0x3c/name=mine/", "mine 4:3c -G" },
	{ "  cpu-clock ", "cpu-clock 1:0 -G" },
	{ "cpu-clock , cs", "cpu-clock 1:0 -G; cs 1:3 -G" },
	{ "cs,cs", "cs 1:3 -G; cs 1:3 -G" },
	{ "duration_time", "duration_time 1:9 -G unit=ns tool=1" },
	{ "user_time", "user_time 1:9 -G unit=ns tool=2" },
	{ "system_time", "system_time 1:9 -G unit=ns tool=3" },
	{ "duration_time,cs", "duration_time 1:9 -G unit=ns tool=1; cs 1:3 -G" },
	{ "sched:sched_switch", "sched:sched_switch 2:13a -G" },
	{ "sched:sched_switch:u", "sched:sched_switch 2:13a -khG" },
	{ "sched:sched_w*", "sched:sched_wakeup 2:13b -G; sched:sched_wakeup_new 2:13c -G" },
	{ "sched:sched_wakeup?new", "sched:sched_wakeup_new 2:13c -G" },
	{ "syscalls:sys_*_read", "syscalls:sys_enter_read 2:2bc -G; syscalls:sys_exit_read 2:2bd -G" },
	{ "*:sched_switch", "sched:sched_switch 2:13a -G" },
	{ "s*:*_write", "syscalls:sys_enter_write 2:2be -G; syscalls:sys_exit_write 2:2bf -G" },
	{ "sched:sched_switch/call-graph=fp/", "sched:sched_switch 2:13a -G chain=fp" },
	{ "sched:sched_w*/max-stack=3/k", "sched:sched_wakeup 2:13b -uh depth=3; sched:sched_wakeup_new 2:13c -uh depth=3" },
	{ "sched:sched_[s]witch", "sched:sched_switch 2:13a -G" },
	{ "probe_app:u", "probe_app:u 2:5dc -G" },
	{ "sdt_libc:setjmp", "sdt_libc:setjmp 2:5dd -G" },
	{ "mem:0x1000", "mem:0x1000 5:0,1000,4,0 -G bp=3" },
	{ "mem:0x1000/4:rw", "mem:0x1000 5:0,1000,4,0 -G bp=3" },
	{ "mem:0x1000:x", "mem:0x1000:x 5:0,1000,8,0 -G bp=4" },
	{ "mem:4096/8:w:u", "mem:4096 5:0,1000,8,0 -khG bp=2" },
	{ "mem:0x1000:rw:u", "mem:0x1000:rw:u 5:0,1000,4,0 -khG bp=3" },
	{ "mem:0x1000:u", "mem:0x1000:u 5:0,1000,4,0 -khG bp=3" },
	{ "mem:0x1000/1", "mem:0x1000 5:0,1000,1,0 -G bp=3" },
	{ "mem:0xffffffffff600000/2:r:k", "mem:0xffffffffff600000 5:0,ffffffffff600000,2,0 -uh bp=1" },
	{ "mem:0x1000:wr", "mem:0x1000:wr 5:0,1000,4,0 -G bp=3" },
	{ "mem:8:rwx", "mem:8:rwx 5:0,8,8,0 -G bp=7" },
	{ "cpu/event=0x3c/", "cpu/event=0x3c/ 4:3c -G pmu=cpu" },
	{ "cpu/event=0x3c,umask=1,name=x/", "x 4:13c -G pmu=cpu" },
	{ "cpu/event=60/u", "cpu/event=60/u 4:3c -khG pmu=cpu" },
	{ "cpu/event=0x3c/:u", "cpu/event=0x3c/:u 4:3c -khG pmu=cpu" },
	{ "cpu/event=0x3c,edge,inv,cmask=0xff/ppp", "cpu/event=0x3c,edge,inv,cmask=0xff/ppp 4:ff84003c -G precise=3 pmu=cpu" },
	{ "cpu/cpu-cycles/", "cpu/cpu-cycles/ 4:3c -G pmu=cpu" },
	{ "cpu/CPU-CYCLES/", "cpu/CPU-CYCLES/ 4:3c -G pmu=cpu" },
	{ "cpu/mem-loads/", "cpu/mem-loads/ 4:1cd,3,0,0 -G pmu=cpu" },
	{ "cpu/mem-loads,ldlat=30/P", "cpu/mem-loads,ldlat=30/P 4:1cd,1e,0,0 - precise=3 pmu=cpu max" },
	{ "cpu/r1a8/", "cpu/r1a8/ 4:1a8 -G pmu=cpu" },
	{ "cpu/r1a8,name=raw/", "raw 4:1a8 -G pmu=cpu" },
	{ "cpu/config=0x1a8/", "cpu/config=0x1a8/ 4:1a8 -G pmu=cpu" },
	{ "cpu/config=1,config1=2,config2=3,config3=4/", "cpu/config=1,config1=2,config2=3,config3=4/ 4:1,2,3,4 size=136 -G pmu=cpu" },
	{ "cpu/event=1,offcore_rsp=0xffffffffffffffff/",
	  "cpu/event=1,offcore_rsp=0xffffffffffffffff/ 4:1,ffffffffffffffff,0,0 -G pmu=cpu" },
	{ "cpu/split=0xa5/", "cpu/split=0xa5/ 4:a000000500000000 -G pmu=cpu" },
	{ "cpu/late=0xffffffff,extra=9/", "cpu/late=0xffffffff,extra=9/ 4:0,0,ffffffff,90 size=136 -G pmu=cpu" },
	{ "cpu/event=0xff,event=1/", "cpu/event=0xff,event=1/ 4:1 -G pmu=cpu" },
	{ "cpu/parameter,umask=7/", "cpu/parameter,umask=7/ 4:710 -G pmu=cpu" },
	{ "cpu/cycles/", "cpu/cycles/ 0:0 -G pmu=cpu" },
	{ "cpu/L1-dcache-load-misses/u", "cpu/L1-dcache-load-misses/u 3:10000 -khG pmu=cpu" },
	{ "cpu/instructions/", "cpu/instructions/ 4:c0 -G pmu=cpu" },
	{ "cpu/event=0x3c,period=1000/", "cpu/event=0x3c,period=1000/ 4:3c -G pmu=cpu period=1000" },
	{ "cpu/event=0x3c,freq=99,call-graph=fp,time=0/",
	  "cpu/event=0x3c,freq=99,call-graph=fp,time=0/ 4:3c -G pmu=cpu freq=99 time=0 chain=fp" },
	{ "cpu//", "cpu// 4:0 -G pmu=cpu" },
	{ "cpu/any=1/", "cpu/any=1/ 4:200000 -G pmu=cpu" },
	{ "cpu/any=0/", "cpu/any=0/ 4:0 -G pmu=cpu" },
	{ "cpu/ event=1 , umask=2 /", "cpu/ event=1 , umask=2 / 4:201 -G pmu=cpu" },
	{ "mem-loads", "mem-loads 4:1cd,3,0,0 -G pmu=cpu" },
	{ "cpu-cycles:u", "cpu-cycles:u 0:0 -khG" },
	{ "slots", "slots 4:400 -G pmu=cpu" },
	{ "topdown-retiring:k", "topdown-retiring:k 4:8000 -uh pmu=cpu" },
	{ "slots/period=9/", "slots/period=9/ 4:400 -G pmu=cpu period=9" },
	{ "energy-pkg", "energy-pkg 20:2 -G pmu=power unit=Joules scale=2.328e-10 cpus=1 uncore" },
	{ "power/energy-pkg/", "power/energy-pkg/ 20:2 -G pmu=power unit=Joules scale=2.328e-10 cpus=1 uncore" },
	{ "power/energy-pkg,name=joules/", "joules 20:2 -G pmu=power unit=Joules scale=2.328e-10 cpus=1 uncore" },
	{ "power/event=2/", "power/event=2/ 20:2 -G pmu=power cpus=1 uncore" },
	{ "tsc", "tsc 9:0 -G pmu=msr" },
	{ "msr/tsc/", "msr/tsc/ 9:0 -G pmu=msr" },
	{ "msr/event=0x10/", "msr/event=0x10/ 9:10 -G pmu=msr" },
	{ "cpu_thermal_margin", "cpu_thermal_margin 9:6 -G pmu=msr unit=C snapshot" },
	{ "software/cpu-clock/", "software/cpu-clock/ 1:0 -G pmu=software" },
	{ "software/config=3/", "software/config=3/ 1:3 -G pmu=software" },
	{ "uncore_imc/cas_count_read/", "uncore_imc/cas_count_read/ 13:304 -G pmu=uncore_imc_0 unit=MiB scale=6.104e-05 cpus=2 "
					"uncore merged; uncore_imc/cas_count_read/ 14:304 -G pmu=uncore_imc_1 unit=MiB "
					"scale=6.104e-05 cpus=2 uncore merged" },
	{ "imc/cas_count_read/", "imc/cas_count_read/ 13:304 -G pmu=uncore_imc_0 unit=MiB scale=6.104e-05 cpus=2 uncore "
				 "merged; imc/cas_count_read/ 14:304 -G pmu=uncore_imc_1 unit=MiB scale=6.104e-05 cpus=2 "
				 "uncore merged" },
	{ "uncore_imc_0/cas_count_read/", "uncore_imc_0/cas_count_read/ 13:304 -G pmu=uncore_imc_0 unit=MiB scale=6.104e-05 cpus=2 "
					  "uncore" },
	{ "imc_1/clockticks/", "imc_1/clockticks/ 14:ff -G pmu=uncore_imc_1 cpus=2 uncore" },
	{ "uncore_imc*/event=0xff/", "uncore_imc*/event=0xff/ 13:ff -G pmu=uncore_imc_0 cpus=2 uncore merged; "
				     "uncore_imc*/event=0xff/ 14:ff -G pmu=uncore_imc_1 cpus=2 uncore merged; "
				     "uncore_imc*/event=0xff/ 15:ff -G pmu=uncore_imc_free_running_0 cpus=1 uncore merged" },
	{ "uncore_imc/only_here/", "uncore_imc/only_here/ 14:77 -G pmu=uncore_imc_1 cpus=2 uncore merged" },
	{ "cas_count_write", "cas_count_write 13:c04 -G pmu=uncore_imc_0 cpus=2 uncore merged; cas_count_write 14:c04 "
			     "-G pmu=uncore_imc_1 cpus=2 uncore merged" },
	{ "read", "read 15:ff -G pmu=uncore_imc_free_running_0 cpus=1 uncore" },
	{ "read:u", "read:u 15:ff -khG pmu=uncore_imc_free_running_0 cpus=1 uncore" },
	{ "uncore_imc_free_running_0/read/", "uncore_imc_free_running_0/read/ 15:ff -G pmu=uncore_imc_free_running_0 cpus=1 uncore" },
	{ "uncore_imc/event=4,umask=3,name=bytes/",
	  "bytes 13:304 -G pmu=uncore_imc_0 cpus=2 uncore merged; bytes 14:304 -G pmu=uncore_imc_1 "
	  "cpus=2 uncore merged" },
	{ "{uncore_imc/cas_count_read/,uncore_imc/cas_count_write/}",
	  "uncore_imc/cas_count_read/ 13:304 -G group=0 pmu=uncore_imc_0 unit=MiB scale=6.104e-05 "
	  "cpus=2 uncore merged; uncore_imc/cas_count_write/ 13:c04 -G group=0 pmu=uncore_imc_0 "
	  "cpus=2 uncore merged; uncore_imc/cas_count_read/ 14:304 -G group=2 pmu=uncore_imc_1 "
	  "unit=MiB scale=6.104e-05 cpus=2 uncore merged; uncore_imc/cas_count_write/ 14:c04 -G "
	  "group=2 pmu=uncore_imc_1 cpus=2 uncore merged" },
	{ "{imc/clockticks/,cs}", "imc/clockticks/ 13:ff -G group=0 pmu=uncore_imc_0 cpus=2 uncore merged; cs 1:3 -G "
				  "group=0; imc/clockticks/ 14:ff -G pmu=uncore_imc_1 cpus=2 uncore merged" },
	{ "{cs}", "cs 1:3 -G" },
	{ "{cs,faults}", "cs 1:3 -G group=0; faults 1:2 -G group=0" },
	{ "{cs,faults}:S", "cs 1:3 -G group=0 read; faults 1:2 -G group=0 read" },
	{ "{cs:u,faults}:k", "cs:u 1:3 -hG group=0; faults 1:2 -uhG group=0" },
	{ "{cs:u,faults}:Sp", "cs:u 1:3 -khG precise=1 group=0 read; faults 1:2 -G precise=1 group=0 read" },
	{ "{cs,faults}:D", "cs 1:3 -G pinned group=0; faults 1:2 -G group=0" },
	{ "{cs,faults}:W", "cs 1:3 -G group=0 weak; faults 1:2 -G group=0 weak" },
	{ "{cs:ukh,faults}:k", "cs:ukh 1:3 -uhG group=0; faults 1:2 -uhG group=0" },
	{ "{cs:G,faults}:u", "cs:G 1:3 -khH group=0; faults 1:2 -khG group=0" },
	{ "{cs:p,faults:u}:G", "cs:p 1:3 -H precise=1 group=0; faults:u 1:2 -khH group=0" },
	{ "{cs:P,faults}:u", "cs:P 1:3 -khG precise=3 group=0 max; faults 1:2 -khG group=0" },
	{ "g{cs,faults}:u", "cs 1:3 -khG group=0=g; faults 1:2 -khG group=0" },
	{ "{cs,faults},{migrations,cpu-clock}:S", "cs 1:3 -G group=0; faults 1:2 -G group=0; migrations 1:4 -G group=2 read; cpu-clock 1:0 "
						  "-G group=2 read" },
	{ "{cs,faults},migrations", "cs 1:3 -G group=0; faults 1:2 -G group=0; migrations 1:4 -G" },
	{ "cpu-clock,{cs,faults}:e", "cpu-clock 1:0 -G; cs 1:3 -G exclusive group=1; faults 1:2 -G group=1" },
	{ " { cs , faults } : u ", "cs 1:3 -khG group=0; faults 1:2 -khG group=0" },
	{ "{cpu/event=1/,cpu/event=2,umask=3/u}:p", "cpu/event=1/ 4:1 -G precise=1 group=0 pmu=cpu; cpu/event=2,umask=3/u 4:302 -khG "
						    "precise=1 group=0 pmu=cpu" },
	{ "{sched:sched_w*}:S", "sched:sched_wakeup 2:13b -G group=0 read; sched:sched_wakeup_new 2:13c -G group=0 read" },
	{ "{r1a8,1:2,mem:0x1000:w}", "r1a8 4:1a8 -G group=0; 1:2 1:2 -G group=0; mem:0x1000:w 5:0,1000,4,0 -G bp=2 group=0" },
	{ "{cpu/cycles/,cpu/instructions/}:D", "cpu/cycles/ 0:0 -G pinned group=0 pmu=cpu; cpu/instructions/ 4:c0 -G group=0 pmu=cpu" },
	{ "cpu-clock/period=1000/", "cpu-clock/period=1000/ 1:0 -G period=1000" },
	{ "cpu-clock/freq=99/u", "cpu-clock/freq=99/u 1:0 -khG freq=99" },
	{ "cpu-clock/period=1,freq=2/", "cpu-clock/period=1,freq=2/ 1:0 -G freq=2" },
	{ "cpu-clock/freq=2,period=1/", "cpu-clock/freq=2,period=1/ 1:0 -G period=1" },
	{ "cycles/call-graph=fp/u", "cycles/call-graph=fp/u 0:0 -khG chain=fp" },
	{ "cpu-clock/call-graph=no/", "cpu-clock/call-graph=no/ 1:0 -G chain=no" },
	{ "cpu-clock/call-graph=dwarf,stack-size=4096/", "cpu-clock/call-graph=dwarf,stack-size=4096/ 1:0 -G chain=dwarf stack=4096" },
	{ "cpu-clock/call-graph=lbr/", "cpu-clock/call-graph=lbr/ 1:0 -G chain=lbr" },
	{ "rdead", "rdead 4:dead -G" },
	{ "cpu-clock/max-stack=5/", "cpu-clock/max-stack=5/ 1:0 -G depth=5" },
	{ "cpu-clock/time/", "cpu-clock/time/ 1:0 -G time=1" },
	{ "cpu-clock/time=0/", "cpu-clock/time=0/ 1:0 -G time=0" },
	{ "cpu-clock/no-inherit/", "cpu-clock/no-inherit/ 1:0 -G inherit=0" },
	{ "cpu-clock/inherit/", "cpu-clock/inherit/ 1:0 -G inherit=1" },
	{ "cpu-clock/inherit=0/", "cpu-clock/inherit=0/ 1:0 -G inherit=0" },
	{ "cpu-clock/overwrite/", "cpu-clock/overwrite/ 1:0 -G overwrite=1" },
	{ "cpu-clock/no-overwrite/", "cpu-clock/no-overwrite/ 1:0 -G overwrite=0" },
	{ "cpu-clock/percore/", "cpu-clock/percore/ 1:0 -G percore" },
	{ "cpu-clock/name=a-b.c/u", "a-b.c 1:0 -khG" },
	{ "cpu-clock/name='a/b,c:d'/k", "a/b,c:d 1:0 -uh" },
	{ "cpu-clock/config=3/", "cpu-clock/config=3/ 1:3 -G" },
	{ "cpu-clock/branch_type=any|u/", "cpu-clock/branch_type=any|u/ 1:0 -G branches=0x9" },
	{ "cpu-clock/aux-output/", "cpu-clock/aux-output/ 1:0 -G aux-output" },
	{ "cpu-clock/aux-sample-size=512/", "cpu-clock/aux-sample-size=512/ 1:0 -G aux=512" },
	{ "cpu-clock//", "cpu-clock// 1:0 -G" },
	{ "cpu-clock//u", "cpu-clock//u 1:0 -khG" },
	{ "cpu-clock/metric-id=foo/", "cpu-clock/metric-id=foo/ 1:0 -G" },
	{ "cpu-clock/period=0x10/", "cpu-clock/period=0x10/ 1:0 -G period=16" },
	{ "INST_RETIRED:ANY_P:u", "INST_RETIRED:ANY_P:u 4:5300c0 -k" },
	{ "skl::INST_RETIRED", "skl::INST_RETIRED 4:5300c0 -k" },
	{ "INST_RETIRED:ANY_P:u,cs", "INST_RETIRED:ANY_P:u 4:5300c0 -k; cs 1:3 -G" },
};

/* On the hybrid machine. */
static const struct {
	const char *text, *means;
} good_hybrid[] = {
	{ "mem-loads:u", "cpu_core/mem-loads/u 4:1cd,3,0,0 -khG pmu=cpu_core cpus=4; cpu_atom/mem-loads/u "
			 "10:5d0,3,0,0 -khG pmu=cpu_atom cpus=4" },
	{ "cpu_*/mem-loads/u", "cpu_core/mem-loads/u 4:1cd,3,0,0 -khG pmu=cpu_core cpus=4; cpu_atom/mem-loads/u "
			       "10:5d0,3,0,0 -khG pmu=cpu_atom cpus=4" },
	{ "{cpu_*/mem-loads/,cs}", "cpu_core/mem-loads/ 4:1cd,3,0,0 -G group=0 pmu=cpu_core cpus=4; cs 1:3 -G group=0; "
				   "cpu_atom/mem-loads/ 10:5d0,3,0,0 -G pmu=cpu_atom cpus=4" },
	{ "mem-loads/period=3/", "cpu_core/mem-loads/ 4:1cd,3,0,0 -G pmu=cpu_core cpus=4 period=3; cpu_atom/mem-loads/ "
				 "10:5d0,3,0,0 -G pmu=cpu_atom cpus=4 period=3" },
	{ "cycles", "cpu_core/cycles/ 0:400000000 -G pmu=cpu_core cpus=4; cpu_atom/cycles/ 0:a00000000 -G "
		    "pmu=cpu_atom cpus=4" },
	{ "cycles:u", "cpu_core/cycles/u 0:400000000 -khG pmu=cpu_core cpus=4; cpu_atom/cycles/u 0:a00000000 "
		      "-khG pmu=cpu_atom cpus=4" },
	{ "L1-dcache-loads", "cpu_core/L1-dcache-loads/ 3:400000000 -G pmu=cpu_core cpus=4; cpu_atom/L1-dcache-loads/ "
			     "3:a00000000 -G pmu=cpu_atom cpus=4" },
	{ "r1a8", "cpu_core/r1a8/ 4:1a8 -G pmu=cpu_core cpus=4; cpu_atom/r1a8/ 10:1a8 -G pmu=cpu_atom "
		  "cpus=4" },
	{ "{cycles,instructions}:S", "cpu_core/cycles/ 0:400000000 -G group=0 pmu=cpu_core cpus=4 read; "
				     "cpu_core/instructions/ 0:400000001 -G group=0 pmu=cpu_core cpus=4 read; "
				     "cpu_atom/cycles/ 0:a00000000 -G group=2 pmu=cpu_atom cpus=4 read; "
				     "cpu_atom/instructions/ 0:a00000001 -G group=2 pmu=cpu_atom cpus=4 read" },
	{ "{cycles,cs,instructions}:D", "cpu_core/cycles/ 0:400000000 -G pinned group=0 pmu=cpu_core cpus=4; cs 1:3 -G group=0; "
					"cpu_core/instructions/ 0:400000001 -G group=0 pmu=cpu_core cpus=4; cpu_atom/cycles/ "
					"0:a00000000 -G pinned group=3 pmu=cpu_atom cpus=4; cpu_atom/instructions/ 0:a00000001 "
					"-G group=3 pmu=cpu_atom cpus=4" },
	{ "g{cycles,cs}", "cpu_core/cycles/ 0:400000000 -G group=0=g pmu=cpu_core cpus=4; cs 1:3 -G group=0; "
			  "cpu_atom/cycles/ 0:a00000000 -G pmu=cpu_atom cpus=4" },
	{ "cpu_core/cycles/", "cpu_core/cycles/ 0:400000000 -G pmu=cpu_core cpus=4" },
	{ "cpu_atom/instructions/u", "cpu_atom/instructions/u 0:a00000001 -khG pmu=cpu_atom cpus=4" },
	{ "cpu_core/event=0x3c/", "cpu_core/event=0x3c/ 4:3c -G pmu=cpu_core cpus=4" },
	{ "cpu_*/event=0x3c/", "cpu_core/event=0x3c/ 4:3c -G pmu=cpu_core cpus=4; cpu_atom/event=0x3c/ 10:3c -G "
			       "pmu=cpu_atom cpus=4" },
	{ "mem-loads", "cpu_core/mem-loads/ 4:1cd,3,0,0 -G pmu=cpu_core cpus=4; cpu_atom/mem-loads/ "
		       "10:5d0,3,0,0 -G pmu=cpu_atom cpus=4" },
	{ "slots", "slots 4:400 -G pmu=cpu_core cpus=4" },
	{ "cycles/period=5/k", "cpu_core/cycles/k 0:400000000 -uh pmu=cpu_core cpus=4 period=5; cpu_atom/cycles/k "
			       "0:a00000000 -uh pmu=cpu_atom cpus=4 period=5" },
	{ "cpu_core/cycles,name=big/", "big 0:400000000 -G pmu=cpu_core cpus=4" },
	{ "cpu-clock", "cpu-clock 1:0 -G" },
	{ "cpu-cycles", "cpu_core/cpu-cycles/ 0:400000000 -G pmu=cpu_core cpus=4; cpu_atom/cpu-cycles/ "
			"0:a00000000 -G pmu=cpu_atom cpus=4" },
};

static const struct {
	const char *text;
	int column;
	const char *says;
} bad[] = {
	{ "", 1, "it ends where the name of an event should be" },
	{ ",", 1, "',' where the name of an event should be" },
	{ "cpu-clock,", 11, "it ends where the name of an event should be" },
	{ "cpu-clock,,cs", 11, "',' where the name of an event should be" },
	{ "cyclse", 1, "did you mean 'cycles'?" },
	{ "cyclse:u", 1, "did you mean 'cycles'?" },
	{ "cs,L1-dcache-load-mises", 4, "did you mean 'L1-dcache-load-misses'?" },
	{ "qqqqqqqqqqqqqqqq", 1, "there is no event 'qqqqqqqqqqqqqqqq'; 'assay list'" },
	{ "cpu-clock:", 11, "it ends where modifiers (u, k, h, p, …) should be" },
	{ "cpu-clock:x", 11, "there is no modifier 'x'; they are u k h G H I p P" },
	{ "cpu-clock:ux", 12, "there is no modifier 'x'; they are u k h G H I p P" },
	{ "cpu-clock:uu", 12, "modifier 'u' is there twice" },
	{ "cpu-clock:pppp", 14, "three p's are the highest precision" },
	{ "cpu-clock:u:k", 12, "':' where a comma or the end should be" },
	{ "cpu-clock cs", 11, "'cs' where a comma or the end should be" },
	{ "12", 3, "it ends where ':' and the number of the event" },
	{ "1:", 3, "it ends where the number of the event (decimal, or" },
	{ "1:zz", 3, "'zz' where the number of the event (decimal, or" },
	{ "4294967296:1", 1, "a type of events is a number below 2^32" },
	{ "1:99999999999999999999", 3, "'99999999999999999999' where the number of the" },
	{ "r11111111111111111", 2, "has more than 64 bits" },
	{ "rxyz", 2, "there is no event 'rxyz', and as a raw code" },
	{ "sched:", 7, "it ends where the name of a tracepoint or modifiers" },
	{ "sched:nope_such", 1, "no tracepoint sched:nope_such" },
	{ "nosuch:*", 1, "no tracepoint nosuch:*" },
	{ "sched:zz*", 1, "no tracepoint sched:zz*" },
	{ "sched:sched_switch:x", 20, "there is no modifier 'x'; they are u k h G H I p P" },
	{ "sched_switch", 1, "did you mean the tracepoint 'sched:sched_switch'?" },
	{ "sched_swich", 1, "did you mean the tracepoint 'sched:sched_switch'?" },
	{ "sys_enter_raed", 1, "did you mean the tracepoint 'syscalls:sys_enter_read'?" },
	{ "sched:sched_switch/perod=1/", 20, "did you mean 'period'?" },
	{ "sched:sched_switch/call-graph=what/", 31, "call-graph=what: call chains are fp, dwarf, lbr or" },
	{ "mem:", 5, "it ends where the address to watch (decimal, or" },
	{ "mem:zz", 5, "'zz' where the address to watch (decimal, or" },
	{ "mem:0x1000/3", 12, "'3' where a length of 1, 2, 4 or 8 bytes should be" },
	{ "mem:0x1000/16", 12, "'16' where a length of 1, 2, 4 or 8 bytes should be" },
	{ "mem:0x1000/", 12, "it ends where a length of 1, 2, 4 or 8 bytes should" },
	{ "mem:0x1000:rr", 12, "'rr' is neither an access (r, w, x, each at most once)" },
	{ "mem:0x1000:q", 12, "'q' is neither an access (r, w, x, each at most once) nor" },
	{ "mem:0x1000/4:q", 14, "'q' is neither an access (r, w, x, each at most once) nor" },
	{ "mem:0x1000/4:rwu", 14, "'rwu' is neither an access (r, w, x" },
	{ "mem:0x1000/4:uu", 15, "modifier 'u' is there twice" },
	{ "rZZ", 2, "as a raw code (r1a8) it is not hexadecimal" },
	{ "r1aZ:u", 4, "as a raw code (r1a8) it is not hexadecimal" },
	{ "r11111111111111111111", 2, "'r11111111111111111111' has more than 64 bits" },
	{ "cs,r11111111111111111111:u", 5, "has more than 64 bits" },
	{ "cycles/period=99999999999999999999/", 15, "99999999999999999999 is too large: term 'period' takes at most" },
	{ "cycles/period=0x10000000000000000/", 15, "0x10000000000000000 is too large: term" },
	{ "cpu/event=99999999999999999999/", 11, "99999999999999999999 is too large for 'event' of PMU 'cpu'" },
	{ "LLC-foo", 1, "near it are 'LLC-loads', " },
	{ "dTLB-nonsense:u", 1, "near it are 'dTLB-load" },
	{ "mem:0x10000000000000000", 5, "'0x10000000000000000' where the address to watch" },
	{ "mem:0x1000/4/", 13, "'/' where a comma or the end should be" },
	{ "cpu/", 5, "it ends where a term (name or name=value) should be" },
	{ "cpu/event=1", 12, "it ends where a comma or the '/' that ends the" },
	{ "cpu/event/", 5, "'event' of PMU 'cpu' needs a value: event=NUMBER," },
	{ "cpu/event=/", 11, "'' is no number: 'event' of PMU 'cpu' takes one" },
	{ "cpu/event=zz/", 11, "'zz' is no number: 'event' of PMU 'cpu' takes one" },
	{ "cpu/event=0x100/", 11, "0x100 is too large for 'event' of PMU 'cpu': it" },
	{ "cpu/evnt=1/", 5, "did you mean 'event'?" },
	{ "cpu/event=1,,umask=2/", 13, "',' where a term (name or name=value) should be" },
	{ "cpu/,event=1/", 5, "',' where a term (name or name=value) should be" },
	{ "cpu/=1/", 5, "'=' where a term (name or name=value) should be" },
	{ "cpu/event=1/x", 13, "there is no modifier 'x'; they are u k h G H I p P" },
	{ "cpu/event=1/uu", 14, "modifier 'u' is there twice" },
	{ "cpu/edge=2/", 10, "0x2 is too large for 'edge' of PMU 'cpu': it takes" },
	{ "cpu/parameter/", 5, "event 'parameter' of PMU 'cpu' needs 'umask': add" },
	{ "cpu/broken/", 5, "the driver of PMU 'cpu' says that event 'broken' is" },
	{ "cpu/garbage/", 5, "what the driver of PMU 'cpu' says about event" },
	{ "cpu/nonsense=1/", 5, "PMU 'cpu' has neither an event nor a term" },
	{ "cpu/cpu-cyclse/", 5, "did you mean 'cpu-cycles'?" },
	{ "cpu/event=1 umask=2/", 13, "'umask' where a comma or the '/' that ends the" },
	{ "cpu/period/", 5, "term 'period' needs a value: period=NUMBER" },
	{ "cpu/freq=0/", 10, "a frequency is at least 1" },
	{ "cpu/config=zz/", 12, "'zz' is no number: term 'config' takes one" },
	{ "cpu/event=-1/", 11, "'-1' is no number: 'event' of PMU 'cpu' takes one" },
	{ "cpu/rzz/", 5, "PMU 'cpu' has neither an event nor a term 'rzz';" },
	{ "cqu/event=1/", 1, "did you mean 'cpu'?" },
	{ "msr/tcs/", 5, "did you mean 'tsc'?" },
	{ "pwoer/energy-pkg/", 1, "did you mean 'power'?" },
	{ "power/energy-pgk/", 7, "did you mean 'energy-pkg'?" },
	{ "i915/x/", 1, "this machine lacks PMU 'i915': an Intel graphics" },
	{ "intel_pt//", 1, "this machine lacks PMU 'intel_pt': processor trace:" },
	{ "uncore_cbox_0/event=1/", 1, "this machine lacks PMU 'uncore_cbox_0': counters" },
	{ "uncore_imc/nosuch/", 12, "PMU 'uncore_imc_0' has neither an event nor a term" },
	{ "enery-pkg", 1, "did you mean 'energy-pkg'?" },
	{ "el-start", 1, "PMU 'cpu' of this machine has no event 'el-start'," },
	{ "aperf/x/", 7, "there is no term 'x'; there are period, freq, name," },
	{ "cpu", 1, "'cpu' is a PMU: its events are written cpu/…/, and" },
	{ "msr", 1, "'msr' is a PMU: its events are written msr/…/, and" },
	{ "{", 2, "it ends where the name of an event should be" },
	{ "}", 1, "'}' where the name of an event should be" },
	{ "{}", 2, "'}' where the name of an event should be" },
	{ "{cs", 4, "it ends where a comma or the '}' that ends the" },
	{ "{cs,", 5, "it ends where the name of an event should be" },
	{ "{cs,}", 5, "'}' where the name of an event should be" },
	{ "{cs}}", 5, "'}' where a comma or the end should be" },
	{ "{{cs}}", 2, "groups do not go into groups" },
	{ "cs}", 3, "'}' where a comma or the end should be" },
	{ "{cs,faults}:", 13, "it ends where modifiers (u, k, h, p, …) should be" },
	{ "{cs,faults}:z", 13, "there is no modifier 'z'; they are u k h G H I p P" },
	{ "{cs:pp,faults}:pp", 16, "three p's are the highest precision, and an event" },
	{ "{cs,cyclse}", 5, "did you mean 'cycles'?" },
	{ "foo:{cs,faults}", 5, "'{' where the name of a tracepoint or modifiers" },
	{ "{cs faults}", 5, "'faults' where a comma or the '}' that ends the" },
	{ "{cs,faults}u", 12, "'u' where a comma or the end should be" },
	{ "{cs,faults}/period=1/", 12, "'/' where a comma or the end should be" },
	{ "cpu-clock/perod=3/", 11, "did you mean 'period'?" },
	{ "cpu-clock/period=/", 18, "'' is no number: term 'period' takes one (decimal," },
	{ "cpu-clock/period/", 11, "term 'period' needs a value: period=NUMBER" },
	{ "cpu-clock/period=x/", 18, "'x' is no number: term 'period' takes one (decimal," },
	{ "cpu-clock/period=99999999999999999999/", 18, "99999999999999999999 is too large: term 'period'" },
	{ "cpu-clock/freq=0/", 16, "a frequency is at least 1" },
	{ "cpu-clock/name/", 11, "term 'name' needs a value" },
	{ "cpu-clock/name=/", 11, "term 'name' needs a value" },
	{ "cpu-clock/call-graph=gp/", 22, "call-graph=gp: call chains are fp, dwarf, lbr or no" },
	{ "cpu-clock/stack-size=7/", 22, "a stack's size is a multiple of 8, up to 65528 bytes" },
	{ "cpu-clock/stack-size=70000/", 22, "term 'stack-size' takes at most 65528, not 70000" },
	{ "cpu-clock/max-stack=70000/", 21, "term 'max-stack' takes at most 65535, not 70000" },
	{ "cpu-clock/time=2/", 16, "term 'time' takes at most 1, not 2" },
	{ "cpu-clock/branch_type=anny/", 23, "there is no kind of branch 'anny'; they are any," },
	{ "cpu-clock/period=1", 19, "it ends where a comma or the '/' that ends the" },
	{ "cpu-clock/period=1/uu", 21, "modifier 'u' is there twice" },
	{ "cpu-clock/", 11, "it ends where a term (name or name=value) should be" },
	{ "cpu-clock/umask=1/", 11, "there is no term 'umask'; there are period, freq," },
	{ "INST_RETIRED:BAD", 1, "libpfm4 knows no attribute BAD" },
	{ "MEM_UOPS_RETIRED", 1, "there is no event 'MEM_UOPS_RETIRED'" },
	{ "INST_RETIRD:ANY_P", 1, "no tracepoint INST_RETIRD:ANY_P" },
	{ "cpu-clöck", 1, "did you mean 'cpu-clock'?" },
	{ "é", 1, "'é' where the name of an event should be" },
	{ "cs\x01", 3, "'' where a comma or the end should be" },
};

static void expect(const char *text, const char *means, const char *sysfs)
{
	char *is = render(text, sysfs);

	if (strcmp(is, means) != 0)
		fail_msg("'%s'\n   means %s\n  expect %s", text, is, means);
	free(is);
}

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		expect(good[i].text, good[i].means, server);
	for (size_t i = 0; i < sizeof(good_hybrid) / sizeof(good_hybrid[0]); i++)
		expect(good_hybrid[i].text, good_hybrid[i].means, hybrid);
}

static void test_bad(void **state)
{
	struct event_sources sources = fake_sources(server);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct event_list list = { 0 };
		struct errbuf eb = { 0 };
		char column[32];
		int err;

		event_list_add_default(&list);
		err = event_list_parse_from(&list, bad[i].text, &sources, &eb);
		if (!err)
			fail_msg("'%s' is understood", bad[i].text);
		/* Nothing was added, and what was there stays. */
		assert_int_equal(list.events.nr, 1);
		snprintf(column, sizeof(column), "column %d:", bad[i].column);
		if (!strstr(eb.text, column))
			fail_msg("'%s': expected %s in: %s", bad[i].text, column, eb.text);
		if (!strstr(eb.text, bad[i].says))
			fail_msg("'%s': expected '%s' in: %s", bad[i].text, bad[i].says, eb.text);
		event_list_fini(&list);
	}
}

/* A machine that has nothing says which part is missing. */
static void test_lacking(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "cpu/event=1/", "lacks PMU 'cpu'" },
		{ "cpu_core/cycles/", "lacks PMU 'cpu_core': the performance cores" },
		{ "armv8_pmuv3/cpu_cycles/", "lacks PMU 'armv8_pmuv3'" },
		{ "power/energy-pkg/", "lacks PMU 'power': energy" },
		{ "energy-pkg", "an event of PMU 'power'" },
		{ "topdown-retiring", "an event of PMU 'cpu'" },
		{ "mem-loads:u", "an event of PMU 'cpu'" },
		{ "cpu_cycles", "an event of PMU 'armv8_pmuv3'" },
		{ "uncore_imc/cas_count_read/", "lacks PMU 'uncore_imc'" },
		{ "sched:sched_switch", "there are no tracepoints here" },
	};
	const struct event_sources nothing = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_list list = { 0 };
		struct errbuf eb = { 0 };
		int err = event_list_parse_from(&list, cases[i].text, &nothing, &eb);

		assert_int_equal(err, -ENOENT);
		if (!strstr(eb.text, cases[i].says))
			fail_msg("'%s': expected '%s' in: %s", cases[i].text, cases[i].says, eb.text);
		event_list_fini(&list);
	}
}

/* Where the caller shows rows for all that was asked for, what the machine lacks is one of them. */
static void test_absent(void **state)
{
	const struct event_sources nothing = { 0 };
	struct event_list list = { .allow_absent = true };
	const struct event_spec *v;
	struct errbuf eb = { 0 };

	(void)state;
	log_level = LOG_QUIET;
	assert_int_equal(event_list_parse_from(&list, "cs,{mem-loads:u,faults},energy-pkg", &nothing, &eb), 0);
	v = list.events.v;
	assert_int_equal(list.events.nr, 4);
	assert_string_equal(v[1].name, "mem-loads:u");
	assert_true(v[1].is_absent && v[3].is_absent && !v[0].is_absent && !v[2].is_absent);
	assert_int_equal(v[2].group_leader, 1);
	/* What nobody knows is still an error. */
	assert_int_equal(event_list_parse_from(&list, "mem-laods", &nothing, &eb), -EINVAL);
	assert_int_equal(list.events.nr, 4);
	event_list_fini(&list);
	log_level = LOG_NORMAL;
}

static int tracepoints_with_function(const char *system, const char *name, tracepoint_fn *found, void *ctx, struct errbuf *eb)
{
	bool has = !fnmatch(system, "ftrace", 0) && !fnmatch(name, "function", 0);
	struct errbuf unused = { 0 };
	int err;

	if (has)
		found(ctx, "ftrace", "function", 1);
	err = fake_tracepoints(system, name, found, ctx, has ? &unused : eb);
	return has ? 0 : err;
}

/* Patterns pass over what the kernel refuses to count; by its name it can be asked for. */
static void test_function_tracer(void **state)
{
	struct event_sources sources = { .tracepoints = tracepoints_with_function };
	struct event_list list = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	log_level = LOG_QUIET;
	assert_int_equal(event_list_parse_from(&list, "*:*", &sources, &eb), 0);
	assert_int_equal(list.events.nr, 9);
	for (uint32_t i = 0; i < list.events.nr; i++)
		assert_string_not_equal(list.events.v[i].name, "ftrace:function");
	assert_int_equal(event_list_parse_from(&list, "cs,ftrace:*", &sources, &eb), -ENOENT);
	assert_non_null(strstr(eb.text, "column 4:"));
	assert_non_null(strstr(eb.text, "matches only ftrace:function"));
	assert_int_equal(event_list_parse_from(&list, "ftrace:function", &sources, &eb), 0);
	assert_int_equal(list.events.nr, 10);
	event_list_fini(&list);
	log_level = LOG_NORMAL;
}

/* libpfm4's tables hold PMUs of all ages: no machine has both of these. */
static void test_pfm_absent(void **state)
{
	static const char *const names[] = { "nhm::UNHALTED_CORE_CYCLES", "amd64_k7::CPU_CLK_UNHALTED" };
	bool told = false;

	(void)state;
#ifdef __x86_64__
	for (size_t i = 0; i < 2; i++) {
		struct attr attr = { 0 };
		struct errbuf eb = { 0 };

		told |= event_pfm_find(names[i], &attr, &eb) == -ENODEV && strstr(eb.text, "but this machine lacks it");
	}
	assert_int_equal(told, event_pfm_is_usable());
#else
	(void)names, (void)told;
#endif
}

static void test_lists(void **state)
{
	struct event_sources sources = fake_sources(server);
	struct event_list list = { 0 };

	(void)state;
	assert_int_equal(event_list_parse_from(&list, "cpu-clock:S, faults:W ,{cs,r1}", &sources, NULL), 0);
	assert_int_equal(event_list_parse_from(&list, "{r10,cs},faults", &sources, NULL), 0);
	assert_int_equal(list.events.nr, 7);
	assert_int_equal(list.events.v[1].column, 14);
	assert_int_equal(list.events.v[2].group_leader, 2);
	assert_int_equal(list.events.v[3].group_leader, 2);
	assert_int_equal(list.events.v[4].group_leader, 4);
	assert_int_equal(list.events.v[5].group_leader, 4);
	assert_int_equal(list.events.v[6].group_leader, -1);
	assert_int_equal(list.last_first, 4);
	event_list_fini(&list);
}

static void test_limits(void **state)
{
	struct event_sources sources = fake_sources(server);
	struct event_list list = { 0 };
	struct errbuf eb = { 0 };
	char *text = mem_alloc(70001);

	(void)state;
	memset(text, ',', 70000);
	text[70000] = 0;
	assert_int_equal(event_list_parse_from(&list, text, &sources, &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "column 65537: a list of events has at most 65536 char"));
	/* Four characters for nine tracepoints: more events than anybody means. */
	for (size_t i = 0; i + 4 < 65536; i += 4)
		memcpy(text + i, "*:*,", 4);
	text[65535] = 0;
	errbuf_clear(&eb);
	assert_int_equal(event_list_parse_from(&list, text, &sources, &eb), -E2BIG);
	assert_non_null(strstr(eb.text, "more than 100000 events"));
	assert_int_equal(list.events.nr, 0);
	free(text);
	event_list_fini(&list);
}

static void test_filter(void **state)
{
	struct event_sources sources = fake_sources(server);
	struct event_list list = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	assert_int_equal(event_list_add_filter(&list, "a == 1", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "before any event"));
	assert_int_equal(event_list_parse_from(&list, "sched:sched_switch", &sources, NULL), 0);
	assert_int_equal(event_list_parse_from(&list, "sched:sched_w*", &sources, NULL), 0);
	assert_int_equal(event_list_add_filter(&list, "prio > 3", NULL), 0);
	assert_null(list.events.v[0].filter);
	assert_string_equal(list.events.v[1].filter, "prio > 3");
	assert_string_equal(list.events.v[2].filter, "prio > 3");
	assert_int_equal(event_list_add_filter(&list, "pid == 1", NULL), 0);
	assert_string_equal(list.events.v[2].filter, "(prio > 3) && (pid == 1)");
	assert_int_equal(event_list_parse_from(&list, "sched:sched_switch,cs", &sources, NULL), 0);
	errbuf_clear(&eb);
	assert_int_equal(event_list_add_filter(&list, "x", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "'cs' is no tracepoint"));
	event_list_fini(&list);
}

static void test_cgroups(void **state)
{
	struct event_sources sources = fake_sources(server);
	struct event_list list = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	assert_int_equal(event_list_add_cgroups(&list, "a", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "before any event"));
	assert_int_equal(event_list_parse_from(&list, "cs,faults", &sources, NULL), 0);
	assert_int_equal(event_list_add_cgroups(&list, "app", NULL), 0);
	assert_string_equal(list.events.v[0].cgroup, "app");
	assert_string_equal(list.events.v[1].cgroup, "app");
	event_list_fini(&list);

	list = (struct event_list){ 0 };
	assert_int_equal(event_list_parse_from(&list, "cs,faults,r1", &sources, NULL), 0);
	assert_int_equal(event_list_add_cgroups(&list, "a,,b", NULL), 0);
	assert_string_equal(list.events.v[0].cgroup, "a");
	assert_null(list.events.v[1].cgroup);
	assert_string_equal(list.events.v[2].cgroup, "b");
	errbuf_clear(&eb);
	assert_int_equal(event_list_add_cgroups(&list, "c", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "more cgroups than events"));
	event_list_fini(&list);
}

static void test_default(void **state)
{
	struct event_list list = { 0 };
	const struct event_spec *s;

	(void)state;
	event_list_add_default(&list);
	s = &list.events.v[0];
	assert_true(s->precise_max);
	assert_int_equal(s->attr.type, ATTR_TYPE_HARDWARE);
	assert_int_equal(attr_precise_ip(&s->attr), 3);
	assert_int_equal(strncmp(s->name, "cycles:P", 8), 0);
	assert_int_equal(s->group_leader, -1);
	assert_true(s->scale == 1.0);
	event_list_fini(&list);
}

static int make_machines(void **state)
{
	(void)state;
	server = fake_sysfs_make(fake_server);
	hybrid = fake_sysfs_make(fake_hybrid);
	return 0;
}

static int remove_machines(void **state)
{
	(void)state;
	fake_sysfs_remove(server);
	fake_sysfs_remove(hybrid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	   cmocka_unit_test(test_bad),
		cmocka_unit_test(test_lacking),	   cmocka_unit_test(test_lists),
		cmocka_unit_test(test_limits),	   cmocka_unit_test(test_filter),
		cmocka_unit_test(test_cgroups),	   cmocka_unit_test(test_default),
		cmocka_unit_test(test_absent),	   cmocka_unit_test(test_function_tracer),
		cmocka_unit_test(test_pfm_absent),
	};

	return cmocka_run_group_tests(tests, make_machines, remove_machines);
}
