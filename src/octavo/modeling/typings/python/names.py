"""Class names for definitions: short if possible, and unique."""

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
    """The class names of one definition, all with the prefix `entry`."""

    entry: str

    @property
    def input(self) -> str:
        """The data of a create."""
        return f"{self.entry}Input"

    @property
    def update(self) -> str:
        """The data of an update, where nothing is required."""
        return f"{self.entry}Update"

    @property
    def filters(self) -> str:
        """Filters."""
        return f"{self.entry}Filters"

    @property
    def field(self) -> str:
        """The names in `fields`."""
        return f"{self.entry}Field"

    @property
    def path(self) -> str:
        """The names in `populate`."""
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
        """The options for populating this definition."""
        return f"{self.entry}Below"

    @property
    def entries(self) -> str:
        """The result of `app.entries`."""
        return f"{self.entry}Entries"

    @property
    def item(self) -> str:
        """A component in a dynamic zone."""
        return f"{self.entry}Item"

    @property
    def item_input(self) -> str:
        """A component in a dynamic zone, in the data of a write."""
        return f"{self.entry}ItemInput"


def names_of(definitions: Iterable[Definition], taken: Iterable[str]) -> dict[str, Names]:
    """Return names by UID, avoiding those in `taken`. The same definitions always get the same names."""
    used, found = set(taken), {}
    for definition in definitions:
        candidates = (_short(definition.uid), *(f"{_pascal(definition.uid)}{count or ''}" for count in range(1000)))
        chosen = next(name for name in candidates if used.isdisjoint(f"{name}{suffix}" for suffix in _SUFFIXES))
        used.update(f"{chosen}{suffix}" for suffix in _SUFFIXES)
        found[definition.uid] = Names(chosen)
    return found


def _short(uid: str) -> str:
    """Return `Talk` for `api::talk.talk`, `UploadFile` for `plugin::upload.file`, `SharedSeo` for `shared.seo`."""
    kind, _, rest = uid.rpartition("::")
    return _pascal(rest.rpartition(".")[2] if kind == "api" else rest if kind == "plugin" else uid)


def _pascal(text: str) -> str:
    name = "".join(word[:1].upper() + word[1:] for word in words(text))
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Type{name}"
