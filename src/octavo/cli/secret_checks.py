"""Find problems with a project's secrets and report them without revealing the secrets."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import inf, log2
from typing import Any, Final, Literal

from octavo.cli.secret_places import Git, files_of, is_open_to_all
from octavo.core.clock import wall_time
from octavo.core.values import dataclass
from octavo.settings import Settings, missing_secrets
from octavo.settings.accepted_keys import AcceptedKey
from octavo.settings.keys import Key
from octavo.settings.model import TABLES
from octavo.settings.sources import read_env_file

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
    found = [
        *(Problem("error", name, _MISSING) for name in missing_secrets(settings)),
        *_weak(held),
        *_equal(held),
        *_accepted(settings),
        *_open(settings, held),
    ]
    return sorted(found, key=lambda one: one.level != "error")


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
