"""Filters over Spark's DataFrames: built where the rows are, and asked there.

>>> from tepal.spark import build, semi_join                               # doctest: +SKIP
>>> wanted = build(customers, "account")                                   # one pass to count, one to fill
>>> wanted.save("/shared/wanted.tepal")
>>> semi_join(payments, wanted, "account").join(customers, "account")      # or the path, for a large filter

| you have | you want | use |
| --- | --- | --- |
| a column of a DataFrame | one filter of it, in the driver | `build` |
| a filter, or the path of its file | the rows whose key is perhaps in it | `semi_join` |
| the same | the rows whose key is surely not in it | `anti_join` |
| the same | the answer as a column | `contains` |
| more keys than one filter may have here | several files, of which each key is in one | `build_shards`, and the folder in place of a path |
| the bytes of one of Spark's own filters | to ask it, or to give one to Spark | `read`, `write` |

| Spark's type | the key |
| --- | --- |
| `tinyint`, `smallint`, `int`, `bigint` | the number: 7 of any of them is one key |
| `string` (also `char`, `varchar`) | its UTF-8, with all its spaces; of the collation `UTF8_BINARY` alone |
| `binary` | its bytes: those of a text are the same key as the text |
| null | none: not counted, not inserted, and asked it is null |
| anything else | refused, with what to do: other programs, or Spark itself, write it in other bytes |

Apache Spark 4.1 or newer, without a jar: the wheel must be installed where the executors run Python. `docs/spark.md` in the
repository has the whole way, with what is gained and what is not.
"""

from ._ask import anti_join, contains, semi_join
from ._blob import read, write
from ._build import LIMIT, build
from ._shards import Shards, build_shards

__all__ = ["LIMIT", "Shards", "anti_join", "build", "build_shards", "contains", "read", "semi_join", "write"]
