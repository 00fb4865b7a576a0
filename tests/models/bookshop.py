"""The bookshop: a project with every kind of attribute and relation, and names that are hard to store."""

import hashlib
import hmac
from pathlib import Path
from random import Random
from typing import Any

from octavo.access.authentication import admin_sessions, sign_in_limits, user_token_versions
from octavo.accounts.administrators import audit
from octavo.content import schedules
from octavo.content.media.tables import MEDIA_TABLES
from octavo.database import leases
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.events import outbox
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from tests.models.content import ContentWriter

DEFINITIONS = Path(__file__).parent / "bookshop_project"
SECRETS = {
    "APP_KEYS": "bookshop-app-key",
    "API_TOKEN_SALT": "bookshop-salt",
    "ADMIN_JWT_SECRET": "bookshop-admin-secret",
    "JWT_SECRET": "bookshop-jwt-secret",
}
FULL_TOKEN, SOME_TOKEN = "bookshop-full-token", "bookshop-custom-token"
READABLE = ("book", "author", "genre", "note", "front-page", "imprint")
NOON = 1_600_000_000_000  # 2020-09-13T12:26:40.000Z
DAY = 86_400_000
LOCALES = ("en", "de-AT", "fr")

BOOK, AUTHOR, GENRE, NOTE, VAULT = (f"api::{name}.{name}" for name in ("book", "author", "genre", "note", "vault"))
FILE, USER = "plugin::upload.file", "plugin::users-permissions.user"
WORDS = ("sea", "moon", "river", "stone", "glass", "north", "paper", "über", "100%", "a_b", "quo'te", 'dou"ble')


def bookshop_registry() -> Registry:
    """Return the definitions of the bookshop."""
    return load_registry(DEFINITIONS)


async def write_bookshop(database: Database, registry: Registry) -> None:
    """Create the tables and write content that is equal on every database."""
    own = (
        *(leases.TABLE, outbox.TABLE, schedules.TABLE, audit.TABLE, sign_in_limits.TABLE),
        *(admin_sessions.TABLE, admin_sessions.PASSWORDS, user_token_versions.TABLE, user_token_versions.BLOCKS),
        *MEDIA_TABLES,
    )
    await synchronize(database, registry, own)
    async with database.transaction() as transaction:
        writer = ContentWriter(transaction, registry, database.dialect)
        await _write_people(writer)
        await _write_content(writer, Random(11))


async def _write_people(writer: ContentWriter) -> None:
    await writer.insert("strapi_core_store_settings", key="plugin_i18n_default_locale", value='"en"')
    for code in LOCALES:
        await writer.add("plugin::i18n.locale", code=code, name=code.upper())
    role = await writer.add("plugin::users-permissions.role", name="Public", type="public")
    actions = [f"api::{name}.{name}.{action}" for name in READABLE for action in ("find", "findOne")]
    for action in (*actions, "plugin::upload.content-api.find"):
        await writer.add("plugin::users-permissions.permission", action=action, role=role)
    await writer.add("admin::user", firstname="Ada", username="ada", email="ada@example.org", password="$2a$10$secret")
    await writer.add(USER, username="ed", email="ed@example.org", password="$2a$10$secret", role=role, nickname="E")
    for name, token_type, token in (("full", "full-access", FULL_TOKEN), ("some", "custom", SOME_TOKEN)):
        key = hmac.new(SECRETS["API_TOKEN_SALT"].encode(), token.encode(), hashlib.sha512).hexdigest()
        token_id = await writer.add("admin::api-token", name=name, type=token_type, accessKey=key)
        if token_type == "custom":
            action = f"{BOOK}.find"
            await writer.add("admin::api-token-permission", action=action, token=token_id)


async def _write_content(writer: ContentWriter, random: Random) -> None:
    files = [await _write_file(writer, number) for number in range(1, 6)]
    for number in range(1, 4):
        await writer.add(VAULT, code=f"vault {number}")
    authors = [await _write_author(writer, number, files) for number in range(1, 8)]
    genres = [await _write_genre(writer, number) for number in range(1, 10)]
    for number in range(1, 41):
        await writer.add(BOOK, **_book(number, random, files, authors, genres))
    for number in range(1, 13):
        await _write_note(writer, number)
    await _write_localizations(writer)
    await _write_single_types(writer)


async def _write_file(writer: ContentWriter, number: int) -> int:
    return await writer.add(
        FILE,
        name=f"picture {number}.png",
        url=f"/uploads/picture_{number}.png",
        hash=f"picture_{number}",
        mime="image/png",
        ext=".png",
        size=12.5 * number,
        provider="local",
        width=100 * number,
        formats={"thumbnail": {"url": f"/uploads/thumbnail_{number}.png"}} if number % 2 else None,
        folderPath="/1",
        createdAt=NOON,
    )


async def _write_author(writer: ContentWriter, number: int, files: list[int]) -> int:
    return await writer.add(
        AUTHOR,
        name=f"author {WORDS[number]}",
        born=f"19{number}0-0{number}-1{number}" if number != 3 else None,
        rating=number * 1.25 if number != 4 else None,
        token=f"token {number}",
        avatar=files[number % 5] if number % 2 else None,
        rival=number - 1 if number > 1 else None,
        createdBy=1,
        updatedBy=1,
        createdAt=NOON + number,
        updatedAt=NOON + number * DAY,
    )


async def _write_genre(writer: ContentWriter, number: int) -> int:
    return await writer.add(
        GENRE,
        name=f"genre {number}" if number != 9 else None,
        rank=number * 10,
        parent=number // 2 or None,
        vault=1,
        publishedAt=NOON if number % 4 else None,
        createdAt=NOON,
    )


