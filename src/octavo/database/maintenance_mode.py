"""Maintenance mode: units of work are refused, reads continue.

`Database.read_only_message` is the message for clients while the mode is on. Units of work with `in_maintenance` still
write: sign-ins and sessions, counts of sign-in attempts, the audit log, results of deliveries that were in progress,
leases, and the mode itself. So do starts and reloads, including the project's `bootstrap`: they read the mode only
afterwards, or run in `writes_allowed`. Changes of tables, and statements outside units of work, are not affected: the
last use of API tokens, and maintenance of counts, table versions and substring indexes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from octavo.core.errors import ServiceUnavailable


class UnderMaintenance(ServiceUnavailable):
    """The operator has made the service read-only. The message is for clients."""

    retry_after = 60
    is_outage = False


class _Permission:
    """Permission to write in maintenance mode. Tasks that outlive the block inherit it, so it ends for them too."""

    __slots__ = ("is_over",)

    def __init__(self) -> None:
        self.is_over = False


_PERMISSION: ContextVar[_Permission | None] = ContextVar("_PERMISSION", default=None)


@contextmanager
def writes_allowed() -> Iterator[None]:
    """Allow writes in maintenance mode during the block, in this task and those that it starts."""
    permission = _Permission()
    token = _PERMISSION.set(permission)
    try:
        yield
    finally:
        permission.is_over = True
        _PERMISSION.reset(token)


def check_writable(message: str | None) -> None:
    """Raise UnderMaintenance if there is a message and this task has no permission to write."""
    if message is not None:
        permission = _PERMISSION.get()
        if permission is None or permission.is_over:
            raise UnderMaintenance(message)
