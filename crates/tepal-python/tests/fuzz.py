"""Wrong objects into every call: whatever comes, it is an answer or an `Exception`, and the interpreter lives on.

    python tests/fuzz.py 100000 [SEED]

A panic of the native half is no `Exception`, so it ends the run, and so does an abort.
"""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import faulthandler
import fractions
import io
import ipaddress
import pathlib
import random
import re
import sys
import tempfile
import threading
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import tepal


class Number(enum.IntEnum):
    SEVEN = 7


class Text(str):
    pass


@dataclasses.dataclass
class Record:
    given: object
    other: object = dataclasses.field(default=None, compare=False)


class Address(ipaddress.IPv6Address):
    """An address whose bytes are of any kind."""

    packed = b"1"


class Index:
    def __init__(self, given):
        self.given = given

    def __index__(self):
        return self.given


class Raises:
    """An object none of whose calls goes well."""

    def _raise(self, *_):
        raise RuntimeError("no")

    __index__ = __iter__ = __len__ = __getitem__ = __fspath__ = __eq__ = __hash__ = __bool__ = __float__ = _raise
    __arrow_c_array__ = __arrow_c_stream__ = __repr__ = __str__ = _raise


class Liar:
    def __init__(self, rng):
        self.rng = rng

    def __getattr__(self, name):
        if name.startswith("__arrow") or name in ("dtype", "ndim", "columns", "__fspath__"):
            return lambda *_, **__: thing(self.rng, 2)
        raise AttributeError(name)


def filters(rng):
    """A filter, of whatever class there is."""
    makers = [
        lambda: tepal.BloomFilter(rng.choice([1, 10, 1000]), rng.choice([0.5, 0.01, 1e-6])),
        lambda: tepal.BloomFilter(100, key_domain="int64", over_capacity=rng.choice(["refuse", "warn", "ignore"])),
        lambda: tepal.BloomFilter(100, secret_key=bytes(16)),
        lambda: tepal.ScalableBloomFilter(10, expansion=2),
        lambda: tepal.QuotientFilter(100, count_bits=rng.choice([0, 4, 8, 16])),
        lambda: tepal.GrowingFilter(first=10, deletable=rng.random() < 0.5),
        lambda: tepal.ExpiringFilter(100, window=60),
        lambda: tepal.ExpiringFilter(window_of_keys=100),
        lambda: tepal.SegmentFilter(100),
        lambda: tepal.RibbonFilter(["a", 1]),
        lambda: tepal.RibbonMap({"a": 3, 1: 200}, known_keys_only=rng.random() < 0.5),
        lambda: tepal.RibbonMap([("a", "x"), (1, "y")], 0.1, key_domain=rng.choice(["bytes", "utf16"])),
        lambda: tepal.BloomFilter(100, layout=rng.choice(["line", "double", "split-block", "scattered"])),
    ]
    made = rng.choice(makers)()
    if rng.random() < 0.05:
        made.close()
    return made


def arrow(rng):
    kinds = [pa.int8(), pa.uint64(), pa.float32(), pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(3),
             pa.bool_(), pa.date32(), pa.timestamp("us"), pa.null(), pa.list_(pa.int8()), pa.dictionary(pa.int8(), pa.string()),
             pa.decimal128(5), pa.duration("s"), pa.struct([("a", pa.string())]), pa.struct([])]
    kind = rng.choice(kinds)
    column = pa.nulls(rng.randrange(20), kind)
    if rng.random() < 0.5:
        values = [rng.choice([None, "abc", "x" * 20]) for _ in range(rng.randrange(20))]
        column = pa.array(values).cast(kind, safe=False) if pa.types.is_string(kind) else pa.array(values, pa.string())
    if rng.random() < 0.3:
        named = rng.choice([pa.uuid(), pa.bool8(), pa.json_(), pa.opaque(pa.binary(), "x", "y")])
        column = pa.nulls(rng.randrange(20), named) if rng.random() < 0.5 else pa.ExtensionArray.from_storage(pa.uuid(), pa.array([rng.randbytes(16), None], pa.binary(16)))
    column = column[rng.randrange(3):]
    return rng.choice([column, pa.chunked_array([column, column]), pa.table({"a": column}), pa.table({"a": column, "b": column}), column.__arrow_c_array__()])


