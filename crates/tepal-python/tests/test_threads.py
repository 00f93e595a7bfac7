"""Threads, processes, Ctrl-C."""

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
import tepal


def test_no_key_is_lost_by_eight_threads_that_add_while_two_ask():
    keys, threads = 1_000_000, 8
    seen = tepal.BloomFilter(keys, 0.001, key_domain="int64")
    stop, errors = threading.Event(), []

    def add(thread):
        mine = np.arange(thread, keys, threads)
        seen.update(mine[: len(mine) // 2])
        rest = mine[len(mine) // 2 :].tolist()
        seen.update(rest[:-2000])
        for key in rest[-2000:]:
            seen.add(key)
            assert key in seen

    def ask():
        rng = np.random.default_rng()
        while not stop.is_set():
            some = rng.integers(0, 2 * keys, 1000)
            before = seen.contains_many(some)
            after = seen.contains_many(some)
            if (before & ~after).any():
                errors.append("a key that was in is gone")

    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        asking = [pool.submit(ask) for _ in range(2)]
        for added in [pool.submit(add, thread) for thread in range(threads)]:
            added.result()
        stop.set()
        for asked in asking:
            asked.result()
    assert not errors
    assert seen.contains_many(np.arange(keys)).all()
    assert seen.keys_inserted == keys
    alone = tepal.BloomFilter(keys, 0.001, key_domain="int64")
    alone.update(np.arange(keys))
    assert seen == alone


def test_two_filters_united_each_way_do_not_wait_for_ever():
    a, b = tepal.BloomFilter(100_000), tepal.BloomFilter(100_000)
    a.update(range(1000)), b.update(range(1000, 2000))

    def unite(here, there):
        for _ in range(300):
            here.update(there)
            here == there, here <= there
            here |= here

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = [pool.submit(unite, *pair) for pair in ((a, b), (b, a), (a, a), (b, b))]
        for future in done:
            future.result(timeout=120)
    assert a == b and all(a.contains_many(range(2000)))


def test_closing_while_others_ask():
    seen = tepal.BloomFilter(100_000)
    seen.update(range(100_000))

    def ask():
        try:
            while True:
                seen.contains_many(range(1000))
        except tepal.ClosedError:
            return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        time.sleep(0.2)
        seen.close()
        assert all(future.result(timeout=60) for future in asking)


def test_other_threads_run_while_a_column_is_read():
    seen = tepal.BloomFilter(20_000_000, key_domain="int64")
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    column = np.arange(5_000_000)
    for _ in range(3):
        seen.update(column)
        seen.contains_many(column)
    end = time.perf_counter()
    stop.set()
    thread.join()
    inside = [tick for tick in ticks if start < tick < end]
    assert len(inside) > 10, (len(inside), end - start)


def in_another_process(seen):
    return "apple" in seen, "banana" in seen, seen.name, seen


def test_pickles_through_spawned_processes():
    seen = tepal.BloomFilter(1000, name="fruit")
    seen.add("apple")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        apple, banana, name, back = pool.apply(in_another_process, (seen,))
    assert (apple, banana, name) == (True, False, "fruit") and back == seen
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(seen, protocol))
        assert type(again) is tepal.BloomFilter and again == seen and again.name == "fruit"


def test_a_keyed_filter_has_no_pickle():
    keyed = tepal.BloomFilter(1000, secret_key=bytes(16))
    with pytest.raises(tepal.SecretError, match="secret key"):
        pickle.dumps(keyed)
    keyed.add("apple")
    assert "apple" in keyed.copy()
    assert keyed == tepal.BloomFilter.from_bytes(keyed.to_bytes(), secret_key=bytes(16))


INTERRUPTED = """
import numpy, os, pyarrow, signal, sys, threading, time, tepal
seen = tepal.BloomFilter(1000, over_capacity="ignore", key_domain="int64")
column = numpy.broadcast_to(numpy.int64(7), 10**10)
what = sys.argv[1]
forms = {"update": lambda: seen.update(column), "ask": lambda: seen.contains_many(column[:10**9]),
         "list": lambda: seen.update([7] * 10**8)}
def strike():
    time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGINT)
if what == "list":
    keys = [7] * 10**8
    forms["list"] = lambda: seen.update(keys)
threading.Thread(target=strike).start()
start = time.perf_counter()
try:
    forms[what]()
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - start, 7 in seen)
"""


@pytest.mark.parametrize("what", ["update", "ask", "list"])
def test_ctrl_c_between_pieces(what):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, what], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("interrupted"), done
    assert float(done.stdout.split()[1]) < 20


MEMORY = """
import numpy, resource, tracemalloc, tepal
seen = tepal.BloomFilter(1_000_000, over_capacity="ignore", key_domain="int64")
column = numpy.arange(100_000_000)
texts = numpy.broadcast_to(numpy.array("some text"), 1_000_000)
seen.update(column[:100_000], texts[:0])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tracemalloc.start()
seen.update(column)
print(tracemalloc.get_traced_memory()[1], 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""


def test_a_column_of_100_million_takes_no_memory():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, timeout=300, check=True)
    traced, resident = map(int, done.stdout.split())
    assert traced < 1 << 20 and resident < 1 << 20, (traced, resident)
