"""The day of a user with only a keyboard and a screen reader: everything is reachable, visible and labeled."""

from tests.pages.day.form import ARTICLE, control, entries, holds, links, path
from tests.pages.day.keys import focused, inside, tab_to, type_in
from tests.pages.day.steps import Day, dialog_gone, rows, saved, told
from tests.pages.desk import ADA, Desk


def everything_is_named(desk: Desk) -> None:
    assert desk.nameless() == []


KEYBOARD = Day(after=everything_is_named)
SLUG = "by-keys-alone"


@KEYBOARD.step("sign in")
def _(desk: Desk) -> None:
    if not entries(desk, "api::article.article", f"filters[slug][$eq]={SLUG}"):
        desk.ask("POST", ARTICLE, {"title": "By keys alone", "slug": SLUG})
    desk.page.send("Network.clearBrowserCookies")
    desk.open("/admin/auth/login")
    focused(desk, "Email")
    type_in(desk, ADA.email)
    tab_to(desk, "Password")
    type_in(desk, ADA.password)
    desk.press("Enter")
    desk.see("Next steps")


@KEYBOARD.step("skip the menu")
def _(desk: Desk) -> None:
    tab_to(desk, "Skip to content")
    desk.press("Enter")
    desk.until("document.activeElement.id === 'content'", "the focus in the content")


@KEYBOARD.step("open a list with the palette")
def _(desk: Desk) -> None:
    desk.press("k", control=True)
    inside(desk, "[role=dialog]")
    type_in(desk, "article")
    desk.until("__look.all('[role=option]')[0]?.innerText.includes('Article')", "the list's line")
    desk.press("Enter")
    dialog_gone(desk)
    desk.see("in total")


@KEYBOARD.step("a closed dialog returns the focus")
def _(desk: Desk) -> None:
    tab_to(desk, "Columns")
    desk.press("Enter")
    inside(desk, "[role=dialog]")
    desk.press("Escape")
    dialog_gone(desk)
    focused(desk, "Columns")


@KEYBOARD.step("filter a list")
def _(desk: Desk) -> None:
    tab_to(desk, "Filter", back=True)
    desk.press("Enter")
    inside(desk, "[role=dialog] [role=combobox]")
    type_in(desk, "slug")
    desk.until("__look.said(__look.all('[role=option]')[0] ?? document.body) === 'Slug'", "the field")
    desk.press("Enter")
    tab_to(desk, "Value")
    type_in(desk, "keys-alone")
    desk.press("Enter")
    dialog_gone(desk)
    rows(desk, 1)
    focused(desk, "Filter")


@KEYBOARD.step("sort a list")
def _(desk: Desk) -> None:
    tab_to(desk, "Updated")
    desk.press("Enter")
    desk.until("document.querySelector('th[aria-sort]')?.innerText.includes('Updated')", "by their last update")
    focused(desk, "Updated")


@KEYBOARD.step("select an entry and clear the selection")
def _(desk: Desk) -> None:
    tab_to(desk, "Select By keys alone")
    desk.press(" ")
    desk.see("1 entry selected")
    desk.press(" ")
    desk.gone("1 entry selected")
    focused(desk, "Select By keys alone")


@KEYBOARD.step("open and close the menu of a row")
def _(desk: Desk) -> None:
    tab_to(desk, "Actions for By keys alone")
    desk.press("Enter")
    inside(desk, "[role=menu]")
    desk.press("ArrowDown")
    focused(desk, "Duplicate")
    desk.press("Escape")
    focused(desk, "Actions for By keys alone")


@KEYBOARD.step("open an entry")
def _(desk: Desk) -> None:
    tab_to(desk, "By keys alone", back=True)
    desk.press("Enter")
    desk.see("Add a component to Blocks")


@KEYBOARD.step("write a text")
def _(desk: Desk) -> None:
    tab_to(desk, "Excerpt")
    type_in(desk, "No mouse at all")
    desk.see("Unsaved changes")


@KEYBOARD.step("leave a text editor with Tab")
def _(desk: Desk) -> None:
    desk.until(f"{control('body')}?.shadowRoot", "the editor")
    tab_to(desk, "Body")
    type_in(desk, "# Keys")
    tab_to(desk, "Format")
    for key in ("ArrowDown", "ArrowDown", "Enter"):  # open the list, move to the next option, choose it
        desk.press(key)
    holds(desk, "format", "portrait")


@KEYBOARD.step("choose an image from the library")
def _(desk: Desk) -> None:
    tab_to(desk, "Choose from library")
    desk.press("Enter")
    inside(desk, "[role=dialog]")
    desk.see("ferry.jpg")
    tab_to(desk, "Select ferry.jpg")
    desk.press(" ")
    tab_to(desk, "Add …")
    desk.press("Enter")
    dialog_gone(desk)
    desk.until(f"document.querySelector({path('cover')!r}).innerText.includes('ferry.jpg')", "the picture")
    focused(desk, "Choose from library")


@KEYBOARD.step("link entries and sort them")
def _(desk: Desk) -> None:
    tab_to(desk, "Tags: search entries")
    for tag in ("harbor", "walking"):
        type_in(desk, tag)
        desk.until("__look.all('[role=option]').length === 1", f"{tag} alone")
        desk.press("Enter")
        desk.until(f"{links('tags')}.includes({tag!r})", tag)
    tab_to(desk, "Move walking…")
    desk.press("ArrowUp")
    desk.until(f"{links('tags')}.join() === 'walking,harbor'", "another order")
    inside(desk, path("tags"))


