/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Vector instructions of AVX-512 (BW, DQ, VL, VBMI, VBMI2, GFNI and the registers 16 to 31), which capstone 4 does not know, or knows some
 * encodings of only, or writes with other registers. Video codecs and libraries for linear algebra consist of them. Both syntaxes.
 */
#include "symbols/disasm_x86.h"

#include <string.h>

enum { PP_NONE, PP_66, PP_F3, PP_F2 };
enum { W_ANY = 2, REG_ANY = 8 };

struct evex_form {
	uint8_t map, pp, w, opcode;
	uint8_t reg;	       /* what ModRM.reg is, where it is part of the opcode */
	uint8_t element_bytes; /* of what {1toN} repeats, or of the one element that is in memory */
	/* Where each operand is from and what it is, in Intel's order, two characters each. From: 'r' ModRM.reg, 'v' EVEX.vvvv, 'm' ModRM.rm,
	 * 'M' the same, memory only, 'i' an immediate, 'c' one that is a condition in the name; 'R' how to round, and 'S' that there are no
	 * exceptions, which the bit of {1toN} says between registers. What it is: 'v' a vector, 'h', 'q' and 'e' half, a quarter and an eighth of
	 * one, 'x' and 'y' 16 and 32 bytes, 's' one element, 'k' a mask, 'd' and 'g' general registers of 32 and 64 bits, 'D' a vector, of 16
	 * bytes half of one, 'i' and 'j' memory with a vector, or half of one, as index. */
	const char *operands;
	const char *name;
};

#define VVV "rvvvmv"
#define VV "rvmv"
#define VVVI "rvvvmvi "
#define VVI "rvmvi "
#define SSS "rxvxms"
/* The same that round, and that raise no exceptions. */
#define VVVR VVV "R "
#define VVR VV "R "
#define VVS VV "S "
#define SSSR SSS "R "
#define SSSS SSS "S "

/* Of bytes, words or bits: nothing is repeated. Of double words and quad words: two names, or one each. */
#define PLAIN(map, op, operands, name)                                                                                                     \
	{                                                                                                                                  \
		map, PP_66, W_ANY, op, REG_ANY, 0, operands, name                                                                          \
	}
#define NARROW(map, op, operands, name)                                                                                                    \
	{                                                                                                                                  \
		map, PP_66, 0, op, REG_ANY, 4, operands, name                                                                              \
	}
#define WIDE(map, op, operands, name)                                                                                                      \
	{                                                                                                                                  \
		map, PP_66, 1, op, REG_ANY, 8, operands, name                                                                              \
	}
#define BOTH(map, op, operands, name, narrow, wide) NARROW(map, op, operands, name narrow), WIDE(map, op, operands, name wide)
#define WORDS(map, op, operands, name)                                                                                                     \
	{                                                                                                                                  \
		map, PP_66, 1, op, REG_ANY, 0, operands, name                                                                              \
	}
/* Floating point of one opcode: packed, by 66. */
#define PACKED(op, operands, name) { X86_0F, PP_NONE, 0, op, REG_ANY, 4, operands, name "ps" }, WIDE(X86_0F, op, operands, name "pd")
#define FLOATS(op, name, how)                                                                                                              \
	PACKED(op, VVV how, name), { X86_0F, PP_F3, 0, op, REG_ANY, 4, SSS how, name "ss" },                                               \
	{                                                                                                                                  \
		X86_0F, PP_F2, 1, op, REG_ANY, 8, SSS how, name "sd"                                                                       \
	}
#define MOVE(pp, w, load, store, name)                                                                                                     \
	{ X86_0F, pp, w, load, REG_ANY, 0, VV, name },                                                                                     \
	{                                                                                                                                  \
		X86_0F, pp, w, store, REG_ANY, 0, "mvrv", name                                                                             \
	}
#define SHIFT(op, w, reg, element, name)                                                                                                   \
	{                                                                                                                                  \
		X86_0F, PP_66, w, op, reg, element, "vvmvi ", name                                                                         \
	}
#define FUSED(op, name)                                                                                                                    \
	BOTH(X86_0F38, 0x90 | (op), VVVR, name "132p", "s", "d"), BOTH(X86_0F38, 0xa0 | (op), VVVR, name "213p", "s", "d"),                \
		BOTH(X86_0F38, 0xb0 | (op), VVVR, name "231p", "s", "d")
#define FUSED_ONE(op, name)                                                                                                                \
	BOTH(X86_0F38, 0x90 | (op), SSSR, name "132s", "s", "d"), BOTH(X86_0F38, 0xa0 | (op), SSSR, name "213s", "s", "d"),                \
		BOTH(X86_0F38, 0xb0 | (op), SSSR, name "231s", "s", "d")
