/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the tables of system calls. For tests that compare them with what the kernel, its headers and strace say.
 *
 * usage: syscall_dump calls x86_64|arm64|i386    NUMBER NAME CLASS,CLASS… ARGUMENT[=SET of its bits | :SET of its values]…
 *        syscall_dump set x86_64|arm64|i386 LIST NAME of each call that -e LIST chooses
 *        syscall_dump flags                      SET NAME VALUE MASK
 *        syscall_dump types                      TYPE SIZE-x86_64 SIZE-arm64 SIZE-i386
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/syscall_flags.h"
#include "abi/syscall_set.h"
#include "abi/syscalls.h"

static const char *const abis[SYSCALL_NR_ABIS] = { "x86_64", "arm64", "i386" };
static const char *const classes[] = { "file", "desc", "network", "process", "memory", "signal", "ipc", "creds", "clock" };

static const char *name_of_set(const struct syscall_flags *set)
{
#define IF_SET(id) (set == &syscall_flags_##id) ? #id :
	return SYSCALL_FLAG_SETS(IF_SET) "";
#undef IF_SET
}

static void put_call(uint32_t nr, const struct syscall_def *def)
{
	const char *sep = " ";

	printf("%" PRIu32 " %s", nr, def->name);
	for (uint32_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (def->classes & 1U << i) {
			printf("%s%s", sep, classes[i]);
			sep = ",";
		}
	if (*sep == ' ')
		fputs(" -", stdout);
	for (uint32_t i = 0; i < def->nr_args; i++)
		printf(" %s%s%s", def->args[i].name, def->args[i].kind == SYSCALL_ARG_ENUM ? ":" : def->args[i].flags ? "=" : "",
		       name_of_set(def->args[i].flags));
	putchar('\n');
}

static void put_set(const char *name, const struct syscall_flags *set)
{
	for (uint32_t i = 0; i < set->nr; i++)
		printf("%s %s 0x%" PRIx64 " 0x%" PRIx64 "\n", name, set->v[i].name, set->v[i].value, set->v[i].mask);
}

#define PUT_SET(id) put_set(#id, &syscall_flags_##id);

static void put_types(void)
{
#define PUT_TYPE(id)                                                                                                                       \
	printf(#id " %u %u %u\n", syscall_type_size(SYSCALL_X86_64, SYSCALL_TYPE_##id), syscall_type_size(SYSCALL_ARM64, SYSCALL_TYPE_##id), \
	       syscall_type_size(SYSCALL_I386, SYSCALL_TYPE_##id))
	PUT_TYPE(IOVEC);
	PUT_TYPE(MSGHDR);
	PUT_TYPE(STAT);
	PUT_TYPE(STATX);
	PUT_TYPE(STATFS);
	PUT_TYPE(TIMESPEC);
	PUT_TYPE(ITIMERSPEC);
	PUT_TYPE(RLIMIT);
	PUT_TYPE(RUSAGE);
	PUT_TYPE(SIGINFO);
	PUT_TYPE(SIGALTSTACK);
	PUT_TYPE(POLLFD);
	PUT_TYPE(EPOLL_EVENT);
	PUT_TYPE(UTSNAME);
	PUT_TYPE(SYSINFO);
	PUT_TYPE(TIMEX);
	PUT_TYPE(WINSIZE);
	PUT_TYPE(TERMIOS);
	PUT_TYPE(FLOCK);
	PUT_TYPE(TMS);
	PUT_TYPE(MMSGHDR);
	PUT_TYPE(SIGEVENT);
	PUT_TYPE(SEMBUF);
	PUT_TYPE(MQ_ATTR);
	PUT_TYPE(IO_EVENT);
	PUT_TYPE(IO_URING_PARAMS);
	PUT_TYPE(FUTEX_WAITV);
	PUT_TYPE(STAT64);
	PUT_TYPE(STATFS64);
#undef PUT_TYPE
}

static int find_abi(const char *name)
{
	int abi = 0;

	while (abi < SYSCALL_NR_ABIS && strcmp(name, abis[abi]))
		abi++;
	return abi;
}

static int put_chosen(int abi, const char *list)
{
	struct syscall_set set = { 0 };
	struct errbuf eb = { 0 };

	if (syscall_set_add(&set, abi, list, &eb)) {
		fprintf(stderr, "%s\n", eb.text);
		return 1;
	}
	for (uint32_t nr = 0; nr < syscall_limit(abi); nr++)
		if (syscall_get(abi, nr) && syscall_set_has(&set, abi, nr))
			puts(syscall_get(abi, nr)->name);
	return 0;
}

int main(int argc, char **argv)
{
	int abi = argc > 2 ? find_abi(argv[2]) : SYSCALL_NR_ABIS;

	if (argc == 3 && !strcmp(argv[1], "calls") && abi < SYSCALL_NR_ABIS) {
		for (uint32_t nr = 0; nr < syscall_limit(abi); nr++)
			if (syscall_get(abi, nr))
				put_call(nr, syscall_get(abi, nr));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "set") && abi < SYSCALL_NR_ABIS)
		return put_chosen(abi, argv[3]);
	if (argc == 2 && !strcmp(argv[1], "flags")) {
		SYSCALL_FLAG_SETS(PUT_SET)
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "types")) {
		put_types();
		return 0;
	}
	fputs("usage: syscall_dump calls ABI | set ABI LIST | flags | types\n", stderr);
	return 2;
}
