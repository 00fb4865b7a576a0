"""Hostile requests, equal in every run: no server error, no hang, no leak, an envelope around every error.

A longer run: `python -m tests.robustness.fuzz --help`.
"""

from pathlib import Path

import pytest

from tests.cli.processes import serving
from tests.postgresql_server import PostgresqlServer
from tests.robustness.fuzz import SITES, UNLIMITED, attack
from tests.robustness.hostile import Hostility
from tests.robustness.processor import clock_of
from tests.robustness.sites import blog_site

REQUESTS = 600


@pytest.mark.parametrize("name, seed", [("blog", 11), ("bookshop", 12)])
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_hostile_requests_do_no_harm(
    request: pytest.FixtureRequest, tmp_path: Path, database: str, name: str, seed: int
) -> None:
    server: PostgresqlServer | None = None
    if database == "postgresql":
        server = request.getfixturevalue("postgresql_server")
    site = SITES[name](tmp_path, server)
    with serving("start", site.folder, **site.variables, **UNLIMITED) as served:
        verdict = attack(served.port, site, seed, REQUESTS, clock_of(served.process.pid))
        code, output = served.stop()
    assert verdict.failures == []
    assert code == 0
    assert "Traceback" not in output
    assert verdict.statuses[200] > REQUESTS / 6, "hardly anything is understood: the requests are not hostile enough"


def test_the_same_seed_makes_the_same_requests(tmp_path: Path) -> None:
    site = blog_site(tmp_path)
    first, again, other = (list(Hostility(site.registry, site.callers, seed).requests(200)) for seed in (1, 1, 2))
    assert first == again != other
