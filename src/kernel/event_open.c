/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fallbacks: each changes the attr and tries again, and is taken only where its cause is established, so that an event which is wrong in
 * itself does not strip a good kernel of its features: whether the kernel lacks one is asked with a harmless event of our own.
 */
#include "kernel/event_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/event_names.h"
#include "kernel/sysctl.h"

#define FLAG_PID_CGROUP (1ul << 2)
#define FLAG_FD_CLOEXEC (1ul << 3)

#define IOC_ENABLE _IO('$', 0)
#define IOC_DISABLE _IO('$', 1)
#define IOC_SET_OUTPUT _IO('$', 5)
#define IOC_SET_FILTER _IOW('$', 6, char *)
#define IOC_SET_BPF _IOW('$', 8, uint32_t)
#define IOC_ID _IOR('$', 7, uint64_t *)
#define IOC_SET_BPF _IOW('$', 8, uint32_t)

/* What each feature is in an attr; in the order in which kernels are asked, newest first. At most 32. */
static const struct {
	uint64_t flags, sample_type, read_format;
	const char *notice; /* where something that was requested is lost */
} features[] = {
	{ ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT, 0, 0, NULL },
	{ 0, 0, READ_LOST, NULL },
	{ 0, SAMPLE_WEIGHT_STRUCT, 0, NULL },
	{ 0, SAMPLE_CODE_PAGE_SIZE, 0, "code page sizes" },
	{ 0, SAMPLE_DATA_PAGE_SIZE, 0, "data page sizes" },
	{ ATTR_BUILD_ID, 0, 0, NULL },
	{ ATTR_CGROUP, SAMPLE_CGROUP, 0, "cgroups" },
	{ ATTR_AUX_OUTPUT, 0, 0, NULL },
	{ ATTR_BPF_EVENT, 0, 0, NULL },
	{ ATTR_KSYMBOL, 0, 0, NULL },
	{ ATTR_NAMESPACES, 0, 0, "namespaces" },
	{ ATTR_WRITE_BACKWARD, 0, 0, "overwriting rings" },
	{ ATTR_USE_CLOCKID, 0, 0, "the choice of a clock (-k)" },
	{ ATTR_CONTEXT_SWITCH, 0, 0, "context switches" },
	{ ATTR_MMAP2, 0, 0, NULL },
	{ ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST, 0, 0, NULL },
	{ ATTR_SAMPLE_ID_ALL, 0, 0, NULL },
};
#define NR_FEATURES (sizeof(features) / sizeof(features[0]))

