"""The examples in the docstrings and pages are run, and there is a docstring for everything."""

import doctest
import inspect
import pathlib
import types

import pytest
import tepal

ROOT = pathlib.Path(__file__).resolve().parents[3]


def public():
    """Every public thing, with its name."""
    for name in tepal.__all__:
        if name == "__version__":
            continue
        thing = getattr(tepal, name)
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value


def run(name, text):
    test = doctest.DocTestParser().get_doctest(text, {"tepal": tepal}, name, name, 0)
    said = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    return result.attempted


def test_the_examples_of_docstrings():
    import tepal.pandas
    import tepal.polars

    modules = (tepal, tepal.pandas, tepal.polars)
    assert all(run(module.__name__, module.__doc__) > 3 for module in modules)
    assert sum(run(name, thing.__doc__ or "") for name, thing in public()) > 20


def test_everything_says_what_it_does():
    for name, thing in public():
        assert thing.__doc__ and len(thing.__doc__) > 15, name


def test_help_is_whole(capsys):
    help(tepal)
    text = capsys.readouterr().out
    for word in ("BloomFilter", "tepal.open(path)", "CapacityError", "seed_for(purpose)"):
        assert word in text


@pytest.mark.parametrize("page", ["docs/python.md", "crates/tepal-python/README.md"])
def test_the_examples_of_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text("utf-8")
    assert run(page, text) > 3


def test_the_picture_of_notebooks():
    import xml.etree.ElementTree

    seen = tepal.BloomFilter(1000, name="<b>&'\"")
    seen.update(range(500))
    tree = xml.etree.ElementTree.fromstring(seen._repr_html_().replace("<br>", "<br/>"))
    assert len(tree.findall(".//rect")) > 5 and "<b>&'\"" in "".join(tree.itertext())
    assert isinstance(tepal.BloomFilter, type) and isinstance(tepal, types.ModuleType)
