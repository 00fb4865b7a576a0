"""The entry that uploaded files are linked to, for callers with permission to update entries of its type."""

import math
from collections.abc import Container
from typing import Any

from octavo.access.authorization.ability import UPDATE, writes_always
from octavo.access.authorization.actions import action_on
from octavo.access.authorization.actor import Actor, check
from octavo.content.media.files import UploadTarget
from octavo.core.errors import ClosedError, ForbiddenError, Problem, ValidationError
from octavo.query.numbers import id_number
from octavo.schema.content_types import FILE
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

    `guarded` are the content-types whose entries only their own action can update.
    """
    if not (ref and field and entry_id):
        return None
    content_type = registry.content_types.get(ref)
    if content_type is None:
        raise _wrong("ref", "ref must be the UID of a content type")
    check(actor, f"{ref}.update")
    if ref in guarded:
        raise ClosedError
    if not writes_always(actor.ability, ref, field):
        raise ForbiddenError
    number = id_number(entry_id, digits_only=digits_only)
    if math.isnan(number) or number != math.floor(number) or abs(number) > LARGEST_ID:
        raise _wrong("refId", "refId must be the ID of an entry")
    return UploadTarget(content_type, int(number), field)


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
