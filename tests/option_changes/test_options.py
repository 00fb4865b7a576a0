"""Each option of a type and of an attribute, each direction, both databases: what becomes of entries that are there.

`reference.json` is what Strapi 4.26.2 answered to the same requests. `kept.json` is what Octavo answers instead: it
keeps what the reference deletes with a draft, a locale, a column or a table, so it is there when the option comes back;
a relation keeps the order of its links; and an attribute with another component does not show components of others.
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
    """What is served of each case: with the files of before, of after, and of before again."""
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


def test_what_is_kept_is_only_what_the_reference_loses() -> None:
    """Before a change both answer alike; drafts and other locales are served after it by neither."""
    for name, reported in KEPT.items():
        assert set(reported) <= ({"after", "again"} if name in ("many-to-one", "other-component") else {"again"})
