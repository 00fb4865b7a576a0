"""Proxies with the configuration in `examples/proxies` on their own ports, and a TLS client for them."""

import http.client
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.cli.processes import PATIENCE, free_port
from tests.cluster import programs

HOST: Final = "cms.example.org"
LOG: Final = "log"
"""The socket in a proxy's folder that replaces /dev/log."""
EXAMPLES: Final = Path(__file__).parents[2] / "examples/proxies"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its port, and the certificates that clients trust."""

    name: str
    http_port: int
    https_port: int
    certificate: Path
    source: str = field(default="127.0.0.2", kw_only=True)

    def connect(self, source: str = "") -> http.client.HTTPConnection:
        """Connect from an address of this machine."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        plain = socket.create_connection(
            ("127.0.0.1", self.https_port), timeout=PATIENCE, source_address=(source or self.source, 0)
        )
        connection = http.client.HTTPConnection(HOST)
        connection.sock = context.wrap_socket(plain, server_hostname=HOST)
        return connection

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        source: str = "",
    ) -> Answer:
        connection = self.connect(source)
        try:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Create a self-signed certificate and its key for the examples' host."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "certificate.pem").write_bytes(pem)
    (folder / "key.pem").write_bytes(secret)
    (folder / "both.pem").write_bytes(pem + secret)
    return folder / "certificate.pem", folder / "key.pem"


def _example(name: str, *changes: tuple[str, str]) -> str:
    """Return an example with other ports and certificates. Each replaced text must exist."""
    text = (EXAMPLES / name).read_text("utf-8")
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert count, f"{name} has no {pattern}"
    return text


def _at(upstream: int | str) -> str:
    """Return a service's address in the proxy's syntax: a local port, or a Unix socket."""
    return f"127.0.0.1:{upstream}" if isinstance(upstream, int) else upstream


def _caddy(folder: Path, plain: int, secure: int, *upstreams: int | str) -> tuple[Path, tuple[str, ...]]:
    site = _example(
        "Caddyfile",
        (r"127\.0\.0\.1:1337", _at(upstreams[0])),
        (r"^cms\.example\.org \{", f"{HOST} {{\n\ttls {folder}/certificate.pem {folder}/key.pem"),
    )
    own = f"{{\n\tadmin off\n\thttp_port {plain}\n\thttps_port {secure}\n}}\n"
    (folder / "Caddyfile").write_text(own + site, "utf-8")
    return folder / "Caddyfile", ("run", "--adapter", "caddyfile", "--config")


def _nginx(folder: Path, plain: int, secure: int, *upstreams: int | str) -> tuple[Path, tuple[str, ...]]:
    servers = "\n\t".join(f"server {_at(one)} max_fails=0;" for one in upstreams)
    site = _example(
        "nginx.conf",
        (r"server 127\.0\.0\.1:1337 max_fails=0;", servers),
        (r"listen 80;", f"listen 127.0.0.1:{plain};"),
        (r"listen 443 ", f"listen 127.0.0.1:{secure} "),
        (r"/etc/letsencrypt/live/cms\.example\.org/fullchain\.pem", f"{folder}/certificate.pem"),
        (r"/etc/letsencrypt/live/cms\.example\.org/privkey\.pem", f"{folder}/key.pem"),
    )
    return write_nginx(folder, site)


def write_nginx(folder: Path, site: str) -> tuple[Path, tuple[str, ...]]:
    """Write a whole configuration around a site's; return its file and nginx's options."""
    folders = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    own = f"daemon off;\npid {folder}/pid;\nerror_log stderr;\nuser root;\nevents {{ worker_connections 4096; }}\n"
    own += f"http {{\naccess_log off;\n{folders}{site}}}\n"
    (folder / "nginx.conf").write_text(own, "utf-8")
    return folder / "nginx.conf", ("-p", str(folder), "-e", "stderr", "-c")


def _haproxy(folder: Path, plain: int, secure: int, *upstreams: int | str) -> tuple[Path, tuple[str, ...]]:
    own = _example(
        "haproxy.cfg",
        (r"server one 127\.0\.0\.1:1337", f"server one {_at(upstreams[0])}"),
        (r"bind :80$", f"bind 127.0.0.1:{plain}"),
        (r"bind :443 ", f"bind 127.0.0.1:{secure} "),
        (r"/etc/haproxy/cms\.example\.org\.pem", f"{folder}/both.pem"),
        (r"log /dev/log ", f"log {folder}/{LOG} "),
        (r"/run/haproxy/admin\.sock", f"{folder}/admin"),
        (r"^\t(chroot /var/lib/haproxy|user haproxy|group haproxy)\n", ""),  # which require root
    )
    (folder / "haproxy.cfg").write_text(own, "utf-8")
    return folder / "haproxy.cfg", ("-db", "-f")


CONFIGURED: Final[Mapping[str, Callable[..., tuple[Path, tuple[str, ...]]]]] = {
    "caddy": _caddy,
    "nginx": _nginx,
    "haproxy": _haproxy,
}


@contextmanager
def running(name: str, program: Path, folder: Path, *upstreams: int | str) -> Iterator[Proxy]:
    """Run one of the proxies in front of the service at a port; nginx takes the ports of several nodes."""
    certificate, _ = make_certificate(folder)
    plain, secure = free_port(), free_port()
    file, options = CONFIGURED[name](folder, plain, secure, *upstreams)
    own = ("/usr/bin/env", f"XDG_CONFIG_HOME={folder}", f"XDG_DATA_HOME={folder}", program)  # Caddy's storage
    with programs.running(*own, *options, file, port=secure, log=folder / f"{name}.log"):
        yield Proxy(name, plain, secure, certificate)
