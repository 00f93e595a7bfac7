"""What Python people expect of a set, of files and of times, in every kind that can have it."""

import gc
import gzip
import io
import pickle
import tempfile
import weakref
from datetime import datetime, timedelta, timezone

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tepal


def bloom():
    return tepal.BloomFilter(1000, 1e-6)


def expiring():
    return tepal.ExpiringFilter(1000, 1e-6, window=3600)


def quotient():
    return tepal.QuotientFilter(1000, 1e-6)


def growing():
    return tepal.GrowingFilter(1e-6)


def chain():
    return tepal.ScalableBloomFilter(1000, 1e-6)


def ribbon():
    return tepal.RibbonFilter(["of old"], 1e-6)


def segments():
    return tepal.SegmentFilter(1000, 1e-6)


TAKE_KEYS = [bloom, expiring, quotient, growing, chain, ribbon]
INTERSECT = [bloom, expiring, quotient]
FORMS = [["a", "b"], {"a", "b"}, ("a", "b"), pa.array(["a", None, "b"]), pl.Series(["a", "b"]), pd.Series(["a", "b"])]


@pytest.mark.parametrize("make", TAKE_KEYS)
def test_union_takes_keys_and_filters(make):
    empty = make()
    for form in FORMS:
        both = empty.union(form, ["c"])
        assert type(both) is type(empty) and both.contains_many(["a", "b", "c", "d"]) == [True] * 3 + [False]
        assert "a" not in empty
    assert empty.union() == empty
    with pytest.raises(TypeError, match="float is no key"):
        empty.union([1.5])
    with pytest.raises(TypeError, match="one key"):
        empty.union("ab")


@pytest.mark.parametrize("make", TAKE_KEYS)
def test_operators_take_sets_and_filters_and_no_lists(make):
    f = kept = make()
    for other in ({"a"}, frozenset("b"), {"c": 1}.keys()):
        assert all(key in f | other for key in other)
        f |= other
    assert f is kept and f.contains_many("a b c d".split()) == [True] * 3 + [False]
    for other in (["d"], "d", ("d",), None, iter("d")):
        with pytest.raises(TypeError, match="unsupported operand"):
            f |= other
        with pytest.raises(TypeError, match="unsupported operand"):
            f | other
        with pytest.raises(TypeError, match="unsupported operand"):
            other | f
    assert f is kept and "d" not in f
    with pytest.raises(tepal.KeyTypeError, match="float is no key"):
        f |= {1.5}


@pytest.mark.parametrize("make", [*INTERSECT, segments])
def test_intersections(make):
    f, other = make(), make()
    for filter, keys in ((f, ["a", "b"]), (other, ["b", "c"])):
        filter.update("north", keys) if make is segments else filter.update(keys)
    expected = [False, True, False]
    for common in (f & other, f.intersection(other), f.intersection(other, f), f.copy().intersection(other)):
        assert type(common) is type(f) and common.contains_many(["a", "b", "c"]) == expected
    assert f.intersection() == f and f & f == f
    kept, copied = f, f.copy()
    assert copied.intersection_update(other) is None and copied.contains_many(["a", "b", "c"]) == expected
    f &= other
    assert f is kept and f == copied
    for wrong in ([["b"]], [other, {"b"}]):
        before = other.copy()
        with pytest.raises(TypeError, match="is no filter, and only filters have an intersection"):
            other.intersection_update(*wrong)
        assert other == before
    with pytest.raises(TypeError, match="unsupported operand"):
        f & {"b"}
    with pytest.raises(TypeError, match="unsupported operand"):
        f &= {"b"}


def test_kinds_without_an_intersection_have_no_such_call():
    for make in (growing, chain, ribbon):
        assert not hasattr(make(), "intersection") and not hasattr(make(), "intersection_update")
        with pytest.raises(TypeError, match="unsupported operand"):
            make() & make()


