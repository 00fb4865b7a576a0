"""The content-type builder over HTTP on both databases: changes are served when the response arrives, or not made."""

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.database.synchronize import found_tables
from octavo.operations.runtime.prepare_database import add_locales
from octavo.operations.runtime.process import Process
from tests.api.admin.conftest import Office
from tests.api.http.asgi import Answer, scope_of
from tests.models.club import FULL, NEVER

pytestmark = pytest.mark.anyio

TYPES = "/content-type-builder/content-types"
PARTS = "/content-type-builder/components"
MEGABYTE = 1024**2
GADGET = "api::gadget.gadget"
TEXT = {"type": "string"}
AT, IN = ["contentType", "attributes"], [GADGET, "attributes"]


def gadget(attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    names = {"displayName": "Gadget", "singularName": "gadget", "pluralName": "gadgets"}
    form = {**names, "kind": "collectionType", "draftAndPublish": False, "attributes": attributes, **more}
    return {"contentType": form, "components": []}


NO_GADGETS = """\
def bootstrap(app):
    try:
        app.entries("api::gadget.gadget")
    except Exception:
        return
    raise ValueError("no gadgets")
"""


NO_HEADINGS = """\
from pathlib import Path


def bootstrap(app):
    file = Path(__file__).parent / "api/gadget/content-types/gadget/schema.json"
    if "heading" in file.read_text():
        raise ValueError("no headings")
"""


class Builder:
    """The builder API as Ada uses it."""

    def __init__(self, office: Office, token: str) -> None:
        self._office = office
        self._token = token

    @property
    def project(self) -> Path:
        return self._office.club.octavo.settings.project

    @property
    def octavo(self) -> Process:
        return self._office.club.octavo

    async def ask(self, method: str, target: str, body: Any = None) -> Answer:
        return await self._office.club.ask(method, target, body, self._token)

    async def make(self, body: Any, uid: str | None = None) -> Answer:
        return await self.ask("PUT" if uid else "POST", f"{TYPES}/{uid}" if uid else TYPES, body)

    async def shown(self, uid: str) -> dict[str, Any]:
        answer = await self.ask("GET", f"{TYPES}/{uid}")
        found: dict[str, Any] = answer.json["data"]["schema"]["attributes"]
        return found

    def written(self, name: str) -> Any:
        return json.loads((self.project / "src" / name).read_text("utf-8"))

    def files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in (self.project / "src").rglob("*") if path.is_file()}


@pytest.fixture
async def builder(office: Office) -> Builder:
    return Builder(office, (await office.session())[0])


async def test_a_type_from_creation_to_deletion(builder: Builder, office: Office) -> None:
    club = office.club
    part = {"tmpUID": "tmp.new", "category": "gear", "displayName": "Bolt", "attributes": {"size": {"type": "float"}}}
    attributes = {
        "title": {"type": "string"},
        "note": {"type": "relation", "relation": "manyToOne", "target": "api::note.note", "targetAttribute": "gadgets"},
        "bolts": {"type": "component", "repeatable": True, "component": "tmp.new"},
    }
    made = await builder.make({**gadget(attributes), "components": [part]})
    assert (made.status, made.json) == (201, {"data": {"uid": "api::gadget.gadget"}})
    assert (await builder.shown("api::note.note"))["gadgets"]["mappedBy"] == "note"
    assert builder.written("components/gear/bolt.json")["collectionName"] == "components_gear_bolts"
    assert not (builder.project / "src/api/gadget/controllers").exists()  # Octavo projects don't need one
    assert not await club.octavo.reload_if_changed()  # file watchers find no change
    body = {"data": {"title": "A", "bolts": [{"size": 1.5}]}}
    entry = await club.ask("POST", "/api/gadgets?populate=*", body, FULL)
    assert entry.json["data"]["attributes"]["bolts"][0]["size"] == 1.5

    changed = await builder.make(
        gadget({"title": {"type": "string"}, "amount": {"type": "integer"}}), "api::gadget.gadget"
    )
    assert changed.status == 201
    assert "gadgets" not in await builder.shown("api::note.note")
    again = await club.ask("GET", "/api/gadgets", None, FULL)
    assert again.json["data"][0]["attributes"]["title"] == "A"

    assert (await builder.ask("DELETE", f"{TYPES}/api::gadget.gadget")).json == {"data": {"uid": "api::gadget.gadget"}}
    assert (await builder.ask("DELETE", f"{PARTS}/gear.bolt")).status == 200
    assert not (builder.project / "src/api/gadget").exists()
    assert not (builder.project / "src/components/gear").exists()
    assert (await club.ask("GET", "/api/gadgets", None, FULL)).status == 404


