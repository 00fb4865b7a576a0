"""`octavo locales`: the locales of content."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

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
from octavo.content.i18n.locale_management import LocaleManagement, locale_name
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError
from octavo.core.plurals import counted
from octavo.operations.runtime.definitions import project_registry

ResultT = TypeVar("ResultT")


@click.group(cls=Group)
def locales() -> None:
    """Show, add and remove locales.

    A running service sees changes within a second.
    """


def _manage(project: Path, work: Callable[[LocaleManagement], Awaitable[ResultT]]) -> ResultT:
    settings = read_settings(project)
    registry = project_registry(settings)
    return with_database(
        settings, lambda database: work(LocaleManagement(EntryWriter(database, registry))), hooked=True
    )


@locales.command(name="list", epilog="Example: octavo locales list --json")
@project_option
@json_option
def list_all(project: Path, as_json: bool) -> None:
    """List the locales, with the default one marked."""
    found = _manage(project, lambda management: management.all())
    if as_json:
        say_json([{"id": one.id, "code": one.code, "name": one.name, "isDefault": one.is_default} for one in found])
        return
    say_table(("code", "name", ""), ((one.code, one.name, "default" if one.is_default else "") for one in found))


@locales.command(epilog="Example: octavo locales add de --default")
@click.argument("code")
@click.option("--name", help="Name on the admin pages; defaults to the English one, such as German (de).")
@click.option("--default", "as_default", is_flag=True, help="Also make it the default locale.")
@project_option
@json_option
def add(code: str, name: str | None, as_default: bool, project: Path, as_json: bool) -> None:
    """Add a locale, by its code."""
    _manage(project, lambda management: management.add(code, name, default=as_default))
    if as_json:
        say_json({"code": code, "name": locale_name(code) if name is None else name, "isDefault": as_default})
    else:
        say("Added the locale [bold]{}[/].", locale_name(code) if name is None else name)


@locales.command(epilog="Example: octavo locales remove fr --with-entries")
@click.argument("code")
@click.option("--with-entries", is_flag=True, help="Also delete the entries of this locale.")
@project_option
@json_option
def remove(code: str, with_entries: bool, project: Path, as_json: bool) -> None:
    """Remove a locale. If it has entries, --with-entries is required."""
    try:
        removed = _manage(project, lambda management: management.remove(code, with_entries=with_entries))
    except ApplicationError as error:
        refuse(str(error))
    if as_json:
        say_json({"code": code, "entries": removed})
    else:
        say("Removed the locale [bold]{}[/] and {}.", code, counted(removed, "entry", "entries"))


@locales.command(name="set-default", epilog="Example: octavo locales set-default fr")
@click.argument("code")
@project_option
@json_option
def make_default(code: str, project: Path, as_json: bool) -> None:
    """Set the default locale, used by requests that name none."""
    _manage(project, lambda management: management.make_default(code))
    if as_json:
        say_json({"code": code, "isDefault": True})
    else:
        say("[bold]{}[/] is the default locale.", code)
