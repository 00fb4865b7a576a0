"""The most expensive requests to the bookshop that the limits allow."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import orjson

FORM: Final = "application/x-www-form-urlencoded"
URL_LENGTH: Final = 16_000
"""Near the longest URL that the service accepts."""


@dataclass(frozen=True, slots=True)
class Costly:
    """One request. `content_type` is the type of the body."""

    name: str
    method: str
    target: str
    body: bytes = b""
    content_type: str = "application/json"


def costly_requests() -> list[Costly]:
    """Return all requests, reads before writes."""
    return [*_reads(), *_operations(), *_writes()]


def _reads() -> list[Costly]:
    deep = "populate" + "[sequel][populate]" * 60
    chain = ".".join(["sequel"] * 200)
    wide = _fitting(_wide("populate", 5))
    stars = _fitting(
        f"populate[sequel][populate]{'[sequel][populate]' * level}[genres][populate]=*" for level in range(40)
    )
    pairs = [(one, other) for one in range(20) for other in range(20)]
    ors = _fitting(f"filters[$or][{one}][$or][{other}][title][$containsi]=a" for one, other in pairs)
    through = _fitting(f"filters[$or][{one}][$or][{other}][author][books][genres][name]=x" for one, other in pairs)
    nots = "filters" + "[$not]" * 18 + "[title][$eq]=x"
    values = _fitting(f"filters[$or][{one}][id][$in][{other}]={other}" for one, other in pairs)
    sorts = f"sort={','.join(['author.books.genres.name'] * 600)}"
    queries = {
        "populate, deep": deep + "=*",
        "populate, one path of 200 names": f"populate={chain}",
        "populate, lists that multiply": f"populate={'author.books.' * 10}genres",
        "populate, wide": wide,
        "populate, stars below stars": stars,
        "filters, alternatives": ors,
        "filters, through three relations": through,
        "filters, 18 times not": nots,
        "filters, values": values,
        "sort, through relations": sorts,
        "brackets": "a" + "[b]" * 4000 + "=1",
        "ampersands": "&" * URL_LENGTH,
    }
    return [Costly(name, "GET", f"/api/books?{text}") for name, text in queries.items()]


def _fitting(parameters: Iterable[str]) -> str:
    """Return as many of the parameters as fit into a URL."""
    text = "&".join(parameters)
    return text if len(text) <= URL_LENGTH else text[:URL_LENGTH].rpartition("&")[0]


def _wide(path: str, levels: int) -> list[str]:
    """Populate every relation of a book, of its author, of their books, and so on."""
    if not levels:
        return [f"{path}=*"]
    return [
        one
        for name in ("sequel", "prequel", "author", "genres")
        for one in _wide(f"{path}[{name}][populate]" + ("[books][populate]" if name == "author" else ""), levels - 1)
    ]


def _operations() -> list[Costly]:
    leaf = "data { id attributes { title pages price createdAt } }"
    nested = leaf
    for _ in range(30):
        nested = f"data {{ id attributes {{ sequel {{ {nested} }} }} }}"
    roots = " ".join(f"b{number}: books {{ {leaf} }}" for number in range(200))
    aliases = " ".join(f"a{number}: title" for number in range(2000))
    deep_filter = "{ title: { eq: 1 } }"
    for _ in range(200):
        deep_filter = f"{{ or: [{deep_filter}] }}"
    documents = {
        "GraphQL, 200 root fields": f"{{ {roots} }}",
        "GraphQL, 2,000 aliases": f"{{ books {{ data {{ attributes {{ {aliases} }} }} }} }}",
        "GraphQL, 30 levels": f"{{ books {{ {nested} }} }}",
        "GraphQL, 200 levels of filters": f"{{ books(filters: {deep_filter}) {{ {leaf} }} }}",
        "GraphQL, braces": "{" * 20_000,
        "GraphQL, 10,000 fragments": "{ books { data { id } } }"
        + "".join(f" fragment f{n} on Book {{ title }}" for n in range(10_000)),
    }
    return [Costly(name, "POST", "/graphql", orjson.dumps({"query": text})) for name, text in documents.items()]


def _writes() -> list[Costly]:
    def put(name: str, data: Any, query: str = "") -> Costly:
        return Costly(name, "PUT", f"/api/books/1{query}", orjson.dumps({"data": data}))

    links = [{"id": number % 20 + 1} for number in range(19_000)]
    chapters = [{"title": f"part {number}", "pages": number} for number in range(5000)]
    mutation = {
        "query": "mutation ($data: BookInput!) { updateBook(id: 1, data: $data) { data { id } } }",
        "variables": {"data": {"chapters": chapters}},
    }
    roots = " ".join(f"u{n}: updateBook(id: 1, data: {{ pages: {n} }}) {{ data {{ id }} }}" for n in range(200))
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    return [
        put("PUT, 19,000 links", {"genres": {"connect": links}}),
        put("PUT, 19,000 ids", {"genres": list(range(1, 19_001))}),
        put("PUT, 5,000 components", {"chapters": chapters}),
        put("PUT, 5,000 components with others inside", {"chapters": [{"footnote": {"text": "x"}}] * 5000}),
        put("PUT, 5,000 wrong components", {"chapters": [{"pages": "many"}] * 5000}),
        put("PUT, no component", {"chapters": []}),
        put("PUT, 10,000 links one before another", {"similar": {"connect": _chain(10_000)}}),
        Costly("PUT, broken JSON", "PUT", "/api/books/1", b'{"data":{"a":[' + b"[1]," * 200_000 + b"x"),
        Costly("POST, a form of escapes", "POST", "/api/books", b"a=" + b"%41" * 300_000, FORM),
        Costly("PUT, 5,000 components, GraphQL", "POST", "/graphql", orjson.dumps(mutation)),
        Costly("PUT, 200 root fields, GraphQL", "POST", "/graphql", orjson.dumps({"query": f"mutation {{ {roots} }}"})),
        put(
            "PUT, populate of everything",
            {"pages": 1},
            "?populate[author][populate][books][populate]=*&populate[genres][populate]=*",
        ),
        put("PUT, 900 kB of text", {"title": "x" * 900_000}),
        put("PUT, JSON of 200 levels", {"notes": deep}),
        put("PUT, 30,000 unknown attributes", {f"k{number}": 1 for number in range(30_000)}),
    ]


def _chain(length: int) -> list[dict[str, Any]]:
    """Return books to connect, each placed before the next one."""
    return [{"id": number, "position": {"before": number + 1}} for number in range(1, length)] + [{"id": length}]