#define NARROWING(op, operands, name)                                                                                                      \
	{ X86_0F38, PP_F3, 0, 0x10 | (op), REG_ANY, 0, operands, "vpmovus" name },                                                         \
		{ X86_0F38, PP_F3, 0, 0x20 | (op), REG_ANY, 0, operands, "vpmovs" name },                                                  \
	{                                                                                                                                  \
		X86_0F38, PP_F3, 0, 0x30 | (op), REG_ANY, 0, operands, "vpmov" name                                                        \
	}
#define WIDENING(op, w, operands, name)                                                                                                    \
	{ X86_0F38, PP_66, w, 0x20 | (op), REG_ANY, 0, operands, "vpmovsx" name },                                                         \
	{                                                                                                                                  \
		X86_0F38, PP_66, w, 0x30 | (op), REG_ANY, 0, operands, "vpmovzx" name                                                      \
	}
#define MASKS(op, operands, narrow, wide)                                                                                                  \
	{ X86_0F38, PP_F3, 0, op, REG_ANY, 0, operands, narrow },                                                                          \
	{                                                                                                                                  \
		X86_0F38, PP_F3, 1, op, REG_ANY, 0, operands, wide                                                                         \
	}
#define PARTS(op, operands, narrow, wide)                                                                                                  \
	{ X86_0F3A, PP_66, 0, op, REG_ANY, 0, operands, narrow },                                                                          \
	{                                                                                                                                  \
		X86_0F3A, PP_66, 1, op, REG_ANY, 0, operands, wide                                                                         \
	}
#define FILLS(op, kind, narrow, wide)                                                                                                      \
	{ X86_0F38, PP_66, 0, op, REG_ANY, 0, "rvM" kind, narrow },                                                                        \
	{                                                                                                                                  \
		X86_0F38, PP_66, 1, op, REG_ANY, 0, "rvM" kind, wide                                                                       \
	}

