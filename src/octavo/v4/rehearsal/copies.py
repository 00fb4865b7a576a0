"""A copy of a project and its database, to which both services can write."""

import json
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from time import time
from typing import Any, Final

from octavo.access.authentication.credentials import hash_api_token
from octavo.content import schedules
from octavo.content.media import storage_cleanup
from octavo.core.errors import ApplicationError
from octavo.core.values import dataclass
from octavo.database.synchronize import found_tables
from octavo.events import outbox
from octavo.operations.backups import postgresql, sqlite
from octavo.operations.backups.postgresql_tools import environment
from octavo.operations.runtime.open_resources import open_project_database
from octavo.query.sql.raw_statement import RawStatement
from octavo.settings import Settings, load_settings
from octavo.v4.rehearsal.tsconfig import compiled_folder

_NOT_COPIED: Final = frozenset({"node_modules", ".git", ".cache", ".tmp", ".octavo"})
_DATABASE_VARIABLES: Final = ("DATABASE_", "OCTAVO_DATABASE__", "PGHOST", "PGDATABASE")
_CONFIG_SUFFIXES: Final = (".js", ".cjs", ".mjs", ".ts", ".json", ".toml")
_REQUIRED_TABLES: Final = frozenset({"strapi_api_tokens", "strapi_webhooks"})
_PENDING: Final = (outbox.TABLE, schedules.TABLE, storage_cleanup.TABLE)
"""Tables of work that the original's Octavo does: messages, scheduled publishing, and files to delete."""
_ENABLED: Final = RawStatement("UPDATE strapi_webhooks SET enabled = {no}")
_TOKEN: Final = RawStatement(
    "INSERT INTO strapi_api_tokens (name, description, type, access_key, created_at, updated_at) "
    "VALUES ({name}, {description}, {kind}, {hash}, {now:instant}, {now:instant})"
)


@dataclass(frozen=True, slots=True)
class ProjectCopy:
    """A copy of a project. `settings` and `variables` are those of the copy, `token` is a full-access API token."""

    folder: Path
    settings: Settings
    variables: Mapping[str, str]
    v4_port: int
    octavo_port: int
    token: str

    def rows(self) -> dict[str, int]:
        """Return the number of rows of v4's tables."""
        if self.settings.database.client == "sqlite":
            counted = sqlite.read(Path(self.settings.database_file))
        else:
            counted = postgresql.count_rows(self.settings)
        return {name: count for name, count in counted.items() if not name.startswith("octavo_")}


@contextmanager
def copied_project(project: Path, variables: Mapping[str, str]) -> Iterator[ProjectCopy]:
    """Copy a project and its database; delete both at the end. The original is only read. Raises ApplicationError."""
    settings = load_settings(project, variables)
    with tempfile.TemporaryDirectory(prefix="octavo-rehearsal-") as name:
        folder = Path(name, "project")
        _copy_files(project, folder, settings)
        with _copied_database(settings, Path(name)) as connection:
            _write_database_config(project, folder, connection)
            copied = {name: value for name, value in variables.items() if not name.startswith(_DATABASE_VARIABLES)}
            copied |= {
                "HOST": "127.0.0.1",
                "PORT": str(_free_port()),
                "NODE_PATH": os.pathsep.join(str(parent / "node_modules") for parent in (project, *project.parents)),
                "STRAPI_TELEMETRY_DISABLED": "true",
                "BROWSER": "none",
            }
            loaded = load_settings(folder, copied)
            _check(loaded, connection, folder)
            yield ProjectCopy(folder, loaded, copied, _v4_port(loaded), _free_port(), token_hex(64))


def _copy_files(project: Path, folder: Path, settings: Settings) -> None:
    """Copy the project without its packages, uploads and SQLite files."""
    uploads = project / settings.server.public_folder / "uploads"
    database = Path(settings.database_file) if settings.database.client == "sqlite" else None

    def ignored(parent: str, names: list[str]) -> set[str]:
        found = {name for name in names if name in _NOT_COPIED or Path(parent, name) == uploads}
        if database is not None and Path(parent) == database.parent:
            found |= {name for name in names if name.startswith(database.name)}
        return found

    shutil.copytree(project, folder, ignore=ignored, ignore_dangling_symlinks=True)
    (folder / settings.server.public_folder / "uploads").mkdir(parents=True, exist_ok=True)
    if (project / "node_modules").is_dir():
        (folder / "node_modules").symlink_to((project / "node_modules").resolve())


