"""The JavaScript of a v4 project, for a site: read, opened as far as its owner allows; what stays closed is told."""

import logging
from collections.abc import Iterator
from typing import Final

from octavo.project.v4 import Code, Guard, is_v4_project
from octavo.project.v4.allowing import allow
from octavo.schema.registry import Registry
from octavo.settings import Settings

logger = logging.getLogger(__name__)

_MOST_LINES: Final = 30
_MOST_NAMED: Final = 4


def read_project_code(settings: Settings, registry: Registry) -> Code | None:
    """The code of a v4 project, without what its owner allows; None for any other. Raises InvalidCode."""
    if not is_v4_project(settings.project):
        return None
    from octavo.project.v4.read import read_code  # the parsers take time and memory

    return allow(read_code(settings.project, registry), settings.api.adoption.allow)


def tell_closed(code: Code) -> None:
    """Say in the log what is closed, and because of what: a line for each guard, and not too many."""
    lines = list(_closed(code))
    for line in lines[:_MOST_LINES]:
        logger.warning("%s", line)
    if len(lines) > _MOST_LINES:
        logger.warning("%d more guards close something", len(lines) - _MOST_LINES)
    if lines:
        logger.warning("Port this code, or name in config/api.toml, [adoption] allow, what may be open without it")


def _closed(code: Code) -> Iterator[str]:
    for guard in code.everywhere:
        yield f"The whole API is closed: {_told(guard)}"
    closed: dict[Guard, list[str]] = {}
    for route in code.routes:
        for guard in route.guards:
            closed.setdefault(guard, []).append(route.name)
    for guard, names in closed.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield f"Closed: {', '.join(names[:_MOST_NAMED])}{more}: {_told(guard)}"


def _told(guard: Guard) -> str:
    return f"{guard.name} is not run ({guard.place.file}:{guard.place.line}: {guard.says})"