async def test_a_column_of_another_type(builder: Builder, office: Office) -> None:
    """A column is converted if every value has an equivalent in the new type; otherwise nothing changes."""
    club = office.club
    await builder.make(gadget({"code": {"type": "string"}, "word": {"type": "string"}}))
    await club.ask("POST", "/api/gadgets", {"data": {"code": "12", "word": "twelve"}}, FULL)
    before = builder.files()
    refused = await builder.make(gadget({"code": {"type": "integer"}, "word": {"type": "integer"}}), GADGET)
    assert refused.status == 400
    path = refused.json["error"]["details"]["errors"][0]["path"]
    assert path == ["api::gadget.gadget", "attributes", "word", "type"]
    assert builder.files() == before
    made = await builder.make(gadget({"code": {"type": "integer"}, "word": TEXT}), GADGET)
    assert made.status == 201
    found = await club.ask("GET", "/api/gadgets", None, FULL)
    assert found.json["data"][0]["attributes"]["code"] == 12


async def test_drafts_and_locales_are_disabled_and_enabled(builder: Builder, office: Office) -> None:
    """Disabling drafts or localization hides drafts and other locales; enabling it again shows them."""
    club, french = office.club, {"pluginOptions": {"i18n": {"localized": True}}}
    await add_locales(club.database, {"en": "English", "fr": "French"})
    await builder.make(gadget({"title": {**TEXT, **french}}, draftAndPublish=True, **french))
    for locale, data in (("en", {}), ("en", {"publishedAt": None}), ("fr", {})):
        body = {"data": {"title": locale, "locale": locale, **data}}
        made = await club.ask("POST", "/api/gadgets", body, FULL)
        assert made.status == 200
    assert (await builder.make(gadget({"title": TEXT}), GADGET)).status == 201
    await club.ask("POST", "/api/gadgets", {"data": {"title": "new"}}, FULL)
    assert await titles(office) == [(1, "en"), (4, "new")]
    both = gadget({"title": {**TEXT, **french}}, draftAndPublish=True, **french)
    assert (await builder.make(both, GADGET)).status == 201
    assert await titles(office) == [(1, "en"), (4, "new")]
    assert await titles(office, "?locale=all&publicationState=preview") == [(1, "en"), (2, "en"), (3, "fr"), (4, "new")]


async def titles(office: Office, query: str = "") -> list[tuple[int, str]]:
    answer = await office.club.ask("GET", f"/api/gadgets{query}", None, FULL)
    return [(one["id"], one["attributes"]["title"]) for one in answer.json["data"]]


