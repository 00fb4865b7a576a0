"""The requests that every system gets, without a system's own syntax, and the workloads they belong to."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from random import Random
from typing import Any

from benchmarks.peers.content import ARTICLES, KINDS, WORDS


class Api(StrEnum):
    """How a request is sent."""

    REST = "REST"
    VARIABLES = "GraphQL, variables"
    LITERALS = "GraphQL, literals"


class Kind(StrEnum):
    """What a request does. The comment names its values."""

    ENTRY = "entry"  # id
    LIST = "list"  # start: 25 articles in order of their ids
    TOTAL = "total"  # start: the same, with the number of all articles
    AFTER = "after"  # id: 25 articles with greater ids
    CURSOR = "cursor"  # page, replaced by the cursor of that page in the system: 25 articles after it
    FILTER = "filter"  # author's name, views: articles of this author with at least so many views
    SEARCH = "search"  # text, kind: 10 articles of this kind with this text in their title
    POPULATE = "populate"  # start: 25 articles, each with its author and categories
    DEEP = "deep"  # author's id: an author with all articles, each with its categories
    CREATE = "create"  # title, slug, views, author's id
    UPDATE = "update"  # article's id, title, views


PAGE = 25

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One request, independent of the system."""

    kind: Kind
    values: Values


@dataclass(frozen=True, slots=True)
class Workload:
    """A row of the report: requests of one kind, equal or different each time."""

    title: str
    api: Api
    kind: Kind
    random: bool

    @property
    def writes(self) -> bool:
        return self.kind in (Kind.CREATE, Kind.UPDATE)

    def operations(self, articles: int = ARTICLES) -> Iterator[Operation]:
        """Yield requests without end. Written names rise; other values repeat only after thousands of requests."""
        random = Random(f"{self.kind}")
        choose = CHOICES[self.kind]
        first = choose(random, articles, 1)
        for number in count(1):
            yield Operation(self.kind, choose(random, articles, number) if self.random else first)


Choice = Callable[[Random, int, int], Values]


def _two_words(random: Random) -> str:
    return f"{random.choice(WORDS)} {random.choice(WORDS)}"


def _author(random: Random, articles: int) -> int:
    return random.randint(1, max(articles // 20, 1))


CHOICES: dict[Kind, Choice] = {
    Kind.ENTRY: lambda random, articles, number: (random.randint(1, articles),),
    Kind.LIST: lambda random, articles, number: (random.randint(0, articles - 25),),
    Kind.TOTAL: lambda random, articles, number: (random.randint(0, articles - 25),),
    Kind.AFTER: lambda random, articles, number: (random.randint(0, articles - 25),),
    Kind.CURSOR: lambda random, articles, number: (random.randint(0, articles // PAGE - 2),),
    Kind.FILTER: lambda random, articles, number: (
        f"Author {_author(random, articles):04}",
        random.randint(0, 50_000),
    ),
    Kind.SEARCH: lambda random, articles, number: (_two_words(random), random.choice(KINDS)),
    Kind.POPULATE: lambda random, articles, number: (random.randint(0, articles - 25),),
    Kind.DEEP: lambda random, articles, number: (_author(random, articles),),
    Kind.CREATE: lambda random, articles, number: (
        f"New article {number:07}",
        f"new-article-{number}",
        number,
        _author(random, articles),
    ),
    Kind.UPDATE: lambda random, articles, number: (random.randint(1, articles), f"Changed {number:07}", number),
}

_REST = (
    ("one entry", Kind.ENTRY, (False, True)),
    ("list of 25 by offset", Kind.LIST, (False, True)),
    ("list of 25 with total", Kind.TOTAL, (False, True)),
    ("list of 25 by `id > x`", Kind.AFTER, (True,)),
    ("list of 25 by cursor", Kind.CURSOR, (True,)),
    ("filter through a relation", Kind.FILTER, (True,)),
    ("search with two values", Kind.SEARCH, (True,)),
    ("list of 25 with author and categories", Kind.POPULATE, (False, True)),
    ("author with articles and their categories", Kind.DEEP, (False, True)),
    ("create", Kind.CREATE, (True,)),
    ("update", Kind.UPDATE, (True,)),
)
_LITERALS = (Kind.ENTRY, Kind.SEARCH, Kind.CREATE, Kind.UPDATE)


def _workloads() -> Iterator[Workload]:
    for api in Api:
        for title, kind, variants in _REST:
            if api is Api.LITERALS and kind not in _LITERALS:
                continue
            for random in variants if api is not Api.LITERALS else (True,):
                yield Workload(title, api, kind, random)


WORKLOADS = tuple(sorted(_workloads(), key=lambda workload: workload.writes))
"""All workloads; those that write run last, because they change the rows."""
