"""`octavo audit`: the audit log of administrators."""

from dataclasses import asdict
from pathlib import Path

import click

from octavo.accounts.administrators.audit import TABLE, Entry, read_audit
from octavo.cli.base import json_option, project_option, read_settings, say_json, say_table, with_database


@click.command(epilog="Example: octavo audit --by ann@example.org --limit 20")
@click.option("--by", "email", help="Only actions of the administrator with this email address.")
@click.option("--type", "uid", help="Only actions on this content type, such as api::article.article.")
@click.option("--entry", type=click.IntRange(1), help="Only actions on the entry with this id.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Maximum number.")
@project_option
@json_option
def audit(email: str | None, uid: str | None, entry: int | None, limit: int, project: Path, as_json: bool) -> None:
    """Show the audit log of administrators, newest first."""
    found = with_database(
        read_settings(project),
        lambda database: read_audit(database, email=email.lower() if email else None, uid=uid, entry=entry, most=limit),
        (TABLE,),
    )
    if as_json:
        say_json([{**asdict(one), "at": _when(one)} for one in found])
    else:
        columns = ("when", "administrator", "door", "action", "type", "id")
        rows = ((_when(one), one.email, one.door, one.action, one.uid, one.entry) for one in found)
        none = "No matching audit records." if email or uid or entry else "No audit records yet."
        say_table(columns, rows, none)


def _when(entry: Entry) -> str:
    return "" if entry.at is None else f"{entry.at:%Y-%m-%dT%H:%M:%SZ}"
