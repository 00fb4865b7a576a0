"""How the way to PostgreSQL is encrypted: whose certificate is believed, and what is shown in return."""

import os
import ssl
import tempfile
from pathlib import Path
from typing import Final

from octavo.settings import SettingsError, SettingsProblem
from octavo.settings.files.database import Database

_PEM: Final = "-----BEGIN"
_VERIFIED: Final = ("verify-ca", "verify-full")
_AUTHORITIES: Final = Path("~/.postgresql/root.crt")


def ssl_of(options: Database, project: Path) -> str | ssl.SSLContext:
    """What the driver takes: a mode that it knows by itself, or all of it in a context. Raises SettingsError."""
    own_files = options.ssl_ca or options.ssl_cert
    if options.ssl == "disable" or not (own_files or _believes_the_machine(options)):
        return options.ssl
    try:
        return _context(options, project)
    except (OSError, ValueError) as error:
        problem = SettingsProblem("config/database.toml", "ssl", f"the certificates cannot be used: {error}")
        raise SettingsError([problem]) from error


def _believes_the_machine(options: Database) -> bool:
    """The driver by itself believes only authorities that are kept for PostgreSQL."""
    kept = "PGSSLROOTCERT" in os.environ or _AUTHORITIES.expanduser().exists()
    return options.ssl in _VERIFIED and not kept


def _context(options: Database, project: Path) -> ssl.SSLContext:
    given = options.ssl_ca
    if given is None or given.lstrip().startswith(_PEM):
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
    """Certificates are read from files alone; what was given as text is put into files nobody else can read."""
    with tempfile.TemporaryDirectory() as folder:
        key_file = _path(key, Path(folder, "key"), project) if key else None
        context.load_cert_chain(_path(cert, Path(folder, "cert"), project), key_file)


def _path(text: str, file: Path, project: Path) -> Path:
    if not text.lstrip().startswith(_PEM):
        return project / text
    file.write_text(text, encoding="ascii")
    return file
