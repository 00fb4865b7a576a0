"""`make drill`: play an operator's day and print what was expected and measured. Exit code 1 after a surprise."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import SubprocessError

import click
import httpx
from rich.console import Console

from benchmarks.drill import database_steps, deployment_steps, process_steps
from benchmarks.drill.site import NotRun, Site, open_site
from benchmarks.drill.steps import Outcome, Step
from tests.cluster import programs
from tests.cluster.load import problems

WARM_UP_SECONDS = 3.0
STEPS: tuple[Step, ...] = (*process_steps.STEPS, *database_steps.STEPS, *deployment_steps.STEPS)


@click.command()
@click.option("--rate", type=click.FloatRange(1), default=100, show_default=True, help="Requests a second.")
@click.option("--only", multiple=True, metavar="TEXT", help="Run steps whose name contains this; may be repeated.")
@click.option("--previous", metavar="COMMAND", help="The octavo command of an earlier version, for the upgrade.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="Folder for the logs of the nodes.")
def main(rate: float, only: tuple[str, ...], previous: str | None, keep: Path | None) -> None:
    """Play an operator's day on two nodes behind nginx and PostgreSQL."""
    nginx = programs.found("nginx")
    if nginx is None:
        raise click.ClickException(programs.how_to_install(["nginx"]))
    steps = [step for step in STEPS if not only or any(text.lower() in step.name.lower() for text in only)]
    if not steps:
        raise click.UsageError(f"No step contains {' or '.join(only)}. Steps: {', '.join(step.name for step in STEPS)}")
    with tempfile.TemporaryDirectory(prefix="octavo-drill-") as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with open_site(nginx, folder, rate, previous) as site:
            surprises = asyncio.run(run_steps(site, steps, Console(highlight=False, width=140, soft_wrap=True)))
    raise SystemExit(1 if surprises else 0)


async def run_steps(site: Site, steps: Sequence[Step], console: Console) -> int:
    """Run the steps one after the other under load; return the number of surprises."""
    site.load.start()
    await asyncio.sleep(WARM_UP_SECONDS)
    surprises = 0
    for step in steps:
        surprises += await _run_step(site, step, console)
    await site.load.stop()
    lost = await asyncio.to_thread(problems, site.load.results, site.sql)
    written = len(site.load.results.created)
    _print(
        console,
        "Content after all steps",
        "nothing acknowledged is lost, twice or half written",
        Outcome([f"{written} entries created"], lost),
    )
    return surprises + len(lost)


async def _run_step(site: Site, step: Step, console: Console) -> int:
    outcome = Outcome()
    began = time.monotonic()
    try:
        await step.action(site, outcome)
    except NotRun as reason:
        console.print(f"[yellow]not run[/]   {step.name}: {reason}")
        return 0
    except (OSError, RuntimeError, AssertionError, SubprocessError, httpx.HTTPError) as error:
        outcome.surprises.append(f"{type(error).__name__}: {error}")
    outcome.measured.append(f"{time.monotonic() - began:.0f} s")
    _print(console, step.name, step.expected, outcome)
    return len(outcome.surprises)


def _print(console: Console, name: str, expected: str, outcome: Outcome) -> None:
    verdict = "[bold red]surprise[/]" if outcome.surprises else "[green]as expected[/]"
    console.print(f"{verdict}  [bold]{name}[/]")
    console.print(f"    expected  {expected}", markup=False)
    console.print(f"    measured  {'; '.join(outcome.measured)}", markup=False)
    for surprise in outcome.surprises[:10]:
        console.print(f"    surprise  {surprise}", markup=False, style="red")


if __name__ == "__main__":
    main()
