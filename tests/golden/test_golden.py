"""Golden cases of three files: a request (.http), the statements on each database (.sql), and the response (.json).

`pytest tests/golden --update-golden` writes them again. Review the diff before you commit it.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from octavo.database.connection import Row
from octavo.database.sqlite import SqliteDatabase
from octavo.query.sql.dialects.mysql import MySQLDialect
from tests.golden.layout import lay_out
from tests.golden.option import OPTION
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

CASES = Path(__file__).parent / "cases"


@dataclass
class Sent:
    """Records the statements of a database."""

    statements: list[tuple[str, Sequence[Any]]] = field(default_factory=list)

    def listen(self, site: Site, patch: pytest.MonkeyPatch) -> None:
        contents = site.database.contents
        names = (
            ("fetch_row", "fetch_json") if isinstance(contents, SqliteDatabase) else ("fetch_row",)
        )  # which reads rows and JSON
        for name in names:
            fetch = getattr(contents, name)

            async def listening(text: str, values: Sequence[Any] = (), *, fetch: Any = fetch, **named: Any) -> Row:
                self.statements.append((text, values))
                row: Row = await fetch(text, values, **named)
                return row

            patch.setattr(contents, name, listening)

    def written(self) -> str:
        if not self.statements:
            return "-- nothing is said\n"
        [(text, values)] = self.statements
        assert "".join(lay_out(text).split()) == "".join(text.split())
        parameters = "".join(f"\n-- {number}: {value!r}" for number, value in enumerate(values, 1))
        return f"{lay_out(text)};{parameters}\n"


def read_request(case: str) -> tuple[str, str | None]:
    """Return path with query, and token. Lines that begin with `?` or `&` continue the query."""
    lines = (CASES / f"{case}.http").read_text(encoding="utf-8").splitlines()
    target = "".join(line.strip() for line in lines if not line.startswith("Authorization"))
    return target.removeprefix("GET "), FULL_TOKEN if "Authorization: full" in lines else None


def check(path: Path, found: str, read: Callable[[str], Any], *, update: bool) -> None:
    if update:
        path.write_text(found, encoding="utf-8")
    assert read(path.read_text(encoding="utf-8")) == read(found)


@pytest.mark.anyio
@pytest.mark.parametrize("case", sorted(path.stem for path in CASES.glob("*.http")))
async def test_golden(warm: Site, case: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    target, token = read_request(case)
    sent = Sent()
    sent.listen(warm, monkeypatch)
    answer = await warm.get(target, token)
    update = bool(pytestconfig.getoption(OPTION))
    dialect = warm.database.dialect
    if not isinstance(dialect, MySQLDialect) or dialect.is_mariadb:  # MySQL has no LIMIT in group_concat
        check(CASES / f"{case}.{dialect.name}.sql", sent.written(), str, update=update)
    body = json.dumps(answer.json, indent=2, ensure_ascii=False) + "\n"
    check(CASES / f"{case}.json", body, json.loads, update=update and dialect.name == "sqlite")


def test_every_file_belongs_to_a_case() -> None:
    cases = {path.stem for path in CASES.glob("*.http")}
    endings = ("http", "sqlite.sql", "postgresql.sql", "mysql.sql", "json")
    expected = {f"{case}.{ending}" for case in cases for ending in endings}
    assert {path.name for path in CASES.iterdir()} == expected
