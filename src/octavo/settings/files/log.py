"""`server.toml`, the table `log`: what is told, and how."""

from collections.abc import Mapping
from typing import Literal, get_args

from octavo.core.values import dataclass
from octavo.settings.keys import AT_LEAST_ONE, setting
from octavo.settings.values import entries_of, one_of

Level = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What is told, and how: one event a line, to standard error."""

    format: Literal["auto", "text", "json"] = setting(
        "auto", "Format of log lines: `json`, or `text`; `auto` is text in development, otherwise JSON."
    )
    level: Level = setting("info", "Minimum level of log lines.")
    levels: Mapping[str, str] = setting(
        {},
        'Levels of single loggers, such as `"octavo.api.http" = "debug"`; log lines contain the names.',
        kind=entries_of(one_of(get_args(Level)), "levels by the names of logs"),
    )
    access: bool = setting(False, "Log each request, with the logger `octavo.access`.")
    access_sample: int = setting(
        1, "Log one of this many requests; responses with 500 and above are always logged.", bounds=AT_LEAST_ONE
    )
