"""Localizations: the sibling entries of one entry in other locales. Each of a family leads to all the others.

Refuses with ApplicationError and NotFoundError, in the words of the reference.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from octavo.content.answer_to_input import shown_data
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader
from octavo.errors import ApplicationError, NotFoundError
from octavo.i18n.locales import Locales
from octavo.plan.changes import AddLinks, Change, RemoveLinks
from octavo.plan.nodes import (
    ManyShape,
    ObjectShape,
    Parameter,
    ParameterKind,
    ReadPlan,
    ScalarShape,
    Selection,
    Slot,
    Step,
    Tested,
)
from octavo.plan.read import Planned
from octavo.query.operators import Test
from octavo.schema.attributes import UID, AnyAttribute, Relation, Scalar
from octavo.schema.automatic import LOCALE, LOCALIZATIONS, PUBLISHED_AT, STAMPED
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class Added:
    """A new localization, its siblings, and its values of the attributes that all of them share."""

    id: int
    siblings: tuple[int, ...]
    shared: Mapping[str, Any]


async def add_localization(
    unit: EntryUnit,
    reader: EntryReader,
    locales: Locales,
    content_type: ContentType,
    entry_id: int,
    data: Any,
    actor_id: int | None = None,
) -> Added:
    """A new entry, a draft, as the localization of another; `actor_id` as for `EntryUnit.create`.

    What is not localized is taken from the other entry where the data does not say.
    """
    family = await _read_family(unit, reader, content_type, entry_id)
    body = dict(data) if isinstance(data, Mapping) else {}
    await _check_locale(body.get(LOCALE), locales, unit, family)
    new_id = await unit.create(
        content_type,
        {**family["shared"], **body},
        actor_id=actor_id,
        draft_default=True,
        strict=PUBLISHED_AT not in body,
    )
    siblings = (entry_id, *(sibling["id"] for sibling in family[LOCALIZATIONS]))
    await unit.apply(relink(content_type, [new_id, *siblings]))
    shared = {name: body.get(name, value) for name, value in family["shared"].items()}
    return Added(new_id, siblings, shared)


async def share(unit: EntryUnit, content_type: ContentType, added: Added) -> None:
    """Give the siblings the values that they share with a new localization, its own or those of its base (observed)."""
    if added.shared:
        for sibling in added.siblings:
            await unit.update(content_type, sibling, added.shared)


async def share_shown(unit: EntryUnit, registry: Registry, content_type: ContentType, entry: bytes) -> None:
    """Give the localizations that the answer to a change shows what it shows of the attributes that they share.

    So does the reference: without `populate=localizations` a change stays with its entry (observed).
    """
    if f'"{LOCALIZATIONS}":'.encode() not in entry:
        return
    attributes = orjson.loads(entry)["attributes"]
    siblings = attributes.get(LOCALIZATIONS, {}).get("data")
    shared = {name: shown for name, shown in attributes.items() if name in _shared_names(content_type)}
    if not isinstance(siblings, list) or not shared:
        return
    data = shown_data(registry, content_type, shared)
    for sibling in siblings:
        await unit.update(content_type, sibling["id"], data)


def join_localizations(content_type: ContentType, ids: Sequence[int]) -> list[Change]:
    """The links that make a family of entries that have none yet."""
    links = tuple(
        (source, target, float(order))
        for source in ids
        for order, target in enumerate((other for other in ids if other != source), 1)
    )
    return [AddLinks(owner=content_type, relation=content_type.relation(LOCALIZATIONS), links=links)] if links else []


def relink(content_type: ContentType, ids: Sequence[int]) -> list[Change]:
    """The links that make a family of entries, whatever links some of them have."""
    relation = content_type.relation(LOCALIZATIONS)
    removed: list[Change] = [
        RemoveLinks(owner=content_type, relation=relation, source=source, targets=tuple(ids)) for source in ids
    ]
    return removed + join_localizations(content_type, ids)


async def _check_locale(code: Any, locales: Locales, unit: EntryUnit, family: Mapping[str, Any]) -> None:
    if code is None or code == "":
        raise ApplicationError("locale is missing")
    known = await locales.known(unit.connection)
    if not isinstance(code, str) or code not in known.codes:
        raise ApplicationError("locale is invalid")
    if code in (family["locale"], *(sibling["locale"] for sibling in family[LOCALIZATIONS])):
        raise ApplicationError("locale is already used")


async def _read_family(unit: EntryUnit, reader: EntryReader, content_type: ContentType, entry_id: int) -> Any:
    """`{locale, localizations: [{id, locale}], shared: {...}}` of an entry. Raises NotFoundError."""
    found = await reader.read_one(reader.prepare(_family_plan(content_type)).bind(id=entry_id), unit.connection)
    if found is None:
        raise NotFoundError("Entity not found")
    return orjson.loads(found)


def _family_plan(content_type: ContentType) -> Planned:
    parameter = Parameter(0, ParameterKind.INTEGER)
    locale = ScalarShape(content_type.scalar(LOCALE))
    step = Step(content_type, content_type.attributes[LOCALIZATIONS], content_type)
    sibling = ObjectShape((("id", ScalarShape(None)), ("locale", locale)))
    shared = ObjectShape(tuple((scalar.name, ScalarShape(scalar)) for scalar in _shared_scalars(content_type)))
    shape = ObjectShape(
        (("locale", locale), (LOCALIZATIONS, ManyShape(step, Selection(content_type), sibling)), ("shared", shared))
    )
    selection = Selection(content_type, Tested(None, Test.EQUAL, (parameter,)))
    return Planned(ReadPlan(selection, shape, many=False), (Slot.ID,))


def _shared_scalars(content_type: ContentType) -> list[Scalar]:
    """The scalars that all localizations of an entry share."""
    return [scalar for scalar in content_type.scalars if is_shared(scalar) and not SCALAR_TYPES[scalar.type].secret]


def _shared_names(content_type: ContentType) -> frozenset[str]:
    """The attributes that all localizations of an entry share; what they are related to is their own."""
    attributes = (content_type.attributes[name] for name in content_type.writable_names)
    return frozenset(one.name for one in attributes if is_shared(one) and not isinstance(one, Relation))


def is_shared(attribute: AnyAttribute) -> bool:
    """Whether all localizations of an entry have the same. UIDs are unique over all locales, so each has its own
    (observed)."""
    return not attribute.localized and attribute.name not in STAMPED and not isinstance(attribute, UID)
