"""Listening sockets: Unix sockets and those that systemd passes are open before the server starts.

The server opens TCP sockets itself, so their address is checked before.
"""

import asyncio
import errno
import fcntl
import grp
import os
import pwd
import socket
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from granian._granian import SocketHolder

from octavo.operations.runtime.prepare_database import StartFailed
from octavo.settings import Settings
from octavo.settings.files.server import UNIX
from octavo.settings.files.server import Server as ServerOptions

BACKLOG: Final = 2048
_FIRST_PASSED: Final = 3
"""The first file descriptor that systemd passes."""
_PROBE: Final = b"GET /_health HTTP/1.0\r\nHost: localhost\r\n\r\n"
_PROBE_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.005


class ListeningServer:
    """The part of a server of granian that opens the socket. With `listener`, it uses that one."""

    listener: socket.socket | None = None
    _ssp: Any
    _shd: Any
    _sfd: Any
    _sso: Any

    def _init_shared_socket(self) -> None:
        if self.listener is None:
            super()._init_shared_socket()  # type: ignore[misc]
            return
        self._ssp, self._sso = None, None
        self._sfd = os.dup(self.listener.fileno())  # the server closes it
        self._shd = SocketHolder(self._sfd, self.listener.family == socket.AF_UNIX, BACKLOG)  # type: ignore[call-arg]


def passed_socket() -> socket.socket | None:
    """Return the socket that systemd has passed to this process, or None. Raises StartFailed if it cannot be used."""
    count, process = os.environ.pop("LISTEN_FDS", ""), os.environ.pop("LISTEN_PID", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if not count or process != str(os.getpid()):
        return None
    if count != "1":
        raise StartFailed(f"Octavo listens on one socket, but systemd has passed {count}; keep one ListenStream")
    try:
        listener = socket.socket(fileno=_FIRST_PASSED)
        listens = listener.type == socket.SOCK_STREAM and listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise StartFailed(f"The socket that systemd has passed cannot be used: {error}") from error
    if not listens:
        raise StartFailed("The socket that systemd has passed does not listen for streams; use ListenStream, Accept=no")
    listener.set_inheritable(False)
    return listener


def place_of(listener: socket.socket) -> tuple[str, int | None]:
    """Return the host and the port of a socket, as in the settings. Unix sockets have no port."""
    name = listener.getsockname()
    return (f"{UNIX}{name}", None) if listener.family == socket.AF_UNIX else (name[0], name[1])


@contextmanager
def listening(options: ServerOptions, passed: socket.socket | None) -> Iterator[socket.socket | None]:
    """Return the socket that was passed, or open the Unix socket of the settings; None for TCP. Raises StartFailed."""
    path = options.unix_socket
    if passed is not None:
        with closing(passed):
            yield passed
    elif path is None:
        yield None
    else:
        with closing(_open_unix_socket(path, options)) as listener:
            own = path.stat().st_ino
            try:
                yield listener
            finally:
                with suppress(OSError):
                    if path.stat().st_ino == own:  # otherwise another service has replaced it
                        path.unlink()


def _open_unix_socket(path: Path, options: ServerOptions) -> socket.socket:
    """Create a Unix socket with its owner and permissions, and put it at a path at once. Raises StartFailed."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _locked(path.parent):
            _check_unused(path)
            new.unlink(missing_ok=True)
            _bind(listener, new)
            os.chown(new, *_owner(options.socket_owner))
            new.chmod(int(options.socket_mode, 8))
            listener.listen(BACKLOG)
            new.replace(path)
    except (OSError, StartFailed) as error:
        listener.close()
        with suppress(OSError):
            new.unlink(missing_ok=True)
        if isinstance(error, StartFailed):
            raise
        raise StartFailed(f"Cannot listen on the Unix socket {path}: {error.strerror or error}") from error
    return listener


def _bind(listener: socket.socket, path: Path) -> None:
    """Create the socket with permissions for this user only."""
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time replace sockets in a folder."""
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def _check_unused(path: Path) -> None:
    """Raise StartFailed if a service listens at a path, or if the path is not a socket.

    A socket that no process listens on is unused. A service whose queue of connections is full still uses its socket.
    """
    if not path.exists():
        return
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise StartFailed(f"Cannot listen on the Unix socket {path}: a file of this name exists")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, suppress(ConnectionRefusedError):
        probe.setblocking(False)
        with suppress(BlockingIOError):
            probe.connect(str(path))
        raise StartFailed(f"Another service listens on the Unix socket {path}; choose another with --host")


def _owner(text: str) -> tuple[int, int]:
    """Return the ids of a user and a group such as `octavo:www-data`; -1 for those that stay. Raises StartFailed."""
    user, _, group = text.partition(":")
    try:
        user_id = pwd.getpwnam(user).pw_uid if user else -1
        return user_id, grp.getgrnam(group).gr_gid if group else -1
    except KeyError as error:
        raise StartFailed(f"server.socketOwner: {text}: {error.args[0]}") from error


async def wait_until_served(host: str, port: int) -> None:
    """Wait until a server answers requests on an open socket. Connections succeed before."""
    while True:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_PROBE_SECONDS):
                if await _is_served(host, port):
                    return
        await asyncio.sleep(_PAUSE_SECONDS)


async def _is_served(host: str, port: int) -> bool:
    if host.startswith(UNIX):
        reader, writer = await asyncio.open_unix_connection(host.removeprefix(UNIX))
    else:
        reader, writer = await asyncio.open_connection(host, port)
    with closing(writer):
        writer.write(_PROBE)
        return bool(await reader.read(1))


def most_connections(settings: Settings) -> int:
    """Return the maximum number of connections of a worker. Listeners of the change feed keep theirs for hours."""
    events = settings.api.events
    return max(1, BACKLOG // settings.server.workers) + (events.listeners if events.enabled else 0)


def check_address(host: str, port: int) -> None:
    """Raise StartFailed if the address cannot be used. Servers share ports silently, so they would not notice."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise StartFailed(_address_problem(host, port, error)) from error


def _address_problem(host: str, port: int, error: OSError | OverflowError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is in use; choose another with --port or the variable PORT"
    return f"Cannot listen on port {port} of {host}: {error}"


async def wait_until_open(host: str, port: int) -> None:
    """Wait until connections succeed. The server does not report when it listens."""
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            writer.close()
            return
