"""`caching.control` of `api.toml`: what is said to caches, by content-type and role, and each thing wrong with it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.core.cache_control import read_cache_control, shared_directives
from octavo.settings.values import FREE_TABLE, Kind, Misplaced, quoted

VISITORS: Final = ("public", "*")
"""The roles whose answers caches that serve others may keep."""

_ROLES: Final = 'directives by role such as { public = "public, max-age=60" }'


def _read(value: Any) -> Mapping[str, Mapping[str, str]]:
    """Directives by content-type and role. Raises Misplaced, ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError
    wrong = [*_wrong(value)]
    if wrong:
        raise Misplaced(wrong)
    return {uid: {role: read_cache_control(text) for role, text in roles.items()} for uid, roles in value.items()}


def _wrong(control: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for uid, roles in control.items():
        if not isinstance(roles, Mapping):
            yield quoted(uid), f"expected a table of {_ROLES}"
            continue
        for role, text in roles.items():
            problem = _problem(role, text)
            if problem is not None:
                yield f"{quoted(uid)}.{quoted(role)}", problem


def _problem(role: str, text: Any) -> str | None:
    if not isinstance(text, str):
        return 'expected a text of directives such as "public, max-age=60"'
    try:
        shared = shared_directives(read_cache_control(text))
    except ValueError as error:
        return f"expected directives of Cache-Control; {error}"
    if shared and role not in VISITORS:
        return f"expected no {' and no '.join(shared)}: only answers to visitors (public) may be kept for others"
    return None


CONTROL: Final = Kind(
    f"tables of {_ROLES}, those of other roles without `public` and `s-maxage`",
    lambda text: _read(FREE_TABLE.from_text(text)),
    _read,
)
