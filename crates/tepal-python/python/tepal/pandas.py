"""`df.key.tepal.isin(f)`: filters as a method of pandas columns. `import tepal.pandas` registers it.

>>> import pandas, tepal.pandas
>>> seen = tepal.BloomFilter(1000)
>>> seen.update(["apple", "banana"])
>>> stock = pandas.DataFrame({"fruit": ["apple", None, "cherry"], "boxes": [8, 5, 3]})
>>> stock[stock.fruit.tepal.isin(seen)].boxes.tolist()
[8]
"""

import pandas

__all__ = ["Keys"]


@pandas.api.extensions.register_series_accessor("tepal")
@pandas.api.extensions.register_index_accessor("tepal")
class Keys:
    """A column of keys."""

    def __init__(self, column):
        self._column = column

    def isin(self, f):
        """Which keys are in the filter, as `f.contains_many(column)` says: a mask of `bool`, `False` for a null."""
        return f.contains_many(self._column)
