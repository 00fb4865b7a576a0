"""Generate a Python module for a project's own code: entries, inputs, filters and populate as TypedDicts, and `App`.

A project's code can write private attributes, but responses do not include them. A required value is never None, unless
there may be drafts. The output is deterministic.
"""

import json
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from octavo.core.values import dataclass
from octavo.schema.attributes import (
    LOCALE,
    LOCALIZATIONS,
    TIMESTAMPS,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import FILE, ROLE, USER, Component, ContentType, Definition
from octavo.schema.json_values import (
    SCALAR_JSON,
    Json,
    attributes_in_responses,
    populatable_attributes,
    reached,
    with_drafts,
    written,
)
from octavo.schema.naming import words
from octavo.schema.registry import Registry

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
    used, names = set(taken), {}
    for definition in definitions:
        candidates = (_short(definition.uid), *(f"{_pascal(definition.uid)}{count or ''}" for count in range(1000)))
        chosen = next(name for name in candidates if used.isdisjoint(f"{name}{suffix}" for suffix in _SUFFIXES))
        used.update(f"{chosen}{suffix}" for suffix in _SUFFIXES)
        names[definition.uid] = Names(chosen)
    return names


def _short(uid: str) -> str:
    """Return `Talk` for `api::talk.talk`, `UploadFile` for `plugin::upload.file`, `SharedSeo` for `shared.seo`."""
    kind, _, rest = uid.rpartition("::")
    return _pascal(rest.rpartition(".")[2] if kind == "api" else rest if kind == "plugin" else uid)


def _pascal(text: str) -> str:
    name = "".join(word[:1].upper() + word[1:] for word in words(text))
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"Type{name}"


Members = Iterable[tuple[str, str]]


def typed_dict(name: str, members: Members, *, doc: str = "", total: bool = True) -> Iterator[str]:
    """Yield the lines of a TypedDict, and a blank line."""
    listed = list(members)
    if all(_can_be_attribute(key) for key, _ in listed):
        yield f"class {name}(TypedDict{'' if total else ', total=False'}):"
        if doc:
            yield f'    """{doc}"""'
            yield ""
        yield from (f"    {key}: {text}" for key, text in listed)
        if not listed and not doc:
            yield "    pass"
    else:
        yield f"{name} = TypedDict("
        yield f"    {quoted(name)},"
        yield "    {"
        yield from (f"        {quoted(key)}: {quoted(text)}," for key, text in listed)
        yield "    },"
        yield from () if total else ("    total=False,",)
        yield ")"
        if doc:
            yield f'"""{doc}"""'
    yield ""


def alias(name: str, text: str) -> str:
    """Return a type alias."""
    return f"{name} = {text}\n"


def quoted(text: str) -> str:
    """Return a Python string literal."""
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def _can_be_attribute(key: str) -> bool:
    is_mangled = key.startswith("__") and not key.endswith("__")
    return key.isidentifier() and not keyword.iskeyword(key) and not is_mangled and key.isascii()


_IMPORTED: Final = (
    *("AnyManyInput", "AnyOneInput", "Blocks", "BranchesBelow", "FileInput", "FilesInput", "FlagFilter"),
    *("IdFilter", "Json", "ManyInput", "NumberFilter", "OneInput", "TextFilter", "TypedEntries"),
)
_OTHERS: Final = ("Any", "App", "Literal", "NotRequired", "Sequence", "TypedDict")
_HEAD: Final = """\
# Generated by `octavo types --python`; do not edit.
# fmt: off
# ruff: noqa
# pyright: reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, cast, overload

from octavo.sdk import App as _App
from octavo.typed import (
{imports}
)
"""
_TYPED: Final = """
def typed(app: _App) -> App:
    \"""Return the app with the types of this project's content, for type checkers that infer the general ones.\"""
    return cast("App", app)
"""
_WORDS: Mapping[Json, str] = {
    Json.TEXT: "str",
    Json.INTEGER: "int",
    Json.NUMBER: "float",
    Json.DIGITS: "str",
    Json.BOOLEAN: "bool",
    Json.DATE: "str",
    Json.TIME: "str",
    Json.INSTANT: "str",
    Json.BLOCKS: "Blocks",
    Json.ANY: "Json",
}
_FILTERS: Mapping[Json, str] = {
    **dict.fromkeys((Json.TEXT, Json.DATE, Json.TIME, Json.INSTANT), "TextFilter"),
    **dict.fromkeys((Json.INTEGER, Json.NUMBER, Json.DIGITS), "NumberFilter"),
    **dict.fromkeys((Json.BLOCKS, Json.ANY), "Any"),
    Json.BOOLEAN: "FlagFilter",
}


def render_own_code(registry: Registry) -> str:
    """Return the complete module."""
    types = reached(registry, (*(item.uid for item in registry.own_types()), FILE, ROLE, USER))
    components = sorted(registry.components.values(), key=lambda item: item.uid)
    names = names_of((*types, *components), (*_IMPORTED, *_OTHERS))
    writer = _Writer(registry, names, with_drafts(registry))
    lines = [line for item in (*components, *types) for line in writer.definition(item)]
    text = "\n".join((*lines, *_app(types, names), _TYPED))
    imports = "\n".join(f"    {name}," for name in _IMPORTED if re.search(rf"\b{name}\b", text))
    return f"{_HEAD.format(imports=imports)}\n{text}"


@dataclass(frozen=True, slots=True)
class _Writer:
    registry: Registry
    names: Mapping[str, Names]
    drafts: frozenset[str]

    def definition(self, item: Definition) -> Iterator[str]:
        """Yield all classes of one definition."""
        names, has_drafts = self.names[item.uid], item.uid in self.drafts
        shown = list(self._shown(item, has_drafts=has_drafts))
        yield from typed_dict(names.entry, [("id", "int"), *shown], doc=item.uid)
        given = list(self._given(item, has_drafts=has_drafts))
        if isinstance(item, Component):
            kind = ("__component", f"Literal[{json.dumps(item.uid)}]")
            given = [("id", "NotRequired[int]"), *given]
            yield from typed_dict(names.item, [("id", "int"), kind, *shown])
            yield from typed_dict(names.item_input, [kind, *given])
        yield from self._inputs(given, names)
        yield from typed_dict(names.filters, self._filters(item, names), total=False)
        yield alias(names.field, _literal(["*", "id", *(value.name for value in attributes_in_responses(item))]))
        yield from self._populate(item, names)

    def _inputs(self, given: list[tuple[str, str]], names: Names) -> Iterator[str]:
        """Yield the create and update types, which are the same if nothing is required."""
        changed = [(name, _bare(text)) for name, text in given]
        is_free = all(text != bare for (_, text), (_, bare) in zip(given, changed, strict=True))
        yield from typed_dict(names.input, changed if is_free else given, total=not is_free)
        if is_free:
            yield alias(names.update, names.input)
        else:
            yield from typed_dict(names.update, changed, total=False)

    def _shown(self, item: Definition, *, has_drafts: bool) -> Members:
        for value in attributes_in_responses(item):
            is_there = value.name in TIMESTAMPS or (value.required and not has_drafts)
            text = _scalar(value, (SCALAR_JSON[value.type].shown,))
            yield value.name, text if is_there else _or_none(text, value)
        for attribute in populatable_attributes(item, self.registry):
            yield attribute.name, f"NotRequired[{self._populated(attribute)}]"

    def _populated(self, attribute: AnyAttribute) -> str:
        match attribute:
            case Relation(target=None):
                return "list[dict[str, Any]]" if attribute.to_many else "dict[str, Any] | None"
            case ComponentField():
                name = self.names[attribute.component].entry
                return f"list[{name}]" if attribute.repeatable else f"{name} | None"
            case DynamicZone():
                return f"list[{self._union(attribute, 'item')}]"
            case Relation() | Media():
                name = self.names[self._target(attribute).uid].entry
                return _many(name, attribute) if attribute.to_many else f"{name} | None"
            case Scalar():
                raise TypeError(f"{attribute.name} is no relation")

    def _given(self, item: Definition, *, has_drafts: bool) -> Members:
        for given in written(item, private=True):
            required = given.required and not has_drafts
            text = self._input(given.attribute)
            yield given.attribute.name, text if required else f"NotRequired[{_or_none(text, given.attribute)}]"
        if isinstance(item, ContentType) and item.localized:
            yield LOCALE, "NotRequired[str]"
            yield LOCALIZATIONS, "NotRequired[list[int]]"

    def _input(self, attribute: AnyAttribute) -> str:
        match attribute:
            case Scalar():
                row = SCALAR_JSON[attribute.type]
                return _scalar(attribute, (row.shown, *row.also_taken))
            case Relation(target=None):
                return "AnyManyInput" if attribute.to_many else "AnyOneInput"
            case Relation():
                return "ManyInput" if attribute.to_many else "OneInput"
            case Media():
                return "FilesInput" if attribute.multiple else "FileInput"
            case ComponentField():
                name = self.names[attribute.component].input
                return f"Sequence[{name}]" if attribute.repeatable else name
            case DynamicZone():
                return f"Sequence[{self._union(attribute, 'item_input')}]"

    def _filters(self, item: Definition, names: Names) -> Members:
        yield "id", "IdFilter"
        for value in attributes_in_responses(item):
            yield value.name, _FILTERS[SCALAR_JSON[value.type].shown]
        for attribute in populatable_attributes(item, self.registry):
            target = self.registry.target(attribute)
            if target is not None:
                yield attribute.name, f"IdFilter | {self.names[target.uid].filters}"
        yield "$and", f"Sequence[{names.filters}]"
        yield "$or", f"Sequence[{names.filters}]"
        yield "$not", names.filters

    def _populate(self, item: Definition, names: Names) -> Iterator[str]:
        below = list(populatable_attributes(item, self.registry))
        members = [(attribute.name, f"bool | {self._below(attribute)}") for attribute in below]
        yield from typed_dict(names.populated, members, total=False)
        yield alias(names.path, _literal(["*", *(attribute.name for attribute in below)]))
        # Not as aliases: mypy expands mutually recursive aliases again at each step, without end.
        populate = f"{names.path} | Sequence[{names.path}] | {names.populated}"
        yield alias(names.populate, populate)
        asked = {
            "fields": f"Sequence[{names.field}]",
            "filters": names.filters,
            "sort": "str | Sequence[str]",
            "populate": populate,
            "start": "int",
            "limit": "int",
        }
        yield from typed_dict(names.below, asked.items(), total=False)

    def _below(self, attribute: AnyAttribute) -> str:
        target = self.registry.target(attribute)
        return "BranchesBelow" if target is None else self.names[target.uid].below

    def _target(self, attribute: AnyAttribute) -> Definition:
        target = self.registry.target(attribute)
        assert target is not None, "what leads nowhere is not shown"
        return target

    def _union(self, zone: DynamicZone, part: str) -> str:
        names = [getattr(self.names[uid], part) for uid in sorted(zone.components)]
        return " | ".join(names) or "dict[str, Any]"


def _many(name: str, attribute: AnyAttribute) -> str:
    """Return a list type; with None for files and inverse polymorphic relations, which may be null."""
    if isinstance(attribute, Media) or (isinstance(attribute, Relation) and attribute.is_morph):
        return f"list[{name}] | None"
    return f"list[{name}]"


def _scalar(scalar: Scalar, kinds: Iterable[Json]) -> str:
    if isinstance(scalar, Enumeration) and scalar.values:
        return _literal(scalar.values)
    return " | ".join(dict.fromkeys(_WORDS[kind] for kind in kinds))


def _literal(values: Iterable[str]) -> str:
    return f"Literal[{', '.join(map(quoted, values))}]"


def _or_none(text: str, attribute: AnyAttribute) -> str:
    """Return a type with None if it may be null: links always, and JSON is anything."""
    can_be_none = isinstance(attribute, Relation | Media) or text == "Json"
    return text if can_be_none else f"{text} | None"


def _bare(text: str) -> str:
    return text.removeprefix("NotRequired[").removesuffix("]") if text.startswith("NotRequired[") else text


def _app(types: Iterable[ContentType], names: Mapping[str, Names]) -> Iterator[str]:
    """Yield `App`, whose `entries` depend on the content type, for type checkers only.

    Each has a separate class: overloads are compared in pairs, and classes are compared by name, which is fast.
    """
    listed = list(types)
    yield "if TYPE_CHECKING:"
    for item in listed:
        name = names[item.uid]
        arguments = (name.entry, name.input, name.update, name.filters, f"Sequence[{name.field}]", name.populate)
        yield ""
        yield f"    class {name.entries}("
        yield f"        TypedEntries[{', '.join(arguments)}]"
        yield "    ): ..."
    yield ""
    yield "    class App(_App):"
    yield '        """The service, with the types of this project\'s content."""'
    first = "  # type: ignore[override]"
    for item in listed:
        yield ""
        yield f"        @overload{first}"
        yield f"        def entries(self, uid: Literal[{json.dumps(item.uid)}]) -> {names[item.uid].entries}: ..."
        first = ""
    yield ""
    yield "        def entries(self, uid: str) -> Any: ..."
    yield ""
    yield "else:"
    yield "    App = _App"
