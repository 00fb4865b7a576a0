"""Requests of Strapi v4, which Octavo also accepts, and of Strapi 5."""

from typing import Any

from benchmarks.peers.content import document_id
from benchmarks.peers.requests import Dialect, Document, RestCall
from benchmarks.peers.workloads import PAGE, Kind

_PAGE = f"pagination[start]={{}}&pagination[limit]={PAGE}"
_NO_COUNT = "pagination[withCount]=false"
_LIST = f"/api/articles?sort=id&{_PAGE}"
_FIRST = f"pagination[limit]={PAGE}&{_NO_COUNT}"
_FILTER = "filters[author][name][$eq]={}&filters[views][$gte]={}"
_SEARCH = "filters[title][$containsi]={}&filters[kind][$eq]={}&pagination[limit]=10"


def _new_article(title: str, slug: str, views: int, author: Any) -> dict[str, Any]:
    return {"title": title, "slug": slug, "views": views, "author": author}


def _create(title: str, slug: str, views: int, author: int) -> dict[str, Any]:
    return {"data": _new_article(title, slug, views, author)}


def _update(article: int, title: str, views: int) -> dict[str, Any]:
    return {"data": {"title": title, "views": views}}


def _none(*values: Any) -> tuple[()]:
    return ()


def _first(value: Any, *others: Any) -> tuple[Any]:
    return (value,)


V4_REST = {
    Kind.ENTRY: RestCall("/api/articles/{}"),
    Kind.LIST: RestCall(f"{_LIST}&{_NO_COUNT}"),
    Kind.TOTAL: RestCall(_LIST),
    Kind.AFTER: RestCall(f"/api/articles?sort=id&filters[id][$gt]={{}}&{_FIRST}"),
    Kind.FILTER: RestCall(f"/api/articles?sort=id&{_FILTER}&{_FIRST}"),
    Kind.SEARCH: RestCall(f"/api/articles?sort=id&{_SEARCH}&{_NO_COUNT}"),
    Kind.POPULATE: RestCall(f"{_LIST}&{_NO_COUNT}&populate[0]=author&populate[1]=categories"),
    Kind.DEEP: RestCall("/api/authors/{}?populate[articles][populate][0]=categories"),
    Kind.CREATE: RestCall("/api/articles", "POST", _none, _create),
    Kind.UPDATE: RestCall("/api/articles/{}", "PUT", _first, _update),
}


def _create_v5(title: str, slug: str, views: int, author: int) -> dict[str, Any]:
    return {"data": _new_article(title, slug, views, document_id(author))}


def _document(value: int, *others: Any) -> tuple[str]:
    return (document_id(value),)


V5_REST = V4_REST | {
    Kind.ENTRY: RestCall("/api/articles/{}", values=_document),
    Kind.DEEP: RestCall("/api/authors/{}?populate[articles][populate][0]=categories", values=_document),
    Kind.CREATE: RestCall("/api/articles", "POST", _none, _create_v5),
    Kind.UPDATE: RestCall("/api/articles/{}", "PUT", _document, _update),
}

_ARTICLE = "title slug summary body kind views featured createdAt updatedAt publishedAt"
_AUTHOR = "name email bio createdAt updatedAt"
_CATEGORY = "name code createdAt updatedAt"


class _Shape:
    """How a version writes entries and lists."""

    def __init__(self, version: int) -> None:
        self.v4 = version == 4

    def entry(self, attributes: str) -> str:
        return f"{{ data {{ id attributes {{ {attributes} }} }} }}" if self.v4 else f"{{ documentId {attributes} }}"

    def articles(self, arguments: str, attributes: str, meta: str = "") -> str:
        return f'articles(sort: ["id"], {arguments}) {self._rows(attributes, meta)}'

    def connection(self, arguments: str, attributes: str) -> str:
        """Return the list with its total."""
        if self.v4:
            return self.articles(arguments, attributes, "meta { pagination { total } }")
        selection = f"{{ nodes {{ documentId {attributes} }} pageInfo {{ total }} }}"
        return f'articles_connection(sort: ["id"], {arguments}) {selection}'

    def _rows(self, attributes: str, meta: str) -> str:
        if not self.v4:
            return f"{{ documentId {attributes} }}"
        return f"{{ data {{ id attributes {{ {attributes} }} }} {meta} }}"


