"""Another database is a dialect module and a driver: MySQL gets no SQL of other databases, and no other module has such
SQL.
"""

import ast
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import octavo
from benchmarks.client import Client
from benchmarks.world import QUERIES
from benchmarks.write import LARGE, SMALL
from octavo.access.authorization.role_grants import grants_statement
from octavo.database.synchronize import duplicates_text, orphans_text
from octavo.query.plan.nesting import nesting
from octavo.query.sql.ddl.changes import CreateIndex, difference
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.dialects.mysql import MYSQL
from octavo.query.sql.read.select import compile_read
from octavo.query.sql.read.select_signed_urls import MarkedUrlsCompiler
from octavo.query.sql.write import files, locales
from octavo.query.sql.write.change import ChangeCompiler
from octavo.query.sql.write.present_state import compile_facts
from octavo.schema.registry import Registry
from tests.golden.test_golden import CASES, read_request
from tests.models.bookshop import BOOK, FULL_TOKEN
from tests.models.site import open_bookshop
from tests.query.sql.ddl.test_changes import KEY, PARTIAL, STATEMENTS
from tests.query.sql.test_raw_statement import own_statements

CONSTANT = re.compile(r"'(?:[^']|'')*'")
FOREIGN = re.compile(
    r"""" | \|\| | :: | [$]\d | \bON\ CONFLICT\b | \bexcluded\. | \bDEFAULT\ VALUES\b | \(VALUES\ \(
    | \bMATERIALIZED\b | \bCAST\([^()]*\ AS\ (?:TEXT|text|BLOB|VARCHAR|INTEGER) | \bNULLS\b
    | (?<![`\w])(?:key|order|schema|row|rank|groups)\b(?!`)""",
    re.VERBOSE,
)
"""Tokens of SQLite and PostgreSQL, and names that are keywords elsewhere. Keywords are uppercase."""


def foreign(text: str) -> list[str]:
    """Return the tokens of other databases in a statement, outside its constants."""
    return FOREIGN.findall(CONSTANT.sub("''", text))


@pytest.mark.parametrize(
    "text",
    ['SELECT "a"', "SELECT a || b", "SELECT $1", "SELECT t.key FROM t", "a ON CONFLICT"],
)
def test_foreign_sql_is_found(text: str) -> None:
    assert foreign(text)
    assert not foreign(f"SELECT `key`, '{text}' FROM t")


class Overheard:
    """Compiles each statement of a site for MySQL, too."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.texts: set[str] = set()
        steps = ChangeCompiler.steps

        def read(plan: Any, registry: Registry, *rest: Any, **named: Any) -> str:
            self.texts.add(compile_read(plan, registry, MYSQL, *rest[1:], **named))
            self.texts.add(
                compile_read(
                    plan,
                    registry,
                    MYSQL,
                    2**20,
                    nesting(plan),
                    2**20,
                    make=partial(MarkedUrlsCompiler, url_mark="mark"),
                )
            )
            return compile_read(plan, registry, *rest, **named)

        def facts(facts: Any, registry: Registry, dialect: Any) -> Any:
            self.texts |= {statement.text for statement in compile_facts(facts, registry, MYSQL)}
            return compile_facts(facts, registry, dialect)

        def change(compiler: ChangeCompiler, change: Any) -> Any:
            other = ChangeCompiler(compiler.registry, MYSQL)
            self.texts |= {step.statement.text for step in steps(other, change)}
            return steps(compiler, change)

        patch.setattr("octavo.content.reader.compile_read", read)
        patch.setattr("octavo.content.input.prefetch.compile_facts", facts)
        patch.setattr(ChangeCompiler, "steps", change)


@pytest.mark.anyio
async def test_all_statements_of_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = await open_bookshop(tmp_path / "bookshop", {})
    overheard = Overheard(monkeypatch)
    for case in sorted(CASES.glob("*.http")):
        await site.get(*read_request(case.stem))
    for query in QUERIES.values():
        await site.get(f"/api/books?{query}", FULL_TOKEN)
    reads = len(overheard.texts)
    asgi = site.octavo.asgi
    for data in (LARGE, SMALL, LARGE | {"author": 2, "genres": [3, 1], "cover": None, "chapters": []}):
        await Client(asgi, "POST", "/api/books", data).send()
        await Client(asgi, "PUT", "/api/books/1", data).send()
    await Client(asgi, "DELETE", "/api/books/1").send()
    await site.database.close()
    assert reads > 30
    assert len(overheard.texts) > reads + 20
    assert {text: found for text in overheard.texts if (found := foreign(text))} == {}


def written(registry: Registry) -> Iterator[str]:
    """Yield the statements that functions write, and the changes of tables."""
    for module in (files, locales):
        for name, compile in vars(module).items():
            if name.startswith("compile_") and name != "compile_entries_of_locale":
                texts = compile() if compile.__code__.co_argcount == 0 else compile(MYSQL)
                yield from (texts,) if isinstance(texts, str) else texts
    yield locales.compile_entries_of_locale(registry.content_types[BOOK], MYSQL)
    yield grants_statement(MYSQL)
    yield duplicates_text(MYSQL, "t", ("a", "order"))
    yield orphans_text(MYSQL, "t", KEY)
    changes = difference(physical_tables(wanted_tables(registry), MYSQL), {}, MYSQL)
    for change in (*changes, *(one for one in STATEMENTS if one != CreateIndex("t", PARTIAL))):
        yield from change.statements(MYSQL)


def test_all_statements_of_functions(registry: Registry) -> None:
    texts = [*written(registry), *(one.render(MYSQL)[0] for _, one in own_statements())]
    assert {text: found for text in texts if (found := foreign(text))} == {}


SQL = re.compile(
    r"\bON CONFLICT\b|\bRETURNING\b|\bexcluded\.|\bDEFAULT VALUES\b|'\s*\|\| |\bVALUES\s+\{values|\bPRAGMA\b"
)
DRIVERS = ("query/sql/dialects/", "database/sqlite", "database/postgresql", "database/mysql", "operations/backups/")


def test_no_other_module_contains_sql_of_one_database() -> None:
    root = Path(octavo.__file__).parent
    found = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in root.rglob("*.py")
        if not path.relative_to(root).as_posix().startswith(DRIVERS)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    ]
    assert found == []
