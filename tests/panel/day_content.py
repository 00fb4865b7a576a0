"""The morning: signing in, finding, writing and publishing."""

from tests.panel.checks import ADA, ENTRIES, check, confirm, log_in, open_list, visit
from tests.panel.editor import Editor

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


visit("a reload keeps who is logged in", "/admin/", "Content Manager", "Media Library", "Settings")
visit("a deep link opens its list", f"{ENTRIES}/{ARTICLES}", "entries found", "A $dollar")
visit("the list shows counts of relations", f"{ENTRIES}/{CATEGORIES}", "entries found")
visit(
    "search a list", f"{ENTRIES}/{ARTICLES}?page=1&pageSize=10&_q=Arthur article 1", "1 entry found", "Arthur article 1"
)
visit(
    "filter a list",
    f"{ENTRIES}/{ARTICLES}?page=1&pageSize=10&filters[$and][0][title][$eq]=Title alpha",
    "entry found",
    "Title alpha",
    "title is Title alpha",
)


@check("sort a list")
def _(editor: Editor) -> None:
    editor.open(f"{ENTRIES}/{ARTICLES}?page=1&pageSize=10&sort=title:DESC")
    editor.until("__look.all('tbody tr')[0].innerText.includes('the')", "the last title at the top")


visit("go to the next page", f"{ENTRIES}/{ARTICLES}?page=2&pageSize=10&sort=id:ASC", "entries found", "11")
visit("open an entry", f"{ENTRIES}/{ARTICLES}/1", "Title alpha", "Editing published version", "Ada Admin")


@check("an entry shows its relations")
def _(editor: Editor) -> None:
    editor.see("categories (5)", "tags (2)", "alpha", "Law")


@check("begin an entry")
def _(editor: Editor) -> None:
    editor.open(f"{ENTRIES}/{ARTICLES}/create")
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
    editor.open(f"{ENTRIES}/{ARTICLES}?_q={TITLE}")
    editor.see("1 entry found")
    editor.click(TITLE)
    editor.click("Delete this entry")
    confirm(editor)
    editor.see("found")
    editor.open(f"{ENTRIES}/{ARTICLES}?_q={TITLE}")
    editor.see("0 entries found")


@check("write a single type")
def _(editor: Editor) -> None:
    editor.open("/admin/content-manager/single-types/api::homepage.homepage")
    editor.see("Homepage", "headline")
    editor.fill("headline", "Fresh from the panel")
    editor.click("Save")
    editor.see("Saved")


visit("switch the locale of an entry", f"{ENTRIES}/{CATEGORIES}?plugins[i18n][locale]=fr", "entries found", "French")


@check("delete several entries at once")
def _(editor: Editor) -> None:
    editor.open(f"{ENTRIES}/{TAGS}?page=1&pageSize=10&sort=id:DESC")
    editor.see("69 entries found")
    editor.click_at("tbody input[type=checkbox]")
    editor.click("Delete")
    confirm(editor)
    editor.see("68 entries found")


@check("configure the columns of a list")
def _(editor: Editor) -> None:
    editor.open(f"{ENTRIES}/{TAGS}/configurations/list")
    editor.see("Configure the view", "Entries per page")
    editor.click("Back")


visit(
    "configure the form of an entry",
    f"{ENTRIES}/{TAGS}/configurations/edit",
    "Configure the view",
    "Displayed Fields",
    "Entry title",
)
