"""Start warnings: the log of a service shows them. Other commands load the same project and do not repeat them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_START_WARNINGS: Final = (
    "octavo.core.mail.templates",
    "octavo.operations.runtime.added_routes",
    "octavo.operations.runtime.lazy_admin",
    "octavo.operations.runtime.definitions",
    "octavo.operations.runtime.field_guards",
    "octavo.operations.runtime.admin_languages",
    "octavo.operations.runtime.open_mailer",
    "octavo.operations.runtime.open_storage",
    "octavo.v4.closed_operations",
    "octavo.operations.runtime.settings_remarks",
    "octavo.operations.runtime.site",
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
