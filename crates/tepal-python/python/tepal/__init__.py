"""Have I seen this key? Filters for sets too large to keep, in memory and in files that are refused or right.

>>> import tepal
>>> seen = tepal.BloomFilter(capacity=20_000, false_positive_rate=0.01)
>>> seen.update(["850514300021", "910227400034"])
>>> "850514300021" in seen        # True: perhaps (here: certainly added)
True
>>> "730101300018" in seen        # False: certainly never added
False

`tepal.open(path)` opens whatever filter is in a file: of this package, of the command `tepal`, of the library in Rust, and
of seven other programs. Keys are `str`, `bytes`, `int`, UUIDs, IP addresses, paths, and tuples and dataclasses of these;
many of them come as a list, a numpy array, or a column of pyarrow, polars, pandas or DuckDB.
"""

from ._errors import (
    CapacityError,
    ClosedError,
    DamagedError,
    Error,
    FileError,
    FileIsADirectoryError,
    FileMissingError,
    FilePermissionError,
    ForkError,
    FormatError,
    IncompatibleError,
    KeyTypeError,
    KeyValueError,
    NotPossibleError,
    ParameterError,
    ParameterTypeError,
    SecretError,
    TooLargeError,
)
from ._tepal import (
    BloomFilter,
    BooleanColumn,
    ExceptedBloomFilter,
    ExpiringFilter,
    Filter,
    GrowingFilter,
    KeyCounter,
    MutableFilter,
    QuotientFilter,
    RibbonFilter,
    RibbonMap,
    ScalableBloomFilter,
    SegmentFilter,
    __version__,
    open,
    seed_for,
    shards_of,
)

__all__ = [
    "BloomFilter",
    "BooleanColumn",
    "CapacityError",
    "ClosedError",
    "DamagedError",
    "Error",
    "ExceptedBloomFilter",
    "ExpiringFilter",
    "FileError",
    "FileIsADirectoryError",
    "FileMissingError",
    "FilePermissionError",
    "Filter",
    "ForkError",
    "FormatError",
    "GrowingFilter",
    "IncompatibleError",
    "KeyCounter",
    "KeyTypeError",
    "KeyValueError",
    "MutableFilter",
    "NotPossibleError",
    "ParameterError",
    "ParameterTypeError",
    "QuotientFilter",
    "RibbonFilter",
    "RibbonMap",
    "ScalableBloomFilter",
    "SecretError",
    "SegmentFilter",
    "TooLargeError",
    "__version__",
    "open",
    "seed_for",
    "shards_of",
]
