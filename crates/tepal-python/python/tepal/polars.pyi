import polars

from ._tepal import Filter

__all__ = ["Keys"]

class Keys:
    def __init__(self, expr: polars.Expr) -> None: ...
    def isin(self, f: Filter) -> polars.Expr: ...
