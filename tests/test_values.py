"""Octavo's dataclasses, which share generated functions, behave as the standard library's."""

import copy
import gc
import inspect
import itertools
import pickle
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, replace
from typing import Any

import pytest

from octavo.core import values
from octavo.core.errors import Problem
from octavo.core.values import dataclass
from tests.test_layers import SOURCE


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    inside: "Place | None" = None
    weight: int = field(default=1, repr=False)


class Seen(Place):
    """A subclass that is no dataclass and so can have more attributes."""


@dataclass(slots=True, kw_only=True)
class Count:
    """How many."""

    number: int = 0

    def __repr__(self) -> str:
        return f"<{self.number}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route(Place):
    """Has fields of all kinds and a computed one."""

    stops: list[Place] = field(default_factory=list, hash=False)
    seen: int = field(default=0, compare=False)
    length: int = field(init=False, repr=False)
    marks: set[str] = field(init=False, default_factory=set, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.stops))


@dataclass(frozen=True, slots=True)
class Nothing:
    """Has no fields."""


@dataclass(slots=True)
class Odd:
    """Defines its own comparison, which a dataclass keeps."""

    number: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and self.number % 2 == other.number % 2

    def __hash__(self) -> int:
        return self.number % 2


def test_two_threads_can_use_a_class_for_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    create, entered, done = values._init_of, threading.Event(), threading.Event()
    calls = itertools.count()

    def slow(made: type) -> Any:
        if next(calls) == 0:
            entered.set()
            assert done.wait(60)
        return create(made)

    monkeypatch.setattr(values, "_init_of", slow)

    @dataclass(frozen=True, slots=True)
    class Fresh:
        number: int

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: list(map(Fresh, [1, 2, 3])))
        assert entered.wait(60)
        other = Fresh(4)
        done.set()
        assert [one.number for one in (*waiting.result(), other)] == [1, 2, 3, 4]


def test_fields_of_all_kinds() -> None:
    route = Route("Rhine", stops=[Place("Bonn")], seen=2)
    assert (route.name, route.inside, route.weight, route.length, route.marks) == ("Rhine", None, 1, 1, set())
    assert Route("Rhine").stops is not Route("Rhine").stops
    assert route == replace(route, seen=3) != replace(route, stops=[])
    assert hash(Route("Rhine")) == hash(Route("Rhine", seen=3))
    assert route != Place("Rhine")
    assert str(inspect.signature(Route)).startswith("(name, inside=None, weight=1, *, stops=")
    for copied in (copy.copy(route), copy.deepcopy(route), pickle.loads(pickle.dumps(route))):
        assert copied == route
        assert copied is not route
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert Odd(1) == Odd(3)
    assert len({Odd(1), Odd(3), Odd(2)}) == 2
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        Route()  # type: ignore[call-arg]


def test_equal_fields_make_equal_values() -> None:
    town = Place("Bonn", Place("Germany", weight=3))
    assert town == Place("Bonn", Place("Germany", weight=3)) != replace(town, weight=2)
    assert hash(town) == hash(replace(town))
    assert {town: 1}[replace(town)] == 1
    with pytest.raises(TypeError):
        hash(Count())


def test_repr_and_docstring_show_the_fields() -> None:
    assert repr(Place("Bonn", Place("Germany"))) == "Place(name='Bonn', inside=Place(name='Germany', inside=None))"
    assert repr(Count(number=2)) == "<2>"
    assert (Place.__doc__, Count.__doc__) == ("Place", "How many.")


@pytest.mark.parametrize("value", [Place("Bonn"), Seen("Bonn")])
def test_frozen_dataclasses_are_immutable(value: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "Köln"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del value.name
    assert value.name == "Bonn"


def test_plain_subclasses_can_have_more_attributes() -> None:
    seen: Any = Seen("Bonn")
    seen.often = 2
    assert seen.often == 2
    del seen.often
    assert not hasattr(seen, "often")
    with pytest.raises(FrozenInstanceError):
        Place("Bonn").often = 2  # type: ignore[attr-defined]


def test_dataclasses_that_are_not_frozen_are_mutable() -> None:
    count = Count()
    count.number += 1
    assert count == Count(number=1)


def test_the_original_class_is_freed() -> None:
    """The standard library keeps it, in the function that raises FrozenInstanceError."""
    gc.collect()
    named = [cls for cls in object.__subclasses__() if cls.__qualname__ == "Place" and cls.__module__ == __name__]
    assert named == [Place]


def test_functions_are_shared() -> None:
    shared = ("__repr__", "__setattr__", "__delattr__")
    assert [getattr(Place, name) is getattr(Problem, name) for name in shared] == [True] * 3


def test_the_package_uses_only_its_own_dataclass() -> None:
    texts = {path: path.read_text() for path in SOURCE.rglob("*.py") if path != SOURCE / "octavo/core/values.py"}
    of_the_library = re.compile(r"^from dataclasses import .*\bdataclass\b|^import dataclasses", re.MULTILINE)
    assert [path for path, text in texts.items() if of_the_library.search(text)] == []
