"""Row numbers of what a test selects, in NumPy, numexpr and numba: one request per line of JSON on stdin.

{"peer": p, "kind": k, "rows": n, "test": "between" | "below", "seconds": s} gives {"ns", "digest"}: the least time of one
call in nanoseconds, and what columns-digest.js says of the result; or null where the library is not installed, and {"error"} when
it refuses. The kinds of numbers are those of columns-data.js.
"""
import json
import os
import sys
import time

import numpy as np

CLUSTER = 200_000
RARE = 10_000_000


def units(places):
    bits = places.astype(np.uint32) * np.uint32(0x9E3779B1)
    bits = (bits ^ (bits >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    bits = (bits ^ (bits >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (bits ^ (bits >> np.uint32(16))) / 2.0**32


def rare(x):
    x[len(x) // 3 % RARE :: RARE] = 3
    return x


def numbers(kind, rows):
    i = np.arange(rows)
    unit = units(i)
    if kind == "half":
        return 8 * unit
    if kind == "astride":
        return rare(np.where(unit < 0.5, 3.8 * unit, 6.1 + 3.8 * (unit - 0.5)))
    if kind == "above":
        return rare(10 + 10 * unit)
    if kind == "sorted":
        return 4000 * i / rows
    return 4000 * units(i // CLUSTER) + unit


def in_numpy(x, test, few):
    if test == "between":
        return lambda: np.flatnonzero((x > 2.0) & (x < 6.0))
    return lambda: np.flatnonzero(x < 4.0)


def in_numexpr(x, test, few):
    import numexpr

    text = "(x > 2.0) & (x < 6.0)" if test == "between" else "x < 4.0"
    names = {"x": x}
    return lambda: np.flatnonzero(numexpr.evaluate(text, names))


def in_numba(x, test, few):
    """A loop as one writes it: with a branch where few are selected, else without. Threads have a part each, which are then moved together."""
    import numba

    threads = int(os.environ["NUMBA_NUM_THREADS"])
    between = test == "between"
    rows = np.empty(len(x) + 1, np.uint32)

    @numba.njit
    def selected(v):
        return (v > 2.0) & (v < 6.0) if between else v < 4.0

    @numba.njit
    def part(x, rows, first, last):
        count = 0
        for i in range(first, last):
            if few:
                if selected(x[i]):
                    rows[first + count] = i
                    count += 1
            else:
                rows[first + count] = i
                count += selected(x[i])
        return count

    @numba.njit(parallel=threads > 1)
    def parts(x, rows, size, counts):
        for t in numba.prange(threads):
            counts[t] = part(x, rows, t * size, len(x) if t == threads - 1 else (t + 1) * size)

    def all_rows():
        size = len(x) // threads
        counts = np.empty(threads, np.int64)
        parts(x, rows, size, counts)
        total = counts[0]
        for t in range(1, threads):
            rows[total : total + counts[t]] = rows[t * size : t * size + counts[t]]
            total += counts[t]
        return rows[:total]

    return all_rows


peers = {"numpy": in_numpy, "numexpr": in_numexpr, "numba": in_numba}


def digest_of(rows):
    rows = rows.astype(np.float64)
    return {"rows": len(rows), "nulls": 0, "sum": rows.sum(), "squares": (rows * rows).sum()}


def best_of(call, seconds):
    best, runs, end = float("inf"), 0, time.perf_counter() + seconds
    while runs < 2 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        runs += 1
    return best * 1e9


columns, known = {}, {}


def answer(peer, kind, rows, test, seconds):
    if (kind, rows) not in columns:
        columns[kind, rows] = numbers(kind, rows)
    key = peer, kind, rows, test
    if key not in known:
        try:
            call = peers[peer](columns[kind, rows], test, kind != "half")
        except ImportError:
            return None
        known[key] = call, digest_of(call())
    call, digest = known[key]
    return {"ns": best_of(call, seconds), "digest": digest}


for line in sys.stdin:
    try:
        found = answer(**json.loads(line))
    except Exception as error:
        found = {"error": repr(error)}
    print(json.dumps(found), flush=True)
