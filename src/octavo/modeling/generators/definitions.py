"""Generate content types and components, with the inverse attributes in other types."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from octavo.core.values import dataclass
from octavo.modeling.generators.attributes import NewAttribute, definitions_of, inverse_of, read_attributes
from octavo.modeling.generators.files import CannotGenerate, NewFile
from octavo.modeling.generators.names import checked_name, collection_name, display_name, plural_of
from octavo.modeling.refactoring.definition_edits import with_attribute
from octavo.schema.custom_fields import CustomFields
from octavo.schema.naming import content_type_uid, snake_case
from octavo.schema.registry import Registry
from octavo.schema.writing import NewDefinition, check_new, new_component, new_content_type


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeOptions:
    """The options of a new content type besides its name and its attributes."""

    api: str | None = None
    plural: str | None = None
    display: str | None = None
    description: str = ""
    single: bool = False
    drafts: bool = True
    localized: bool = False


@dataclass(frozen=True, slots=True)
class DefinitionPlan:
    """A validated definition to write, and the files that get an inverse attribute."""

    new: NewDefinition
    registry: Registry
    edits: tuple[tuple[str, NewAttribute], ...] = ()

    @property
    def file(self) -> NewFile:
        """Return the file of the definition."""
        return NewFile(self.new.file, self.new.text)

    def edited(self, project: Path) -> dict[str, bytes]:
        """Return the files with inverse attributes, and their new content. Raises ValueError for invalid JSON."""
        contents: dict[str, bytes] = {}
        for name, attribute in self.edits:
            text = contents.get(name) or (project / name).read_bytes()
            contents[name] = with_attribute(text, str(attribute.inverse), inverse_of(attribute, self.new.uid))
        return contents


def plan_content_type(
    project: Path, registry: Registry, fields: CustomFields, name: str, words: Sequence[str], options: TypeOptions
) -> DefinitionPlan:
    """Plan a content type. Raises CannotGenerate, InvalidDefinitions."""
    api = checked_name(options.api or name, "an API")
    plural = checked_name(options.plural or plural_of(checked_name(name, "a content type")), "a content type")
    if plural == name:
        raise CannotGenerate(f"the plural of {name!r} must differ from the singular; set it with --plural")
    uid = content_type_uid(api, name)
    attributes = read_attributes(words, registry, uid)
    raw = {
        "kind": "singleType" if options.single else "collectionType",
        "collectionName": collection_name(plural),
        "info": {
            "singularName": name,
            "pluralName": plural,
            "displayName": options.display or display_name(name),
            "description": options.description,
        },
        "options": {"draftAndPublish": options.drafts},
        "pluginOptions": {"i18n": {"localized": True}} if options.localized else {},
        "attributes": {**definitions_of(attributes), **_ways_back_to_itself(attributes, uid)},
    }
    return _plan(project, registry, fields, new_content_type(api, raw), attributes)


def plan_component(
    project: Path, registry: Registry, fields: CustomFields, uid: str, words: Sequence[str], display: str | None
) -> DefinitionPlan:
    """Plan a component, by its category and name: `shared.seo`. Raises CannotGenerate, InvalidDefinitions."""
    category, dot, name = uid.partition(".")
    if not dot:
        raise CannotGenerate(f"{uid!r}: expected CATEGORY.NAME, such as shared.{uid}")
    checked_name(category, "a category"), checked_name(name, "a component")
    attributes = read_attributes(words, registry, uid)
    if any(attribute.inverse for attribute in attributes):
        raise CannotGenerate("relations of components cannot have inversedBy; use it with content types")
    raw: dict[str, Any] = {
        "collectionName": f"components_{snake_case(category)}_{snake_case(plural_of(name))}",
        "info": {"displayName": display or display_name(name), "description": ""},
        "options": {},
        "attributes": definitions_of(attributes),
    }
    return _plan(project, registry, fields, new_component(category, name, raw), attributes)


def _plan(
    project: Path,
    registry: Registry,
    fields: CustomFields,
    new: NewDefinition,
    attributes: Sequence[NewAttribute],
) -> DefinitionPlan:
    edits = tuple(_edits(registry, new, attributes))
    one_way = {
        **new.raw,
        "attributes": {name: _one_way(raw, edits) for name, raw in new.raw["attributes"].items()},
    }
    made = check_new(project, registry, [NewDefinition(new.uid, new.file, one_way)], fields)
    return DefinitionPlan(new, made, edits)


def _edits(
    registry: Registry, new: NewDefinition, attributes: Sequence[NewAttribute]
) -> Sequence[tuple[str, NewAttribute]]:
    """Return the attributes for other definitions. Raises CannotGenerate if they cannot be added."""
    edits = []
    for attribute in attributes:
        if attribute.inverse is None or attribute.raw["target"] == new.uid:
            continue
        target = registry.content_types.get(str(attribute.raw["target"]))
        if target is None:
            raise CannotGenerate(f"{attribute.name}: unknown content type {attribute.raw['target']}")
        if not target.is_api:
            raise CannotGenerate(f"{attribute.name}: {target.uid} is not defined by the project; remove inversedBy")
        if attribute.inverse in target.attributes:
            raise CannotGenerate(f"{attribute.name}: {target.uid} already has an attribute {attribute.inverse!r}")
        edits.append((target.source, attribute))
    return edits


def _ways_back_to_itself(attributes: Sequence[NewAttribute], uid: str) -> dict[str, Any]:
    """Return the inverse attributes of a type's relations to itself."""
    own = [attribute for attribute in attributes if attribute.inverse and attribute.raw["target"] == uid]
    return {str(attribute.inverse): inverse_of(attribute, uid) for attribute in own}


def _one_way(raw: Any, edits: Sequence[tuple[str, NewAttribute]]) -> Any:
    """Return an attribute without its inverse, which does not exist yet."""
    added = {attribute.raw["target"] for _, attribute in edits}
    if raw.get("target") not in added:
        return raw
    return {key: value for key, value in raw.items() if key not in ("inversedBy", "mappedBy")}
