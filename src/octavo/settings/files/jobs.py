"""`server.toml`, the table `jobs`: functions of the project that run in the background."""

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, setting
from octavo.settings.values import DURATION, TIME_ZONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """Functions of the project that run in the background."""

    timeout: int = setting(
        600,
        "Timeout of jobs that set none.",
        kind=DURATION,
        bounds=AT_LEAST_ONE,
        default_doc="10m",
    )
    time_zone: str = setting(
        "UTC", "Time zone of scheduled tasks that set none, such as `Europe/Berlin`.", kind=TIME_ZONE
    )
    cron: bool = setting(True, "Run scheduled tasks.")
