"""Where uploaded files go when they are to be put into an entry: for those who may update entries of its type."""

import math
from typing import Any, Final

from octavo.access.actors import Actor, check
from octavo.content.files import Place
from octavo.errors import Problem, ValidationError
from octavo.query.numbers import js_number
from octavo.schema.registry import Registry

_MAX_ID: Final = 2**31 - 1


def read_place(registry: Registry, actor: Actor, ref: str, entry_id: Any, field: str) -> Place | None:
    """The place that is told; none where not all of it is. Raises ValidationError, ForbiddenError."""
    if not (ref and field and entry_id):
        return None
    content_type = registry.content_types.get(ref)
    if content_type is None:
        raise _wrong("ref", "ref must be the UID of a content-type")
    check(actor, f"{ref}.update")
    number = js_number(entry_id)
    if math.isnan(number) or number != math.floor(number) or abs(number) > _MAX_ID:
        raise _wrong("refId", "refId must be the id of an entry")
    return Place(content_type, int(number), field)


def _wrong(name: str, message: str) -> ValidationError:
    return ValidationError.from_problems([Problem((name,), message)])
