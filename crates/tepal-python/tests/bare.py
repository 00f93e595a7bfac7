"""What a bare interpreter can do with the wheel, without any other package."""

import array
import io
import pickle
import sys

import tepal

for absent in ("numpy", "pyarrow"):
    try:
        __import__(absent)
    except ImportError:
        continue
    sys.exit(f"{absent} is there, so this interpreter is not bare")

seen = tepal.BloomFilter(1000, name="bare")
seen.update(["a", b"b", 3, ("c", 4)], array.array("q", range(100, 200)))
assert seen.contains_many(["a", "b", 3, ("c", 4), "d", 150]) == [True, True, True, True, False, True]
assert seen.contains_many(array.array("q", [100, 300])) == [True, False]
assert pickle.loads(pickle.dumps(seen)) == seen and "104 keys" in repr(seen)
country = tepal.RibbonMap({"a": "AT", "b": "CH"}, 1e-6)
assert country["b"] == "CH" and country.get_many(["a", "c"]) == ["AT", None] and pickle.loads(pickle.dumps(country)) == country
ports = tepal.RibbonMap.from_columns(array.array("q", [1, 2]), array.array("I", [22, 443]), 1e-6)
assert ports.get_many(array.array("q", [2, 1, 3])) == [443, 22, None]
assert "d" in seen.union({"d"}) and "d" not in seen
file = io.BytesIO()
seen.save(file)
assert tepal.open(io.BytesIO(file.getvalue())) == seen
try:
    seen.add(1.5)
    sys.exit("a float was taken")
except tepal.KeyTypeError:
    print(sys.version.split()[0], "fine")
