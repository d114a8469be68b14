#!/usr/bin/env python3
"""Gives a `perf stat record` file the counts of a machine with a PMU.

stat_repaint.py IN OUT TYPE:CONFIG:VALUE[:RUNNING%] ...

The n-th argument is for the n-th event: its attr gets that type and config, its n-th reading on a CPU
the value plus n (so that CPUs differ), its running time that share. Real perf then shows what it
would show there, metrics and all, on machines without a PMU."""
import struct
import sys

FEAT_EVENT_DESC = 12
STAT = 76


def main():
    data = bytearray(open(sys.argv[1], "rb").read())
    paint = [[int(x, 0) for x in a.split(":")] for a in sys.argv[3:]]
    attr_size, attrs_off, attrs_size, data_off, data_size = struct.unpack_from("<5Q", data, 16)
    feature_bits = struct.unpack_from("<Q", data, 72)[0]
    event_of_id = {}
    for i in range(attrs_size // attr_size):
        at = attrs_off + i * attr_size
        ids_off, ids_size = struct.unpack_from("<2Q", data, at + attr_size - 16)
        for k in range(ids_size // 8):
            event_of_id[struct.unpack_from("<Q", data, ids_off + 8 * k)[0]] = i
        if i < len(paint):
            struct.pack_into("<I", data, at, paint[i][0])
            struct.pack_into("<Q", data, at + 8, paint[i][1])
    # The same attrs stand in EVENT_DESC once more.
    at = data_off + data_size + 16 * bin(feature_bits & ((1 << FEAT_EVENT_DESC) - 1)).count("1")
    desc = struct.unpack_from("<Q", data, at)[0]
    nr, size = struct.unpack_from("<2I", data, desc)
    desc += 8
    for i in range(nr):
        if i < len(paint):
            struct.pack_into("<I", data, desc, paint[i][0])
            struct.pack_into("<Q", data, desc + 8, paint[i][1])
        nr_ids, name_size = struct.unpack_from("<2I", data, desc + size)
        desc += size + 8 + name_size + 8 * nr_ids
    seen = {}
    at = data_off
    while at < data_off + data_size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == STAT:
            event_id, cpu = struct.unpack_from("<Qi", data, at + 8)
            event = event_of_id[event_id]
            # Whole hundreds: scaling up is exact then.
            enabled = struct.unpack_from("<Q", data, at + 32)[0] // 100 * 100
            if event < len(paint):
                p = paint[event]
                nth = seen[(event, cpu)] = seen.get((event, cpu), 0) + 1
                share = p[3] if len(p) > 3 else 100
                value = p[2] * nth + 7 * (cpu + 1)
                struct.pack_into("<3Q", data, at + 24, value, enabled, enabled * share // 100)
        at += length
    open(sys.argv[2], "wb").write(data)


main()
