"""Topology: the PostgreSQL servers of one database, and poolers in front of them.

Parameters are arguments of asyncpg's `connect`: `host`, `port`, `user`, `password`, `database`, `ssl`
(which can also be a function to call for each connection).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from octavo.core.values import dataclass

Parameters: TypeAlias = Mapping[str, Any]

Role: TypeAlias = Literal["any", "primary", "standby"]
"""The kinds of servers to connect to: those that accept writes, standbys, or both."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far a replica may be behind: in seconds and in bytes of the log. `outage` is how many more seconds are
    accepted while the primary cannot be reached."""

    seconds: float = 1.0
    size: int = 16 * 1024**2
    outage: float = 0.0


@dataclass(frozen=True, slots=True)
class Topology:
    """`places` are hosts and ports of the primary; without any, the parameters name it. `pooled`: there is a pooler in
    transaction mode, and `direct` bypasses it; `prepared`: the pooler supports prepared statements."""

    role: Role = "any"
    places: Sequence[tuple[str, int]] = ()
    pooled: bool = False
    prepared: bool = False
    direct: Parameters | None = None
    replicas: Sequence[Parameters] = ()
    freshness: Freshness = Freshness()


ALONE = Topology()
"""One server, whatever its role."""


@dataclass(frozen=True, slots=True)
class ServerUse:
    """The reads of content on one server: whether it is in use, its lag in seconds and in bytes (None while it is
    unknown), the number of reads, and how many of these failed and were repeated on the primary."""

    name: str
    used: bool
    seconds: float
    size: int | None
    reads: int
    failed: int
