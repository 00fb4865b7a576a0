"""`octavo audit`: the audit log of administrators."""

from pathlib import Path

import click

from octavo.accounts.administrators.audit import COMMAND, TABLE, Entry, read_audit
from octavo.accounts.administrators.audit_list import entry_json, export_audit
from octavo.cli.base import json_option, project_option, read_settings, say_json, say_table, with_database
from octavo.database.connection import Database
from octavo.settings import Settings


@click.command(epilog="Example: octavo audit --by ann@example.org --limit 20")
@click.option("--by", "email", help="Only actions of the administrator with this email address.")
@click.option("--type", "uid", help="Only actions on this content type, such as api::article.article.")
@click.option("--entry", type=click.IntRange(1), help="Only actions on the entry with this ID.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Maximum number.")
@click.option("--export", is_flag=True, help="Print all records as JSON lines, oldest first.")
@click.option(
    "--after", default=0, type=click.IntRange(0), help="With --export: only records after the one with this ID."
)
@project_option
@json_option
def audit(
    email: str | None,
    uid: str | None,
    entry: int | None,
    limit: int,
    export: bool,
    after: int,
    project: Path,
    as_json: bool,
) -> None:
    """Show the audit log of administrators and commands, newest first."""
    if export and (email or uid or entry):
        raise click.UsageError("--export prints all records: use it without --by, --type and --entry")
    if export:
        _export(read_settings(project), after)
        return
    found = with_database(
        read_settings(project),
        lambda database: read_audit(database, email=email.lower() if email else None, uid=uid, entry=entry, most=limit),
        (TABLE,),
    )
    if as_json:
        say_json([entry_json(one) for one in found])
    else:
        columns = ("when", "administrator", "door", "action", "type", "id", "from")
        rows = ((_when(one), one.email, one.door, one.action, one.uid, one.entry, _from(one)) for one in found)
        none = "No matching audit records." if email or uid or entry else "No audit records yet."
        say_table(columns, rows, none)


def _export(settings: Settings, after: int) -> None:
    async def work(database: Database) -> None:
        async for _, line in export_audit(database, after):
            click.echo(line, nl=False)

    with_database(settings, work, (TABLE,))


def _from(entry: Entry) -> str | None:
    """Return the client's address, or the command."""
    return entry.client or (entry.agent if entry.door == COMMAND else None)


def _when(entry: Entry) -> str:
    return "" if entry.at is None else f"{entry.at:%Y-%m-%dT%H:%M:%SZ}"
