"""The text editors: v4's blocks, and Markdown. Untouched text does not change."""

import json
import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.cli.processes import Server, serving
from tests.pages.desk import Desk
from tests.pages.sample import FIRST, magazine
from tests.pages.written import block

NOTE: Final = "/content-manager/collection-types/api::note.note"
SCHEMA: Final = {
    "kind": "collectionType",
    "collectionName": "notes",
    "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
    "options": {"draftAndPublish": False},
    "attributes": {"title": {"type": "string"}, "body": {"type": "blocks"}, "text": {"type": "richtext"}},
}
EVIL: Final = (
    "# Hello *you*\n\n<img src=x onerror=top.hacked=1> [click](javascript:top.hacked=1)\n\n"
    "<script>top.hacked=1</script><svg onload=top.hacked=1></svg>"
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with a content type for notes."""
    project = magazine(tmp_path_factory.mktemp("texts"))
    schema = project / "src/api/note/content-types/note/schema.json"
    schema.parent.mkdir(parents=True)
    schema.write_text(json.dumps(SCHEMA))
    with serving("develop", project, **FIRST) as server:
        yield server


def made(desk: Desk, **values: Any) -> int:
    return int(desk.ask("POST", NOTE, values)["id"])


def stored(desk: Desk, note: int) -> dict[str, Any]:
    found: dict[str, Any] = desk.ask("GET", f"{NOTE}/{note}")
    return found


def write(desk: Desk, text: str) -> None:
    desk.page.send("Input.insertText", text=text)


def enter(desk: Desk, note: int, field: str = "body") -> None:
    """Open a note, with the cursor at the end of a field."""
    desk.open(f"/admin{NOTE}/{note}")
    desk.until(f"document.getElementById('field.{field}')", field)
    if field == "body":
        last = "const text = document.getElementById('field.body'); text.focus(); "
        desk.do(f"(() => {{ {last} getSelection().selectAllChildren(text); getSelection().collapseToEnd(); }})()")
    else:
        desk.do("(document.getElementById('field.text').focus(), 0)")


def save(desk: Desk) -> None:
    desk.click("Save")
    desk.see("Saved")


def texts(value: str, **marks: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": value, **marks}]


@pytest.mark.parametrize("seed", range(3))
def test_untouched_blocks_do_not_change(desk: Desk, seed: int) -> None:
    source = random.Random(seed)
    body = [block(source) for _ in range(60)]
    note = made(desk, body=[*body, {"type": "paragraph", "children": texts("end")}])
    enter(desk, note)
    write(desk, "!")
    save(desk)
    assert stored(desk, note)["body"] == [*body, {"type": "paragraph", "children": texts("end!")}]
    assert desk.do("window.hacked === undefined")


def test_editing_a_block_keeps_its_other_values(desk: Desk) -> None:
    link = {"type": "link", "url": "/a", "rel": "author", "children": [*texts("b", bold=True), *texts("c")]}
    children = [*texts("a", bold=True, colour="red"), link, *texts(""), {**link, "url": "/b"}, *texts("d")]
    note = made(desk, body=[{"type": "paragraph", "align": "left", "children": children}])
    before = stored(desk, note)["body"]
    enter(desk, note)
    write(desk, "!")
    save(desk)
    before[0]["children"][-1]["text"] = "d!"
    assert stored(desk, note)["body"] == before


def test_blocks_are_written_as_v4_writes_them(desk: Desk) -> None:
    note = made(desk, title="Typed")
    enter(desk, note)
    write(desk, "One ")
    desk.press("b", control=True)
    write(desk, "bold")
    desk.press("Enter")
    write(desk, "/heading 2")
    desk.until("!__look.all('[role=listbox]').length", "no menu for two words")
    for _ in "/heading 2":
        desk.press("Backspace")
    write(desk, "/quo")
    desk.until("__look.all('[role=option]').length === 1", "the quote")
    desk.press("Enter")
    write(desk, "Said")
    desk.press("Enter")
    for piece in ("-", " ", "A"):
        write(desk, piece)
    desk.press("Enter")
    write(desk, "B")
    desk.press("Tab")
    desk.press("Enter")
    desk.press("Enter")
    write(desk, "C")
    assert desk.do("document.querySelectorAll('.blocks :is(ul, ol) > :not(li)').length") == 0
    padding = desk.do("getComputedStyle(document.querySelector('[role=toolbar] select')).paddingInlineEnd")
    assert padding == "24px", "The arrow of the list would cover its text"
    assert desk.barriers() == []
    save(desk)
    item = {"type": "list-item"}
    nested = {"type": "list", "format": "unordered", "indentLevel": 1, "children": [item | {"children": texts("B")}]}
    assert stored(desk, note)["body"] == [
        {"type": "paragraph", "children": [*texts("One "), *texts("bold", bold=True)]},
        {"type": "quote", "children": texts("Said")},
        {
            "type": "list",
            "format": "unordered",
            "children": [item | {"children": texts("A")}, nested, item | {"children": texts("C")}],
        },
    ]


def test_markdown_previews_run_no_scripts(desk: Desk) -> None:
    note = made(desk, text=EVIL)
    enter(desk, note, "text")
    desk.click("Preview")
    desk.until("document.querySelector('iframe[sandbox=\"\"]')?.srcdoc.includes('<h1>Hello <em>you</em></h1>')", "it")
    parsed = "new DOMParser().parseFromString(document.querySelector('iframe').srcdoc, 'text/html')"
    evil = "script, svg, [onerror], [onload], a[href^=javascript]"
    assert desk.do(f"{parsed}.querySelectorAll('{evil}').length") == 0
    desk.see("words")
    desk.do("(document.getElementById('field.text').focus(), 0)")
    desk.press("End")
    write(desk, " there")
    save(desk)
    assert stored(desk, note)["text"] == EVIL.replace("*you*", "*you* there", 1)
    assert desk.do("window.hacked === undefined")


def test_text_editors_are_accessible(desk: Desk) -> None:
    note = made(desk, title="All", text="# One", body=[block(random.Random(7)) for _ in range(20)])
    for theme in ("dark", "light"):
        desk.theme(theme)
        enter(desk, note)
        assert desk.barriers() == []
    desk.size(390)
    assert not desk.overflows()
