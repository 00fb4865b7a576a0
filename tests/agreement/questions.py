"""Generated requests about the bookshop: nested parameters.

They avoid known differences between databases: lowercase forms of letters, the order of nulls, and the format of JSON
and times.
"""

from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

Params = dict[str, Any]

VISIBLE = (
    *("id", "title", "slug", "blurb", "body", "language", "contact", "pages", "isbn", "weight", "price", "inStock"),
    *("releaseDate", "reviewedAt", "importedAt", "ISBN13Code", "weird-name", "Größe", "order", "select", "createdAt"),
    *("locale", "publishedAt", "extra", "keywords", "content"),
)
NEVER_NULL = ("id", "title", "slug", "createdAt", "locale")

_TEXTS = st.sampled_from(["1", "2", " ", "-", "%", "_", "'", '"', "ü", "7", "100%", "book-0", "a_b", "", "\N{BOOKS}"])
_WORDS = st.sampled_from(["sea", "MOON", "River", "blurb", "WEIRD 1", "de-at", "from", "978-1", "author"])
_NUMBERS = st.sampled_from(["0", "1", "3.5", "20", "100", "1e2", "0x10", "-1", "9780000000000007", "2.25", " 7 "])
_DATES = st.sampled_from(["2001-01-01", "2010-05-20", "2020-09-13", "2039-12-31"])
_TIMES = st.sampled_from(["00:30:15.125", "08:00:00", "23:59:59.999"])
_INSTANTS = st.sampled_from(["2020-09-13T12:26:40.001Z", "2020-05-01", "1600000000000", "2019-12-31T23:59:59+02:00"])
_FLAGS = st.sampled_from(["true", "false", "1", "0"])

# The compared attributes with their operands.
_SCALARS: tuple[tuple[tuple[str, ...], st.SearchStrategy[str]], ...] = (
    (("title", "slug", "language", "weird-name", "ISBN13Code", "select"), _TEXTS),
    (("id", "pages", "isbn", "weight", "price", "Größe", "order"), _NUMBERS),
    (("releaseDate",), _DATES),
    (("opensAt",), _TIMES),
    (("reviewedAt", "importedAt", "createdAt", "publishedAt"), _INSTANTS),
)
_ORDERED = ("$eq", "$ne", "$lt", "$lte", "$gt", "$gte")
_PATTERNS = ("$contains", "$notContains", "$startsWith", "$endsWith")
_FOLDED = ("$eqi", "$nei", "$containsi", "$notContainsi", "$startsWithi", "$endsWithi")


def _comparison(operand: st.SearchStrategy[str]) -> st.SearchStrategy[Params]:
    return st.one_of(
        st.dictionaries(st.sampled_from(_ORDERED), operand, min_size=1, max_size=2),
        st.builds(
            lambda name, values: {name: values}, st.sampled_from(["$in", "$notIn"]), st.lists(operand, max_size=3)
        ),
        st.builds(lambda one, other: {"$between": [one, other]}, operand, operand),
        st.builds(lambda name, flag: {name: flag}, st.sampled_from(["$null", "$notNull"]), _FLAGS),
    )


def _scalar() -> st.SearchStrategy[Params]:
    compared = [
        st.builds(lambda name, test: {name: test}, st.sampled_from(names), _comparison(operand))
        for names, operand in _SCALARS
    ]
    texts, words = (
        st.sampled_from(_SCALARS[0][0]),
        st.sampled_from(("title", "blurb", "weird-name", "select", "contact")),
    )
    return st.one_of(
        *compared,
        st.builds(lambda name, test, text: {name: {test: text}}, texts, st.sampled_from(_PATTERNS), _TEXTS),
        st.builds(lambda name, test, word: {name: {test: word}}, words, st.sampled_from(_FOLDED), _WORDS),
        st.builds(lambda flag: {"inStock": flag}, _FLAGS),
        st.builds(lambda name: {name: {"$null": "true"}}, st.sampled_from(["extra", "content", "opensAt", "blurb"])),
    )


# The relations in filters, and the attributes that are compared there.
_REACHED: dict[str, st.SearchStrategy[Params]] = {
    "author": st.builds(lambda test: {"name": test}, _comparison(_TEXTS)),
    "translators": st.builds(lambda test: {"born": test}, _comparison(_DATES)),
    "genres": st.builds(lambda test: {"rank": test}, _comparison(_NUMBERS)),
    "shelf": st.builds(lambda test: {"id": test}, _comparison(_NUMBERS)),
    "cover": st.builds(lambda test: {"width": test}, _comparison(_NUMBERS)),
    "gallery": st.builds(lambda test: {"name": test}, _comparison(_TEXTS)),
    "details": st.builds(lambda test: {"weight": test}, _comparison(_NUMBERS)),
    "chapters": st.builds(lambda test: {"pages": test}, _comparison(_NUMBERS)),
}


