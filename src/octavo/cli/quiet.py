"""Start warnings: the log of a service shows them. Other commands load the same project and do not repeat them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_START_WARNINGS: Final = (
    "octavo.mail.templates",
    "octavo.runtime.added_routes",
    "octavo.runtime.admin_door",
    "octavo.runtime.definitions",
    "octavo.runtime.field_guards",
    "octavo.runtime.languages",
    "octavo.runtime.open_mailer",
    "octavo.runtime.open_storage",
    "octavo.runtime.project_code",
    "octavo.runtime.settings_remarks",
    "octavo.runtime.site",
)
"""Loggers that say what is worth a look in a project. `octavo config check` shows all of it."""


@contextmanager
def without_start_warnings() -> Iterator[None]:
    """Log no start warnings until the end."""
    loggers = [logging.getLogger(name) for name in _START_WARNINGS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