static const struct evex_form forms[] = {
	/* Integers. */
	PLAIN(X86_0F, 0x60, VVV, "vpunpcklbw"),
	PLAIN(X86_0F, 0x61, VVV, "vpunpcklwd"),
	PLAIN(X86_0F, 0x63, VVV, "vpacksswb"),
	PLAIN(X86_0F, 0x67, VVV, "vpackuswb"),
	PLAIN(X86_0F, 0x68, VVV, "vpunpckhbw"),
	PLAIN(X86_0F, 0x69, VVV, "vpunpckhwd"),
	PLAIN(X86_0F, 0xd5, VVV, "vpmullw"),
	PLAIN(X86_0F, 0xd8, VVV, "vpsubusb"),
	PLAIN(X86_0F, 0xd9, VVV, "vpsubusw"),
	PLAIN(X86_0F, 0xda, VVV, "vpminub"),
	PLAIN(X86_0F, 0xdc, VVV, "vpaddusb"),
	PLAIN(X86_0F, 0xdd, VVV, "vpaddusw"),
	PLAIN(X86_0F, 0xde, VVV, "vpmaxub"),
	PLAIN(X86_0F, 0xe0, VVV, "vpavgb"),
	PLAIN(X86_0F, 0xe3, VVV, "vpavgw"),
	PLAIN(X86_0F, 0xe4, VVV, "vpmulhuw"),
	PLAIN(X86_0F, 0xe5, VVV, "vpmulhw"),
	PLAIN(X86_0F, 0xe8, VVV, "vpsubsb"),
	PLAIN(X86_0F, 0xe9, VVV, "vpsubsw"),
	PLAIN(X86_0F, 0xea, VVV, "vpminsw"),
	PLAIN(X86_0F, 0xec, VVV, "vpaddsb"),
	PLAIN(X86_0F, 0xed, VVV, "vpaddsw"),
	PLAIN(X86_0F, 0xee, VVV, "vpmaxsw"),
	PLAIN(X86_0F, 0xf5, VVV, "vpmaddwd"),
	PLAIN(X86_0F, 0xf6, VVV, "vpsadbw"),
	PLAIN(X86_0F, 0xf8, VVV, "vpsubb"),
	PLAIN(X86_0F, 0xf9, VVV, "vpsubw"),
	PLAIN(X86_0F, 0xfc, VVV, "vpaddb"),
	PLAIN(X86_0F, 0xfd, VVV, "vpaddw"),
	NARROW(X86_0F, 0x62, VVV, "vpunpckldq"),
	NARROW(X86_0F, 0x6a, VVV, "vpunpckhdq"),
	NARROW(X86_0F, 0x6b, VVV, "vpackssdw"),
	NARROW(X86_0F, 0xfa, VVV, "vpsubd"),
	NARROW(X86_0F, 0xfe, VVV, "vpaddd"),
	WIDE(X86_0F, 0x6c, VVV, "vpunpcklqdq"),
	WIDE(X86_0F, 0x6d, VVV, "vpunpckhqdq"),
	WIDE(X86_0F, 0xd4, VVV, "vpaddq"),
	WIDE(X86_0F, 0xf4, VVV, "vpmuludq"),
	WIDE(X86_0F, 0xfb, VVV, "vpsubq"),
	BOTH(X86_0F, 0xdb, VVV, "vpand", "d", "q"),
	BOTH(X86_0F, 0xdf, VVV, "vpandn", "d", "q"),
	BOTH(X86_0F, 0xeb, VVV, "vpor", "d", "q"),
	BOTH(X86_0F, 0xef, VVV, "vpxor", "d", "q"),
	PLAIN(X86_0F38, 0x00, VVV, "vpshufb"),
	PLAIN(X86_0F38, 0x04, VVV, "vpmaddubsw"),
	PLAIN(X86_0F38, 0x0b, VVV, "vpmulhrsw"),
	PLAIN(X86_0F38, 0x1c, VV, "vpabsb"),
	PLAIN(X86_0F38, 0x1d, VV, "vpabsw"),
	NARROW(X86_0F38, 0x1e, VV, "vpabsd"),
	WIDE(X86_0F38, 0x1f, VV, "vpabsq"),
	WIDE(X86_0F38, 0x28, VVV, "vpmuldq"),
	NARROW(X86_0F38, 0x2b, VVV, "vpackusdw"),
	PLAIN(X86_0F38, 0x38, VVV, "vpminsb"),
	BOTH(X86_0F38, 0x39, VVV, "vpmins", "d", "q"),
	PLAIN(X86_0F38, 0x3a, VVV, "vpminuw"),
	BOTH(X86_0F38, 0x3b, VVV, "vpminu", "d", "q"),
	PLAIN(X86_0F38, 0x3c, VVV, "vpmaxsb"),
	BOTH(X86_0F38, 0x3d, VVV, "vpmaxs", "d", "q"),
	PLAIN(X86_0F38, 0x3e, VVV, "vpmaxuw"),
	BOTH(X86_0F38, 0x3f, VVV, "vpmaxu", "d", "q"),
	BOTH(X86_0F38, 0x40, VVV, "vpmull", "d", "q"),
	BOTH(X86_0F38, 0x44, VV, "vplzcnt", "d", "q"),
	BOTH(X86_0F38, 0x55, VV, "vpopcnt", "d", "q"),
	BOTH(X86_0F38, 0xc4, VV, "vpconflict", "d", "q"),
	{ X86_0F38, PP_66, 0, 0x54, REG_ANY, 0, VV, "vpopcntb" },
	WORDS(X86_0F38, 0x54, VV, "vpopcntw"),
	WIDE(X86_0F38, 0x83, VVV, "vpmultishiftqb"),
	{ X86_0F38, PP_66, 0, 0x8f, REG_ANY, 0, "rkvvmv", "vpshufbitqmb" },
	{ X86_0F3A, PP_66, 0, 0x42, REG_ANY, 0, VVVI, "vdbpsadbw" },
	WIDE(X86_0F3A, 0xce, VVVI, "vgf2p8affineqb"),
	WIDE(X86_0F3A, 0xcf, VVVI, "vgf2p8affineinvqb"),
	/* Shifts: by the lowest element of a vector, by a constant, by each element of one. */
	PLAIN(X86_0F, 0xd1, "rvvvmx", "vpsrlw"),
	{ X86_0F, PP_66, 0, 0xd2, REG_ANY, 0, "rvvvmx", "vpsrld" },
	WORDS(X86_0F, 0xd3, "rvvvmx", "vpsrlq"),
	PLAIN(X86_0F, 0xe1, "rvvvmx", "vpsraw"),
	{ X86_0F, PP_66, 0, 0xe2, REG_ANY, 0, "rvvvmx", "vpsrad" },
	WORDS(X86_0F, 0xe2, "rvvvmx", "vpsraq"),
	PLAIN(X86_0F, 0xf1, "rvvvmx", "vpsllw"),
	{ X86_0F, PP_66, 0, 0xf2, REG_ANY, 0, "rvvvmx", "vpslld" },
	WORDS(X86_0F, 0xf3, "rvvvmx", "vpsllq"),
	SHIFT(0x71, W_ANY, 2, 0, "vpsrlw"),
	SHIFT(0x71, W_ANY, 4, 0, "vpsraw"),
	SHIFT(0x71, W_ANY, 6, 0, "vpsllw"),
	SHIFT(0x72, 0, 2, 4, "vpsrld"),
	SHIFT(0x72, 0, 4, 4, "vpsrad"),
	SHIFT(0x72, 1, 4, 8, "vpsraq"),
	SHIFT(0x72, 0, 6, 4, "vpslld"),
	SHIFT(0x73, 1, 2, 8, "vpsrlq"),
	SHIFT(0x73, W_ANY, 3, 0, "vpsrldq"),
	SHIFT(0x73, 1, 6, 8, "vpsllq"),
	SHIFT(0x73, W_ANY, 7, 0, "vpslldq"),
	WORDS(X86_0F38, 0x10, VVV, "vpsrlvw"),
	WORDS(X86_0F38, 0x11, VVV, "vpsravw"),
	WORDS(X86_0F38, 0x12, VVV, "vpsllvw"),
	BOTH(X86_0F38, 0x14, VVV, "vprorv", "d", "q"),
	BOTH(X86_0F38, 0x15, VVV, "vprolv", "d", "q"),
	BOTH(X86_0F38, 0x45, VVV, "vpsrlv", "d", "q"),
	BOTH(X86_0F38, 0x46, VVV, "vpsrav", "d", "q"),
	BOTH(X86_0F38, 0x47, VVV, "vpsllv", "d", "q"),
	WORDS(X86_0F38, 0x70, VVV, "vpshldvw"),
	BOTH(X86_0F38, 0x71, VVV, "vpshldv", "d", "q"),
	WORDS(X86_0F38, 0x72, VVV, "vpshrdvw"),
	BOTH(X86_0F38, 0x73, VVV, "vpshrdv", "d", "q"),
	WORDS(X86_0F3A, 0x70, VVVI, "vpshldw"),
	BOTH(X86_0F3A, 0x71, VVVI, "vpshld", "d", "q"),
	WORDS(X86_0F3A, 0x72, VVVI, "vpshrdw"),
	BOTH(X86_0F3A, 0x73, VVVI, "vpshrd", "d", "q"),
	/* Where elements go. */
	NARROW(X86_0F, 0x70, VVI, "vpshufd"),
	{ X86_0F, PP_F3, W_ANY, 0x70, REG_ANY, 0, VVI, "vpshufhw" },
	{ X86_0F, PP_F2, W_ANY, 0x70, REG_ANY, 0, VVI, "vpshuflw" },
	PACKED(0xc6, VVVI, "vshuf"),
	BOTH(X86_0F38, 0x16, VVV, "vpermp", "s", "d"),
	BOTH(X86_0F38, 0x36, VVV, "vperm", "d", "q"),
	WORDS(X86_0F38, 0x75, VVV, "vpermi2w"),
	BOTH(X86_0F38, 0x76, VVV, "vpermi2", "d", "q"),
	BOTH(X86_0F38, 0x77, VVV, "vpermi2p", "s", "d"),
	WORDS(X86_0F38, 0x7d, VVV, "vpermt2w"),
	BOTH(X86_0F38, 0x7e, VVV, "vpermt2", "d", "q"),
	BOTH(X86_0F38, 0x7f, VVV, "vpermt2p", "s", "d"),
	WORDS(X86_0F38, 0x8d, VVV, "vpermw"),
	WIDE(X86_0F3A, 0x00, VVI, "vpermq"),
	WIDE(X86_0F3A, 0x01, VVI, "vpermpd"),
	BOTH(X86_0F3A, 0x03, VVVI, "valign", "d", "q"),
	PLAIN(X86_0F3A, 0x0f, VVVI, "vpalignr"),
	BOTH(X86_0F3A, 0x23, VVVI, "vshuff", "32x4", "64x2"),
	BOTH(X86_0F3A, 0x43, VVVI, "vshufi", "32x4", "64x2"),
	BOTH(X86_0F38, 0x64, VVV, "vpblendm", "d", "q"),
	BOTH(X86_0F38, 0x65, VVV, "vblendmp", "s", "d"),
	{ X86_0F38, PP_66, 0, 0x66, REG_ANY, 0, VVV, "vpblendmb" },
	WORDS(X86_0F38, 0x66, VVV, "vpblendmw"),
	PARTS(0x18, "rvvvmxi ", "vinsertf32x4", "vinsertf64x2"),
	PARTS(0x19, "mxrvi ", "vextractf32x4", "vextractf64x2"),
	PARTS(0x1a, "rvvvmyi ", "vinsertf32x8", "vinsertf64x4"),
	PARTS(0x1b, "myrvi ", "vextractf32x8", "vextractf64x4"),
	PARTS(0x38, "rvvvmxi ", "vinserti32x4", "vinserti64x2"),
	PARTS(0x39, "mxrvi ", "vextracti32x4", "vextracti64x2"),
	PARTS(0x3a, "rvvvmyi ", "vinserti32x8", "vinserti64x4"),
	PARTS(0x3b, "myrvi ", "vextracti32x8", "vextracti64x4"),
	NARROW(X86_0F38, 0x18, "rvms", "vbroadcastss"),
	WIDE(X86_0F38, 0x19, "rvms", "vbroadcastsd"),
	{ X86_0F38, PP_66, 0, 0x19, REG_ANY, 8, "rvms", "vbroadcastf32x2" },
	NARROW(X86_0F38, 0x58, "rvms", "vpbroadcastd"),
	WIDE(X86_0F38, 0x59, "rvms", "vpbroadcastq"),
	{ X86_0F38, PP_66, 0, 0x59, REG_ANY, 8, "rvms", "vbroadcasti32x2" },
	NARROW(X86_0F38, 0x7c, "rvmd", "vpbroadcastd"),
	WIDE(X86_0F38, 0x7c, "rvmg", "vpbroadcastq"),
	FILLS(0x1a, "x", "vbroadcastf32x4", "vbroadcastf64x2"),
	FILLS(0x1b, "y", "vbroadcastf32x8", "vbroadcastf64x4"),
	FILLS(0x5a, "x", "vbroadcasti32x4", "vbroadcasti64x2"),
	FILLS(0x5b, "y", "vbroadcasti32x8", "vbroadcasti64x4"),
	NARROWING(0x0, "mhrv", "wb"),
	NARROWING(0x1, "mqrv", "db"),
	NARROWING(0x2, "merv", "qb"),
	NARROWING(0x3, "mhrv", "dw"),
	NARROWING(0x4, "mqrv", "qw"),
	NARROWING(0x5, "mhrv", "qd"),
	WIDENING(0x0, W_ANY, "rvmh", "bw"),
	WIDENING(0x1, W_ANY, "rvmq", "bd"),
	WIDENING(0x2, W_ANY, "rvme", "bq"),
	WIDENING(0x3, W_ANY, "rvmh", "wd"),
	WIDENING(0x4, W_ANY, "rvmq", "wq"),
	WIDENING(0x5, 0, "rvmh", "dq"),
	MASKS(0x28, "rvmk", "vpmovm2b", "vpmovm2w"),
	MASKS(0x29, "rkmv", "vpmovb2m", "vpmovw2m"),
	MASKS(0x38, "rvmk", "vpmovm2d", "vpmovm2q"),
	MASKS(0x39, "rkmv", "vpmovd2m", "vpmovq2m"),
	{ X86_0F38, PP_66, 0, 0x90, REG_ANY, 4, "rvMi", "vpgatherdd" },
	{ X86_0F38, PP_66, 1, 0x90, REG_ANY, 8, "rvMj", "vpgatherdq" },
	{ X86_0F38, PP_66, 0, 0x91, REG_ANY, 4, "rhMi", "vpgatherqd" },
	{ X86_0F38, PP_66, 1, 0x91, REG_ANY, 8, "rvMi", "vpgatherqq" },
	{ X86_0F38, PP_66, 0, 0x92, REG_ANY, 4, "rvMi", "vgatherdps" },
	{ X86_0F38, PP_66, 1, 0x92, REG_ANY, 8, "rvMj", "vgatherdpd" },
	{ X86_0F38, PP_66, 0, 0x93, REG_ANY, 4, "rhMi", "vgatherqps" },
	{ X86_0F38, PP_66, 1, 0x93, REG_ANY, 8, "rvMi", "vgatherqpd" },
	{ X86_0F38, PP_66, 0, 0xa0, REG_ANY, 4, "Mirv", "vpscatterdd" },
	{ X86_0F38, PP_66, 1, 0xa0, REG_ANY, 8, "Mjrv", "vpscatterdq" },
	{ X86_0F38, PP_66, 0, 0xa1, REG_ANY, 4, "Mirh", "vpscatterqd" },
	{ X86_0F38, PP_66, 1, 0xa1, REG_ANY, 8, "Mirv", "vpscatterqq" },
	{ X86_0F38, PP_66, 0, 0xa2, REG_ANY, 4, "Mirv", "vscatterdps" },
	{ X86_0F38, PP_66, 1, 0xa2, REG_ANY, 8, "Mjrv", "vscatterdpd" },
	{ X86_0F38, PP_66, 0, 0xa3, REG_ANY, 4, "Mirh", "vscatterqps" },
	{ X86_0F38, PP_66, 1, 0xa3, REG_ANY, 8, "Mirv", "vscatterqpd" },
	/* Moves. */
	MOVE(PP_NONE, 0, 0x10, 0x11, "vmovups"),
	MOVE(PP_66, 1, 0x10, 0x11, "vmovupd"),
	MOVE(PP_NONE, 0, 0x28, 0x29, "vmovaps"),
	MOVE(PP_66, 1, 0x28, 0x29, "vmovapd"),
	MOVE(PP_66, 0, 0x6f, 0x7f, "vmovdqa32"),
	MOVE(PP_66, 1, 0x6f, 0x7f, "vmovdqa64"),
	MOVE(PP_F3, 0, 0x6f, 0x7f, "vmovdqu32"),
	MOVE(PP_F3, 1, 0x6f, 0x7f, "vmovdqu64"),
	MOVE(PP_F2, 0, 0x6f, 0x7f, "vmovdqu8"),
	MOVE(PP_F2, 1, 0x6f, 0x7f, "vmovdqu16"),
	{ X86_0F, PP_F2, 1, 0x12, REG_ANY, 0, "rvmD", "vmovddup" },
	{ X86_0F, PP_F3, 0, 0x12, REG_ANY, 0, VV, "vmovsldup" },
	{ X86_0F, PP_F3, 0, 0x16, REG_ANY, 0, VV, "vmovshdup" },
	{ X86_0F, PP_NONE, 0, 0x12, REG_ANY, 8, "rxvxMs", "vmovlps" },
	{ X86_0F, PP_NONE, 0, 0x13, REG_ANY, 8, "Msrx", "vmovlps" },
	{ X86_0F, PP_NONE, 0, 0x16, REG_ANY, 8, "rxvxMs", "vmovhps" },
	{ X86_0F, PP_NONE, 0, 0x17, REG_ANY, 8, "Msrx", "vmovhps" },
	WIDE(X86_0F, 0x12, "rxvxMs", "vmovlpd"),
	WIDE(X86_0F, 0x13, "Msrx", "vmovlpd"),
	WIDE(X86_0F, 0x16, "rxvxMs", "vmovhpd"),
	WIDE(X86_0F, 0x17, "Msrx", "vmovhpd"),
	NARROW(X86_0F, 0x6e, "rxmd", "vmovd"),
	NARROW(X86_0F, 0x7e, "mdrx", "vmovd"),
	WIDE(X86_0F, 0x6e, "rxmg", "vmovq"),
	WIDE(X86_0F, 0x7e, "mgrx", "vmovq"),
	WIDE(X86_0F, 0xd6, "msrx", "vmovq"),
	{ X86_0F, PP_F3, 1, 0x7e, REG_ANY, 8, "rxms", "vmovq" },
	{ X86_0F, PP_66, W_ANY, 0xc4, REG_ANY, 2, "rxvxmdi ", "vpinsrw" },
	{ X86_0F3A, PP_66, W_ANY, 0x14, REG_ANY, 1, "mdrxi ", "vpextrb" },
	{ X86_0F3A, PP_66, W_ANY, 0x15, REG_ANY, 2, "mdrxi ", "vpextrw" },
	NARROW(X86_0F3A, 0x16, "mdrxi ", "vpextrd"),
	WIDE(X86_0F3A, 0x16, "mgrxi ", "vpextrq"),
	{ X86_0F3A, PP_66, W_ANY, 0x17, REG_ANY, 4, "mdrxi ", "vextractps" },
	{ X86_0F3A, PP_66, W_ANY, 0x20, REG_ANY, 1, "rxvxmdi ", "vpinsrb" },
	NARROW(X86_0F3A, 0x22, "rxvxmdi ", "vpinsrd"),
	WIDE(X86_0F3A, 0x22, "rxvxmgi ", "vpinsrq"),
	/* Floating point. */
	PACKED(0x14, VVV, "vunpckl"),
	PACKED(0x15, VVV, "vunpckh"),
	PACKED(0x51, VVR, "vsqrt"),
	PACKED(0x54, VVV, "vand"),
	PACKED(0x55, VVV, "vandn"),
	PACKED(0x56, VVV, "vor"),
	PACKED(0x57, VVV, "vxor"),
	FLOATS(0x58, "vadd", "R "),
	FLOATS(0x59, "vmul", "R "),
	FLOATS(0x5c, "vsub", "R "),
	FLOATS(0x5d, "vmin", "S "),
	FLOATS(0x5e, "vdiv", "R "),
	FLOATS(0x5f, "vmax", "S "),
	FUSED(0x6, "vfmaddsub"),
	FUSED(0x7, "vfmsubadd"),
	FUSED(0x8, "vfmadd"),
	FUSED_ONE(0x9, "vfmadd"),
	FUSED(0xa, "vfmsub"),
	FUSED_ONE(0xb, "vfmsub"),
	FUSED(0xc, "vfnmadd"),
	FUSED_ONE(0xd, "vfnmadd"),
	FUSED(0xe, "vfnmsub"),
	FUSED_ONE(0xf, "vfnmsub"),
	BOTH(X86_0F38, 0x2c, VVVR, "vscalefp", "s", "d"),
	BOTH(X86_0F38, 0x2d, SSSR, "vscalefs", "s", "d"),
	BOTH(X86_0F38, 0x42, VVS, "vgetexpp", "s", "d"),
	BOTH(X86_0F38, 0x43, SSSS, "vgetexps", "s", "d"),
	BOTH(X86_0F3A, 0x26, VVS "i ", "vgetmantp", "s", "d"),
	BOTH(X86_0F3A, 0x27, SSSS "i ", "vgetmants", "s", "d"),
	NARROW(X86_0F3A, 0x08, VVS "i ", "vrndscaleps"),
	WIDE(X86_0F3A, 0x09, VVS "i ", "vrndscalepd"),
	NARROW(X86_0F3A, 0x0a, SSSS "i ", "vrndscaless"),
	WIDE(X86_0F3A, 0x0b, SSSS "i ", "vrndscalesd"),
	BOTH(X86_0F3A, 0x50, VVV "S i ", "vrangep", "s", "d"),
	BOTH(X86_0F3A, 0x51, SSSS "i ", "vranges", "s", "d"),
	BOTH(X86_0F3A, 0x56, VVS "i ", "vreducep", "s", "d"),
	BOTH(X86_0F3A, 0x57, SSSS "i ", "vreduces", "s", "d"),
	PACKED(0xc2, "rkvvmvS c ", ""),
	{ X86_0F, PP_F3, 0, 0xc2, REG_ANY, 4, "rkvxmsS c ", "ss" },
	{ X86_0F, PP_F2, 1, 0xc2, REG_ANY, 8, "rkvxmsS c ", "sd" },
	{ X86_0F, PP_NONE, 0, 0x5a, REG_ANY, 4, "rvmhS ", "vcvtps2pd" },
	{ X86_0F, PP_NONE, 0, 0x5b, REG_ANY, 4, VVR, "vcvtdq2ps" },
	NARROW(X86_0F, 0x5b, VVR, "vcvtps2dq"),
	{ X86_0F, PP_F3, 0, 0x5b, REG_ANY, 4, VVS, "vcvttps2dq" },
};

