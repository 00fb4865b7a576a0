"""Caching headers of reads, and conditional requests, on each database."""

import json
from pathlib import Path

import pytest

from octavo.core.cache_control import private_cache_control, read_cache_control, shared_directives
from octavo.settings import load_settings
from octavo.settings.problems import SettingsError
from tests.api.rest.conftest import OpenClub
from tests.models.club import FULL, NEVER, SAFE, Club

pytestmark = pytest.mark.anyio

TAGS = "/api/tags"
TAGGED = {**NEVER, "OCTAVO_API__CACHING__ETAGS": "true"}
CONTROL = {
    "api::tag.tag": {"public": "public, max-age=60, s-maxage=600", "authenticated": "max-age=5"},
    "*": {"*": "public, max-age=10"},
}


TAG = {
    "kind": "collectionType",
    "collectionName": "tags",
    "info": {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"},
    "attributes": {"name": {"type": "string"}},
}


@pytest.fixture(autouse=True)
def _with_tags(tmp_path: Path) -> None:
    folder = tmp_path / "src/api/tag/content-types/tag"
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text(json.dumps(TAG))


async def readable(club: Club) -> Club:
    """Let visitors and users read tags."""
    for role in ("public", "authenticated"):
        await club.grant(role, "api::tag.tag.find")
    return club


def saying(control: object) -> dict[str, str]:
    return {**TAGGED, "OCTAVO_API__CACHING__CONTROL": json.dumps(control)}


async def test_unchanged_responses_get_304(new_club: OpenClub) -> None:
    club = await new_club(**TAGGED)
    first = await club.ask("GET", TAGS, token=FULL)
    tag = first.headers["etag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        again = await club.ask("GET", TAGS, token=FULL, headers=(("If-None-Match", known),))
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert "content-type" not in again.headers
        assert "content-length" not in again.headers
    assert (await club.ask("HEAD", TAGS, token=FULL, headers=(("If-None-Match", tag),))).status == 304
    assert (await club.post("tags", {"data": {"name": "new"}}, FULL)).status == 200
    changed = await club.ask("GET", TAGS, token=FULL, headers=(("If-None-Match", tag),))
    assert (changed.status, changed.headers["etag"] == tag) == (200, False)


async def test_only_successful_reads_have_an_etag(new_club: OpenClub) -> None:
    club = await new_club(**TAGGED)
    refused = await club.ask("GET", TAGS, token="wrong", headers=(("If-None-Match", "*"),))
    missing = await club.ask("GET", f"{TAGS}/9999", token=FULL, headers=(("If-None-Match", "*"),))
    written = await club.post("tags", {"data": {"name": "x"}}, FULL)
    assert [one.status for one in (refused, missing, written)] == [401, 404, 200]
    assert not [one for one in (refused, missing, written) if "etag" in one.headers]


async def test_caching_headers_are_off_by_default(club: Club) -> None:
    reported = (await (await readable(club)).ask("GET", TAGS)).headers
    assert not {"cache-control", "etag"} & reported.keys()
    assert reported["vary"] == "Origin"


@pytest.mark.parametrize("off", [NEVER, {**NEVER, **SAFE, "OCTAVO_API__CACHING__ETAGS": "false"}])
async def test_etags_can_be_disabled(new_club: OpenClub, off: dict[str, str]) -> None:
    club = await readable(await new_club(**off))
    answer = await club.ask("GET", TAGS, headers=(("If-None-Match", "*"),))
    assert (answer.status, "etag" in answer.headers) == (200, False)


async def test_cache_control_depends_on_the_role(new_club: OpenClub) -> None:
    club = await readable(await new_club(**saying(CONTROL)))
    ann = await club.token_of("ann")
    reported = {
        "public": await club.ask("GET", TAGS),
        "authenticated": await club.ask("GET", TAGS, token=ann),
        "api-token": await club.ask("GET", TAGS, token=FULL),
        "of another type": await club.ask("GET", "/api/users/me", token=ann),
    }
    assert {who: answer.headers.get("cache-control") for who, answer in reported.items()} == {
        "public": "public, max-age=60, s-maxage=600",
        "authenticated": "private, max-age=5",
        "api-token": None,
        "of another type": "private, max-age=10",
    }
    assert reported["public"].headers["vary"] == "Origin, Authorization"
    known = reported["public"].headers["etag"]
    again = await club.ask("GET", TAGS, headers=(("If-None-Match", known),))
    assert (again.status, again.headers["cache-control"]) == (304, CONTROL["api::tag.tag"]["public"])


async def test_under_safe_other_responses_are_private(new_club: OpenClub) -> None:
    club = await readable(
        await new_club(
            **{**saying({"api::tag.tag": {"public": "public, max-age=60"}}), "OCTAVO_API__CACHING__ETAGS": ""}, **SAFE
        )
    )
    reported = (await club.ask("GET", TAGS)).headers
    assert (reported["cache-control"], "etag" in reported) == ("public, max-age=60", True)
    assert (await club.ask("GET", TAGS, token=FULL)).headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize(
    "control, place, problem",
    [
        ({"*": {"public": "for ever"}}, '"*".public', 'unknown directive "for ever"'),
        ({"*": {"public": "max-age"}}, '"*".public', "max-age requires seconds, such as max-age=60"),
        ({"*": {"public": "max-age=-5"}}, '"*".public', "max-age requires seconds, such as max-age=60"),
        ({"*": {"public": "maxage=5"}}, '"*".public', 'unknown directive "maxage"; did you mean max-age?'),
        ({"*": {"public": "max-age=1, max-age=2"}}, '"*".public', "max-age appears twice"),
        ({"*": {"public": "private, public"}}, '"*".public', "private contradicts public"),
        ({"*": {"public": "public=3"}}, '"*".public', "public takes no value"),
        ({"*": {"public": ""}}, '"*".public', 'unknown directive ""'),
        ({"*": {"authenticated": "public, s-maxage=1"}}, '"*".authenticated', "expected no public and no s-maxage"),
        ({"api::tag.tag": {"public": "pubilc, x"}}, '"api::tag.tag".public', '"pubilc"; did you mean public?'),
        ({"*": "public"}, '"*"', "expected a table of directives by role"),
        ({"*": {"public": 5}}, '"*".public', "expected directives"),
    ],
)
def test_invalid_cache_control_is_refused_with_its_place(
    tmp_path: Path, control: object, place: str, problem: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(tmp_path, saying(control))
    (reported,) = refused.value.problems
    assert reported.key == f"api.caching.control.{place}"
    assert problem in reported.message


async def test_unknown_types_and_roles_are_logged(new_club: OpenClub, caplog: pytest.LogCaptureFixture) -> None:
    said = {"public": "max-age=1", "editr": "max-age=1", "api-token": "max-age=1", "*": "max-age=1"}
    await new_club(**saying({"api::tga.tag": {}, "api::tag.tag": said}))
    reported = [one.getMessage().partition("caching.control.")[2] for one in caplog.records]
    assert [one for one in reported if one] == [
        '"api::tga.tag": unknown content type; did you mean api::tag.tag?',
        '"api::tag.tag".editr: unknown role',
    ]


def test_directives_are_read_in_one_spelling() -> None:
    assert read_cache_control(" Public ,max-age=60,IMMUTABLE") == "public, max-age=60, immutable"
    assert private_cache_control("public, max-age=60, s-maxage=9") == "private, max-age=60"
    assert private_cache_control("no-store") == "no-store"
    assert not shared_directives("private, max-age=1")
