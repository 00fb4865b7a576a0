"""Dataclasses that share what is the same in all of them.

The library's make six functions for each class, by compiling their text, and a frozen one with slots keeps alive the
class that it was made of. With six hundred classes that is a tenth of a process's memory and of its start.
"""

import dataclasses
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """As `dataclasses.dataclass`, and its classes behave the same."""
        return _make(cls, options) if cls is not None else lambda made: _make(made, options)


def _make(cls: type, options: dict[str, bool]) -> Any:
    cls.__doc__ = cls.__doc__ or cls.__name__  # where there is none, one is made of the signature, which takes time
    says_itself = "__repr__" in cls.__dict__
    made: Any = dataclasses.dataclass(cls, **options, repr=False)
    left = vars(made).get("__weakref__")
    if left is not None and left.__objclass__ is not made:  # Python 3.11.2 copies it, and nothing is behind it
        del made.__weakref__
    if not says_itself:
        made.__repr__ = _repr
    if options.get("frozen"):
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    return made


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
    """A class below a dataclass that is none itself may have more attributes."""
    return "__dataclass_fields__" in type(value).__dict__ or name in value.__dataclass_fields__
