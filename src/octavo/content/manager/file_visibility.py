"""What administrators are shown of files and folders, as Answers: their own values, and what a request populates.

By default a file is shown with its folder, a folder with the numbers of folders and files in it. What is populated by
name comes besides; any other way of asking takes the place of this.
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
"""What can be populated. Which entries hold a file is told by the entries."""
_CREATOR: Final = Object((("id", Plain(None)), *((name, Plain(name)) for name in sorted(ADMINISTRATOR_FIELDS))))
_COUNTS: Final = tuple((name, Object((("count", Count(name, linked=True)),))) for name in ("children", "files"))

Members = Iterator[tuple[str, Answer]]


def file_shown(registry: Registry) -> Object:
    """A file as it is told after it was changed."""
    return values(registry.content_types[FILE])


def file_with(registry: Registry, *relations: str, signed: bool | None = None) -> Object:
    """A file with what it leads to; and, unless None, whether its address is signed."""
    told = Object((*file_shown(registry).members, *_populated(registry, FILE, relations)))
    return told if signed is None else signing(told, signed=signed)


def file_alone(registry: Registry, *, signed: bool | None = None) -> Object:
    """One file, as people look at it."""
    return file_with(registry, CREATED_BY, "folder", signed=signed)


def file_row(registry: Registry, given: Mapping[str, Any], fields: frozenset[str] | None, *, signed: bool) -> Object:
    """A file in a list."""
    return signing(_asked(registry, FILE, given, fields, _populated(registry, FILE, ("folder",))), signed=signed)


def folder_shown(registry: Registry) -> Object:
    """A folder as it is told after it was changed."""
    return values(registry.content_types[FOLDER])


def folder_row(registry: Registry, given: Mapping[str, Any], fields: frozenset[str] | None = None) -> Object:
    """A folder in a list, or alone."""
    return _asked(registry, FOLDER, given, fields, iter(_COUNTS))


def signing(told: Object, *, signed: bool) -> Object:
    """A file, and whether its address is signed."""
    return Object((*told.members, ("isUrlSigned", Fixed("true" if signed else "false"))))


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
        told = _one(registry, uid, one)
        if told is not None:
            members[one.name] = told
    return Object(tuple(members.items()))


def _own(content_type: ContentType, fields: frozenset[str] | None) -> Object:
    told = values(content_type).members
    return Object(tuple((name, one) for name, one in told if fields is None or name == "id" or name in fields))


def _populated(registry: Registry, uid: str, names: tuple[str, ...]) -> Members:
    for name in names:
        told = _one(registry, uid, Populate(name=name, query=EVERYTHING))
        if told is not None:
            yield name, told


def _one(registry: Registry, uid: str, asked: Populate) -> Answer | None:
    """What a relation leads to; None for what is none, or is not told here. Raises InvalidParameter."""
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
        told = _one(registry, target, one)
        if told is not None:
            inner[one.name] = told
    # Folders are everybody's who may read files; of the files in them those that the caller may read.
    return Nested(name, EVERYTHING, Object(tuple(inner.items())), linked=target == FOLDER)
