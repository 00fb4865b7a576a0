"""Authentication at MySQL: with and without encryption, and with the older method."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from octavo.database.mysql import MysqlDatabase
from octavo.operations.runtime.prepare_database import StartFailed, reach_database
from octavo.operations.transfer.mysql.address import read_address
from octavo.operations.transfer.mysql.source import MysqlSource
from tests.mysql_server import MysqlServer

pytestmark = [pytest.mark.anyio, pytest.mark.mysql]
CIPHER = "SHOW STATUS LIKE 'Ssl_cipher'"


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MysqlServer]:
    """A server with a self-signed certificate."""
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = write_certificate(folder)
    server = MysqlServer(f"--ssl-key={key}", f"--ssl-cert={certificate}")
    server.run_sql("CREATE DATABASE n; CREATE USER tls@'%' IDENTIFIED BY 'p' REQUIRE SSL; GRANT ALL ON n.* TO tls@'%'")
    yield server
    server.remove()


def write_certificate(folder: Path) -> tuple[Path, Path]:
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "key").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain))
    (folder / "certificate").write_bytes(certificate.public_bytes(pem))
    return folder / "key", folder / "certificate"


def source(server: MysqlServer, user: str = "tls:p", query: str = "") -> MysqlSource:
    return MysqlSource(read_address(f"mysql://{user}@localhost:{server.port}/n{query}", {}))


@pytest.mark.parametrize("query", ["", "?ssl=require"])
async def test_an_encrypted_connection(encrypted: MysqlServer, query: str) -> None:
    opened = source(encrypted, query=query)
    await opened.connect()
    try:
        assert str(((await opened.fetch_row(CIPHER)) or ())[1]).startswith("TLS_")
    finally:
        await opened.close()


@pytest.mark.parametrize(
    "query, message",
    [("?ssl=disable", r"check user, password and encryption \(ssl=require\)"), ("?ssl=verify-full", "self.signed")],
)
async def test_connections_that_are_refused(encrypted: MysqlServer, query: str, message: str) -> None:
    with pytest.raises(StartFailed, match=message):
        await reach_database(source(encrypted, query=query))


async def test_an_encrypted_connection_of_a_service(encrypted: MysqlServer) -> None:
    database = MysqlDatabase(f"mysql://tls:p@localhost:{encrypted.port}/n", maximum=1)
    await database.connect()
    try:
        assert str(((await database.fetch_row(CIPHER)) or ())[1]).startswith("TLS_")
    finally:
        await database.close()


async def test_a_server_without_encryption(mysql_server: MysqlServer) -> None:
    url = mysql_server.url("mysql")
    opened = MysqlSource(read_address(url))
    await opened.connect()
    try:
        assert ((await opened.fetch_row(CIPHER)) or ())[1] == ""
    finally:
        await opened.close()
    with pytest.raises(StartFailed, match="MySQL at 127"):
        await reach_database(MysqlSource(read_address(f"{url}?ssl=require")))


async def test_a_socket_and_the_older_method(mysql_server: MysqlServer, mysql_name: str) -> None:
    if not mysql_server.is_mariadb:
        pytest.skip("MySQL has removed this method")
    mysql_server.run_sql(
        "CREATE USER old@localhost IDENTIFIED VIA mysql_native_password USING PASSWORD('o\\\\ld ü€');"
        f"GRANT SELECT ON `{mysql_name}`.* TO old@localhost"
    )
    opened = MysqlSource(
        read_address(f"mysql://old:o%5Cld%20%C3%BC%E2%82%AC@/{mysql_name}?socket={mysql_server.socket}")
    )
    await opened.connect()
    try:
        assert await opened.fetch_value("SELECT current_user()") == "old@localhost"
    finally:
        await opened.close()
