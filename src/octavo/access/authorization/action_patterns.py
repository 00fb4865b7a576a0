"""Expand action patterns such as `api::article.article.*` to the actions of a project."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from octavo.access.authorization.actions import list_content_actions
from octavo.core.errors import ApplicationError
from octavo.core.text_limits import close_match
from octavo.schema.registry import Registry

_WILD = frozenset("*?[")


def actions_of(patterns: Iterable[str], registry: Registry, own: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the actions that match the patterns. `own` are the actions added by the project's code.

    An action of a plugin without a wildcard is returned unchanged.
    Raises ApplicationError for a pattern without matches.
    """
    known = tuple(dict.fromkeys((*list_content_actions(registry), *own)))
    return tuple(dict.fromkeys(action for pattern in patterns for action in _actions_of(pattern, known)))


def _actions_of(pattern: str, known: tuple[str, ...]) -> list[str]:
    if _WILD.isdisjoint(pattern) and not pattern.startswith("api::"):
        return [pattern]
    found = [action for action in known if fnmatchcase(action, pattern)]
    if not found:
        near = close_match(pattern, known)
        hint = "" if near is None else f"; did you mean {near}?"
        raise ApplicationError(f"{pattern!r} matches no action of this project{hint}")
    return found
