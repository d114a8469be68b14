#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Assembler source of vector instructions of AVX-512 in their encodings: lengths, registers above 15, masks, displacements that count vectors or
elements, an index in the upper half of the registers beside vectors there, and what is repeated. One function, so that a lost byte shows."""

THREE = """vpunpcklbw vpunpcklwd vpacksswb vpackuswb vpunpckhbw vpunpckhwd vpmullw vpsubusb vpsubusw vpminub vpaddusb vpaddusw vpmaxub vpavgb vpavgw
vpmulhuw vpmulhw vpsubsb vpsubsw vpminsw vpaddsb vpaddsw vpmaxsw vpmaddwd vpsubb vpsubw vpaddb vpaddw vpshufb vpmaddubsw vpmulhrsw vpminsb
vpminuw vpmaxsb vpmaxuw vpsrlvw vpsravw vpsllvw vpermi2w vpermt2w vpermw vpshldvw vpshrdvw vpblendmb vpblendmw""".split()
THREE_D = """vpunpckldq vpunpckhdq vpackssdw vpsubd vpaddd vpandd vpandnd vpord vpxord vpackusdw vpminsd vpminud vpmaxsd vpmaxud vpmulld vprorvd vprolvd
vpsrlvd vpsravd vpsllvd vpermi2d vpermi2ps vpermt2d vpermt2ps vaddps vmulps vsubps vminps vdivps vmaxps vandps vandnps vorps vxorps vunpcklps
vunpckhps vfmadd132ps vfmadd213ps vfmadd231ps vfmsub231ps vfnmadd132ps vfnmsub213ps vfmaddsub231ps vfmsubadd132ps vpshldvd vpshrdvd vpblendmd
vblendmps""".split()
THREE_Q = """vpunpcklqdq vpunpckhqdq vpsubq vpaddq vpandq vpandnq vporq vpxorq vpmuldq vpmuludq vpminsq vpminuq vpmaxsq vpmaxuq vpmullq vprorvq vprolvq
vpsrlvq vpsravq vpsllvq vpermi2q vpermi2pd vpermt2q vpermt2pd vaddpd vmulpd vsubpd vminpd vdivpd vmaxpd vandpd vandnpd vorpd vxorpd vunpcklpd
vunpckhpd vfmadd132pd vfmadd213pd vfmadd231pd vfmsub231pd vfnmadd132pd vfnmsub213pd vpmultishiftqb vpshldvq vpshrdvq vpblendmq vblendmpd""".split()
SCALARS = """vaddss vmulss vsubss vdivss vminss vmaxss vfmadd132ss vfmadd231ss vfmsub231ss vfnmadd213ss vaddsd vmulsd vsubsd vdivsd vfmadd132sd vfmadd231sd
vfmsub132sd vfnmsub231sd""".split()
LENGTHS = (("xmm", 16), ("ymm", 32), ("zmm", 64))


def say(text):
    print("\t" + text)


def main():
    print("\t.text\n\t.globl forms\n\t.type forms, @function\nforms:")
    for v, size in LENGTHS:
        def r(nr):
            return f"%{v}{nr}"
        for name in THREE + THREE_D + THREE_Q + ["vpsadbw"]:
            mask = "" if name == "vpsadbw" else "{%k3}{z}"
            say(f"{name} {r(17)}, {r(30)}, {r(9)}{mask}")
            say(f"{name} {size * 3}(%r13,%r12,2), {r(18)}, {r(25)}")
            say(f"{name} 0x1234(%rip), {r(3)}, {r(16)}{mask}")
            say(f"{name} -{size}(%rsp), {r(19)}, {r(2)}")
            elements = 4 if name in THREE_D else 8 if name in THREE_Q else 0
            if elements:
                say(f"{name} {elements * 5}(%rax,%rdx,8){{1to{size // elements}}}, {r(20)}, {r(21)}{{%k7}}")
        for name in ("vpsrlw", "vpsraw", "vpsllw", "vpsrld", "vpsrad", "vpslld", "vpsrlq", "vpsraq", "vpsllq"):
            say(f"{name} $0x7, {r(18)}, {r(25)}{{%k1}}")
            say(f"{name} $0x7, {size}(%r9,%rcx,1), {r(17)}")
            say(f"{name} %xmm20, {r(18)}, {r(25)}{{%k2}}")
            say(f"{name} 32(%rdi), {r(18)}, {r(25)}")
        for name in ("vpsrldq", "vpslldq"):
            say(f"{name} $0x3, {r(18)}, {r(25)}")
        for name in ("vpshldw", "vpshrdw", "vpshldd", "vpshrdd", "vpshldq", "vpshrdq", "vshufps", "vshufpd", "vpalignr", "valignd", "valignq",
                     "vdbpsadbw", "vgf2p8affineqb", "vgf2p8affineinvqb"):
            say(f"{name} $0x15, {r(17)}, {r(30)}, {r(9)}{{%k3}}{{z}}")
            say(f"{name} $0x15, {size}(%r15), {r(30)}, {r(9)}")
        for name in ("vpshufd", "vpshufhw", "vpshuflw"):
            say(f"{name} $0x1b, {r(17)}, {r(30)}{{%k3}}")
            say(f"{name} $0x1b, {size * 2}(%rbx), {r(30)}")
        for name in ("vpabsb", "vpabsw", "vpabsd", "vpabsq", "vplzcntd", "vplzcntq", "vpopcntb", "vpopcntw", "vpopcntd", "vpopcntq", "vpconflictd",
                     "vpconflictq", "vsqrtps", "vsqrtpd", "vmovups", "vmovupd", "vmovaps", "vmovapd", "vmovdqa32", "vmovdqa64", "vmovdqu8",
                     "vmovdqu16", "vmovdqu32", "vmovdqu64", "vmovsldup", "vmovshdup", "vmovddup"):
            say(f"{name} {r(17)}, {r(30)}{{%k3}}{{z}}")
            say(f"{name} {size * 2}(%r8,%r12,1), {r(21)}")
        for name in ("vmovups", "vmovupd", "vmovdqu8", "vmovdqa64", "vmovdqu16"):
            say(f"{name} {r(21)}, {size * 2}(%r8,%r12,1){{%k1}}")
        for n, kind in enumerate(("bw", "bd", "bq", "wd", "wq", "dq")):
            part = (2, 4, 8, 2, 4, 2)[n]
            narrow = "%" + ("ymm" if size // part == 32 else "xmm")
            for name in ("vpmovsx" + kind, "vpmovzx" + kind):
                say(f"{name} {narrow}17, {r(22)}{{%k5}}")
                say(f"{name} {size // part * 3}(%rsi), {r(22)}")
            for name in ("vpmov", "vpmovs", "vpmovus"):
                say(f"{name}{kind[1]}{kind[0]} {r(22)}, {narrow}17{{%k5}}")
                say(f"{name}{kind[1]}{kind[0]} {r(22)}, {size // part * 3}(%rsi){{%k5}}")
        for kind in "bwdq":
            say(f"vpmovm2{kind} %k5, {r(23)}")
            say(f"vpmov{kind}2m {r(23)}, %k5")
        say(f"vpshufbitqmb {r(18)}, {r(24)}, %k1{{%k2}}")
        say(f"vpbroadcastd %r9d, {r(24)}")
        say(f"vpbroadcastq %r9, {r(24)}")
        for name, unit in (("vpbroadcastd", 4), ("vpbroadcastq", 8), ("vbroadcasti32x2", 8), ("vbroadcastss", 4)):
            say(f"{name} %xmm19, {r(24)}{{%k1}}")
            say(f"{name} {unit * 7}(%r10,%r9,4), {r(24)}")
        index = r(21)
        half = "%" + ("ymm" if size == 64 else "xmm") + "21"
        low = "%" + ("ymm" if size == 64 else "xmm") + "19"
        for name, unit, data, by in (("dd", 4, r(19), index), ("dq", 8, r(19), half), ("qd", 4, low, index), ("qq", 8, r(19), index)):
            say(f"vpgather{name} {unit * 9}(%rdi,{by},1), {data}{{%k1}}")
            say(f"vpscatter{name} {data}, {unit * 9}(%r11,{by},8){{%k4}}")
        for name, unit, data, by in (("dps", 4, r(19), index), ("dpd", 8, r(19), half), ("qps", 4, low, index), ("qpd", 8, r(19), index)):
            say(f"vgather{name} {unit * 9}(%rdi,{by},1), {data}{{%k1}}")
            say(f"vscatter{name} {data}, {unit * 9}(%r11,{by.replace('21', '4')},8){{%k4}}")
        if size == 16:
            continue
        for name in ("vpermq", "vpermpd"):
            say(f"{name} $0xd8, {size}(%rdx), {r(16)}")
            say(f"{name} $0xd8, {r(18)}, {r(16)}{{%k2}}")
        for name in ("vpermps", "vpermpd", "vpermd", "vpermq"):
            say(f"{name} {r(18)}, {r(17)}, {r(20)}{{%k2}}{{z}}")
        for name in ("vshuff32x4", "vshuff64x2", "vshufi32x4", "vshufi64x2"):
            say(f"{name} $0x1, {r(18)}, {r(17)}, {r(20)}{{%k2}}")
        for name in ("32x4", "64x2"):
            for kind in "fi":
                say(f"vinsert{kind}{name} $0x1, 48(%rdi,%rsi,2), {r(17)}, {r(16)}")
                say(f"vinsert{kind}{name} $0x1, %xmm23, {r(17)}, {r(16)}{{%k2}}")
                say(f"vextract{kind}{name} $0x1, {r(17)}, 48(%rdi,%rsi,2)")
                say(f"vextract{kind}{name} $0x1, {r(17)}, %xmm23")
                say(f"vbroadcast{kind}{name} 48(%rdi), {r(17)}{{%k1}}")
        say(f"vbroadcastsd 24(%r8,%r12,1), {r(17)}")
        say(f"vbroadcastf32x2 %xmm20, {r(17)}")
    for name in ("32x8", "64x4"):
        for kind in "fi":
            say(f"vinsert{kind}{name} $0x1, 96(%rdi,%rsi,2), %zmm17, %zmm16")
            say(f"vextract{kind}{name} $0x1, %zmm17, %ymm23")
            say(f"vbroadcast{kind}{name} 96(%r14), %zmm17")
    for name in SCALARS:
        unit = 4 if name.endswith("s") else 8
        say(f"{name} %xmm17, %xmm18, %xmm2")
        say(f"{name} {unit * 3}(%r9,%r15,1), %xmm18, %xmm1{{%k1}}")
    for name in ("vmovhps", "vmovlps", "vmovhpd", "vmovlpd"):
        say(f"{name} %xmm16, 40(%rdi,%rsi,1)")
        say(f"{name} 40(%rdi,%rsi,1), %xmm17, %xmm18")
    # How to round, or that no exceptions are raised, where registers have no {1toN}.
    for name in ("vaddps", "vmulpd", "vsubps", "vdivpd", "vfmadd213ps", "vfnmadd231pd", "vfmsub132pd", "vscalefps", "vscalefpd"):
        for way in ("rn", "rd", "ru", "rz"):
            say(f"{name} {{{way}-sae}}, %zmm17, %zmm30, %zmm9{{%k3}}{{z}}")
    for name in ("vaddss", "vdivsd", "vfmadd231sd", "vscalefsd"):
        say(f"{name} {{rz-sae}}, %xmm17, %xmm30, %xmm9")
    for name in ("vminps", "vmaxpd", "vcmpltps", "vcmpneqpd", "vcmpnlt_uqps", "vcmptrue_uspd"):
        say(f"{name} {{sae}}, %zmm17, %zmm30, %{'k2' if 'cmp' in name else 'zmm9'}")
        say(f"{name} 64(%rdi), %zmm30, %{'k2{%k5}' if 'cmp' in name else 'zmm9'}")
    for name in ("vsqrtps", "vsqrtpd", "vcvtdq2ps", "vcvtps2dq"):
        say(f"{name} {{ru-sae}}, %zmm17, %zmm9")
    for name in ("vgetexpps", "vgetexppd", "vcvttps2dq"):
        say(f"{name} {{sae}}, %zmm17, %zmm9")
        say(f"{name} 8(%rax,%rdx,8){{1to{8 if name.endswith('pd') else 16}}}, %zmm20")
    for name in ("vgetmantps", "vgetmantpd", "vrndscaleps", "vrndscalepd", "vreduceps", "vreducepd"):
        say(f"{name} $0x48, {{sae}}, %zmm17, %zmm9{{%k1}}")
        say(f"{name} $0x48, 64(%r9), %ymm9")
    for name in ("vgetmantss", "vrndscalesd", "vreducess", "vrangesd", "vrangess"):
        say(f"{name} $0x1, {{sae}}, %xmm17, %xmm18, %xmm9")
    for text in ("vrangepd $0x2, {sae}, %zmm6, %zmm5, %zmm11", "vcmpltss {sae}, %xmm17, %xmm18, %k1", "vcmple_oqsd 8(%rdi), %xmm18, %k1{%k2}",
                 "vcmpps $0x28, %zmm1, %zmm18, %k1", "vcvtps2pd {sae}, %ymm8, %zmm12", "vcvtps2pd 32(%rdi), %zmm12{%k1}"):
        say(text)
    for text in ("vmovq (%r8,%r9,1), %xmm21", "vmovq %xmm21, 16(%r8)", "vmovd %r9d, %xmm21", "vmovd %xmm21, %r9d", "vmovq %xmm21, %rax",
                 "vpextrb $0x1, %xmm16, 3(%rdi)", "vpextrd $0x1, %xmm16, 12(%rdi,%rsi,2)", "vpextrq $0x1, %xmm16, %r9", "vextractps $0x1, %xmm16, 8(%rdi)",
                 "vpinsrb $0x7, 0x10(%rdx,%r9,1), %xmm3, %xmm19", "vpinsrw $0x2, 0xe(%r10), %xmm0, %xmm20", "vpinsrd $0x2, %r9d, %xmm0, %xmm20",
                 "vpinsrq $0x1, %rcx, %xmm4, %xmm16", "vbroadcasti128 (%rcx), %ymm3", "vbroadcasti128 0x10(%r9,%rdx,2), %ymm15",
                 "prefetch 0x100(%rsi)", "prefetch (%r9,%r12,8)", "prefetchw 0x40(%rdi)", "ret"):
        say(text)
    print("\t.size forms, .-forms")


main()
