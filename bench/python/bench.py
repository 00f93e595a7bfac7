"""tepal in Python beside rbloom, pybloom-live, pyprobables and `set`, interleaved in one process.

    python bench/python/bench.py [--keys 1000000] [--rounds 9]

Prints a table in Markdown: for each job the median over the rounds of the CPU time of a key, in ns, and how many times tepal's
that is. In each round every job of every library runs once, one after the other, so that a noisy neighbour strikes all.
"""

import argparse
import gc
import hashlib
import platform
import random
import statistics
import time

import numpy
import probables
import pyarrow
import pybloom_live
import rbloom
import tepal

# The slow ones are measured with so many times fewer keys.
FEWER = {"pybloom-live": 20, "pyprobables": 20, "rbloom, a hash that can be saved": 10}


def savable(key):
    """A hash as rbloom's page gives it for filters that are to be saved: its own differs from run to run."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:16], "big", signed=True)


def savable_number(key):
    return int.from_bytes(hashlib.sha256(key.to_bytes(8, "little", signed=True)).digest()[:16], "big", signed=True)


def one_by_one(add):
    def run(filter, keys):
        call = getattr(filter, add)
        for key in keys:
            call(key)

    return run


def ask_one_by_one(filter, keys):
    for key in keys:
        key in filter


class Segments:
    """A filter of eight segments, each with every eighth key."""

    def __init__(self, n):
        self.filter = tepal.SegmentFilter(n, 0.01)

    def update(self, keys):
        for i in range(8):
            self.filter.update(f"segment {i}", keys[i::8])


def jobs(n):
    """Job, library, what makes its filter, what is timed, whose keys."""
    T = lambda: tepal.BloomFilter(n, 0.01)
    I = lambda: tepal.BloomFilter(n, 0.01, key_domain="int64")
    R = lambda: rbloom.Bloom(n, 0.01)
    S = lambda: rbloom.Bloom(n, 0.01, savable)
    N = lambda: rbloom.Bloom(n, 0.01, savable_number)
    L = lambda: pybloom_live.BloomFilter(n, 0.01)
    P = lambda: probables.BloomFilter(n, 0.01)
    update = lambda filter, keys: filter.update(keys)
    ask_list = lambda filter, keys: [key in filter for key in keys]
    many = lambda filter, keys: filter.contains_many(keys)
    yield "add a list of str", "tepal", T, update, "texts"
    yield "add a list of str", "rbloom, its salted hash", R, update, "texts"
    yield "add a list of str", "rbloom, a hash that can be saved", S, update, "texts"
    yield "add a list of str", "pybloom-live", L, one_by_one("add"), "texts"
    yield "add a list of str", "pyprobables", P, one_by_one("add"), "texts"
    yield "add a list of str", "set", set, update, "texts"
    yield "add a numpy column of int64", "tepal, int64 keys", I, update, "numbers"
    yield "add a numpy column of int64", "tepal, keys of bytes", T, update, "numbers"
    yield "add a numpy column of int64", "rbloom: column", R, update, "numbers"
    yield "add a numpy column of int64", "rbloom: column.tolist()", R, lambda filter, keys: filter.update(keys.tolist()), "numbers"
    yield "add a numpy column of int64", "rbloom: column.tolist(), a hash that can be saved", N, lambda filter, keys: filter.update(keys.tolist()), "numbers"
    yield "add a numpy column of int64", "set: column.tolist()", set, lambda filter, keys: filter.update(keys.tolist()), "numbers"
    yield "add an arrow column of strings", "tepal", T, update, "column"
    yield "add an arrow column of strings", "rbloom: column.to_pylist()", R, lambda filter, keys: filter.update(keys.to_pylist()), "column"
    yield "add an arrow column of strings", "set: column.to_pylist()", set, lambda filter, keys: filter.update(keys.to_pylist()), "column"
    yield "add one str at a time", "tepal", T, one_by_one("add"), "texts"
    yield "add one str at a time", "rbloom, its salted hash", R, one_by_one("add"), "texts"
    yield "add one str at a time", "set", set, one_by_one("add"), "texts"
    yield "ask for one str at a time, that is in", "tepal", T, ask_one_by_one, "asked"
    yield "ask for one str at a time, that is in", "rbloom, its salted hash", R, ask_one_by_one, "asked"
    yield "ask for one str at a time, that is in", "pybloom-live", L, ask_one_by_one, "asked"
    yield "ask for one str at a time, that is in", "pyprobables", P, ask_one_by_one, "asked"
    yield "ask for one str at a time, that is in", "set", set, ask_one_by_one, "asked"
    yield "ask for one str at a time, whose hash Python has kept", "tepal", T, ask_one_by_one, "asked kept"
    yield "ask for one str at a time, whose hash Python has kept", "rbloom, its salted hash", R, ask_one_by_one, "asked kept"
    yield "ask for one str at a time, whose hash Python has kept", "set", set, ask_one_by_one, "asked kept"
    yield "ask for one str at a time, that is not in", "tepal", T, ask_one_by_one, "asked others"
    yield "ask for one str at a time, that is not in", "rbloom, its salted hash", R, ask_one_by_one, "asked others"
    yield "ask for one str at a time, that is not in", "set", set, ask_one_by_one, "asked others"
    yield "ask for a list of str", "tepal", T, many, "asked"
    yield "ask for a list of str", "rbloom, its salted hash", R, ask_list, "asked"
    yield "ask for a list of str", "set", set, ask_list, "asked"
    yield "ask for an arrow column of strings", "tepal", T, many, "asked column"
    yield "ask for an arrow column of strings", "rbloom: column.to_pylist()", R, lambda filter, keys: [key in filter for key in keys.to_pylist()], "asked column"
    yield "ask for a numpy column of int64", "tepal, int64 keys", I, many, "asked numbers"
    yield "ask for a numpy column of int64", "rbloom: column.tolist()", R, lambda filter, keys: [key in filter for key in keys.tolist()], "asked numbers"
    G = lambda: Segments(n)
    job = "ask for the segments of a list of str"
    yield job, "tepal: segments_many", G, lambda of, keys: of.filter.segments_many(keys), "asked"
    yield job, "tepal: segments, one by one", G, lambda of, keys: [of.filter.segments(key) for key in keys], "asked"
    yield job, "tepal: contains_many", G, lambda of, keys: of.filter.contains_many(keys), "asked"
    for domain, F in ("bytes", T), ("int64", I):
        for add, run in ("add a list of int", update), ("add one int at a time", one_by_one("add")):
            yield f"{add}, keys of {domain}", "tepal", F, run, "ints"
            yield f"{add}, keys of {domain}", "rbloom, its own hash", R, run, "ints"
            yield f"{add}, keys of {domain}", "set", set, run, "ints"
        for ask, ours, theirs in ("a list of int", many, ask_list), ("one int at a time", ask_one_by_one, ask_one_by_one):
            for whose, keys in (", in", "asked ints"), (", not in", "asked other ints"):
                yield f"ask for {ask}{whose}, keys of {domain}", "tepal", F, ours, keys
                yield f"ask for {ask}{whose}, keys of {domain}", "rbloom, its own hash", R, theirs, keys
                yield f"ask for {ask}{whose}, keys of {domain}", "set", set, theirs, keys


def fresh(texts):
    """Equal texts whose hash no object has kept yet, as keys come from a file."""
    return ["".join((text[:8], text[8:])) for text in texts]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    n = options.keys
    source = random.Random(7)
    texts = [f"{source.getrandbits(64):016x}" for _ in range(n)]
    others = [f"{source.getrandbits(64):016x}" for _ in range(n)]
    # Python computes and keeps the hash of a str where one asks for it.
    set(texts)
    numbers, other_numbers = (
        numpy.array([source.getrandbits(62) for _ in range(n)], dtype=numpy.int64) for _ in range(2)
    )
    column = pyarrow.array(texts)
    times = {}
    for _ in range(options.rounds):
        for job, library, make, run, kind in jobs(n):
            some = n // FEWER.get(library, 1)
            filter = make()
            if kind.startswith("asked"):
                members = numbers[:some].tolist() if "numbers" in kind or "ints" in kind else texts[:some]
                if hasattr(filter, "update"):
                    filter.update(members)
                else:
                    one_by_one("add")(filter, members)
            texts_now, numbers_now = (others, other_numbers) if "other" in kind else (texts, numbers)
            if "column" in kind:
                keys = column[:some]
            elif "numbers" in kind:
                keys = numbers_now[:some]
            elif "ints" in kind:
                keys = numbers_now[:some].tolist()
            else:
                keys = texts_now[:some] if "kept" in kind else fresh(texts_now[:some])
            gc.collect()
            gc.disable()
            start = time.process_time()
            run(filter, keys)
            taken = time.process_time() - start
            gc.enable()
            times.setdefault(job, {}).setdefault(library, []).append(taken / some * 1e9)
    print(f"CPython {platform.python_version()}, {n:,} keys at 1 %, {options.rounds} rounds, medians of CPU time.\n")
    print("| job | library | ns a key | times tepal's |\n| --- | --- | ---: | ---: |")
    for job, of in times.items():
        ours = statistics.median(next(iter(of.values())))
        for library, taken in of.items():
            median = statistics.median(taken)
            print(f"| {job} | {library} | {median:.0f} | {median / ours:.2f} |")


if __name__ == "__main__":
    main()
