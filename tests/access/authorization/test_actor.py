"""Checks of an actor's permissions."""

import pytest

from octavo.access.authorization.actor import ANONYMOUS, SYSTEM, Actor, check
from octavo.access.authorization.permissions import READS, permission_set
from octavo.core.errors import ForbiddenError

READER = Actor("api-token", READS, id=1)
EDITOR = Actor(
    "user", permission_set(["api::tag.tag.create"]), id=1, role_id=1, username="ann", email="ann@example.org"
)


@pytest.mark.parametrize(
    "actor, actions",
    [
        (SYSTEM, ("api::tag.tag.delete", "plugin::upload.content-api.upload")),
        (READER, ("api::tag.tag.find", "api::tag.tag.findOne")),
        (EDITOR, ("api::tag.tag.create",)),
        (ANONYMOUS, ()),
    ],
)
def test_allowed_actors(actor: Actor, actions: tuple[str, ...]) -> None:
    check(actor, *actions)


@pytest.mark.parametrize(
    "actor, actions",
    [
        (ANONYMOUS, ("api::tag.tag.find",)),
        (READER, ("api::tag.tag.find", "api::tag.tag.update")),
        (EDITOR, ("api::tag.tag.find",)),
    ],
)
def test_refused_actors(actor: Actor, actions: tuple[str, ...]) -> None:
    with pytest.raises(ForbiddenError) as refusal:
        check(actor, *actions)
    assert (refusal.value.status, refusal.value.name, refusal.value.message) == (403, "ForbiddenError", "Forbidden")
