"""`octavo db suggest-indexes`: propose indexes for slow or given requests. `--apply` declares and creates them."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json
from octavo.cli.migrations import connected
from octavo.cli.watching import request_status, url_option
from octavo.core.plurals import counted
from octavo.operations.runtime.definitions import project_registry
from octavo.settings import Settings

if TYPE_CHECKING:
    from octavo.operations.runtime.index_advice import Findings, Proposal


@click.command(
    name="suggest-indexes",
    cls=Command,
    epilog="Example: octavo db suggest-indexes --request '/api/articles?sort=title'",
)
@click.option(
    "--request",
    "requests",
    multiple=True,
    help="URL of a list to examine, such as '/api/articles?sort=title'; can be repeated. Defaults to the slow requests "
    "of the running service, which needs `metrics.token`.",
)
@click.option("--apply", "applies", is_flag=True, help="Write the indexes to the definitions and create them.")
@url_option
@project_option
@json_option
def advise(requests: tuple[str, ...], applies: bool, url: str | None, project: Path, as_json: bool) -> None:
    """Suggest indexes for slow requests.

    Shows what to declare, why, the cost, and whether the database would use it.
    """
    settings = read_settings(project)
    slow = None if requests else request_status(settings, url)["slow"]
    findings, done = asyncio.run(_advise(settings, requests, slow, applies))
    if as_json:
        say_json(_as_json(findings, done))
    else:
        _say(findings, done, applies)


async def _advise(
    settings: Settings, requests: tuple[str, ...], slow: Any, applies: bool
) -> tuple["Findings", list[str]]:
    from octavo.operations.runtime.index_advice import Advisor, NoAdvice  # loads the query planner

    async with connected(settings) as database:
        advisor = Advisor(settings, database, project_registry(settings))
        try:
            cases = [advisor.case_of(one) for one in requests] if slow is None else advisor.cases_of(slow)
            findings = await advisor.advise(cases)
            used = [one for one in findings.proposals if one.trial.used is not False]
            return findings, await advisor.apply(used) if applies and used else []
        except NoAdvice as error:
            refuse(str(error))


def _as_json(findings: "Findings", done: list[str]) -> dict[str, Any]:
    return {
        "proposals": [
            {
                "uid": one.advice.uid,
                "index": one.advice.raw,
                "why": one.advice.why,
                "for": one.cases,
                **asdict(one.trial),
            }
            for one in findings.proposals
        ],
        "without": [{"for": name, "uid": one.uid, "why": one.why} for name, one in findings.without],
        "done": done,
    }


def _say(findings: "Findings", done: list[str], applies: bool) -> None:
    for one in findings.proposals:
        _say_proposal(one)
    for name, reason in findings.without:
        say("[yellow]No index[/] for {}: {} ({})", name, reason.why, reason.uid)
    for line in done:
        say("{}", line)
    if not (findings.proposals or findings.without):
        say("No slow request would benefit from an index.")
    elif findings.proposals and not applies:
        say("To add them to the definitions and create them, repeat the command with --apply.")


def _say_proposal(one: "Proposal") -> None:
    trial = one.trial
    say("[bold]{}[/]: {}", one.advice.uid, json.dumps(one.advice.raw, ensure_ascii=False))
    say("  for    {}", "; ".join(one.cases))
    say("  why    {}", one.advice.why)
    size = f"{trial.bytes / 1024**2:,.1f} MB" if trial.bytes >= 1024**2 else f"{max(trial.bytes // 1024, 1)} kB"
    names = ", ".join(key.attribute for key in one.advice.index.keys)
    template = "  costs  about {} for {}, and a little for each created entry or change of {}"
    say(template, size, counted(trial.rows, "entry", "entries"), names)
    answer = {True: "uses it", False: "would not use it, so --apply skips it", None: trial.reason}[trial.used]
    say("  tried  {}", f"the database {answer}" if trial.used is not None else f"no: {answer}")
