"""The table of timeouts in docs/operating.md, and the files and settings that it names."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from granian.http import HTTP1Settings

ROOT: Final = Path(__file__).parents[1]
IDLE_SECONDS: Final = HTTP1Settings().header_read_timeout / 1000
"""Seconds after which the server closes an idle connection."""
_ROW: Final = re.compile(
    r"^\|[^|]*\| (?P<purpose>[^|]+) \| `(?P<value>[^`]+)`[^|]*\| (?P<place>[^|]+) \|$",
    re.MULTILINE,
)
_NAMES: Final = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """A timeout: purpose, value, the name of the directive or setting, and its file."""

    purpose: str
    value: str
    name: str
    file: str


def rows() -> Iterator[Row]:
    section = (ROOT / "docs/operating.md").read_text("utf-8").partition("\n## Timeouts\n")[2].partition("\n## ")[0]
    for found in _ROW.finditer(section):
        name, file = [*_NAMES.findall(found["place"]), "", ""][:2]
        yield Row(found["purpose"], found["value"], name, file)


ROWS: Final = tuple(rows())


@pytest.mark.parametrize("row", [row for row in ROWS if row.file.startswith("examples/")], ids=lambda row: row.purpose)
def test_example_files_follow_the_table(row: Row) -> None:
    text = (ROOT / row.file).read_text("utf-8")
    found = re.findall(rf"(?<![\w-]){re.escape(row.name)}[ =]([0-9][0-9a-z]*)", text)
    assert set(found) == {row.value}


@pytest.mark.parametrize("row", [row for row in ROWS if row.file.startswith("config/")], ids=lambda row: row.purpose)
def test_settings_follow_the_table(row: Row) -> None:
    table, _, name = row.name.rpartition(".")
    page = (ROOT / "docs/settings.md").read_text("utf-8")
    section = page.partition(f"\n## {row.file}\n")[2].partition("\n## ")[0]
    section = section.partition(f"\n### [{table}]\n")[2] if table else section
    line = re.search(rf"^\| `{name}` \| `([^`]+)` \|", section.partition("\n### ")[0], re.MULTILINE)
    assert line is not None
    assert line[1] == row.value


def test_proxies_close_idle_connections_clearly_before_the_server() -> None:
    idle = [row for row in ROWS if row.purpose.startswith("idle connection,") and "http-keep-alive" not in row.name]
    own = next(row for row in idle if not row.name)
    assert float(own.value.removesuffix("s")) == IDLE_SECONDS
    proxies = [row for row in idle if row.name]
    assert len(proxies) == 4
    assert all(float(row.value.removesuffix("s")) <= IDLE_SECONDS * 2 / 3 for row in proxies)


def test_no_other_timeout_is_in_the_files() -> None:
    """The table is complete for connections that proxies keep open."""
    kept = re.compile(r"^\s*(keepalive_timeout|keepalive \d+s|timeout http-keep-alive)", re.MULTILINE)
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "examples").rglob("*") if path.is_file()}
    named = {row.file for row in ROWS}
    assert {name for name in files if kept.search((ROOT / name).read_text("utf-8", "ignore"))} <= named
