"""The certificates of connections to a database server, read again for new ones after their files have changed."""

import logging
import os
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from octavo.settings import SettingsError, SettingsProblem
from octavo.settings.files.database import Database
from octavo.settings.variable_files import read_value

logger = logging.getLogger(__name__)

_PEM: Final = "-----BEGIN"
_VERIFIED: Final = ("verify-ca", "verify-full")
_AUTHORITIES: Final = Path("~/.postgresql/root.crt")
_KEYS: Final = ("ssl_ca", "ssl_cert", "ssl_key")
_Mark = tuple[int, int, int] | None


class Certificates:
    """The driver's `ssl` argument, which it calls for each new connection.

    `files` are the files that contain PEM text of settings. While changed certificates cannot be used, as during their
    replacement, the previous ones apply. Raises SettingsError.
    """

    def __init__(self, options: Database, project: Path, files: Mapping[str, Path]) -> None:
        self._options = options
        self._project = project
        self._files = files
        self._marks = self._read_marks()
        self._context = ssl_of(options, project)
        self._failed: tuple[_Mark, ...] = ()

    def __call__(self) -> str | ssl.SSLContext:
        """Return the mode or the context for a new connection."""
        marks = self._read_marks()
        if marks != self._marks:
            try:
                self._context = ssl_of(self._current(), self._project)
                self._marks = marks
                logger.info("Read the changed certificates of the database connection")
            except (SettingsError, OSError, ValueError) as error:
                self._log_failure(marks, error)
        return self._context

    def _log_failure(self, marks: tuple[_Mark, ...], error: Exception) -> None:
        """Log a failure once for each change. Later connections retry, because the cause may be temporary."""
        if marks != self._failed:
            self._failed = marks
            logger.warning("Cannot use the changed certificates of the database; the previous ones apply: %s", error)

    def _current(self) -> Database:
        changed: dict[str, Any] = {name: read_value(path) for name, path in self._files.items()}
        return replace(self._options, **changed)

    def _read_marks(self) -> tuple[_Mark, ...]:
        return tuple(map(_mark, (*self._files.values(), *_named_files(self._options, self._project))))


def certificates_of(
    options: Database, project: Path, value_files: Mapping[tuple[str, ...], Path]
) -> str | ssl.SSLContext | Certificates:
    """Return the driver's `ssl` argument: constant, or to call for each connection. Raises SettingsError."""
    files = {name: value_files["database", name] for name in _KEYS if ("database", name) in value_files}
    if options.ssl == "disable" or not (files or any(_named_files(options, project))):
        return ssl_of(options, project)
    return Certificates(options, project, files)


def ssl_of(options: Database, project: Path) -> str | ssl.SSLContext:
    """Return the driver's `ssl` argument: a mode, or a context if the driver has no such mode. Raises SettingsError."""
    own_files = options.ssl_ca or options.ssl_cert
    if options.ssl == "disable" or not (own_files or _believes_the_machine(options)):
        return options.ssl
    try:
        return _context(options, project)
    except (OSError, ValueError) as error:
        problem = SettingsProblem("config/database.toml", "ssl", f"the certificates cannot be used: {error}")
        raise SettingsError([problem]) from error


def _named_files(options: Database, project: Path) -> Iterator[Path]:
    """Yield the files that settings name, instead of containing PEM text."""
    for text in (options.ssl_ca, options.ssl_cert, options.ssl_key):
        if text and not is_pem(text):
            yield project / text


def _mark(path: Path) -> _Mark:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def is_pem(text: str) -> bool:
    """Return whether a setting is a certificate or key itself, not a file's path."""
    return text.lstrip().startswith(_PEM)


def _believes_the_machine(options: Database) -> bool:
    """Return whether to trust the system's authorities: without a context, PostgreSQL's driver trusts only its own."""
    kept = "PGSSLROOTCERT" in os.environ or _AUTHORITIES.expanduser().exists()
    return options.ssl in _VERIFIED and (options.is_mysql or not kept)


def _context(options: Database, project: Path) -> ssl.SSLContext:
    given = options.ssl_ca
    if given is None or is_pem(given):
        context = ssl.create_default_context(cadata=given)
    else:
        context = ssl.create_default_context(cafile=project / given)
    context.check_hostname = options.ssl == "verify-full"
    if options.ssl not in _VERIFIED:
        context.verify_mode = ssl.CERT_NONE
    if options.ssl_cert:
        _show(context, options.ssl_cert, options.ssl_key, project)
    return context


def _show(context: ssl.SSLContext, cert: str, key: str | None, project: Path) -> None:
    """Load the client certificate. `ssl` only reads files, so text is first written to private temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        key_file = _path(key, Path(folder, "key"), project) if key else None
        context.load_cert_chain(_path(cert, Path(folder, "cert"), project), key_file)


def _path(text: str, file: Path, project: Path) -> Path:
    if not is_pem(text):
        return project / text
    file.write_text(text, encoding="ascii")
    return file
