"""Find secrets and problems with them, such as readers other than the service, without revealing the secrets."""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from math import inf, log2
from pathlib import Path
from typing import Any, Final, Literal

from octavo.cli.base import refuse
from octavo.core.clock import wall_time
from octavo.core.values import dataclass
from octavo.settings import Settings, missing_secrets
from octavo.settings.accepted_keys import AcceptedKey
from octavo.settings.keys import Key
from octavo.settings.model import TABLES
from octavo.settings.sources import read_env_file

_PATIENCE: Final = 60.0
_SHORTEST_SOUGHT: Final = 8
"""Shorter texts occur everywhere by chance."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_\-+/=.,:;]*")


def is_open_to_all(path: Path) -> bool:
    """Return whether all users of this machine can read a file."""
    try:
        return os.name == "posix" and bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


class Git:
    """The git repository that contains the project, if any."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._program = shutil.which("git")
        self.is_there = self._run("rev-parse", "--is-inside-work-tree") is not None

    def has(self, name: str) -> bool:
        """Return whether a file is committed or staged."""
        return self.is_there and bool(self._run("ls-files", "--", name))

    def had(self, name: str) -> bool:
        """Return whether a file was ever committed, on any branch."""
        return self.is_there and bool(self._run("log", "--all", "-n1", "--format=%h", "--", name))

    def ignores(self, name: str) -> bool:
        """Return whether git ignores a file, so it cannot be added by accident."""
        return not self.is_there or self._run("check-ignore", "-q", "--", name) is not None

    def files_with(self, text: str) -> list[str]:
        """Return the committed files that contain a text."""
        if not self.is_there or len(text) < _SHORTEST_SOUGHT:
            return []
        return (self._run("grep", "-lIF", "-f", "-", "--", ":/", text=text) or "").splitlines()

    def _run(self, *arguments: str, text: str = "") -> str | None:
        """Run git and return its output, or None if git fails, is not installed or times out."""
        if self._program is None:
            return None
        command = [self._program, "-C", str(self._project), "-c", "core.fsmonitor=false", *arguments]
        try:
            done = subprocess.run(command, input=text, text=True, capture_output=True, check=True, timeout=_PATIENCE)
        except (subprocess.SubprocessError, OSError):
            return None
        return done.stdout.strip()


