"""What type checkers know of tepal: a program that mypy and pyright check, and that runs."""

import array
import io
import uuid
from collections.abc import Container
from typing import Any, assert_type

import numpy
import numpy.typing
import pandas
import polars
import pyarrow
import tepal

seen = tepal.BloomFilter(1000)
assert_type(seen.update(["a"], {"b"}, range(3)), None)
assert_type(seen.add("c"), bool)
assert_type(seen.add(uuid.UUID(int=7)), bool)
assert_type(seen.contains_many(["a", b"b", 3]), list[bool])
assert_type(seen.contains_many({"a"}), list[bool])
assert_type(seen.contains_many(key for key in "ab"), list[bool])
assert_type(seen.contains_many(array.array("q", [1])), list[bool])
assert_type(seen.contains_many(numpy.arange(2)), numpy.typing.NDArray[numpy.bool])
assert_type(seen.contains_many(polars.Series(["a"])), polars.Series)
assert_type(seen.contains_many(pandas.Series(["a"])), "pandas.Series[bool]")
assert_type(seen.contains_many(pyarrow.array(["a"])), pyarrow.BooleanArray)
assert_type(seen.contains_many(pyarrow.chunked_array([["a"]])), "pyarrow.ChunkedArray[pyarrow.BooleanScalar]")
index: numpy.typing.NDArray[numpy.bool] = seen.contains_many(pandas.Index(["a"]))

assert_type(seen | {"d"}, tepal.BloomFilter)
assert_type(seen.union(["d"], seen), tepal.BloomFilter)
assert_type(seen & seen, tepal.BloomFilter)
seen |= {"d"}
seen &= seen
assert_type(seen, tepal.BloomFilter)

sessions = tepal.QuotientFilter(1000)
assert_type(sessions.discard("a"), None)
assert_type(sessions.to_ribbon(0.1), tepal.RibbonFilter)
assert_type(len(sessions), int)

words: Container[str] = seen
assert_type("a" in words, bool)
segments = tepal.SegmentFilter(1000)
assert_type(segments.segments("a"), tuple[str | int, ...])
assert_type(segments.is_over_capacity, bool)

file = io.BytesIO()
seen.save(file)
file.seek(0)
assert_type(tepal.BloomFilter.open(file), tepal.BloomFilter)
file.seek(0)
opened = tepal.open(file)
assert_type(opened, tepal.Filter)
if isinstance(opened, tepal.BloomFilter):
    assert_type(opened.num_hashes, int)
assert_type(seen.info(), dict[str, Any])
assert_type(tepal.__version__, str)
