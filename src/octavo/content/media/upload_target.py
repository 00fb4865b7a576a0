"""The entry or component that uploaded files are linked to, for callers with permission to update the entry."""

import math
from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Any

from octavo.access.authorization.ability import UPDATE, writes_always
from octavo.access.authorization.actions import action_on
from octavo.access.authorization.actor import Actor, check
from octavo.content.component_owners import places_of
from octavo.content.media.files import UploadTarget
from octavo.core.errors import ClosedError, ForbiddenError, Problem, ValidationError
from octavo.query.numbers import id_number
from octavo.schema.content_types import FILE, ContentType
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import LARGEST_ID


def read_upload_target(
    registry: Registry,
    actor: Actor,
    ref: str,
    entry_id: Any,
    field: str,
    *,
    guarded: Container[str] = (),
    digits_only: bool = False,
) -> UploadTarget | None:
    """Return the target in an upload; None unless all parts are given. Raises ValidationError, ForbiddenError.

    Permission to link files to a component depends on the entry that contains it: it is required for at least one of
    the possible places here, and for the entry when the files are linked. `guarded` are the content types whose entries
    only their own action can update.
    """
    if not (ref and field and entry_id):
        return None
    definition = registry.content_types.get(ref) or registry.components.get(ref)
    if definition is None:
        raise _wrong("ref", "ref must be the UID of a content type or component")
    check_place = partial(_check_place, actor, guarded, field)
    if isinstance(definition, ContentType):
        check_place(FieldPlace(ref))
    else:
        _check_any(check_place, places_of(registry, definition))
    number = id_number(entry_id, digits_only=digits_only)
    if math.isnan(number) or number != math.floor(number) or abs(number) > LARGEST_ID:
        raise _wrong("refId", "refId must be the ID of an entry")
    return UploadTarget(definition, int(number), field, check_place)


def _check_place(actor: Actor, guarded: Container[str], field: str, place: FieldPlace) -> None:
    """Raise ForbiddenError if an actor cannot update a field in all entries of a content type."""
    check(actor, f"{place.uid}.update")
    if place.uid in guarded:
        raise ClosedError
    if not writes_always(actor.ability, place.uid, place.field(field)):
        raise ForbiddenError


def _check_any(check_place: Callable[[FieldPlace], None], places: Iterable[FieldPlace]) -> None:
    """Raise the error of the last place if all are refused."""
    refused: ForbiddenError | None = None
    for place in places:
        try:
            check_place(place)
        except ForbiddenError as error:
            refused = error
        else:
            return
    if refused is not None:
        raise refused


def check_replacing(actor: Actor, *, destroys: bool) -> None:
    """Raise ForbiddenError if an actor cannot replace or update any file.

    `destroys`: under the rule `replacedFiles`, replacing a file requires permission to delete files.
    """
    if destroys:
        check(actor, action_on(FILE, "delete"))
    if actor.ability.scope(FILE, UPDATE) is not None:  # callers do not check the scope per file
        raise ForbiddenError


def _wrong(name: str, message: str) -> ValidationError:
    return ValidationError.from_problems([Problem((name,), message)])
