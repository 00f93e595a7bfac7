"""Every public call with odd values: an answer or an `Exception`, which names no flag of the command and no call of Rust.

`fuzz.py` does the same at random, and for longer.
"""

import random
import re

import numpy as np
import pyarrow as pa
import pytest
import tepal
from fuzz import KEYWORDS, Index, Liar, Raises

ITSELF = []
ITSELF.append(ITSELF)


def failing():
    yield "a"
    raise RuntimeError("no")


def closed():
    filter = tepal.BloomFilter(10)
    filter.close()
    return filter


# Makers, since iterators are used up.
ODD = [
    lambda: None, lambda: True, lambda: -1, lambda: 0, lambda: 2**63, lambda: 2**64, lambda: -(2**70), lambda: 10**5000,
    lambda: 1.5, lambda: float("nan"), lambda: float("inf"), lambda: -0.0, lambda: 1j, lambda: "", lambda: "\ud800",
    lambda: "a\0b", lambda: "x" * 70_000, lambda: b"", lambda: bytes(16), lambda: bytearray(3), lambda: [], lambda: (),
    lambda: {}, lambda: [[]], lambda: ITSELF, lambda: [1, "a", None], lambda: [("a", -1)], lambda: [("a", 5), ("a", 6)],
    lambda: {"a": 2**32}, object, Raises, lambda: Index(-1), lambda: Index("x"), lambda: Liar(random.Random(7)), failing,
    lambda: iter([]), lambda: range(-3, 3), lambda: np.zeros((2, 2)), lambda: np.zeros(0, "f4"), lambda: np.zeros(3, "i4")[::-1],
    lambda: np.ma.masked_array([1], [True]), lambda: pa.array([None]), lambda: pa.array([1, None]), lambda: pa.table({}),
    lambda: tepal.BloomFilter, lambda: tepal.BloomFilter(10), lambda: tepal.RibbonMap({"a": 1}), closed, lambda: ...,
]

FILTERS = {
    "bloom": lambda: tepal.BloomFilter(100),
    "bloom of integers": lambda: tepal.BloomFilter(100, key_domain="int64"),
    "bloom with a secret": lambda: tepal.BloomFilter(100, secret_key=bytes(16)),
    "chain": lambda: tepal.ScalableBloomFilter(10, expansion=2),
    "deletable": lambda: tepal.QuotientFilter(100, count_bits=4),
    "growing": lambda: tepal.GrowingFilter(first=10, deletable=True),
    "window": lambda: tepal.ExpiringFilter(100, window=60),
    "window of keys": lambda: tepal.ExpiringFilter(window_of_keys=100),
    "segments": lambda: tepal.SegmentFilter(100),
    "static": lambda: tepal.RibbonFilter(["a", 1]),
    "map": lambda: tepal.RibbonMap({"a": 3, 1: 200}),
    "map of names": lambda: tepal.RibbonMap([("a", "x"), (1, "y")], 0.1),
    "counter": tepal.KeyCounter,
}
PRIVATE = {"__class__", "__init_subclass__", "__new__", "__getattribute__", "__setattr__", "__delattr__", "__dir__", "__reduce_ex__"}


def attempt(call, *arguments, **keywords):
    """Calls it. Whatever comes is no `BaseException` alone, such as a panic of the native half."""
    try:
        call(*arguments, **keywords)
    except tepal.Error as error:
        text = str(error)
        assert text and "::" not in text and not re.search("--[a-z]", text), text
    except Exception:
        pass


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """Odd names of files stay below the test's folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", FILTERS)
def test_methods_and_properties(kind):
    make = FILTERS[kind]
    made = make()
    for name in sorted(set(dir(made)) - PRIVATE):
        for odd in ODD:
            made = make()
            found = getattr(made, name)
            if not callable(found):
                attempt(setattr, made, name, odd())
                continue
            attempt(found, odd())
            attempt(found, "a", odd())
            attempt(found, odd(), odd())
            attempt(found, "a", **{KEYWORDS[hash(name) % len(KEYWORDS)]: odd()})
            # It still answers.
            if kind != "counter" and name != "close":
                made.contains_many(["a", 1])


CLASSES = [value for value in vars(tepal).values() if isinstance(value, type) and not issubclass(value, BaseException)]


@pytest.mark.parametrize("made", CLASSES, ids=lambda made: made.__name__)
def test_constructors(made):
    first = {"RibbonFilter": ["a"], "RibbonMap": {"a": 1}}.get(made.__name__, 100)
    for odd in ODD:
        attempt(made, odd())
        attempt(made, odd(), odd())
        attempt(made, first, odd())
        for keyword in KEYWORDS:
            attempt(made, first, **{keyword: odd()})
        for reader in ("from_bytes", "from_file", "open", "from_columns"):
            if hasattr(made, reader):
                attempt(getattr(made, reader), odd())
                attempt(getattr(made, reader), ["a"], odd())


def test_functions():
    file = tepal.BloomFilter(10).to_bytes()
    for odd in ODD:
        for call in (tepal.open, tepal.seed_for, tepal.shards_of, tepal.Filter.from_bytes):
            attempt(call, odd())
            attempt(call, odd(), odd())
            attempt(call, ["a"], odd())
            for keyword in KEYWORDS:
                attempt(call, file, **{keyword: odd()})
