"""Files: the kept ones, those of other programs, and those that go to the command and back."""

import json
import subprocess

import pytest
import tepal


def keys_of(kept, numbers):
    """The keys of these numbers, as `testdata/kept/README.md` says."""
    for number in numbers:
        digits = str(number)
        if kept["key_domain"] == "hex" and len(digits) % 2:
            digits = "0" + digits
        yield kept["key_prefix"] + digits


def options_of(kept):
    return {name: bytes.fromhex(kept[name]) for name in ("secret_key", "seal_key") if kept.get(name)}


def test_kept_bloom_filters(testdata):
    checked = 0
    for path in sorted((testdata / "kept" / "v1").glob("*.json")):
        kept = json.loads(path.read_text("utf-8"))
        file = path.with_suffix(".tepal")
        if kept.get("members_are_hashes") or not file.exists():
            continue
        with tepal.open(file, **options_of(kept)) as seen:
            assert type(seen) is tepal.BloomFilter
            members = list(keys_of(kept, range(kept["members"])))
            assert all(seen.contains_many(members)), path.name
            others = list(keys_of(kept, range(kept["members"], kept["members"] + 1000)))
            answers = "".join(str(int(answer)) for answer in seen.contains_many(others))
            assert answers == kept["answers_to_others"] == "".join(str(int(key in seen)) for key in others)
            assert (seen.capacity, seen.key_domain) == (kept["capacity"], kept["key_domain"])
            if not kept.get("seal_key"):
                assert seen.to_bytes() == file.read_bytes()
            checked += 1
    assert checked >= 35


def test_golden_files_of_other_programs(testdata):
    """One file of each program, opened with its mark or its name."""
    domains = {"bytes": "bytes", "utf8": "bytes", "long": "int64", "int": "int32"}
    checked = set()
    for program in ("guava", "spark", "parquet-sbbf", "bits-and-blooms", "dcso", "redisbloom", "valkey-bloom"):
        index = json.loads((testdata / "golden" / program / "index.json").read_text("utf-8"))
        for case in index["cases"]:
            kind = case["name"].split("_")[-1]
            if kind not in domains or "bin" not in case["files"]:
                continue
            path = testdata / "golden" / program / case["files"]["bin"]["file"]
            seen = tepal.open(path, format=program, key_domain=domains[kind])
            read = {"str": str, "hex": bytes.fromhex, "i64": int, "i32": int}
            keys = [read[text.partition(":")[0]](text.partition(":")[2]) for text in case["inserted"]]
            assert all(seen.contains_many(keys)), path
            absent = [read[text.partition(":")[0]](text.partition(":")[2]) for text in case["absent_probes"]]
            answers = "".join(str(int(answer)) for answer in seen.contains_many(absent))
            assert answers == case["absent_answers"], path
            assert seen.format == program and seen.to_bytes() == path.read_bytes()
            again = __import__("pickle").loads(__import__("pickle").dumps(seen))
            assert again == seen and again.format == program and again.key_domain == domains[kind]
            checked.add(program)
    assert checked >= {"guava", "spark", "parquet-sbbf", "dcso"}, checked


def test_from_the_command_and_back(command, tmp_path):
    def tepal_command(*words, stdin=""):
        return subprocess.run([command, *words], input=stdin, capture_output=True, text=True, cwd=tmp_path)

    lines = [f"account {i}" for i in range(5000)]
    built = tepal_command("build", "-o", "list.tepal", "--name", "accounts", stdin="\n".join(lines))
    assert built.returncode == 0, built.stderr
    seen = tepal.open(tmp_path / "list.tepal")
    assert seen.name == "accounts" and all(seen.contains_many(lines)) and "account 5001" not in seen
    seen.over_capacity = "ignore"
    seen.add("from Python")
    seen.add(("a", 1))
    seen.save(tmp_path / "more.tepal")
    has = tepal_command("has", "more.tepal", stdin="from Python\naccount 7\nnobody\n")
    assert has.stdout == "from Python\naccount 7\n"
    assert "from Python" not in tepal.open(tmp_path / "list.tepal")


# What the dict has in another form than `--json`, or not at all: it is made by the command.
# What `rows` says in one text.
OF_ROWS = {"row_format", "delimiter", "escape", "empty_keys", "nul_records"}
ONLY_JSON = OF_ROWS | {"file", "article"}


def test_info_is_what_the_command_says(command, testdata):
    files = [path for path in sorted((testdata / "kept").rglob("*.tepal"))]
    checked = 0
    for path in files:
        kept = json.loads(path.with_suffix(".json").read_text("utf-8"))
        if options_of(kept):
            continue
        said = subprocess.run([command, "info", "--json", str(path)], capture_output=True, text=True, check=True)
        said = json.loads(said.stdout)
        said = said[0] if isinstance(said, list) else said
        if said["window"]:
            # By the clock of the machine, which a filter in Python is not told by itself.
            del said["window"]["still_in"]
        info = tepal.open(path).info()
        for name in set(said) - ONLY_JSON:
            assert info[name] == said[name], (path, name)
        assert set(info) - {"rows"} <= set(said)
        checked += 1
    assert checked > 50


def test_saved_and_opened(tmp_path):
    path = tmp_path / "seen.tepal"
    seen = tepal.BloomFilter(1000, name="seen")
    seen.update(["a", ("b", 7)])
    seen.save(path)
    forms = [tepal.open(path), tepal.open(path, mapped=False), tepal.open(str(path), quick=True), tepal.BloomFilter.open(path),
             tepal.Filter.open(path), tepal.BloomFilter.from_file(path), tepal.BloomFilter.from_bytes(path.read_bytes()),
             tepal.Filter.from_bytes(memoryview(path.read_bytes())), tepal.Filter.from_bytes(bytearray(path.read_bytes()))]
    for again in forms:
        assert type(again) is tepal.BloomFilter and again == seen and again.name == "seen"
        assert "a" in again and ("b", 7) in again and "c" not in again
        again.verify()
        # A mapped filter becomes its own by the first change.
        again.add("c")
        assert "c" in again and tepal.open(path) == seen
    seen.save(path)
    seen.save(path, seal_key=bytes(range(32)))
    assert tepal.open(path, seal_key=bytes(range(32))) == seen
    assert seen.to_bytes() == tepal.open(path, seal_key=bytes(range(32))).to_bytes()
    assert path.read_bytes() == seen.to_bytes(seal_key=bytes(range(32)))


def test_a_file_that_is_damaged_but_opened_quick(tmp_path):
    path = tmp_path / "seen.tepal"
    seen = tepal.BloomFilter(100_000)
    seen.update(range(1000))
    data = bytearray(seen.to_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    with pytest.raises(tepal.DamagedError):
        tepal.open(path)
    quick = tepal.open(path, quick=True)
    with pytest.raises(tepal.DamagedError, match="restore"):
        quick.verify()
    with pytest.raises(tepal.DamagedError):
        tepal.BloomFilter(100_000).update(quick)
