"""Check whether the definitions would be valid after a change, with every reason against it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from octavo.core.errors import Problem
from octavo.modeling.builder.drafts import Draft, Drafts
from octavo.modeling.builder.problems import refused
from octavo.modeling.builder.slugs import table_name
from octavo.query.sql.ddl.indexes import OWN_PREFIX
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.physical_names import column_name
from octavo.schema.attributes import Enumeration, components_of
from octavo.schema.builtin_attributes import REMOVED, removed, switched
from octavo.schema.check import unsound
from octavo.schema.content_types import ContentType
from octavo.schema.custom_fields import CustomFields
from octavo.schema.definition_files import LARGEST_DEFINITION
from octavo.schema.definition_values import Reader
from octavo.schema.parse import parse_component, parse_content_type
from octavo.schema.problems import DefinitionProblem, InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.schema.tolerance import tolerate

_LONGEST: Final = 100
"""Maximum characters of an attribute's name, which columns and tables are named after."""
_LONGEST_FILE: Final = 200
"""Maximum bytes of a definition's name, which folders and files are named after, if the database has no limit."""


def check_drafts(drafts: Drafts, registry: Registry, fields: CustomFields, longest_name: int | None = None) -> Registry:
    """Return the registry of drafts. Raises BuilderError with all problems that they cause.

    `longest_name`: the database's maximum bytes of names.
    """
    problems: list[DefinitionProblem] = []
    made = _parsed(drafts, fields, problems)
    problems += unsound(made)
    known = {str(problem) for problem in unsound(registry)}
    errors = [problem for problem in problems if problem.severity == "error" and str(problem) not in known]
    if not errors:
        doubles = {str(problem) for problem in _table_problems(registry, longest_name)}
        errors += [one for one in _table_problems(made, longest_name) if str(one) not in doubles]
    found = [Problem((_uid_of(drafts, one.source), *one.path.split(".")), one.message) for one in errors]
    for draft in drafts.changed():
        found += [*_own_problems(draft, made), *_switched(draft, made, registry)]
        found += _long_names(draft, made, registry, longest_name)
    if found:
        raise refused(found)
    return made


def registry_of(drafts: Drafts, fields: CustomFields) -> Registry:
    """Return the registry of drafts, without validation."""
    return tolerate(_parsed(drafts, fields, []))


def _parsed(drafts: Drafts, fields: CustomFields, problems: list[DefinitionProblem]) -> Registry:
    return Registry(
        [
            parse_content_type(one.uid, one.raw, Reader(one.file, problems, fields))
            for one in drafts.content_types.values()
        ],
        [parse_component(one.uid, one.raw, Reader(one.file, problems, fields)) for one in drafts.components.values()],
    )


def _table_problems(registry: Registry, longest: int | None) -> Iterable[DefinitionProblem]:
    try:
        wanted_tables(registry, longest)
    except InvalidDefinitions as error:
        return error.problems
    return ()


def _uid_of(drafts: Drafts, file: str) -> str:
    return next((draft.uid for draft in drafts if draft.file == file), file)


def _own_problems(draft: Draft, registry: Registry) -> Iterator[Problem]:
    definition = registry.definition(draft.uid)
    if isinstance(definition, ContentType):
        yield from (Problem((draft.uid, "attributes", name), REMOVED) for name in removed(definition))
    if len(draft.text.encode()) > LARGEST_DEFINITION:
        yield Problem((draft.uid,), f"a definition can have at most {LARGEST_DEFINITION // 1024**2} MB")
    if definition.collection_name.lower().startswith((OWN_PREFIX, "sqlite_", "pg_")):
        message = f"{definition.collection_name!r} is reserved by the service or the database; choose another"
        yield Problem((draft.uid, "collectionName"), message)
    enum_names = _enum_names(registry)
    for name, attribute in definition.attributes.items():
        if len(name) > _LONGEST:
            yield Problem((draft.uid, "attributes", name), f"a name can have at most {_LONGEST} characters")
        if isinstance(attribute, Enumeration):
            counted = Counter(table_name(value) or value for value in {*attribute.values})
            doubles = [value for value in attribute.values if counted[table_name(value) or value] > 1]
            if doubles or len({*attribute.values}) < len(attribute.values):
                message = f"values have the same GraphQL name: {', '.join(doubles or attribute.values)}"
                yield Problem((draft.uid, "attributes", name, "enum"), message)
            if attribute.type_name and enum_names[attribute.type_name] > 1:
                message = f"{attribute.type_name} is the name of another enumeration; choose another"
                yield Problem((draft.uid, "attributes", name, "enumName"), message)
    if draft.is_component and draft.uid in _components_in(registry, draft.uid):
        yield Problem(
            (draft.uid, "attributes"), "a component cannot contain itself, directly or through other components"
        )


def _switched(draft: Draft, made: Registry, before: Registry) -> Iterator[Problem]:
    definition, earlier = made.definition(draft.uid), before.content_types.get(draft.uid)
    if isinstance(definition, ContentType) and earlier is not None:
        yield from (Problem((draft.uid, key), message) for key, message in switched(definition, earlier))


def _enum_names(registry: Registry) -> Counter[str]:
    """Return how many enumerations have each name that is set for GraphQL."""
    every = (attribute for definition in registry.definitions() for attribute in definition.attributes.values())
    return Counter(one.type_name for one in every if isinstance(one, Enumeration) and one.type_name)


def _long_names(draft: Draft, made: Registry, before: Registry, longest: int | None) -> Iterator[Problem]:
    """Yield problems for new names that the database would truncate."""
    definition, most = made.definition(draft.uid), longest or _LONGEST_FILE
    known = next((one for one in before.definitions() if one.source == draft.stored), None)
    if known is None or known.collection_name != definition.collection_name:
        yield from _too_long((draft.uid, "collectionName"), definition.collection_name, most)
    if known is None and isinstance(definition, ContentType):
        yield from _too_long((draft.uid, "singularName"), definition.singular_name, most - len("_id"))
    for attribute in definition.scalars if longest else ():
        if attribute.name not in (known.attributes if known else ()):
            yield from _too_long((draft.uid, "attributes", attribute.name), column_name(attribute), longest or 0)


def _too_long(path: tuple[str, ...], name: str, most: int) -> Iterator[Problem]:
    if len(name.encode()) > most:
        yield Problem(
            path, f"{name} is too long: use at most {most} bytes, since tables and columns are named after it"
        )


def _components_in(registry: Registry, uid: str) -> set[str]:
    """Return the components in a component, including nested ones."""
    uids: set[str] = set()
    waiting = [uid]
    while waiting:
        definition = registry.components.get(waiting.pop())
        for attribute in definition.attributes.values() if definition else ():
            inner = components_of(attribute)
            waiting += [one for one in inner if one not in uids]
            uids.update(inner)
    return uids
