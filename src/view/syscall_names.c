/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of reasons of signals, of what sockets and messages have in them, and of prctl().
 */
#include "view/syscall_names.h"

#include <signal.h>
#include <stddef.h>

/* clang-format off */
#define V(name, value) { name, value, 0 }
#define FLAGS(table, prefix) { prefix, table, (uint32_t)(sizeof(table) / sizeof(*(table))) }
/* clang-format on */

static const struct syscall_flag bus_codes_v[] = {
	V("BUS_ADRALN", 1), V("BUS_ADRERR", 2), V("BUS_OBJERR", 3), V("BUS_MCEERR_AR", 4), V("BUS_MCEERR_AO", 5),
};
static const struct syscall_flags bus_codes = FLAGS(bus_codes_v, "");

static const struct syscall_flag ill_codes_v[] = {
	V("ILL_ILLOPC", 1), V("ILL_ILLOPN", 2), V("ILL_ILLADR", 3), V("ILL_ILLTRP", 4),	  V("ILL_PRVOPC", 5),
	V("ILL_PRVREG", 6), V("ILL_COPROC", 7), V("ILL_BADSTK", 8), V("ILL_BADIADDR", 9),
};
static const struct syscall_flags ill_codes = FLAGS(ill_codes_v, "");

static const struct syscall_flag fpe_codes_v[] = {
	V("FPE_INTDIV", 1), V("FPE_INTOVF", 2), V("FPE_FLTDIV", 3), V("FPE_FLTOVF", 4),
	V("FPE_FLTUND", 5), V("FPE_FLTRES", 6), V("FPE_FLTINV", 7), V("FPE_FLTSUB", 8),
};
static const struct syscall_flags fpe_codes = FLAGS(fpe_codes_v, "");

static const struct syscall_flag trap_codes_v[] = {
	V("TRAP_BRKPT", 1), V("TRAP_TRACE", 2), V("TRAP_BRANCH", 3), V("TRAP_HWBKPT", 4), V("TRAP_UNK", 5), V("TRAP_PERF", 6),
};
static const struct syscall_flags trap_codes = FLAGS(trap_codes_v, "");

static const struct syscall_flag poll_codes_v[] = {
	V("POLL_IN", 1), V("POLL_OUT", 2), V("POLL_MSG", 3), V("POLL_ERR", 4), V("POLL_PRI", 5), V("POLL_HUP", 6),
};
static const struct syscall_flags poll_codes = FLAGS(poll_codes_v, "");

static const struct syscall_flag sys_codes_v[] = {
	V("SYS_SECCOMP", 1),
	V("SYS_USER_DISPATCH", 2),
};
static const struct syscall_flags sys_codes = FLAGS(sys_codes_v, "");

const struct syscall_flags *syscall_signal_codes(int sig)
{
	static const struct {
		int sig;
		const struct syscall_flags *codes;
	} by_signal[] = {
		{ SIGCHLD, &syscall_flags_sigchld_code },
		{ SIGSEGV, &syscall_flags_sigsegv_code },
		{ SIGBUS, &bus_codes },
		{ SIGILL, &ill_codes },
		{ SIGFPE, &fpe_codes },
		{ SIGTRAP, &trap_codes },
		{ SIGIO, &poll_codes },
		{ SIGSYS, &sys_codes },
	};

	for (size_t i = 0; i < sizeof(by_signal) / sizeof(*by_signal); i++)
		if (by_signal[i].sig == sig)
			return by_signal[i].codes;
	return NULL;
}

static const struct syscall_flag owner_types_v[] = {
	V("F_OWNER_TID", 0),
	V("F_OWNER_PID", 1),
	V("F_OWNER_PGRP", 2),
};
const struct syscall_flags syscall_owner_types = FLAGS(owner_types_v, "F_OWNER_");

static const struct syscall_flag dirent_types_v[] = {
	V("DT_UNKNOWN", 0), V("DT_FIFO", 1), V("DT_CHR", 2),   V("DT_DIR", 4),	V("DT_BLK", 6),
	V("DT_REG", 8),	    V("DT_LNK", 10), V("DT_SOCK", 12), V("DT_WHT", 14),
};
const struct syscall_flags syscall_dirent_types = FLAGS(dirent_types_v, "DT_");

static const struct syscall_flag capability_versions_v[] = {
	V("_LINUX_CAPABILITY_VERSION_1", 0x19980330),
	V("_LINUX_CAPABILITY_VERSION_2", 0x20071026),
	V("_LINUX_CAPABILITY_VERSION_3", 0x20080522),
};
const struct syscall_flags syscall_capability_versions = FLAGS(capability_versions_v, "_LINUX_CAPABILITY_VERSION_");

static const struct syscall_flag futex_op_names_v[] = {
	V("FUTEX_OP_SET", 0), V("FUTEX_OP_ADD", 1), V("FUTEX_OP_OR", 2), V("FUTEX_OP_ANDN", 3), V("FUTEX_OP_XOR", 4),
};
const struct syscall_flags syscall_futex_op_names = FLAGS(futex_op_names_v, "FUTEX_OP_");

static const struct syscall_flag futex_cmp_names_v[] = {
	V("FUTEX_OP_CMP_EQ", 0), V("FUTEX_OP_CMP_NE", 1), V("FUTEX_OP_CMP_LT", 2),
	V("FUTEX_OP_CMP_LE", 3), V("FUTEX_OP_CMP_GT", 4), V("FUTEX_OP_CMP_GE", 5),
};
const struct syscall_flags syscall_futex_cmp_names = FLAGS(futex_cmp_names_v, "FUTEX_OP_CMP_");

