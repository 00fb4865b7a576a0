"""Entries in several languages: one beside the other, filled in from another, and what they share."""

from tests.pages.desk import Desk

CATEGORIES = "/admin/content-manager/collection-types/api::category.category"
BESIDE = "section[lang=de]"


def test_another_language_is_read_beside_and_filled_in(desk: Desk) -> None:
    desk.open(f"{CATEGORIES}/1?plugins[i18n][locale]=en")
    desk.click("Show German (de) side by side")
    desk.until(f"document.querySelector('{BESIDE} input')?.value === 'Flüsse'", "the German name")
    desk.fill("Color", "#102030")
    desk.click("Save")
    desk.see("Saved")
    shared = f"[...document.querySelectorAll('{BESIDE} input')].some((one) => one.value === '#102030')"
    desk.until(shared, "the colour that both share")
    desk.click("Fill in from German (de)")
    desk.see("This replaces the values in the form")
    desk.click("Fill in")
    desk.see("Filled in from German (de)", "Unsaved changes")
    assert (desk.value("Name"), desk.value("Slug")) == ("Flüsse", "rivers"), "an address is of one language"
    desk.click_at(f"{BESIDE} header button")
    desk.until(f"!document.querySelector('{BESIDE}')", "the form alone")
    desk.click("More actions")
    desk.click("Discard changes")
    desk.click_at("[role=dialog] footer button:last-child, [role=alertdialog] footer button:last-child")
    desk.until("document.querySelector('main h1').innerText === 'Rivers'", "what was there before")


def test_missing_and_outdated_locales_are_marked(desk: Desk) -> None:
    marks = "[...document.querySelectorAll('tbody li .unseen')].map((one) => one.innerText.split(' since ')[0])"
    address = "/content-manager/collection-types/api::category.category"
    made = desk.ask("POST", address, {"name": "Marked", "slug": "marked"})
    desk.ask("POST", f"{address}?locale=de&relatedEntityId={made['id']}", {"name": "Markiert", "slug": "markiert"})
    desk.open(f"{CATEGORIES}?_q=Marked")
    expected = ["English (en): exists", "German (de): exists", "French (fr): missing"]
    desk.until(f"{marks}.join() === '{','.join(expected)}'", "the locales of the entry")
    desk.ask("PUT", f"{address}/{made['id']}", {"name": "Marked again"})
    desk.open(f"{CATEGORIES}?_q=Marked")
    expected[1] = "German (de): exists, outdated"
    desk.until(f"{marks}.join() === '{','.join(expected)}'", "the outdated locale")
    assert desk.barriers() == []
    desk.click("Marked again")
    desk.see("outdated since", "missing")
    assert desk.barriers() == []
    desk.fill("Color", "#102030")
    desk.click("Save")
    desk.gone("outdated since")  # the German entry has the new color too


def test_a_missing_language_begins_with_what_is_shared(desk: Desk) -> None:
    reported = {"name": "Only English", "slug": "only-english", "color": "#445566"}
    made = desk.ask("POST", "/content-manager/collection-types/api::category.category", reported)
    desk.open(f"{CATEGORIES}/{made['id']}?plugins[i18n][locale]=en")
    desk.see("missing")
    desk.click("French (fr)")
    desk.see("Create entry: Category")
    assert (desk.value("Name"), desk.value("Color")) == ("", "#445566")
    desk.fill("Name", "Seulement")
    desk.until("__look.labelled('Slug').value === 'seulement'", "an address made of the name")
    desk.click("Save")
    desk.see("Saved")
    desk.click("English (en)")
    desk.until("__look.labelled('Name')?.value === 'Only English'", "the English entry")


def test_a_single_type_changes_its_language(desk: Desk) -> None:
    desk.open("/admin/content-manager/single-types/api::homepage.homepage")
    desk.click("Show German (de) side by side")
    desk.until(f"document.querySelector('{BESIDE} input')", "the German page")
    desk.click("German (de)")
    desk.until(
        "location.search.includes('de') && __look.labelled('Headline')?.value.includes('Vierteljahresheft')", "it"
    )
