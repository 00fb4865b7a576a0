"""New rules of attributes that existing rows violate: `required`, `unique`, fewer values of an enumeration."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.core.threads import in_thread
from tests.option_changes.cases import Raw, raw_type
from tests.option_changes.project import Project

pytestmark = pytest.mark.anyio

BEFORE: Raw = {
    "code": {"type": "string"},
    "kind": {"type": "enumeration", "enum": ["a", "b", "c"]},
    "note": {"type": "text"},
}
AFTER: Raw = {
    "code": {"type": "string", "unique": True},
    "kind": {"type": "enumeration", "enum": ["a", "d"]},
    "note": {"type": "text", "required": True},
}
ROWS = (
    {"title": "1", "code": "x", "kind": "a", "note": "n"},
    {"title": "2", "code": "x", "kind": "b"},
    {"title": "3", "code": "y", "kind": "c"},
    {"title": "4", "kind": "c"},
    {"title": "5", "code": "x", "kind": "b"},
)
CONFLICTS = [
    "api::rule.rule.code is unique now, and 3 rows (ids 1, 2, 5) have a value that another row has",
    "api::rule.rule.kind has fewer values now, and 4 rows (ids 2, 3, 4, ...) have another value",
    "api::rule.rule.note is required now, and 4 rows (ids 2, 3, 4, ...) have no value",
]


async def diff(project: Project, *arguments: str) -> tuple[int, Any]:
    def call() -> Any:
        command = ["db", "diff", "--json", *arguments, "--project", str(project.folder)]
        return CliRunner().invoke(main, command, env=dict(project.variables))

    result = await in_thread(call)
    return result.exit_code, json.loads(result.stdout)


async def fill(project: Project, raw: Raw, rows: tuple[Raw, ...] = ROWS) -> None:
    project.write_types(raw)
    async with project.serve() as served:
        await served.send(raw, rows, [])


async def reported_conflicts(project: Project, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the conflicts that a start reports."""
    caplog.clear()
    async with project.serve():
        pass
    return sorted(line for line in caplog.messages if " now, and " in line)


async def test_conflicts_are_shown_and_nothing_changes(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    await fill(project, raw_type("rule", BEFORE))
    assert (await diff(project, "--check"))[0] == 0
    project.write_types(raw_type("rule", AFTER))
    for _ in range(2):
        code, found = await diff(project, "--check")
        assert (code, sorted(found["conflicts"])) == (1, CONFLICTS)
    assert await reported_conflicts(project, caplog) == CONFLICTS
    assert await reported_conflicts(project, caplog) == []
    async with project.serve() as served:
        assert await served.database.fetch_value("SELECT count(*) FROM rules WHERE note IS NULL AND kind = 'c'") == 2


async def test_drafts_need_no_required_values(project: Project) -> None:
    rows = ({"title": "draft", "publishedAt": None}, {"title": "published"})
    await fill(project, raw_type("rule", {"note": {"type": "text"}}, drafts=True), rows)
    project.write_types(raw_type("rule", {"note": {"type": "text", "required": True}}, drafts=True))
    expected = ["api::rule.rule.note is required now, and 1 row (id 2) has no value"]
    assert (await diff(project))[1]["conflicts"] == expected


async def test_a_new_required_attribute_is_missing_in_all_rows(project: Project) -> None:
    await fill(project, raw_type("rule"), ({"title": "one"},))
    project.write_types(raw_type("rule", {"new": {"type": "string", "required": True, "unique": True}}))
    expected = ["api::rule.rule.new is required now, and 1 row (id 1) has no value"]
    assert (await diff(project))[1]["conflicts"] == expected


async def test_weaker_rules_have_no_conflicts(project: Project) -> None:
    await fill(project, raw_type("rule", AFTER), ({"title": "1", "code": "x", "kind": "a", "note": "n"},))
    project.write_types(raw_type("rule", BEFORE | {"kind": {"type": "enumeration", "enum": ["d", "a", "e"]}}))
    assert (await diff(project, "--check"))[0] == 0


async def test_translations_may_share_a_unique_value(project: Project) -> None:
    rows: tuple[Raw, ...] = (
        {"title": "en", "code": "x"},
        {"title": "de", "locale": "de", "of": 1, "code": "x"},
    )
    shared = {"i18n": {"localized": False}}
    await fill(project, raw_type("rule", {"code": {"type": "string", "pluginOptions": shared}}, localized=True), rows)
    unique = {"code": {"type": "string", "unique": True, "pluginOptions": shared}}
    project.write_types(raw_type("rule", unique, localized=True))
    assert (await diff(project))[1]["conflicts"] == []


async def test_content_without_a_definition_fails_the_check(project: Project) -> None:
    await fill(project, raw_type("rule", BEFORE))
    project.write_types(raw_type("rule", {name: raw for name, raw in BEFORE.items() if name != "note"}))
    code, found = await diff(project, "--check")
    expected = ["rules.note: 1 value will not be served, because the definitions do not have it"]
    assert (code, found["unserved"]) == (1, expected)
    project.write_types(raw_type("rule", {**BEFORE, "added": {"type": "string"}}))
    assert (await diff(project, "--check"))[0] == 0
    assert (await diff(project, "--exit-code"))[0] == 1
