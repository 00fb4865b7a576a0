"""View configurations, stored as in v4 by UID in the core store, so that adopted projects keep their layouts.

Nothing is stored before a user changes a configuration. A stored configuration is adapted to the current definition
when it is read; changes made in this process are returned as given.
"""

import time
from collections.abc import Mapping
from typing import Any, Final

from octavo.content.core_store import CoreStore
from octavo.content.manager.form_sections import PART, sections_form, stored_sections
from octavo.content.manager.layouts import Raw, default_configuration, is_editable, is_listed, is_sorted, synchronized
from octavo.content.manager.type_schemas import attributes_of
from octavo.content.writer import EntryWriter
from octavo.core.errors import BadRequestError
from octavo.core.forms import (
    INTEGER,
    REQUIRED,
    Anything,
    Flag,
    Items,
    Number,
    Record,
    Shape,
    Text,
    at_least,
    at_most,
    problems_in,
)
from octavo.core.forms.shapes import required, rule
from octavo.schema.attributes import components_of
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.registry import Registry

_POSITIVE = rule("{path} must be a positive number", lambda number: number > 0)
_LABELS = {"label": Text(), "searchable": Flag(), "sortable": Flag()}


def configuration_form(definition: Definition, registry: Registry) -> Shape:
    """Return the schema for a configuration."""
    attributes = attributes_of(definition)
    listed = [name for name in attributes if is_listed(definition, name, attributes)]
    editable = [name for name in attributes if is_editable(definition, name)]
    sorts = rule("{path} is not a valid sort attribute", lambda name: is_sorted(name, attributes))
    settings = Record(
        {
            "bulkable": Flag(REQUIRED),
            "filterable": Flag(REQUIRED),
            "pageSize": Number(INTEGER, at_least(10), at_most(100), REQUIRED),
            "searchable": Flag(REQUIRED),
            "mainField": Text(one_of=listed),
            "defaultSortBy": Text(sorts),
            "defaultSortOrder": Text(one_of=("ASC", "DESC")),
        },
        nullable=True,
        closed=True,
    )
    field = Record({"name": Text(REQUIRED, one_of=editable), "size": Number(INTEGER, _POSITIVE, REQUIRED)})
    layouts = Record(
        {
            "edit": Items(Items(field), required("{path} is required and must be an array")),
            "list": Items(Text(one_of=listed), required("{path} is required and must be an array")),
        },
        nullable=True,
        closed=True,
    )
    metadatas = {name: _metadata(str(raw.get("target")), registry) for name, raw in attributes.items()}
    parts: dict[str, Shape] = {
        "settings": settings,
        "metadatas": Record(metadatas, nullable=True),
        "layouts": layouts,
    }
    if isinstance(definition, ContentType):
        parts["sections"] = sections_form(editable)
    return Record(parts, closed=True)


def _metadata(target_uid: str, registry: Registry) -> Shape:
    target = registry.content_types.get(target_uid)
    mains: Shape = Anything(nullable=True)
    if target is not None:
        attributes = attributes_of(target)
        mains = Text(one_of=[name for name in attributes if is_listed(target, name, attributes)])
    edit = {
        "label": Text(),
        "description": Text(),
        "placeholder": Text(),
        "editable": Flag(),
        "visible": Flag(),
        "mainField": mains,
    }
    return Record(
        {"edit": Record(edit, REQUIRED, closed=True), "list": Record(_LABELS, REQUIRED, closed=True)}, closed=True
    )


MAX_AGE_SECONDS: Final = 1.0
_PARTS: Final = ("settings", "metadatas", "layouts")
_PREFIX: Final = {True: "configuration_content_types::", False: "configuration_components::"}


