"""The verdicts of the soak test: flat memory and lost writes."""

from benchmarks.soak_load import Entry, loss
from benchmarks.soak_watch import slope, verdict


def test_flat_memory_does_not_grow() -> None:
    noise = [(float(at), 100.0 + (at * 7919 % 13)) for at in range(600)]
    assert verdict("memory", noise, share=0.1, least=5).is_flat
    assert verdict("memory", [(at, value - at / 10) for at, value in noise], share=0.1, least=5).is_flat
    outliers = [(at, 900.0 if at % 50 == 49 else value) for at, value in noise]
    assert verdict("memory", outliers, share=0.1, least=5).is_flat
    leaking = [(at, value + at / 20) for at, value in noise]
    assert not verdict("memory", leaking, share=0.1, least=5).is_flat
    assert round(slope(leaking), 2) == 0.05
    assert verdict("memory", leaking[:2], share=0.1, least=5).is_flat  # too few values


def test_acknowledged_writes_must_exist() -> None:
    found = {"a": (1, "first"), "b": (2, "second")}
    assert loss(Entry("a", ["first", "second"], 1), found) is None
    assert loss(Entry("a", ["first"], 9), found) == "a was made, and is not there"
    assert loss(Entry("b", ["first"], 2), found) == "b holds 'second', not one of ['first']"
    assert loss(Entry("c", ["first"], 3), found) == "c was made, and is not there"
    assert loss(Entry("c", ["first"]), found) is None  # never acknowledged
    assert loss(Entry("b", ["second"], 2, gone=True, leaving=True), found) == "b was removed, and is there"
    assert loss(Entry("c", ["first"], 3, leaving=True), found) is None  # the deletion was not acknowledged