def test_a_filter_with_exceptions_is_a_set_too(tmp_path, command):
    import subprocess

    members, others = [f"m{i}" for i in range(1000)], [f"o{i}" for i in range(3000)]
    (tmp_path / "members").write_text("\n".join(members))
    (tmp_path / "others").write_text("\n".join(others))
    seen = tepal.BloomFilter(2000, 0.01)
    seen.update(members)
    seen.save(tmp_path / "seen.tepal")
    made = [command, "except", "seen.tepal", "others", "--members", "members", "-o", "excepted.tepal"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    f = tepal.ExceptedBloomFilter.open(tmp_path / "excepted.tepal")
    assert not any(f.contains_many(others)) and all(f.contains_many(members))
    f |= {"new"}
    assert "new" in f and "new2" in f.union(["new2"]) and type(f & f) is tepal.ExceptedBloomFilter
    f.intersection_update(f)
    assert not any(f.contains_many(others)) and all(f.contains_many(members))


@pytest.mark.parametrize("make", [quotient, lambda: tepal.GrowingFilter(1e-6, deletable=True)])
def test_discard(make):
    f = make()
    f.update(["a", "b", "c"])
    assert f.discard("a") is None and f.discard("never") is None
    assert ("a" in f, "b" in f, len(f)) == (False, True, 2)
    with pytest.raises(tepal.KeyTypeError):
        f.discard(1.5)


def test_len_is_exact_where_it_is():
    q, g, s, r = quotient(), growing(), segments(), ribbon()
    for f in (q, g):
        f.update(["a", "b", "b"])
    s.update("n", ["a", "b"])
    s.add("s", "b")
    r |= {"a", "b"}
    assert (len(q), len(g), len(s), len(r), len(tepal.RibbonMap({"a": 1}))) == (3, 2, 3, 3, 1)
    assert len(quotient()) == 0 and len(quotient().union(["a"])) == 1
    for make in (bloom, chain, expiring):
        with pytest.raises(TypeError, match="has no len"):
            len(make())


def test_version():
    from importlib.metadata import version

    assert tepal.__version__ == version("tepal")


@pytest.mark.parametrize("make", [*TAKE_KEYS, segments, tepal.KeyCounter, lambda: tepal.RibbonMap({"a": 1})])
def test_weak_references(make):
    made, gone = make(), []
    reference = weakref.ref(made, gone.append)
    assert reference() is made
    cache = weakref.WeakValueDictionary(made=made)
    assert cache["made"] is made
    del made
    gc.collect()
    assert reference() is None and gone == [reference] and "made" not in cache


@pytest.mark.parametrize("make", TAKE_KEYS)
def test_update_is_silent_and_counts_nulls(make):
    f = make()
    assert f.nulls_skipped == 0
    assert f.update(["x"], pa.array(["a", None, None])) is None and f.nulls_skipped == 2
    f.update(pd.Series(["b", None]), pd.Series(["c", 1, None]), pl.Series([None, "d"]))
    assert f.nulls_skipped == 5 and f.contains_many(["a", "b", "c", 1, "d"]) == [True] * 5
    # It is of this object: neither of a copy nor of a file.
    assert f.copy().nulls_skipped == 0 == pickle.loads(pickle.dumps(f)).nulls_skipped
    assert f.union(pa.array([None])).nulls_skipped == 1 and f.nulls_skipped == 5
    f.clear() if hasattr(f, "clear") else None
    f.close()
    assert f.nulls_skipped == 5


def test_nulls_of_every_other_call():
    column = pa.array(["a", None, "b"])
    s = segments()
    assert s.update("n", column) is None and s.nulls_skipped == 1
    counter = tepal.KeyCounter()
    assert counter.update(column) is None and counter.update(pd.Series(["c", 1, None])) is None
    assert (counter.nulls_skipped, counter.keys) == (2, 4)
    q = quotient()
    q.update(["a", "b"])
    assert q.remove_many(column) == 2 and q.nulls_skipped == 1
    assert tepal.RibbonFilter(column).nulls_skipped == 1
    assert tepal.RibbonMap.from_columns(column, pa.array([1, 2, None])).nulls_skipped == 2
    full = tepal.BloomFilter(100)
    with pytest.raises(tepal.CapacityError):
        full.update(pa.array([None, *range(500), None]))
    assert full.nulls_skipped == 0  # no piece with a null is in


def test_masks_of_pandas_have_one_type(monkeypatch):
    seen = bloom()
    seen.update(["a", 1])
    index = [10, 20, 30]
    columns = [
        pd.Series(["a", "x", other], index=index, dtype=kind, name="k")
        for kind in (None, "object", "category", "string[python]", "string[pyarrow]")
        for other in ("y", None)
    ]
    columns += [pd.Series([1, 2, other], index=index, dtype="Int64", name="k") for other in (3, None)]
    columns += [pd.Series(["a", 2, other], index=index, name="k") for other in (("t", 1), None)]
    for with_pyarrow in (True, False):
        if not with_pyarrow:
            columns = [column for column in columns if "pyarrow" not in str(column.dtype)]
            monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        for column in columns:
            mask = seen.contains_many(column)
            assert type(mask) is pd.Series and mask.dtype == bool and mask.name == "k", column
            assert mask.index.tolist() == index and mask.tolist() == [True, False, False], column
            assert mask.tolist() == column.isin(["a", 1]).tolist(), column
            assert column[~mask].index.tolist() == [20, 30] and (~mask & column.notna()).sum() == 1 + column.notna().iloc[2]
            assert seen.contains_many(pd.Index(column)).dtype == bool
            f = bloom()
            f.update(column)
            assert f.nulls_skipped == column.isna().sum(), column


def test_masks_of_arrow_and_polars_keep_nulls():
    seen = bloom()
    seen.update(["a"])
    for keys in (["a", "x"], ["a", None]):
        expected = [True, None if keys[1] is None else False]
        assert seen.contains_many(pl.Series("k", keys)).to_list() == expected
        assert seen.contains_many(pl.Series("k", keys)).dtype == pl.Boolean
        assert seen.contains_many(pa.array(keys)).to_pylist() == expected
        assert seen.contains_many(pa.array(keys)).type == pa.bool_()


def test_accessors():
    import subprocess
    import sys

    code = "import sys, tepal; sys.exit(any(name in sys.modules for name in ('numpy', 'pandas', 'polars', 'pyarrow')))"
    subprocess.run([sys.executable, "-c", code], check=True)
    import tepal.pandas
    import tepal.polars

    seen = bloom()
    seen.update(["a"])
    frame = pd.DataFrame({"k": ["a", None, "b"]}, index=[3, 4, 5])
    assert frame.k.tepal.isin(seen).equals(seen.contains_many(frame.k))
    assert frame[frame.k.tepal.isin(seen)].index.tolist() == [3]
    assert frame.set_index("k").index.tepal.isin(seen).tolist() == [True, False, False]
    lazy = pl.LazyFrame({"k": ["a", None, "b"], "n": [1, 2, 3]})
    isin = pl.col("k").tepal.isin(seen)
    assert lazy.filter(isin).collect()["n"].to_list() == [1]
    assert lazy.filter(~isin).collect()["n"].to_list() == [3]
    masks = lazy.select(isin).collect()
    assert masks.schema == lazy.select(isin).collect_schema() == {"k": pl.Boolean} and masks["k"].to_list() == [True, None, False]
    assert lazy.clear().filter(isin).collect().height == 0


class Raw(io.RawIOBase):
    """Takes a few bytes at once, as a pipe may."""

    def __init__(self, most=100):
        self.data, self.most = bytearray(), most

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data[: self.most])
        return min(self.most, len(data))


