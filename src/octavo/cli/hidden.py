"""`octavo db hidden`: entries that are stored but not served, because their type lost drafts or locales."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
import orjson

from octavo.cli.base import (
    Command,
    json_option,
    project_option,
    read_settings,
    refuse,
    say,
    say_json,
    say_table,
    with_database,
)
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.modeling.refactoring.rename import RenameRefused, find_definition
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.transfer.hidden_entries import HiddenEntriesService
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_DONE: Final = {"publish": "Published", "delete": "Deleted", "export": "Exported"}


@click.command(cls=Command, epilog="Example: octavo db hidden article --export drafts.jsonl")
@click.argument("type_name", metavar="[TYPE]", required=False)
@click.option("--id", "ids", type=int, multiple=True, help="Only this entry; can be given several times.")
@click.option("--publish", "action", flag_value="publish", help="Serve the entries.")
@click.option("--delete", "action", flag_value="delete", help="Delete the entries.")
@click.option(
    "--export", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write the entries to a new file."
)
@project_option
@json_option
def hidden(
    type_name: str | None, ids: tuple[int, ...], action: str | None, file: Path | None, project: Path, as_json: bool
) -> None:
    """Show, publish, delete or export hidden entries.

    A content type that loses drafts keeps its drafts, and one that loses locales the entries of other locales. They
    are stored and not served until you decide, or until the option comes back.

    TYPE is a UID, or a name in the singular or plural. The file has a JSON object a line.
    """
    action = "export" if file is not None and action is None else action
    if action is not None and type_name is None:
        raise click.UsageError("Missing content type")
    if file is not None and (action != "export" or file.exists()):
        refuse(f"{file} exists" if file.exists() else "--export cannot be combined with another action")
    settings = read_settings(project)
    registry = project_registry(settings)
    content_types = _content_types(registry, type_name)

    async def work(database: Database) -> list[dict[str, Any]]:
        service = HiddenEntriesService(database, registry)
        if action is not None:
            return [{"type": content_types[0].uid, "done": await _do(service, content_types[0], action, ids, file)}]
        return [
            {"type": content_type.uid, "id": entry.id, "reasons": entry.reasons}
            for content_type in content_types
            for entry in await service.find(content_type, ids=ids)
        ]

    entries = with_database(settings, work, hooked=action in ("publish", "delete"))
    if as_json:
        say_json(entries)
    elif action is None:
        rows = [(each["type"], each["id"], ", ".join(each["reasons"])) for each in entries]
        say_table(("type", "id", "reason"), rows, "No entries are hidden.")
    else:
        say("{} {}.", _DONE[action], counted(entries[0]["done"], "entry", "entries"))


def _content_types(registry: Registry, name: str | None) -> Sequence[ContentType]:
    if name is None:
        return list(registry.content_types.values())
    try:
        content_type = find_definition(registry, name)
    except RenameRefused as error:
        refuse(str(error))
    if not isinstance(content_type, ContentType):
        refuse(f"{content_type.uid} is a component; name the content type that uses it")
    return [content_type]


async def _do(
    service: HiddenEntriesService, content_type: ContentType, action: str, ids: Sequence[int], file: Path | None
) -> int:
    match action:
        case "publish":
            return await service.publish(content_type, ids)
        case "delete":
            return await service.delete(content_type, ids)
        case _:
            assert file is not None, "--export is only available with this action"
            count = 0
            with file.open("xb") as lines:
                async for line in service.export(content_type, ids):
                    lines.write(orjson.dumps(line) + b"\n")
                    count += "data" in line
            return count