/* Between registers the bit of {1toN} says how to round, or that there are no exceptions; vectors are whole ones, then, and the length is the way. */
static bool is_rounding(const struct x86_code *c)
{
	return c->encoding == X86_EVEX && c->is_broadcast && modrm_mod(c) == 3;
}

/* How many bytes an operand has; 0: a mask, or a vector as index. */
static unsigned operand_bytes(const struct x86_code *c, const struct evex_form *f, char kind)
{
	unsigned vector = x86_vector_bytes(c);

	switch (kind) {
	case 'v':
		return vector;
	case 'h':
		return vector / 2;
	case 'q':
		return vector / 4;
	case 'e':
		return vector / 8;
	case 'x':
		return 16;
	case 'y':
		return 32;
	case 'D':
		return vector == 16 ? 8 : vector;
	case 'k':
		return 0;
	default:
		return f->element_bytes;
	}
}

static bool is_repeated(const struct x86_code *c, const struct evex_form *f, char kind)
{
	return c->is_broadcast && f->element_bytes && kind == 'v';
}

static void put_pointer(const struct x86_printer *p, unsigned bytes, bool is_repeated)
{
	const char *size;

	switch (bytes) {
	case 1:
		size = "BYTE";
		break;
	case 2:
		size = "WORD";
		break;
	case 4:
		size = "DWORD";
		break;
	case 8:
		size = "QWORD";
		break;
	case 16:
		size = "XMMWORD";
		break;
	case 32:
		size = "YMMWORD";
		break;
	default:
		size = "ZMMWORD";
	}
	disasm_putf(p->t, is_repeated ? "%s BCST " : "%s PTR ", size);
}