class Silent:
    """A file of some other package, which does not say what it wrote."""

    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += data


@pytest.mark.parametrize("make", [*TAKE_KEYS, segments])
def test_files_that_python_has_opened(make, tmp_path):
    f = make()
    f.update("n", ["a"]) if make is segments else f.update(["a"])
    data = f.to_bytes()
    memory, raw, silent = io.BytesIO(b"before"), Raw(), Silent()
    memory.seek(6)
    for file in (memory, raw, silent):
        assert f.save(file) is None
    assert memory.getvalue() == b"before" + data and bytes(raw.data) == silent.data == data
    memory.seek(6)
    assert tepal.open(memory) == f and not memory.closed
    with gzip.open(tmp_path / "f.gz", "wb") as file:
        f.save(file)
    with gzip.open(tmp_path / "f.gz") as file:
        assert type(f).open(file) == f
    with tempfile.TemporaryFile() as file:
        f.save(file)
        file.seek(0)
        assert type(f).from_file(file) == f
    with open(tmp_path / "raw", "wb", buffering=0) as file:
        f.save(file)
    with open(tmp_path / "raw", "rb", buffering=0) as file:
        assert tepal.open(file) == f
    sealed = io.BytesIO()
    f.save(sealed, seal_key=b"k" * 32)
    assert tepal.open(io.BytesIO(sealed.getvalue()), seal_key=b"k" * 32) == f


def test_files_of_the_wrong_mode_are_refused(tmp_path):
    f = bloom()
    path = tmp_path / "f"
    f.save(path)
    for mode in ("rb", "r", "w", "a", "r+"):
        copied = tmp_path / "copied"
        copied.write_bytes(path.read_bytes())
        with open(copied, mode) as file, pytest.raises(TypeError, match="'wb'"):
            f.save(file)
        assert copied.read_bytes() == (b"" if mode == "w" else path.read_bytes())
    for mode in ("wb", "ab", "r", "w+"):
        with open(tmp_path / "other", "a+") as file:
            pass
        with open(tmp_path / "other", mode) as file, pytest.raises(TypeError, match="'rb'"):
            tepal.open(file)
    for file in (io.StringIO(), object(), 7, None, Silent()):
        with pytest.raises(TypeError):
            tepal.open(file)
    with pytest.raises(TypeError, match="'wb'"):
        f.save(io.StringIO())
    with pytest.raises(tepal.FormatError):
        tepal.open(io.BytesIO(b"no filter"))
    with pytest.raises(tepal.FormatError):
        tepal.open(io.BytesIO(path.read_bytes()[:-1]))
    with pytest.raises(tepal.FormatError, match="QuotientFilter was expected"):
        tepal.QuotientFilter.open(io.BytesIO(path.read_bytes()))
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(ValueError):
        tepal.open(closed)

    class Texts:
        def read(self):
            return "text"

    with pytest.raises(TypeError, match="gives str"):
        tepal.open(Texts())


