"""The command palette: reach all permitted pages with the keyboard."""

from tests.pages.desk import Desk, Person

CHOSEN = "document.querySelector('[role=option][aria-selected=true]')"


def command(desk: Desk, typed: str, found: str) -> None:
    """Type into the palette and open the first result."""
    desk.click("Go to", exact=False)
    desk.until("document.querySelector('[role=dialog] input') === document.activeElement", "the palette's field")
    desk.page.send("Input.insertText", text=typed)
    desk.until(f"{CHOSEN}?.innerText.startsWith('{found}')", found)
    desk.press("Enter")


def test_the_palette_opens_settings_views_and_new_types(desk: Desk) -> None:
    desk.open("/admin")
    desk.see("Next steps")
    command(desk, "webh", "Webhooks")
    desk.see("No webhooks yet")
    command(desk, "form for art", "Configure the form for Article")
    desk.see("Configure the form: Article")
    command(desk, "new coll", "New collection type")
    desk.see("Nothing changes until you save")


def test_the_palette_offers_only_permitted_commands(desk: Desk) -> None:
    author = Person("palette@example.org", "Passw0rd-of-Palette")
    desk.hire(author, 3)
    desk.log_in(author)
    desk.click("Go to", exact=False)
    desk.until("document.querySelector('[role=dialog] input') === document.activeElement", "the palette's field")
    for typed, known in (("configure", 0), ("component", 0), ("webhooks", 0), ("article", 1)):
        desk.page.do("document.querySelector('[role=dialog] input').select()")
        desk.page.send("Input.insertText", text=typed)
        desk.until(f"Math.min(1, document.querySelectorAll('[role=option]').length) === {known}", typed)
    desk.press("Escape")


def test_the_palette_opens_pages_and_entries_by_keyboard(desk: Desk) -> None:
    desk.open("/admin")
    desk.see("Next steps")
    desk.click("Go to", exact=False)
    desk.until("document.querySelector('[role=dialog] input') === document.activeElement", "the palette's field")
    desk.page.send("Input.insertText", text="sett")
    desk.until(f"{CHOSEN}?.innerText.startsWith('Settings')", "the settings' line")
    desk.press("Enter")
    desk.until("location.pathname.startsWith('/admin/settings')", "the settings")
    desk.click("Go to", exact=False)
    desk.until("document.querySelector('[role=dialog] input') === document.activeElement", "the palette's field")
    desk.page.send("Input.insertText", text="walk")
    desk.until(f"{CHOSEN}?.innerText.includes('Article')", "an entry")
    assert desk.barriers() == []
    desk.press("Escape")
    desk.until("!document.querySelector('[role=dialog]')", "no palette")
    desk.press("?", shift=True)
    desk.see("Keyboard shortcuts", "Search pages, entries and commands")
    assert desk.barriers() == []
    desk.press("Escape")
    desk.gone("Keyboard shortcuts")
