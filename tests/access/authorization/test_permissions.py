"""Permission sets: what they allow, and their cache keys."""

import pytest

from octavo.access.authorization.permissions import EVERYTHING, NOTHING, READS, PermissionSet, permission_set

LISTED = permission_set(["api::tag.tag.find", "plugin::upload.content-api.upload"])


@pytest.mark.parametrize(
    "action, nothing, listed, reads, everything",
    [
        ("api::tag.tag.find", False, True, True, True),
        ("api::tag.tag.findOne", False, False, True, True),
        ("api::tag.tag.create", False, False, False, True),
        ("plugin::upload.content-api.upload", False, True, False, True),
        ("plugin::upload.content-api.find", False, False, True, True),
        ("plugin::users-permissions.role.findOne", False, False, True, True),
        ("plugin::users-permissions.user.count", False, False, False, True),
        ("plugin::users-permissions.user.me", False, False, False, True),
        ("plugin::i18n.locales.listLocales", False, False, False, True),
        ("api::find.find.delete", False, False, False, True),
        ("api::tag.tag.Find", False, False, False, True),
        ("", False, False, False, True),
    ],
)
def test_allows(action: str, nothing: bool, listed: bool, reads: bool, everything: bool) -> None:
    answers = tuple(permissions.allows(action) for permissions in (NOTHING, LISTED, READS, EVERYTHING))
    assert answers == (nothing, listed, reads, everything)


def test_equal_actions_share_a_set() -> None:
    assert permission_set(["b", "a", "a"]) is permission_set(["a", "b"])


def test_keys_depend_on_the_contents() -> None:
    sets = [
        NOTHING,
        LISTED,
        READS,
        EVERYTHING,
        permission_set(["a"]),
        permission_set(["a", "b"]),
        permission_set(["ab"]),
    ]
    assert len({permissions.key for permissions in sets}) == len(sets)


def test_sets_hash_by_identity() -> None:
    twin = PermissionSet(LISTED.key, LISTED.actions)
    assert len({LISTED, twin, permission_set(LISTED.actions)}) == 2
