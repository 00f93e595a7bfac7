"""Past the capacity: who is told, when, and that no key is lost for it."""

import warnings

import numpy as np
import pytest
import tepal

KEYS = [f"key {i}" for i in range(1000)]
MAKERS = {
    "BloomFilter": lambda **options: tepal.BloomFilter(100, **options),
    "QuotientFilter": lambda **options: tepal.QuotientFilter(100, **options),
    "ExpiringFilter": lambda **options: tepal.ExpiringFilter(100, window=60, **options),
    "SegmentFilter": lambda **options: tepal.SegmentFilter(100, **options),
}


def update(filter, keys):
    args = ("all", keys) if isinstance(filter, tepal.SegmentFilter) else (keys,)
    filter.update(*args)


def add(filter, key):
    args = ("all", key) if isinstance(filter, tepal.SegmentFilter) else (key,)
    return filter.add(*args)


@pytest.mark.parametrize("name", MAKERS)
def test_warn_warns_once_after_the_keys_are_in(name):
    for fill in (lambda filter: update(filter, KEYS), lambda filter: [add(filter, key) for key in KEYS]):
        filter = MAKERS[name](over_capacity="warn")
        update(filter, KEYS[:100])
        assert not filter.is_over_capacity and not filter.info()["warnings"]
        with pytest.warns(UserWarning, match="more keys than the 100 it was planned for") as caught:
            fill(filter)
        assert len(caught) == 1 and caught[0].filename == __file__
        assert all(filter.contains_many(KEYS)) and filter.is_over_capacity
        info = filter.info()
        assert info["over_capacity"] and "greater capacity=" in info["warnings"][0]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            update(filter, ["one more"])
            add(filter, "and one")


@pytest.mark.parametrize("name", MAKERS)
def test_a_warning_that_is_an_error_loses_no_key(name):
    filter = MAKERS[name](over_capacity="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            update(filter, KEYS)
        assert all(filter.contains_many(KEYS))
        filter = MAKERS[name](over_capacity="warn")
        raised = []
        for key in KEYS:
            try:
                add(filter, key)
            except UserWarning:
                raised.append(key)
    assert len(raised) == 1 and all(filter.contains_many(KEYS))


@pytest.mark.parametrize("name", MAKERS)
def test_ignore_is_silent_and_tells_the_truth(name):
    filter = MAKERS[name](over_capacity="ignore")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        update(filter, KEYS)
    assert filter.is_over_capacity and filter.info()["over_capacity"] and filter.info()["warnings"]
    filter = MAKERS[name]()
    with pytest.raises(tepal.CapacityError):
        update(filter, KEYS)
    assert filter.is_over_capacity is False and not filter.info()["warnings"]
    assert filter.over_capacity == "refuse"
    filter.over_capacity = "ignore"
    update(filter, KEYS)
    assert filter.over_capacity == "ignore" and filter.is_over_capacity


def test_every_kind_says_whether_it_is_past_its_capacity():
    for filter in (tepal.RibbonFilter(KEYS), tepal.RibbonMap({"a": 1}), tepal.ScalableBloomFilter(10), tepal.GrowingFilter(first=10)):
        if isinstance(filter, tepal.MutableFilter):
            filter.update(KEYS)
        assert filter.is_over_capacity is False and not filter.info()["warnings"]


def test_repeats_are_no_reason_to_warn():
    filter = tepal.BloomFilter(1000, over_capacity="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            filter.update(KEYS)
            for key in KEYS:
                filter.add(key)
    assert not filter.is_over_capacity
    with pytest.warns(UserWarning):
        filter.update(np.arange(2000))


def test_the_warning_is_not_late():
    filter = tepal.BloomFilter(10_000, over_capacity="warn")
    added = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            for key in range(20_000):
                filter.add(key)
                added += 1
    assert 10_000 < added < 10_500 and filter.false_positive_rate < 0.0115


def test_unions_warn():
    a, b = (tepal.BloomFilter(1000, over_capacity="warn") for _ in range(2))
    a.update(range(1000)), b.update(range(1000, 2000))
    for call in (lambda: a | b, lambda: a.union(range(5000)), lambda: a.update(b)):
        with pytest.warns(UserWarning) as caught:
            call()
        assert len(caught) == 1
    segments = tepal.SegmentFilter(100, over_capacity="warn"), tepal.SegmentFilter(100, over_capacity="warn")
    segments[0].update("a", range(90)), segments[1].update("b", range(90))
    with pytest.warns(UserWarning):
        segments[0].__ior__(segments[1])
