"""The day: entries are published, edited by two users, duplicated and deleted, and a category is translated."""

from tests.pages.day.form import ARTICLE, CONTENT, control, entries, holds, path, write
from tests.pages.day.steps import CATEGORIES, LISTS, Day, choose_from_menu, save, saved, say_yes, told
from tests.pages.day.writing import TITLE, article
from tests.pages.desk import Desk

PUBLISHING = Day()
LABEL = "blocks.0.facts.0.label"


@PUBLISHING.step("errors are shown at their fields, also in collapsed ones")
def _(desk: Desk) -> None:
    desk.open(f"/admin{ARTICLE}/{article(desk)['id']}")
    desk.click_at(f"{path('blocks.0')} button.fold")
    desk.click_at(f"{path('blocks.0.facts.0')} button.fold")
    write(desk, LABEL, "")
    desk.press("Backspace")
    holds(desk, LABEL, "")
    desk.click_at(f"{path('blocks.0')} button.fold")
    desk.until(f"!{control(LABEL)}", "a folded part")
    desk.click("Publish")
    desk.until(f"document.activeElement?.id === 'field.{LABEL}'", "the reader at what is wrong")
    desk.until(f"{control(LABEL)}.ariaInvalid === 'true'", "what is wrong, said")


@PUBLISHING.step("publish")
def _(desk: Desk) -> None:
    write(desk, LABEL, "Trams")
    desk.click("Publish")
    told(desk, "Published")
    desk.see("Unpublish")
    assert article(desk)["publishedAt"]


@PUBLISHING.step("another user's change is merged")
def _(desk: Desk) -> None:
    desk.ask("PUT", f"{ARTICLE}/{article(desk)['id']}", {"editorsNote": "Seen by somebody else"})
    write(desk, "excerpt", "Written at noon")
    desk.click("Save")
    told(desk, "Another user saved this entry")
    holds(desk, "editorsNote", "Seen by somebody else")
    now = article(desk)
    assert (now["excerpt"], now["editorsNote"]) == ("Written at noon", "Seen by somebody else")


@PUBLISHING.step("conflicting changes are compared")
def _(desk: Desk) -> None:
    desk.ask("PUT", f"{ARTICLE}/{article(desk)['id']}", {"excerpt": "Theirs"})
    write(desk, "excerpt", "Mine")
    desk.click("Save")
    desk.see("Another user has saved this entry", "Theirs", "Mine")
    desk.click("Save selected values")
    saved(desk)
    assert article(desk)["excerpt"] == "Mine"


@PUBLISHING.step("unpublish")
def _(desk: Desk) -> None:
    desk.click("Unpublish")
    told(desk, "Unpublished")
    assert article(desk)["publishedAt"] is None


@PUBLISHING.step("schedule a publication")
def _(desk: Desk) -> None:
    desk.click("Add schedule")
    moment = "document.querySelector('aside input[type=datetime-local]')"
    desk.do(
        f"((one) => {{ one.value = '2999-05-04T06:00'; one.dispatchEvent(new Event('input', {{bubbles: true}})); "
        f"one.dispatchEvent(new Event('change', {{bubbles: true}})); }})({moment})"
    )
    desk.click("Schedule")
    told(desk, "Schedule updated")
    desk.click("Cancel schedule")
    told(desk, "Schedule updated")


@PUBLISHING.step("duplicate")
def _(desk: Desk) -> None:
    choose_from_menu(desk, "More actions", "Duplicate")
    desk.see("Duplicate: Article")
    holds(desk, "title", TITLE)
    write(desk, "title", f"{TITLE}, again")
    write(desk, "slug", "again")
    save(desk)
    [copy] = entries(desk, "api::article.article", "filters[slug][$eq]=again")
    kept = [part["__component"] for part in copy["blocks"]]
    assert kept == [part["__component"] for part in article(desk)["blocks"]]


@PUBLISHING.step("delete")
def _(desk: Desk) -> None:
    choose_from_menu(desk, "More actions", "Delete")
    desk.see("Delete this entry?")
    say_yes(desk)
    told(desk, "Deleted")
    desk.until("location.pathname.endsWith('api::article.article')", "the list")
    assert entries(desk, "api::article.article", "filters[slug][$eq]=again") == []


@PUBLISHING.step("create an entry in one locale")
def _(desk: Desk) -> None:
    desk.open(CATEGORIES)
    desk.click("Create entry")
    desk.see("Create entry: Category")
    desk.fill("Name", "Mills")
    holds(desk, "slug", "mills")
    desk.fill("Description", "Wind and water")
    desk.fill("Color", "#336699")
    save(desk)
    desk.until("/category[/]\\d+$/.test(location.pathname)", "the address of the category")


@PUBLISHING.step("translate it, starting from the first locale")
def _(desk: Desk) -> None:
    desk.click("German (de)")
    desk.until("location.search.includes('de')", "the German one")
    holds(desk, "name", "")
    desk.click("Fill in from English (en)")
    say_yes(desk)
    told(desk, "Filled in from English (en)")
    holds(desk, "description", "Wind and water")
    desk.fill("Name", "Mühlen")
    desk.until(f"{control('slug')}.value", "an address")
    save(desk)


@PUBLISHING.step("see two locales side by side")
def _(desk: Desk) -> None:
    desk.click("Show English (en) side by side")
    desk.until("document.getElementById('beside.field.name')?.value === 'Mills'", "the English name")
    holds(desk, "name", "Mühlen")
    desk.click("Show English (en) side by side")
    desk.until("!document.getElementById('beside.field.name')", "one language alone")


@PUBLISHING.step("shared fields are equal in all locales")
def _(desk: Desk) -> None:
    write(desk, "color", "#993366")
    save(desk)
    [english] = entries(desk, "api::category.category", "locale=en&filters[slug][$eq]=mills")
    assert english["color"] == "#993366"


@PUBLISHING.step("find an entry in its locale")
def _(desk: Desk) -> None:
    desk.open(f"{CATEGORIES}?plugins[i18n][locale]=de&_q=M%C3%BChlen")
    desk.see("Mühlen", "1 in total")


@PUBLISHING.step("edit a single type")
def _(desk: Desk) -> None:
    desk.open(LISTS.replace("collection-types", "single-types") + "/api::homepage.homepage")
    write(desk, "headline", "A slower magazine")
    save(desk)
    single = f"{CONTENT.replace('collection', 'single')}/api::homepage.homepage"
    assert desk.ask("GET", single)["headline"] == "A slower magazine"
