"""The log of a process: one event per line to standard error, as text or JSON, with the request's name."""

import logging
from datetime import UTC, datetime
from typing import Final

import orjson

from octavo.events import origin
from octavo.settings import Settings

_TALKATIVE: Final = ("httpx2",)
"""Loggers that log whole URLs: those of webhooks contain secrets."""


_configured: set[str] = set()
"""Names of the loggers whose level has been set."""


class TextLines(logging.Formatter):
    """Format events for users. The request's name is added at the end, unless the message contains it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        line, name = super().formatMessage(record), _request_name()
        return line if name is None or name in line else f"{line} [{name}]"


class JsonLines(logging.Formatter):
    """Format events as JSON: `time`, `level`, `logger`, `message`, `process`, and the record's own `fields`.

    Also `request` within a request, and `exception` if there is one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._second = -1, ""

    def _time(self, seconds: float) -> str:
        """Format a time. All but the fraction is cached for the current second."""
        whole, text = self._second
        if whole != int(seconds):
            whole = int(seconds)
            text = datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")
            self._second = whole, text
        return f"{text}.{int((seconds - whole) * 1000):03d}+00:00"

    def format(self, record: logging.LogRecord) -> str:
        event: dict[str, object] = {
            "time": self._time(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        if (name := _request_name()) is not None:
            event["request"] = name
        event |= getattr(record, "fields", {})
        if record.exc_info:
            event["exception"] = self.formatException(record.exc_info)
        try:
            return orjson.dumps(event, default=str).decode()
        except orjson.JSONEncodeError:  # an unpaired surrogate, from a path
            plain = {key: str(value).encode("utf-8", "replace").decode() for key, value in event.items()}
            return orjson.dumps(plain).decode()


def _request_name() -> str | None:
    name = origin.request_id()
    return None if name == origin.NO_REQUEST else name


def set_up_log(settings: Settings) -> None:
    """Configure logging for this process."""
    log = settings.server.log
    as_json = log.format == "json" or (log.format == "auto" and settings.mode != "development")
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else TextLines())
    logging.basicConfig(handlers=[handler])
    set_log_levels(settings)


def set_log_levels(settings: Settings) -> None:
    """Apply the settings' log levels, and reset loggers that no longer have one."""
    log = settings.server.log
    logging.getLogger().setLevel(log.level.upper())
    levels = dict.fromkeys(_TALKATIVE, "warning") | {**log.levels}
    for name in _configured - levels.keys():
        logging.getLogger(name).setLevel(logging.NOTSET)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level.upper())
    _configured.update(levels)
