"""Complex fields: components, zones, relations, media, JSON. The saved value is the displayed one."""

import json
from typing import Any, Final

from tests.pages.desk import Desk
from tests.pages.fields import place

ARTICLE: Final = "/content-manager/collection-types/api::article.article"
TAG: Final = "/content-manager/collection-types/api::tag.tag"
EVENT: Final = "/content-manager/collection-types/api::event.event"
EVIL: Final = "<img src=x onerror=hacked=1>"


def inside(desk: Desk, path: str, selector: str, doing: str = "click()") -> None:
    """Run a method on the first element in a field that matches the selector."""
    found = f"{place(path)}?.querySelector({json.dumps(selector)})"
    desk.until(f"(() => {{ const it = {found}; if (!it) return false; it.{doing}; return true; }})()", selector)


def save(desk: Desk) -> None:
    desk.click("Save")
    desk.see("Saved")
    inside_toast = "document.querySelector('.toasts .toast button[aria-label=Close]')"
    desk.until(f"({inside_toast}?.click(), !document.querySelector('.toasts .toast'))", "no notice any more")


def linked(desk: Desk, entry: int, field: str) -> list[str]:
    answer = desk.ask("GET", f"/content-manager/relations/api::article.article/{entry}/{field}?pageSize=100")
    return [row.get("name") or row.get("title") for row in reversed(answer["results"])]


def new_tag(desk: Desk, name: str) -> int:
    return int(desk.ask("POST", TAG, {"name": name, "slug": f"tag-{abs(hash(name))}"})["id"])


def zone_of(desk: Desk, entry: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.ask("GET", f"{ARTICLE}/{entry}")["blocks"]
    return found


def test_components_in_a_zone_are_added_moved_and_keep_their_ids(desk: Desk) -> None:
    before = zone_of(desk, 1)
    desk.open(f"/admin{ARTICLE}/1")
    desk.click("Add a component to Blocks")
    desk.see("Call to action")
    found = "[...document.querySelectorAll('[role=dialog] button')].find((one) => one.innerText.trim() === 'Quote')"
    desk.until(f"(({found})?.click(), !({found}) && !document.querySelector('[role=dialog]'))", "the choice")
    last = len(before)
    desk.until(f"document.activeElement?.id === 'field.blocks.{last}'", "the quote, in focus")
    desk.do(f"document.getElementById('field.blocks.{last}.text').focus()")
    desk.page.send("Input.insertText", text="All change")
    grip = f"{place(f'blocks.{last}')}.querySelector('button[aria-label^=Move]')"
    desk.do(f"{grip}.focus()")
    desk.press("ArrowUp")
    desk.until(f"document.getElementById('field.blocks.{last - 1}.text')?.value === 'All change'", "the quote, moved")
    save(desk)
    now = zone_of(desk, 1)
    assert [part["id"] for part in now if part.get("text") != "All change"] == [part["id"] for part in before]
    assert now[last - 1]["text"] == "All change"


def test_links_are_found_added_moved_and_removed(desk: Desk) -> None:
    new_tag(desk, EVIL)
    before = linked(desk, 1, "tags")
    desk.open(f"/admin{ARTICLE}/1")
    desk.see(*before)
    desk.do("document.getElementById('field.tags').focus()")
    desk.page.send("Input.insertText", text="onerror")
    only = "((all) => all.length && all.every((one) => __look.said(one).includes('onerror')))"
    desk.until(f"{only}(__look.all('[role=option]'))", "the tag alone, and another of that name")
    desk.press("Enter")
    desk.until(f"{place('tags')}.querySelectorAll('li').length === {len(before) + 1}", "the link")
    grip = f"[...{place('tags')}.querySelectorAll('button[aria-label^=Move]')].at(-1)"
    desk.do(f"{grip}.focus()")
    desk.press("ArrowUp")
    desk.until(f"[...{place('tags')}.querySelectorAll('li')].at(-1).innerText.includes({json.dumps(before[-1])})", "it")
    save(desk)
    assert linked(desk, 1, "tags") == [*before[:-1], EVIL, before[-1]]
    desk.until(f"{place('tags')}.querySelectorAll('li').length === {len(before) + 1}", "what was saved")
    inside(desk, "tags", f"button[aria-label={json.dumps('Remove ' + before[0])}]")
    desk.until(f"{place('tags')}.querySelectorAll('li').length === {len(before)}", "one less")
    save(desk)
    assert linked(desk, 1, "tags") == [*before[1:-1], EVIL, before[-1]]
    assert desk.do("window.hacked === undefined")


def test_a_relation_to_many_thousands_opens_by_pages(desk: Desk) -> None:
    tags = [new_tag(desk, f"Many {number:02}") for number in range(45)]
    connect = {"connect": [{"id": tag} for tag in tags], "disconnect": []}
    made = desk.ask("POST", ARTICLE, {"title": "Many tags", "slug": "many-tags", "tags": connect})
    desk.open(f"/admin{ARTICLE}/{made['id']}")
    desk.see("Many 44", "Show more (25 earlier)")
    assert desk.do(f"{place('tags')}.querySelectorAll('li').length") == 20
    desk.click("Show more", exact=False)
    desk.see("Many 05", "Show more (5 earlier)")


def test_json_is_checked_and_exact(desk: Desk) -> None:
    desk.open(f"/admin{EVENT}/1")
    desk.until("document.getElementById('field.programme')?.shadowRoot", "the editor")
    focus = "document.getElementById('field.programme').shadowRoot.querySelector('.cm-content').focus()"
    desk.do(f"({focus}, true)")
    for text, reported in (
        ('{\n  "a": 1\n  "b": 2 }', "Line 3, column 3: a comma is missing"),
        ('{"n": }', "Line 1, column 7"),
    ):
        write(desk, text)
        desk.see(reported)
    desk.click("Save")
    desk.until("document.activeElement?.id === 'field.programme'", "the reader at what is wrong")
    write(desk, '{"n": 9007199254740993, "t": "<script>window.hacked=1</script>"}')
    save(desk)
    assert kept_programme(desk)["n"] == 9007199254740993
    assert desk.do("window.hacked === undefined")
    desk.open(f"/admin{EVENT}/1")
    shown = "document.getElementById('field.programme')?.shadowRoot?.querySelector('.cm-content')?.innerText"
    text = str(desk.until(f"{shown}?.includes('9007199254740993') && {shown}", "the number as it is"))
    desk.do(f"({focus}, true)")
    write(desk, text.replace("{", '{"more": [0.1, 12345678901234567890],', 1))
    save(desk)
    assert kept_programme(desk) | {"t": ""} == {
        "more": [0.1, 12345678901234567890],
        "n": 9007199254740993,
        "t": "",
    }


def kept_programme(desk: Desk) -> dict[str, Any]:
    """Return the stored value."""
    return dict(desk.ask("GET", f"{EVENT}/1")["programme"])


def write(desk: Desk, text: str) -> None:
    """Replace the text of the focused editor."""
    desk.press("a", control=True)
    desk.page.send("Input.insertText", text=text)
