"""Arguments of the wrong type, and what a filter is as an object of Python."""

import io
import os
import pathlib
import sys

import pandas as pd
import pytest
import tepal

MAKERS = {
    "BloomFilter": lambda **options: tepal.BloomFilter(100, **options),
    "ScalableBloomFilter": lambda **options: tepal.ScalableBloomFilter(100, **options),
    "QuotientFilter": lambda **options: tepal.QuotientFilter(100, **options),
    "GrowingFilter": lambda **options: tepal.GrowingFilter(**options),
    "ExpiringFilter": lambda **options: tepal.ExpiringFilter(100, window=60, **options),
    "SegmentFilter": lambda **options: tepal.SegmentFilter(100, **options),
    "RibbonFilter": lambda **options: tepal.RibbonFilter([], **options),
    "RibbonMap": lambda **options: tepal.RibbonMap({}, **options),
}


@pytest.mark.parametrize("name", MAKERS)
def test_an_empty_filter_is_true(name):
    filter = MAKERS[name]()
    assert bool(filter) is True and (filter or None) is filter
    if hasattr(filter, "__len__"):
        assert len(filter) == 0


def test_a_closed_filter_is_true_and_small():
    filter = tepal.BloomFilter(1000)
    filter.close()
    assert bool(filter) is True and sys.getsizeof(filter) < 2000


@pytest.mark.parametrize("name", MAKERS)
def test_arguments_of_the_wrong_type(name):
    make = MAKERS[name]
    wrong = {"false_positive_rate": "x", "seed": "x", "secret_key": "sixteen letters.", "key_domain": 7, "name": b"x"}
    for argument, given in wrong.items():
        with pytest.raises(tepal.ParameterTypeError) as raised:
            make(**{argument: given})
        assert isinstance(raised.value, TypeError) and not isinstance(raised.value, tepal.KeyTypeError)
        assert type(given).__name__ in str(raised.value), raised.value
    with pytest.raises(tepal.ParameterError):
        make(false_positive_rate=10**400)
    with pytest.raises(tepal.ParameterError, match="surrogate"):
        make(name="\ud800")
    with pytest.raises(tepal.ParameterError, match="surrogate"):
        tepal.SegmentFilter(10).add("\ud800", "key")
    assert make(false_positive_rate=1 / 4, name="fine", secret_key=bytes(16)).name == "fine"


OTHERS = [
    lambda seen: tepal.BloomFilter(100, layout=7),
    lambda seen: tepal.BloomFilter(100, scheme=7),
    lambda seen: tepal.BloomFilter(100, over_capacity=None),
    lambda seen: tepal.BloomFilter("100"),
    lambda seen: tepal.ScalableBloomFilter(100, expansion="x"),
    lambda seen: tepal.QuotientFilter(100, count_bits="x"),
    lambda seen: tepal.GrowingFilter(deletable="x"),
    lambda seen: tepal.ExpiringFilter(100, window=60, generations="x"),
    lambda seen: tepal.ExpiringFilter(100, window="60"),
    lambda seen: tepal.RibbonFilter(["a"], threads="x"),
    lambda seen: tepal.RibbonFilter(["a"], prefer_speed="x"),
    lambda seen: tepal.RibbonMap({"a": 1}, known_keys_only="x"),
    lambda seen: tepal.RibbonMap({"a": 1.5}),
    lambda seen: tepal.RibbonMap([1]),
    lambda seen: seen.shrink_to("x"),
    lambda seen: seen.save(7),
    lambda seen: seen.save(io.BytesIO(), format=7),
    lambda seen: seen.to_bytes(seal_key="x"),
    lambda seen: seen.issubset(["a"]),
    lambda seen: seen.intersection(["a"]),
    lambda seen: setattr(seen, "over_capacity", 7),
    lambda seen: tepal.open(io.StringIO()),
    lambda seen: tepal.open("x", quick="x"),
    lambda seen: tepal.Filter.from_bytes(7),
    lambda seen: tepal.seed_for(7),
    lambda seen: tepal.KeyCounter(7),
    lambda seen: tepal.shards_of(["a"], "x"),
    lambda seen: tepal.SegmentFilter(100).rename_segment("a", 7),
    lambda seen: tepal.SegmentFilter(100).add(1.5, "a"),
]


