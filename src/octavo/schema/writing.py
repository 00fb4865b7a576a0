"""Write definition files: their paths, and their text in v4's format and order.

New definitions are first validated together with all definitions of the project.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.schema.check import unsound
from octavo.schema.custom_fields import CustomFields
from octavo.schema.definition_values import Reader
from octavo.schema.naming import content_type_uid
from octavo.schema.parse import parse_component, parse_content_type
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry

Raw = Mapping[str, Any]

_ORDER: Final = ("kind", "collectionName", "info", "options", "pluginOptions", "config", "attributes")
_INFO_ORDER: Final = ("singularName", "pluralName", "displayName", "icon", "description")


@dataclass(frozen=True, slots=True)
class NewDefinition:
    """A definition to write: its UID, its file in the project, and its content."""

    uid: str
    file: str
    raw: Raw

    @property
    def is_component(self) -> bool:
        """Whether it is a component."""
        return "::" not in self.uid

    @property
    def text(self) -> str:
        """Return the text of the file."""
        return definition_text(self.raw)


def new_content_type(api: str, raw: Raw) -> NewDefinition:
    """Return a content type of an API, named by its `info`."""
    singular = str(raw["info"]["singularName"])
    return NewDefinition(content_type_uid(api, singular), f"src/api/{api}/content-types/{singular}/schema.json", raw)


def new_component(category: str, name: str, raw: Raw) -> NewDefinition:
    """Return a component of a category."""
    return NewDefinition(f"{category}.{name}", f"src/components/{category}/{name}.json", raw)


def definition_text(raw: Raw) -> str:
    """Format a definition as v4 does: two spaces, keys in v4's order, unknown ones at the end."""
    ordered = _in_order(raw, _ORDER)
    if isinstance(ordered.get("info"), Mapping):
        ordered["info"] = _in_order(ordered["info"], _INFO_ORDER)
    return json.dumps(ordered, indent=2, ensure_ascii=False) + "\n"


def _in_order(raw: Raw, order: tuple[str, ...]) -> dict[str, Any]:
    known = {key: raw[key] for key in order if key in raw}
    others = {key: value for key, value in raw.items() if key not in known}
    attributes = {"attributes": known.pop("attributes")} if "attributes" in known else {}
    return {**known, **others, **attributes}


def check_new(project: Path, registry: Registry, new: Iterable[NewDefinition], fields: CustomFields) -> Registry:
    """Return the registry with the new definitions added. Raises InvalidDefinitions with every problem."""
    problems: list[DefinitionProblem] = []
    added = list(new)
    for item in added:
        taken = item.uid in registry.content_types or item.uid in registry.components
        if taken or (project / item.file).exists():
            problems.append(DefinitionProblem(item.file, "", f"{item.uid} already exists"))
    content_types = [
        parse_content_type(item.uid, item.raw, Reader(item.file, problems, fields))
        for item in added
        if not item.is_component
    ]
    components = [
        parse_component(item.uid, item.raw, Reader(item.file, problems, fields)) for item in added if item.is_component
    ]
    made = Registry([*registry.content_types.values(), *content_types], [*registry.components.values(), *components])
    problems += [problem for problem in unsound(made) if problem.source in {item.file for item in added}]
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise InvalidDefinitions(errors)
    return made
