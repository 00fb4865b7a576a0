"""Maintenance mode: units of work are refused, reads continue.

`Database.read_only_message` is the message for clients while the mode is on. Units of work with `in_maintenance` still
write: sign-ins and sessions, counts of sign-in attempts, the audit log, results of deliveries that were in progress,
leases, and the mode itself. Changes of tables are not affected.
"""

from octavo.core.errors import ServiceUnavailable


class UnderMaintenance(ServiceUnavailable):
    """The operator has made the service read-only. The message is for clients."""

    retry_after = 60
    is_outage = False


def refuse_writes(message: str) -> None:
    """Raise UnderMaintenance."""
    raise UnderMaintenance(message)
