/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of file systems, of flags of inodes, and of the modes of terminals.
 */
#include "view/syscall_names.h"

/* clang-format off */
#define V(name, value) { name, value, 0 }
#define FLAGS(table, prefix) { prefix, table, (uint32_t)(sizeof(table) / sizeof(*(table))) }
/* clang-format on */

static const struct syscall_flag statfs_types_v[] = {
	V("ADFS_SUPER_MAGIC", 0xadf5),		V("AFFS_SUPER_MAGIC", 0xadff),
	V("AFS_SUPER_MAGIC", 0x5346414f),	V("AUTOFS_SUPER_MAGIC", 0x187),
	V("CEPH_SUPER_MAGIC", 0xc36400),	V("CODA_SUPER_MAGIC", 0x73757245),
	V("CRAMFS_MAGIC", 0x28cd3d45),		V("DEBUGFS_MAGIC", 0x64626720),
	V("SECURITYFS_MAGIC", 0x73636673),	V("SELINUX_MAGIC", 0xf97cff8c),
	V("RAMFS_MAGIC", 0x858458f6),		V("TMPFS_MAGIC", 0x1021994),
	V("HUGETLBFS_MAGIC", 0x958458f6),	V("SQUASHFS_MAGIC", 0x73717368),
	V("ECRYPTFS_SUPER_MAGIC", 0xf15f),	V("EFS_SUPER_MAGIC", 0x414a53),
	V("EROFS_SUPER_MAGIC_V1", 0xe0f5e1e2),	V("EXT2_SUPER_MAGIC", 0xef53),
	V("XENFS_SUPER_MAGIC", 0xabba1974),	V("BTRFS_SUPER_MAGIC", 0x9123683e),
	V("NILFS_SUPER_MAGIC", 0x3434),		V("F2FS_SUPER_MAGIC", 0xf2f52010),
	V("HPFS_SUPER_MAGIC", 0xf995e849),	V("ISOFS_SUPER_MAGIC", 0x9660),
	V("JFFS2_SUPER_MAGIC", 0x72b6),		V("XFS_SUPER_MAGIC", 0x58465342),
	V("PSTOREFS_MAGIC", 0x6165676c),	V("EFIVARFS_MAGIC", 0xde5e81e4),
	V("OVERLAYFS_SUPER_MAGIC", 0x794c7630), V("MINIX_SUPER_MAGIC", 0x137f),
	V("MSDOS_SUPER_MAGIC", 0x4d44),		V("EXFAT_SUPER_MAGIC", 0x2011bab0),
	V("NCP_SUPER_MAGIC", 0x564c),		V("NFS_SUPER_MAGIC", 0x6969),
	V("OCFS2_SUPER_MAGIC", 0x7461636f),	V("REISERFS_SUPER_MAGIC", 0x52654973),
	V("SMB_SUPER_MAGIC", 0x517b),		V("CIFS_SUPER_MAGIC", 0xff534d42),
	V("SMB2_SUPER_MAGIC", 0xfe534d42),	V("CGROUP_SUPER_MAGIC", 0x27e0eb),
	V("CGROUP2_SUPER_MAGIC", 0x63677270),	V("RDTGROUP_SUPER_MAGIC", 0x7655821),
	V("TRACEFS_MAGIC", 0x74726163),		V("V9FS_MAGIC", 0x1021997),
	V("BDEVFS_MAGIC", 0x62646576),		V("DAXFS_MAGIC", 0x64646178),
	V("BINFMTFS_MAGIC", 0x42494e4d),	V("DEVPTS_SUPER_MAGIC", 0x1cd1),
	V("BINDERFS_SUPER_MAGIC", 0x6c6f6f70),	V("FUTEXFS_SUPER_MAGIC", 0xbad1dea),
	V("PIPEFS_MAGIC", 0x50495045),		V("PROC_SUPER_MAGIC", 0x9fa0),
	V("SOCKFS_MAGIC", 0x534f434b),		V("SYSFS_MAGIC", 0x62656572),
	V("USBDEVICE_SUPER_MAGIC", 0x9fa2),	V("MTD_INODE_FS_MAGIC", 0x11307854),
	V("ANON_INODE_FS_MAGIC", 0x9041934),	V("NSFS_MAGIC", 0x6e736673),
	V("BPF_FS_MAGIC", 0xcafe4a11),		V("FUSE_SUPER_MAGIC", 0x65735546),
	V("UDF_SUPER_MAGIC", 0x15013346),	V("ZONEFS_MAGIC", 0x5a4f4653),
};
const struct syscall_flags syscall_statfs_types = FLAGS(statfs_types_v, "");

static const struct syscall_flag inode_flags_v[] = {
	V("FS_SECRM_FL", 1),
	V("FS_UNRM_FL", 2),
	V("FS_COMPR_FL", 4),
	V("FS_SYNC_FL", 8),
	V("FS_IMMUTABLE_FL", 0x10),
	V("FS_APPEND_FL", 0x20),
	V("FS_NODUMP_FL", 0x40),
	V("FS_NOATIME_FL", 0x80),
	V("FS_DIRTY_FL", 0x100),
	V("FS_COMPRBLK_FL", 0x200),
	V("FS_NOCOMP_FL", 0x400),
	V("FS_ENCRYPT_FL", 0x800),
	V("FS_INDEX_FL", 0x1000),
	V("FS_IMAGIC_FL", 0x2000),
	V("FS_JOURNAL_DATA_FL", 0x4000),
	V("FS_NOTAIL_FL", 0x8000),
	V("FS_DIRSYNC_FL", 0x10000),
	V("FS_TOPDIR_FL", 0x20000),
	V("FS_HUGE_FILE_FL", 0x40000),
	V("FS_EXTENT_FL", 0x80000),
	V("FS_VERITY_FL", 0x100000),
	V("FS_EA_INODE_FL", 0x200000),
	V("FS_EOFBLOCKS_FL", 0x400000),
	V("FS_NOCOW_FL", 0x800000),
	V("FS_DAX_FL", 0x2000000),
	V("FS_INLINE_DATA_FL", 0x10000000),
	V("FS_PROJINHERIT_FL", 0x20000000),
	V("FS_CASEFOLD_FL", 0x40000000),
	V("FS_RESERVED_FL", 0x80000000),
};
const struct syscall_flags syscall_inode_flags = FLAGS(inode_flags_v, "FS_");

