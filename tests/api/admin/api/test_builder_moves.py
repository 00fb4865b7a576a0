"""Moving components to another category, on both databases: their entries' data follows, in both directions."""

import json
from typing import Any

import pytest

from tests.api.admin.api.test_builder import PARTS, TEXT, Builder, builder, gadget
from tests.api.admin.conftest import Office
from tests.models.club import FULL
from tests.models.people import write

__all__ = ["builder"]
pytestmark = pytest.mark.anyio
BOLT = {"category": "gear", "displayName": "Bolt", "attributes": {"size": TEXT, "picture": {"type": "media"}}}
LAYOUT = "plugin_content_manager_configuration_components::"
NO_TOOLS = """\
from pathlib import Path


def bootstrap(app):
    if (Path(__file__).parent / "components/tools").exists():
        raise ValueError("no tools")
"""


async def held(office: Office) -> tuple[str, str, Any]:
    """Return the entry's component in its zone, the one in its field, and the component's stored layout."""
    club = office.club
    found = (await club.ask("GET", "/api/gadgets?populate=*", None, FULL)).json["data"][0]["attributes"]
    zone = ((one["__component"], one["size"]) for one in found["zone"])
    name = club.database.dialect.quote("key")
    text = f"SELECT {name}, value FROM strapi_core_store_settings WHERE {name} LIKE '{LAYOUT}%.bolt'"
    key, value = next(iter(await club.database.fetch_all(text)))
    assert json.loads(value) == {"settings": {"pageSize": 50}}
    return next(zone)[0], found["one"]["size"], key.removeprefix(LAYOUT)


async def test_component_data_is_moved(builder: Builder, office: Office) -> None:
    club = office.club
    await builder.ask("POST", PARTS, {"component": BOLT, "components": []})
    zone = {"type": "dynamiczone", "components": ["gear.bolt"]}
    one = {"type": "component", "component": "gear.bolt"}
    assert (await builder.make(gadget({"zone": zone, "one": one}))).status == 201
    data = {"zone": [{"__component": "gear.bolt", "size": "z"}], "one": {"size": "o"}}
    assert (await club.ask("POST", "/api/gadgets", {"data": data}, FULL)).status == 200
    text = "INSERT INTO files_related_morphs (related_id, related_type, field) VALUES ({v1}, {v2}, {v3})"
    await write(club.database, text, 1, "gear.bolt", "picture")
    text = "INSERT INTO strapi_core_store_settings ({key:name}, value) VALUES ({v1}, {v2})"
    await write(club.database, text, f"{LAYOUT}gear.bolt", '{"settings": {"pageSize": 50}}')
    assert await held(office) == ("gear.bolt", "o", "gear.bolt")

    (builder.project / "src/index.py").write_text(NO_TOOLS)
    tools = {"component": {**BOLT, "category": "tools"}, "components": []}
    failed = await builder.ask("PUT", f"{PARTS}/gear.bolt", tools)
    assert (failed.status, "no tools" in str(failed.json)) == (400, True)
    assert await held(office) == ("gear.bolt", "o", "gear.bolt")
    (builder.project / "src/index.py").unlink()

    made = await builder.ask("PUT", f"{PARTS}/gear.bolt", tools)
    assert made.json == {"data": {"uid": "tools.bolt"}}
    assert await held(office) == ("tools.bolt", "o", "tools.bolt")
    made = await builder.ask("PUT", "/content-type-builder/component-categories/tools", {"name": "things"})
    assert made.json == {"name": "things"}
    assert await held(office) == ("things.bolt", "o", "things.bolt")
    assert await club.database.fetch_value("SELECT related_type FROM files_related_morphs") == "things.bolt"
    names = sorted(path.name.partition("-")[2] for path in (builder.project / "database/migrations").glob("*.py"))
    assert len(names) == 2, names


async def test_names_outside_of_the_folder_are_refused(builder: Builder) -> None:
    before = builder.files()
    await builder.ask("POST", PARTS, {"component": BOLT, "components": []})
    for name in ("../../evil", "..", "/tmp/x"):
        quoted = name.replace("/", "%2f")
        for answer in (
            await builder.ask("POST", PARTS, {"component": {**BOLT, "category": name}, "components": []}),
            await builder.ask("PUT", "/content-type-builder/component-categories/gear", {"name": name}),
            await builder.ask("DELETE", f"/content-type-builder/component-categories/{quoted}"),
            await builder.ask("PUT", f"{PARTS}/{quoted}", {"component": BOLT, "components": []}),
            await builder.ask("DELETE", f"/content-type-builder/content-types/api::{quoted}"),
        ):
            assert answer.status in (400, 404), answer.json
    await builder.ask("POST", PARTS, {"component": {**BOLT, "displayName": "../../x"}, "components": []})
    made = {path.relative_to(builder.project).parts[:3] for path in builder.files().keys() - before.keys()}
    assert made == {("src", "components", "gear")}
