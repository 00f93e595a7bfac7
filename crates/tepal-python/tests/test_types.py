"""Type checkers agree with the examples of the pages, and know what `contains_many` returns."""

import doctest
import json
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGES = {"python_page": "docs/python.md", "readme": "crates/tepal-python/README.md"}


def example(page):
    """The examples of a page as a program, but for those that use an accessor."""
    examples = doctest.DocTestParser().get_examples((ROOT / page).read_text("utf-8"))
    sources = [example.source for example in examples if ".tepal." not in example.source]
    assert len(sources) > 5, page
    return "".join(sources)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("types")
    for name, page in PAGES.items():
        (folder / f"{name}.py").write_text(example(page), "utf-8")
    (folder / "typed.py").write_text((HERE / "typed.py").read_text("utf-8"), "utf-8")
    (folder / "wrong.py").write_text("import tepal\n\ntepal.BloomFilter(10).add(1.5)\ntepal.open('x').remove('y')\n", "utf-8")
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard", "reportAttributeAccessIssue": "error"}))
    return folder


def run(*command, cwd):
    done = subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_mypy(programs):
    config = ["--config-file", str(HERE / "mypy.ini"), "--cache-dir", str(programs / "cache")]
    code, said = run("mypy", *config, *[f"{name}.py" for name in (*PAGES, "typed")], cwd=programs)
    assert code == 0, said
    code, said = run("mypy", *config, "wrong.py", cwd=programs)
    assert code == 1 and "Found 2 errors" in said, said


def test_pyright(programs):
    here = ["--pythonpath", sys.executable]
    code, said = run("pyright", *here, *[f"{name}.py" for name in (*PAGES, "typed")], cwd=programs)
    assert code == 0 and "0 errors" in said, said
    code, said = run("pyright", *here, "wrong.py", cwd=programs)
    assert code == 1 and "2 errors" in said, said


def test_the_typed_program_runs():
    subprocess.run([sys.executable, HERE / "typed.py"], check=True)
