"""The option `--update-golden`: replaces the expectations of golden cases by the actual results. Never in CI."""

import os

import pytest

OPTION = "--update-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="write the golden files anew from what is found")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(OPTION) and os.environ.get("CI"):
        raise pytest.UsageError(f"{OPTION} is not for CI: golden files change in commits that people read")
