from typing import Any

from ._tepal import Filter

__all__ = ["Keys"]

class Keys:
    def __init__(self, column: Any) -> None: ...
    def isin(self, f: Filter) -> Any: ...
