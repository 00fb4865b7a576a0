"""`server.allowedHosts`: settings, profiles, and cached responses."""

from pathlib import Path

import pytest

from octavo.operations.runtime.options import http_options
from octavo.settings import load_settings
from tests.api.rest.conftest import OpenClub
from tests.models.club import NEVER, SAFE, SECRETS

pytestmark = pytest.mark.anyio

URL = {"OCTAVO_SERVER__URL": "https://cms.example.org"}
LISTED = {"OCTAVO_SERVER__ALLOWED_HOSTS": '["other.example"]'}
ANY = {"OCTAVO_SERVER__ALLOWED_HOSTS": '["*"]'}
V4 = {"OCTAVO_API__COMPAT__PROFILE": "v4"}
HOSTS = ("cms.example.org", "other.example", "evil.example", "octavo:1337", "192.0.2.7", "localhost", "[::1]:1337")
EVERY, LOOPBACK = {*HOSTS}, {"localhost", "[::1]:1337"}


@pytest.mark.parametrize(
    "variables, allowed",
    [
        (V4, EVERY),
        (V4 | URL, EVERY),
        (V4 | LISTED, {"other.example"} | LOOPBACK),
        (V4 | URL | LISTED, {"cms.example.org", "other.example"} | LOOPBACK),
        (V4 | URL | ANY, EVERY),
        (SAFE, {"octavo:1337", "192.0.2.7"} | LOOPBACK),
        (SAFE | URL, {"cms.example.org"} | LOOPBACK),
        (SAFE | LISTED, {"other.example"} | LOOPBACK),
        (SAFE | URL | LISTED, {"cms.example.org", "other.example"} | LOOPBACK),
        (SAFE | URL | ANY, EVERY),
    ],
)
def test_hosts_of_settings_and_profiles(tmp_path: Path, variables: dict[str, str], allowed: set[str]) -> None:
    hosts = http_options(load_settings(tmp_path, SECRETS | variables, mode="production")).allowed_hosts
    assert {host for host in HOSTS if hosts is None or hosts.allow(host.encode())} == allowed


async def test_a_foreign_host_gets_no_answer_that_is_known_already(new_club: OpenClub) -> None:
    """In REST and GraphQL, whatever was requested before; health checks accept any host."""
    club = await new_club(**NEVER, **SAFE, **URL)
    await club.grant("public", "plugin::users-permissions.user.find")
    ours, foreign = (("Host", "cms.example.org"),), (("Host", "evil.example"),)
    for method, target, body in (
        ("GET", "/api/users", None),
        ("POST", "/graphql", {"query": "{ usersPermissionsUsers { data { id } } }"}),
    ):
        for _ in range(3):  # from the second time on, the response comes from a cache that does not parse the request
            assert (await club.ask(method, target, body, headers=ours)).status == 200
        for headers in (foreign, (("Host", "evil.example:443"),), (("Host", ""),)):
            refused = await club.ask(method, target, body, headers=headers)
            assert refused.status == 400, (target, headers)
            assert "server.allowedHosts" in refused.json["error"]["message"]
        assert (await club.ask(method, target, body, headers=ours)).status == 200
    assert [(await club.ask("GET", path, headers=foreign)).status for path in ("/_health", "/_ready")] == [204, 200]


@pytest.mark.parametrize("path", ["/_ready/more", "/_status", "/metrics", "/admin", "/uploads/x.png", "/_healthy"])
async def test_only_the_two_health_checks_are_exempt(new_club: OpenClub, path: str) -> None:
    club = await new_club(**NEVER, **SAFE, **URL)
    assert (await club.ask("GET", path, headers=(("Host", "evil.example"),))).status == 400