def test_times_and_windows_of_datetime():
    utc = timezone.utc
    day = timedelta(days=1)
    f = tepal.ExpiringFilter(1000, 1e-6, window=day, generations=24)
    assert f.info()["window"]["length"] == 86_400
    start = datetime(2026, 11, 26, 12, 0, 0, 999_999, tzinfo=utc)
    assert f.add_at("a", start) is True and f.add_at("a", start) is False
    assert f.now == int(start.timestamp())
    elsewhere = start.astimezone(timezone(timedelta(hours=-7)))
    assert f.contains_at("a", elsewhere + day) and not f.contains_at("a", start + 2 * day)
    assert f.contains_at("a", pd.Timestamp(start)) and f.advance_to(pd.Timestamp(start) + pd.Timedelta(hours=30)) == 30
    assert "a" not in f and f.now == int((start + timedelta(hours=30)).timestamp())
    same = tepal.ExpiringFilter(1000, 1e-6, window=86_400, generations=24)
    same.advance_to(int(start.timestamp()))
    same.add("a")
    other = tepal.ExpiringFilter(1000, 1e-6, window=pd.Timedelta(days=1), generations=24)
    other.add_at("a", start)
    assert same.to_bytes() == other.to_bytes()


@pytest.mark.parametrize(
    "wrong, text",
    [
        (datetime(2026, 11, 26), "without a time zone"),
        (datetime(1969, 12, 31, tzinfo=timezone.utc), "before 1970"),
        (1.5, "float; it must be a whole number"),
        ("now", "str; it must be a whole number"),
        (timedelta(1), "timedelta; it must be a whole number"),
        (-1, "from 0 to"),
    ],
)
def test_wrong_times(wrong, text):
    f = expiring()
    before = f.to_bytes()
    for call in (f.advance_to, lambda time: f.contains_at("a", time), lambda time: f.add_at("a", time)):
        with pytest.raises((TypeError, ValueError), match=text):
            call(wrong)
    assert f.to_bytes() == before


@pytest.mark.parametrize("wrong", [timedelta(milliseconds=1500), timedelta(days=-1), 1.5, "day", pd.Timedelta(1)])
def test_wrong_windows(wrong):
    with pytest.raises((TypeError, ValueError), match="window is"):
        tepal.ExpiringFilter(1000, window=wrong)


def test_add_at_that_is_refused_keeps_the_clock():
    f = tepal.ExpiringFilter(1000, window=3600, key_domain="int64")
    f.advance_to(5000)
    with pytest.raises(tepal.KeyValueError):
        f.add_at("text", 9_000_000)
    assert f.now == 5000
    assert f.add_at(7, 100) is True and f.now == 5000  # as of now
    with pytest.raises(TypeError):
        tepal.ExpiringFilter(window_of_keys=10).add_at("a", 5)


def test_segments_as_sets():
    a, b = segments(), segments()
    a.update("north", ["alice", "bob"])
    b.update("south", ["bob"])
    b.update("north", ["carol"])
    both = a | b
    assert both == a.union(b) and sorted(both.names) == ["north", "south"] and len(both) == 4
    assert sorted(both.segments("bob")) == ["north", "south"] and both.segments("carol") == ("north",)
    kept = a
    a |= b
    assert a is kept and a == both
    for wrong in ({"x"}, ["x"]):
        with pytest.raises(TypeError, match="unsupported operand"):
            a |= wrong
        with pytest.raises(TypeError, match=r"update\(segment, keys\)"):
            a.union(wrong)


def test_segments_are_renamed_and_merged():
    f = segments()
    f.update("north", ["alice"])
    f.update("south", ["bob"])
    f.rename_segment("north", "arctic")
    assert f.segments("alice") == ("arctic",) and sorted(f.names) == ["arctic", "south"]
    f.rename_segment("arctic", "arctic")
    for old, new in (("north", "x"), (999, "x"), ("arctic", "south"), ("arctic", "")):
        with pytest.raises(ValueError):
            f.rename_segment(old, new)
    with pytest.raises(TypeError):
        f.rename_segment("arctic", 7)
    f.merge_segments("south", "arctic")
    assert f.names == ["arctic"] and f.segments("bob") == ("arctic",) and len(f) == 2
    with pytest.raises(ValueError, match="no such segment"):
        f.merge_segments("south", "arctic")
    assert tepal.SegmentFilter.from_bytes(f.to_bytes()).segments("bob") == ("arctic",)
