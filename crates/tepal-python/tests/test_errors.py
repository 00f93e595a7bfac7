"""Whatever is wrong is an exception that says what to do. Nothing ends the interpreter."""

import datetime
import decimal
import errno
import os
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tepal


def small():
    seen = tepal.BloomFilter(100)
    seen.add("apple")
    return seen


NO_KEYS = [
    (1.5, "round it to an int"),
    (float("nan"), "round it to an int"),
    (np.float32(1), "round it to an int"),
    (True, "True is not 1"),
    (np.True_, "True is not 1"),
    (None, "leave it out"),
    ([1], "many keys go to update"),
    ({"a"}, "many keys go to update"),
    ({"a": 1}, "many keys go to update"),
    (np.arange(3), "many keys go to update"),
    (object(), "keys are str, bytes, int"),
    (datetime.date(2026, 11, 23), "keys are str, bytes, int"),
    (decimal.Decimal(1), "keys are str, bytes, int"),
    (1j, "keys are str, bytes, int"),
    (("a", 1.5), "round it to an int"),
    (("a", ("b", None)), "leave it out"),
    (tepal.BloomFilter, "keys are str, bytes, int"),
]


@pytest.mark.parametrize("key, advice", NO_KEYS, ids=lambda value: repr(value)[:20])
def test_objects_that_are_no_keys(key, advice):
    seen = small()
    for call in (seen.add, lambda key: key in seen, lambda key: seen.update([key]), lambda key: seen.contains_many([key])):
        with pytest.raises(tepal.KeyTypeError, match=re.escape(advice)) as raised:
            call(key)
        assert isinstance(raised.value, TypeError)
    assert seen == small()


NO_COLUMNS = [
    ("apple", "give a list of keys"),
    (b"apple", "give a list of keys"),
    (bytearray(b"apple"), "give a list of keys"),
    (7, "give a list"),
    (None, "give a list"),
    (np.zeros(3), "astype('int64')"),
    (np.zeros(3, np.float16), "astype('int64')"),
    (np.zeros(3, bool), "True is not 1"),
    (np.zeros(3, complex), "astype()"),
    (np.zeros((2, 2), int), "ravel()"),
    (np.array(7), "dimensions"),
    (np.array(["2026-11-23"], "M8[s]"), "astype()"),
    (np.zeros(3, "i4,i8"), "astype()"),
    (np.zeros(3, "V5"), "astype()"),
    (np.ma.masked_array([1, 2], [True, False]), "compressed()"),
    (pa.array([1.5]), "cast them to int64 or string"),
    (pa.array([True]), "true is not 1"),
    (pa.array([[1]]), "a column of strings"),
    (pa.array([datetime.date(2026, 11, 23)]), "cast them to int64 or string"),
    (pa.array([decimal.Decimal(1)]), "cast them to int64 or string"),
    (pa.table({"a": [1], "b": [2]}), "2 columns (a, b)"),
    (pa.table({}), "0 columns"),
    (pl.Series([1.5]), "cast them to int64 or string"),
    (pl.DataFrame({"a": [1], "b": [2]}), "2 columns (a, b)"),
    (pa.RunEndEncodedArray.from_arrays([1], ["a"]), "cast them to the type of the values"),
    (pl.col("a"), "pl.col(...).tepal.isin(seen)"),
    (pl.LazyFrame({"a": [1]}), "collect()"),
    (pd.Series([1.5]), "astype('Int64')"),
    (pd.Series([1, None]), "astype('Int64')"),
    (pd.Series([1, None], dtype="Float64"), "astype('Int64')"),
    (pd.Series([1.5], dtype="category"), "astype('Int64')"),
    (pd.DataFrame({"a": [1], "b": [2]}), "2 columns (a, b)"),
]


@pytest.mark.parametrize("keys, advice", NO_COLUMNS, ids=lambda value: repr(value)[:20])
def test_columns_that_hold_no_keys(keys, advice):
    seen = small()
    for call in (seen.update, seen.contains_many):
        with pytest.raises(tepal.KeyTypeError, match=re.escape(advice)):
            call(keys)
    assert seen == small()


