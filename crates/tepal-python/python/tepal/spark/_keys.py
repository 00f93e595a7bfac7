"""Which key each type of Spark is, and which types are none. The table is in the package's own text.
"""

from .. import KeyTypeError, ParameterError

INTEGERS = "whole numbers"
TEXT = "text"
BYTES = "bytes"

_OF_SPARK = {
    "byte": INTEGERS,
    "short": INTEGERS,
    "integer": INTEGERS,
    "long": INTEGERS,
    "string": TEXT,
    "char": TEXT,
    "varchar": TEXT,
    "binary": BYTES,
}

# What to do instead, by the beginning of the type's name.
_INSTEAD = [
    ("boolean", "say which text or number stands for it: when(c, 1).otherwise(0)"),
    ("float", "floats have other bytes and texts elsewhere: round it and cast it to bigint, or cast it to string"),
    ("double", "floats have other bytes and texts elsewhere: round it and cast it to bigint, or cast it to string"),
    ("decimal", "cast it to bigint where it is whole, else to string"),
    ("date", "cast it to string (2026-11-23), or take unix_date(c)"),
    ("timestamp", "take unix_micros(c), or date_format(c, ...)"),
    ("time", "cast it to string"),
    ("struct", "make one string of its parts: to_json(c)"),
    ("array", "make rows of it: explode(c)"),
    ("map", "make rows of it: explode(c)"),
    ("void", "it has no values; cast it to the type of the keys"),
]


def of_spark(data_type):
    """What the keys of a column of this type are."""
    kind = _OF_SPARK.get(data_type.typeName())
    name = data_type.simpleString()
    if kind is None:
        raise _refused(name)
    if kind == TEXT and getattr(data_type, "collation", "UTF8_BINARY") != "UTF8_BINARY":
        raise KeyTypeError(
            f"the column is a {name}, for which texts of other bytes are equal; keys are told from each other by their "
            "bytes: use lower(c) or the like, and cast it to string collate UTF8_BINARY"
        )
    return kind


def of_arrow(data_type):
    """The same for a column as a Python worker gets it."""
    from pyarrow import types

    if types.is_signed_integer(data_type):
        return INTEGERS
    if types.is_string(data_type) or types.is_large_string(data_type):
        return TEXT
    if types.is_binary(data_type) or types.is_large_binary(data_type):
        return BYTES
    raise _refused(str(data_type))


def _refused(name):
    words = (instead for start, instead in _INSTEAD if name.startswith(start))
    instead = next(words, "cast it to string, bigint or binary, as your keys are")
    return KeyTypeError(f"a column of the type {name} has no keys; {instead}")


def usual_domain(kind):
    """The key domain of a filter that is built of such a column: numbers are hashed several times as fast as their text."""
    return "int64" if kind == INTEGERS else "bytes"


def check(kind, domain, scheme=None):
    """Whether a filter of this key domain and scheme can be asked for such keys.

    A filter that can not would answer "surely not" for keys that another column spells otherwise.
    """
    integers = domain in ("int64", "int32")
    if integers and kind != INTEGERS:
        raise KeyTypeError(
            f"the column has {kind}, and the filter's keys are integers (key domain {domain}); cast the column to bigint"
        )
    if kind == INTEGERS and domain == "hex":
        raise KeyTypeError(
            "the column has whole numbers, and the filter's keys are bytes in hexadecimal digits (key domain hex); "
            "cast the column to what those digits are"
        )
    if kind == INTEGERS and domain == "bytes" and scheme in ("spark-v1", "spark-v2"):
        # Spark puts a number in as a long, never as its digits.
        raise KeyTypeError(
            "the column has whole numbers, and this filter of Spark has strings or binary; cast the column to string, "
            'or read the filter with key_domain="int64" if its keys are numbers'
        )


def column_of(df, column):
    """The column alone, under the name `key`, and what its keys are."""
    import pyspark.errors
    from pyspark.sql import functions

    try:
        wanted = functions.col(column) if isinstance(column, str) else column
        keys = df.select(wanted.alias("key"))
        data_type = keys.schema[0].dataType
    except pyspark.errors.AnalysisException as error:
        names = ", ".join(df.columns[:20]) + (", ..." if len(df.columns) > 20 else "")
        raise ParameterError(
            f"the DataFrame has no column {column!r}: Spark says {error.getCondition()}; its columns are {names or 'none'}"
        ) from None
    except AttributeError:
        raise ParameterError(
            f"the column is a {type(column).__name__}; give its name, or a Column of pyspark.sql"
        ) from None
    return keys, of_spark(data_type)
