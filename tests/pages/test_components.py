"""Components in a form: removal can be undone, the focus stays, and there are keyboard shortcuts."""

import json
from collections.abc import Iterator

import pytest

from tests.pages.articles import leave, make, open_form, stored
from tests.pages.desk import ADA, Desk

ONE = [{"__component": "blocks.quote", "text": "A filled quote"}]
DIALOGS = "document.querySelectorAll('[role=dialog]').length"


@pytest.fixture(autouse=True)
def left(desk: Desk) -> Iterator[None]:
    yield
    leave(desk)


def choose(desk: Desk, index: int, action: str) -> None:
    """Choose an action in a block's menu with the mouse."""
    desk.click_at(f"[data-path='blocks.{index}'] button[aria-label^=Actions]")
    desk.click(action, within="[role=menu]")


def texts(desk: Desk, *wanted: str) -> None:
    found = "[...document.querySelectorAll('section[data-path^=\"blocks.\"]')].map((one) => one.ariaLabel)"
    desk.until(
        f"JSON.stringify({found}) === {json.dumps(json.dumps(wanted, separators=(',', ':')))}", "blocks in order"
    )


def act(desk: Desk, index: int, action: str) -> None:
    """Choose the last action in a block's menu with the keyboard."""
    found = f"document.querySelector('[data-path=\"blocks.{index}\"] button[aria-label^=Actions]')"
    desk.until(f"(({found})?.focus(), document.activeElement === {found})", f"the menu of block {index}")
    desk.press("Enter")
    desk.until("document.activeElement?.closest('[role=menu]')", "the open menu")
    desk.press("End")
    desk.until(f"document.activeElement?.innerText.trim() === {json.dumps(action)}", action)
    desk.press("Enter")


def count(desk: Desk, wanted: int) -> None:
    desk.until(f"document.querySelectorAll('section[data-path^=\"blocks.\"]').length === {wanted}", f"{wanted} blocks")


def test_removing_a_filled_block_can_be_undone(desk: Desk) -> None:
    article = make(desk, "A block to remove", blocks=ONE)
    open_form(desk, article)
    [before] = stored(desk, article)["blocks"]
    act(desk, 0, "Remove")
    count(desk, 0)
    desk.until("document.activeElement?.innerText.trim() === 'Add a component to Blocks'", "the focus on the button")
    desk.see("Quote removed")
    assert desk.barriers() == []
    desk.click("Undo")
    count(desk, 1)
    desk.fill("Title", "Another title")
    desk.click("Save")
    desk.see("Saved")
    assert stored(desk, article)["blocks"] == [before], "the same row, with its id"


def test_undoing_a_saved_removal_creates_a_new_block(desk: Desk) -> None:
    article = make(desk, "A block that is gone", blocks=ONE)
    open_form(desk, article)
    [before] = stored(desk, article)["blocks"]
    act(desk, 0, "Remove")
    count(desk, 0)
    desk.click("Save")
    desk.see("Saved")
    assert stored(desk, article)["blocks"] == []
    desk.click("Undo")
    count(desk, 1)
    desk.until("(__look.button('Save', true)?.disabled === false)", "something to save")
    desk.click("Save")
    desk.gone("Unsaved changes")
    saved = "!document.querySelector('[aria-busy=true]') && __look.button('Save', true)?.disabled"
    desk.until(saved, "all saved")
    [after] = stored(desk, article)["blocks"]
    assert (after["text"], after["id"] != before["id"]) == (before["text"], True)


def test_an_empty_block_is_removed_immediately_and_the_focus_moves(desk: Desk) -> None:
    article = make(desk, "Blocks in a row", blocks=ONE)
    open_form(desk, article)
    desk.click("Add a component to Blocks")
    desk.click("Gallery", within="[role=dialog]")
    count(desk, 2)
    desk.until("document.activeElement?.closest('[data-path=\"blocks.1\"]')", "the focus in the new block")
    act(desk, 1, "Remove")
    count(desk, 1)
    assert "removed" not in desk.text()
    desk.until("document.activeElement?.closest('[data-path=\"blocks.0\"]')", "the focus in the block before")


