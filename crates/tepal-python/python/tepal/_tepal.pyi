import os
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Literal, NoReturn, Protocol, Self, SupportsIndex, TypeAlias, final, overload

from typing_extensions import disjoint_base

__all__ = [
    "BloomFilter",
    "BooleanColumn",
    "ExceptedBloomFilter",
    "ExpiringFilter",
    "Filter",
    "GrowingFilter",
    "KeyCounter",
    "MutableFilter",
    "QuotientFilter",
    "RibbonFilter",
    "RibbonMap",
    "ScalableBloomFilter",
    "SegmentFilter",
    "open",
    "restore",
    "seed_for",
    "shards_of",
]

_Path: TypeAlias = str | os.PathLike[str]
_Key: TypeAlias = str | bytes | bytearray | int | SupportsIndex | tuple[_Key, ...]
_Layout: TypeAlias = Literal["line", "double", "split-block", "scattered"]
_KeyDomain: TypeAlias = Literal["bytes", "int64", "int32", "utf16", "float32", "float64", "hex"]
_OverCapacity: TypeAlias = Literal["refuse", "warn", "ignore"]
_Format: TypeAlias = Literal[
    "tepal", "guava", "spark", "parquet-sbbf", "bits-and-blooms", "dcso", "redisbloom", "valkey-bloom"
]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Buffer(Protocol):
    """Objects with the buffer protocol. Type checkers know it from Python 3.12 on."""

    def __len__(self) -> int: ...

_Column: TypeAlias = _ArrowArray | _ArrowStream | _Buffer
_Keys: TypeAlias = Iterable[_Key] | _Column

@final
class BooleanColumn:
    def __len__(self) -> int: ...
    def to_list(self) -> list[bool | None]: ...
    @property
    def null_count(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]: ...

@disjoint_base
class Filter:
    def __contains__(self, key: _Key, /) -> bool: ...
    @overload
    def contains_many(self, keys: list[Any]) -> list[bool]: ...
    @overload
    def contains_many(self, keys: _Keys) -> Any: ...
    @property
    def false_positive_rate(self) -> float: ...
    @property
    def promised_false_positive_rate(self) -> float: ...
    @property
    def capacity(self) -> int: ...
    @property
    def estimated_len(self) -> float: ...
    @property
    def keys_inserted(self) -> int | None: ...
    @property
    def size_in_bytes(self) -> int: ...
    @property
    def key_domain(self) -> _KeyDomain: ...
    @property
    def name(self) -> str | None: ...
    @property
    def format(self) -> _Format: ...
    def info(self) -> dict[str, Any]: ...
    def copy(self) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object, /) -> Self: ...
    def save(self, path: _Path, *, format: _Format | None = None, seal_key: bytes | None = None) -> None: ...
    def to_bytes(self, *, format: _Format | None = None, seal_key: bytes | None = None) -> bytes: ...
    @classmethod
    def open(
        cls,
        path: _Path,
        *,
        format: _Format | None = None,
        key_domain: _KeyDomain | None = None,
        secret_key: bytes | None = None,
        seal_key: bytes | None = None,
        name: str | None = None,
        quick: bool = False,
    ) -> Self: ...
    @classmethod
    def from_file(
        cls,
        path: _Path,
        *,
        format: _Format | None = None,
        key_domain: _KeyDomain | None = None,
        secret_key: bytes | None = None,
        seal_key: bytes | None = None,
        name: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_bytes(
        cls,
        data: bytes | bytearray | memoryview,
        *,
        format: _Format | None = None,
        key_domain: _KeyDomain | None = None,
        secret_key: bytes | None = None,
        seal_key: bytes | None = None,
        name: str | None = None,
    ) -> Self: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
        /,
    ) -> None: ...
    def verify(self) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
    def _repr_html_(self) -> str: ...

class MutableFilter(Filter):
    def add(self, key: _Key) -> bool: ...
    def update(self, *keys: _Keys | Filter) -> int: ...
    def clear(self) -> None: ...
    def union(self, *others: Filter) -> Self: ...
    def __or__(self, other: Filter, /) -> Self: ...
    def __ror__(self, value: Filter, /) -> Self: ...
    def __ior__(self, other: Filter, /) -> Self: ...
    @property
    def over_capacity(self) -> _OverCapacity: ...
    @over_capacity.setter
    def over_capacity(self, policy: _OverCapacity, /) -> None: ...
    @property
    def is_over_capacity(self) -> bool: ...
    @property
    def is_full(self) -> bool: ...

@final
class BloomFilter(MutableFilter):
    def __new__(
        cls,
        capacity: SupportsIndex,
        false_positive_rate: float = 0.01,
        *,
        layout: _Layout | None = None,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        scheme: str | None = None,
        over_capacity: _OverCapacity = "refuse",
        name: str | None = None,
    ) -> Self: ...
    def intersection(self, *others: Filter) -> Self: ...
    def __and__(self, other: Filter, /) -> Self: ...
    def __rand__(self, value: Filter, /) -> Self: ...
    def __iand__(self, other: Filter, /) -> Self: ...
    def issubset(self, other: Filter) -> bool: ...
    def issuperset(self, other: Filter) -> bool: ...
    def __le__(self, other: Filter, /) -> bool: ...
    def __lt__(self, other: Filter, /) -> bool: ...
    def __ge__(self, other: Filter, /) -> bool: ...
    def __gt__(self, other: Filter, /) -> bool: ...
    def shrink_to(self, rate: float) -> int: ...
    @property
    def num_hashes(self) -> int: ...
    @property
    def bit_len(self) -> int: ...
    @property
    def fill_ratio(self) -> float: ...