def test_the_number_of_the_key_is_a_note():
    with pytest.raises(tepal.KeyTypeError) as raised:
        small().update(["a", "b", 1.5])
    assert raised.value.__notes__ == ["it is number 2 of the keys, from 0"]


class Liar:
    """An object that gives something else where Arrow is expected."""

    def __init__(self, given):
        self.given = given

    def __arrow_c_array__(self, requested_schema=None):
        return self.given


def capsule_pair():
    return pa.array(["a"]).__arrow_c_array__()


@pytest.mark.parametrize("given", [None, 7, (), (1, 2), (1,), capsule_pair()[0], capsule_pair()[::-1], capsule_pair() * 2])
def test_objects_that_only_look_like_arrow(given):
    for call in (small().update, small().contains_many):
        with pytest.raises((TypeError, ValueError)):
            call(Liar(given))


def test_a_capsule_is_used_once():
    pair = capsule_pair()
    small().update(Liar(pair))
    with pytest.raises(tepal.KeyTypeError, match="empty schema"):
        small().update(Liar(pair))


PARAMETERS = [
    (lambda: tepal.BloomFilter(0), "1 key or more"),
    (lambda: tepal.BloomFilter(-1), "2**64 - 1"),
    (lambda: tepal.BloomFilter(10**30), "2**64 - 1"),
    (lambda: tepal.BloomFilter(10**5000), "2**64 - 1"),
    (lambda: tepal.BloomFilter(1, 0), "greater than 0"),
    (lambda: tepal.BloomFilter(1, 1), "less than 1"),
    (lambda: tepal.BloomFilter(1, -0.5), "greater than 0"),
    (lambda: tepal.BloomFilter(1, float("nan")), "greater than 0"),
    (lambda: tepal.BloomFilter(1, float("inf")), "less than 1"),
    (lambda: tepal.BloomFilter(1, 1e-300), "out of reach"),
    (lambda: tepal.BloomFilter(2**64 - 1), "split the keys"),
    (lambda: tepal.BloomFilter(1, layout="best"), "line, double, split-block, scattered"),
    (lambda: tepal.BloomFilter(1, key_domain="float"), "bytes, int64"),
    (lambda: tepal.BloomFilter(1, over_capacity="grow"), "refuse, warn, ignore"),
    (lambda: tepal.BloomFilter(1, seed=-1), "2**64 - 1"),
    (lambda: tepal.BloomFilter(1, secret_key=b"short"), "token_bytes(16)"),
    (lambda: tepal.BloomFilter(1, secret_key=bytes(16), seed=1), "seed"),
    (lambda: tepal.BloomFilter(1, name=""), "not empty"),
    (lambda: tepal.BloomFilter(1, name="two\nlines"), "control characters"),
    (lambda: tepal.BloomFilter(1, name="x" * 100_000), "at most"),
    (lambda: tepal.BloomFilter(1.5), "whole number"),
    (lambda: tepal.BloomFilter(True), "whole number"),
    (lambda: tepal.BloomFilter("7"), "whole number"),
    (lambda: small().shrink_to(2), "less than 1"),
    (lambda: small().to_bytes(format="zip"), "guava"),
    (lambda: small().to_bytes(format="guava"), "cannot hold this filter"),
    (lambda: small().to_bytes(seal_key=b"short"), "seal"),
    (lambda: small().union(tepal.BloomFilter(10_000)), "differ in size"),
    (lambda: small().intersection(tepal.BloomFilter(100, seed=7)), "differ in"),
    (lambda: small() <= tepal.BloomFilter(10_000), "differ in size"),
    (lambda: small().update(tepal.BloomFilter(10_000)), "differ in size"),
    (lambda: tepal.Filter.from_bytes(b""), "not a tepal filter"),
    (lambda: tepal.Filter.from_bytes(b"hello"), "not a tepal filter"),
    (lambda: tepal.Filter.from_bytes("hello"), "give bytes"),
    (lambda: tepal.Filter.from_bytes(np.zeros(3)), "give bytes"),
    (lambda: tepal.Filter.from_bytes(small().to_bytes(), name="another"), "was expected"),
    (lambda: tepal.Filter.from_bytes(small().to_bytes(), key_domain="int64"), "key domain"),
    (lambda: tepal.Filter.from_bytes(small().to_bytes(), secret_key=bytes(16)), "leave the key out"),
    (lambda: tepal.Filter.from_bytes(small().to_bytes(), seal_key=bytes(32)), "no seal"),
    (lambda: tepal.Filter.from_bytes(small().to_bytes(seal_key=bytes(32))), "`seal_key=`"),
    (lambda: tepal.Filter.from_bytes(tepal.BloomFilter(1, secret_key=bytes(16)).to_bytes()), "`secret_key=`"),
]


