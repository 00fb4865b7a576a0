"""Values of a request body for project code: a missing member is an error of the client.

For a body without `data`, `(await request.json())["data"]` results in a 400 response that names the path, not in a
KeyError.
"""

from collections.abc import Iterable
from typing import Any, Final, NoReturn, SupportsIndex

from octavo.api.rest.bodies import MISSING
from octavo.core.errors import Problem, ValidationError

Path = tuple[str, ...]
_NOTHING: Final = object()


class BodyObject(dict[str, Any]):
    """An object in a body. `path` is its position."""

    __slots__ = ("path",)

    def __init__(self, members: Iterable[tuple[str, Any]], path: Path) -> None:
        super().__init__(members)
        self.path = path

    def __missing__(self, name: str) -> NoReturn:
        raise _missing((*self.path, str(name)))

    def pop(self, name: str, default: Any = _NOTHING) -> Any:
        """Remove a member and return it. Raises ValidationError if it is missing and there is no default."""
        if default is _NOTHING and name not in self:
            raise _missing((*self.path, str(name)))
        return super().pop(name, None if default is _NOTHING else default)


class BodyList(list[Any]):
    """An array in a body, where code may expect an object."""

    __slots__ = ("path",)

    def __init__(self, items: Iterable[Any], path: Path) -> None:
        super().__init__(items)
        self.path = path

    def __getitem__(self, at: SupportsIndex | slice | str) -> Any:
        if isinstance(at, str):
            raise expected_object(self.path, "an array")
        return super().__getitem__(at)


class BodyText(str):
    """A text in a body, where code may expect an object."""

    __slots__ = ("path",)
    path: Path

    def __getitem__(self, at: SupportsIndex | slice | str) -> str:
        if isinstance(at, str):
            raise expected_object(self.path, "a string")
        return super().__getitem__(at)


def with_paths(value: Any) -> Any:
    """Return the value of a body with the positions of its objects and arrays."""
    if isinstance(value, str):
        text = BodyText(value)
        text.path = ()
        return text
    return _placed(value, ())


def data_of(value: Any) -> BodyObject:
    """Return the object in `data` of a body. Raises ValidationError."""
    if not isinstance(value, dict):
        raise _missing(("data",))
    data = value.get("data")
    if data is None:
        raise _missing(("data",))
    if not isinstance(data, dict):
        raise expected_object(("data",), "an array" if isinstance(data, list) else type(data).__name__)
    return data if isinstance(data, BodyObject) else BodyObject(data.items(), ("data",))


def _placed(value: Any, path: Path) -> Any:
    if isinstance(value, dict):
        return BodyObject(((name, _placed(member, (*path, name))) for name, member in value.items()), path)
    if isinstance(value, list):
        return BodyList((_placed(item, (*path, str(number))) for number, item in enumerate(value)), path)
    return value


def _missing(path: Path) -> ValidationError:
    message = MISSING if path == ("data",) else f"{'.'.join(path)} must be defined."
    return ValidationError.from_problems([Problem(path, message)])


def expected_object(path: Path, found: str) -> ValidationError:
    """Return the error for a value that is not an object."""
    place = ".".join(path) or "the request body"
    return ValidationError.from_problems([Problem(path, f"{place}: expected an object, not {found}")])