static void put_memory(const struct x86_printer *p, const struct evex_form *f, char kind)
{
	const struct x86_code *c = p->c;
	struct x86_memory m = { .unit = operand_bytes(c, f, kind) };

	if (is_repeated(c, f, kind)) {
		m.times = m.unit / f->element_bytes;
		m.unit = f->element_bytes;
	}
	if (kind == 'i')
		m.index_kind = 'v';
	else if (kind == 'j')
		m.index_kind = c->vector_length == 2 ? 'y' : 'x';
	if (p->syntax == DISASM_INTEL)
		put_pointer(p, m.unit, m.times);
	x86_put_memory(p, &m);
}

static void put_operand(const struct x86_printer *p, const struct evex_form *f, char from, char kind)
{
	const struct x86_code *c = p->c;
	unsigned nr, bytes = operand_bytes(c, f, kind);
	bool is_general = kind == 'd' || kind == 'g';

	if ((from == 'm' || from == 'M') && modrm_mod(c) != 3) {
		put_memory(p, f, kind);
		return;
	}
	if (from == 'v')
		nr = c->vvvv;
	else if (from == 'r')
		nr = modrm_reg(c) | (c->r ? 8u : 0) | (c->r2 ? 16u : 0);
	else
		nr = modrm_rm(c) | (c->b ? 8u : 0) | (c->x && !is_general && kind != 'k' ? 16u : 0);
	if (is_general)
		x86_put_register(p, kind == 'g' ? 'q' : 'd', nr);
	else if (kind == 'k')
		x86_put_register(p, 'k', nr);
	else
		x86_put_register(p, bytes == 64 ? 'v' : bytes == 32 ? 'y' : 'x', nr);
}

