"""The tags that a change invalidates, and the limit on single entries."""

from octavo.database.change_feed import ChangeKind, DataChange
from octavo.events.purging.tags import MOST_ENTRIES, entries_tag, entry_tag, merged, tags_of
from octavo.schema.content_types import ADMIN_ROLE, ADMIN_USER, LOCALE, PERMISSION

ARTICLE, TAG = "api::article.article", "api::tag.tag"


def changes(*places: tuple[str, int]) -> list[DataChange]:
    return [DataChange(uid, entry_id, ChangeKind.UPDATE) for uid, entry_id in places]


def test_a_change_has_tags_of_its_type_its_entry_and_mixed_responses() -> None:
    assert tags_of(changes((ARTICLE, 5), (TAG, 2), (ARTICLE, 5))) == [
        "any",
        ARTICLE,
        f"{ARTICLE}:5",
        TAG,
        f"{TAG}:2",
    ]


def test_permissions_and_locales_purge_everything() -> None:
    assert tags_of(changes((ARTICLE, 5), (PERMISSION, 1))) == ["all"] == tags_of(changes((LOCALE, 1)))


def test_internal_types_purge_nothing() -> None:
    assert tags_of(changes((ADMIN_ROLE, 1), ("admin::api-token", 4))) == []
    assert tags_of(changes((ADMIN_USER, 1))) == ["any", ADMIN_USER, f"{ADMIN_USER}:1"]


def test_many_entries_of_a_type_are_purged_by_type() -> None:
    many = [entry_tag(ARTICLE, number) for number in range(MOST_ENTRIES)]
    assert merged([*many, *many]) == many
    assert merged(["any", *many, entry_tag(ARTICLE, "9999"), f"{TAG}:1"]) == ["any", f"{TAG}:1", entries_tag(ARTICLE)]
    assert merged([entries_tag(ARTICLE), *many[:2]]) == [entries_tag(ARTICLE)]
    assert merged([*many, "all"]) == ["all"]
