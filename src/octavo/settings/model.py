"""All settings of a project: a section for each file in `config/`, defined in `octavo.settings.files`, and secrets."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from octavo.core.values import dataclass
from octavo.settings.accepted_keys import ACCEPTED_KEYS, AcceptedKey
from octavo.settings.files.admin import Admin
from octavo.settings.files.api import Api
from octavo.settings.files.compatibility import Profile
from octavo.settings.files.database import Database
from octavo.settings.files.middlewares import Middlewares
from octavo.settings.files.plugins import Plugins
from octavo.settings.files.server import Server
from octavo.settings.findings import Finding
from octavo.settings.keys import Table, read_table, setting
from octavo.settings.package_json import DeclaredPlugin
from octavo.settings.problems import SettingsProblem

Mode = Literal["development", "staging", "production"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Secrets. They come from the environment or `.env` only.

    `jwt_secret` is `plugins.users_permissions.config.jwt_secret`, repeated here so that all secrets are in one place.
    """

    app_keys: tuple[str, ...] = setting((), "Keys kept for v4; comma separated.", variable="APP_KEYS", secret=True)
    api_token_salt: str | None = setting(
        None, "Salt under which API tokens are stored.", variable="API_TOKEN_SALT", secret=True
    )
    admin_jwt_secret: str | None = setting(
        None, "Secret that signs administrators' tokens.", variable="ADMIN_JWT_SECRET", secret=True
    )
    transfer_token_salt: str | None = setting(None, "Kept for v4.", variable="TRANSFER_TOKEN_SALT", secret=True)
    accepted_jwt_secrets: tuple[AcceptedKey, ...] = setting(
        (),
        "Additional secrets that verify users' tokens; see docs/secrets.md.",
        variable="ACCEPTED_JWT_SECRETS",
        kind=ACCEPTED_KEYS,
        secret=True,
    )
    accepted_admin_jwt_secrets: tuple[AcceptedKey, ...] = setting(
        (),
        "Additional secrets that verify administrators' tokens.",
        variable="ACCEPTED_ADMIN_JWT_SECRETS",
        kind=ACCEPTED_KEYS,
        secret=True,
    )
    accepted_api_token_salts: tuple[AcceptedKey, ...] = setting(
        (),
        "Additional salts of stored API tokens.",
        variable="ACCEPTED_API_TOKEN_SALTS",
        kind=ACCEPTED_KEYS,
        secret=True,
    )
    jwt_secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of one project. `adopted`: the folder has no Octavo configuration.

    For a v4 project (`is_v4`, by its `package.json`), `findings` are the outcomes for its own configuration, and
    `named_plugins` the plugins in it, in order. `remarks` do not prevent the start. `value_files` are the files from
    which values come, by variables such as `JWT_SECRET_FILE`.
    """

    project: Path
    mode: Mode = "development"
    adopted: bool = False
    server: Server = field(default_factory=Server)
    api: Api = field(default_factory=Api)
    database: Database = field(default_factory=Database)
    middlewares: Middlewares = field(default_factory=Middlewares)
    plugins: Plugins = field(default_factory=Plugins)
    admin: Admin = field(default_factory=Admin)
    secrets: Secrets = field(default_factory=Secrets)
    sources: Mapping[tuple[str, ...], str] = field(default_factory=dict, repr=False)
    value_files: Mapping[tuple[str, ...], Path] = field(default_factory=dict, repr=False)
    is_v4: bool = False
    findings: tuple[Finding, ...] = field(default=(), repr=False, compare=False)
    named_plugins: tuple[DeclaredPlugin, ...] = field(default=(), repr=False)
    remarks: tuple[SettingsProblem, ...] = field(default=(), repr=False, compare=False)

    @property
    def profile(self) -> Profile:
        """The compatibility profile."""
        return self.api.compat.profile

    @property
    def database_file(self) -> Path:
        """The absolute path of the SQLite file."""
        return self.project / self.database.filename

    @property
    def may_be_several(self) -> bool:
        """Whether other processes may serve the same database: workers or, with a database server, nodes."""
        return self.server.workers > 1 or self.database.client != "sqlite"


SECTIONS: Mapping[str, type[Any]] = {
    "server": Server,
    "api": Api,
    "database": Database,
    "middlewares": Middlewares,
    "plugins": Plugins,
    "admin": Admin,
    "secrets": Secrets,
}

FILES = tuple(name for name in SECTIONS if name != "secrets")

TABLES: Mapping[str, Table] = {
    name: read_table(model, (name,), (name,), (model.__doc__ or "").split("\n")[0]) for name, model in SECTIONS.items()
}
