"""What happens while a call reads its keys: the iterator, or another thread, changes the filter, the segment or the question."""

import concurrent.futures
import contextlib
import pickle
import threading
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import tepal
from test_kinds import MAKERS

# More than a batch, and not all of one.
MANY = 10_000


@contextlib.contextmanager
def meanwhile(work):
    """Another thread does this, again and again, until the end of the block."""
    stop = threading.Event()

    def again():
        while not stop.is_set():
            work()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        working = pool.submit(again)
        try:
            yield
        finally:
            stop.set()
        working.result(timeout=60)


def swapped(accounts, before, after, keys=MANY):
    """Keys of "north", while "north" goes and "south" gets its number."""
    for i in range(keys):
        if i == keys // 2:
            accounts.drop_segment(before)
            accounts.add(after, "its own")
        yield f"key {i}"


@pytest.mark.parametrize("keys", [10, MANY])
def test_a_segment_that_the_iterator_drops(keys):
    accounts = tepal.SegmentFilter(3 * MANY, 1e-6)
    accounts.add("north", "old")
    accounts.update("north", swapped(accounts, "north", "south", keys))
    assert accounts.names == ["south", "north"]
    assert all(accounts.segments(f"key {i}") == ("north",) for i in range(keys))
    assert accounts.segments("its own") == ("south",) and accounts.segments("old") == ()
    assert accounts.drop_segment("south") == 1 and accounts.drop_segment("north") == keys


def test_a_segment_by_its_number_that_goes_meanwhile():
    accounts = tepal.SegmentFilter(3 * MANY, 1e-6)
    accounts.add("north", "old")

    def keys():
        yield "key"
        accounts.drop_segment("north")

    with pytest.raises(tepal.ParameterError, match="segment"):
        accounts.update(0, keys())
    assert accounts.names == [] and "key" not in accounts


def test_a_segment_that_another_thread_drops():
    accounts = tepal.SegmentFilter(100 * MANY, 1e-6)

    def swap():
        with contextlib.suppress(tepal.ParameterError):
            accounts.drop_segment("north")
        accounts.add("thief", "its own")
        time.sleep(0)
        accounts.drop_segment("thief")

    def slow(keys):
        for i in range(keys):
            if i % 10 == 0:
                time.sleep(0)
            yield f"key {i}"

    with meanwhile(swap):
        for _ in range(100):
            accounts.update("north", slow(200))
            accounts.update("north", pa.array([f"key {i}" for i in range(MANY)]))
            assert accounts.segments("key 7") in ((), ("north",)) and not accounts.contains_in("thief", "key 150")


def test_keys_of_a_segment_before_one_that_is_refused_are_in():
    def fails():
        yield from (f"key {i}" for i in range(5000))
        raise KeyError("gone")

    for keys, error in ((fails(), KeyError), ([f"key {i}" for i in range(5000)] + [1.5, "late"], tepal.KeyTypeError)):
        accounts = tepal.SegmentFilter(MANY, 1e-9)
        with pytest.raises(error):
            accounts.update("north", keys)
        assert accounts.drop_segment("north") == 5000
    # A key that is refused makes no segment.
    accounts = tepal.SegmentFilter(MANY, key_domain="int64")
    with pytest.raises(tepal.KeyValueError):
        accounts.add("north", "nine")
    assert accounts.names == []
    accounts.update("north", [])
    assert accounts.names == ["north"]
    full = tepal.SegmentFilter(100, 0.001)
    with pytest.raises(tepal.CapacityError, match="100"):
        full.update("north", range(5000))
    assert all(full.contains_many(range(100)))


@pytest.mark.parametrize("name", MAKERS)
def test_a_filter_that_its_own_iterator_changes(name):
    """Whatever is asked or changed by the iterator, every key that came is in."""
    filter = MAKERS[name]([])
    update = filter.update if name != "SegmentFilter" else lambda keys: filter.update("all", keys)

    def keys():
        for i in range(1000):
            yield f"key {i}"
            if i % 100 == 0:
                update([f"inner {i}"])
                assert f"inner {i}" in filter and filter.copy() == filter
                pickle.loads(pickle.dumps(filter))
                filter.contains_many(f"inner {i}" for i in range(2))

    update(keys())
    assert all(filter.contains_many([f"key {i}" for i in range(1000)] + [f"inner {i}" for i in range(0, 1000, 100)]))

    def closes():
        yield "a"
        filter.close()
        yield "b"

    for call in (update, filter.contains_many):
        with pytest.raises(tepal.ClosedError):
            call(closes())


def test_a_filter_of_other_size_while_keys_are_read():
    seen = tepal.BloomFilter(100_000, 0.001, over_capacity="ignore")

    def keys():
        for i in range(MANY):
            if i == MANY // 2:
                assert seen.shrink_to(0.01) > 1
            yield i

    seen.update(keys())
    assert all(seen.contains_many(range(MANY)))

    def forgets():
        yield 1
        seen.clear()
        yield 2

    seen.update(forgets())
    assert 1 in seen and 2 in seen and 3 not in seen
    open_sessions = tepal.QuotientFilter(100_000, 0.0001)

    def copies():
        yield from range(1000)
        open_sessions.shrink_to(0.001)
        yield from range(1000)

    open_sessions.update(copies())
    assert open_sessions.remove_many(copies_of(open_sessions)) == 2000 and open_sessions.keys_inserted == 0


