"""The morning: logging in, finding, writing and publishing."""

from tests.panel.checks import Person, check, confirm, log_in, open_list
from tests.panel.editor import Editor

ADA = Person("ada@admin.example", "Ada-Passw0rd1")
ARTICLES, TAGS, CATEGORIES = "api::article.article", "api::tag.tag", "api::category.category"
TITLE = "A day at the panel"


@check("a wrong password is refused")
def _(editor: Editor) -> None:
    editor.open("/admin/auth/login")
    editor.see("Welcome")
    editor.fill("Email", ADA.email)
    editor.fill("Password", "Wrong-passw0rd")
    editor.click("Login")
    editor.see("Invalid credentials")


@check("log in")
def _(editor: Editor) -> None:
    log_in(editor, ADA)


@check("a reload keeps who is logged in")
def _(editor: Editor) -> None:
    editor.open("/admin/")
    editor.see("Content Manager", "Media Library", "Settings")


@check("a deep link opens its list")
def _(editor: Editor) -> None:
    open_list(editor, ARTICLES)
    editor.see("entries found", "A $dollar")


@check("the list shows counts of relations")
def _(editor: Editor) -> None:
    open_list(editor, CATEGORIES)
    editor.see("entries found")


@check("search a list")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}?page=1&pageSize=10&_q=Arthur article 1")
    editor.see("1 entry found", "Arthur article 1")


@check("filter a list")
def _(editor: Editor) -> None:
    chosen = "page=1&pageSize=10&filters[$and][0][title][$eq]=Title alpha"
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}?{chosen}")
    editor.see("entry found", "Title alpha", "title is Title alpha")


@check("sort a list")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}?page=1&pageSize=10&sort=title:DESC")
    editor.until("__look.all('tbody tr')[0].innerText.includes('the')", "the last title at the top")


@check("go to the next page")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}?page=2&pageSize=10&sort=id:ASC")
    editor.see("entries found", "11")


@check("open an entry")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}/1")
    editor.see("Title alpha", "Editing published version", "Ada Admin")


@check("an entry shows its relations")
def _(editor: Editor) -> None:
    editor.see("categories (5)", "tags (2)", "alpha", "Law")


@check("begin an entry")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}/create")
    editor.see("Create an entry", "Editing draft version")
    editor.fill("title", TITLE)


@check("a uid is made from the title")
def _(editor: Editor) -> None:
    editor.click("Regenerate")
    editor.until("__look.labelled('slug') && __look.labelled('slug').value === 'a-day-at-the-panel'", "a slug")


@check("save a draft")
def _(editor: Editor) -> None:
    editor.fill("summary", "Written in the morning")
    editor.click("Save")
    editor.see("Saved")
    editor.until("/\\d+$/.test(location.pathname)", "the address of the entry")


@check("add a relation")
def _(editor: Editor) -> None:
    editor.choose("tags", "alpha", typed="alpha")
    editor.click("Save")
    editor.see("Saved", "tags (1)")


@check("add a component")
def _(editor: Editor) -> None:
    editor.click("No entry yet. Click on the button below to add one.", exact=False)
    editor.fill("metaTitle", "For engines")
    editor.click("Save")
    editor.see("Saved")


@check("add a component to a zone")
def _(editor: Editor) -> None:
    editor.click("Add a component to blocks")
    editor.see("Pick one component")
    editor.click("Rich text", exact=False)
    editor.see("blocks (1)")
    editor.click("Save")
    editor.see("Saved")


@check("what was saved is there after a reload")
def _(editor: Editor) -> None:
    editor.do("location.reload()")
    editor.see("tags (1)", "blocks (1)")
    assert editor.value("summary") == "Written in the morning"
    assert editor.value("metaTitle") == "For engines"


@check("publish")
def _(editor: Editor) -> None:
    editor.click("Publish")
    editor.see("Editing published version")


@check("unpublish")
def _(editor: Editor) -> None:
    editor.click("Unpublish")
    confirm(editor)
    editor.see("Editing draft version")


@check("what is wrong is told at its field")
def _(editor: Editor) -> None:
    editor.fill("contactEmail", "no address")
    editor.click("Save")
    editor.see("valid email")
    editor.fill("contactEmail", "")


@check("duplicate an entry")
def _(editor: Editor) -> None:
    open_list(editor, TAGS)
    editor.click("Duplicate item line 1")
    editor.see("Save")
    editor.fill("label", "Copied at the panel")
    editor.click("Save")
    editor.see("Saved")


@check("delete an entry")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}?_q={TITLE}")
    editor.see("1 entry found")
    editor.click(TITLE)
    editor.click("Delete this entry")
    confirm(editor)
    editor.see("found")
    editor.open(f"/admin/content-manager/collection-types/{ARTICLES}?_q={TITLE}")
    editor.see("0 entries found")


@check("write a single type")
def _(editor: Editor) -> None:
    editor.open("/admin/content-manager/single-types/api::homepage.homepage")
    editor.see("Homepage", "headline")
    editor.fill("headline", "Fresh from the panel")
    editor.click("Save")
    editor.see("Saved")


@check("switch the locale of an entry")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{CATEGORIES}?plugins[i18n][locale]=fr")
    editor.see("entries found", "French")


@check("delete several entries at once")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{TAGS}?page=1&pageSize=10&sort=id:DESC")
    editor.see("69 entries found")
    editor.click_at("tbody input[type=checkbox]")
    editor.click("Delete")
    confirm(editor)
    editor.see("68 entries found")


@check("configure the columns of a list")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{TAGS}/configurations/list")
    editor.see("Configure the view", "Entries per page")
    editor.click("Back")


@check("configure the form of an entry")
def _(editor: Editor) -> None:
    editor.open(f"/admin/content-manager/collection-types/{TAGS}/configurations/edit")
    editor.see("Configure the view", "Displayed Fields", "Entry title")