static const struct syscall_flag control_types_v[] = {
	V("SCM_RIGHTS", 1),
	V("SCM_CREDENTIALS", 2),
	V("SCM_SECURITY", 3),
};
const struct syscall_flags syscall_control_types = FLAGS(control_types_v, "SCM_");

static const struct syscall_flag link_types_v[] = {
	V("ARPHRD_NETROM", 0),	  V("ARPHRD_ETHER", 1),	    V("ARPHRD_IEEE802", 6),	V("ARPHRD_INFINIBAND", 32),
	V("ARPHRD_PPP", 512),	  V("ARPHRD_TUNNEL", 768),  V("ARPHRD_TUNNEL6", 769),	V("ARPHRD_LOOPBACK", 772),
	V("ARPHRD_SIT", 776),	  V("ARPHRD_IPGRE", 778),   V("ARPHRD_IEEE80211", 801), V("ARPHRD_IEEE80211_RADIOTAP", 803),
	V("ARPHRD_NETLINK", 824), V("ARPHRD_VOID", 0xffff), V("ARPHRD_NONE", 0xfffe),
};
const struct syscall_flags syscall_link_types = FLAGS(link_types_v, "ARPHRD_");

static const struct syscall_flag packet_types_v[] = {
	V("PACKET_HOST", 0),	 V("PACKET_BROADCAST", 1), V("PACKET_MULTICAST", 2), V("PACKET_OTHERHOST", 3),
	V("PACKET_OUTGOING", 4), V("PACKET_LOOPBACK", 5),  V("PACKET_USER", 6),	     V("PACKET_KERNEL", 7),
};
const struct syscall_flags syscall_packet_types = FLAGS(packet_types_v, "PACKET_");

static const struct syscall_flag ether_types_v[] = {
	V("ETH_P_802_3", 1),	V("ETH_P_AX25", 2),	    V("ETH_P_ALL", 3),		V("ETH_P_802_2", 4),	  V("ETH_P_LOOP", 0x60),
	V("ETH_P_IP", 0x800),	V("ETH_P_ARP", 0x806),	    V("ETH_P_RARP", 0x8035),	V("ETH_P_8021Q", 0x8100), V("ETH_P_IPV6", 0x86dd),
	V("ETH_P_PAE", 0x888e), V("ETH_P_MPLS_UC", 0x8847), V("ETH_P_PPP_SES", 0x8864), V("ETH_P_LLDP", 0x88cc),  V("ETH_P_1588", 0x88f7),
};
const struct syscall_flags syscall_ether_types = FLAGS(ether_types_v, "ETH_P_");

static const struct syscall_flag dumpable_v[] = {
	V("SUID_DUMP_DISABLE", 0),
	V("SUID_DUMP_USER", 1),
	V("SUID_DUMP_ROOT", 2),
};
const struct syscall_flags syscall_dumpable = FLAGS(dumpable_v, "SUID_DUMP_");

static const struct syscall_flag secure_bits_v[] = {
	V("SECBIT_NOROOT", 1),
	V("SECBIT_NOROOT_LOCKED", 2),
	V("SECBIT_NO_SETUID_FIXUP", 4),
	V("SECBIT_NO_SETUID_FIXUP_LOCKED", 8),
	V("SECBIT_KEEP_CAPS", 0x10),
	V("SECBIT_KEEP_CAPS_LOCKED", 0x20),
	V("SECBIT_NO_CAP_AMBIENT_RAISE", 0x40),
	V("SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED", 0x80),
};
const struct syscall_flags syscall_secure_bits = FLAGS(secure_bits_v, "SECBIT_");

static const struct syscall_flag seccomp_modes_v[] = {
	V("SECCOMP_MODE_DISABLED", 0),
	V("SECCOMP_MODE_STRICT", 1),
	V("SECCOMP_MODE_FILTER", 2),
};
const struct syscall_flags syscall_seccomp_modes = FLAGS(seccomp_modes_v, "SECCOMP_MODE_");

static const struct syscall_flag ambient_v[] = {
	V("PR_CAP_AMBIENT_IS_SET", 1),
	V("PR_CAP_AMBIENT_RAISE", 2),
	V("PR_CAP_AMBIENT_LOWER", 3),
	V("PR_CAP_AMBIENT_CLEAR_ALL", 4),
};
const struct syscall_flags syscall_ambient = FLAGS(ambient_v, "PR_CAP_AMBIENT_");

static const struct syscall_flag audit_archs_v[] = {
	V("AUDIT_ARCH_X86_64", 0xc000003e),
	V("AUDIT_ARCH_I386", 0x40000003),
	V("AUDIT_ARCH_AARCH64", 0xc00000b7),
	V("AUDIT_ARCH_ARM", 0x40000028),
};
const struct syscall_flags syscall_audit_archs = FLAGS(audit_archs_v, "AUDIT_ARCH_");

static const struct syscall_flag interface_flags_v[] = {
	V("IFF_UP", 0x1),	    V("IFF_BROADCAST", 0x2),   V("IFF_DEBUG", 0x4),	   V("IFF_LOOPBACK", 0x8),
	V("IFF_POINTOPOINT", 0x10), V("IFF_NOTRAILERS", 0x20), V("IFF_RUNNING", 0x40),	   V("IFF_NOARP", 0x80),
	V("IFF_PROMISC", 0x100),    V("IFF_ALLMULTI", 0x200),  V("IFF_MASTER", 0x400),	   V("IFF_SLAVE", 0x800),
	V("IFF_MULTICAST", 0x1000), V("IFF_PORTSEL", 0x2000),  V("IFF_AUTOMEDIA", 0x4000), V("IFF_DYNAMIC", 0x8000),
};
const struct syscall_flags syscall_interface_flags = FLAGS(interface_flags_v, "IFF_");
