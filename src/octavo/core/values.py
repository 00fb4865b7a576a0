"""Lightweight dataclasses that share generated code.

The standard library compiles six functions for each class, and a frozen class with slots keeps the original class in
memory. With six hundred classes that is a tenth of a process's memory and a quarter of its start time. Here, `__init__`
and comparison methods are created on first use.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Like `dataclasses.dataclass`. The classes behave in the same way."""
        return _make(cls, options) if cls is not None else lambda made: _make(made, options)


def _make(cls: type, options: dict[str, bool]) -> Any:
    cls.__doc__ = cls.__doc__ or cls.__name__  # otherwise it is generated from the signature, which takes time
    own: Mapping[str, Any] = cls.__dict__
    frozen, ordered = options.get("frozen", False), options.get("order", False)
    made: Any = dataclasses.dataclass(cls, **{**options, "init": False, "repr": False, "eq": ordered, "frozen": False})
    left = vars(made).get("__weakref__")
    if left is not None and left.__objclass__ is not made:  # Python 3.11.2 copies the descriptor, which is invalid then
        del made.__weakref__
    functions: dict[str, Any] = {"__init__": _on_first_use(made, "__init__", _init_of), "__repr__": _repr}
    if options.get("eq", True):
        functions["__eq__"] = _on_first_use(made, "__eq__", _eq_of)
        functions["__hash__"] = _on_first_use(made, "__hash__", _hash_of) if frozen else None
    if "__eq__" in own and own.get("__hash__") is None:
        own = {name: value for name, value in own.items() if name != "__hash__"}  # set by Python because of __eq__
    for name in functions.keys() - own.keys():
        setattr(made, name, functions[name])
    if frozen:
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
        if options.get("slots"):
            made.__getstate__, made.__setstate__ = _state, _set_state
    return made


_ABSENT: Final = object()


def _on_first_use(made: type, name: str, create: Callable[[Any], Any]) -> Any:
    """Return a method that is created on first use: three of five classes have no instance when a service has started.

    Two threads can use it at once. Both create the same method, and neither searches for the class.
    """

    def first(self: Any, *values: Any, **named: Any) -> Any:
        method = create(made)
        setattr(made, name, method)
        return method(self, *values, **named)

    return first


def _init_of(made: Any) -> Any:
    """Return the `__init__` function, which sets the fields."""
    frozen = made.__setattr__ is _refuse_to_set
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": _ABSENT}
    plain, named, body = ["self"], list[str](), list[str]()
    for one in dataclasses.fields(made):
        name = value = one.name
        default = ""
        if one.default is not dataclasses.MISSING:
            known[f"_default_{name}"], default = one.default, f"=_default_{name}"
            value = name if one.init else f"_default_{name}"
        elif one.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"], default = one.default_factory, "=_absent"
            value = f"_make_{name}() if {name} is _absent else {name}" if one.init else f"_make_{name}()"
        elif not one.init:
            continue
        if one.init:
            (named if one.kw_only else plain).append(name + default)
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*plain, *(["*", *named] if named else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), known)  # noqa: S102 - names of fields
    init = known["__init__"]
    init.__qualname__, init.__module__ = f"{made.__qualname__}.__init__", made.__module__
    return init


def _eq_of(made: Any) -> Any:
    get = _getter([one.name for one in dataclasses.fields(made) if one.compare])
    return lambda one, two: get(one) == get(two) if two.__class__ is one.__class__ else NotImplemented


def _hash_of(made: Any) -> Any:
    get = _getter([one.name for one in dataclasses.fields(made) if (one.compare if one.hash is None else one.hash)])
    return lambda one: hash(get(one))


def _getter(names: Sequence[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


@recursive_repr()
def _repr(self: Any) -> str:
    said = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(said)})"


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    if _is_frozen(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_frozen(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_frozen(value: Any, name: str) -> bool:
    """Return whether an attribute is frozen: subclasses that are not dataclasses may have further attributes."""
    return "__dataclass_fields__" in type(value).__dict__ or name in value.__dataclass_fields__
