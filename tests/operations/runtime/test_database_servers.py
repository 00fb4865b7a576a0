"""The database servers in the settings."""

from pathlib import Path

import pytest

from octavo.database.topology import Freshness
from octavo.operations.runtime.database_servers import direct_server, read_servers
from octavo.settings import Settings, SettingsError, load_settings


def settings(folder: Path, text: str) -> Settings:
    config = folder / "config"
    config.mkdir()
    (config / "database.toml").write_text(f'client = "postgres"\nname = "n"\nuser = "u"\npassword = "p"\n{text}\n')
    return load_settings(folder, environment={})


def test_one_server(tmp_path: Path) -> None:
    servers = read_servers(settings(tmp_path, 'host = "db"'))
    assert servers.parameters == {
        "host": "db",
        "port": 5432,
        "user": "u",
        "password": "p",
        "database": "n",
        "ssl": "prefer",
    }
    topology = servers.topology
    assert (topology.role, topology.places, topology.pooled, topology.direct) == ("primary", (), False, None)
    assert servers.untouched.role == "any"


def test_several_hosts_with_one_primary(tmp_path: Path) -> None:
    given = settings(tmp_path, 'host = "a,b:1"')
    assert read_servers(given).topology.places == (("a", 5432), ("b", 1))
    assert direct_server(given)[1] == (("a", 5432), ("b", 1))


def test_replicas_inherit_the_parameters_of_the_primary(tmp_path: Path) -> None:
    text = 'host = "db"\nreplicas = ["one:1", "postgresql://x:y@two/m?sslmode=require"]\nreplicaLag = 500'
    topology = read_servers(settings(tmp_path, text)).topology
    one, two = topology.replicas
    assert one == {"host": "one", "port": 1, "user": "u", "password": "p", "database": "n", "ssl": "prefer"}
    assert two == {"host": "two", "port": 5432, "user": "x", "password": "y", "database": "m", "ssl": "require"}
    assert topology.freshness == Freshness(0.5, 16 * 1024**2, 0.0)


def test_a_pooler_with_a_direct_connection(tmp_path: Path) -> None:
    given = settings(tmp_path, 'host = "pooler"\nport = 6432\npooler = "transaction"\ndirect = "db"')
    topology = read_servers(given).topology
    assert (topology.role, topology.pooled) == ("primary", True)
    assert topology.direct is not None
    assert (topology.direct["host"], topology.direct["port"]) == ("db", 5432)
    assert direct_server(given)[1] == [("db", 5432)]


@pytest.mark.parametrize(
    "text, message",
    [
        ('pooler = "transaction"', "database.toml: direct: required if `pooler` is `transaction`"),
        ('host = "a:x"', "database.toml: host: expected host or host:port"),
        ('replicas = ["a,b"]', "database.toml: replicas: expected one server in each URL"),
        ('replicas = ["postgresql://u:secret@h"]', "database.toml: replicas: expected the name of the database"),
    ],
)
def test_invalid_settings_are_refused_with_their_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_servers(settings(tmp_path, text))
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
