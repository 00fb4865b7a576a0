"""Import and export on each database: exports equal their imports, and errors change nothing."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.tables import MEDIA_TABLES
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.transfer.archive.parts import Part
from octavo.operations.transfer.archive.reader import ArchiveReader, open_archive
from octavo.operations.transfer.archive.schemas import differences
from octavo.operations.transfer.archive.writer import new_archive
from octavo.operations.transfer.exporter import ExportReport, export_project
from octavo.operations.transfer.importing.importer import ImportReport, check_parts, import_archive
from octavo.operations.transfer.problems import TransferError
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from tests.models.v4_names import V4_NAMES
from tests.operations.transfer.town import (
    CONFIGURATION,
    EMPTY_HOUSE,
    ENTITIES,
    FILE,
    FILES,
    FIRST_HOUSE,
    HOUSE,
    LINKS,
    ROLE,
    STREET,
    USER,
    end,
    link,
    make_town,
    town_files,
)
from tests.operations.transfer.v4_archives import jsonl, tar_bytes

pytestmark = pytest.mark.anyio

ALL = frozenset(Part)


class Town:
    """A project with its database and its uploads."""

    def __init__(self, folder: Path, database: Database, registry: Registry) -> None:
        self.folder = folder
        self.uploads = folder / "public/uploads"
        self.database = database
        self.registry = registry
        self.storage = LocalStorage(self.uploads)

    async def take(self, files: dict[str, bytes], parts: frozenset[Part] = ALL) -> ImportReport:
        archive = ArchiveReader(Path("a.tar"), io.BytesIO(tar_bytes(files)))
        check_parts(archive, parts)
        steps: list[tuple[int, int]] = []
        report = await import_archive(
            self.database, self.registry, self.storage, archive, parts, lambda *step: steps.append(step)
        )
        assert parts < ALL or steps[-1][0] == steps[-1][1]
        return report

    async def give(self, path: Path, parts: frozenset[Part] = ALL, *, skip_invalid: bool = False) -> ExportReport:
        database, registry, storage = self.database, self.registry, self.storage
        with new_archive(path, compressed=False, password=None) as archive:
            return await export_project(
                database, registry, storage, archive, parts, "4.26.2", lambda *_: None, skip_invalid=skip_invalid
            )

    def stored(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.uploads.iterdir()}

    async def rows(self, text: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await self.database.fetch_all(text)]


@pytest.fixture
async def town(tmp_path: Path, database: Database) -> Town:
    """A town on each database, with its own content."""
    folder = make_town(tmp_path / "town")
    registry = load_registry(folder)
    await prepare_database(database, registry, "en")
    made = Town(folder, database, registry)
    await database.execute("INSERT INTO houses (name) VALUES ('of old')")
    await database.execute("INSERT INTO admin_users (firstname) VALUES ('Ada')")
    await database.execute(
        "INSERT INTO files (name, hash, mime, size, url, provider, folder_path)"
        " VALUES ('o', 'o', 'x', 1, '/uploads/old.png', 'local', '/')"
    )
    (made.uploads / "old.png").write_bytes(b"old")
    (made.uploads / "red_1.png").write_bytes(b"another picture of this name")
    (made.uploads / "stray.txt").write_bytes(b"of nobody")
    return made


def lines_of(path: Path, folder: str) -> list[dict[str, Any]]:
    with open_archive(path, None, path.parent) as archive:
        return [line for _, line, _ in archive.lines(folder)]


def in_order(lines: Sequence[Any]) -> list[str]:
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


async def test_invalid_values_are_exported_as_empty_ones_if_asked(town: Town, tmp_path: Path) -> None:
    if town.database.dialect.name != "sqlite":
        pytest.skip("the columns of PostgreSQL hold no other types")
    await town.database.execute("INSERT INTO houses (id, name, value, is_old) VALUES (7, 'odd', '12a', 'perhaps')")
    found = {"houses.value, id 7: is not a whole number", "houses.is_old, id 7: must be true or false"}
    with pytest.raises(TransferError, match="--skip-invalid leaves them empty") as refused:
        await town.give(tmp_path / "a.tar")
    assert all(problem in str(refused.value) for problem in found)
    assert not (tmp_path / "a.tar").exists()
    report = await town.give(tmp_path / "a.tar", skip_invalid=True)
    assert set(report.invalid.summary()) == found
    [odd] = [line["data"] for line in lines_of(tmp_path / "a.tar", "entities") if line["data"].get("name") == "odd"]
    assert (odd["value"], odd.get("isOld", odd.get("is_old"))) == (None, None)


async def test_files_without_content_stay_private(town: Town) -> None:
    town.storage = LocalStorage(town.uploads, private_key="k")
    await town.take(town_files())
    names = ["red_1.png", "thumbnail_red_1.png"]
    town.storage.set_private(names, private=True)
    await town.take(town_files(), frozenset({Part.FILES}))
    assert [town.storage.is_private(name) for name in names] == [True, True]
    await town.take(town_files())
    assert [town.storage.is_private(name) for name in names] == [False, False]


async def test_content_without_files_keeps_privacy_and_pending_removals(town: Town) -> None:
    town.storage = LocalStorage(town.uploads, private_key="k")
    await synchronize(town.database, town.registry, MEDIA_TABLES)
    await town.take(town_files())
    names = ["red_1.png", "thumbnail_red_1.png"]
    town.storage.set_private(names, private=True)
    [(file_id,)] = await town.rows("SELECT id FROM files WHERE url = '/uploads/red_1.png'")
    async with unit_of_work(town.database) as unit:
        for text in (
            f"INSERT INTO octavo_private_files (file_id) VALUES ({file_id}), (9999)",
            "INSERT INTO octavo_storage_cleanup (object, due_at) VALUES ('gone.png', 1), ('red_1.png', 1)",
            "INSERT INTO octavo_image_variants VALUES ('red_1.png', 'w', 1, 1, 'variant_red.webp', 'image/webp', 1, 1)",
        ):
            await unit.connection.execute(text)
    await town.take(town_files(), frozenset({Part.CONTENT, Part.CONFIG}))
    marked = "SELECT f.url FROM octavo_private_files p JOIN files f ON f.id = p.file_id"
    assert await town.rows(marked) == [("/uploads/red_1.png",)]
    assert [town.storage.is_private(name) for name in names] == [True, True]
    removed = "SELECT object FROM octavo_storage_cleanup ORDER BY object"
    assert await town.rows(removed) == [("gone.png",), ("variant_red.webp",)]
    await town.take(town_files())
    assert (await town.rows(marked), await town.rows(removed)) == ([], [])


async def test_exports_equal_their_imports(town: Town, tmp_path: Path) -> None:
    report = await town.take(town_files())
    assert report.entries[HOUSE] == 2
    assert (report.links, report.files, report.settings) == (len(LINKS), 2, 3)
    assert not report.left_out
    path = tmp_path / "out.tar"
    given = await town.give(path)
    assert given.files == 2
    assert not given.dangling
    assert in_order(lines_of(path, "entities")) == in_order(ENTITIES)
    kept = [{**line, "right": {"field": None, **line["right"]}} for line in lines_of(path, "links")]
    wanted = [{**line, "right": {"field": None, **line["right"]}} for line in LINKS]
    assert in_order(kept) == in_order(wanted)
    values = [{**line["value"], "id": 0} for line in lines_of(path, "configuration")]
    assert in_order(values) == in_order([{**line["value"], "id": 0} for line in CONFIGURATION])
    with open_archive(path, None, tmp_path) as archive:
        assert sorted(archive.uploads()) == sorted(FILES)
        assert differences(archive.lines("schemas"), town.registry) == []


async def test_files_with_odd_extensions(town: Town, tmp_path: Path) -> None:
    odd = dict.fromkeys(V4_NAMES, b"odd")
    await town.take({**town_files(), **{f"assets/uploads/{name}": content for name, content in odd.items()}})
    assert town.stored().items() >= odd.items()
    for name in V4_NAMES:
        stem, _, extension = name.partition(".")
        await town.database.execute(
            "INSERT INTO files (name, hash, ext, mime, size, url, provider, folder_path)"
            f" VALUES ('o', '{stem}', '.{extension}', 'x', 1, '/uploads/{name}', 'local', '/')"
        )
    report = await town.give(tmp_path / "out.tar")
    assert (report.files, report.missing_files.summary()) == (2 + len(V4_NAMES), [])
    with open_archive(tmp_path / "out.tar", None, tmp_path) as archive:
        assert sorted(archive.uploads()) == sorted((*FILES, *V4_NAMES))


async def test_an_import_replaces_content_and_keeps_other_data(town: Town) -> None:
    await town.take(town_files())
    assert town.stored() == {**FILES, "stray.txt": b"of nobody"}
    assert await town.rows("SELECT firstname FROM admin_users") == [("Ada",)]
    assert await town.rows("SELECT id, name FROM houses ORDER BY id") == [(12, FIRST_HOUSE["name"]), (40, "Empty")]
    [[new]] = await town.rows("SELECT count(*) FROM parts_windows WHERE id IN (2, 3, 5, 7, 9)")
    assert new == 5
    async with town.database.transaction() as transaction:
        assert await transaction.fetch_value("INSERT INTO houses (name) VALUES ('new') RETURNING id") == 41


async def test_unselected_parts_are_not_changed(town: Town) -> None:
    before = town.stored()
    await town.take(town_files(), frozenset({Part.CONFIG}))
    assert await town.rows("SELECT name FROM houses") == [("of old",)]
    assert town.stored() == before
    await town.take(town_files(), frozenset({Part.FILES}))
    assert town.stored() == {**before, **FILES}
    assert await town.rows("SELECT name FROM houses") == [("of old",)]
    await town.take(town_files(), frozenset({Part.CONTENT}))
    assert await town.rows("SELECT name FROM houses WHERE id = 40") == [("Empty",)]
    assert town.stored() == {**before, **FILES}


def entity(**data: Any) -> list[Mapping[str, Any]]:
    return [*ENTITIES, {"type": HOUSE, "id": 77, "data": {**EMPTY_HOUSE, **data}}]


def broken_links(left: dict[str, Any], right: dict[str, Any], kind: str = "basic") -> list[Mapping[str, Any]]:
    return [*LINKS, link("manyToOne", left, right, kind)]


BROKEN: list[tuple[dict[str, bytes], str]] = [
    (
        town_files(entities=[*ENTITIES, {"type": HOUSE, "id": 40, "data": EMPTY_HOUSE}]),
        "line 8: duplicate ID 40 of houses",
    ),
    (town_files(entities=[*ENTITIES, {"type": HOUSE, "id": "1", "data": {}}]), "line 8: id is not an ID"),
    (town_files(entities=[*ENTITIES, {"type": HOUSE, "id": 2**40, "data": {}}]), "line 8: id is not an ID"),
    (town_files(entities=[*ENTITIES, {"type": HOUSE, "id": 1}]), "line 8: data is not an object"),
    (town_files(entities=jsonl(ENTITIES) + b"\n{"), "line 8: is not valid JSON"),
    (town_files(entities=entity(rooms="many")), "line 8: api::house.house.rooms is not a whole number"),
    (town_files(entities=entity(rooms=True)), "line 8: api::house.house.rooms is not of type integer"),
    (town_files(entities=entity(seenAt="soon")), "line 8: api::house.house.seenAt"),
    (town_files(entities=entity(name=["x"])), "line 8: api::house.house.name is not a single value"),
    (town_files(entities=entity(name="a\0b")), "line 8: houses.name contains a NUL character"),
    (town_files(entities=entity(value=str(2**64))), "line 8: .*value"),
    (town_files(entities=entity(windows={"id": 1})), "line 8: api::house.house.windows is not a list"),
    (
        town_files(entities=entity(windows=[3])),
        "line 8: api::house.house.windows contains a value that is not a component",
    ),
    (town_files(entities=entity(windows=[{"id": 9}])), "line 8: duplicate ID 9 of parts_windows"),
    (town_files(entities=entity(slug="haeuschen")), "(?s)lines? .*8.*houses"),
    (
        town_files(links=broken_links(end(HOUSE, 12, "street"), end(STREET, 99))),
        f"line 11: no {STREET} has the ID 99",
    ),
    (
        town_files(links=broken_links(end(HOUSE, 99, "street"), end(STREET, 5))),
        f"line 11: no {HOUSE} has the ID 99",
    ),
    (
        town_files(links=broken_links(end(HOUSE, 12, "street"), end(STREET, 5))),
        "line 3 to 11: houses_street_links",
    ),
    (
        town_files(links=broken_links({**end(HOUSE, 12), "field": 3}, end(STREET, 5))),
        "line 11: left.field is not a string",
    ),
    (
        town_files(links=broken_links(end(HOUSE, 12, "street"), {"type": STREET, "ref": -5})),
        "line 11: ref is not an ID",
    ),
    (town_files(links=broken_links(end(HOUSE, 12), end(STREET, 5), "odd")), "unknown link kind 'relation.odd'"),
    (town_files(configuration=[{"type": "other", "value": {}}]), "line 1: 'other' is neither"),
    ({**town_files(), "assets/uploads/x/y.png": b""}, "x/y.png: this file name is not allowed"),
    ({**town_files(), "assets/metadata/red_1.png.json": b"{"}, "red_1.png.json, line 1: is not valid JSON"),
]


async def test_a_failure_changes_nothing(town: Town) -> None:
    before = town.stored()
    settings = await town.rows("SELECT id, key, value FROM strapi_core_store_settings ORDER BY id")
    for files, problem in BROKEN:
        with pytest.raises(TransferError, match=problem):
            await town.take(files)
        assert await town.rows("SELECT name FROM houses") == [("of old",)]
        assert await town.rows("SELECT id, key, value FROM strapi_core_store_settings ORDER BY id") == settings
        assert town.stored() == before


@pytest.mark.parametrize(
    "missing, problem", [("entities", "contains no content; .* --only files,config"), ("configuration", "no config")]
)
async def test_an_archive_without_a_part(town: Town, missing: str, problem: str) -> None:
    files = {name: content for name, content in town_files().items() if not name.startswith(missing)}
    with pytest.raises(TransferError, match=problem):
        await town.take(files)


async def test_files_that_were_not_exported(town: Town) -> None:
    files = {name: content for name, content in town_files().items() if not name.startswith("assets")}
    with pytest.raises(TransferError, match="import it with --exclude files"):
        await town.take(files)
    await town.take(files, frozenset({Part.CONTENT, Part.CONFIG}))
    assert await town.rows("SELECT url FROM files") == [("/uploads/red_1.png",)]


async def test_unknown_data_is_skipped_and_reported(town: Town, tmp_path: Path) -> None:
    """So are links that v4 exports although their entry was deleted."""
    extra = [
        *ENTITIES,
        {"type": "api::boat.boat", "id": 1, "data": {}},
        {"type": "admin::user", "id": 1, "data": {}},
        {"type": HOUSE, "id": 41, "data": {**EMPTY_HOUSE, "sails": 3, "yard": [{"__component": "x.y", "id": 1}]}},
    ]
    links = [
        *LINKS,
        link("morphToMany", end(FILE, 6, "related"), end(HOUSE, 13, "pictures", 1), "morph"),
        link("oneToOne", end("parts.door", 99, "leadsTo"), end(STREET, 5)),
        link("manyToOne", end(HOUSE, 12, "boat"), end(STREET, 5)),
    ]
    report = await town.take(town_files(entities=extra, links=links))
    assert report.links == len(LINKS)
    assert report.left_out == {
        "api::boat.boat": 1,
        "admin::user": 1,
        f"{HOUSE}.sails": 1,
        f"{HOUSE}.yard: x.y": 1,
        f"links {FILE}.related": 1,
        "links parts.door.leadsTo": 1,
        f"links {HOUSE}.boat": 1,
    }


async def test_users_lose_their_sessions(town: Town) -> None:
    """The same id may be another user now."""
    await town.database.execute_script(
        "CREATE TABLE octavo_user_sessions (name text, user_id integer);"
        "INSERT INTO octavo_user_sessions VALUES ('s', 1);"
        "CREATE TABLE octavo_token_versions (user_id integer, version integer);"
        "INSERT INTO octavo_token_versions VALUES (1, 3)"
    )
    user = {"username": "ann", "email": "ann@example.com", "password": "$2a$10$x", "blocked": False}
    linked = link("manyToOne", end(USER, 1, "role"), end(ROLE, 3, "users", 1))
    await town.take(town_files(entities=[*ENTITIES, {"type": USER, "id": 1, "data": user}], links=[*LINKS, linked]))
    assert await town.rows("SELECT * FROM octavo_user_sessions") == []
    assert await town.rows("SELECT version FROM octavo_token_versions") == [(4,)]
    assert await town.rows("SELECT user_id, role_id FROM up_users_role_links") == [(1, 3)]


async def test_the_export_skips_and_reports_dangling_references(town: Town, tmp_path: Path) -> None:
    await town.take(town_files())
    await town.database.execute("DELETE FROM streets WHERE id = 11")
    (town.uploads / "thumbnail_red_1.png").unlink()
    report = await town.give(tmp_path / "out.tar")
    assert report.dangling == {"houses": 1}
    assert report.missing_files.summary() == ["/uploads/thumbnail_red_1.png: not found"]
    assert report.links == len(LINKS) - 3


def test_an_export_that_fails_leaves_no_file(tmp_path: Path) -> None:
    def export() -> None:
        with new_archive(tmp_path / "exports/out.tar.gz.enc", compressed=True, password="x") as archive:
            archive.add_json("a", 1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export()
    assert list((tmp_path / "exports").iterdir()) == []