def numpy(rng):
    dtype = rng.choice("?bBhHiIlLqQefdgFDSUVOMm")
    dtype = {"S": "S5", "U": "U5", "V": "V7", "M": "M8[s]", "m": "m8[D]"}.get(dtype, dtype)
    made = np.zeros(rng.choice([(), 0, 1, 7, (2, 3), (0, 3)]), dtype)
    if made.ndim and rng.random() < 0.3:
        made = made[::rng.choice([-1, 2, -3])]
    if rng.random() < 0.2:
        made = made.astype(made.dtype.newbyteorder())
    return np.ma.masked_array(made) if rng.random() < 0.05 else made


def thing(rng, depth=0):
    """Any object."""
    simple = [
        lambda: None, lambda: rng.random() < 0.5, lambda: rng.randrange(-(2**70), 2**70), lambda: rng.randrange(300),
        lambda: 10 ** rng.randrange(6000), lambda: rng.random(), lambda: float("nan"), lambda: float("-inf"), lambda: 1j,
        lambda: "".join(chr(rng.choice([65, 0, 0xE9, 0xD800, 0x1F338])) for _ in range(rng.randrange(9))),
        lambda: rng.randbytes(rng.randrange(40)), lambda: bytearray(rng.randbytes(5)), lambda: memoryview(rng.randbytes(8)),
        lambda: memoryview(rng.randbytes(8)).cast(rng.choice("bBciIqQdn?")), lambda: rng.choice(["line", "bytes", "refuse", "guava"]),
        lambda: Number.SEVEN, lambda: Text("apple"), lambda: Index(thing(rng, depth + 1)), Raises, lambda: Liar(rng), object, lambda: int,
        lambda: tepal, lambda: tepal.BloomFilter, lambda: ..., lambda: NotImplemented, lambda: datetime.datetime.now(),
        lambda: decimal.Decimal("1.5"), lambda: fractions.Fraction(1, 3), lambda: range(rng.randrange(-3, 300)), lambda: slice(3),
        lambda: array.array(rng.choice("bBuhHiIlLqQfd"), [0] if rng.random() < 0.5 else []) , lambda: iter([]), lambda: threading.Lock(),
        lambda: filters(rng), lambda: numpy(rng), lambda: arrow(rng), lambda: pathlib.Path("/nowhere/at/all"),
        lambda: uuid.UUID(int=rng.randrange(2**128)), lambda: object.__new__(uuid.UUID), lambda: pl.Series([object(), None], dtype=pl.Object),
        lambda: pathlib.PurePath("\udc80\ud800"), lambda: ipaddress.ip_address(rng.randrange(2**40)), lambda: Address("::1"), lambda: Record,
        lambda: ipaddress.ip_interface("::1/64"), lambda: ipaddress.ip_address("fe80::1%1"), lambda: object.__new__(Address),
        lambda: pd.Series(rng.choice([["a", None], [1, 2], [1.5], [True], []])), lambda: pl.Series(rng.choice([["a", None], [1, 2], [1.5], [], [[1]]])),
        lambda: pd.DataFrame({"a": ["x"]}), lambda: pl.DataFrame({"a": ["x"], "b": [1]}), lambda: rng.choice(list(np.sctypeDict.values()))(),
        lambda: filters(rng).to_bytes(), lambda: filters(rng).__reduce__, lambda: io.BytesIO(damaged(rng)), io.StringIO,
        lambda: datetime.timedelta(rng.randrange(-2, 10**6), rng.choice([0, 0.5])), lambda: {rng.choice(["a", 1, 1.5, None])},
        lambda: datetime.datetime(rng.choice([1, 1970, 2026, 9999]), 1, 1, tzinfo=datetime.timezone.utc),
    ]
    nested = [
        lambda: [thing(rng, depth + 1) for _ in range(rng.randrange(4))], lambda: tuple(thing(rng, depth + 1) for _ in range(rng.randrange(4))),
        lambda: {i: thing(rng, depth + 1) for i in range(2)}, lambda: (thing(rng, depth + 1) for _ in range(3)),
        lambda: collections.deque([thing(rng, depth + 1)]), lambda: [rng.choice("abc") for _ in range(rng.randrange(500))],
        lambda: Record(thing(rng, depth + 1)),
    ]
    return rng.choice(simple + nested * (depth < 3))()


