"""The baseline's ASGI application: each path has one prepared statement, and PostgreSQL builds the JSON."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import asyncpg
import orjson

CONNECTIONS = 10
_TIME = """'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"""


def _object(alias: str, names: str, *more: str) -> str:
    pairs = [f"'{name}', {alias}.{name}" for name in names.split()]
    pairs += [f"'{name}', to_char({alias}.{name}, {_TIME})" for name in ("created_at", "updated_at")]
    return f"json_build_object({', '.join([*pairs, *more])})"


_ARTICLE = "id title slug summary body kind views featured"
_PUBLISHED = f"'published_at', to_char(a.published_at, {_TIME})"
_AUTHOR = f"""(SELECT {_object("w", "id name email bio")} FROM authors w WHERE w.id = a.author_id)"""
_CATEGORIES = f"""(SELECT coalesce(json_agg({_object("c", "id name code")} ORDER BY l.position), '[]')
  FROM articles_categories l JOIN categories c ON c.id = l.category_id WHERE l.article_id = a.id)"""
_FLAT = _object("a", _ARTICLE, _PUBLISHED)
_WITH_CATEGORIES = _object("a", _ARTICLE, _PUBLISHED, f"'categories', {_CATEGORIES}")
_POPULATED = _object("a", _ARTICLE, _PUBLISHED, f"'author', {_AUTHOR}", f"'categories', {_CATEGORIES}")


def _list(shape: str, source: str, more: str = "") -> str:
    rows = f"coalesce(json_agg({shape} ORDER BY a.id), '[]')"
    return f"SELECT json_build_object('data', {rows}{more})::text FROM ({source}) a"


_PAGE = "SELECT * FROM articles ORDER BY id LIMIT 25 OFFSET $1::int"
_TOTAL = ", 'total', (SELECT count(*) FROM articles)"
STATEMENTS: Mapping[str, str] = {
    "entry": f"SELECT json_build_object('data', {_FLAT})::text FROM articles a WHERE id = $1::int",
    "list": _list(_FLAT, _PAGE),
    "total": _list(_FLAT, _PAGE, _TOTAL),
    "after": _list(_FLAT, "SELECT * FROM articles WHERE id > $1::int ORDER BY id LIMIT 25"),
    "filter": _list(
        _FLAT,
        "SELECT a.* FROM articles a JOIN authors w ON w.id = a.author_id WHERE w.name = $1 AND a.views >= $2::int"
        " ORDER BY a.id LIMIT 25",
    ),
    "search": _list(
        _FLAT, "SELECT * FROM articles WHERE title ILIKE '%' || $1 || '%' AND kind = $2 ORDER BY id LIMIT 10"
    ),
    "populate": _list(_POPULATED, _PAGE),
    "deep": f"""SELECT json_build_object('data', {
        _object(
            "w",
            "id name email bio",
            f"'articles', (SELECT coalesce(json_agg({_WITH_CATEGORIES} ORDER BY a.id), '[]')"
            " FROM articles a WHERE a.author_id = w.id)",
        )
    })::text FROM authors w WHERE id = $1::int""",
    "create": f"""WITH a AS (INSERT INTO articles (title, slug, views, author_id) VALUES ($1, $2, $3, $4) RETURNING *)
  SELECT json_build_object('data', {_FLAT})::text FROM a""",
    "update": f"""WITH a AS (UPDATE articles SET title = $2, views = $3, updated_at = now()
  WHERE id = $1::int RETURNING *)
  SELECT json_build_object('data', {_FLAT})::text FROM a""",
}
"""The statements, by the first part of the path; the other parts are their values."""

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class Application:
    """Answers `/kind/value/value`; the values of writes are a list in the body."""

    def __init__(self) -> None:
        self._free: asyncio.LifoQueue[dict[str, Any]] = asyncio.LifoQueue()

    async def _start(self) -> None:
        for _ in range(CONNECTIONS):
            connection = await asyncpg.connect(os.environ["BASELINE_DATABASE"], server_settings={"jit": "off"})
            self._free.put_nowait({kind: await connection.prepare(text) for kind, text in STATEMENTS.items()})

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        kind, *parts = scope["path"].strip("/").split("/")
        values = await _body(receive) if scope["method"] != "GET" else _typed(kind, parts)
        prepared = await self._free.get()
        try:
            text = await prepared[kind].fetchval(*values)
        finally:
            self._free.put_nowait(prepared)
        body = text.encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _live(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "lifespan.startup":
            await self._start()
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})


def _typed(kind: str, parts: list[str]) -> list[Any]:
    if kind == "search":
        return list(parts)
    if kind == "filter":
        return [parts[0], int(parts[1])]
    return [int(part) for part in parts]


async def _body(receive: Receive) -> list[Any]:
    chunks, more = [], True
    while more:
        message = await receive()
        chunks.append(message["body"])
        more = message.get("more_body", False)
    return list(orjson.loads(b"".join(chunks)))


application = Application()