async def test_a_rename_updates_data_and_permissions(builder: Builder, office: Office) -> None:
    """Data and permissions follow the rename, and are restored if the change fails at its last step."""
    club, note = office.club, {"type": "relation", "relation": "manyToOne", "target": "api::note.note"}
    form = {"title": TEXT, "note": {**note, "targetAttribute": "gadgets"}}
    await builder.make(gadget(form))
    await club.ask("POST", "/api/gadgets", {"data": {"title": "A"}}, FULL)
    async with club.database.transaction() as transaction:
        values = f"""('plugin::content-manager.explorer.read', '{GADGET}', '{{"fields": ["title"]}}')"""
        await transaction.execute_script(f"INSERT INTO admin_permissions (action, subject, properties) VALUES {values}")
    renamed = {"heading": TEXT, "memo": {**note, "targetAttribute": "gadgets"}}
    body = gadget(renamed, renames={"title": "heading", "note": "memo"})

    (builder.project / "src/index.py").write_text(NO_HEADINGS)
    before = builder.files()
    failed = await builder.make(body, GADGET)
    assert (failed.status, "no headings" in str(failed.json)) == (400, True)
    assert builder.files() == before
    assert not [*(builder.project / "database").glob("migrations/*")]
    assert await titles(office) == [(1, "A")]
    (builder.project / "src/index.py").unlink()

    made = await builder.make(body, GADGET)
    assert made.status == 201, made.json
    found = await club.ask("GET", "/api/gadgets?populate=*", None, FULL)
    assert found.json["data"][0]["attributes"]["heading"] == "A"
    assert (await builder.shown("api::note.note"))["gadgets"]["mappedBy"] == "memo"
    asked = f"SELECT properties FROM admin_permissions WHERE subject = '{GADGET}' ORDER BY id"
    kept = (await club.database.fetch_all(asked))[0]
    assert "heading" in str(kept)
    refused = await builder.make(gadget(renamed, renames={"nope": "x", "heading": "memo"}), GADGET)
    assert len(refused.json["error"]["details"]["errors"]) == 2


async def test_definitions_that_cannot_be_served_change_nothing(builder: Builder, office: Office) -> None:
    """Files, tables and the served schema stay, and the response contains the reason."""
    bootstrap = builder.project / "src/index.py"
    bootstrap.write_text(NO_GADGETS)
    before, tables = builder.files(), await found_tables(office.club.database, office.club.database.dialect)
    answer = await builder.make(gadget({"title": TEXT}))
    assert (answer.status, "no gadgets" in str(answer.json)) == (400, True)
    assert builder.files() == before
    assert await found_tables(office.club.database, office.club.database.dialect) == tables
    assert (await builder.ask("GET", f"{TYPES}/{GADGET}")).json == {"error": "contentType.notFound"}
    bootstrap.unlink()
    assert (await builder.make(gadget({"title": TEXT}))).status == 201


LONG, NAMED = "long" * 70, {"type": "enumeration", "enum": ["a"], "enumName": "Kinds"}
FORMS: list[tuple[str, dict[str, Any], list[str], str]] = [
    ("../evil", {"t": TEXT}, ["contentType", "singularName"], "is not in kebab case"),
    ("note", {"t": TEXT}, ["contentType", "singularName"], "already being used"),
    ("upload", {"t": TEXT}, ["contentType", "singularName"], "cannot be one of"),
    (LONG, {"t": TEXT}, [f"api::{LONG}.{LONG}", "singularName"], "is too long"),
    ("gadget", {"e": {"type": "enumeration", "enum": []}}, [*AT, "e", "enum"], "must have at least 1 items"),
    ("gadget", {"e": {"type": "enumeration", "enum": ["a b", "a_b"]}}, [*IN, "e", "enum"], "same GraphQL name"),
    ("gadget", {"e": NAMED, "f": NAMED}, [*IN, "e", "enumName"], "the name of another enumeration"),
    ("gadget", {"e": {"type": "enumeration", "enum": None}}, [*AT, "e", "enum"], "must be a `array` type"),
    ("gadget", {"r": {"type": "relation", "relation": "oneToOne"}}, [*AT, "r", "target"], "target is a required field"),
    ("gadget", {"t": {**TEXT, "regex": "("}}, [*AT, "t", "regex"], "must be a valid regular expression"),
    ("gadget", {"bigViews": TEXT, "big_views": TEXT}, [*IN, "big_views"], "same column"),
    ("gadget", {"x" * 101: TEXT}, [*IN, "x" * 101], "at most 100 characters"),
    ("gadget", {f"t{number}": TEXT for number in range(1001)}, AT, "at most 1000 attributes"),
]


