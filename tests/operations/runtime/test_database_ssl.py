"""Encrypted connections to PostgreSQL: a server with a certificate of a private authority."""

import asyncio
import contextlib
import ssl
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from octavo.core.errors import ServiceUnavailable
from octavo.database import open_database
from octavo.operations.runtime.database_certificates import certificates_of, ssl_of
from octavo.settings import SettingsError
from octavo.settings.files.database import Database
from tests.postgresql_server import database_name

_NOW = datetime.now(UTC)


def certificate(host: str) -> tuple[str, str]:
    """Return a self-signed certificate and its key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_NOW - timedelta(days=1))
        .not_valid_after(_NOW + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return made.public_bytes(pem).decode(), private.decode()


CERTIFICATE, KEY = certificate("localhost")
STRANGER, _ = certificate("localhost")
_, OTHER_KEY = certificate("localhost")


@pytest.mark.parametrize(
    "options, expected",
    [
        (Database(), "prefer"),
        (Database(ssl="disable", ssl_ca=CERTIFICATE), "disable"),
        (Database(ssl="require"), "require"),
        (Database(ssl="require", ssl_ca=CERTIFICATE), (ssl.CERT_NONE, False)),
        (Database(ssl="verify-ca", ssl_ca=CERTIFICATE), (ssl.CERT_REQUIRED, False)),
        (Database(ssl="verify-full", ssl_ca="ca.pem"), (ssl.CERT_REQUIRED, True)),
        (Database(ssl="verify-full"), (ssl.CERT_REQUIRED, True)),
        (Database(ssl="require", ssl_cert=CERTIFICATE, ssl_key=KEY), (ssl.CERT_NONE, False)),
    ],
)
def test_ssl_parameters_of_the_driver(
    options: Database, expected: str | tuple[ssl.VerifyMode, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PGSSLROOTCERT", raising=False)
    (tmp_path / "ca.pem").write_text(CERTIFICATE)
    reported = ssl_of(options, tmp_path)
    assert (reported if isinstance(reported, str) else (reported.verify_mode, reported.check_hostname)) == expected


@pytest.mark.parametrize(
    "options",
    [
        Database(ssl="require", ssl_ca="-----BEGIN CERTIFICATE-----\nnothing"),
        Database(ssl="require", ssl_ca="missing.pem"),
        Database(ssl="require", ssl_cert=CERTIFICATE, ssl_key=OTHER_KEY),
    ],
)
def test_certificates_that_cannot_be_used_stop_the_start(options: Database, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="the certificates cannot be used") as caught:
        ssl_of(options, tmp_path)
    assert "PRIVATE" not in str(caught.value)


@asynccontextmanager
async def encrypting(url: str, folder: Path) -> AsyncIterator[int]:
    """Serve TLS on a port of 127.0.0.1, in front of a server with a Unix socket."""
    (folder / "server.crt").write_text(CERTIFICATE)
    (folder / "server.key").write_text(KEY)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.crt", folder / "server.key")

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)  # PostgreSQL's SSLRequest
        writer.write(b"S")
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await writer.start_tls(context)
            inner_reader, inner_writer = await asyncio.open_unix_connection(f"{unquote(url_host(url))}/.s.PGSQL.5432")
            await asyncio.gather(carry(reader, inner_writer), carry(inner_reader, writer))

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


def url_host(url: str) -> str:
    return parse_qs(urlsplit(url).query)["host"][0]


async def connects(options: Database, port: int, name: str, folder: Path) -> bool:
    """Return whether a client with these options can connect."""
    parameters = {"host": options.host, "port": port, "user": "postgres", "database": name}
    database = open_database(parameters={**parameters, "ssl": ssl_of(options, folder)}, pool_patience=20.0)
    try:
        await database.connect()
    except ServiceUnavailable:
        return False
    finally:
        await database.close()
    return True


@pytest.mark.anyio
async def test_only_trusted_servers_are_used(anyio_backend: str, postgresql_url: str, tmp_path: Path) -> None:
    known, stranger = Database(ssl="verify-full", ssl_ca=CERTIFICATE), Database(ssl="verify-full", ssl_ca=STRANGER)
    elsewhere = replace(known, host="127.0.0.1")
    tried = (known, stranger, elsewhere, replace(elsewhere, ssl="verify-ca"), Database(ssl="require"))
    async with encrypting(postgresql_url, tmp_path) as port:
        name = database_name(postgresql_url)
        assert [await connects(options, port, name, tmp_path) for options in tried] == [True, False, False, True, True]


@pytest.mark.anyio
@pytest.mark.parametrize("form", ["named", "value"])
async def test_new_connections_use_the_current_certificates(
    anyio_backend: str, postgresql_url: str, tmp_path: Path, form: str
) -> None:
    """A replaced authority is used without a restart. Unusable files change nothing."""
    file = tmp_path / "ca.pem"
    file.write_text(STRANGER, "utf-8")
    options = Database(ssl="verify-full", ssl_ca="ca.pem" if form == "named" else STRANGER)
    current = certificates_of(options, tmp_path, {} if form == "named" else {("database", "ssl_ca"): file})
    async with encrypting(postgresql_url, tmp_path) as port:
        parameters = {"host": "localhost", "port": port, "user": "postgres", "database": database_name(postgresql_url)}
        database = open_database(parameters={**parameters, "ssl": current}, pool_patience=20.0)
        try:
            with pytest.raises(ServiceUnavailable):
                await database.connect()
            file.write_text("nothing", "utf-8")
            with pytest.raises(ServiceUnavailable):
                await database.connect()
            (tmp_path / "new.pem").write_text(CERTIFICATE, "utf-8")
            (tmp_path / "new.pem").replace(file)
            await database.connect()
            file.unlink()
            assert await database.fetch_value("SELECT 1") == 1
        finally:
            await database.close()


def test_certificates_are_retried_after_a_temporary_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A missing folder for temporary files represents all causes outside the certificates. It is logged once."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = tmp_path / "cert.pem"
    file.write_text(CERTIFICATE, "utf-8")
    options = Database(ssl="require", ssl_cert=CERTIFICATE, ssl_key=KEY)
    current = certificates_of(options, tmp_path, {("database", "ssl_cert"): file})
    assert callable(current)
    before = current()
    file.write_text(f"{CERTIFICATE}\n", "utf-8")
    tempfile.tempdir = str(tmp_path / "missing")
    assert [current(), current()] == [before, before]
    assert caplog.text.count("Cannot use the changed certificates") == 1
    tempfile.tempdir = str(tmp_path)
    renewed = current()
    assert renewed is not before
    assert current() is renewed
