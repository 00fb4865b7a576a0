"""Localizations: the versions of an entry in other locales. Each of them is linked to all others.

Raises ApplicationError and NotFoundError with Strapi's messages.
"""

from collections.abc import Collection, Mapping
from typing import Any

import orjson

from octavo.content.automatic_values import NO_DATES
from octavo.content.entry_unit import EntryUnit
from octavo.content.locales import Locales
from octavo.content.localization_families import Families, Family, NewEntry, scalar_names
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.schema.attributes import LOCALIZATIONS, UPDATED_AT, Scalar
from octavo.schema.content_types import ContentType
from octavo.schema.shared_values import is_shared_value


async def new_localization(
    unit: EntryUnit, families: Families, locales: Locales, content_type: ContentType, entry_id: int, data: Any
) -> NewEntry:
    """Return the data of a new localization of an entry, and lock its family.

    Attributes that are not localized are copied from the entry unless the data sets them.
    """
    family = await families.lock_and_read(unit, content_type, [entry_id])
    if family is None:
        raise NotFoundError("Entity not found")
    body = dict(data) if isinstance(data, Mapping) else {}
    await _check_locale(body.get("locale"), locales, unit, family)
    unit.adds_localization = True
    return NewEntry(
        family.completed(content_type, body),
        family=family,
        translates=entry_id,
        shared=scalar_names(content_type, body),
        touch=True,
    )


async def copy_shared_values(
    unit: EntryUnit,
    families: Families,
    content_type: ContentType,
    entry: bytes,
    named: Collection[str],
) -> None:
    """Copy the shared values in the response to a change to the localizations in that response.

    Strapi does the same: without `populate=localizations`, other localizations do not change (observed). Components,
    files and empty values are only copied if the change has `named` them, because this entry may lack values that the
    others have.
    """
    if f'"{LOCALIZATIONS}":'.encode() not in entry:
        return
    answer = orjson.loads(entry)
    attributes = answer["attributes"]
    siblings = attributes.get(LOCALIZATIONS, {}).get("data")
    shown = [name for name in _shared_names(content_type) if name in attributes]
    data, others = dict[str, Any](), []
    for name in shown:
        is_scalar = isinstance(content_type.attributes[name], Scalar)
        if is_scalar and (name in named or attributes[name] is not None):
            data[name] = attributes[name]
        elif name in named and not is_scalar:
            others.append(name)
    if not isinstance(siblings, list) or not (data or others):
        return
    family = await families.read_family(unit, content_type, answer["id"]) if others else None
    if family is not None:
        data |= {name: family.shared[name] for name in others if name in family.shared}
    dates = {UPDATED_AT: attributes[UPDATED_AT]} if attributes.get(UPDATED_AT) is not None else NO_DATES
    for sibling in sorted(sibling["id"] for sibling in siblings):
        await unit.update(content_type, sibling, data, dates=dates, later=True)


async def _check_locale(code: Any, locales: Locales, unit: EntryUnit, family: Family) -> None:
    if code is None or code == "":
        raise ApplicationError("locale is missing")
    known = await locales.known(unit.connection)
    if not isinstance(code, str) or code not in known.codes:
        raise ApplicationError("locale is invalid")
    if code in family.ids:
        raise ApplicationError("locale is already used")


def _shared_names(content_type: ContentType) -> list[str]:
    """Return the attributes that all localizations of an entry share."""
    return [name for name in content_type.writable_names if is_shared_value(content_type.attributes[name])]
