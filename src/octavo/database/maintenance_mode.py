"""Maintenance mode: units of work are refused, reads continue.

`Database.read_only_message` is the message for clients while the mode is on. Only sessions, counts of sign-in attempts,
the audit log, and the mode itself are still written. Changes of tables are not affected.
"""

from octavo.core.errors import ServiceUnavailable


class UnderMaintenance(ServiceUnavailable):
    """The operator has made the service read-only. The message is for clients."""

    retry_after = 60
    is_outage = False


def refuse_writes(message: str) -> None:
    """Raise UnderMaintenance."""
    raise UnderMaintenance(message)
