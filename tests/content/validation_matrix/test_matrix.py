"""Every case of the matrix has v4's response; `safe` refuses more, as listed here."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.content.validation_matrix.cases import ABSENT, RECORD, Case, attributes, cases, lists, request_of
from tests.content.validation_matrix.record import write_project
from tests.models.club import NEVER, SAFE, SECRETS, STILL, Club

pytestmark = pytest.mark.anyio
RECORDED: Mapping[str, list[Any]] = json.loads(RECORD.read_text("utf-8"))


@asynccontextmanager
async def opened(folder: Path, **settings: str) -> AsyncIterator[Club]:
    write_project(folder / "src")
    octavo = build(load_settings(folder, {**SECRETS, **STILL, **NEVER, **settings}, mode="development"), polls=False)
    await octavo.asgi.start()
    club = Club(octavo, folder)
    actions = [f"api::{kind}.{kind}.{verb}" for kind in ("plain", "holder") for verb in ("find", "create", "update")]
    await club.grant("public", *actions)
    try:
        yield club
    finally:
        await octavo.asgi.stop()


async def outcome_of(case: Case, club: Club, entries: dict[str, Any]) -> list[Any]:
    """Return the outcome as `record.outcome_of` does, in the same process."""
    asked = request_of(case)
    method, path, data = "POST", f"/api/{asked.path}", asked.data
    if asked.before is not None:
        if case.place not in entries:
            entries[case.place] = (await club.ask("POST", f"{path}?populate=*", {"data": asked.before})).json
        made = entries[case.place]["data"]
        method, path = "PUT", f"{path}/{made['id']}"
        if case.place == "kept":
            data = {"part": {**data["part"], "id": made["attributes"]["part"]["id"]}}
    answer = await club.ask(method, path, {"data": data})
    if answer.status == 200:
        return [200]
    error = answer.json["error"]
    errors = error["details"].get("errors", [])
    return [answer.status, [[one["path"], one["message"]] for one in errors] or error["message"]]


async def outcomes(folder: Path, **settings: str) -> dict[str, list[Any]]:
    entries: dict[str, Any] = {}
    async with opened(folder, **settings) as club:
        return {case.key: await outcome_of(case, club, entries) for case in cases()}


def is_refused_by_safe(case: Case) -> bool:
    """Return whether `safe` refuses a value that v4 stores."""
    given = (attributes() | lists())[case.attribute]
    if case.attribute in lists():
        return "min" in given and case.value == 0 and case.write != "draft"
    if case.value == ABSENT:
        is_new = case.write == "update" and case.place in ("component", "zone", "nested")
        return is_new and given.get("required", False) and "default" not in given
    if given["type"] != "biginteger" or case.value is None:
        return False
    return not int(given.get("min", 0)) <= int(case.value) <= int(given.get("max", 10))


async def test_the_v4_profile_matches_the_reference(anyio_backend: str, tmp_path: Path) -> None:
    found = await outcomes(tmp_path)
    assert found.keys() == RECORDED.keys()
    assert {key: (RECORDED[key], one) for key, one in found.items() if one != RECORDED[key]} == {}


async def test_safe_also_refuses_values_that_would_change(anyio_backend: str, tmp_path: Path) -> None:
    found = await outcomes(tmp_path, **SAFE)
    statuses = {case.key: 400 if is_refused_by_safe(case) else RECORDED[case.key][0] for case in cases()}
    assert {key: one for key, one in found.items() if one[0] != statuses[key]} == {}
    placed = [one for one in found.values() if one[0] == 400]
    assert all(isinstance(one[1], list) for one in placed), "every refusal has a path"
