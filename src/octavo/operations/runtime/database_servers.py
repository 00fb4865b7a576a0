"""Database servers in the settings: primary, direct address past a pooler, replicas. Raises SettingsError."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.topology import Freshness, Parameters, Topology
from octavo.operations.runtime.database_certificates import certificates_of
from octavo.settings import Settings, SettingsError, SettingsProblem
from octavo.settings.database_url import read_database_url
from octavo.settings.variable_files import read_value

EXPECTED: Final = "host or host:port"
_PORTS: Final = range(1, 65536)


def read_places(text: str, port: int) -> tuple[tuple[str, int], ...]:
    """Return host and port of each server. `port` is the default."""
    return tuple(_place(part.strip(), port) for part in text.split(","))


def _place(text: str, port: int) -> tuple[str, int]:
    if text.startswith("/") or (text.count(":") > 1 and not text.startswith("[")):
        return text, port
    host, colon, number = text.rpartition(":") if not text.endswith("]") else (text, "", "")
    if not colon:
        host = text
    elif not number.isdecimal() or int(number) not in _PORTS:
        raise ValueError(EXPECTED)
    host = host.removeprefix("[").removesuffix("]")
    if not host:
        raise ValueError(EXPECTED)
    return host, int(number) if colon else port


_PARAMETERS = {"host": "host", "port": "port", "user": "user", "password": "password", "name": "database", "ssl": "ssl"}


@dataclass(frozen=True, slots=True)
class PasswordFile:
    """A password that the driver reads for each new connection. `is_url`: the file contains a database URL.

    `known` is the password that the settings were loaded with. It is used while the file cannot be read.
    """

    path: Path
    is_url: bool
    known: str | None

    def __call__(self) -> str | None:
        """Return the password."""
        try:
            text = read_value(self.path)
            return read_database_url(text).get("password") if self.is_url else text
        except (OSError, ValueError):
            return self.known


def _password(settings: Settings) -> PasswordFile | str | None:
    path, known = settings.value_files.get(("database", "password")), settings.database.password
    if path is None or known is None:
        return known
    return PasswordFile(path, settings.value_files.get(("database", "url")) == path, known)


@dataclass(frozen=True, slots=True)
class Servers:
    """Connection parameters and topology for the driver."""

    parameters: Parameters
    topology: Topology

    @property
    def untouched(self) -> Topology:
        """The topology for read-only inspection: any server that responds."""
        return replace(self.topology, role="any", replicas=())


def read_servers(settings: Settings) -> Servers:
    """Return the servers in the settings, with the direct address past a pooler where one is set."""
    options = settings.database
    places = _places("host", options.host, options.port)
    if len(places) > 1 and options.is_mysql:
        raise _wrong("host", "expected one server: several hosts are not supported on MySQL and MariaDB")
    host, port = places[0]
    parameters: dict[str, Any] = {
        "host": host,
        "port": port,
        "user": options.user,
        "password": _password(settings),
        "database": options.name,
        "ssl": certificates_of(options, settings.project, settings.value_files),
    }
    pooled = options.pooler != "none"
    if pooled and options.direct is None:
        raise _wrong("direct", f"required if `pooler` is `{options.pooler}`: table changes bypass the pooler")
    topology = Topology(
        role="primary",
        places=places if len(places) > 1 else (),
        pooled=pooled,
        prepared=options.pooler == "prepared",
        direct=_server("direct", options.direct, parameters) if pooled and options.direct else None,
        replicas=[_server("replicas", text, parameters) for text in options.replicas],
        freshness=Freshness(options.replica_lag / 1000, outage=options.replica_outage / 1000),
    )
    return Servers(parameters, topology)


def direct_server(settings: Settings) -> tuple[Parameters, Sequence[tuple[str, int]]]:
    """Return the direct address of PostgreSQL for its client programs: parameters, and hosts with ports."""
    servers = read_servers(settings)
    parameters = servers.topology.direct or servers.parameters
    password = parameters["password"]
    parameters = {**parameters, "password": password() if isinstance(password, PasswordFile) else password}
    return parameters, servers.topology.places or [(parameters["host"], parameters["port"])]


def _server(key: str, text: str, parameters: Parameters) -> Parameters:
    """Return the parameters of one server: those in its URL, the others as given."""
    if "://" not in text:
        places = _places(key, text, 5432)
        if len(places) > 1:
            raise _wrong(key, "expected one server in each URL")
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
