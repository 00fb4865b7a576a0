"""Odd values of every scalar type over every API: no server error, the same response on each database, and stored
values can be found again.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from octavo.core.errors import OctavoError
from octavo.testing import open_site
from octavo.testing.site import Site
from tests.cli.projects import SECRETS, write_type
from tests.robustness.odd_values import NO_JSON, TYPES, VALUES

pytestmark = pytest.mark.anyio

UID: Final = "api::thing.thing"
EVERY: Final = 11
"""APIs other than REST get every eleventh value of a type, starting at a different one for each type."""
UNFOUND: Final = frozenset({"password", "json"})
"""Types whose values are not compared in filters."""
ADA: Final = {"firstname": "Ada", "lastname": "L", "email": "ada@example.org", "password": "Passw0rd-of-Ada"}


def _project(folder: Path) -> Path:
    info = {"singularName": "thing", "pluralName": "things", "displayName": "Thing"}
    attributes = {f"a_{name}": attribute for name, attribute in TYPES.items()}
    write_type(folder, {"kind": "collectionType", "collectionName": "things", "info": info, "attributes": attributes})
    (folder / ".env").write_text(SECRETS, "utf-8")
    return folder


def _sample() -> list[tuple[str, str]]:
    """Return some of the values of each type."""
    return [
        (name, value)
        for shift, name in enumerate(TYPES)
        for number, value in enumerate(VALUES)
        if (number + shift) % EVERY == 0
    ]


async def _over_rest(site: Site, name: str, value: str) -> int:
    body = f'{{"data":{{"a_{name}":{value}}}}}'.encode()
    return int((await site.post("/api/things", content=body, headers={"Content-Type": "application/json"})).status_code)


async def _over_form(site: Site, name: str, value: str) -> int:
    answer = await site.post("/api/things", files={"data": (None, f'{{"a_{name}":{value}}}')})
    return int(answer.status_code)


def _over_admin(token: str) -> Callable[[Site, str, str], Awaitable[int]]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    async def ask(site: Site, name: str, value: str) -> int:
        path = f"/content-manager/collection-types/{UID}"
        answer = await site.post(path, content=f'{{"a_{name}":{value}}}'.encode(), headers=headers)
        return int(answer.status_code)

    return ask


async def _from_code(site: Site, name: str, value: str) -> int:
    try:
        await site.app.entries(UID).create({f"a_{name}": json.loads(value)})
    except OctavoError as error:
        return error.status
    return 200


async def _over_graphql(site: Site, name: str, value: str) -> int:
    """Return 200 if the mutation succeeded."""
    text = "mutation ($data: ThingInput!) { createThing(data: $data) { data { id } } }"
    body = f'{{"query": {json.dumps(text)}, "variables": {{"data": {{"a_{name}": {value}}}}}}}'.encode()
    answer = await site.post("/graphql", content=body, headers={"Content-Type": "application/json"})
    if answer.status_code != 200:
        return int(answer.status_code)
    codes = [error.get("extensions", {}).get("code") for error in answer.json().get("errors", ())]
    assert "INTERNAL_SERVER_ERROR" not in codes, (name, value, answer.json())
    return 400 if codes else 200


async def _outcomes(folder: Path, database: str | None, profile: str) -> dict[tuple[str, str, str], int]:
    """Write all values. Return the status of each, by API, type and value."""
    found: dict[tuple[str, str, str], int] = {}
    variables = {"OCTAVO_API__COMPAT__PROFILE": profile}
    async with open_site(folder, database=database, variables=variables) as site:
        await site.allow("public", f"{UID}.*")
        registered = await site.post("/admin/register-admin", json=ADA)
        admin = _over_admin(registered.json()["data"]["token"])
        ways = {"form": _over_form, "admin": admin, "code": _from_code, "GraphQL": _over_graphql}
        rest = [(name, value) for name in TYPES for value in VALUES] if profile == "safe" else _sample()
        for name, value in rest:
            found["REST", name, value] = await _over_rest(site, name, value)
        for way, ask in ways.items():
            for name, value in _sample():
                found[way, name, value] = await ask(site, name, value)
        for text in NO_JSON:
            assert await _over_rest(site, "json", text) == 400, text
        if profile == "safe":
            for name in TYPES:
                await _check_found(site, name)
    return found


def _is_same(one: object, other: object) -> bool:
    """Return whether two values are equal, as texts or as numbers."""
    if str(one) == str(other):
        return True
    try:
        return float(str(one)) == float(str(other))
    except ValueError:
        return False


async def _check_found(site: Site, name: str) -> None:
    """Check that stored values are in lists, in each order, and can be found by their value. GraphQL returns the
    same."""
    attribute = f"a_{name}"
    if name in UNFOUND:
        return
    rows = await site.app.entries(UID).find_many(filters={attribute: {"$notNull": True}}, sort="id")
    stored = {row.id: row[attribute] for row in rows}
    assert stored, name
    listed = f"/api/things?fields[0]={attribute}&pagination[limit]=1000&filters[{attribute}][$notNull]=true"
    for order in ("asc", "desc"):
        answer = await site.get(f"{listed}&sort={attribute}:{order}")
        assert {one["id"] for one in answer.json()["data"]} == {*stored}, (name, order)
    shown = {one["id"]: one["attributes"][attribute] for one in answer.json()["data"]}
    filters = {attribute: {"notNull": True}}
    asked = f"things(filters: $filters, pagination: {{limit: 1000}}) {{ data {{ id attributes {{ {attribute} }} }} }}"
    query = f"query ($filters: ThingFiltersInput) {{ {asked} }}"
    data = await site.graphql(query, variables={"filters": filters})
    over = {int(one["id"]): one["attributes"][attribute] for one in data["things"]["data"]}
    assert {*over} == {*shown}
    for entry, value in shown.items():
        # REST returns times and timestamps as stored, as v4 does
        assert name in {"time", "timestamp"} or _is_same(over[entry], value), (name, value, over[entry])
    shown = over if name == "timestamp" else shown
    for value in {json.dumps(value) for value in shown.values()}:
        answer = await site.get(
            "/api/things", query={"filters": {attribute: {"$eq": json.loads(value)}}, "pagination": {"limit": 1000}}
        )
        assert answer.status_code == 200, (name, value, answer.json())
        same = {entry for entry, one in shown.items() if json.dumps(one) == value}
        assert same <= {one["id"] for one in answer.json()["data"]}, (name, value)


@pytest.mark.parametrize("profile", ["safe", "v4"])
async def test_odd_values(anyio_backend: str, tmp_path: Path, postgresql_url: str, profile: str) -> None:
    folder = _project(tmp_path)
    sqlite = await _outcomes(folder, None, profile)
    postgresql = await _outcomes(folder, postgresql_url, profile)
    for found in (sqlite, postgresql):
        assert not {key: status for key, status in found.items() if status >= 500}
        for (way, name, value), status in found.items():
            if way in ("form", "admin", "code") and name != "uid":  # which exists once, so the second one is refused
                rest = found["REST", name, value]
                assert (status < 300) == (rest < 300), (way, name, value, status, rest)
    differing = {key for key in sqlite if (sqlite[key] < 300) != (postgresql[key] < 300)}
    if profile == "safe":
        assert not differing
    else:  # as in v4, SQLite stores numbers and texts that PostgreSQL's columns refuse
        assert {name for _, name, _ in differing} <= {"integer", "decimal", "string", "uid", "json"}
