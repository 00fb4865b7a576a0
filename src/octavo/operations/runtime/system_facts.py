"""What administrators are told of the running service: versions, database, what waits. No secrets, no addresses."""

import os
import platform
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from octavo import __version__
from octavo.core.clock import shown_moment
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.query.sql.system_table_statement import OwnStatement

_COUNTS: Final = OwnStatement("SELECT (SELECT count(*) FROM octavo_outbox), (SELECT count(*) FROM octavo_dead_letters)")
_PER_RSS: Final = 1 if sys.platform == "darwin" else 1024
"""Bytes in what the system counts memory by."""


def system_facts(
    shared: Infrastructure, reference: str, plugins: tuple[Mapping[str, str], ...]
) -> Callable[[], Awaitable[dict[str, Any]]]:
    """What asks for the facts of this moment."""

    async def ask() -> dict[str, Any]:
        settings, database = shared.settings, shared.database
        began = time.perf_counter()
        kind, version, size = await database.fetch_row(database.dialect.server_facts) or ("", "", 0)
        milliseconds = round((time.perf_counter() - began) * 1000, 2)
        waiting, given_up = await database.fetch_row(*_COUNTS.bind(database.dialect)) or (0, 0)
        return {
            "version": __version__,
            "reference": reference,
            "environment": settings.mode,
            "python": platform.python_version(),
            "startedAt": shown_moment(shared.started),
            "process": os.getpid(),
            "workers": settings.server.workers if settings.mode == "production" else 1,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PER_RSS,
            "database": {
                "kind": kind,
                "version": version,
                "size": size,
                "milliseconds": milliseconds,
            },
            "storage": type(shared.storage).__name__,
            "waiting": waiting,
            "givenUp": given_up,
            "plugins": [dict(plugin) for plugin in plugins],
        }

    return ask
