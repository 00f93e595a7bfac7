"""`fork` while threads are in calls: a child never waits for ever, and never denies a key."""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
import tepal

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]
N = 200_000
# What a child ends with: all is well; a key is denied, or another error; it was refused by name.
FINE, WRONG, REFUSED = 0, 1, 2


def in_child(work, fork=os.fork, seconds=30):
    """How a forked child ends that does this. A signal ends one that waits for ever."""
    pid = fork()
    if pid == 0:
        signal.alarm(seconds)
        try:
            code = FINE if work() else WRONG
        except tepal.ForkError as error:
            code = REFUSED if "fork" in str(error) else WRONG
        except BaseException as error:
            print("child:", repr(error), file=sys.stderr)
            code = WRONG
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def fork_in_c():
    """As a program does that forks without Python's knowledge: no hook is called before."""
    fork, after = ctypes.PyDLL(None).fork, ctypes.pythonapi.PyOS_AfterFork_Child
    # Between the two nobody may ask this thread for the interpreter: in the child, it would wait for who asked.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    time.sleep(0.02)
    pid = fork()
    if pid == 0:
        after()
    sys.setswitchinterval(interval)
    return pid


@contextlib.contextmanager
def busy(call, threads=2):
    """Other threads are in this call, again and again."""
    ended = threading.Event()
    begun = threading.Barrier(threads + 1)

    def loop():
        begun.wait()
        while not ended.is_set():
            call()

    all = [threading.Thread(target=loop) for _ in range(threads)]
    for thread in all:
        thread.start()
    begun.wait()
    try:
        yield
    finally:
        ended.set()
        for thread in all:
            thread.join()


def bloom():
    return tepal.BloomFilter(N, key_domain="int64", over_capacity="ignore")


def table():
    return tepal.QuotientFilter(N, key_domain="int64", over_capacity="ignore")


def window():
    """A table that may be united with another one again and again: it keeps no copies."""
    return tepal.ExpiringFilter(N, window=60, key_domain="int64", over_capacity="ignore")


@pytest.mark.parametrize("make", [bloom, table, window])
@pytest.mark.parametrize("fork", [os.fork, fork_in_c])
def test_lookups_in_a_child(make, fork):
    keys = np.arange(N)
    seen = make()
    seen.update(keys)

    def work():
        answered = seen.contains_many(keys).all() and 7 in seen and seen.capacity == N and seen == seen.copy()
        seen.add(N + 1)
        seen.update(np.arange(N, N + 1000))
        return answered and seen.contains_many(np.arange(N + 1000)).all()

    for call in (lambda: seen.contains_many(keys), lambda: (seen.estimated_len(), seen.to_bytes())):
        with busy(call):
            for _ in range(10):
                assert in_child(work, fork) == FINE
    assert N + 1 not in seen or make is bloom


def test_what_a_child_adds_is_its_own():
    """Also where it has a copy, since a thread of the parent holds the lock of the filter for ever."""
    seen = tepal.BloomFilter(20_000_000, key_domain="int64")
    seen.add(1)

    def work():
        seen.add(2)
        grandchild = in_child(lambda: 1 in seen and 2 in seen and seen.add(3), fork_in_c)
        return grandchild == FINE and 1 in seen and 2 in seen and 3 not in seen

    with busy(lambda: seen.estimated_len(), threads=1):
        for _ in range(5):
            assert in_child(work, fork_in_c) == FINE
    assert 2 not in seen and 3 not in seen