def write_env(project: Path, values: Mapping[str, str]) -> None:
    """Set variables in `.env` without other changes. Variables with an empty value are removed."""
    path = (project / ".env").resolve()
    before = path.read_text("utf-8")
    after = before
    for name, value in values.items():
        after = _with_variable(after, name, value)
    descriptor, made = tempfile.mkstemp(dir=path.parent, prefix=".env.")
    written = Path(made)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(after)
            file.flush()
            os.fsync(descriptor)
        _check(project, after, values)
        shutil.copymode(path, written)
        with suppress(OSError, AttributeError):  # only root can change the owner
            os.chown(written, path.stat().st_uid, path.stat().st_gid)
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def _with_variable(text: str, name: str, value: str) -> str:
    line = f"{name}={_quoted(value)}\n" if value else ""
    pattern = re.compile(rf"^[ \t]*(?:export[ \t]+)?{re.escape(name)}[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
    replaced, times = pattern.subn(lambda _: line, text)
    if times:
        return replaced
    return text + ("" if text.endswith("\n") or not text else "\n") + line


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    if "'" in value or "\n" in value:
        refuse("A value with quotes or line breaks cannot be written to .env; use --show, and set it yourself")
    return f"'{value}'"


def _check(project: Path, after: str, values: Mapping[str, str]) -> None:
    """Raise an error if the new text does not set the values as expected: `.env` has an unknown form."""
    before = read_env_file(project)
    with tempfile.TemporaryDirectory(prefix="octavo-env-") as folder:
        Path(folder, ".env").touch(0o600)
        Path(folder, ".env").write_text(after, "utf-8")
        variables = read_env_file(Path(folder))
    wanted = {name: value for name, value in {**before, **values}.items() if value or name not in values}
    if variables != wanted:
        refuse("This .env cannot be changed safely; use --show, and set the variables yourself")


def files_of(sources: Iterable[str], variables: Mapping[str, str], project: Path) -> dict[str, Path]:
    """Return the files that settings came from, by the description of their source."""
    files: dict[str, Path] = {}
    for source in sources:
        name = source.removeprefix(".env: ")
        if name.endswith("_FILE") and variables.get(name):
            files[source] = project / variables[name]
        elif source.startswith(".env: "):
            files[source] = project / ".env"
        elif "/" in source:
            files[source] = project / source.partition(":")[0]
    return files


_MISSING: Final = "is not set; octavo secrets new --missing adds one to .env"
Level = Literal["error", "advice"]
_OURS: Final = frozenset({"APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "JWT_SECRET", "TRANSFER_TOKEN_SALT"})
"""Secrets that the project generates itself, so their strength can be checked."""
_ENDLESS: Final = frozenset({"ACCEPTED_API_TOKEN_SALTS"})
"""Variables that can be accepted without expiry: an unused API token keeps its stored hash."""

LEAST_BITS: Final = 64
_PLACEHOLDERS: Final = re.compile(
    r"to[-_ ]?be[-_ ]?modified\d*|(please[-_ ]?)?(change|replace)([-_ ]?(me|this|it)).*|<.*>|\{.*\}|\.{3,}|x{3,}|\*{3,}"
    r"|your[-_ ].*|(my|some|a|the|an)?[-_ ]?(super|very|top|long|random)?[-_ ]?(secret|password|key|salt|token|hash)\d*"
    r"|s3cr3t|test(ing)?|example|dev(elopment)?|strapi|octavo|default|todo|none|null|undefined",
    re.IGNORECASE,
)
_CLASSES: Final = ((re.compile("[0-9]"), 10), (re.compile("[a-z]"), 26), (re.compile("[A-Z]"), 26))
_OTHERS: Final = 32


def weakness(text: str) -> str | None:
    """Return what is wrong with a secret, without the secret itself, or None."""
    if is_placeholder(text):
        return "is a placeholder from a template"
    bits = estimated_bits(text)
    if bits < LEAST_BITS:
        return f"is too weak: about {bits:.0f} bits, at least {LEAST_BITS} required"
    return None


def is_placeholder(text: str) -> bool:
    """Return whether a text is a placeholder for a secret."""
    return _PLACEHOLDERS.fullmatch(text.strip()) is not None


def estimated_bits(text: str) -> float:
    """Return an upper estimate of the entropy in bits."""
    if not text:
        return 0.0
    size = sum(size for pattern, size in _CLASSES if pattern.search(text))
    size += _OTHERS if re.search("[^0-9A-Za-z]", text) else 0
    length = len(text)
    spread = -sum(times / length * log2(times / length) for times in Counter(text).values())
    return length * min(log2(size), spread)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem (`error`) or a recommendation (`advice`) about a variable or a file."""

    level: Level
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class Held:
    """A secret in the settings: its variable, source and value."""

    name: str
    source: str
    text: str
    is_ours: bool


def check_secrets(settings: Settings) -> list[Problem]:
    """Return all problems, errors first."""
    held = list(held_secrets(settings))
    problems = [
        *(Problem("error", name, _MISSING) for name in missing_secrets(settings)),
        *_weak(held),
        *_equal(held),
        *_accepted(settings),
        *_open(settings, held),
    ]
    return sorted(problems, key=lambda one: one.level != "error")


def held_secrets(settings: Settings) -> Iterator[Held]:
    """Return all secrets that are set."""
    for key in (row for table in TABLES.values() for row in table.rows() if row.row.secret):
        value = _value(settings, key)
        source = settings.sources.get(key.attributes, "default")
        name = key.row.variable or key.variable
        texts = value if isinstance(value, tuple) else (value,)
        for text in texts:
            plain = text.text if isinstance(text, AcceptedKey) else text
            if isinstance(plain, str) and plain:
                yield Held(name, source, plain, name in _OURS)


def _value(settings: Settings, key: Key) -> Any:
    value: Any = settings
    for name in key.attributes:
        value = getattr(value, name)
    return value


def _weak(held: list[Held]) -> Iterator[Problem]:
    for one in held:
        if one.is_ours and (reason := weakness(one.text)):
            yield Problem("error", one.name, reason)
        elif is_placeholder(one.text):
            yield Problem("advice", one.name, "looks like a placeholder from a template")


def _equal(held: list[Held]) -> Iterator[Problem]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for one in held:
        names[one.text].append(one.name)
    for same in names.values():
        if len(same) > 1:
            others = " and ".join(dict.fromkeys(same[1:]))
            yield Problem("error", same[0], f"is equal to {others}: if one leaks, both do")


def _accepted(settings: Settings) -> Iterator[Problem]:
    now = wall_time()
    for key in TABLES["secrets"].rows():
        for one in _value(settings, key) or ():
            if not isinstance(one, AcceptedKey):
                continue
            name = key.row.variable or key.variable
            if one.until <= now:
                yield Problem("advice", name, "contains an expired key; remove it")
            elif one.until == inf and not one.is_next and name not in _ENDLESS:
                yield Problem("advice", name, "contains a key without an end: add ;until=...")


def _open(settings: Settings, held: list[Held]) -> Iterator[Problem]:
    """Return problems with secrets that other users can read."""
    project, git = settings.project, Git(settings.project)
    files = files_of({one.source for one in held}, {**read_env_file(project), **os.environ}, project)
    for path in sorted(set(files.values())):
        shown = str(path.relative_to(project)) if path.is_relative_to(project) else str(path)
        named_by_variable = not path.is_relative_to(project)  # secrets in containers are often readable by all users
        if is_open_to_all(path):
            holds = ", ".join(sorted({one.name for one in held if files.get(one.source) == path}))
            remedy = f"can be read by all users of this machine and contains {holds}: chmod o= {path}"
            yield Problem("advice" if named_by_variable else "error", shown, remedy)
        if named_by_variable:
            continue
        if git.has(shown):
            yield Problem("error", shown, "is in git and contains secrets: remove it and rotate them")
        elif git.had(shown):
            yield Problem("error", shown, "is in the git history: rotate the secrets")
        elif not git.ignores(shown):
            yield Problem("advice", shown, "is not in .gitignore")
    known = {str(path.relative_to(project)) for path in files.values() if path.is_relative_to(project)}
    for one in {held.text: held for held in held}.values():
        for name in git.files_with(one.text):
            if name not in known:
                yield Problem("error", one.name, f"is in {name}, which is in git: rotate it")
