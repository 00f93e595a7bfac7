import pytest

from engine import Engine


@pytest.fixture
def start(tmp_path_factory):
    """Starts servers, and ends them after the test."""
    engines = []

    def begin(*args, **options):
        engines.append(Engine(tmp_path_factory.mktemp("server"), *args, **options))
        return engines[-1]

    yield begin
    for engine in engines:
        engine.stop()


@pytest.fixture(scope="module")
def shared_engine(tmp_path_factory):
    engine = Engine(tmp_path_factory.mktemp("server"))
    yield engine
    engine.stop()


@pytest.fixture
def engine(shared_engine):
    """An empty server that the tests of a file share."""
    assert shared_engine.is_alive(), shared_engine.tail()
    shared_engine.client.flushall()
    return shared_engine
