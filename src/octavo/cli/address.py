"""Service URLs: one to display and one to request from this machine."""

from errno import ECONNREFUSED

from octavo.cli.running import recorded_place
from octavo.settings import Settings
from octavo.settings.files.server import UNIX

_DISPLAYED = dict.fromkeys(("0.0.0.0", "::", "127.0.0.1"), "localhost")  # noqa: S104 - addresses to display, not to bind
_REQUESTED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - containers may not know the name `localhost`


def address_of(settings: Settings) -> str:
    """Return the URL of the service on this machine, for display."""
    if settings.server.unix_socket is not None:
        return settings.server.host
    return _address(_DISPLAYED.get(settings.server.host, settings.server.host), settings.server.port)


def local_url(settings: Settings) -> str:
    """Return the URL to request from this machine, without name resolution.

    A service that was started with `--port` or `--host` has recorded its address.
    """
    host, port = recorded_place(settings.project) or (settings.server.host, settings.server.port)
    if host.startswith(UNIX):
        return host
    return _address(_REQUESTED.get(host, host), port)


def silence(address: str, error: Exception) -> str:
    """Return why a request to an address failed, for display."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, OSError) and reason.errno == ECONNREFUSED:
        return f"no service is listening at {address}"
    if isinstance(reason, TimeoutError):
        return f"{address} timed out"
    return f"{address} cannot be reached: {reason}"


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