def copies_of(filter):
    for _ in range(2):
        yield from range(1000)
        assert filter.count(7) >= 1


def test_keys_that_expire_while_others_are_read():
    logins = tepal.ExpiringFilter(50_000, 1e-6, window=60, generations=6)
    logins.advance_to(1000)

    def keys():
        for i in range(MANY):
            if i == MANY // 2:
                logins.advance_to(1030)
            yield i

    logins.update(keys())
    assert logins.now == 1030 and all(logins.contains_many(range(MANY)))
    # None goes before its window is over.
    logins.advance_to(1060)
    assert all(logins.contains_many(range(MANY)))
    logins.advance_to(2000)
    assert not any(logins.contains_many(range(MANY)))


def test_a_union_with_itself_brings_nothing_back():
    """A filter united with itself while another thread clears it: what was forgotten stays so."""
    for make in (lambda: tepal.BloomFilter(2_000_000), lambda: tepal.QuotientFilter(200_000), lambda: tepal.GrowingFilter()):
        filter = make()

        def unite():
            with contextlib.suppress(tepal.CapacityError):
                filter.update(filter)

        with meanwhile(unite):
            for i in range(50):
                filter.add(f"key {i}")
                time.sleep(0.001)
                filter.clear()
                time.sleep(0.005)
                assert f"key {i}" not in filter and filter.estimated_len() == 0


def test_a_proper_subset_is_seen_at_one_moment():
    """The large one never has fewer bits than the small one, so it is never a proper subset."""
    small, large = tepal.BloomFilter(5_000_000), tepal.BloomFilter(5_000_000)
    keys = iter(range(90_000))
    with meanwhile(lambda: large.add(next(keys, 0))):
        for _ in range(100):
            # The same bits, for a moment.
            small |= large
            assert not large < small and not small > large
    large.add("another")
    assert small < large and large > small and not small < small


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("dtype", ["int64", "object"])
def test_a_series_that_is_sorted_while_it_is_asked(dtype):
    """Answers have the index that the values had when they were read."""
    seen = tepal.BloomFilter(1000, key_domain="int64")
    seen.update([1, 2])
    rows = pd.Series([5, 1, 7, 2, 9], index=list("abcde"), dtype=dtype, name="id")
    expected = pd.Series([False, True, False, True, False], index=list("abcde"), name="id")

    def sort():
        rows.sort_values(inplace=True)
        rows.sort_index(inplace=True, ascending=False)

    with meanwhile(sort):
        for _ in range(1000):
            answers = seen.contains_many(rows)
            assert answers.sort_index().equals(expected)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_a_series_whose_objects_sort_it():
    class Sorts:
        def __index__(self):
            rows.sort_values(inplace=True, key=lambda keys: [1, 0])
            rows.name = "other"
            return 1

    rows = pd.Series([Sorts(), 7], index=["member", "stranger"], dtype=object, name="id")
    seen = tepal.BloomFilter(1000)
    seen.add(1)
    answers = seen.contains_many(rows)
    assert rows.index.tolist() == ["stranger", "member"]
    assert answers.to_dict() == {"member": True, "stranger": False} and answers.name == "id"
    rows = pd.Series([Sorts(), 7], index=["member", "stranger"], dtype=object, name="id")
    values = tepal.RibbonMap({1: 5}, 1e-9).get_many(rows)
    assert values["member"] == 5 and values["stranger"] is pd.NA


def test_a_map_whose_pairs_change_while_they_are_read():
    pairs = {f"key {i}": i for i in range(100)}

    class Value:
        def __index__(self):
            pairs.pop("key 99", None)
            return 7

    pairs["key 5"] = Value()
    with pytest.raises(RuntimeError, match="changed size"):
        tepal.RibbonMap(pairs)
    keys = ["a", "b", "c"]

    def values():
        yield from (1, 2)
        keys.append("d")
        yield 3

    assert len(tepal.RibbonMap.from_columns(keys, values())) == 3


def test_pickles_and_files_are_of_one_moment(tmp_path):
    """While others add and take away pairs of keys, a copy has both of a pair or neither of its keys."""
    open_sessions = tepal.QuotientFilter(100_000, 1e-6)
    pairs = np.arange(5000, dtype=np.int64)

    def change():
        # Fewer than a piece: in one change.
        open_sessions.update(pairs)
        open_sessions.remove_many(pairs)

    with meanwhile(change):
        for _ in range(50):
            for again in (pickle.loads(pickle.dumps(open_sessions)), open_sessions.copy(), tepal.QuotientFilter.from_bytes(open_sessions.to_bytes())):
                held = again.contains_many(pairs)
                assert held.all() or not held.any()
            info = open_sessions.info()
            assert info["keys_inserted"] in (0, 5000) and (info["tables"][0]["taken_slots"] > 0) == (info["keys_inserted"] > 0)
