"""Names of the classes that are made for definitions: short where they can be, never the same twice."""

import keyword
from collections.abc import Iterable
from typing import Final

from octavo.core.values import dataclass
from octavo.schema.content_types import Definition
from octavo.schema.naming import words

_SUFFIXES: Final = (
    "",
    "Input",
    "Update",
    "Filters",
    "Field",
    "Path",
    "Populated",
    "Populate",
    "Below",
    "Item",
    "ItemInput",
)


@dataclass(frozen=True, slots=True)
class Names:
    """The classes of one definition, all beginning with `entry`."""

    entry: str

    @property
    def input(self) -> str:
        """What is written."""
        return f"{self.entry}Input"

    @property
    def update(self) -> str:
        """What is changed: nothing of it is required."""
        return f"{self.entry}Update"

    @property
    def filters(self) -> str:
        """Conditions."""
        return f"{self.entry}Filters"

    @property
    def field(self) -> str:
        """The names that `fields` may hold."""
        return f"{self.entry}Field"

    @property
    def path(self) -> str:
        """The names that `populate` may hold."""
        return f"{self.entry}Path"

    @property
    def populated(self) -> str:
        """`populate` as a dictionary."""
        return f"{self.entry}Populated"

    @property
    def populate(self) -> str:
        """`populate` in all its forms."""
        return f"{self.entry}Populate"

    @property
    def below(self) -> str:
        """What is asked for where the definition is populated."""
        return f"{self.entry}Below"

    @property
    def entries(self) -> str:
        """What `app.entries` answers."""
        return f"{self.entry}Entries"

    @property
    def item(self) -> str:
        """A component in a dynamic zone."""
        return f"{self.entry}Item"

    @property
    def item_input(self) -> str:
        """A component in a dynamic zone, as it is written."""
        return f"{self.entry}ItemInput"


def names_of(definitions: Iterable[Definition], taken: Iterable[str]) -> dict[str, Names]:
    """Names by UID, apart from those that are taken. The same definitions get the same names."""
    used, found = set(taken), {}
    for definition in definitions:
        candidates = (_short(definition.uid), *(f"{_pascal(definition.uid)}{count or ''}" for count in range(1000)))
        chosen = next(name for name in candidates if used.isdisjoint(f"{name}{suffix}" for suffix in _SUFFIXES))
        used.update(f"{chosen}{suffix}" for suffix in _SUFFIXES)
        found[definition.uid] = Names(chosen)
    return found


def _short(uid: str) -> str:
    """`Talk` of `api::talk.talk`, `UploadFile` of `plugin::upload.file`, `SharedSeo` of `shared.seo`."""
    kind, _, rest = uid.rpartition("::")
    return _pascal(rest.rpartition(".")[2] if kind == "api" else rest if kind == "plugin" else uid)


def _pascal(text: str) -> str:
    name = "".join(word[:1].upper() + word[1:] for word in words(text))
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Type{name}"
