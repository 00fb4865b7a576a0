"""Frozen dataclasses of a service behave as the library makes them, and none is there twice."""

import copy
import os
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from octavo.runtime.double_classes import share_methods


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    secret: str = field(default="s", repr=False)
    inner: "Plain | list[object] | None" = None


@dataclass(frozen=True, slots=True)
class Own:
    name: str

    def __repr__(self) -> str:
        return "mine"


@dataclass(frozen=True, slots=True, repr=False)
class Quiet(Plain):
    more: str = "not told"


class Heir(Plain):
    """No dataclass: has attributes of its own beside the fields."""


VALUES = (Plain("a", inner=Plain("b")), Own("a"), Quiet("a"))
BEFORE = [repr(value) for value in VALUES]
COUNT = """
import gc
from collections import Counter
import octavo.runtime.server
from octavo.runtime.double_classes import forget_double_classes
forget_double_classes()
classes = Counter((one.__module__, one.__qualname__) for one in gc.get_objects() if isinstance(one, type))
print([name for name, count in classes.items() if count > 1 and name[0].startswith("octavo")])
"""


@pytest.fixture(autouse=True)
def shared() -> None:
    share_methods((Plain, Own, Quiet))


def test_what_is_shared_says_the_same() -> None:
    assert [repr(value) for value in VALUES] == BEFORE
    around: list[object] = []
    value = Plain("a", inner=around)
    around.append(value)
    assert repr(value) == "Plain(name='a', inner=[...])"


def test_nothing_can_be_changed() -> None:
    for value in VALUES:
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
            value.name = "b"  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
            del value.name


def test_who_inherits_has_attributes_of_its_own() -> None:
    value = Heir("a")
    value.more = 1  # type: ignore[attr-defined]
    del value.more  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        del value.more  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'secret'"):
        del value.secret


def test_values_are_made_and_compared_as_before() -> None:
    for value in VALUES:
        for other in (copy.deepcopy(value), pickle.loads(pickle.dumps(value)), replace(value)):
            assert other == value
            assert hash(other) == hash(value)
        assert replace(value, name="b") != value


def test_no_class_of_a_service_is_there_twice() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"