@pytest.mark.parametrize("call", OTHERS)
def test_every_other_argument(call):
    with pytest.raises(tepal.ParameterTypeError) as raised:
        call(tepal.BloomFilter(100))
    assert isinstance(raised.value, TypeError)


def test_numbers_past_their_range_are_errors_of_the_package():
    for call in (
        lambda: tepal.QuotientFilter(100, count_bits=300),
        lambda: tepal.ScalableBloomFilter(100, expansion=2**40),
        lambda: tepal.ExpiringFilter(100, window=60, generations=300),
        lambda: tepal.RibbonFilter(["a"], threads=2**70),
        lambda: tepal.RibbonFilter(["a"], threads=-1),
    ):
        with pytest.raises(tepal.ParameterError):
            call()


def test_operators_with_others_stay_pythons():
    with pytest.raises(TypeError, match="unsupported operand"):
        tepal.BloomFilter(100) & ["a"]
    with pytest.raises(TypeError, match="unsupported operand"):
        tepal.BloomFilter(100) | ["a"]


def test_a_path_of_bytes(tmp_path):
    seen = tepal.BloomFilter(100)
    seen.add("a")
    path = os.fsencode(tmp_path / "seen.tepal")
    seen.save(path)
    assert tepal.open(path) == seen == tepal.BloomFilter.open(tmp_path / "seen.tepal")

    class Path:
        def __fspath__(self):
            return path

    assert tepal.open(Path()) == seen
    odd = os.fsencode(tmp_path) + b"/\xff.tepal"
    seen.save(odd)
    assert tepal.open(odd) == seen == tepal.open(pathlib.Path(os.fsdecode(odd)))


def test_a_file_that_was_not_rewound():
    file = io.BytesIO()
    tepal.BloomFilter(100).save(file)
    with pytest.raises(tepal.ParameterError, match=r"seek\(0\)"):
        tepal.open(file)
    file.seek(0)
    assert tepal.open(file) == tepal.BloomFilter(100)
    with pytest.raises(tepal.FormatError):
        tepal.open(io.BytesIO())


@pytest.mark.parametrize("name", MAKERS)
def test_the_size_of_a_filter_is_seen(name):
    filter = MAKERS[name]()
    assert filter.size_in_bytes < sys.getsizeof(filter) < filter.size_in_bytes + 2000
    big = tepal.BloomFilter(1_000_000)
    assert sys.getsizeof(big) > 1_000_000


def test_a_cleared_filter_of_segments():
    accounts = tepal.SegmentFilter(1000, name="accounts")
    accounts.update("north", ["alice", "bob"])
    accounts.clear()
    assert len(accounts) == 0 and accounts.names == ["north"] and "alice" not in accounts and accounts.name == "accounts"
    accounts.add("south", "carol")
    assert accounts.segments("carol") == ("south",) and accounts.segments_many(["carol"]) == [accounts.segments("carol")]


def test_whole_numbers_with_gaps_are_keys_as_told():
    seen = tepal.BloomFilter(100)
    seen.update(pd.Series([1, None, 3]).astype("Int64"))
    assert seen.nulls_skipped == 1 and 1 in seen and "3" in seen


def test_intersection_update_changes_nothing_if_one_is_no_filter():
    """Also where those before it are filters."""
    for make in (lambda: tepal.BloomFilter(1000), lambda: tepal.QuotientFilter(1000), lambda: tepal.ExpiringFilter(1000, window=60)):
        a, b = make(), make()
        a.update(["a", "b"]), b.update(["b"])
        before = a.copy()
        with pytest.raises(tepal.ParameterTypeError, match="list is no filter"):
            a.intersection_update(b, [1])
        assert a == before and "a" in a
        a.intersection_update(b, b)
        assert "a" not in a and "b" in a
