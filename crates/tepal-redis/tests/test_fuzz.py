"""A few of the mutated payloads of fuzz.py; `.ci/redis fuzz` runs the rest."""

import fuzz


def test_mutated_payloads():
    fuzz.main(2_000, seed="ci")


def test_random_payloads_differ():
    import random

    rng = random.Random(1)
    assert len({fuzz.mutated(rng, bytes(100)) for _ in range(100)}) > 80
