"""`octavo db convert`: the column of an attribute gets the type that its definition has now."""

import asyncio
from pathlib import Path
from typing import Any

import click

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json, say_table
from octavo.cli.migrations import connected
from octavo.core.plurals import counted
from octavo.database.connection import IntegrityViolation
from octavo.database.conversions import ConversionReport, ConversionStep, convert_column, preview_conversion
from octavo.modeling.refactoring.convert import find_conversion
from octavo.operations.runtime.definitions import project_registry
from octavo.settings import Settings


@click.command(cls=Command, epilog="Example: octavo db convert talks level --dry-run")
@click.argument("type_name", metavar="TYPE")
@click.argument("attribute")
@click.option("--dry-run", is_flag=True, help="Show how many values convert and which do not; change nothing.")
@click.option("--null-failures", is_flag=True, help="Set values that do not convert to null.")
@project_option
@json_option
def convert(type_name: str, attribute: str, dry_run: bool, null_failures: bool, project: Path, as_json: bool) -> None:
    """Convert an attribute's column to the defined type.

    Converts value by value in one transaction.

    TYPE is a UID, or a name in the singular or plural.
    """
    step, report = asyncio.run(_convert(read_settings(project), type_name, attribute, dry_run, null_failures))
    is_done = not dry_run and (null_failures or not report.failed)
    if as_json:
        say_json(_as_json(step, report, is_done))
    elif step is None:
        say("The column has the type of its attribute.")
    else:
        say("{}", step.change)
        say("{}: {}", "Converted" if is_done else "Will convert", report.converted)
        say("{}: {}", "Emptied" if is_done else "Will not convert", report.failed)
        if report.samples:
            say_table(("id", "value"), report.samples)
    if report.failed and not dry_run and not is_done:
        failed = counted(report.failed, "value")
        refuse(f"{failed} will not convert; nothing was done. --null-failures empties what does not")


def _as_json(step: ConversionStep | None, report: ConversionReport, is_done: bool) -> dict[str, Any]:
    return {
        "change": None if step is None else str(step.change),
        "converted": report.converted,
        "failed": report.failed,
        "samples": [{"id": row_id, "value": value} for row_id, value in report.samples],
        "done": is_done and step is not None,
    }


async def _convert(
    settings: Settings, type_name: str, attribute: str, dry_run: bool, null_failures: bool
) -> tuple[ConversionStep | None, ConversionReport]:
    registry = project_registry(settings)
    async with connected(settings) as database:
        step = await find_conversion(database, registry, type_name, attribute)
        if step is None:
            return None, ConversionReport()
        if dry_run:
            return step, await preview_conversion(database, step)
        try:
            return step, await convert_column(database, step, null_failures=null_failures)
        except IntegrityViolation as error:
            refuse(f"Nothing was done: the converted values break a rule of the database, {error.__cause__ or error}")
