"""`server.toml`, the table `log`: what is told, and how."""

from collections.abc import Mapping
from typing import Literal, get_args

from octavo.settings.keys import AT_LEAST_ONE, setting
from octavo.settings.values import entries_of, one_of
from octavo.values import dataclass

Level = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What is told, and how: one event a line, to standard error."""

    format: Literal["auto", "text", "json"] = setting(
        "auto", "How a line is written: `json`, or `text` for people; `auto` is text in development, else JSON."
    )
    level: Level = setting("info", "What is told: this and what is worse.")
    levels: Mapping[str, str] = setting(
        {},
        'The same for some parts, as in `"octavo.http" = "debug"`; their names stand in the lines.',
        kind=entries_of(one_of(get_args(Level)), "levels by the names of logs"),
    )
    access: bool = setting(False, "Tell each request, in the log `octavo.access`.")
    access_sample: int = setting(
        1, "Tell one of so many requests; those answered with 500 and above are all told.", bounds=AT_LEAST_ONE
    )