def damaged(rng):
    data = bytearray(filters(rng).to_bytes())
    for _ in range(rng.randrange(4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data) + 1)]) if rng.random() < 0.3 else bytes(data)


CLASSES = [value for value in vars(tepal).values() if isinstance(value, type) and not issubclass(value, BaseException)]
# Names that take no memory by a wrong number: capacity may be anything, and is tried apart.
KEYWORDS = ["format", "key_domain", "secret_key", "seal_key", "name", "quick", "layout", "seed", "over_capacity", "mapped", "rate", "threads", "value_bits", "names", "known_keys_only", "false_positive_rate", "count_bits", "expansion", "first", "deletable", "window", "window_of_keys", "generations"]


def one(rng, folder):
    """One call with anything."""
    arguments = [thing(rng) for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 2, 3]))]
    keywords = {rng.choice(KEYWORDS): thing(rng) for _ in range(rng.choice([0, 0, 0, 0, 0, 0, 0, 1, 2]))}
    kind = rng.random()
    if kind < 0.15:
        return rng.choice([tepal.open, tepal.seed_for, tepal.shards_of])(*arguments, **keywords)
    if kind < 0.25:
        return rng.choice([tepal.Filter.from_bytes, tepal.BloomFilter.from_bytes])(damaged(rng), **keywords)
    if kind < 0.35:
        made = rng.choice(CLASSES)
        small = lambda value: rng.choice([2**64, -1, 10**5]) if isinstance(value, int) and value > 10**5 else value
        # Numbers of keys that would take much memory are other ones.
        return made(*map(small, arguments), **{name: small(value) for name, value in keywords.items()})
    if kind < 0.4:
        counter = tepal.KeyCounter(rng.choice(["bytes", "int64"]))
        counter.update(["1", 2])
        found = getattr(counter, rng.choice([name for name in dir(counter) if name != "__class__"]))
        return found(*arguments, **keywords) if callable(found) else found
    filter = filters(rng)
    name = rng.choice([name for name in dir(filter) if name not in ("__class__", "__init_subclass__", "__reduce_ex__", "__getstate__")])
    if name == "save":
        arguments = [rng.choice([folder / "seen.tepal", io.BytesIO(), io.StringIO(), io.BufferedReader(io.BytesIO())]), *arguments[1:]]
    if name == "over_capacity" and arguments:
        return setattr(filter, name, arguments[0])
    found = getattr(filter, name)
    result = found(*arguments, **keywords) if callable(found) else found
    # A filter that had everything thrown at it still answers.
    filter.contains_many(["a", 1])
    return result


def main():
    faulthandler.enable()
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    print(f"fuzz: {calls} calls, seed {seed}", flush=True)
    rng, outcomes = random.Random(seed), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(calls):
            try:
                one(rng, pathlib.Path(folder))
                outcomes["answers"] += 1
            except Exception as error:
                outcomes[type(error).__name__] += 1
                if isinstance(error, tepal.Error):
                    # Outside the keys it quotes, such as an IPv6 address, it speaks of Python.
                    own = re.sub('"[^"]*"', "", str(error))
                    assert "::" not in own and not re.search("--[a-z]", own), error
            except BaseException as error:
                print(f"call {i}: {type(error)}: {error}", file=sys.stderr)
                raise
    print(", ".join(f"{count} {name}" for name, count in outcomes.most_common()))
    assert outcomes["answers"] > calls // 50 and outcomes["KeyTypeError"] > calls // 50


if __name__ == "__main__":
    main()
