"""The adoption report as values that can be written as JSON. It contains no secrets."""

from enum import StrEnum
from typing import Any

from octavo.core.values import dataclass
from octavo.database.component_names import OtherName
from octavo.settings.findings import Outcome
from octavo.v4.code import Kind, State


class Verdict(StrEnum):
    """The result for a package that the project depends on."""

    WORKS = "works"
    INSTEAD = "has a replacement"
    IDLE = "nothing to do"
    ABSENT = "not available"


@dataclass(frozen=True, slots=True)
class Item:
    """A message with its location: a problem that prevents the start, or a warning. `is_unserved`: v4 serves
    something that Octavo does not."""

    place: str
    name: str
    says: str
    is_unserved: bool = False

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.name, self.says) if part)


@dataclass(frozen=True, slots=True)
class SettingItem:
    """A key of the project's configuration. `outcome` is that of its finding."""

    outcome: str
    place: str
    key: str
    setting: str
    value: Any
    says: str


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret, and its source; empty if it is missing."""

    name: str
    source: str
    needed: bool = False


@dataclass(frozen=True, slots=True)
class CodeItem:
    """A piece of code. `kind` and `state` are those of `v4.code`; `settled`: the owner allows what it closes."""

    file: str
    line: int
    kind: str
    name: str
    says: str
    state: str
    settled: bool = False

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Closed:
    """A guard that does not run, and the operations that are closed because of it. `guard` is the name for `allow`."""

    guard: str
    place: str
    says: str
    closes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A v4 package that the project depends on, and its counterpart."""

    package: str
    version: str
    verdict: Verdict
    says: str


@dataclass(frozen=True, slots=True)
class Count:
    """A name with a number."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class TypeCount:
    """The number of entries of a content type; None if the table is missing or counting takes too long."""

    uid: str
    table: str
    entries: int | None
    drafts: int | None = None
    locales: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Files of the media library by storage provider; sizes in kilobytes."""

    provider: str
    files: int
    kilobytes: float
    known: bool


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """The content of the database. `problem` is the reason if it could not be read."""

    where: str
    source: str
    problem: str = ""
    tables: int = 0
    types: tuple[TypeCount, ...] = ()
    locales: tuple[str, ...] = ()
    default_locale: str = ""
    roles: tuple[Count, ...] = ()
    files: tuple[StoredFiles, ...] = ()
    webhooks: int = 0
    """Number of enabled webhooks."""
    unclaimed: tuple[str, ...] = ()
    """Tables that belong to no definition and are left unchanged."""
    added: tuple[str, ...] = ()
    """What the first start adds, except order columns and indexes."""
    indexes: int = 0
    order_columns: tuple[str, ...] = ()
    """Order columns that are missing in databases of v4 before 4.6."""
    triggers: bool = False
    """Whether the start creates triggers in content tables."""
    contradicting: tuple[str, ...] = ()
    """Columns whose type prevents the start."""
    components: tuple[OtherName, ...] | None = ()
    """Components with other names in rows than in definitions; None if checking takes too long."""
    left: tuple[str, ...] = ()
    """Differences that are left, because removing them would lose data."""

    def entries(self, uid: str) -> int:
        """Return the number of entries of one type, or 0 if unknown."""
        return next((item.entries or 0 for item in self.types if item.uid == uid), 0)


@dataclass(frozen=True, slots=True)
class Populate:
    """The cost of populating everything of a content type: joined tables, nested lists."""

    uid: str
    tables: int
    lists: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DraftItem:
    """A Python file written for `stands_for`, a JavaScript file, with the names of the `pieces` in it.

    `missing` has the reasons for statements without a translation, `to_check` counts the marked lines. Not `written`:
    the file exists already.
    """

    path: str
    stands_for: str
    pieces: tuple[str, ...]
    missing: tuple[str, ...]
    to_check: int
    written: bool


@dataclass(frozen=True, slots=True)
class Report:
    """The complete report. `stops` is what prevents `octavo start`.

    If the definitions are invalid (`has_definitions` is false), routes and what is closed are unknown.
    """

    project: str
    version: str
    version_source: str
    environment: str = ""
    other_environments: tuple[str, ...] = ()
    stops: tuple[Item, ...] = ()
    closed: tuple[Closed, ...] = ()
    settings: tuple[SettingItem, ...] = ()
    secrets: tuple[Secret, ...] = ()
    code: tuple[CodeItem, ...] = ()
    definitions: tuple[Item, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    database: DatabaseReport | None = None
    populates: tuple[Populate, ...] = ()
    allowed: tuple[str, ...] = ()
    drafts: tuple[DraftItem, ...] = ()
    has_definitions: bool = True
    source_secrets: tuple[Item, ...] = ()
    """Secrets in source files, without values."""
    panel: tuple[Item, ...] = ()
    """Customizations of v4's admin panel."""

    @property
    def can_start(self) -> bool:
        return not self.stops

    def settings_that(self, *outcomes: str) -> list[SettingItem]:
        """Return the keys with these outcomes, in the order of the outcomes."""
        return [item for outcome in outcomes for item in self.settings if item.outcome == outcome]

    def needing_attention(self) -> list[SettingItem]:
        """Return the keys that are in effect and have a remark, such as secrets in the code."""
        return [item for item in self.settings if item.outcome == Outcome.TAKEN and item.setting and item.says]

    def code_that(self, state: str) -> list[CodeItem]:
        """Return the code in one state that the owner has not settled. Modules only matter if other code imports
        them."""
        return [item for item in self.code if item.state == state and not item.settled and item.kind != Kind.MODULE]

    def open_code(self) -> list[CodeItem]:
        """Return the code that is closed or has no effect, without services: these only run through other code."""
        services = (Kind.SERVICE, Kind.CONTROLLER)
        waiting = [item for item in self.code_that(State.OPEN) if item.kind not in services]
        return [*self.code_that(State.CLOSED), *waiting]

    def unserved(self) -> list[Item]:
        """Return the remarks on definitions about something that v4 serves and Octavo does not."""
        return [item for item in self.definitions if item.is_unserved]

    def absent(self) -> list[Plugin]:
        """Return the packages that have no counterpart and that the owner has not settled."""
        return [item for item in self.plugins if item.verdict is Verdict.ABSENT and item.package not in self.allowed]
