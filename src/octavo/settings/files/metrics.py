"""`server.toml`, the table `metrics`: who may see how the service fares."""

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ZERO, setting
from octavo.settings.values import long_text, optional


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Who may see how the service fares, at `/metrics` and with `octavo status` and `octavo slow`."""

    token: str | None = setting(
        None,
        "Token for `/metrics` (`Authorization: Bearer ...`), at least 16 characters. Without it, metrics are off.",
        kind=optional(long_text(16)),
        secret=True,
    )
    slow: int = setting(
        1000, "Minimum duration, in milliseconds, of requests in the list of slow requests.", bounds=AT_LEAST_ZERO
    )
