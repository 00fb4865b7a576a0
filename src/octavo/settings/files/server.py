"""`server.toml`: where and how the service listens."""

from dataclasses import dataclass

from octavo.settings.keys import AT_LEAST_ONE, AT_LEAST_ZERO, setting
from octavo.settings.values import DURATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where and how the service listens."""

    host: str = setting("127.0.0.1", "Address to listen on.", variable="HOST")
    port: int = setting(1337, "Port to listen on.", variable="PORT", bounds=(0, 65535))
    workers: int = setting(1, "Worker processes of `octavo start`.", bounds=AT_LEAST_ONE)
    url: str = setting("", "Public address of the service, for links it makes.", variable="PUBLIC_URL")
    trusted_proxies: tuple[str, ...] = setting((), "Addresses or networks whose forwarded headers are believed.")
    shutdown: int = setting(
        30, "Time given to requests under way at a stop.", kind=DURATION, bounds=AT_LEAST_ZERO, default_doc="30s"
    )