def _book(number: int, random: Random, files: list[int], authors: list[int], genres: list[int]) -> dict[str, Any]:
    title = f"{random.choice(WORDS)} {random.choice(WORDS)} {number}"
    return {
        **_scalars(number, random),
        "title": title,
        "slug": f"book-{number:02}",
        "locale": LOCALES[number % 3] if number > 20 else "en",
        "publishedAt": NOON + number if number % 5 else None,
        "createdAt": NOON + number * DAY,
        "updatedAt": NOON + number * DAY,
        "createdBy": 1,
        "author": random.choice(authors) if number % 6 else None,
        "translators": [authors[0]] if number == 1 else [authors[1], authors[2]] if number == 2 else None,
        "genres": random.sample(genres, number % 4),
        "prequel": number - 1 if number % 7 == 0 else None,
        "similar": random.sample(range(1, number), 2) if number % 3 == 0 else None,
        "shelf": random.choice(genres) if number % 2 else None,
        "editor": 1 if number == 5 else None,
        "vaults": [1 + number % 3],
        "hiddenAuthor": authors[0],
        "cover": random.choice(files) if number % 3 else None,
        "gallery": random.sample(files, number % 3),
        "details": _details(number) if number % 4 else None,
        "chapters": [_chapter(number, order, files) for order in range(number % 4)],
        "extras": _zone(number, files),
    }


def _scalars(number: int, random: Random) -> dict[str, Any]:
    """Return scalar values, each of them null in some entries."""
    values: dict[str, Any] = {
        "blurb": f'Blurb {number}\nwith "quotes" and \\ and emoji \N{BOOKS}',
        "body": f"# Body {number}",
        "language": random.choice(["en", "de-AT", "Ελληνικά"]),
        "contact": f"contact{number}@example.org",
        "pages": number * 10,
        "isbn": 9_780_000_000_000_000 + number,
        "weight": number / 8,
        "price": number + 0.25,
        "inStock": number % 2 == 0,
        "releaseDate": f"20{number:02}-0{1 + number % 9}-{10 + number % 18}",
        "opensAt": f"{number % 24:02}:30:15.125",
        "reviewedAt": NOON - number * 7 * DAY + 7,
        "importedAt": NOON + number * 1001,
        "extra": {"number": number, "list": [1, "two", None]},
        "content": [{"type": "paragraph", "children": [{"type": "text", "text": f"Text {number}"}]}],
        "keywords": [f"k{number}"],
        "ISBN13Code": f"978-{number}",
        "weird-name": f"weird {number % 3}",
        "Größe": number % 5,
        "order": number % 7,
        "select": "from",
    }
    kept = {name: value if random.random() < 0.85 else None for name, value in values.items()}
    return {**kept, "pin": "$2a$10$secret", "secretNote": f"secret {number}"}


def _details(number: int) -> dict[str, Any]:
    return {
        "binding": "hard" if number % 2 else "soft",
        "weight": number / 4,
        "barcode": f"secret {number}",
        "printedBy": 1 + number % 7,
        "vault": 1,
        "notes": [{"text": f"note {number}.{order}", "order": order, "passphrase": "secret"} for order in range(2)],
    }


def _chapter(number: int, order: int, files: list[int]) -> dict[str, Any]:
    return {
        "title": f"chapter {number}.{order}",
        "pages": number + order,
        "footnote": {"text": f"footnote {number}"} if order else None,
        "picture": files[order],
        "genres": [1 + order, 2 + order],
    }


def _zone(number: int, files: list[int]) -> list[dict[str, Any]]:
    kinds: tuple[dict[str, Any], ...] = (
        {"__component": "shop.quote", "text": f"quote {number}", "source": 1 + number % 7, "internal": "secret"},
        {"__component": "shop.chapter", **_chapter(number, 1, files)},
        {
            "__component": "shop-odd.banner-2",
            "label": f"banner {number}",
            "picture": files[:2],
            "details": _details(number),
        },
    )
    return [kinds[(number + position) % 3] for position in range(number % 5)]


async def _write_note(writer: ContentWriter, number: int) -> None:
    subject = (BOOK, number) if number % 3 else (AUTHOR, number // 3) if number != 12 else None
    await writer.add(
        NOTE,
        text=f"note {number}",
        secret=f"secret {number}",
        subject=subject,
        subjects=[(BOOK, number, "mentions"), (GENRE, 1, "x"), (BOOK, 1, "mentions"), (VAULT, 1, "x")][: number % 5],
        createdAt=NOON,
    )


async def _write_localizations(writer: ContentWriter) -> None:
    for pair in ((21, 22), (22, 21), (23, 24), (24, 23)):
        await writer.insert("books_localizations_links", book_id=pair[0], inv_book_id=pair[1], book_order=1.0)


async def _write_single_types(writer: ContentWriter) -> None:
    for number, locale in enumerate(("en", "fr"), 1):
        await writer.add(
            "api::front-page.front-page",
            headline=f"headline {locale}",
            locale=locale,
            publishedAt=NOON,
            picks=[3, 1, 2],
            blocks=[{"__component": "shop.quote", "text": f"hello {number}", "source": 1}],
        )
    for pair in ((1, 2), (2, 1)):
        row = {"front_page_id": pair[0], "inv_front_page_id": pair[1], "front_page_order": 1.0}
        await writer.insert("front_pages_localizations_links", **row)
    await writer.add("api::imprint.imprint", lines=["one", "two"], details=_details(1))