def _leaves() -> st.SearchStrategy[Params]:
    reached = [st.builds(lambda inner, name=name: {name: inner}, inner) for name, inner in _REACHED.items()]
    deep = [
        st.builds(lambda test: {"chapters": {"footnote": {"text": test}}}, _comparison(_TEXTS)),
        st.builds(lambda test: {"details": {"printedBy": {"rating": test}}}, _comparison(_NUMBERS)),
        st.builds(lambda test: {"author": {"books": {"genres": {"rank": test}}}}, _comparison(_NUMBERS)),
        st.builds(lambda test: {"shelf": {"parent": {"parent": test}}}, _comparison(_NUMBERS)),
        st.builds(lambda test: {"sequel": {"prequel": {"pages": test}}}, _comparison(_NUMBERS)),
        st.builds(lambda name: {name: {"$null": "true"}}, st.sampled_from(list(_REACHED))),
    ]
    return st.one_of(_scalar(), *reached, *deep)


def filters() -> st.SearchStrategy[Params]:
    """Generate filters of up to a few conditions, in every combination."""
    return st.recursive(
        _leaves(),
        lambda inner: st.one_of(
            st.builds(lambda items: {"$or": items}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda items: {"$and": items}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda item: {"$not": item}, inner),
        ),
        max_leaves=4,
    )


_SORTS = st.lists(
    st.builds(
        lambda name, direction: f"{name}{direction}",
        st.sampled_from(NEVER_NULL),
        st.sampled_from(["", ":asc", ":desc"]),
    ),
    max_size=2,
)
_FIELDS = st.none() | st.lists(st.sampled_from(VISIBLE), min_size=1, max_size=4, unique=True)


def _given(params: Params) -> Params:
    return {key: value for key, value in params.items() if value not in (None, [])}


def _inside(draw: st.DrawFn, name: str, depth: int) -> Params:
    inner: Params = {}
    if name in ("genres", "similar", "sequel") and draw(st.booleans()):
        inner["filters"] = {"id": draw(_comparison(_NUMBERS))}
    if name in ("genres", "similar", "gallery", "chapters"):
        inner["sort"] = draw(st.sampled_from([None, "id:desc", "createdAt" if name == "similar" else "id"]))
        inner["limit"] = draw(st.sampled_from([None, "1", "2"]))
        inner["start"] = draw(st.sampled_from([None, "1"]))
    if name in ("similar", "sequel", "prequel") and depth < 3:
        inner["populate"] = draw(populates(depth + 1))
    if name == "genres" and draw(st.booleans()):
        inner["populate"] = {"parent": {"populate": "children"}, "books": {"fields": ["slug"]}}
    if name == "genres" and draw(st.integers(0, 5)) == 0:
        inner["count"] = "true"
    if name == "extras":
        inner = draw(st.sampled_from([{}, {"populate": "*"}, {"on": {"shop.quote": {"populate": "source"}}}]))
    return _given(inner)


_INTO = (
    *("author", "translators", "genres", "prequel", "sequel", "similar", "shelf", "cover", "gallery", "details"),
    *("chapters", "extras", "notesAbout", "firstNote", "mentions", "localizations"),
)


@st.composite
def populates(draw: st.DrawFn, depth: int = 0) -> Params:
    """Generate populate parameters of several levels."""
    names = draw(st.lists(st.sampled_from(_INTO), max_size=3 if depth == 0 else 1, unique=True))
    return {name: _inside(draw, name, depth) or "true" for name in names}


@st.composite
def questions(draw: st.DrawFn) -> Params:
    """Generate the parameters of a list of books."""
    pages = st.builds(
        lambda page, size: {"page": str(page), "pageSize": str(size)}, st.integers(1, 4), st.integers(1, 12)
    )
    parts = st.builds(
        lambda start, limit: {"start": str(start), "limit": str(limit)}, st.integers(0, 9), st.integers(1, 30)
    )
    return _given(
        {
            "filters": draw(st.none() | filters()),
            "sort": draw(_SORTS),
            "fields": draw(_FIELDS),
            "populate": draw(populates()),
            "pagination": draw(st.none() | pages | parts),
            "publicationState": draw(st.sampled_from([None, "live", "preview"])),
            "locale": draw(st.sampled_from([None, "all", "fr", ["en", "de-AT"]])),
            "_q": draw(st.sampled_from([None, None, None, "moon", "7", "%"])),
        }
    )


def query_of(params: Params) -> str:
    """Return the parameters as a query string."""
    return "&".join(_pairs(params, ""))


def _pairs(value: Any, path: str) -> list[str]:
    if isinstance(value, dict):
        return [pair for key, item in value.items() for pair in _pairs(item, f"{path}[{key}]" if path else key)]
    if isinstance(value, list):
        return [pair for index, item in enumerate(value) for pair in _pairs(item, f"{path}[{index}]")]
    return [f"{quote(path, safe='[]$')}={quote(str(value), safe='')}"]