@contextmanager
def _copied_database(settings: Settings, folder: Path) -> Iterator[dict[str, Any]]:
    """Copy the database. Yield v4's connection options for the copy."""
    if settings.database.client == "sqlite":
        file = folder / "rehearsal.db"
        sqlite.make(Path(settings.database_file), file, lambda *_: None)
        yield {"connection": {"client": "sqlite", "connection": {"filename": str(file)}, "useNullAsDefault": True}}
        return
    if settings.database.client != "postgres":
        raise ApplicationError(
            "`--rehearse` does not support MySQL and MariaDB. To rehearse the switch, copy the data to PostgreSQL or "
            "SQLite with `octavo db copy`, and set the copy in `config/database`"
        )
    with postgresql.copied(settings, folder / "rehearsal.dump", f"octavo_rehearsal_{token_hex(4)}") as name:
        server = environment(settings, name)
        mode = server.get("PGSSLMODE", "")
        encrypted = {"rejectUnauthorized": mode.startswith("verify")} if mode in _ENCRYPTED else False
        options = {
            "host": server["PGHOST"].partition(",")[0],
            "port": int(server["PGPORT"].partition(",")[0]),
            "database": name,
            "user": server.get("PGUSER", ""),
            "password": server.get("PGPASSWORD", ""),
            "schema": settings.database.schema,
            "ssl": encrypted,
        }
        yield {"connection": {"client": "postgres", "connection": options}}


_ENCRYPTED: Final = ("require", "verify-ca", "verify-full")


def _config_folders(project: Path, folder: Path) -> list[Path]:
    """Return the copy's folders of settings, those of the project first, then compiled ones. Raises ApplicationError if
    v4 would read the original's."""
    project = project.resolve()
    compiled = compiled_folder(project) or project / "dist"
    inside = compiled.relative_to(project) if compiled.is_relative_to(project) else None
    if inside is None or "node_modules" in inside.parts:
        raise ApplicationError(
            f"outDir of tsconfig.json is {compiled}, which is not copied, so v4 would use the original database; "
            "set an outDir in the project, for example dist"
        )
    return [folder / "config", *{folder / "dist/config", folder / inside / "config"} - {folder / "config"}]


def _write_database_config(project: Path, folder: Path, connection: Mapping[str, Any]) -> None:
    """Replace the database's settings in the copy, also compiled ones and those of environments."""
    configs = _config_folders(project, folder)
    typed = any(configs[0].glob("database.ts"))
    for config in configs:
        for file in [*config.glob("database.*"), *config.glob("env/*/database.*")]:
            if file.suffix in _CONFIG_SUFFIXES:
                file.unlink()
    _refuse_others(folder)
    for config in configs:
        if config.is_dir():
            ends_typed = typed and config == configs[0]
            start = "export default" if ends_typed else "module.exports ="
            target = config / ("database.ts" if ends_typed else "database.js")
            target.touch(mode=0o600)
            target.write_text(f"{start} {json.dumps(connection, indent=2)};\n", encoding="utf-8")


def _refuse_others(folder: Path) -> None:
    """Raise ApplicationError if v4 could read other settings of the database, which point to the original."""
    others = [
        file.relative_to(folder).as_posix()
        for parent, _, files in os.walk(folder)
        if "config" in Path(parent).relative_to(folder).parts
        for file in (Path(parent, name) for name in files)
        if file.stem == "database" and file.suffix in _CONFIG_SUFFIXES
    ]
    if others:
        raise ApplicationError(
            f"v4 could read the original database's settings from {', '.join(sorted(others))}; delete or rename these "
            "files, or set outDir in tsconfig.json to the folder of the compiled project"
        )


def _check(settings: Settings, connection: Mapping[str, Any], folder: Path) -> None:
    """Raise ApplicationError if a setting of the copy still points to the original."""
    options = connection["connection"]["connection"]
    if settings.database.client == "sqlite":
        is_copy = options.get("filename") == str(settings.database_file)
    else:
        is_copy = environment(settings)["PGDATABASE"] == options.get("database")
    if not is_copy:
        raise ApplicationError("the copy would use the original database; remove OCTAVO_DATABASE__... from .env")
    public = (folder / settings.server.public_folder).resolve()
    if not public.is_relative_to(folder.resolve()):
        raise ApplicationError(f"the public folder {public} is outside the project, so a rehearsal would write to it")


def _v4_port(settings: Settings) -> int:
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", settings.server.port))
        except OSError as error:
            problem = f"config/server sets port {settings.server.port}, which is in use; let it read env.int('PORT')"
            raise ApplicationError(problem) from error
    return settings.server.port


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def prepare_copy(copy: ProjectCopy) -> None:
    """Disable the copy's webhooks, delete pending work, and create the API token. Raises ApplicationError."""
    if not copy.rows().keys() >= _REQUIRED_TABLES:
        raise ApplicationError("the database has no tables of v4; start v4 once, then rehearse")
    salt = copy.settings.secrets.api_token_salt or ""
    database = open_project_database(copy.settings)
    await database.connect()
    try:
        values = {
            "name": f"rehearsal-{token_hex(4)}",
            "description": "",
            "kind": "full-access",
            "hash": hash_api_token(copy.token, salt),
            "now": int(time() * 1000),
        }
        for statement in (_ENABLED.bind(database.dialect, no=False), _TOKEN.bind(database.dialect, **values)):
            await database.execute(statement.text, statement.values)
        tables = await found_tables(database, database.dialect)
        for name in (table.name for table in _PENDING if table.name in tables):
            await database.execute(f"DELETE FROM {name}")  # noqa: S608
    finally:
        await database.close()
