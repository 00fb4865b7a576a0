"""The report on a v4 project, as values that can be written as JSON. Secrets are not in it."""

from enum import StrEnum
from typing import Any

from octavo.core.values import dataclass
from octavo.database.component_names import OtherName
from octavo.settings.findings import Outcome
from octavo.v4.code import Kind


class Verdict(StrEnum):
    """What becomes of a package that the project depends on."""

    WORKS = "works"
    INSTEAD = "there is instead"
    IDLE = "nothing to do"
    ABSENT = "not there"


@dataclass(frozen=True, slots=True)
class Item:
    """Something with its place: what stops the start, what is worth a look."""

    place: str
    name: str
    says: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.name, self.says) if part)


@dataclass(frozen=True, slots=True)
class SettingItem:
    """A key of the project's own configuration. `outcome` is that of its finding."""

    outcome: str
    place: str
    key: str
    setting: str
    value: Any
    says: str


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret by its name, and what gives it; empty where nothing does."""

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
    """A guard that is not run, and what refuses because of it. `guard` is the name that `allow` takes."""

    guard: str
    place: str
    says: str
    closes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A package of v4's world that the project depends on, and its counterpart."""

    package: str
    version: str
    verdict: Verdict
    says: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are of something that has a name."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class TypeCount:
    """The entries of a content-type; None where the table is missing or could not be counted in time."""

    uid: str
    table: str
    entries: int | None
    drafts: int | None = None
    locales: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Files of the media library by the provider that keeps them; sizes in kilobytes."""

    provider: str
    files: int
    kilobytes: float
    known: bool


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """What is in the database. `problem` tells why nobody could look."""

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
    """Those that are switched on: v4 calls them, Octavo does not."""
    unclaimed: tuple[str, ...] = ()
    """Tables that belong to no definition: they stay as they are."""
    added: tuple[str, ...] = ()
    """What the first start adds, but for order columns and indexes."""
    indexes: int = 0
    order_columns: tuple[str, ...] = ()
    """Order columns that databases of before 4.6 lack."""
    triggers: bool = False
    """Whether the start makes triggers in tables of content."""
    contradicting: tuple[str, ...] = ()
    """Columns whose type stops the start."""
    components: tuple[OtherName, ...] | None = ()
    """Components that rows call otherwise than their definitions do; None where that could not be looked at in time."""
    left: tuple[str, ...] = ()
    """Differences that stay, because to remove them would lose data."""

    def entries(self, uid: str) -> int:
        """The entries of one type; 0 where nobody knows."""
        return next((found.entries or 0 for found in self.types if found.uid == uid), 0)


@dataclass(frozen=True, slots=True)
class Populate:
    """What it takes to populate everything of a content-type: tables to look into, lists within lists."""

    uid: str
    tables: int
    lists: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DraftItem:
    """A file of Python that was written for `stands_for`, a file of JavaScript, with the names of the `pieces` in it.

    `missing` says why there is no Python for a statement, `to_check` counts the lines that are marked. Not `written`:
    there is such a file already.
    """

    path: str
    stands_for: str
    pieces: tuple[str, ...]
    missing: tuple[str, ...]
    to_check: int
    written: bool


@dataclass(frozen=True, slots=True)
class Report:
    """All of it. `stops` is what keeps `octavo start` from starting.

    Where the definitions cannot be used (`has_definitions`) nobody knows which routes there are and what closes them.
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

    @property
    def can_start(self) -> bool:
        return not self.stops

    def settings_that(self, *outcomes: str) -> list[SettingItem]:
        """The keys of these outcomes, in the order of the outcomes."""
        return [item for outcome in outcomes for item in self.settings if item.outcome == outcome]

    def to_look_at(self) -> list[SettingItem]:
        """Keys that are in force and have a remark: secrets that stand in the code, and their like."""
        return [item for item in self.settings if item.outcome == Outcome.TAKEN and item.setting and item.says]

    def code_that(self, state: str) -> list[CodeItem]:
        """The code of one state that the owner has not settled. Modules do nothing unless other code imports them."""
        return [item for item in self.code if item.state == state and not item.settled and item.kind != Kind.MODULE]

    def absent(self) -> list[Plugin]:
        """Packages that have no counterpart and that the owner has not settled."""
        return [item for item in self.plugins if item.verdict is Verdict.ABSENT and item.package not in self.allowed]
