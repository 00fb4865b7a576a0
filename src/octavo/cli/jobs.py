"""`octavo jobs`: scheduled tasks, queued work, and failed work."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from octavo.cli.base import (
    Group,
    json_option,
    project_option,
    read_settings,
    refuse,
    say,
    say_json,
    say_table,
    with_database,
)
from octavo.core.clock import format_timestamp
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events.dead_letters import DeadLetters
from octavo.events.jobs.registry import TOPIC
from octavo.events.jobs.scheduler import known_tasks
from octavo.events.outbox import Outbox, describe_message, list_waiting
from octavo.operations.runtime.options import own_tables
from octavo.project.naming import did_you_mean

ResultT = TypeVar("ResultT")

_MOST_ERROR = 100


@click.group(cls=Group)
def jobs() -> None:
    """Show and run background jobs, and retry failed ones."""


def _run(project: Path, work: Callable[[Database], Awaitable[ResultT]]) -> ResultT:
    settings = read_settings(project)
    return with_database(settings, work, own_tables(settings))


@jobs.command(name="list", epilog="Example: octavo jobs list --failed --kind webhook")
@click.option("--failed", is_flag=True, help="List failed work instead, which is not tried again.")
@click.option("--kind", default="", help="With --failed: jobs, hooks, webhook or publication; defaults to all.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Maximum number.")
@project_option
@json_option
def list_all(failed: bool, kind: str, limit: int, project: Path, as_json: bool) -> None:
    """List scheduled tasks and queued work, or failed work.

    Work includes jobs, hooks, webhooks, scheduled publications and cache purges. Use --json to include the contents of
    failed work.
    """
    if failed:
        _list_failed(kind, limit, project, as_json)
        return
    if kind:
        refuse("--kind requires --failed")

    async def work(database: Database) -> Any:
        return await known_tasks(database), await list_waiting(database, most=limit)

    tasks, waiting = _run(project, work)
    if as_json:
        say_json({"tasks": [asdict(one) for one in tasks], "waiting": [asdict(one) for one in waiting]})
        return
    say_table(
        ("task", "rule", "zone", "last"),
        ((t.name, t.rule, t.zone, format_timestamp(t.last_at)) for t in tasks),
        "No scheduled tasks. A service registers its project's tasks when it starts.",
    )
    click.echo()
    say_table(
        ("id", "kind", "what", "due", "attempts", "last error"),
        (
            (
                w.id,
                w.topic,
                describe_message(w.payload),
                format_timestamp(w.due_at),
                w.attempts,
                (w.error or "")[:_MOST_ERROR],
            )
            for w in waiting
        ),
        "Nothing waits.",
    )


def _list_failed(kind: str, limit: int, project: Path, as_json: bool) -> None:
    messages = _run(project, lambda database: DeadLetters(database, Outbox(database)).list(kind, limit))
    if as_json:
        say_json([asdict(one) for one in messages])
        return
    say_table(
        ("id", "kind", "what", "failed", "attempts", "error"),
        (
            (d.id, d.topic, describe_message(d.payload), format_timestamp(d.died_at), d.attempts, d.error[:_MOST_ERROR])
            for d in messages
        ),
        "No failed jobs.",
    )


@jobs.command(epilog="Example: octavo jobs run api.talk.services.talk:remind --arguments '[5]'")
@click.argument("name")
@click.option("--arguments", default="[]", help="A list, or an object of names and values, as JSON.")
@project_option
def run(name: str, arguments: str, project: Path) -> None:
    """Run a scheduled task or a function now, in the service.

    NAME is a scheduled task or a function of the project: MODULE:FUNCTION, below src.
    """
    try:
        given = json.loads(arguments)
    except ValueError:
        given = None
    if not isinstance(given, list | dict):
        refuse(f"--arguments must be a JSON list or object, not {arguments!r}")
    args, kwargs = (given, {}) if isinstance(given, list) else ([], given)

    async def work(database: Database) -> int:
        known = {task.name for task in await known_tasks(database)}
        if ":" not in name and name not in known:
            refuse(f"unknown task {name!r}{did_you_mean(name, known)}")
        payload = {"name": name, "args": args, "kwargs": kwargs, "attempts": 1}
        async with unit_of_work(database) as unit:
            return await Outbox(database).add(unit, TOPIC, payload)

    say("Queued job {} for the service: [bold]{}[/].", _run(project, work), name)


@jobs.command(epilog="Example: octavo jobs retry 17")
@click.argument("ids", type=int, nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Everything of one --kind, or of all kinds.")
@click.option("--kind", default="", help="jobs, hooks, webhook or publication.")
@project_option
def retry(ids: tuple[int, ...], everything: bool, kind: str, project: Path) -> None:
    """Queue failed jobs and messages again. The number of attempts starts at zero."""
    if bool(ids) is everything:
        refuse("pass the IDs to retry, or --all")

    async def work(database: Database) -> int:
        letters = DeadLetters(database, Outbox(database))
        wanted = [one.id for one in await letters.list(kind, 10_000)] if everything else ids
        again = [await letters.send_again(one) for one in sorted(wanted)]
        missing = [str(one) for one, new in zip(sorted(wanted), again, strict=True) if new is None]
        if missing and not everything:
            refuse(f"no failed job has the ID {', '.join(missing)}")
        return len(again) - len(missing)

    say("Retrying {}.", counted(_run(project, work), "message"))