class Configurations:
    """The configurations of one registry. Changes, also by other processes, are visible within a second.

    In v4, configurations of new components are sorted and searched by id until definitions are read again.
    """

    def __init__(
        self,
        registry: Registry,
        writer: EntryWriter,
        new_components: frozenset[str] = frozenset(),
        *,
        is_editorial: bool = False,
    ) -> None:
        self.registry = registry
        self._is_editorial = is_editorial
        self._store = CoreStore(writer, "plugin", "content_manager")
        self._changed: set[str] = set()
        self._known: dict[str, tuple[float, Raw]] = {}
        self._new = new_components

    async def of(self, definition: Definition) -> Raw:
        """Return `{settings, metadatas, layouts}` of a definition, and `sections` if an administrator chose them."""
        known = self._known.get(definition.uid)
        if known is not None and time.monotonic() - known[0] <= MAX_AGE_SECONDS:
            return known[1]
        current = self._current(await self._store.get(_key(definition)), definition)
        self._known[definition.uid] = time.monotonic(), current
        return current

    async def settings(self) -> list[Raw]:
        """Return the settings of all content types."""
        stored = await self._store.all(_PREFIX[True])
        return [
            {"uid": uid, "settings": self._current(stored.get(_key(item)), item)["settings"]}
            for uid, item in self.registry.content_types.items()
        ]

    async def change(self, definition: Definition, given: Any) -> Raw:
        """Update a configuration and return it; sections that are null are chosen automatically again.

        Raises BadRequestError.
        """
        problems = problems_in(configuration_form(definition, self.registry), given)
        if problems:
            errors = [problem.message for problem in problems]
            raise BadRequestError(details={"name": "validationError", "errors": errors})
        after = dict[str, Any]()

        def change(stored: Any) -> Raw:
            nonlocal after
            after = _changed(self._current(stored, definition), given)
            return _row(after, definition)

        await self._store.change(_key(definition), change)
        self._changed.add(definition.uid)
        self._known.pop(definition.uid, None)
        return after

    def _current(self, stored: Any, definition: Definition) -> Raw:
        if not isinstance(stored, Mapping):
            return self._default(definition)
        if definition.uid in self._changed:
            parts = {name: stored[name] for name in _PARTS if name in stored}
        else:
            parts = synchronized(stored, definition, self.registry, is_editorial=self._is_editorial)
        sections = stored_sections(stored, definition)
        return parts if sections is None else {**parts, "sections": sections}

    def _default(self, definition: Definition) -> Raw:
        default = default_configuration(definition, self.registry, is_editorial=self._is_editorial)
        if definition.uid in self._new:
            default["metadatas"]["id"]["list"] |= {"searchable": True, "sortable": True}
        return default

    # Responses

    async def serialize(self, definition: Definition) -> Raw:
        """Return a configuration as the API responds with it."""
        configuration = await self.of(definition)
        if isinstance(definition, Component):
            return {"uid": definition.uid, "category": definition.category, **configuration, "isComponent": True}
        metadatas = {name: _with_main_field(one) for name, one in configuration["metadatas"].items()}
        return {"uid": definition.uid, **configuration, "metadatas": metadatas}

    async def serialize_components(self, definition: Definition) -> dict[str, Raw]:
        """Return the configurations of all components in a definition, at any depth."""
        waiting, configurations = [definition], dict[str, Raw]()
        while waiting:
            for attribute in waiting.pop(0).attributes.values():
                for uid in components_of(attribute):
                    component = self.registry.components.get(uid)
                    if component is not None and uid not in configurations:
                        configurations[uid] = await self.serialize(component)
                        waiting.append(component)
        return configurations


def _changed(before: Raw, given: Mapping[str, Any]) -> Raw:
    """Return a configuration with the given parts."""
    chosen = {name: given[name] for name in _PARTS if given.get(name) is not None}
    after = {**before, **chosen}
    if "metadatas" in chosen:
        after["metadatas"] = {name: one for name, one in chosen["metadatas"].items() if name in before["metadatas"]}
    if "sections" in given:
        after["sections"] = given["sections"]
    if after.get("sections") is None:
        after.pop("sections", None)
    return after


def _row(configuration: Raw, definition: Definition) -> Raw:
    """Return a configuration as it is stored."""
    row = {name: one for name, one in configuration.items() if name != "sections"} | {"uid": definition.uid}
    if "sections" in configuration:
        row[PART] = {"sections": configuration["sections"]}
    if isinstance(definition, Component):
        row["isComponent"] = True
    return row


def _key(definition: Definition) -> str:
    return _PREFIX[isinstance(definition, ContentType)] + definition.uid


def _with_main_field(metadata: Raw) -> Raw:
    main = metadata["edit"].get("mainField")
    return metadata if main is None else {**metadata, "list": {**metadata["list"], "mainField": main}}
