"""A large magazine for the load: the definitions of the example, and 10,000 articles written with SQL.

The same numbers create the same content on every database. `octavo.database.synchronize` creates the tables.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.world import COUNT_ON
from octavo.access.authentication.api_tokens import create_token
from octavo.access.authorization.role_grants import grant
from octavo.database.connection import Connection, Database
from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.transfer.scaffold import add_secrets, sample_folder
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.settings import Settings, load_settings, missing_secrets
from tests.models.content import ContentWriter

ARTICLES, AUTHORS, CATEGORIES, TAGS, FILES = 10_000, 500, 50, 200, 300
TOKEN_FILE = "token"  # a name, not a secret

_NOON = 1_700_000_000_000
_HOUR = 3_600_000
_WORDS = (
    "river",
    "ferry",
    "night",
    "train",
    "bread",
    "island",
    "lock",
    "harbor",
    "slow",
    "winter",
    "orchard",
    "letter",
)

Progress = Callable[[int, int], None]


def write_project(folder: Path, variables: Mapping[str, str]) -> Settings:
    """Write a project with the definitions of the example magazine and its own secrets; return its settings."""
    for name in ("src", "config"):
        shutil.copytree(sample_folder() / name, folder / name)
    (folder / "public/uploads").mkdir(parents=True)
    add_secrets(folder, missing_secrets(load_settings(folder, variables, require_secrets=False)))
    return load_settings(folder, variables)


async def fill(settings: Settings, progress: Progress, articles: int = ARTICLES) -> None:
    """Create the tables and the content. Everybody may read it, and a file contains a full-access token."""
    registry = load_registry(settings.project)
    database = open_project_database(settings)
    try:
        await prepare_database(database, registry, "en")
        await _fill(database, registry, progress, articles)
        await grant(database, "public", [f"api::{name}.{name}.{action}" for name, action in _readable(registry)])
        token = await create_token(database, settings.secrets.api_token_salt or "", "load", "full-access", (), None, "")
        (settings.project / TOKEN_FILE).write_text(token, "utf-8")
    finally:
        await database.close()


def _readable(registry: Registry) -> list[tuple[str, str]]:
    return [(item.singular_name, action) for item in registry.api_types() for action in ("find", "findOne")]


async def _fill(database: Database, registry: Registry, progress: Progress, articles: int) -> None:
    random = Random(7)
    async with database.transaction() as transaction:
        writer = ContentWriter(transaction, registry, database.dialect)
        await _write_surroundings(writer)
        for number in range(1, articles + 1):
            await writer.add("api::article.article", **_article(number, random))
            if number % 100 == 0:
                progress(number, articles)
        await _finish(transaction, database.dialect.name)


async def _finish(transaction: Connection, dialect: str) -> None:
    """Continue the sequences after our ids and update the statistics, which a database otherwise does over time."""
    if dialect == "postgresql":
        await transaction.execute(COUNT_ON)
    await transaction.execute("ANALYZE")


async def _write_surroundings(writer: ContentWriter) -> None:
    for number in range(1, FILES + 1):
        await writer.add("plugin::upload.file", **_file(number))
    for number in range(1, AUTHORS + 1):
        name = f"Author {number:04}"
        await writer.add(
            "api::author.author", name=name, slug=f"author-{number}", portrait=1 + number % FILES, **_dates(1)
        )
    for number in range(1, CATEGORIES + 1):
        text = {"name": f"Category {number:02}", "slug": f"category-{number}", "color": "#336699"}
        await writer.add("api::category.category", **text, locale="en", **_dates(1))
    for number in range(1, TAGS + 1):
        await writer.add("api::tag.tag", name=f"Tag {number:03}", slug=f"tag-{number}", **_dates(1))


def _file(number: int) -> dict[str, Any]:
    thumbnail = {"url": f"/uploads/thumbnail_{number}.jpg", "width": 245, "height": 156, "size": 5.2}
    return {
        "name": f"picture-{number}.jpg",
        "hash": f"picture_{number}",
        "ext": ".jpg",
        "mime": "image/jpeg",
        "size": 120.5,
        "width": 1600,
        "height": 1000,
        "url": f"/uploads/picture_{number}.jpg",
        "formats": {"thumbnail": thumbnail},
        "provider": "local",
        **_dates(1),
    }


def _article(number: int, random: Random) -> dict[str, Any]:
    return {
        "title": f"Article {number:05} of the {random.choice(_WORDS)}",
        "slug": f"article-{number}",
        "excerpt": _text(random, 25),
        "body": _text(random, 220),
        "format": random.choice(["feature", "portrait", "recipe", "essay", "note"]),
        "readingMinutes": 1 + number % 30,
        "featured": number % 20 == 0,
        "issueDate": f"20{10 + number % 15}-{1 + number % 12:02}-15",
        "cover": 1 + random.randrange(FILES),
        "author": 1 + random.randrange(AUTHORS),
        "category": 1 + random.randrange(CATEGORIES),
        "tags": random.sample(range(1, TAGS + 1), 3),
        "seo": {"metaTitle": f"Article {number}", "metaDescription": _text(random, 15)},
        "blocks": _blocks(random),
        "publishedAt": None if number % 50 == 0 else _NOON + number * _HOUR,
        **_dates(number),
    }


def _blocks(random: Random) -> list[dict[str, Any]]:
    return [
        {"__component": "blocks.rich-text", "body": _text(random, 40)},
        {"__component": "blocks.quote", "text": _text(random, 12), "attribution": "somebody"},
    ]


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS, k=words))


def _dates(number: int) -> dict[str, int]:
    return {"createdAt": _NOON + number * _HOUR, "updatedAt": _NOON + number * _HOUR}
