"""Caches: found again, within a budget of bytes, the least used first to go."""

import gc
import sys
import threading
import tracemalloc
import weakref
from dataclasses import dataclass

from octavo.core.cache import ENTRY_BYTES, LARGEST_SHARE, CacheBudget, size_of
from octavo.query.plan.nodes import ScalarRun, ScalarShape


class Thing:
    """Something that compares by identity."""


def filled(limit: int, size: int) -> tuple[CacheBudget, int]:
    """A budget and how many entries of a size fit into it."""
    return CacheBudget(limit), limit // (size + ENTRY_BYTES)


def test_what_is_put_is_found() -> None:
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


def test_what_is_used_stays() -> None:
    budget, most = filled(1_000_000, 1000)
    cache = budget.cache("texts")
    cache.put("wanted", 1, 1000)
    for number in range(5 * most):
        cache.put(number, number, 1000)
        assert cache.get("wanted") == 1
    assert budget.size <= budget.limit


def test_what_is_replaced_for_ever_takes_no_room() -> None:
    budget = CacheBudget(1_000_000)
    cache = budget.cache("texts")
    tracemalloc.start()
    for number in range(20_000):
        cache.put("a", number, 10)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert (len(cache), budget.entries, budget.size) == (1, 1, 10 + ENTRY_BYTES)
    assert taken < 1_000_000


def test_what_is_too_large_is_not_kept() -> None:
    budget = CacheBudget(1_000_000)
    cache = budget.cache("texts")
    assert cache.put("a", "value", budget.limit // LARGEST_SHARE) == "value"
    assert (cache.get("a"), budget.size) == (None, 0)


def test_a_closed_cache_holds_nothing_and_counts_nothing() -> None:
    budget = CacheBudget(1_000_000)
    cache, thing = budget.cache("site"), Thing()
    watched = weakref.ref(thing)
    cache.put("a", thing, 100)
    cache.close()
    del thing
    gc.collect()
    assert (watched(), budget.size, budget.reports()) == (None, 0, ())


def test_what_went_is_let_go() -> None:
    budget, most = filled(100_000, 1000)
    cache, thing = budget.cache("texts"), Thing()
    watched = weakref.ref(thing)
    cache.put("a", thing, 1000)
    del thing
    for number in range(2 * most):
        cache.put(number, number, 1000)
    gc.collect()
    assert watched() is None


def test_reports_tell_hits() -> None:
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
    """A part of a tree."""

    name: str
    children: "tuple[Node, ...]" = ()
    owner: Thing | None = None


def test_sizes_are_what_memory_is_taken() -> None:
    """Within a quarter of what Python's own count of allocations says, for a tree like those that are kept."""
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
    """While one serves another builds and closes: nothing is lost, and nobody is disturbed."""
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
