"""The drill finds nothing on a healthy site, and reports unexpected results."""

import asyncio
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.drill.__main__ import STEPS, run_steps
from benchmarks.drill.site import NotRun, Site, open_site
from benchmarks.drill.steps import Outcome, Step

RATE = 20.0


@pytest.fixture
def site(nginx: Path, tmp_path: Path) -> Iterator[Site]:
    """Two nodes behind nginx."""
    with open_site(nginx, tmp_path, RATE, previous=None) as opened:
        yield opened


def drill(site: Site, *steps: Step) -> tuple[int, str]:
    """Run steps. Return the number of unexpected results and the report."""
    report = StringIO()
    surprises = asyncio.run(run_steps(site, steps, Console(file=report, width=200, soft_wrap=True)))
    return surprises, report.getvalue()


def named(name: str) -> Step:
    (step,) = [step for step in STEPS if step.name == name]
    return step


def test_a_reload_and_a_killed_database_have_the_expected_results(site: Site) -> None:
    surprises, report = drill(site, named("Reload with SIGHUP"), named("Database killed"))
    assert surprises == 0, report
    assert "x 200" in report
    assert "x 503" in report


def test_a_lost_entry_is_reported(site: Site) -> None:
    async def lose(site: Site, outcome: Outcome) -> None:
        await site.load.wait_until_answered(60)
        site.sql("DELETE FROM articles WHERE id = (SELECT min(id) FROM articles)")

    surprises, report = drill(site, Step("Lose an entry", "no entry is lost", lose))
    assert surprises >= 1
    assert "drill-0 is lost" in report


def test_failed_and_impossible_steps_are_reported(site: Site) -> None:
    async def fail(site: Site, outcome: Outcome) -> None:
        outcome.expect(False, "the sky is green")
        raise TimeoutError("no end")

    async def skip(site: Site, outcome: Outcome) -> None:
        raise NotRun("no systemd")

    surprises, report = drill(site, Step("Look up", "blue", fail), Step("Look down", "brown", skip))
    assert surprises == 2
    for text in ("the sky is green", "TimeoutError: no end", "not run", "no systemd"):
        assert text in report
