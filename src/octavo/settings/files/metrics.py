"""`server.toml`, the table `metrics`: who may see how the service fares."""

from octavo.settings.keys import AT_LEAST_ZERO, setting
from octavo.settings.values import long_text, optional
from octavo.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Who may see how the service fares, at `/metrics` and with `octavo status` and `octavo slow`."""

    token: str | None = setting(
        None,
        "Whoever brings it (`Authorization: Bearer ...`) is told; at least 16 characters. Without it nothing is "
        "counted, and nobody is told.",
        kind=optional(long_text(16)),
        secret=True,
    )
    slow: int = setting(
        1000, "Milliseconds from which on a request is kept in the list of slow ones.", bounds=AT_LEAST_ZERO
    )
