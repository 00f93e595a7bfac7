"""Spark's own filters: `org.apache.spark.util.sketch.BloomFilter`, as `writeTo` writes them, versions 1 and 2."""

from .. import BloomFilter, IncompatibleError, ParameterError

_SCHEMES = {1: "spark-v1", 2: "spark-v2"}


def read(blob, key_domain):
    """The filter in Spark's bytes.

    The bytes do not say what the keys were, and asked in the wrong way the filter denies keys that it has. So it must be
    said: `"int64"` for numbers (`putLong`, and `put` of any whole number), `"bytes"` for strings and binary.
    """
    if key_domain not in ("int64", "bytes"):
        raise ParameterError(
            f'the key domain is {key_domain!r}; it is "int64" for a filter of numbers and "bytes" for one of strings or binary'
        )
    return BloomFilter.from_bytes(blob, format="spark", key_domain=key_domain)


def write(filter, version=2):
    """The bytes that Spark's `BloomFilter.readFrom` reads: of version 2 for Spark 4.1 and newer, of version 1 for any.

    The filter must have Spark's hash of that version: one that `read` gave, or `build(..., scheme="spark-v2")` made.
    """
    if version not in _SCHEMES:
        raise ParameterError(f"Spark's versions are 1 and 2, not {version!r}")
    scheme = filter.info()["scheme"]
    if scheme != _SCHEMES[version]:
        raise IncompatibleError(
            f"the filter's hash is {scheme}, and Spark's version {version} has {_SCHEMES[version]}; bits of one hash mean "
            f'nothing to another one: build it with scheme="{_SCHEMES[version]}"'
        )
    return filter.to_bytes(format="spark")