@KEYBOARD.step("add a component to a zone")
def _(desk: Desk) -> None:
    tab_to(desk, "Add a component to Blocks")
    for kind in ("Quote", "Fact box"):
        desk.press("Enter")
        inside(desk, "[role=dialog]")
        tab_to(desk, kind)
        desk.press("Enter")
        dialog_gone(desk)
        inside(desk, path("blocks"))
        if kind == "Quote":
            tab_to(desk, "Text")
            type_in(desk, "Tab, Tab, Tab")
            tab_to(desk, "Add a component to Blocks")


@KEYBOARD.step("sort a zone and collapse a component")
def _(desk: Desk) -> None:
    tab_to(desk, "Move Fact box…", back=True)
    desk.press("ArrowUp")
    desk.until(f"document.querySelector({path('blocks.0')!r}).innerText.includes('Fact box')", "the box at the top")
    inside(desk, path("blocks.0"))
    tab_to(desk, "Fact box")
    desk.press("Enter")
    desk.until("document.activeElement.ariaExpanded === 'false'", "a folded part")
    desk.press("Enter")
    desk.until("document.activeElement.ariaExpanded === 'true'", "an unfolded part")


@KEYBOARD.step("remove a component with its menu")
def _(desk: Desk) -> None:
    tab_to(desk, "Actions for Fact box")
    desk.press("Enter")
    inside(desk, "[role=menu]")
    desk.press("End")
    focused(desk, "Remove")
    desk.press("Enter")
    desk.until(f"!document.querySelector({path('blocks.1')!r})", "one part")
    inside(desk, "main")


@KEYBOARD.step("save")
def _(desk: Desk) -> None:
    desk.press("s", control=True)
    saved(desk)
    [found] = entries(desk, "api::article.article", f"filters[slug][$eq]={SLUG}")
    assert (found["excerpt"], found["body"], found["format"]) == ("No mouse at all", "# Keys", "portrait")
    assert found["cover"]["name"] == "ferry.jpg"
    assert [part["text"] for part in found["blocks"]] == ["Tab, Tab, Tab"]


@KEYBOARD.step("publish and unpublish")
def _(desk: Desk) -> None:
    tab_to(desk, "Publish", back=True)
    desk.press("Enter")
    told(desk, "Published")
    focused(desk, "Unpublish")
    desk.press("Enter")
    told(desk, "Unpublished")
    focused(desk, "Publish")


@KEYBOARD.step("the dialog before leaving works with the keyboard")
def _(desk: Desk) -> None:
    tab_to(desk, "Title")
    type_in(desk, "By keys, and keys alone")
    desk.press("k", control=True)
    inside(desk, "[role=dialog]")
    type_in(desk, "media library")
    desk.until("__look.all('[role=option]')[0]?.innerText.includes('Media library')", "the library's line")
    desk.press("Enter")
    desk.see("Leave without saving?")
    inside(desk, "[role=dialog], [role=alertdialog]")
    desk.press("Escape")
    desk.gone("Leave without saving?")
    holds(desk, "title", "By keys, and keys alone")
    desk.press("s", control=True)
    saved(desk)


@KEYBOARD.step("delete an entry")
def _(desk: Desk) -> None:
    tab_to(desk, "More actions", back=True)
    desk.press("Enter")
    inside(desk, "[role=menu]")
    desk.press("End")
    focused(desk, "Delete")
    desk.press("Enter")
    desk.see("Delete this entry?")
    inside(desk, "[role=dialog], [role=alertdialog]")
    tab_to(desk, "Delete")
    desk.press("Enter")
    told(desk, "Deleted")
    desk.until("location.pathname.endsWith('api::article.article')", "the list")


@KEYBOARD.step("create a folder in the library")
def _(desk: Desk) -> None:
    tab_to(desk, "Media library")
    desk.press("Enter")
    desk.see("New folder")
    tab_to(desk, "New folder")
    desk.press("Enter")
    inside(desk, "[role=dialog] input")
    type_in(desk, "By keys")
    desk.press("Enter")
    dialog_gone(desk)
    desk.see("By keys")
    focused(desk, "New folder")


@KEYBOARD.step("set a permission of a role")
def _(desk: Desk) -> None:
    desk.open("/admin/settings/roles")
    desk.see("Author")
    tab_to(desk, "Create role")
    desk.press("Enter")
    desk.see("Description")
    tab_to(desk, "Name")
    type_in(desk, "Key holders")
    tab_to(desk, "Article…")
    desk.press("Enter")
    tab_to(desk, "Read: Title")
    desk.press(" ")
    desk.press("s", control=True)
    told(desk, "Saved")
    [role] = [one for one in desk.ask("GET", "/admin/roles")["data"] if one["name"] == "Key holders"]
    [right] = desk.ask("GET", f"/admin/roles/{role['id']}/permissions")["data"]
    assert (right["subject"], right["properties"]["fields"]) == ("api::article.article", ["title"])
    desk.ask("DELETE", f"/admin/roles/{role['id']}")


@KEYBOARD.step("sign out")
def _(desk: Desk) -> None:
    tab_to(desk, "ada…", back=True)
    desk.press("Enter")
    inside(desk, "[role=menu]")
    desk.press("End")
    focused(desk, "Sign out")
    desk.press("Enter")
    desk.see("Welcome back")