def _graphql(version: int) -> dict[Kind, Document]:
    shape = _Shape(version)
    page = f"pagination: {{start: $start, limit: {PAGE}}}"
    key = "id" if version == 4 else "documentId"
    categories = f"categories(pagination: {{limit: 100}}) {shape.entry(_CATEGORY)}"
    with_relations = f"{_ARTICLE} author {shape.entry(_AUTHOR)} {categories}"
    articles = f"articles(pagination: {{limit: 100}}) {shape.entry(f'{_ARTICLE} {categories}')}"
    search = "filters: {title: {containsi: $text}, kind: {eq: $kind}}, pagination: {limit: 10}"
    by_author = f"filters: {{author: {{name: {{eq: $name}}}}, views: {{gte: $views}}}}, pagination: {{limit: {PAGE}}}"
    after = f"filters: {{{key}: {{gt: $id}}}}, pagination: {{limit: {PAGE}}}"
    identify = str if version == 4 else document_id

    def by_id(number: int) -> dict[str, Any]:
        return {"id": identify(number)}

    def update(article: int, title: str, views: int) -> dict[str, Any]:
        return {"id": identify(article), "data": {"title": title, "views": views}}

    def create(title: str, slug: str, views: int, author: int) -> dict[str, Any]:
        return {"data": _new_article(title, slug, views, identify(author))}

    return {
        Kind.ENTRY: Document("$id: ID!", f"article({key}: $id) {shape.entry(_ARTICLE)}", by_id),
        Kind.LIST: Document("$start: Int", shape.articles(page, _ARTICLE), _start),
        Kind.TOTAL: Document("$start: Int", shape.connection(page, _ARTICLE), _start),
        Kind.AFTER: Document("$id: ID", shape.articles(after, _ARTICLE), by_id),
        Kind.FILTER: Document("$name: String, $views: Int", shape.articles(by_author, _ARTICLE), _named),
        Kind.SEARCH: Document("$text: String, $kind: String", shape.articles(search, _ARTICLE), _searched),
        Kind.POPULATE: Document("$start: Int", shape.articles(page, with_relations), _start),
        Kind.DEEP: Document("$id: ID!", f"author({key}: $id) {shape.entry(f'{_AUTHOR} {articles}')}", by_id),
        Kind.CREATE: Document(
            "$data: ArticleInput!", f"createArticle(data: $data) {shape.entry(_ARTICLE)}", create, "mutation"
        ),
        Kind.UPDATE: Document(
            "$id: ID!, $data: ArticleInput!",
            f"updateArticle({key}: $id, data: $data) {shape.entry(_ARTICLE)}",
            update,
            "mutation",
        ),
    }


def _start(start: int) -> dict[str, Any]:
    return {"start": start}


def _named(name: str, views: int) -> dict[str, Any]:
    return {"name": name, "views": views}


def _searched(text: str, kind: str) -> dict[str, Any]:
    return {"text": text, "kind": kind}


_CURSOR_REST = RestCall(f"/api/articles?sort=id&{_FIRST}&pagination[after]={{}}")
_CURSOR_GRAPHQL = Document(
    "$after: String",
    _Shape(4).articles(f"pagination: {{limit: {PAGE}, after: $after}}", _ARTICLE, "meta { pagination { after } }"),
    lambda cursor: {"after": cursor},
)

V4 = Dialect(V4_REST, _graphql(4))
V5 = Dialect(V5_REST, _graphql(5))
OCTAVO = Dialect(V4_REST | {Kind.CURSOR: _CURSOR_REST}, _graphql(4) | {Kind.CURSOR: _CURSOR_GRAPHQL})
