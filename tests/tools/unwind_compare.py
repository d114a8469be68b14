#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the frames that perf and assay unwound from the same raw stacks, sample by sample, and ours with what the workload does.

Usage: unwind_compare.py NAME PERF OURS [MIN_SHARE]: texts of `script -F comm,tid,time,ip,sym,dso`. Prints one line of figures, and where
it fails a few frames of up to three samples that made it fail and of one of each other class: with a sample of no class, with fewer than MIN_SHARE (99.5) percent that have perf's frames, with
an assay that loses what perf has, or with a stack that the workload cannot have had. The classes, from the sampled place outwards:

  same     ours are the same addresses in the same files. (The trampoline that a signal handler returns to, and the place that a signal
           interrupts, called nothing: ours are where they are. perf shows the first one byte in front of that on x86_64, where it is in
           no function, and the second on arm64, in the middle of the instruction before. Nor did the first byte of a function that a
           stack was made to return to (makecontext): the last frame, and perf's is one byte in front of it.)
  marker   the same, but for the last, which is no frame: perf's address -1, its word for "not in the dump"; the last once more, where the
           stack does not move on; an address in memory that cannot be executed, where something else was taken for a return address
  longer   all of perf's, in their order, and more, up to where threads begin (_start, clone). perf lost the trail: in code without call
           frame information, at a return address with a signature (arm64), or, after an exec, because it looks at the tables of the
           program before, where it follows frame pointers that are none and leaves frames out
  twice    all but one of perf's: the sample is in the system call by which a signal handler returns. perf has the trampoline once as the
           sampled place, and once more as its own caller, because the link register still holds its address (arm64)
  bound    perf's in the dynamic loader, which binds a function at its first call, and perf's caller of that function; then others, up to
           where threads begin or, where perf does not get there either, the dump ends. The call frame information of the loader's entry leaves out the 16 bytes that the PLT stub put on the stack
           before (arm64; it has the return address above the CFA): perf reads the frame of the caller that much too low
  deeper   all of perf's and more, and the dump ends before the thread does: perf does not read the last word of a dump, and shows
           nothing where the dump is empty
  torn     the kernel is copying the registers of a signal back to the task, or out of it: what the sample has of them is partly of the
           handler and partly of what it interrupted, and each walk makes of it what it can
  astray   some of perf's and then others, up to where threads begin; perf's end short of that, or in memory that cannot be executed

All but the last two have perf's frames, as far as perf's are right. In each of them ours is not shorter, and right: it ends where a thread begins, or with the dump.
"""
import collections
import re
import sys

ROOT = re.compile(r"^(_start|clone3?|__clone3?|thread_start)$")  # where threads begin
NO_CODE = re.compile(r"^(\[stack.*\]|\[heap\]|//anon|\[unknown\]|\[anon.*|anon_inode.*)$")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \(([^ ()]+(?: \(deleted\))?|[^()]*)\)$")  # C++ names have parentheses too
LOADER = re.compile(r"/ld-linux-aarch64\.so\.1$")
KERNEL = "[kernel.kallsyms]"
COPIES_REGISTERS = re.compile(r"(restore|setup)_(rt_)?(sig)?frame|rt_sigreturn|restore_sigcontext")
TRAMPOLINES = {"__restore_rt", "__kernel_rt_sigreturn", "__kernel_sigreturn"}


def samples(path):
    """Yields (headline, [(ip, symbol, dso)])."""
    head, frames = None, []
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        m = FRAME.match(line)
        if m and line[0] == "\t":
            frames.append((int(m.group(1), 16), re.sub(r"@@?[A-Z].*$", "", m.group(2)), m.group(3)))
        elif line:
            if head is not None:
                yield head, frames
            head, frames = line, []
    if head is not None:
        yield head, frames


def places(frames):
    """With the two addresses that perf shows a byte too low as it shows them."""
    result, interrupted = [], False
    for ip, symbol, dso in frames:
        if symbol == "__restore_rt":
            ip -= 1
        elif interrupted and ip % 4 == 0:  # arm64
            ip -= 1
        result.append((ip, dso))
        interrupted = symbol == "__kernel_rt_sigreturn"
    return result


def is_whole(frames):
    """Ends where a thread begins. The caller of __libc_start_main is _start, where the program's symbols do not say so."""
    return bool(frames) and (ROOT.match(frames[-1][1]) is not None or
                             (len(frames) > 1 and frames[-2][1].startswith("__libc_start_main")) or
                             (len(frames) > 2 and frames[-3][1] == "thread_main"))  # of a C library without symbols


def is_marker(frame):
    return frame[0] == 2**64 - 1 or NO_CODE.match(frame[2]) is not None


def without_markers(frames):
    nr = len(frames)
    while nr and is_marker(frames[nr - 1]):
        nr -= 1
    return frames[:nr]


def is_within(part, whole):
    """All of part, in this order."""
    rest = iter(whole)
    return all(p in rest for p in part)


def with_second_trampoline(perf, ours):
    """Ours, with the trampoline that the sample is in once more as its caller, if perf's have it twice."""
    for i in range(1, len(perf)):
        (place, _, _), (ip, symbol, dso) = perf[i - 1:i + 1]
        if symbol in TRAMPOLINES and ours[i - 1:i] == [perf[i - 1]] and perf[i - 1][2] == dso and 0 <= place - ip <= 8:
            return ours[:i] + [perf[i]] + ours[i:]
    return ours


def is_bound_late(perf, ours):
    """The same in the dynamic loader and of its caller, and not from there on."""
    users = [i for i, frame in enumerate(ours) if frame[2] != KERNEL]
    outside = next((i for i in users if not LOADER.search(ours[i][2])), 0)
    return users[:1] != [outside] and 0 < outside and perf[:outside + 1] == ours[:outside + 1] and \
        (is_whole(ours) or not is_whole(perf))


def is_torn(perf, ours):
    kernel = [frame for frame in ours if frame[2] == KERNEL]
    return perf[:len(kernel)] == kernel and any(COPIES_REGISTERS.search(symbol) for _, symbol, _ in kernel)


def classify(perf, ours):
    p, o = places(perf), places(ours)
    if p == o or (o and p == o[:-1] + [(o[-1][0] - 1, o[-1][1])]):
        return "same"
    if p == places(with_second_trampoline(perf, ours)):
        return "twice"
    if p[-2:-1] == p[-1:] and p[:-1] == o:
        return "marker"
    p, o = places(without_markers(perf)), places(without_markers(ours))
    if p == o:
        return "marker"
    if is_within(p, o):
        return "longer" if is_whole(ours) else "deeper" if o[:len(p)] == p else "OTHER"
    if is_bound_late(perf, ours):
        return "bound"
    if p and o and p[0] == o[0] and is_whole(ours) and (len(p) < len(perf) or not is_whole(perf)):
        return "astray"
    return "torn" if is_torn(perf, ours) else "OTHER"


def between(symbols, inner, outer):
    """The symbols strictly between the first `inner` and the next `outer`, or None."""
    if inner not in symbols:
        return None
    rest = symbols[symbols.index(inner) + 1:]
    return rest[:rest.index(outer)] if outer in rest else rest


def nofp_is_true(symbols, whole, depth=20):
    """leaf() is called by even() and odd() by turns, 21 in all, and these by main()."""
    calls = between(symbols, "leaf", "main")
    if calls is None:
        return True
    last = "even" if depth % 2 == 0 else "odd"
    expected = [("even", "odd")[(i + (last == "odd")) % 2] for i in range(depth + 1)]
    return calls == expected if whole else calls == expected[:len(calls)]


def threads_is_true(symbols, whole):
    """at_depth() is called by itself three to ten times, and then by thread_main()."""
    calls = between(symbols, "burn", "thread_main")
    return calls is None or not whole or (set(calls) == {"at_depth"} and 4 <= len(calls) <= 11)


def signals_is_true(symbols, whole):
    """A handler returns to a trampoline, and the timer's hits main → interrupted()."""
    for handler in ("on_timer", "on_fault"):
        rest = between(symbols, handler, "main")
        if rest is None:
            continue
        if not rest or rest[0] not in TRAMPOLINES:
            return False
        if whole and rest[-1] != "interrupted":
            return False
    return True


def calls_is_true(symbols, whole):
    """Only main() calls these."""
    return all(symbols[i + 1:i + 2] == ["main"] for i, s in enumerate(symbols)
               if s in ("through_plt", "in_vdso", "lazily") and (whole or i + 1 < len(symbols)))


def cxx_is_true(symbols, whole):
    """fail_at() is called by itself, up to nine in all, and then by recover(). The run-time's own unwinder may have taken frames off
    already."""
    calls = between(symbols, "(anonymous namespace)::fail_at", "main")
    return calls is None or not whole or (len(calls) <= 9 and calls[-1:] == ["(anonymous namespace)::recover"])


def called_by(*chain):
    """Each in the chain is called only by the next."""
    def is_so(symbols, whole):
        calls = symbols[symbols.index(chain[0]):] if chain[0] in symbols else []
        return calls[:len(chain)] == list(chain)[:len(calls)]
    return is_so


TRUTH = {"epilogue": called_by("popped", "outer", "main"), "contexts": called_by("burn", "turn", "context_main"),
         "sigreturn": called_by("storm", "main"), "depth": called_by("leaf", *["down"] * 10001, "main"),
         "threads32": threads_is_true, "signals32": signals_is_true,
         "recurse32": called_by("leaf", *["recurse"] * 40, "main"), "musl_static": called_by("leaf", *["recurse"] * 40, "main"),
         "musl_dynamic": called_by("leaf", *["recurse"] * 40, "main"),
         "calls": calls_is_true, "cxx": cxx_is_true, "keep": cxx_is_true, "nofp": nofp_is_true, "exec": nofp_is_true,
         "deep": lambda symbols, whole: nofp_is_true(symbols, whole, 90), "threads": threads_is_true, "signals": signals_is_true,
         "altstack": signals_is_true}


def is_being_delivered(frames, symbols):
    """The kernel is writing the registers that a signal handler starts with: some are still those of the place that it interrupts."""
    return frames[0][2] == KERNEL and symbols[:1] in (["on_timer"], ["on_fault"])


def is_true(name, frames):
    symbols = [symbol for _, symbol, dso in frames if dso != KERNEL]
    if frames and (is_being_delivered(frames, symbols) or is_torn(frames, frames)):
        return True
    return TRUTH[name](symbols, is_whole(frames)) if name in TRUTH else True


def show(title, head, perf, ours, nr_shown=12):
    """The frames around the first that differs."""
    alike = next((i for i, (p, o) in enumerate(zip(perf, ours)) if p != o), min(len(perf), len(ours)))
    first = max(alike - 4, 0)
    print(f"--- {title}: {head} (perf {len(perf)} frames, assay {len(ours)}; from frame {first})")
    for side, frames in (("perf", perf), ("assay", ours)):
        for ip, symbol, dso in frames[first:first + nr_shown]:
            print(f"{side}\t{ip:16x} {symbol[:80]} ({dso})")


def main():
    name, perf, ours = sys.argv[1], list(samples(sys.argv[2])), list(samples(sys.argv[3]))
    share = float(sys.argv[4]) if len(sys.argv) > 4 else 99.5
    if len(perf) != len(ours) or not perf:
        print(f"{name}: perf prints {len(perf)} samples, assay {len(ours)}")
        return 1
    counts, kinds, untrue = collections.Counter(), collections.defaultdict(list), []
    whole = [sum(is_whole(without_markers(frames)) for _, frames in side) for side in (perf, ours)]
    for (head, p), (_, o) in zip(perf, ours):
        c = classify(p, o)
        counts[c] += 1
        kinds[c].append((head, p, o))
        if not is_true(name, o):
            untrue.append((head, p, o))
    without = counts["astray"] + counts["torn"] + counts["OTHER"]
    has = 100 * (len(perf) - without) / len(perf)
    print(f"{name}: {len(perf)} samples, {has:.2f}% have perf's frames: " + ", ".join(f"{n} {c}" for c, n in counts.most_common()) +
          f"; whole: perf {whole[0]}, assay {whole[1]}")
    # Of a few samples, one is more than half a percent.
    bad = (has < share and without > 1) or "OTHER" in counts or whole[1] < whole[0]
    for sample in kinds["OTHER"][:3]:
        show("OTHER", *sample)
    for sample in untrue[:3]:
        show("not what the workload does", *sample)
    for c in [c for c in kinds if bad and c not in ("same", "OTHER")]:
        show(c, *kinds[c][0])
    return 1 if bad or untrue else 0


if __name__ == "__main__":
    sys.exit(main())