static bool fits(const struct x86_code *c, const struct evex_form *f)
{
	if (f->map != c->map || f->pp != c->pp || f->opcode != c->opcode || (f->w != W_ANY && f->w != c->w))
		return false;
	if (f->reg != REG_ANY && f->reg != modrm_reg(c))
		return false;
	if (modrm_mod(c) == 3)
		return !strchr(f->operands, 'M') && (!c->is_broadcast || strpbrk(f->operands, "RS"));
	return !c->is_broadcast || (f->element_bytes && strstr(f->operands, "mv"));
}

static const struct evex_form *find_form(const struct x86_code *c)
{
	if (c->encoding != X86_EVEX || (c->vector_length == 3 && !is_rounding(c)) || c->nr_prefixes)
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (fits(c, &forms[i]))
			return &forms[i];
	return NULL;
}

/* 0F 0D, which are all prefetches. */
static uint8_t put_prefetch(struct disasm_text *t, const struct x86_code *c, enum disasm_syntax syntax)
{
	struct x86_code parts = *c;
	struct x86_printer p = { t, &parts, syntax };
	struct x86_memory m = { .unit = 1 };

	if (c->encoding != X86_LEGACY || c->map != X86_0F || c->opcode != 0x0d || modrm_mod(c) == 3 || c->nr_prefixes)
		return 0;
	parts.b = c->rex & 1;
	parts.x = c->rex & 2;
	disasm_put(t, modrm_reg(c) == 1 ? "prefetchw " : modrm_reg(c) == 2 ? "prefetchwt1 " : "prefetch ");
	if (syntax == DISASM_INTEL)
		put_pointer(&p, 1, false);
	x86_put_memory(&p, &m);
	return c->end;
}