@pytest.mark.parametrize("make", [bloom, window])
def test_a_thread_is_in_a_union(make):
    """The fork waits for it: the child has all keys."""
    u, v = make(), make()
    u.update(np.arange(N // 2)), v.update(np.arange(N // 4, N // 2 + 1000))

    def unite():
        both = u
        both |= v

    def work():
        return u.contains_many(np.arange(N // 2)).all() and v.contains_many(np.arange(N // 4, N // 2 + 1000)).all()

    with busy(unite):
        for _ in range(10):
            assert in_child(work) == FINE


def test_a_filter_that_is_half_changed_never_answers():
    """Without the wait before the fork some children find it half changed: those refuse by name, the others are right."""
    u, v = window(), window()
    u.update(np.arange(N // 2)), v.update(np.arange(1000))
    read_only = table()
    read_only.update(np.arange(1000))

    def unite():
        both = u
        both |= v

    def work():
        # Whatever became of the other one.
        if not read_only.contains_many(np.arange(1000)).all() or not read_only.add(N + 5):
            return False
        return u.contains_many(np.arange(N // 2)).all()

    def every_call_refuses():
        calls = [
            lambda: 1 in u, lambda: u.add(1), lambda: u.contains_many([1]), lambda: u.update(np.arange(3)), lambda: u | v,
            lambda: v | u, lambda: u == v, lambda: u.copy(), lambda: u.info(), lambda: u.to_bytes(), lambda: u.keys_inserted,
            lambda: u.contains_many(np.arange(3)), lambda: u.age(1), lambda: u.clear(),
        ]
        with contextlib.suppress(tepal.ForkError):
            1 in u
            return True
        for call in calls:
            with pytest.raises(tepal.ForkError) as raised:
                call()
            assert isinstance(raised.value, RuntimeError)
        assert "half changed" in repr(u) and bool(u) and sys.getsizeof(u) > 0
        u.close()
        # The grandchild knows it too.
        return in_child(lambda: 1 in u) == REFUSED

    codes = []
    with busy(unite, threads=1):
        begun = time.monotonic()
        while codes.count(REFUSED) < 3 and time.monotonic() - begun < 30:
            codes.append(in_child(work, fork_in_c))
        for _ in range(10):
            assert in_child(every_call_refuses, fork_in_c) == FINE
    assert set(codes) <= {FINE, REFUSED} and codes.count(REFUSED) >= 1, codes


def test_a_counter_of_keys():
    counter = tepal.KeyCounter("int64")
    keys = np.arange(N)

    def work():
        counter.update([N + 1])
        return counter.different >= 1

    with busy(lambda: counter.update(keys)):
        for _ in range(10):
            assert in_child(work) == FINE


def test_the_parent_goes_on_after_a_fork():
    seen = bloom()
    with busy(lambda: seen.update(np.arange(N))):
        for _ in range(5):
            assert in_child(lambda: seen.add(N + 1)) == FINE
    assert seen.contains_many(np.arange(N)).all() and N + 1 not in seen
    # No fork is left open.
    seen.update(np.arange(10)), seen.contains_many(np.arange(10))


SHARED = None


def _of_pool(part):
    return bool(SHARED.contains_many(np.arange(part, part + 1000)).all())


def test_multiprocessing():
    global SHARED
    SHARED = bloom()
    SHARED.update(np.arange(N))
    with busy(lambda: SHARED.contains_many(np.arange(N))), busy(lambda: SHARED.update(np.arange(1000))):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert all(pool.map_async(_of_pool, range(0, N, 10_000)).get(timeout=60))


def test_workers_of_a_server_that_loads_before_it_forks():
    """As `gunicorn --preload` does: the master loads the filter, and a thread of it goes on; workers have threads of their own."""
    seen = bloom()
    seen.update(np.arange(N))

    def worker():
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(seen.contains_many(np.arange(N)).all())) for _ in range(4)]
        threads += [threading.Thread(target=lambda i=i: answers.append(seen.add(10 * N + i) is not None)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return all(answers) and len(answers) == 8

    with busy(lambda: seen.contains_many(np.arange(N))), busy(lambda: seen.add(1)):
        for _ in range(4):
            assert in_child(worker) == FINE
            # A worker that died is made anew, from another state of the master.
            assert in_child(worker) == FINE
