"""Classes that are in memory twice: frozen dataclasses with slots, a twentieth of what a service has when it starts.

Such a class is made anew from the one that was declared, and that one stays: `__setattr__` as the library generates it
refers to it. So methods that are the same for all are given to all in common; nothing behaves in another way.
"""

import dataclasses
import gc
import reprlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

_GENERATED: Final = frozenset(("<string>", dataclasses.__file__, reprlib.__file__))
"""Where the code of methods comes from that nobody has written."""


def forget_double_classes() -> None:
    """To be called when what serves is imported, and before it is built: what stays is looked at for the last time."""
    share_methods(_frozen_dataclasses("octavo"))
    gc.collect()


def share_methods(classes: Iterable[type]) -> None:
    """Give frozen dataclasses with slots one method in common for each of those that are the same for all."""
    for one in classes:
        for name, shared in _SHARED.items():
            if _is_generated(vars(one).get(name)):
                type.__setattr__(one, name, shared)


def _frozen_dataclasses(package: str) -> Iterator[type]:
    """Those with slots that the modules of a package have."""
    named = [module for name, module in sys.modules.items() if name.partition(".")[0] == package]
    for module in named:
        for one in vars(module).values():
            if isinstance(one, type) and one.__module__ == module.__name__ and _is_frozen(one):
                yield one


def _is_frozen(one: type) -> bool:
    options = vars(one).get("__dataclass_params__")
    return options is not None and bool(options.frozen) and "__slots__" in vars(one)


def _is_generated(method: Any) -> bool:
    code = getattr(getattr(method, "__wrapped__", method), "__code__", None)
    return code is not None and code.co_filename in _GENERATED


def _set(self: Any, name: str, value: object) -> None:
    if _is_field(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delete(self: Any, name: str) -> None:
    if _is_field(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_field(value: Any, name: str) -> bool:
    """A class that inherits from a dataclass, and is none, may have attributes of its own."""
    return "__dataclass_params__" in vars(type(value)) or any(field.name == name for field in dataclasses.fields(value))


@reprlib.recursive_repr()
def _shown(self: Any) -> str:
    """What the library's own says: the fields of the class that this is a method of."""
    owner = next(one for one in type(self).__mro__ if vars(one).get("__repr__") is _shown)
    fields = (field.name for field in dataclasses.fields(owner) if field.repr)
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"


_SHARED: Final = {"__setattr__": _set, "__delattr__": _delete, "__repr__": _shown}
