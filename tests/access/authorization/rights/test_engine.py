"""Grants are turned into abilities: allowed actions, fields and entries; unreadable grants allow nothing."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from octavo.access.authorization.actions import FILES, LIST_LOCALES
from octavo.access.authorization.admin import names
from octavo.access.authorization.admin.ability import NEVER, AdminAbility
from octavo.access.authorization.admin.conditions import Condition, Holder, Verdict
from octavo.access.authorization.admin.engine import AbilityBuilder, NoSite
from octavo.access.authorization.admin.grants import Grant, read_grant, read_grants
from octavo.access.authorization.permissions import NOTHING
from octavo.query.ast import And, Filter, Or
from octavo.schema.registry import Registry
from tests.access.authorization.conditional import at
from tests.models.bookshop import AUTHOR, BOOK, FILE, GENRE, VAULT, bookshop_registry

pytestmark = pytest.mark.anyio

REGISTRY = bookshop_registry()
PLAIN = Registry(
    (replace(one, localized=False) for one in REGISTRY.content_types.values()), REGISTRY.components.values()
)
"""The bookshop without localization."""
EDI, ANN = Holder(7, "edi@example.org", (2, 3)), Holder(8)
OWN, SAME_ROLE = "admin::is-creator", "admin::has-same-role-as-creator"
MINE = at("createdBy.id", "$eq", 7)
COLLEAGUES = at("createdBy.roles.id", "$in", 2, 3)


def grant(action: str, subject: str | None = BOOK, *fields: str, where: str = "", **rest: Any) -> Grant:
    return Grant(action, subject, frozenset(fields) or None, conditions=tuple(where.split()), **rest)


async def ability_of(
    *grants: Grant, holder: Holder = EDI, conditions: tuple[Condition, ...] = (), registry: Registry = PLAIN
) -> AdminAbility:
    found = (await AbilityBuilder(registry, conditions).of(holder, grants)).content
    assert isinstance(found, AdminAbility)
    return found


async def test_actions_apply_to_their_content_type() -> None:
    ability = await ability_of(grant(names.READ), grant("admin::users.read", None), grant(names.CREATE, GENRE))
    assert all(ability.may(verb, BOOK) for verb in ("find", "findOne", "count"))
    assert not any(ability.may(verb, BOOK) for verb in ("create", "nope"))
    assert [ability.may(verb, GENRE) for verb in ("find", "create", "createLocalization")] == [False, True, True]
    allowed = (f"{BOOK}.find", f"{GENRE}.create", "admin::users.read")
    refused = (names.READ, f"{BOOK}.update", f"{BOOK}.popular", "admin::users.delete", "api::no.no.find", "nonsense")
    assert [ability.allows(action) for action in (*allowed, *refused)] == [True] * 3 + [False] * 6
    assert not ability.everything


async def test_actions_of_plugins_are_those_of_the_panel() -> None:
    ability = await ability_of(grant(names.READ_FILES, None, where=OWN), grant("plugin::i18n.locale.read", None))
    assert [ability.allows(one) for one in (f"{FILES}.find", f"{FILES}.upload", LIST_LOCALES)] == [True, False, True]
    assert (ability.may("find", FILE), ability.may("delete", FILE)) == (True, False)
    assert ability.scope(FILE) == MINE
    assert (await ability_of()).scope(FILE) == NEVER


async def test_fields_include_everything_in_their_components() -> None:
    ability = await ability_of(grant(names.READ, BOOK, "title", "details.binding", "extras"))
    known = ("title", "details", "details.binding", "extras", "extras.label", "createdAt", "createdBy")
    unknown = ("titles", "tit", "details.weight", "detail", "blurb", "publishedAt_")
    assert [ability.reads(BOOK, name) for name in (*known, *unknown)] == [True] * len(known) + [False] * len(unknown)
    assert not ability.writes(BOOK, "title", "update")
    whole = await ability_of(grant(names.UPDATE))
    assert (whole.writes(BOOK, "blurb", "update"), whole.writes(BOOK, "blurb", "create")) == (True, False)
    nothing = await ability_of(Grant(names.READ, BOOK, frozenset()))
    assert (nothing.may("find", BOOK), nothing.reads(BOOK, "title"), nothing.reads(BOOK, "createdAt")) == (
        True,
        False,
        True,
    )


async def test_only_names_of_administrators_are_readable() -> None:
    everything = AbilityBuilder(REGISTRY).of_super_admins()
    for ability in (everything.pages, everything.content, await ability_of(grant(names.READ))):
        for secret in ("email", "password", "resetPasswordToken", "registrationToken", "isActive", "roles"):
            assert not ability.reads("admin::user", secret)
        assert ability.reads("admin::user", "firstname")
        assert not ability.reads("admin::api-token", "accessKey")
    assert (everything.pages.knows_private, everything.content.knows_private) == (True, False)
    assert everything.pages.reads(VAULT, "code")


async def test_conditions_become_filters_on_the_caller() -> None:
    assert (await ability_of(grant(names.READ, where=OWN))).scope(BOOK) == MINE
    assert (await ability_of(grant(names.READ, where=SAME_ROLE))).scope(BOOK) == COLLEAGUES
    either = await ability_of(grant(names.READ, where=f"{SAME_ROLE} {OWN}"))
    assert either.scope(BOOK) == Or(items=(COLLEAGUES, MINE))
    added = await ability_of(grant(names.READ, BOOK, "title", where=OWN), grant(names.READ, BOOK, "title"))
    assert added.scope(BOOK) is None
    assert (await ability_of(grant(names.READ, where=OWN))).scope(BOOK, "update") == NEVER


async def test_locales_limit_only_localized_types() -> None:
    french = at("locale", "$in", "de-AT", "fr")
    both = frozenset({"fr", "de-AT"})
    some = (grant(names.READ, BOOK, locales=both), grant(names.READ, AUTHOR, locales=both))
    ability = await ability_of(*some, registry=REGISTRY)
    assert (ability.scope(BOOK), ability.scope(AUTHOR)) == (french, None)
    own = await ability_of(grant(names.READ, BOOK, where=OWN, locales=both), registry=REGISTRY)
    assert own.scope(BOOK) == And(items=(french, MINE))


@pytest.mark.parametrize("locales", [None, frozenset()])
async def test_grants_without_locales_allow_no_localized_entries(locales: frozenset[str] | None) -> None:
    ability = await ability_of(grant(names.READ, BOOK, locales=locales), registry=REGISTRY)
    assert (ability.may("find", BOOK), ability.scope(BOOK)) == (True, NEVER)  # as in v4: an empty list
    assert (await ability_of(grant(names.READ, AUTHOR, locales=locales), registry=REGISTRY)).scope(AUTHOR) is None


async def test_fields_are_readable_in_the_entries_of_their_grants() -> None:
    ability = await ability_of(
        grant(names.READ, BOOK, "title"),
        grant(names.READ, BOOK, "blurb", "details.binding", where=OWN),
        grant(names.READ, BOOK, "details", where=SAME_ROLE),
    )
    assert ability.scope(BOOK) is None
    guards: dict[str, Filter | None] = {
        "title": None,
        "createdAt": None,
        "blurb": MINE,
        "details.weight": COLLEAGUES,
        "details.binding": Or(items=(COLLEAGUES, MINE)),
    }
    for name, guard in guards.items():
        assert ability.reads(BOOK, name)
        found = ability.field_scope(BOOK, name)
        assert found == guard or (isinstance(found, Or) and isinstance(guard, Or) and {*found.items} == {*guard.items})
    alike = await ability_of(grant(names.READ, BOOK, "title", where=OWN), grant(names.READ, BOOK, "blurb", where=OWN))
    assert (alike.scope(BOOK), alike.field_scope(BOOK, "blurb")) == (MINE, None)


async def test_unknown_actions_and_subjects_grant_nothing(caplog: pytest.LogCaptureFixture) -> None:
    ability = await ability_of(
        grant(names.READ, BOOK, where="api::only-here"), grant(names.READ, AUTHOR, where="api::only-here")
    )
    assert (ability.may("find", BOOK), ability.may("find", AUTHOR)) == (False, False)
    assert "Unknown condition api::only-here in administrators' permissions" in caplog.text
    beside = await ability_of(grant(names.READ, BOOK, where=f"api::only-here {OWN}"))
    assert beside.scope(BOOK) == MINE


async def test_conditions_of_a_project(caplog: pytest.LogCaptureFixture) -> None:
    async def later(holder: Holder) -> Verdict:
        return holder.id == EDI.id

    def fails(_: Holder) -> Verdict:
        raise RuntimeError("broken")

    decisions: dict[str, Any] = {
        "api::cheap": lambda _: at("price", "$lt", 10),
        "api::staff": later,
        "api::fails": fails,
    }
    made = tuple(Condition(name, name, "default", decide) for name, decide in decisions.items())

    async def scope(where: str, holder: Holder = EDI) -> Filter | None:
        return (await ability_of(grant(names.READ, where=where), holder=holder, conditions=made)).scope(BOOK)

    assert await scope("api::cheap") == at("price", "$lt", 10)
    assert (await scope("api::staff"), await scope("api::staff", ANN)) == (None, NEVER)
    assert await scope("api::fails") == NEVER
    assert "The condition api::fails failed" in caplog.text
    assert await scope("api::cheap api::fails") == at("price", "$lt", 10)


async def test_equal_permissions_share_an_ability() -> None:
    rights = AbilityBuilder(REGISTRY)
    plain, own = (grant(names.READ),), (grant(names.READ, where=OWN),)
    assert await rights.of(EDI, plain) is await rights.of(ANN, plain)
    keys = [(await rights.of(holder, grants)).content.key for holder in (EDI, ANN) for grants in (plain, own)]
    assert len(set(keys)) == 3
    assert (await rights.of(EDI, plain)).pages.key != (await rights.of(EDI, plain)).content.key


@pytest.mark.parametrize(
    "properties, conditions",
    [({"fields": "title"}, []), ({"fields": [1]}, []), ({}, {"a": 1}), ("{", []), ([1], [])],
)
def test_invalid_rows_grant_nothing(properties: Any, conditions: Any) -> None:
    assert read_grant(names.READ, BOOK, properties, conditions) is None


def test_rows_can_contain_json_or_its_text() -> None:
    properties, conditions = {"fields": ["b", "a"], "locales": ["fr"], "colours": ["red"]}, ["x", OWN]
    read = Grant("a", BOOK, frozenset({"a", "b"}), frozenset({"fr"}), (OWN, "x"))
    assert read_grant("a", BOOK, properties, conditions) == read
    assert read_grant("a", BOOK, orjson.dumps(properties).decode(), orjson.dumps(conditions).decode()) == read
    assert read_grant("a", None, None, None) == Grant("a")
    assert read_grants(orjson.dumps({"grants": None})) == ()


async def test_without_a_site_only_super_admins_have_permissions() -> None:
    assert (await NoSite().of(EDI, (grant(names.READ),))).content is NOTHING
    assert NoSite().of_super_admins().pages.everything
