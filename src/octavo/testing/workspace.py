"""A temporary folder in which a project is tested: links to its code and settings, and separate files, mails and data.

Tests do not affect anything outside: `.env` and environment variables are not read, the database is the test database,
and files and mails stay in the folder, regardless of the project's settings.
"""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from octavo.settings import Settings, load_settings
from octavo.settings.files.database import Database
from octavo.settings.files.plugin_email import EmailConfig
from octavo.settings.files.plugin_upload import UploadConfig

DATABASE: Final = "data.db"
_SHOWN: Final = (
    "src",
    "config",
    "database",
    "types",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
)
_SECRETS: Final = {
    "APP_KEYS": "a-key-of-tests,another-key-of-tests",
    "API_TOKEN_SALT": "a salt of tests, long enough",
    "ADMIN_JWT_SECRET": "a secret of tests for administrators",
    "TRANSFER_TOKEN_SALT": "another salt of tests, long enough",
    "JWT_SECRET": "a secret of tests for users, long enough",
}


def show_project(project: Path, folder: Path) -> Path:
    """Link a project's files into a folder and return the resolved folder.

    Links make tracebacks and coverage show the project's own files. Where links are not supported, files are copied.
    """
    folder = folder.resolve()
    for name in _SHOWN:
        if (project / name).exists():
            try:
                (folder / name).symlink_to((project / name).resolve())
            except OSError:
                _copy(project / name, folder / name)
    (folder / "public/uploads").mkdir(parents=True)
    return folder


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def settings_for(folder: Path, variables: Mapping[str, str], database: Database) -> Settings:
    """Return the project's settings without those that affect anything outside the folder. Raises SettingsError."""
    found = load_settings(folder, {**_SECRETS, **variables}, mode="development")
    plugins = found.plugins
    upload = replace(plugins.upload.config, provider="local", provider_options=UploadConfig().provider_options)
    email = replace(plugins.email.config, provider=None, provider_options=EmailConfig().provider_options)
    accounts = plugins.users_permissions.config
    limits = replace(accounts.ratelimit, store="database", url=None)
    return replace(
        found,
        database=replace(
            database,
            run_migrations=found.database.run_migrations,
            statement_timeout=found.database.statement_timeout,
        ),
        server=replace(found.server, background=False, follow_definitions=False),
        plugins=replace(
            plugins,
            upload=replace(plugins.upload, config=upload),
            email=replace(plugins.email, config=email),
            users_permissions=replace(plugins.users_permissions, config=replace(accounts, ratelimit=limits)),
        ),
    )
