"""Which servers of PostgreSQL the settings name: the primary, the way past a pooler, replicas. Raises SettingsError."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from octavo.core.values import dataclass
from octavo.database.topology import Freshness, Parameters, Topology
from octavo.operations.runtime.database_ssl import ssl_of
from octavo.settings import Settings, SettingsError, SettingsProblem
from octavo.settings.addresses import read_places
from octavo.settings.database_url import read_database_url

_PARAMETERS = {"host": "host", "port": "port", "user": "user", "password": "password", "name": "database", "ssl": "ssl"}


@dataclass(frozen=True, slots=True)
class Servers:
    """What the driver is told of them."""

    parameters: Parameters
    topology: Topology

    @property
    def untouched(self) -> Topology:
        """For who only looks: whatever answers will do."""
        return replace(self.topology, role="any", replicas=())


def read_servers(settings: Settings) -> Servers:
    """The servers of the settings, past a pooler for each of them where one is named."""
    options = settings.database
    places = _places("host", options.host, options.port)
    host, port = places[0]
    parameters: dict[str, Any] = {
        "host": host,
        "port": port,
        "user": options.user,
        "password": options.password,
        "database": options.name,
        "ssl": ssl_of(options, settings.project),
    }
    pooled = options.pooler != "none"
    if pooled and options.direct is None:
        raise _wrong("direct", f"needed where `pooler` is `{options.pooler}`: changes of tables go past the pooler")
    topology = Topology(
        role="primary",
        places=places if len(places) > 1 else (),
        pooled=pooled,
        prepared=options.pooler == "prepared",
        direct=_server("direct", options.direct, parameters) if pooled and options.direct else None,
        replicas=[_server("replicas", text, parameters) for text in options.replicas],
        freshness=Freshness(options.replica_lag / 1000, options.replica_lag_bytes, options.replica_outage / 1000),
    )
    return Servers(parameters, topology)


def direct_server(settings: Settings) -> tuple[Parameters, Sequence[tuple[str, int]]]:
    """Where PostgreSQL itself is, for its tools: the parameters, and hosts and ports."""
    servers = read_servers(settings)
    found = servers.topology.direct or servers.parameters
    return found, servers.topology.places or [(found["host"], found["port"])]


def _server(key: str, text: str, parameters: Parameters) -> Parameters:
    """The parameters of one server: those that its address names, the others as given."""
    if "://" not in text:
        places = _places(key, text, 5432)
        if len(places) > 1:
            raise _wrong(key, "expected one server in each address")
        return {**parameters, "host": places[0][0], "port": places[0][1]}
    try:
        read = read_database_url(text)
    except ValueError as error:
        raise _wrong(key, f"expected {error}") from None
    named = {_PARAMETERS[name]: value for name, value in read.items() if name in _PARAMETERS}
    return {**parameters, "port": 5432, **named, **({"port": int(named["port"])} if "port" in named else {})}


def _places(key: str, text: str, port: int) -> tuple[tuple[str, int], ...]:
    try:
        return read_places(text, port)
    except ValueError as error:
        raise _wrong(key, f"expected {error}") from None


def _wrong(key: str, problem: str) -> SettingsError:
    return SettingsError([SettingsProblem("config/database.toml", key, problem)])
