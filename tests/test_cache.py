"""The caches: lookups, the shared budget of bytes, and eviction of the least recently used entries."""

import gc
import sys
import threading
import tracemalloc
import weakref
from dataclasses import dataclass

from octavo.core.cache import ENTRY_BYTES, LARGEST_SHARE, CacheBudget, size_of
from octavo.query.plan.nodes import ScalarRun, ScalarShape


class Thing:
    """An object that compares by identity."""


def filled(limit: int, size: int) -> tuple[CacheBudget, int]:
    """Return a budget and the number of entries of a size that fit into it."""
    return CacheBudget(limit), limit // (size + ENTRY_BYTES)


def test_stored_values_are_found() -> None:
    cache = CacheBudget(100_000).cache("texts")
    assert cache.get("a") is None
    assert cache.put("a", 1, 10) == 1
    assert (cache.get("a"), len(cache)) == (1, 1)
    cache.put("a", 2, 10)
    assert (cache.get("a"), len(cache)) == (2, 1)


def test_all_caches_share_the_budget() -> None:
    budget, most = filled(1_000_000, 1000)
    first, second = budget.cache("first"), budget.cache("second")
    for number in range(most):
        first.put(number, number, 1000)
    assert len(first) == most
    for number in range(most):
        second.put(number, number, 1000)
    assert (len(first), len(second)) == (0, most)
    assert budget.size <= budget.limit


def test_used_entries_are_not_evicted() -> None:
    budget, most = filled(1_000_000, 1000)
    cache = budget.cache("texts")
    cache.put("wanted", 1, 1000)
    for number in range(5 * most):
        cache.put(number, number, 1000)
        assert cache.get("wanted") == 1
    assert budget.size <= budget.limit


def test_replacing_an_entry_many_times_does_not_leak() -> None:
    budget = CacheBudget(1_000_000)
    cache = budget.cache("texts")
    tracemalloc.start()
    for number in range(20_000):
        cache.put("a", number, 10)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert (len(cache), budget.entries, budget.size) == (1, 1, 10 + ENTRY_BYTES)
    assert taken < 1_000_000


def test_too_large_values_are_not_cached() -> None:
    budget = CacheBudget(1_000_000)
    cache = budget.cache("texts")
    assert cache.put("a", "value", budget.limit // LARGEST_SHARE) == "value"
    assert (cache.get("a"), budget.size) == (None, 0)


def test_a_closed_cache_is_empty_and_not_reported() -> None:
    budget = CacheBudget(1_000_000)
    cache, thing = budget.cache("site"), Thing()
    watched = weakref.ref(thing)
    cache.put("a", thing, 100)
    cache.close()
    del thing
    gc.collect()
    assert (watched(), budget.size, budget.reports()) == (None, 0, ())


def test_evicted_values_are_freed() -> None:
    budget, most = filled(100_000, 1000)
    cache, thing = budget.cache("texts"), Thing()
    watched = weakref.ref(thing)
    cache.put("a", thing, 1000)
    del thing
    for number in range(2 * most):
        cache.put(number, number, 1000)
    gc.collect()
    assert watched() is None


def test_reports_contain_the_hit_rate() -> None:
    budget = CacheBudget(1_000_000)
    one, other = budget.cache("reads"), budget.cache("reads")
    one.put("a", 1, 1024 - ENTRY_BYTES)
    other.put("a", 1, 1024 - ENTRY_BYTES)
    one.get("a")
    other.get("b")
    assert [str(report) for report in budget.reports()] == ["reads: 2 entries, 2 kB, 50% of 2 found"]
    assert str(CacheBudget(1).cache("new").report()) == "new: 0 entries, 0 kB, not asked"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree."""

    name: str
    children: "tuple[Node, ...]" = ()
    owner: Thing | None = None


def test_sizes_are_close_to_the_allocated_memory() -> None:
    """Within a quarter of what tracemalloc measures, for a tree like the cached ones."""
    owner = Thing()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tree = Node("root", tuple(Node(f"a child of number {one}", (Node(f"its own {one}"),), owner) for one in range(500)))
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert 0.75 * taken <= size_of(tree) <= 1.25 * taken


def test_shared_things_count_once_or_not_at_all() -> None:
    text = "x" * 10_000
    assert size_of((text, text)) < 2 * size_of(text)
    assert size_of(Node("a", (), Thing())) == size_of(Node("a"))
    assert size_of({"a": [1.5, {"b"}]}) > size_of({})


def test_threads_share_a_budget() -> None:
    """One thread adds entries while another creates and closes caches. The totals stay correct."""
    budget, failures, closing = CacheBudget(10_000_000), [], threading.Event()

    def serve() -> None:
        try:
            cache, number = budget.cache("served"), 0
            while not closing.is_set():
                cache.put(number % 5000, number, 300)
                number += 1
            cache.close()
        except Exception as error:
            failures.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    serving = threading.Thread(target=serve)
    serving.start()
    try:
        for _ in range(800):
            built = budget.cache("built")
            built.put("a", 1, 300)
            built.close()
    finally:
        sys.setswitchinterval(before)
        closing.set()
        serving.join()
    assert failures == []
    assert (budget.size, budget.entries) == (0, 0)


def test_shared_parts_count_nothing() -> None:
    name = ScalarShape(None)
    own, shared = ScalarRun((("id", name),)), ScalarRun((("id", name),), whole=True)
    assert size_of((shared,)) == size_of((None,)) < size_of((own,))
