"""The log of a process: one event per line to standard error, as text or JSON, with the request's name."""

import io
import logging
import sys
from datetime import UTC, datetime
from typing import Final

import orjson

from octavo.core.log_writer import LOG_WRITER, LogWriter
from octavo.core.plurals import counted
from octavo.events import origin
from octavo.settings import Settings

_TALKATIVE: Final = ("httpx2",)
"""Loggers that log whole URLs: those of webhooks contain secrets."""


_FLUSH_SECONDS: Final = 1.0
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
    """Format events as JSON: `time`, `level`, `logger`, `message`, and attributes with OpenTelemetry's names.

    These are `process.pid`, `request.id` within a request, those of an exception, and the record's own `fields`.
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
            "process.pid": record.process,
        }
        if (name := _request_name()) is not None:
            event["request.id"] = name
        event |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            event["exception.type"] = record.exc_info[0].__name__
            event["exception.message"] = str(record.exc_info[1])
            event["exception.stacktrace"] = self.formatException(record.exc_info)
        try:
            return orjson.dumps(event, default=str).decode()
        except orjson.JSONEncodeError:  # an unpaired surrogate, from a path
            plain = {key: str(value).encode("utf-8", "replace").decode() for key, value in event.items()}
            return orjson.dumps(plain).decode()


def _request_name() -> str | None:
    name = origin.request_id()
    return None if name == origin.NO_REQUEST else name


class LogHandler(logging.Handler):
    """Formats records, and writes them to a file descriptor in a thread."""

    def __init__(self, writer: LogWriter, descriptor: int) -> None:
        super().__init__()
        self._writer = writer
        self._descriptor = descriptor
        self._reported = writer.dropped

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception as error:  # a wrong call in project code must not raise, nor write to a blocked stream
            line = self.format(_own_record(logging.ERROR, f"Could not log {record.msg!r}: {error}"))
        self._report_dropped()
        self._writer.write(self._descriptor, line + "\n")

    def _report_dropped(self) -> None:
        """Log how many lines were dropped, as soon as the reader keeps up again."""
        dropped = self._writer.dropped
        if dropped > self._reported and self._writer.keeps_up():
            lines = counted(dropped - self._reported, "log line", "log lines")
            record = _own_record(logging.WARNING, f"{lines} dropped: the log was not read in time")
            self._reported = dropped
            self._writer.write(self._descriptor, self.format(record) + "\n")

    def flush(self) -> None:
        """Wait for the lines, but not for a reader that has stopped reading."""
        self._writer.flush(_FLUSH_SECONDS)


def flush_log() -> None:
    """Wait until the lines of this process are written, up to a second."""
    LOG_WRITER.flush(_FLUSH_SECONDS)


def _own_record(level: int, message: str) -> logging.LogRecord:
    return logging.LogRecord(__name__, level, __file__, 0, message, (), None)


def _log_handler() -> logging.Handler:
    try:
        descriptor = sys.stderr.fileno()
    except (AttributeError, OSError, io.UnsupportedOperation):  # standard error is closed, or replaced by an object
        return logging.StreamHandler()
    return LogHandler(LOG_WRITER, descriptor)


def print_soon(text: str) -> None:
    """Print to standard output without waiting for its reader."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, io.UnsupportedOperation):
        return
    LOG_WRITER.write(descriptor, text + "\n")


def is_json(settings: Settings) -> bool:
    """Return whether the log is JSON, also for the start line and errors that end the service."""
    return settings.server.log.format == "json" or (
        settings.server.log.format == "auto" and settings.mode != "development"
    )


def set_up_log(settings: Settings, *, waits: bool = False) -> None:
    """Configure logging for this process. `waits`: write each line before the service continues."""
    set_up_lines(as_json=is_json(settings), waits=waits)
    set_log_levels(settings)


def set_up_lines(*, as_json: bool, waits: bool = False) -> None:
    """Configure the format of all lines, including Python's warnings, unless that was done before."""
    handler = logging.StreamHandler() if waits else _log_handler()
    handler.setFormatter(JsonLines() if as_json else TextLines())
    logging.basicConfig(handlers=[handler])
    logging.captureWarnings(as_json)


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
