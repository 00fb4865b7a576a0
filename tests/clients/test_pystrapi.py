"""Runs pystrapi in the test suite; `make clients` runs the JavaScript libraries."""

from pathlib import Path

from tests.clients.run import magazine


def test_pystrapi(tmp_path: Path) -> None:
    with magazine(tmp_path) as site:
        code, output = site.run("pystrapi_client.py")
    assert code == 0, output
