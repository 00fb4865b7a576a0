"""Renames: a form can mark attributes as renamed, so that data, permissions and layouts are migrated.

`renames` is next to `attributes` in a form: `{"title": "heading"}`. v4 has no renames: it deletes one attribute and
adds another.
"""

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from typing import Any, Final

from octavo.core.errors import Problem
from octavo.core.values import dataclass
from octavo.modeling.builder.checks import registry_of
from octavo.modeling.builder.drafts import Draft, Drafts
from octavo.modeling.builder.problems import refused
from octavo.modeling.refactoring.rename import RenameRefused, component_lines, migration_text, rename_lines
from octavo.query.sql.ddl.renames import Rename, renames
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.schema.custom_fields import CustomFields
from octavo.schema.naming import snake_case
from octavo.schema.parse_indexes import renamed_keys
from octavo.schema.registry import Registry

RENAMES: Final = "renames"
_LONGEST_NAME: Final = 120
_SIDES: Final = ("inversedBy", "mappedBy", "morphBy")


@dataclass(frozen=True, slots=True)
class Renamed:
    """The statements of a migration that renames stored data, and of its reverse. `name` is used for its file name,
    `about` is its description; `tables` are the renamed tables and columns."""

    name: str
    about: str
    lines: tuple[str, ...]
    back: tuple[str, ...]
    tables: tuple[Rename, ...] = ()

    @property
    def forward(self) -> str:
        """Return the source of the migration."""
        return migration_text(self.about, self.lines)

    @property
    def backward(self) -> str:
        """Return the source of the reverse migration."""
        return migration_text(self.about, self.back)

    def and_then(self, other: "Renamed | None") -> "Renamed":
        """Return both renames in order."""
        if other is None:
            return self
        name, about = f"{self.name}-{other.name}"[:_LONGEST_NAME], f"{self.about} {other.about}"
        lines, back = (*self.lines, *other.lines), (*other.back, *self.back)
        return Renamed(name, about, lines, back, (*self.tables, *other.tables))


def moved_components(registry: Registry, moved: Mapping[str, str]) -> Renamed | None:
    """Return the renames of stored data for components with new UIDs, from the previous definitions."""
    if not moved:
        return None
    slug = "-and-".join(f"{old}-to-{new}".replace(".", "-") for old, new in moved.items())
    about = "Move " + ", ".join(f"{old} to {new}" for old, new in moved.items()) + "."
    forward = [line for old, new in moved.items() for line in component_lines(registry, old, new)]
    backward = [line for old, new in reversed([*moved.items()]) for line in component_lines(registry, new, old)]
    return Renamed(f"move-{slug}"[:_LONGEST_NAME], about, tuple(forward), tuple(backward))


def rename_attributes(drafts: Drafts, draft: Draft, form: Any, fields: CustomFields) -> Renamed | None:
    """Rename attributes everywhere in the definitions; None if the form renames none.

    Raises BuilderError.
    """
    asked = form.get(RENAMES) if isinstance(form, Mapping) else None
    if asked is None or asked == {}:
        return None
    problems = [*_problems(draft, asked, form.get("attributes"))]
    if problems:
        raise refused(problems)
    forward: list[str] = []
    backward: list[str] = []
    tables: list[Rename] = []
    for old, new in asked.items():
        before = registry_of(drafts, fields)
        _rename(drafts, draft, old, new)
        after = registry_of(drafts, fields)
        try:
            forward += rename_lines(before, after, draft.uid, old, new)
            backward = [*rename_lines(after, before, draft.uid, new, old), *backward]
            tables += renames(wanted_tables(before), wanted_tables(after))
        except RenameRefused as error:
            raise refused([Problem((draft.uid, RENAMES, old), str(error))]) from error
    slug = "-".join(f"{old}-to-{new}" for old, new in asked.items())
    name = f"rename-{draft.uid.rpartition('.')[2]}-{slug}"[:_LONGEST_NAME]
    return Renamed(name, f"Rename attributes of {draft.uid}.", tuple(forward), tuple(backward), tuple(tables))


def _problems(draft: Draft, renames: Any, attributes: Any) -> list[Problem]:
    place = (draft.uid, RENAMES)
    if not isinstance(renames, Mapping) or not isinstance(attributes, Mapping):
        return [Problem(place, "must be an object of old names to new names")]
    problems = []
    for old, new in renames.items():
        if old not in draft.attributes:
            problems.append(Problem((*place, old), "unknown attribute"))
        elif not isinstance(new, str) or new not in attributes or old in attributes:
            problems.append(Problem((*place, old), "the form must contain the attribute under its new name only"))
        elif any(snake_case(name) == snake_case(new) for name in draft.attributes if name != old):
            problems.append(Problem((*place, old), f"an attribute {new} already exists"))
    return problems


def _rename(drafts: Drafts, draft: Draft, old: str, new: str) -> None:
    draft.raw["attributes"] = {new if name == old else name: raw for name, raw in draft.attributes.items()}
    draft.changed = True
    for raw in draft.attributes.values():
        if raw.get("targetField") == old:
            raw["targetField"] = new
    for index in draft.raw.get("indexes") or ():
        columns = index.get("columns")
        index["columns"] = [snake_case(new) if one == snake_case(old) else one for one in columns or ()]
    for path, text in [*renamed_keys(draft.raw, old, new)]:
        holder: Any = reduce(getitem, path[:-1], draft.raw)  # type: ignore[arg-type]
        holder[path[-1]] = text
    for other in drafts:
        for raw in other.attributes.values():
            sides = [side for side in _SIDES if raw.get("target") == draft.uid and raw.get(side) == old]
            raw.update(dict.fromkeys(sides, new))
            other.changed = other.changed or bool(sides)
