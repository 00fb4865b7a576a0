"""The limit of open files, which decides how many connections the proxy can accept."""

import logging
import resource
from contextlib import suppress
from typing import Final

from octavo.operations.shadowing.upstream import MOST_IDLE

logger = logging.getLogger(__name__)

_MOST_CONNECTIONS: Final = 4_096
_FEWEST_CONNECTIONS: Final = 16
_OTHER_FILES: Final = MOST_IDLE + 128
"""Idle connections to the old service, and files of the process itself."""
_NEEDED: Final = 2 * _MOST_CONNECTIONS + _OTHER_FILES


def allow_connections() -> int:
    """Raise the limit of open files as far as needed and allowed. Return the number of clients that can connect.

    Each client needs a second connection, to the old service.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _NEEDED:
        wanted = _NEEDED if hard == resource.RLIM_INFINITY else min(hard, _NEEDED)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return _connections(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _connections(files: int) -> int:
    if files == resource.RLIM_INFINITY or files >= _NEEDED:
        return _MOST_CONNECTIONS
    connections = max(_FEWEST_CONNECTIONS, (files - _OTHER_FILES) // 2)
    logger.warning(
        "%d open files allow %d connections; raise the hard limit (ulimit -Hn) to %d", files, connections, _NEEDED
    )
    return connections