def test_blocks_are_inserted_between_others_and_moved_to_the_ends(desk: Desk) -> None:
    quotes = [{"__component": "blocks.quote", "text": text, "attribution": text} for text in ("One", "Two")]
    article = make(desk, "Blocks between", blocks=quotes)
    open_form(desk, article)
    choose(desk, 1, "Insert above")
    desk.click("Gallery", within="[role=dialog]")
    texts(desk, "Quote: One", "Gallery", "Quote: Two")
    choose(desk, 0, "Insert below")
    desk.click("Quote", within="[role=dialog]")
    texts(desk, "Quote: One", "Quote", "Gallery", "Quote: Two")
    choose(desk, 3, "Move to top")
    texts(desk, "Quote: Two", "Quote: One", "Quote", "Gallery")
    choose(desk, 0, "Move to bottom")
    texts(desk, "Quote: One", "Quote", "Gallery", "Quote: Two")


def test_all_blocks_are_collapsed_and_expanded_at_once(desk: Desk) -> None:
    quotes = [{"__component": "blocks.quote", "text": text, "attribution": text} for text in ("One", "Two", "Three")]
    open_form(desk, make(desk, "Blocks to fold", blocks=quotes))
    opened = "document.querySelectorAll('section[data-path^=\"blocks.\"] .fold[aria-expanded=true]').length"
    desk.click("Expand all")
    desk.until(f"{opened} === 3", "all blocks open")
    desk.click("Collapse all")
    desk.until(f"{opened} === 0", "no block open")
    desk.click("Add a component to Blocks")
    desk.click("Quote", within="[role=dialog]")
    desk.until(f"{opened} === 1", "the new block open")


def test_removing_a_single_component_can_be_undone(desk: Desk) -> None:
    article = make(desk, "With a seo", seo={"metaTitle": "Walks"})
    open_form(desk, article)
    desk.click("Remove SEO")
    desk.until("document.activeElement?.innerText.trim() === 'Add SEO'", "the focus on the button")
    desk.click("Undo")
    desk.until("document.getElementById('field.seo.metaTitle')?.value === 'Walks'", "what was in it")
    desk.gone("SEO removed")


@pytest.mark.parametrize("key", ["k", "K"])
def test_keyboard_shortcuts_of_text_editors(desk: Desk, key: str) -> None:
    open_form(desk, make(desk, f"Own keys {ord(key)}"))
    editor = "document.getElementById('field.body')?.shadowRoot?.querySelector('.cm-content')"
    desk.until(f"({editor}?.focus(), document.activeElement?.id === 'field.body')", "the editor")
    desk.press(key, control=True)
    desk.until(f"{DIALOGS} === 1", "a dialog")
    desk.until(f"({DIALOGS} === 1) && !document.querySelector('[role=dialog] [role=listbox]')", "no palette")
    desk.page.do("new Promise((done) => setTimeout(done, 300))")
    assert desk.do(DIALOGS) == 1
    assert desk.do("document.querySelector('[role=dialog] [role=combobox]') === null"), "the palette is not open"
    desk.press("Escape")
    desk.until(f"{DIALOGS} === 0", "no dialog")
    desk.do("document.getElementById('field.title').focus()")
    desk.press(key, control=True)
    desk.until("document.querySelector('[role=dialog] [role=combobox]')", "the palette")
    desk.press("Escape")
    desk.until(f"{DIALOGS} === 0", "no palette")


def test_a_block_is_copied_into_another_entry(desk: Desk) -> None:
    source = make(desk, "A block to copy", blocks=ONE)
    target = make(desk, "A block to paste", blocks=[{"__component": "blocks.quote", "text": "The first"}])
    open_form(desk, source)
    choose(desk, 0, "Copy")
    desk.see("copied. Paste it in any field with this component.")
    open_form(desk, target)
    desk.click("Paste Quote")
    count(desk, 2)
    choose(desk, 0, "Paste below")
    count(desk, 3)
    assert desk.barriers() == []
    desk.click("Save")
    desk.see("Saved")
    blocks = stored(desk, target)["blocks"]
    assert [one["text"] for one in blocks] == ["The first", "A filled quote", "A filled quote"]
    assert [one["text"] for one in stored(desk, source)["blocks"]] == ["A filled quote"]
    copied = "Object.keys(localStorage).filter((key) => key.startsWith('octavo.component.')).length"
    assert desk.do(copied) == 1
    desk.click("account and theme", exact=False)
    desk.click("Sign out")
    desk.see("Welcome back")
    assert desk.do(copied) == 0
    desk.log_in(ADA)
