"""The rows of all systems, and how each table layout stores them. The same number of articles creates the same rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

import asyncpg

ARTICLES, AUTHORS, CATEGORIES = 10_000, 500, 50
KINDS = ("news", "guide", "opinion")
_TEXT = (
    "river ferry night train bread island lock harbor slow winter orchard letter bridge market garden stone lamp paper "
    "window coast valley engine copper linen salt meadow clock barley cellar thread"
)
WORDS = _TEXT.split()
TEXT_WORDS = 200
"""Words in the body of an article, about 1,250 characters."""

_START = datetime(2024, 1, 1)


class Author(NamedTuple):
    id: int
    name: str
    email: str
    bio: str


class Category(NamedTuple):
    id: int
    name: str
    code: str


class Article(NamedTuple):
    id: int
    title: str
    slug: str
    summary: str
    body: str
    kind: str
    views: int
    featured: bool


FIELDS = Article._fields


@dataclass(frozen=True, slots=True)
class Content:
    """All rows; `writers` has the author's id of each article, `labels` the ids of its categories."""

    authors: Sequence[Author]
    categories: Sequence[Category]
    articles: Sequence[Article]
    writers: Sequence[int]
    labels: Sequence[Sequence[int]]

    @property
    def links(self) -> list[tuple[int, int, int]]:
        """Return article, category and position of each link, starting at 1."""
        return [
            (number, category, position)
            for number, categories in enumerate(self.labels, 1)
            for position, category in enumerate(categories, 1)
        ]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one table."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def create_content(articles: int = ARTICLES) -> Content:
    """Return the rows for a number of articles; each author wrote about as many as the others."""
    random = Random(7)
    authors, categories = max(articles // 20, 1), min(CATEGORIES, max(articles // 20, 4))
    return Content(
        [Author(n, f"Author {n:04}", f"author{n}@example.com", _text(random, 30)) for n in range(1, authors + 1)],
        [Category(n, f"Category {n:02}", f"cat-{n}") for n in range(1, categories + 1)],
        [_article(number, random) for number in range(1, articles + 1)],
        [random.randint(1, authors) for _ in range(articles)],
        [random.sample(range(1, categories + 1), random.choice((2, 3, 4))) for _ in range(articles)],
    )


def _article(number: int, random: Random) -> Article:
    return Article(
        number,
        f"Article {number:05} {_text(random, 4)}",
        f"article-{number}",
        _text(random, 25),
        _text(random, TEXT_WORDS),
        random.choice(KINDS),
        random.randint(0, 100_000),
        number % 10 == 0,
    )


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words))


def _time(number: int) -> datetime:
    return _START + timedelta(minutes=7 * number, milliseconds=137 * number % 1000)


PLAIN_TABLES = """
CREATE TABLE authors (id serial PRIMARY KEY, name text, email text, bio text,
  created_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
CREATE TABLE categories (id serial PRIMARY KEY, name text NOT NULL, code text,
  created_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
CREATE TABLE articles (id serial PRIMARY KEY, title text NOT NULL, slug text, summary text, body text, kind text,
  views integer, featured boolean, created_at timestamp NOT NULL DEFAULT now(),
  updated_at timestamp NOT NULL DEFAULT now(), published_at timestamp DEFAULT now(),
  author_id integer REFERENCES authors);
CREATE TABLE articles_categories (id serial PRIMARY KEY, article_id integer NOT NULL REFERENCES articles,
  category_id integer NOT NULL REFERENCES categories, position integer);
CREATE INDEX ON authors (name);
CREATE INDEX ON articles (author_id);
CREATE INDEX ON articles_categories (article_id);
CREATE INDEX ON articles_categories (category_id);
"""
"""Tables of systems that use existing tables. Directus links an author in GraphQL only if no column is required."""

_DATES = ("created_at", "updated_at")


def plain_tables(content: Content) -> Iterable[Table]:
    """Return the tables with foreign keys: an article has the column `author_id`."""
    yield Table("authors", (*Author._fields, *_DATES), _dated(content.authors, 2))
    yield Table("categories", (*Category._fields, *_DATES), _dated(content.categories, 2))
    rows = [(*row, writer) for row, writer in zip(_dated(content.articles, 3), content.writers, strict=True)]
    yield Table("articles", (*FIELDS, *_DATES, "published_at", "author_id"), rows)
    yield Table("articles_categories", ("article_id", "category_id", "position"), content.links)


def v4_tables(content: Content) -> Iterable[Table]:
    """Return the tables of Strapi v4: links have their own tables."""
    yield Table("authors", (*Author._fields, *_DATES), _dated(content.authors, 2))
    yield Table("categories", (*Category._fields, *_DATES), _dated(content.categories, 2))
    yield Table("articles", (*FIELDS, *_DATES, "published_at"), _dated(content.articles, 3))
    yield Table("articles_author_links", ("article_id", "author_id", "article_order"), _writers(content))
    columns = ("article_id", "category_id", "category_order", "article_order")
    yield Table("articles_categories_links", columns, _ordered_links(content))


def v5_tables(content: Content) -> Iterable[Table]:
    """Return the tables of Strapi 5: each row also has a document id."""
    columns = (*_DATES, "published_at", "document_id")
    yield Table("authors", (*Author._fields, *columns), _documents(content.authors))
    yield Table("categories", (*Category._fields, *columns), _documents(content.categories))
    yield Table("articles", (*FIELDS, *columns), _documents(content.articles))
    yield Table("articles_author_lnk", ("article_id", "author_id", "article_ord"), _writers(content))
    links = ("article_id", "category_id", "category_ord", "article_ord")
    yield Table("articles_categories_lnk", links, _ordered_links(content))


def document_id(number: int) -> str:
    """Return the document id of a row in Strapi 5."""
    return f"d{number:023}"


def _dated(rows: Sequence[tuple[Any, ...]], dates: int) -> list[tuple[Any, ...]]:
    return [(*row, *[_time(row[0])] * dates) for row in rows]


def _documents(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(*row, document_id(row[0])) for row in _dated(rows, 3)]


def _writers(content: Content) -> list[tuple[int, int, int]]:
    return [(number, author, number) for number, author in enumerate(content.writers, 1)]


def _ordered_links(content: Content) -> list[tuple[int, int, int, int]]:
    return [(article, category, position, article) for article, category, position in content.links]


async def copy_tables(database: asyncpg.Connection, tables: Iterable[Table]) -> None:
    """Copy the rows into empty tables; continue their sequences and update the planner's statistics."""
    for table in tables:
        await database.copy_records_to_table(table.name, records=table.rows, columns=table.columns)
        name = f"pg_get_serial_sequence('{table.name}', 'id')"
        await database.execute(f"SELECT setval({name}, (SELECT max(id) FROM {table.name}))")
    await database.execute("VACUUM (ANALYZE)")
