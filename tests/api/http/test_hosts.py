"""Allowed hosts of requests, in the application and at its routes."""

import asyncio
import logging

import pytest

from octavo.api.http.hosts import AllowedHosts, RefusedHosts, allowed_hosts, host_of
from octavo.api.http.options import HttpOptions
from octavo.api.http.proxies import TrustedProxies
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from tests.api.http.asgi import answer_path_values, app_with, call, receiver, scope_of

PUBLIC = "https://cms.example.org:8443"
LISTED = ("Other.example.", "*.example.net", "192.0.2.7", "[FD00:0::7]", "m\u00fcnchen.example")


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST:1337", "app.localhost", "127.0.0.1:80", "127.9.9.9", "[::1]:1337"),
        *("cms.example.org", "CMS.example.org.:8443", "other.example", "example.net", "a.b.example.net", "192.0.2.7"),
        *("[FD00::7]:80", "xn--mnchen-3ya.example", "other.example:", "[::ffff:127.0.0.1]"),
    ],
)
def test_allowed(host: str) -> None:
    assert allowed_hosts(PUBLIC, LISTED, guesses=True).allow(host.encode())


@pytest.mark.parametrize(
    "host",
    [
        *("", " ", "evil.example", "cms.example.org.evil.example", "evilexample.net", "localhost.evil.example"),
        *("192.0.2.8", "[::2]", "[::1", "[::1]x", "localhost:x", "a@localhost", "localhost evil", "octavo", "a" * 300),
        *("127.0.0.1.evil.example", "0x7f.1", "cms.example.org\\evil", "xn--", "\xe9.example", "other.example:999999"),
    ],
)
def test_refused(host: str) -> None:
    assert not allowed_hosts(PUBLIC, LISTED, guesses=True).allow(host.encode("latin-1"))


def test_without_a_host_that_is_configured_addresses_and_plain_names_are_allowed() -> None:
    hosts = allowed_hosts("", (), guesses=True)
    assert [hosts.allow(host) for host in (b"octavo:1337", b"192.168.1.5", b"[fd00::1]:80")] == [True] * 3
    assert not hosts.allow(b"evil.example")
    assert not allowed_hosts("", (), guesses=False).allow(b"192.168.1.5")


def test_any_host_and_no_host() -> None:
    assert AllowedHosts(("*",)).allow(b"evil.example")
    assert AllowedHosts(()).allow(None), "clients without a Host header are not browsers"
    assert host_of("Example.com.:80") == "example.com"


@pytest.mark.parametrize("text", ["https://cms.example", "cms.example:80", ".example.com", "*.", "", "a b", "*.*"])
def test_settings_refuse_invalid_hosts(text: str) -> None:
    with pytest.raises(ValueError, match="is not a host"):
        AllowedHosts((text,))


def test_the_cache_of_hosts_is_limited() -> None:
    hosts = AllowedHosts(("a.example",))
    for number in range(5000):
        assert not hosts.allow(b"%d.example" % number)
    assert len(hosts._known) <= 1024
    assert hosts.allow(b"a.example")


async def answer_ok(request: Request) -> Response:
    return Response(200)


@pytest.mark.parametrize(
    "path, headers, status",
    [
        ("/here", [("Host", "cms.example")], 200),
        ("/here", [("Host", "evil.example")], 400),
        ("/nowhere", [("Host", "evil.example")], 400),
        ("/_health", [("Host", "10.0.0.5:1337")], 204),
        ("/_HEALTH/", [("Host", "10.0.0.5:1337")], 204),
        ("/here", [("Host", "cms.example"), ("X-Forwarded-Host", "evil.example")], 400),
        ("/here", [("Host", "upstream"), ("X-Forwarded-Host", "a, cms.example")], 200),
    ],
)
def test_requests(path: str, headers: list[tuple[str, str]], status: int) -> None:
    options = HttpOptions(allowed_hosts=AllowedHosts(("cms.example",)), trusted_proxies=TrustedProxies(["192.0.2.1"]))
    answer = asyncio.run(call(app_with(answer_ok, "GET", options), "GET", path, headers))
    assert answer.status == status
    if status == 400:
        assert "server.allowedHosts" in answer.json["error"]["message"]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_proxy_on_a_unix_socket_forwards_host_and_client(trusted: bool) -> None:
    scope = {**scope_of("GET", "/", [("Host", "a"), ("X-Forwarded-Host", "b"), ("X-Forwarded-For", "203.0.113.1")])}
    request = Request(scope | {"client": None}, receiver(()), HttpOptions(trusted_proxies=TrustedProxies(unix=trusted)))
    found = request.host, request.client, request.client_key
    assert found == ((b"b", "203.0.113.1", "203.0.113.1") if trusted else (b"a", "", None))


def test_the_host_that_an_untrusted_client_forwards_does_not_count() -> None:
    options = HttpOptions(allowed_hosts=AllowedHosts(("cms.example",)))
    headers = [("Host", "evil.example"), ("X-Forwarded-Host", "cms.example")]
    assert asyncio.run(call(app_with(answer_ok, "GET", options), "GET", "/here", headers)).status == 400


def test_refused_hosts_are_logged_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "octavo.api.http")
    refused = RefusedHosts()
    for number in range(1000):
        refused.note(b"%d.evil.example" % number, "one", 10.0 + number / 2000)
    refused.note(b"x" * 5000, "two", 12.0)
    refused.note(None, "three", 14.0)
    advice = "; add the host to server.allowedHosts if it is yours"
    assert [record.getMessage() for record in caplog.records] == [
        f"Rejected the Host header '0.evil.example' of request one{advice}",
        f"Rejected the Host header '{'x' * 100}' of request two{advice} (999 more requests refused before)",
        f"Rejected the Host header '' of request three{advice}",
    ]


def test_the_application_logs_them_so(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "octavo.api.http")
    app = app_with(answer_path_values, "GET", HttpOptions(allowed_hosts=AllowedHosts(())))

    async def ask_often() -> None:
        for _ in range(200):
            assert (await call(app, "GET", "/here", [("Host", "evil.example")])).status == 400

    asyncio.run(ask_often())
    assert 1 <= sum("evil.example" in record.getMessage() for record in caplog.records) < 200
