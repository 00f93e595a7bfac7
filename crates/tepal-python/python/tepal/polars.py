"""`pl.col("key").tepal.isin(f)`: filters in expressions of polars. `import tepal.polars` registers it.

>>> import polars as pl, tepal.polars
>>> seen = tepal.BloomFilter(1000)
>>> seen.update(["apple", "banana"])
>>> stock = pl.LazyFrame({"fruit": ["apple", None, "cherry"], "boxes": [8, 5, 3]})
>>> stock.filter(pl.col("fruit").tepal.isin(seen)).collect()["boxes"].to_list()
[8]
"""

import polars

__all__ = ["Keys"]


@polars.api.register_expr_namespace("tepal")
class Keys:
    """An expression whose values are keys."""

    def __init__(self, expr):
        self._expr = expr

    def isin(self, f):
        """Which keys are in the filter, as `f.contains_many(series)` says: booleans, null for a null."""
        return self._expr.map_batches(f.contains_many, return_dtype=polars.Boolean, is_elementwise=True)
