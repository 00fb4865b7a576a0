"""Open request tracing if a collector is configured. Otherwise OpenTelemetry is not imported."""

from typing import TYPE_CHECKING, Final

from octavo.operations.runtime.open_resources import system_of_database
from octavo.settings import Settings, SettingsError, SettingsProblem

if TYPE_CHECKING:
    from octavo.operations.telemetry.traces import Traces

_PATH: Final = "/v1/traces"
_FILE, _KEY = "config/server.toml", "traces.endpoint"


def open_traces(settings: Settings) -> "Traces | None":
    """Return the tracer, or None if disabled. Raises SettingsError for an invalid URL or a missing package."""
    given = settings.server.traces
    if not given.endpoint:
        return None
    if not given.endpoint.startswith(("http://", "https://")):
        raise SettingsError([SettingsProblem(_FILE, _KEY, "expected a URL that begins with http:// or https://")])
    try:
        from octavo.operations.telemetry.traces import TraceOptions, Traces
    except ModuleNotFoundError as error:
        message = "tracing requires a package: pip install 'octavo[opentelemetry]'"
        raise SettingsError([SettingsProblem(_FILE, _KEY, message)]) from error
    address = given.endpoint.rstrip("/")
    return Traces(
        TraceOptions(
            endpoint=address if address.endswith(_PATH) else address + _PATH,
            headers=given.headers,
            service=given.service,
            sample=given.sample,
            system=system_of_database(settings),
        )
    )