static void put_rounding(struct disasm_text *t, const struct x86_code *c, char from)
{
	static const char *const ways[] = { "{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}" };

	disasm_put(t, from == 'S' ? "{sae}" : ways[c->vector_length & 3]);
}

static const char *const conditions[] = {
	"eq",	  "lt",	    "le",    "unord",  "neq",	 "nlt",	     "nle",    "ord",	"eq_uq",   "nge",     "ngt",
	"false",  "neq_oq", "ge",    "gt",     "true",	 "eq_os",    "lt_oq",  "le_oq", "unord_s", "neq_us",  "nlt_uq",
	"nle_uq", "ord_s",  "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq",   "true_us",
};

/* NULL: the immediate is an operand. */
static const char *condition_of(const struct evex_form *f, uint8_t imm)
{
	return strchr(f->operands, 'c') && imm < sizeof(conditions) / sizeof(*conditions) ? conditions[imm] : NULL;
}

static bool has_immediate(const struct evex_form *f)
{
	char last = f->operands[strlen(f->operands) - 2];

	return last == 'i' || last == 'c';
}

static void put_name(struct disasm_text *t, const struct evex_form *f, const char *condition)
{
	char name[32];
	struct disasm_text n = { name, 0, sizeof(name) };

	disasm_put(&n, strchr(f->operands, 'c') ? "vcmp" : "");
	disasm_put(&n, condition ? condition : "");
	disasm_put(&n, f->name);
	disasm_putf(t, "%-6s ", name);
}

