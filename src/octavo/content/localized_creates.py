"""Create entries whose data lists their localizations: `{"locale": "de", "localizations": [1]}`.

Raises ValidationError and ApplicationError.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from octavo.content.input.relation_input import InvalidRelations, TargetId, read_links
from octavo.content.input_path import TOP
from octavo.content.localization_families import Families, Unit
from octavo.core.errors import ApplicationError, ValidationError
from octavo.schema.attributes import LOCALE, LOCALIZATIONS
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import LARGEST_ID


class Create(Protocol):
    """Creates an entry that becomes a localization of another one."""

    async def __call__(self, data: Mapping[str, Any], *, translates: int) -> int:
        """Create the entry and return its id."""


def named_localizations(content_type: ContentType, data: Any) -> tuple[TargetId, ...]:
    """Return the localizations in the data of a new entry. Raises ValidationError."""
    if not content_type.localized or not isinstance(data, Mapping) or data.get(LOCALIZATIONS) is None:
        return ()
    try:
        change = read_links(data[LOCALIZATIONS])
    except InvalidRelations as error:
        raise ValidationError.from_problems([TOP.child(LOCALIZATIONS).problem(error.message)]) from None
    return () if change is None else tuple(dict.fromkeys(change.targets))


async def create_translation(
    unit: Unit,
    families: Families,
    content_type: ContentType,
    data: Mapping[str, Any],
    locale: str | None,
    create: Create,
) -> int:
    """Create an entry, link it and the localizations in its data both ways, and return its id.

    Shared values in the data are copied to all localizations; other shared values come from them. `locale` is the
    entry's locale.
    """
    ids = named_localizations(content_type, data)
    known = [one for one in ids if isinstance(one, int) and 0 < one <= LARGEST_ID]
    for one in sorted(known):
        await families.lock_family(unit, content_type, one)
    family = await families.lock_and_read(unit, content_type, known) if len(known) == len(ids) else None
    if family is None:
        message = f"{len(ids)} relation(s) of type {content_type.uid} associated with this entity do not exist"
        raise ValidationError.from_problems([TOP.problem(message)])
    if locale in family.ids:
        raise ApplicationError("locale is already used")
    body = {name: value for name, value in data.items() if name != LOCALIZATIONS}
    new_id = await create({**family.completed(content_type, body), LOCALE: locale}, translates=known[0])
    await families.add_entry(unit, content_type, new_id, family)
    await families.copy_shared(unit, content_type, new_id, body, touch=True)
    return new_id
