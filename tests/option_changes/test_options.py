"""Existing entries after a change of each option of a type and of an attribute, in both directions, on each database.

`reference.json` contains the responses of Strapi 4.26.2, and `kept.json` those of Octavo if they differ. Octavo retains
data that v4 deletes with a draft, a locale, a column or a table, so it is there when the option is changed back. A
relation keeps the order of its links. An attribute with a new component does not show components of another type.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.option_changes.cases import CASES, READS, files_of
from tests.option_changes.project import Project

pytestmark = pytest.mark.anyio

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text("utf-8"))
KEPT = json.loads(Path(__file__).with_name("kept.json").read_text("utf-8"))
TIMES = (("before", "before"), ("after", "after"), ("before", "again"))


async def answers(project: Project) -> dict[str, Any]:
    """Return the responses for each case: with the files before, after, and before again."""
    found: dict[str, Any] = {case.name: {} for case in CASES}
    made: dict[str, list[int]] = {case.name: [] for case in CASES}
    for phase, name in TIMES:
        project.write(files_of(phase))
        async with project.serve() as served:
            for case in CASES:
                raw = getattr(case, phase)
                if raw is None:
                    continue
                if name == "before":
                    await served.send(raw, case.rows, made[case.name])
                found[case.name][name] = {read.name: await served.read(raw, read) for read in READS}
                if name == "after":
                    await served.send(raw, case.later, made[case.name])
    return found


async def test_options_change_between_starts(project: Project) -> None:
    found = await answers(project)
    expected = {name: {**reported, **KEPT.get(name, {})} for name, reported in REFERENCE.items()}
    assert found == expected


def test_octavo_differs_only_in_data_that_v4_loses() -> None:
    """Before a change both respond alike. After it, neither serves drafts and other locales."""
    for name, reported in KEPT.items():
        assert set(reported) <= ({"after", "again"} if name in ("many-to-one", "other-component") else {"again"})
