"""`octavo db copy`: copy a project's database to another one, between SQLite, PostgreSQL and MySQL."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from octavo.cli.base import Command, project_option, read_settings, refuse, say, warn
from octavo.cli.terminal import progress_bar
from octavo.cli.webhooks import active_webhooks, print_active_webhooks
from octavo.core.plurals import counted
from octavo.database import SQLITE_PREFIX, open_database
from octavo.database.connection import Database, DatabaseMisconfigured
from octavo.database.vacuum import vacuum
from octavo.events.outbox import Outbox
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import open_purges
from octavo.operations.runtime.options import own_tables
from octavo.operations.runtime.prepare_database import reach_database
from octavo.operations.transfer.database_copy import CopyOptions, CopyReport, Progress, copy_database
from octavo.operations.transfer.mysql.address import MYSQL_PREFIXES, read_address, read_zone
from octavo.settings import Settings
from octavo.settings.database_url import read_database_url

if TYPE_CHECKING:
    from octavo.operations.transfer.mysql.source import MysqlSource

_NO_DRIVER: Final = "MySQL requires the asyncmy package: pip install 'octavo[mysql]'"


@click.command(
    "copy", cls=Command, epilog="Example: octavo db copy sqlite:///.tmp/data.db postgresql://me@localhost/site"
)
@click.argument("source")
@click.argument("target")
@click.option("--force", is_flag=True, help="Replace the target's data.")
@click.option("--round-decimals", is_flag=True, help="Round decimals to the digits that the target supports.")
@click.option("--skip-invalid", is_flag=True, help="Leave invalid values empty, and list them.")
@click.option("--schema", help="PostgreSQL schema; defaults to the connection's.")
@click.option(
    "--time-zone",
    metavar="ZONE",
    help="MySQL: time zone of the Node.js process that wrote the source, such as Europe/Berlin. Defaults to UTC.",
)
@project_option
def copy(
    source: str,
    target: str,
    force: bool,
    round_decimals: bool,
    skip_invalid: bool,
    schema: str | None,
    time_zone: str | None,
    project: Path,
) -> None:
    """Copy all data of the project from one database to another.

    SOURCE and TARGET are URLs as in DATABASE_URL: sqlite:///relative.db (to the project), sqlite:////absolute.db,
    postgresql://user@host/name, mysql://user@host/name. Ids stay the same. The copy is one transaction: if it fails,
    the target is unchanged.
    """
    settings = read_settings(project)
    source, target = _located(source, project), _located(target, project)
    if source == target:
        refuse("source and target are the same database")
    if source.startswith(SQLITE_PREFIX) and not Path(source.removeprefix(SQLITE_PREFIX)).is_file():
        refuse(
            f"the file {source.removeprefix(SQLITE_PREFIX)} does not exist; relative paths start in the "
            f"project's folder"
        )
    options = CopyOptions(replace=force, rounded=round_decimals, skip_invalid=skip_invalid)
    with progress_bar("Copying") as progress:
        databases = _open_source(source, schema, time_zone), _open_target(target, schema)
        report, warnings, webhooks = asyncio.run(_copy(settings, *databases, options, progress))
    _print_report(report)
    if time_zone is None and source.startswith(MYSQL_PREFIXES):
        warnings += _zone_warnings(databases[0])
    for warning in warnings:
        warn(warning)
    print_active_webhooks(webhooks)


def _located(url: str, project: Path) -> str:
    """Return the URL with an absolute path for SQLite.

    It is read like DATABASE_URL: relative to the project, with `%20` for a space.
    """
    if not url.startswith(SQLITE_PREFIX):
        return url
    try:
        path = Path(project, read_database_url(url)["filename"]).resolve()
    except ValueError as error:
        refuse(f"{url}: expected {error}")
    return f"{SQLITE_PREFIX}{path}"


def _open_source(url: str, schema: str | None, time_zone: str | None) -> "Database | MysqlSource":
    if url.startswith(MYSQL_PREFIXES):
        return _open_mysql(url, time_zone or "UTC")
    if time_zone is not None:
        refuse("--time-zone is only for MySQL sources: other databases store instants in UTC")
    return _open(url, schema)


def _open_mysql(url: str, time_zone: str) -> "MysqlSource":
    try:
        from octavo.operations.transfer.mysql.source import MysqlSource

        return MysqlSource(read_address(url), read_zone(time_zone))
    except ImportError:
        refuse(_NO_DRIVER)
    except ValueError as error:
        refuse(str(error))


def _zone_warnings(source: "Database | MysqlSource") -> list[str]:
    """Warn if v4 may have written instants in another time zone than UTC."""
    minutes = getattr(source, "offset", 0)
    if not minutes:
        return []
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return [
        f"Dates with times were read as UTC, but the server's time zone is {offset}. If v4 ran in this zone, they are "
        "wrong by this offset: copy again with --force and --time-zone"
    ]


def _open_target(url: str, schema: str | None) -> Database:
    if not url.startswith(MYSQL_PREFIXES):
        return _open(url, schema)
    try:
        return open_database(url, parameters=read_address(url).parameters())
    except DatabaseMisconfigured:
        refuse(_NO_DRIVER)
    except ValueError as error:
        refuse(str(error))


def _open(url: str, schema: str | None) -> Database:
    try:
        return open_database(url, schema=schema)
    except ValueError as error:
        refuse(str(error))


async def _copy(
    settings: Settings, source: "Database | MysqlSource", target: Database, options: CopyOptions, progress: Progress
) -> tuple[CopyReport, list[str], list[str]]:
    registry = project_registry(settings)
    await reach_database(source)
    try:
        await reach_database(target)
        try:
            purges = open_purges(settings, target, Outbox(target))
            report = await copy_database(source, target, registry, own_tables(settings), options, progress, purges)
            return report, await vacuum(target, report.rows), await active_webhooks(target)
        finally:
            await target.close()
    finally:
        await source.close()


def _print_report(report: CopyReport) -> None:
    filled = sum(1 for count in report.rows.values() if count)
    rows, tables = counted(sum(report.rows.values()), "row"), counted(filled, "table")
    say("Copied [bold]{}[/] of {}.", rows, tables)
    for table, count in sorted(report.left_out.items()):
        say("[yellow]Skipped[/] {} of {}: they belong to rows that do not exist.", counted(count, "row"), table)
    for problem in report.invalid.summary():
        say("[yellow]Left empty[/] {}", problem)
    for name in report.unknown:
        say("[yellow]Skipped[/] {}: no definition uses it.", name)