async def test_forms_that_are_refused(builder: Builder) -> None:
    """Errors name the place of each problem, and no file is written or changed."""
    before = builder.files()
    for name, attributes, place, reason in FORMS:
        answer = await builder.make(gadget(attributes, singularName=name, pluralName=f"{name}s"))
        problems = answer.json["error"]["details"]["errors"]
        assert answer.status == 400
        assert place in [problem["path"] for problem in problems], problems
        assert reason in json.dumps(problems)
    for table in ("notes", "octavo_state", "files", "admin_users", "sqlite_x", "pg_x"):
        answer = await builder.make(gadget({"t": TEXT}, collectionName=table))
        assert (answer.status, "name" in str(answer.json["error"])) == (400, True), table
    assert builder.files() == before


async def test_components_contain_neither_themselves_nor_their_parents(builder: Builder) -> None:
    def part(name: str, held: str) -> dict[str, Any]:
        attributes = {"inner": {"type": "component", "component": held}, "text": TEXT}
        return {"category": "gear", "displayName": name, "attributes": attributes}

    one, other = part("One", "tmp.two"), part("Two", "tmp.one")
    parts = [{**one, "tmpUID": "tmp.one"}, {**other, "tmpUID": "tmp.two"}]
    zone = {"z": {"type": "dynamiczone", "components": ["tmp.one"]}}
    refused = await builder.make({**gadget(zone), "components": parts})
    assert (refused.status, "cannot contain itself" in str(refused.json)) == (400, True)
    plain = {**part("One", ""), "attributes": {"text": TEXT}}
    assert (await builder.ask("POST", PARTS, {"component": plain, "components": []})).status == 201
    refused = await builder.ask("PUT", f"{PARTS}/gear.one", {"component": part("One", "gear.one"), "components": []})
    assert (refused.status, "cannot contain itself" in str(refused.json)) == (400, True)


async def test_permissions(open_office: Any) -> None:
    office: Office = await open_office(**NEVER)
    editor = (await office.session("edi"))[0]
    assert (await office.club.ask("GET", TYPES, None, editor)).status == 403
    assert (await office.club.ask("GET", TYPES, None, FULL)).status == 401
    rights = "INSERT INTO admin_permissions (action) VALUES ('plugin::content-type-builder.read')"
    links = "INSERT INTO admin_permissions_role_links (permission_id, role_id) SELECT max(id), 2 FROM admin_permissions"
    async with office.club.database.transaction() as transaction:
        await transaction.execute_script(f"{rights}; {links}")
    office.club.octavo.infrastructure.authenticator.administrators.forget()
    form = gadget({"t": TEXT})
    assert (await office.club.ask("GET", TYPES, None, editor)).status == 200
    for method, path, body in (("POST", TYPES, form), ("DELETE", f"{TYPES}/api::note.note", None)):
        assert (await office.club.ask(method, path, body, editor)).status == 403
    office.club.octavo.infrastructure.definitions.change = None  # as in production
    answer = await office.club.ask("POST", TYPES, gadget({"t": {"type": "string"}}), (await office.session())[0])
    assert answer.status == 403


async def test_large_bodies_are_not_read(open_office: Any) -> None:
    """10 MB are refused by their Content-Length or after the builder's limit of 4 MB, whatever the general limit."""
    office: Office = await open_office(**NEVER, OCTAVO_MIDDLEWARES__BODY__JSON="100 MB")
    token, app = (await office.session())[0], office.club.octavo.asgi
    for length, most in ((10 * MEGABYTE, 0), (None, 5 * MEGABYTE)):
        sent, taken = list[Any](), list[int]()

        async def receive(taken: list[int] = taken) -> dict[str, Any]:
            taken.append(MEGABYTE)
            return {"type": "http.request", "body": b" " * MEGABYTE, "more_body": True}

        async def send(message: Any, sent: list[Any] = sent, taken: list[int] = taken) -> None:
            sent.append((message, sum(taken)))

        headers = [("Authorization", f"Bearer {token}"), ("Content-Type", "application/json")]
        headers += [("Content-Length", str(length))] if length else []
        await app(scope_of("POST", TYPES, headers), receive, send)
        start, before = sent[0]
        assert start["status"] == 413
        assert before <= most