@final
class ExceptedBloomFilter(MutableFilter): ...

@final
class ScalableBloomFilter(MutableFilter):
    def __new__(
        cls,
        capacity: SupportsIndex,
        false_positive_rate: float = 0.01,
        *,
        expansion: int = 4,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        name: str | None = None,
    ) -> Self: ...

@final
class QuotientFilter(MutableFilter):
    def __new__(
        cls,
        capacity: SupportsIndex,
        false_positive_rate: float = 0.01,
        *,
        count_bits: Literal[0, 4, 8, 16] = 0,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        over_capacity: _OverCapacity = "refuse",
        name: str | None = None,
    ) -> Self: ...
    def remove(self, key: _Key) -> bool: ...
    def remove_many(self, keys: _Keys) -> int: ...
    def count(self, key: _Key) -> int: ...
    def shrink_to(self, rate: float) -> int: ...

@final
class GrowingFilter(MutableFilter):
    def __new__(
        cls,
        false_positive_rate: float = 0.01,
        *,
        first: SupportsIndex | None = None,
        deletable: bool = False,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        name: str | None = None,
    ) -> Self: ...
    def remove(self, key: _Key) -> bool: ...
    def remove_many(self, keys: _Keys) -> int: ...
    def freeze(self, rate: float) -> QuotientFilter: ...
    @property
    def num_links(self) -> int: ...

@final
class ExpiringFilter(MutableFilter):
    def __new__(
        cls,
        capacity: SupportsIndex | None = None,
        false_positive_rate: float = 0.01,
        *,
        window: SupportsIndex | None = None,
        window_of_keys: SupportsIndex | None = None,
        generations: int | None = None,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        over_capacity: _OverCapacity = "refuse",
        name: str | None = None,
    ) -> Self: ...
    def advance_to(self, time: SupportsIndex) -> int: ...
    def contains_at(self, key: _Key, time: SupportsIndex) -> bool: ...
    def age(self, key: _Key) -> int | None: ...
    @property
    def now(self) -> int | None: ...

@final
class SegmentFilter(Filter):
    def __new__(
        cls,
        capacity: SupportsIndex,
        false_positive_rate: float = 0.01,
        *,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        over_capacity: _OverCapacity = "refuse",
        name: str | None = None,
    ) -> Self: ...
    def add(self, segment: str | int, key: _Key) -> bool: ...
    def update(self, segment: str | int, keys: _Keys) -> int: ...
    def segments(self, key: _Key) -> list[str | int]: ...
    def contains_in(self, segment: str | int, key: _Key) -> bool: ...
    @property
    def names(self) -> list[str | int]: ...
    def drop_segment(self, segment: str | int) -> int: ...

@final
class RibbonFilter(Filter):
    def __new__(
        cls,
        keys: _Keys,
        false_positive_rate: float = 0.01,
        *,
        threads: int = 1,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        name: str | None = None,
    ) -> Self: ...
    def add(self, key: _Key) -> bool: ...
    def update(self, *keys: _Keys | Filter) -> int: ...
    @property
    def num_keys(self) -> int: ...
    @property
    def added_keys(self) -> int: ...

@final
class RibbonMap(Filter):
    def __new__(
        cls,
        pairs: Mapping[Any, int | str] | Iterable[tuple[_Key, int | str]],
        false_positive_rate: float | None = None,
        *,
        value_bits: SupportsIndex | None = None,
        names: Iterable[str] | None = None,
        known_keys_only: bool = False,
        threads: int = 1,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        name: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_columns(
        cls,
        keys: _Keys,
        values: Iterable[int | str] | _Column,
        false_positive_rate: float | None = None,
        *,
        value_bits: SupportsIndex | None = None,
        names: Iterable[str] | None = None,
        known_keys_only: bool = False,
        threads: int = 1,
        seed: SupportsIndex | None = None,
        secret_key: bytes | None = None,
        key_domain: _KeyDomain = "bytes",
        name: str | None = None,
    ) -> Self: ...
    def __getitem__(self, key: _Key, /) -> Any: ...
    def get(self, key: _Key, default: Any = None, /) -> Any: ...
    @overload
    def get_many(self, keys: list[Any]) -> list[Any]: ...
    @overload
    def get_many(self, keys: _Keys) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> NoReturn: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def value_bits(self) -> int: ...

def open(
    path: _Path,
    *,
    format: _Format | None = None,
    key_domain: _KeyDomain | None = None,
    secret_key: bytes | None = None,
    seal_key: bytes | None = None,
    name: str | None = None,
    quick: bool = False,
    mapped: bool = True,
) -> Any: ...
def restore(data: bytes, format: str, key_domain: str) -> Any: ...
def seed_for(purpose: str) -> int: ...

@final
class KeyCounter:
    def __new__(cls, key_domain: _KeyDomain = "bytes") -> Self: ...
    def update(self, keys: _Keys) -> int: ...
    def __ior__(self, other: KeyCounter, /) -> Self: ...
    @property
    def keys(self) -> int: ...
    @property
    def different(self) -> int: ...
    @property
    def is_exact(self) -> bool: ...
    @property
    def capacity(self) -> int: ...
    @property
    def key_domain(self) -> _KeyDomain: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: _Buffer, key_domain: _KeyDomain = "bytes") -> KeyCounter: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def shards_of(keys: _Keys, shards: int, key_domain: _KeyDomain = "bytes") -> bytearray: ...
