"""The afternoon: content types are checked, created, changed and deleted while the service keeps running."""

from tests.pages.day.form import entries
from tests.pages.day.steps import Day, save, told
from tests.pages.desk import Desk

BUILDING = Day()
BUILDER = "/admin/plugins/content-type-builder"
FERRY = "api::ferry.ferry"


def add_attribute(desk: Desk, kind: str, name: str) -> None:
    desk.click("Add an attribute")
    desk.see("Select a type")
    desk.click(kind, exact=False, within="[role=dialog]")
    desk.fill("Name", name)
    desk.click("Done")
    desk.until("!document.querySelector('[role=dialog]')", "no dialog any more")
    desk.see(name)


@BUILDING.step("open the content types")
def _(desk: Desk) -> None:
    desk.open(BUILDER)
    desk.see("Article", "Homepage", "Fact box")


@BUILDING.step("open the diagram of the model")
def _(desk: Desk) -> None:
    desk.open(f"{BUILDER}/diagram")
    desk.see("Article", "Author")


@BUILDING.step("open the attributes of a content type")
def _(desk: Desk) -> None:
    desk.open(f"{BUILDER}/content-types/api::article.article")
    desk.see("title", "readingMinutes", "blocks")


@BUILDING.step("create a content type")
def _(desk: Desk) -> None:
    desk.open(BUILDER)
    desk.click("Collection type")
    desk.fill("Display name", "Ferry")
    add_attribute(desk, "Text", "name")
    add_attribute(desk, "Number", "decks")


@BUILDING.step("preview a change")
def _(desk: Desk) -> None:
    desk.click("Review changes")
    desk.see("Create table ferries", "schema.json")
    desk.click("Close")


@BUILDING.step("a new content type works immediately")
def _(desk: Desk) -> None:
    desk.click("Save")
    desk.see("Ferry saved")
    desk.click("Ferry", within="nav")
    desk.click("Create entry")
    desk.fill("Name", "Aurora")
    desk.fill("Decks", "3")
    save(desk)
    [ferry] = entries(desk, FERRY, "_q=Aurora")
    assert ferry["decks"] == 3


@BUILDING.step("rename an attribute and keep its data")
def _(desk: Desk) -> None:
    desk.open(f"{BUILDER}/content-types/{FERRY}")
    desk.click("decks")
    desk.fill("Name", "levels")
    desk.see("Renamed from decks")
    desk.click("Done")
    desk.click("Save")
    told(desk, "Ferry saved")
    [ferry] = entries(desk, FERRY, "_q=Aurora")
    assert ferry["levels"] == 3


@BUILDING.step("delete a content type")
def _(desk: Desk) -> None:
    desk.click("Delete")
    desk.fill("Type ferry to confirm", "ferry")
    desk.click_at("[role=dialog] .danger")
    desk.see("Ferry deleted")
    assert FERRY not in {one["uid"] for one in desk.ask("GET", "/content-manager/content-types")["data"]}
