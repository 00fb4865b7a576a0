"""Topology: which servers of PostgreSQL there are of one database, and what stands before them.

Parameters are what asyncpg's `connect` takes: `host`, `port`, `user`, `password`, `database`, `ssl`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from octavo.core.values import dataclass

Parameters: TypeAlias = Mapping[str, Any]

Role: TypeAlias = Literal["any", "primary", "standby"]
"""Which servers will do: those that take writes, those that follow another one, or both."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How far a replica may be behind: in seconds and in bytes of the log. `outage` is how many seconds longer while
    the primary cannot be reached."""

    seconds: float = 1.0
    size: int = 16 * 1024**2
    outage: float = 0.0


@dataclass(frozen=True, slots=True)
class Topology:
    """`places` are hosts and ports that the primary may be at; without any it is where the parameters say. `pooled`: a
    pooler in transaction mode stands there, and `direct` is the way past it; `prepared`: it keeps prepared
    statements there."""

    role: Role = "any"
    places: Sequence[tuple[str, int]] = ()
    pooled: bool = False
    prepared: bool = False
    direct: Parameters | None = None
    replicas: Sequence[Parameters] = ()
    freshness: Freshness = Freshness()


ALONE = Topology()
"""One server, whatever it is."""


@dataclass(frozen=True, slots=True)
class ServerUse:
    """How reads of content fare on one server: whether it is read from, how far it is behind in seconds and bytes, how
    many were sent there, and how many of these failed and were sent to the primary."""

    name: str
    used: bool
    seconds: float
    size: int
    reads: int
    failed: int
