"""Responses for files and folders in the content manager: their own values and the populated relations.

By default a file includes its folder, and a folder the numbers of its subfolders and files. Relations populated by name
are added; any other form of `populate` replaces the default.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.content.manager.field_visibility import ADMINISTRATOR_FIELDS, values
from octavo.core.errors import InvalidParameter
from octavo.query.answer import Answer, Count, Fixed, Nested, Object, Plain
from octavo.query.ast import EVERYTHING, Populate
from octavo.query.params import read_query
from octavo.schema.attributes import CREATED_BY, CREATORS, Relation
from octavo.schema.content_types import FILE, FOLDER, ContentType
from octavo.schema.registry import Registry

_RELATIONS: Final = {FILE: ("folder", *CREATORS), FOLDER: ("parent", "children", "files", *CREATORS)}
"""The relations that can be populated. The entries that use a file are not among them."""
_CREATOR: Final = Object((("id", Plain(None)), *((name, Plain(name)) for name in sorted(ADMINISTRATOR_FIELDS))))
_COUNTS: Final = tuple((name, Object((("count", Count(name, linked=True)),))) for name in ("children", "files"))

Members = Iterator[tuple[str, Answer]]


def build_file_object(registry: Registry) -> Object:
    """Return the response for a file after a change."""
    return values(registry.content_types[FILE])


def file_with(registry: Registry, *relations: str, signed: bool | None = None) -> Object:
    """Return the response for a file with relations and, unless `signed` is None, whether its URL is signed."""
    answer = Object((*build_file_object(registry).members, *_populated(registry, FILE, relations)))
    return answer if signed is None else signing(answer, signed=signed)


def build_single_file_object(registry: Registry, *, signed: bool | None = None) -> Object:
    """Return the response for a single file."""
    return file_with(registry, CREATED_BY, "folder", signed=signed)


def file_row(registry: Registry, given: Mapping[str, Any], fields: frozenset[str] | None, *, signed: bool) -> Object:
    """Return the response for a file in a list."""
    return signing(_asked(registry, FILE, given, fields, _populated(registry, FILE, ("folder",))), signed=signed)


def build_folder_object(registry: Registry) -> Object:
    """Return the response for a folder after a change."""
    return values(registry.content_types[FOLDER])


def folder_row(registry: Registry, given: Mapping[str, Any], fields: frozenset[str] | None = None) -> Object:
    """Return the response for a folder, single or in a list."""
    return _asked(registry, FOLDER, given, fields, iter(_COUNTS))


def signing(answer: Object, *, signed: bool) -> Object:
    """Add to a file's response whether its URL is signed."""
    return Object((*answer.members, ("isUrlSigned", Fixed("true" if signed else "false"))))


def _asked(
    registry: Registry, uid: str, given: Mapping[str, Any], fields: frozenset[str] | None, default: Members
) -> Object:
    asked = given.get("populate")
    query = read_query({"populate": asked} if asked is not None else {})
    members = dict(_own(registry.content_types[uid], fields).members)
    if asked is None or isinstance(asked, Mapping):
        members.update(default)
    if query.populate_all:
        members.update(_populated(registry, uid, _RELATIONS[uid]))
    for one in query.populate:
        answer = _one(registry, uid, one)
        if answer is not None:
            members[one.name] = answer
    return Object(tuple(members.items()))


def _own(content_type: ContentType, fields: frozenset[str] | None) -> Object:
    answer = values(content_type).members
    return Object(tuple((name, one) for name, one in answer if fields is None or name == "id" or name in fields))


def _populated(registry: Registry, uid: str, names: tuple[str, ...]) -> Members:
    for name in names:
        answer = _one(registry, uid, Populate(name=name, query=EVERYTHING))
        if answer is not None:
            yield name, answer


def _one(registry: Registry, uid: str, asked: Populate) -> Answer | None:
    """Return the response for a relation; None if it cannot be populated. Raises InvalidParameter."""
    name, query = asked.name, asked.query
    if name not in _RELATIONS[uid]:
        return None
    if asked.fault or query.filters is not None or query.sort or query.page is not None:
        raise InvalidParameter(name, ("populate",))
    if name in CREATORS:
        return Nested(name, EVERYTHING, _CREATOR, linked=True)
    attribute = registry.content_types[uid].attributes[name]
    assert isinstance(attribute, Relation)
    assert attribute.target is not None
    target = attribute.target
    inner = dict(
        _own(registry.content_types[target], None if query.fields is None else frozenset(query.fields)).members
    )
    inner.update(_populated(registry, target, _RELATIONS[target] if query.populate_all else ()))
    for one in query.populate:
        answer = _one(registry, target, one)
        if answer is not None:
            inner[one.name] = answer
    # All folders are visible with permission to read files; files in them only if the caller can read them.
    return Nested(name, EVERYTHING, Object(tuple(inner.items())), linked=target == FOLDER)
