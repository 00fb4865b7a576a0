"""Custom fields of well-known plugins: their own controls, and JSON for values in other forms."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.processes import Server, serving
from tests.pages.desk import Desk
from tests.pages.sample import FIRST

SWATCH: Final = "api::swatch.swatch"
LIST: Final = f"/content-manager/collection-types/{SWATCH}"


def custom(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "customField", "customField": f"plugin::{name}", **more}


SCHEMA: Final = {
    "kind": "collectionType",
    "collectionName": "swatches",
    "info": {"singularName": "swatch", "pluralName": "swatches", "displayName": "Swatch"},
    "attributes": {
        "name": {"type": "string"},
        "shade": custom("color-picker.color"),
        "country": custom("country-select.country"),
        "zone": custom("timezone-select.timezone"),
        "uses": custom("multi-select.multi-select", options=["Print", "Web design:web", "Film", "Cinema:Film"]),
        "keywords": custom("tagsinput.tags"),
        "lines": custom("string-array.input"),
    },
}


@pytest.fixture(scope="module")
def service(seeded_magazine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    project = shutil.copytree(seeded_magazine, tmp_path_factory.mktemp("swatches") / "magazine")
    folder = project / "src/api/swatch/content-types/swatch"
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    with serving("develop", project, **FIRST) as server:
        yield server


def write(desk: Desk, field: str, text: str, key: str = "") -> None:
    desk.until(
        f"(document.getElementById({json.dumps(field)})?.focus(), document.activeElement.id === '{field}')", field
    )
    desk.do("document.activeElement.select?.() || true")
    desk.page.send("Input.insertText", text=text)
    if key:
        desk.press(key)


def pick(desk: Desk, field: str, text: str) -> None:
    """Search for an option and choose it."""
    write(desk, field, text)
    desk.until(
        f"document.querySelector('[role=option][aria-selected=true]')?.innerText.includes({json.dumps(text)})", text
    )
    desk.press("Enter")


def test_values_are_stored_as_their_plugins_store_them(desk: Desk) -> None:
    desk.open(f"/admin{LIST}/create")
    write(desk, "field.name", "Sea")
    write(desk, "field.shade", "#0a7f8c")
    desk.until("document.querySelector('[data-path=shade] [type=color]').value === '#0a7f8c'", "the color")
    pick(desk, "field.country", "Iceland")
    pick(desk, "field.zone", "Atlantic/Reykjavik")
    for box in ("Print", "Web design"):
        found = (
            f"[...document.querySelectorAll('[data-path=uses] label')].find((one) => one.innerText.trim() === '{box}')"
        )
        desk.do(f"{found}.click() || true")
    for tag in ("blue", "cold", "blue"):
        write(desk, "field.keywords", tag, "Enter")
    write(desk, "field.lines", "one")
    write(desk, "field.name", "Sea")  # leaving the field adds the text
    desk.click("Save")
    desk.see("Saved")
    (entry,) = desk.ask("GET", LIST)["results"]
    assert {name: entry[name] for name in SCHEMA["attributes"]} == {
        "name": "Sea",
        "shade": "#0a7f8c",
        "country": "IS",
        "zone": "Atlantic/Reykjavik",
        "uses": ["Print", "web"],
        "keywords": [{"name": "blue"}, {"name": "cold"}],
        "lines": ["one"],
    }


def test_values_that_occur_twice_are_shown_and_removed_one_by_one(desk: Desk) -> None:
    values = {"uses": ["Film", "Old", "Film", "Old"], "keywords": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}
    entry = desk.ask("POST", LIST, {"name": "Twice", **values})["id"]
    desk.open(f"/admin{LIST}/{entry}")
    desk.until("document.querySelectorAll('[data-path=keywords] .chip').length === 3", "the tags")
    desk.do("([...document.querySelectorAll('[data-path=keywords] .chip .remove')].at(-1).click(), 0)")
    desk.until("document.querySelectorAll('[data-path=keywords] .chip').length === 2", "the others")
    boxes = "[...document.querySelectorAll('[data-path=uses] label')]"
    assert desk.do(f"{boxes}.map((one) => one.innerText.trim())") == ["Print", "Web design", "Film", "Old"]
    desk.do(f"({boxes}.at(-1).click(), 0)")
    desk.click("Save")
    desk.see("Saved")
    found = desk.ask("GET", f"{LIST}/{entry}")
    assert (found["uses"], found["keywords"]) == (["Film"], [{"name": "a"}, {"name": "b"}])


def test_other_values_are_preserved_and_edited_as_json(desk: Desk) -> None:
    values = {"shade": "rgba(1, 2, 3, 0.5)", "country": "XX", "uses": {"a": 1}, "keywords": [{"name": "a", "id": 1}]}
    entry = desk.ask("POST", LIST, {"name": "Odd", **values})["id"]
    desk.open(f"/admin{LIST}/{entry}")
    for field in ("uses", "keywords"):
        desk.until(f"document.getElementById('field.{field}')?.shadowRoot", "an editor of JSON")
    shown = [desk.do(f"document.getElementById('field.{field}').value") for field in ("shade", "country")]
    assert shown == [values["shade"], "XX"]
    write(desk, "field.name", "Odder")
    desk.click("Save")
    desk.see("Saved")
    found = desk.ask("GET", f"{LIST}/{entry}")
    assert {name: found[name] for name in values} == values