static const struct syscall_flag input_modes_v[] = {
	V("IGNBRK", 1),	  V("BRKINT", 2),    V("IGNPAR", 4),	 V("PARMRK", 010),     V("INPCK", 020),
	V("ISTRIP", 040), V("INLCR", 0100),  V("IGNCR", 0200),	 V("ICRNL", 0400),     V("IUCLC", 01000),
	V("IXON", 02000), V("IXANY", 04000), V("IXOFF", 010000), V("IMAXBEL", 020000), V("IUTF8", 040000),
};
const struct syscall_flags syscall_input_modes = FLAGS(input_modes_v, "");

static const struct syscall_flag output_modes_v[] = {
	{ "NL0", 0, 0400 },
	{ "NL1", 0400, 0400 },
	{ "CR0", 0, 03000 },
	{ "CR1", 01000, 03000 },
	{ "CR2", 02000, 03000 },
	{ "CR3", 03000, 03000 },
	{ "TAB0", 0, 014000 },
	{ "TAB1", 04000, 014000 },
	{ "TAB2", 010000, 014000 },
	{ "XTABS", 014000, 014000 },
	{ "BS0", 0, 020000 },
	{ "BS1", 020000, 020000 },
	{ "VT0", 0, 040000 },
	{ "VT1", 040000, 040000 },
	{ "FF0", 0, 0100000 },
	{ "FF1", 0100000, 0100000 },
	V("OPOST", 1),
	V("OLCUC", 2),
	V("ONLCR", 4),
	V("OCRNL", 010),
	V("ONOCR", 020),
	V("ONLRET", 040),
	V("OFILL", 0100),
	V("OFDEL", 0200),
};
const struct syscall_flags syscall_output_modes = FLAGS(output_modes_v, "");

static const struct syscall_flag baud_rates_v[] = {
	V("B0", 00),	       V("B50", 01),	      V("B75", 02),	     V("B110", 03),	    V("B134", 04),
	V("B150", 05),	       V("B200", 06),	      V("B300", 07),	     V("B600", 010),	    V("B1200", 011),
	V("B1800", 012),       V("B2400", 013),	      V("B4800", 014),	     V("B9600", 015),	    V("B19200", 016),
	V("B38400", 017),      V("BOTHER", 010000),   V("B57600", 010001),   V("B115200", 010002),  V("B230400", 010003),
	V("B460800", 010004),  V("B500000", 010005),  V("B576000", 010006),  V("B921600", 010007),  V("B1000000", 010010),
	V("B1152000", 010011), V("B1500000", 010012), V("B2000000", 010013), V("B2500000", 010014), V("B3000000", 010015),
	V("B3500000", 010016), V("B4000000", 010017),
};
const struct syscall_flags syscall_baud_rates = FLAGS(baud_rates_v, "B");

static const struct syscall_flag character_sizes_v[] = {
	V("CS5", 0),
	V("CS6", 020),
	V("CS7", 040),
	V("CS8", 060),
};
const struct syscall_flags syscall_character_sizes = FLAGS(character_sizes_v, "CS");

static const struct syscall_flag control_modes_v[] = {
	V("CSTOPB", 0100), V("CREAD", 0200),   V("PARENB", 0400),	  V("PARODD", 01000),
	V("HUPCL", 02000), V("CLOCAL", 04000), V("CMSPAR", 010000000000), V("CRTSCTS", 020000000000),
};
const struct syscall_flags syscall_control_modes = FLAGS(control_modes_v, "");

static const struct syscall_flag local_modes_v[] = {
	V("ISIG", 1),	     V("ICANON", 2),	  V("XCASE", 4),	V("ECHO", 010),	       V("ECHOE", 020),	    V("ECHOK", 040),
	V("ECHONL", 0100),   V("NOFLSH", 0200),	  V("IEXTEN", 0100000), V("ECHOCTL", 01000),   V("ECHOPRT", 02000), V("ECHOKE", 04000),
	V("FLUSHO", 010000), V("PENDIN", 040000), V("TOSTOP", 0400),	V("EXTPROC", 0200000),
};
const struct syscall_flags syscall_local_modes = FLAGS(local_modes_v, "");

static const struct syscall_flag flush_queues_v[] = {
	V("TCIFLUSH", 0),
	V("TCOFLUSH", 1),
	V("TCIOFLUSH", 2),
};
const struct syscall_flags syscall_flush_queues = FLAGS(flush_queues_v, "TC");

static const struct syscall_flag flow_actions_v[] = {
	V("TCOOFF", 0),
	V("TCOON", 1),
	V("TCIOFF", 2),
	V("TCION", 3),
};
const struct syscall_flags syscall_flow_actions = FLAGS(flow_actions_v, "TC");
