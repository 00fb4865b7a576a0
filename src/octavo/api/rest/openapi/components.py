"""The document's `components`: schemas by name, built when something refers to them."""

from collections import deque
from collections.abc import Callable
from typing import Any

from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.naming import words

Json = dict[str, Any]
Make = Callable[[], Json]


class Components:
    """Schemas by readable names, which are stable for a project. If a name is in use, a number is appended."""

    def __init__(self) -> None:
        self.schemas: dict[str, Json] = {}
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()
        self._waiting: deque[tuple[str, Make]] = deque()

    def refer(self, key: object, name: str, make: Make) -> Json:
        """Return a reference to the schema of `key`. The schema is built once, after those that refer to it."""
        if key not in self._names:
            self._names[key] = self._claim(name)
            self._waiting.append((self._names[key], make))
        return reference(self._names[key])

    def complete(self) -> dict[str, Json]:
        """Return all schemas that are referred to, by name."""
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
    """Return a `$ref` to a schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def pascal_case(text: str) -> str:
    """Convert `shared.seo-image` to `SharedSeoImage`. Only ASCII letters and digits remain."""
    found = "".join(word[:1].upper() + word[1:] for word in words(text) if word.isascii())
    return found or "Schema"


def base_name(definition: Definition) -> str:
    """Return the prefix of a definition's schema names: `Article`, `UploadFile`, `SharedSeoComponent`."""
    if isinstance(definition, Component):
        return f"{pascal_case(definition.uid)}Component"
    if isinstance(definition, ContentType) and definition.is_api:
        return pascal_case(definition.singular_name)
    return pascal_case(definition.uid.partition("::")[2])