static int sys_perf_event_open(const struct attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	long fd;

	do {
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

int event_try(const struct attr *attr)
{
	int fd = sys_perf_event_open(attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

void event_opener_fini(struct event_opener *o)
{
	free(o->notices);
	o->notices = NULL;
}

__attribute__((format(printf, 2, 3))) static void add_notice(struct event_opener *o, const char *fmt, ...)
{
	char text[512];
	char *all;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (o->notices && strstr(o->notices, text))
		return;
	all = mem_printf("%s%s%s", o->notices ? o->notices : "", o->notices ? "\n" : "", text);
	free(o->notices);
	o->notices = all;
}

static bool feature_used(size_t i, const struct attr *a)
{
	return (a->flags & features[i].flags) || (a->sample_type & features[i].sample_type) || (a->read_format & features[i].read_format);
}

static void feature_strip(size_t i, struct attr *a)
{
	/* The weight came first; its struct is a richer way to say it. */
	if (a->sample_type & features[i].sample_type & SAMPLE_WEIGHT_STRUCT)
		a->sample_type |= SAMPLE_WEIGHT;
	a->flags &= ~features[i].flags;
	a->sample_type &= ~features[i].sample_type;
	a->read_format &= ~features[i].read_format;
	if (features[i].flags & ATTR_USE_CLOCKID)
		a->clockid = 0;
}

/* Would a harmless event with this feature alone be refused? */
static bool feature_is_lacking(size_t i, const struct attr *wanted)
{
	struct attr probe = {
		.type = ATTR_TYPE_SOFTWARE,
		.size = wanted->size,
		.config = CONFIG_DUMMY,
		.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | (wanted->flags & features[i].flags),
		.sample_type = wanted->sample_type & features[i].sample_type,
		.read_format = wanted->read_format & features[i].read_format,
		.clockid = wanted->clockid,
	};
	int err;

	if (features[i].flags & ATTR_MMAP2)
		probe.flags |= ATTR_MMAP;
	err = event_try(&probe);
	return err == -EINVAL || err == -E2BIG;
}

/* Finds what the kernel does not know among the features used. True: something was dropped. */
static bool drop_missing(struct event_opener *o, struct attr *a)
{
	bool dropped = false;

	for (size_t i = 0; i < NR_FEATURES; i++) {
		if (!feature_used(i, a) || !feature_is_lacking(i, a))
			continue;
		o->lacks |= 1u << i;
		feature_strip(i, a);
		dropped = true;
		if (features[i].notice)
			add_notice(o, "this kernel is too old to record %s: recording without", features[i].notice);
	}
	return dropped;
}

static void apply_lacks(const struct event_opener *o, struct attr *a)
{
	for (size_t i = 0; i < NR_FEATURES; i++)
		if (o->lacks & 1u << i)
			feature_strip(i, a);
}

bool event_inherits_reads(void)
{
	const struct attr probe = {
		.type = ATTR_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER0,
		.config = CONFIG_DUMMY,
		.flags = ATTR_DISABLED | ATTR_INHERIT | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV,
		.sample_type = SAMPLE_READ | SAMPLE_TID,
		.read_format = READ_ID | READ_GROUP,
	};

	return event_try(&probe) != -EINVAL;
}

static void set_name(struct event_spec *spec, char *name)
{
	free(spec->name);
	spec->name = name;
}

/* cycles without a PMU: the timer is the next best thing. */
static bool fall_back_to_clock(struct event_opener *o, struct event_spec *spec, int err)
{
	char name[EVENT_NAME_MAX];

	if (spec->attr.type != ATTR_TYPE_HARDWARE || spec->attr.config != 0)
		return false;
	if (err != -ENOENT && err != -ENXIO && err != -ENODEV && err != -EOPNOTSUPP)
		return false;
	spec->attr.type = ATTR_TYPE_SOFTWARE;
	spec->attr.config = 0;
	event_name_of(&spec->attr, name, sizeof(name));
	add_notice(o, "cycles need a hardware PMU, which this machine does not offer: sampling cpu-clock instead");
	set_name(spec, mem_strdup(name));
	return true;
}

static void note_user_only(struct event_opener *o)
{
	add_notice(o,
		   "user code only: kernel.perf_event_paranoid is %d, and profiling the kernel needs 1 "
		   "('sudo sysctl kernel.perf_event_paranoid=1') or CAP_PERFMON",
		   sysctl_paranoid());
}

static bool fall_back_to_user(struct event_opener *o, struct event_spec *spec, pid_t pid, int err)
{
	struct attr *a = &spec->attr;
	bool is_tracepoint = a->type == ATTR_TYPE_TRACEPOINT;

	if (err != -EACCES || pid == -1 || is_tracepoint || sysctl_paranoid() <= 1)
		return false;
	if (a->flags & (ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_USER))
		return false;
	a->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	set_name(spec, mem_printf("%s%su", spec->name, strchr(spec->name, ':') ? "" : ":"));
	note_user_only(o);
	return true;
}

static bool lower_precision(struct event_spec *spec, int err)
{
	unsigned precise = attr_precise_ip(&spec->attr);

	if (!spec->precise_max || !precise)
		return false;
	if (err != -EINVAL && err != -EOPNOTSUPP && err != -ENOENT && err != -ENODEV)
		return false;
	spec->attr.flags &= ~ATTR_PRECISE_IP;
	spec->attr.flags |= (uint64_t)(precise - 1) << ATTR_PRECISE_IP_SHIFT;
	return true;
}

/* Devices and registers do not distinguish guests from hosts, and their PMUs refuse to leave one out; that guests are left out is our default, not
 * requested. */
static bool drop_guest_default(struct event_spec *spec, int err)
{
	const uint64_t others = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_IDLE | ATTR_EXCLUDE_HOST;

	if (err != -EINVAL || !spec->pmu || (spec->attr.flags & others) || !(spec->attr.flags & ATTR_EXCLUDE_GUEST))
		return false;
	spec->attr.flags &= ~ATTR_EXCLUDE_GUEST;
	return true;
}

static int open_once(struct event_opener *o, const struct event_spec *spec, pid_t pid, int cpu, int group_fd)
{
	unsigned long flags = spec->cgroup ? FLAG_PID_CGROUP : 0;
	const struct attr *a = &spec->attr;
	int fd = -EINVAL;

	if (!o->lacks_cloexec)
		fd = sys_perf_event_open(a, pid, cpu, group_fd, flags | FLAG_FD_CLOEXEC);
	if (fd != -EINVAL)
		return fd;
	fd = sys_perf_event_open(a, pid, cpu, group_fd, flags);
	if (fd >= 0) {
		o->lacks_cloexec = true;
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	return fd;
}

int event_open(struct event_opener *o, struct event_spec *spec, pid_t pid, int cpu, int group_fd, bool first, struct errbuf *eb)
{
	pid_t target = spec->cgroup ? -1 : pid; /* for the message */
	unsigned precise;

	apply_lacks(o, &spec->attr);
	precise = attr_precise_ip(&spec->attr);
	if (spec->kernel_denied && first)
		note_user_only(o);
	for (;;) {
		int fd = open_once(o, spec, pid, cpu, group_fd);

		if (fd >= 0)
			return fd;
		if (fd == -EMFILE && !o->nofile_raised) {
			o->nofile_raised = true;
			if (sysctl_raise_nofile())
				continue;
		}
		if (first && lower_precision(spec, fd))
			continue;
		/* It was not the precision: back to what was wished. */
		if (first && spec->precise_max)
			spec->attr.flags |= (uint64_t)precise << ATTR_PRECISE_IP_SHIFT;
		if (first && drop_guest_default(spec, fd))
			continue;
		if (fd == -EINVAL && drop_missing(o, &spec->attr))
			continue;
		if (first && !o->no_clock_fallback && fall_back_to_clock(o, spec, fd))
			continue;
		if (first && fall_back_to_user(o, spec, target, fd))
			continue;
		return event_open_error(spec, target, cpu, fd, eb);
	}
}

int event_enable(int fd, bool on)
{
	return ioctl(fd, on ? IOC_ENABLE : IOC_DISABLE, 0) ? -errno : 0;
}

int event_set_output(int fd, int ring_fd)
{
	return ioctl(fd, IOC_SET_OUTPUT, ring_fd) ? -errno : 0;
}

int event_set_program(int fd, int program)
{
	return ioctl(fd, IOC_SET_BPF, program) ? -errno : 0;
}

int event_get_id(int fd, uint64_t *id)
{
	return ioctl(fd, IOC_ID, id) ? -errno : 0;
}

int event_set_filter(int fd, const struct event_spec *spec, struct errbuf *eb)
{
	const char *colon = strchr(spec->name, ':');

	if (spec->sample_program && ioctl(fd, IOC_SET_BPF, spec->sample_program))
		return errbuf_set(eb, -errno, "the kernel takes no BPF program for '%s': %s", spec->name, strerror(errno));
	if (!spec->filter || !ioctl(fd, IOC_SET_FILTER, spec->filter))
		return 0;
	if (errno == EINVAL && colon)
		return errbuf_set(eb, -EINVAL,
				  "the kernel refuses the filter '%s' for '%s': its fields are in "
				  "/sys/kernel/tracing/events/%.*s/%s/format",
				  spec->filter, spec->name, (int)(colon - spec->name), spec->name, colon + 1);
	return errbuf_set(eb, -errno, "the kernel refuses the filter '%s' for '%s': %s", spec->filter, spec->name, strerror(errno));
}

int event_read(int fd, uint64_t read_format, struct event_reading *r)
{
	const uint64_t words = READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING | READ_ID | READ_LOST;
	size_t size = read_format & READ_GROUP ? sizeof(r->words) : 8 * (1 + (size_t)__builtin_popcountll(read_format & words));
	ssize_t n;

	do {
		n = read(fd, r->words, size);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ENODATA;
	r->read_format = read_format;
	r->nr_words = (size_t)n / sizeof(r->words[0]);
	return read_format & READ_GROUP || (size_t)n == size ? 0 : -EBADMSG;
}

/* A group: nr, times, then for each member value, id, lost. An event alone: value, times, id, lost. */
int event_reading_get(const struct event_reading *r, uint64_t id, struct event_count *count)
{
	uint64_t format = r->read_format;
	bool is_group = format & READ_GROUP;
	size_t nr_times = !!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING);
	size_t each = 1 + !!(format & READ_ID) + !!(format & READ_LOST);
	const uint64_t *w = r->words;
	uint64_t nr = is_group ? w[0] : 1;

	memset(count, 0, sizeof(*count));
	if (r->nr_words < 1 + nr_times || nr > (r->nr_words - is_group - nr_times) / each)
		return -EBADMSG;
	if (format & READ_TOTAL_TIME_ENABLED)
		count->time_enabled = w[1];
	if (format & READ_TOTAL_TIME_RUNNING)
		count->time_running = w[nr_times];
	for (uint64_t i = 0; i < nr; i++) {
		const uint64_t *rest = is_group ? &w[1 + nr_times + i * each + 1] : &w[1 + nr_times];

		if (is_group && id && format & READ_ID && rest[0] != id)
			continue;
		count->value = is_group ? rest[-1] : w[0];
		count->id = format & READ_ID ? rest[0] : 0;
		count->lost = format & READ_LOST ? rest[each - 2] : 0;
		return 0;
	}
	return -ENOENT;
}

int event_clamp_freq(uint64_t wish, bool strict, uint64_t *freq, bool *lowered, struct errbuf *eb)
{
	uint64_t max = sysctl_max_sample_rate();

	*lowered = false;
	*freq = wish;
	if (wish == UINT64_MAX) {
		*freq = max ? max : 100000;
		return 0;
	}
	if (!max || wish <= max)
		return 0;
	if (strict)
		return errbuf_set(eb, -EINVAL,
				  "this kernel samples at most %llu times a second, and --strict-freq forbids less than the %llu asked "
				  "for: 'sudo sysctl kernel.perf_event_max_sample_rate=%llu' raises the limit",
				  (unsigned long long)max, (unsigned long long)wish, (unsigned long long)wish);
	*freq = max;
	*lowered = true;
	return 0;
}