uint8_t x86_put_evex(struct disasm_text *t, const struct x86_code *c, enum disasm_syntax syntax)
{
	const struct evex_form *f = find_form(c);
	struct x86_code whole = *c;
	struct x86_printer p = { t, &whole, syntax };
	size_t nr, end = c->end;
	const char *condition;
	bool is_any = false;

	if (!f)
		return put_prefetch(t, c, syntax);
	nr = strlen(f->operands) / 2;
	if (has_immediate(f) && ++end > c->size)
		return 0;
	condition = has_immediate(f) ? condition_of(f, c->bytes[c->end]) : NULL;
	if (is_rounding(c))
		whole.vector_length = 2;
	put_name(t, f, condition);
	for (size_t i = 0; i < nr; i++) {
		size_t k = syntax == DISASM_ATT ? nr - 1 - i : i;
		const char *o = f->operands + 2 * k;
		bool is_way = *o == 'R' || *o == 'S';

		if ((is_way && !is_rounding(c)) || (*o == 'c' && condition))
			continue;
		if (is_any && !(is_way && syntax == DISASM_INTEL))
			disasm_put(t, ",");
		is_any = true;
		if (is_way)
			put_rounding(t, c, *o);
		else if (*o == 'i' || *o == 'c')
			disasm_putf(t, syntax == DISASM_ATT ? "$0x%x" : "0x%x", c->bytes[c->end]);
		else
			put_operand(&p, f, o[0], o[1]);
		if (!k)
			x86_put_mask_of(&p);
	}
	return (uint8_t)end;
}