@pytest.mark.parametrize("call, advice", PARAMETERS)
def test_values_that_cannot_be(call, advice):
    with pytest.raises(tepal.Error, match=re.escape(advice)) as raised:
        call()
    assert isinstance(raised.value, (ValueError, TypeError, OverflowError))
    # What it says is said of Python.
    assert "::" not in str(raised.value) and "--" not in str(raised.value), raised.value


def test_every_damage_is_found():
    whole = small().to_bytes()
    for at in range(0, 8 * len(whole), 7):
        damaged = bytearray(whole)
        damaged[at // 8] ^= 1 << at % 8
        with pytest.raises(tepal.Error):
            tepal.Filter.from_bytes(damaged)
    for cut in range(len(whole)):
        with pytest.raises(tepal.FormatError):
            tepal.Filter.from_bytes(whole[:cut])


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        tepal.open(tmp_path / "none.tepal")
    assert isinstance(raised.value, tepal.FileError) and raised.value.errno == errno.ENOENT
    assert raised.value.filename == str(tmp_path / "none.tepal") and raised.value.strerror == os.strerror(errno.ENOENT)
    with pytest.raises(IsADirectoryError):
        tepal.open(tmp_path)
    with pytest.raises(tepal.FileError) as raised:
        small().save(tmp_path / "none" / "seen.tepal")
    assert raised.value.errno == errno.ENOENT and "none" in raised.value.filename
    (tmp_path / "text").write_text("hello")
    with pytest.raises(tepal.FormatError, match="it looks like text"):
        tepal.open(tmp_path / "text")
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(tepal.FileError, match="device"):
        tepal.open(tmp_path / "device")
    with pytest.raises(TypeError):
        tepal.open(7)
    with pytest.raises((ValueError, OSError)):
        tepal.open("nul\0byte")


def test_after_close(tmp_path):
    small().save(tmp_path / "seen.tepal")
    seen = tepal.open(tmp_path / "seen.tepal")
    with seen as same:
        assert same is seen and "apple" in seen
    calls = [
        lambda: "apple" in seen, lambda: seen.add("apple"), lambda: seen.update(["a"]), lambda: seen.contains_many(["a"]),
        lambda: seen.update(np.arange(3)), lambda: seen.contains_many(np.arange(3)), lambda: seen.info(),
        lambda: seen.copy(), lambda: seen.to_bytes(), lambda: seen.save(tmp_path / "again"), lambda: seen | small(),
        lambda: small() | seen, lambda: seen == small(), lambda: small() <= seen, lambda: seen.capacity, lambda: seen.estimated_len(),
        lambda: seen.false_positive_rate, lambda: seen.clear(), lambda: seen._repr_html_(), lambda: seen.num_hashes,
        lambda: seen.__reduce__(), lambda: seen.verify(), lambda: seen.shrink_to(0.5),
    ]
    for call in calls:
        with pytest.raises(tepal.ClosedError, match="open its file again"):
            call()
    assert repr(seen) == "<tepal.BloomFilter closed>"
    seen.close()


def test_classes_of_errors():
    assert issubclass(tepal.CapacityError, OverflowError) and issubclass(tepal.FileError, OSError)
    assert issubclass(tepal.DamagedError, ValueError) and issubclass(tepal.KeyTypeError, TypeError)
    for name in tepal.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(tepal, name), tepal.Error) and getattr(tepal, name).__module__ == "tepal"


def test_filter_has_no_constructor():
    for name in ("Filter", "MutableFilter", "BooleanColumn"):
        with pytest.raises(TypeError):
            getattr(tepal, name)()
