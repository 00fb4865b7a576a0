"""`octavo db totals`: how it stands with the totals that are kept, beginning, checking and ending it."""

import asyncio
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json, say_table
from octavo.cli.migrations import connected
from octavo.core.plurals import counted
from octavo.database.maintained_counts import TotalsKeeper, TotalState
from octavo.database.synchronize import synchronize
from octavo.operations.runtime.definitions import project_registry
from octavo.settings import Settings

_TAKEN_AGAIN: Final = (
    'A service on this database keeps them again, unless database.toml says totals = "counted" or Strapi v4 has made '
    "the database."
)


@click.command(cls=Command, epilog="Example: octavo db totals --check")
@click.option("--keep", "action", flag_value="keep", help="Create missing triggers and count missing totals.")
@click.option("--check", "action", flag_value="check", help="Count all tables and correct wrong totals.")
@click.option("--remove", "action", flag_value="remove", help="Remove all triggers and their data.")
@project_option
@json_option
def totals(action: str | None, project: Path, as_json: bool) -> None:
    """Show, check, enable or disable maintained totals.

    Triggers maintain the totals of lists. The database can be in use.
    """
    settings = read_settings(project)
    if action == "keep" and settings.database.totals == "counted":
        refuse('database.toml says totals = "counted", so nobody would look at what is kept')
    states, told = asyncio.run(_work(settings, action))
    if as_json:
        say_json({"totals": [{"table": each.table.name, "kept": each.is_kept} for each in states], "done": told})
        return
    for line in told:
        say("{}", line)
    say_table(("table", "total"), [(each.table.name, "kept" if each.is_kept else "counted") for each in states])


async def _work(settings: Settings, action: str | None) -> tuple[tuple[TotalState, ...], list[str]]:
    async with connected(settings) as database:
        registry = project_registry(settings)
        keeper = TotalsKeeper(database, registry)
        if not await keeper.has_tables():
            if action != "keep":
                return (), ["Nothing is kept here yet: a start, or --keep, makes the tables for it."]
            await synchronize(database, registry)
        told = await _do(keeper, action)
        return await keeper.states(), told


async def _do(keeper: TotalsKeeper, action: str | None) -> list[str]:
    match action:
        case "keep":
            return [f"Counted {table.name}" for table in await keeper.keep()]
        case "check":
            wrong = await keeper.compare()
            await keeper.keep()
            return [f"The total of {table.name} was wrong, and is counted anew" for table in wrong] or [
                "All are right."
            ]
        case "remove":
            return [f"Removed {counted(await keeper.remove(), 'trigger')}.", _TAKEN_AGAIN]
        case _:
            return []
