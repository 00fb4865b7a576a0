"""The `components` of the document: schemas by name, made when something refers to them."""

from collections import deque
from collections.abc import Callable
from typing import Any

from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.naming import words

Json = dict[str, Any]
Make = Callable[[], Json]


class Components:
    """Schemas that are referred to. Names are readable, and the same for the same project: what claims a name that is
    taken gets a number behind it."""

    def __init__(self) -> None:
        self.schemas: dict[str, Json] = {}
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()
        self._waiting: deque[tuple[str, Make]] = deque()

    def refer(self, key: object, name: str, make: Make) -> Json:
        """A reference to the schema of `key`, which is made once, after all that refers to it."""
        if key not in self._names:
            self._names[key] = self._claim(name)
            self._waiting.append((self._names[key], make))
        return reference(self._names[key])

    def complete(self) -> dict[str, Json]:
        """All schemas that anything leads to, by name."""
        while self._waiting:
            name, make = self._waiting.popleft()
            self.schemas[name] = make()
        return dict(sorted(self.schemas.items()))

    def _claim(self, name: str) -> str:
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name}{number}"
        self._taken.add(free)
        return free


def reference(name: str) -> Json:
    """A `$ref` to a schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def pascal_case(text: str) -> str:
    """`shared.seo-image` as `SharedSeoImage`; what is no letter of ASCII and no digit goes."""
    found = "".join(word[:1].upper() + word[1:] for word in words(text) if word.isascii())
    return found or "Schema"


def base_name(definition: Definition) -> str:
    """The name that all schemas of a definition begin with: `Article`, `UploadFile`, `SharedSeoComponent`."""
    if isinstance(definition, Component):
        return f"{pascal_case(definition.uid)}Component"
    if isinstance(definition, ContentType) and definition.is_api:
        return pascal_case(definition.singular_name)
    return pascal_case(definition.uid.partition("::")[2])
