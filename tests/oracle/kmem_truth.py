# Compares the text of `perf kmem` and of `assay kmem` with what follows from the samples: kmem_truth.py slab|page|live SAMPLES PERF OURS
#
# Where perf 6.1 is wrong, and what it shows then:
# - An object that is freed, and freed again without an allocation in between (its record was lost, or it was allocated in bulk, which has no
#   tracepoint), counts as freed twice, the second time by another CPU. check_slab() computes perf's figures that way, and finds them equal.
# - Migrate type 1 is "Movable", as /proc/pagetypeinfo lists them; perf calls it reclaimable, and type 2 movable (MOBILITY).
# - Callers of pages are not found where functions of the allocator have other names than perf expects, and are shown as addresses: the column is
#   not compared.
import collections
import re
import sys

kind, samples, perf_text, ours_text = sys.argv[1:]
line = re.compile(r"\s*\[(\d+)\]\s+kmem:(\w+): (.*)")


def events():
    for text in open(samples, errors="replace"):
        m = line.match(text)
        if m:
            yield int(m[1]), m[2], dict(w.split("=", 1) for w in m[3].split() if "=" in w)


def sums(text):
    """The numbers below SUMMARY, by the words in front of them."""
    found = {}
    for row in open(text).read().split("SUMMARY")[1].splitlines():
        m = re.match(r"([A-Z][^:]*?) *: *(.*)", row)
        if m:
            found[m[1]] = m[2]
    return found


def rows(text, nr):
    """Cells of a table, those of the first `nr` columns, without headings."""
    found = []
    for row in open(text):
        cells = [c.strip() for c in row.split("|")]
        if len(cells) > nr and re.search(r"\d", cells[1]) and "..." not in cells[0]:
            found.append(cells[:nr])
    return found


def check_slab():
    allocated = {}  # address -> cpu, bytes; the one that perf remembers, and whether it is still allocated
    freed = collections.Counter()
    moved = {"perf": collections.Counter(), "truth": collections.Counter()}
    for cpu, name, f in events():
        ptr = f["ptr"]
        if "alloc" in name and "free" not in name:
            allocated[ptr] = [cpu, int(f["bytes_alloc"]), True, f["call_site"]]
        elif ptr in allocated:
            a = allocated[ptr]
            freed["perf"] += a[1]
            moved["perf"][ptr] += not a[2] or a[0] != cpu
            if a[2]:
                freed["truth"] += a[1]
                moved["truth"][ptr] += a[0] != cpu
            a[2] = False
    perf, ours = sums(perf_text), sums(ours_text)
    for key, value in perf.items():
        if key in ("Total bytes freed", "Net total bytes allocated"):
            continue
        assert ours[key] == value, (key, value, ours[key])
    assert int(perf["Total bytes freed"]) == freed["perf"], (perf, freed)
    assert int(ours["Total bytes freed"]) == freed["truth"], (ours, freed)
    for text, what in (perf_text, "perf"), (ours_text, "truth"):
        table = rows(text, 5)
        assert sum(int(r[4]) for r in table) == sum(moved[what].values()), (what, sum(moved[what].values()))
        for r in table:
            if r[0].startswith("0xffff8"):  # by address
                assert int(r[4]) == moved[what][r[0]], (what, r, moved[what][r[0]])


MOBILITY = {"Unmovable": "UNMOVABL", "Movable": "RECLAIM", "Reclaimable": "MOVABLE"}


def check_page():
    try:
        types = open("/proc/pagetypeinfo").read()
        assert re.search(r"Number of blocks type +Unmovable +Movable +Reclaimable", types), types
    except OSError:
        pass  # this kernel has no such file
    perf, ours = sums(perf_text), sums(ours_text)
    blank = re.compile(r"\s+")
    for key in perf:
        if key.startswith("Total"):
            assert blank.sub(" ", perf[key]) == blank.sub(" ", ours[key]), (key, perf[key], ours[key])
    hits = collections.Counter((int(f["pfn"], 16), int(f["order"])) for _, name, f in events() if name == "mm_page_alloc")
    for text in perf_text, ours_text:
        table = collections.Counter()
        for r in rows(text, 5):
            table[int(r[0]), int(r[3])] += int(r[2])
        assert table == hits, (text, table - hits, hits - table)
    p = collections.Counter((r[0], r[1], r[2], r[3], r[4]) for r in rows(perf_text, 5))
    o = collections.Counter((r[0], r[1], r[2], r[3], MOBILITY[r[4]]) for r in rows(ours_text, 5))
    assert p == o, (p - o, o - p)


def check_live():
    live = {}
    for _, name, f in events():
        page = int(f["pfn"], 16)
        if name == "mm_page_alloc":
            live[page] = int(f["order"])
        else:
            live.pop(page, None)
    for text in perf_text, ours_text:
        table = {int(r[0]): int(r[3]) for r in rows(text, 5)}
        missing = live.items() - table.items()
        assert not missing, (text, missing)


{"slab": check_slab, "page": check_page, "live": check_live}[kind]()
