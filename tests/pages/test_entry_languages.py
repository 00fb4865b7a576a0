"""Entries in several languages: side by side, edited together, filled in from another language, and shared fields."""

from tests.pages.desk import Desk, Person

LIST = "/content-manager/collection-types/api::category.category"
CATEGORIES = f"/admin{LIST}"
BESIDE = "section[lang=de]"


def write_beside(desk: Desk, name: str, text: str) -> None:
    desk.until(f"((node) => node && (node.select(), node.focus(), true))({beside(name)})", name)
    desk.page.send("Input.insertText", text=text)


def beside(name: str) -> str:
    return f"document.getElementById('beside.field.{name}')"


def test_another_locale_is_edited_side_by_side_and_filled_in(desk: Desk) -> None:
    desk.open(f"{CATEGORIES}/1?plugins[i18n][locale]=en")
    desk.click("Show German (de) side by side")
    desk.until(f"{beside('name')}?.value === 'Flüsse'", "the German name")
    assert desk.do(f"{beside('color')}") is None, "a shared value is shown once"
    assert desk.barriers() == []
    tops = "['name', 'description'].map((name) => [`field.${name}`, `beside.field.${name}`].map((id) => "
    tops += "Math.round(document.getElementById(id).getBoundingClientRect().top)))"
    desk.until(f"{tops}.every(([one, other]) => one === other)", "each field beside its counterpart")
    desk.fill("Color", "#102030")
    write_beside(desk, "name", "Ströme")
    desk.until("__look.all('[role=status]').filter((one) => one.innerText === 'Unsaved changes').length === 2", "both")
    desk.press("s", control=True)
    desk.until("!__look.all('[role=status]').some((one) => one.innerText === 'Unsaved changes')", "both saved")
    english = desk.ask("GET", f"{LIST}/1")
    [german] = [desk.ask("GET", f"{LIST}/{one['id']}") for one in english["localizations"] if one["locale"] == "de"]
    assert (english["name"], english["color"]) == ("Rivers", "#102030")
    assert (german["name"], german["color"]) == ("Ströme", "#102030")
    desk.click("Name: copy from English (en)")
    desk.until(f"{beside('name')}.value === 'Rivers'", "the English name in the German form")
    write_beside(desk, "name", "Flüsse")
    desk.ask("PUT", f"{LIST}/{german['id']}", {"name": "Bäche"})
    desk.click("Save German (de)")
    desk.see("Flüsse", "Bäche")  # another user has changed it meanwhile
    desk.click("Save selected values")
    desk.until("!document.querySelector('[role=dialog]')", "the decision")
    desk.until("__look.button('Save German (de)', true, '').disabled", "what was decided")
    assert desk.ask("GET", f"{LIST}/{german['id']}")["name"] == "Flüsse"
    desk.size(390)
    desk.until(f"{beside('name')}.checkVisibility() && !document.getElementById('field.name').checkVisibility()", "one")
    assert (desk.overflows(), desk.barriers()) == (False, [])
    desk.click("English (en)", within=".switch")
    desk.until("document.getElementById('field.name').checkVisibility()", "the other one")
    desk.size(1440)
    desk.click("Fill in from German (de)")
    desk.see("This replaces the values in the form")
    desk.click("Fill in")
    desk.see("Filled in from German (de)", "Unsaved changes")
    assert (desk.value("Name"), desk.value("Slug")) == ("Flüsse", "rivers"), "a slug has one locale"
    write_beside(desk, "name", "Wasser")
    desk.do("location.hash = 'field.description'")
    desk.until(f"location.hash === '#field.description' && {beside('name')}.value === 'Wasser'", "a place on this page")
    assert not desk.do("document.querySelector('[role=dialog], [role=alertdialog]') !== null"), "nothing remains"
    desk.click_at(f"{BESIDE} header [aria-label=Close]")
    desk.click("Leave")
    desk.until(f"!document.querySelector('{BESIDE}')", "the form alone")
    desk.click("More actions")
    desk.click("Discard changes")
    desk.click_at("[role=dialog] footer button:last-child, [role=alertdialog] footer button:last-child")
    desk.until("document.querySelector('main h1').innerText === 'Rivers'", "what was there before")


def test_missing_and_outdated_locales_are_marked(desk: Desk) -> None:
    marks = "[...document.querySelectorAll('tbody li .unseen')].map((one) => one.innerText.split(' since ')[0])"
    made = desk.ask("POST", LIST, {"name": "Marked", "slug": "marked"})
    desk.ask("POST", f"{LIST}?locale=de&relatedEntityId={made['id']}", {"name": "Markiert", "slug": "markiert"})
    desk.open(f"{CATEGORIES}?_q=Marked")
    expected = ["English (en): exists", "German (de): exists", "French (fr): missing"]
    desk.until(f"{marks}.join() === '{','.join(expected)}'", "the locales of the entry")
    desk.ask("PUT", f"{LIST}/{made['id']}", {"name": "Marked again"})
    desk.open(f"{CATEGORIES}?_q=Marked")
    expected[1] = "German (de): exists, outdated"
    desk.until(f"{marks}.join() === '{','.join(expected)}'", "the outdated locale")
    assert desk.barriers() == []
    desk.click("Marked again")
    desk.see("outdated since", "missing")
    assert desk.barriers() == []
    desk.fill("Color", "#102030")
    desk.click("Save")
    desk.see("Saved")
    desk.open(f"{CATEGORIES}/{made['id']}?plugins[i18n][locale]=en")
    desk.see("outdated since")  # the German entry has the new color too, but an older text

    # The reader can read German, but not this German entry, because another user has written it.
    reader = Person("translator@example.org", "Passw0rd-of-Translator")
    role = desk.ask("POST", "/admin/roles", {"name": "Reads own entries", "description": ""})["data"]["id"]
    permission = {
        "subject": "api::category.category",
        "properties": {"fields": ["name", "slug"], "locales": ["en", "de"]},
        "conditions": ["admin::is-creator"],
    }
    actions = [f"plugin::content-manager.explorer.{action}" for action in ("create", "read")]
    permissions = [{**permission, "action": action} for action in actions]
    desk.ask("PUT", f"/admin/roles/{role}/permissions", {"permissions": permissions})
    desk.hire(reader, role)
    own = desk.ask("POST", LIST, {"name": "Marked as own", "slug": "own"}, token=desk.token(reader))["id"]
    desk.ask("POST", f"{LIST}?locale=de&relatedEntityId={own}", {"name": "Eigenes", "slug": "eigenes"})
    desk.log_in(reader)
    desk.open(f"{CATEGORIES}?_q=Marked")
    expected = ["English (en): exists", "German (de): exists, not readable"]
    desk.until(f"{marks}.join() === '{','.join(expected)}'", "the locale that is not readable")


def test_a_missing_locale_starts_with_shared_values(desk: Desk) -> None:
    reported = {"name": "Only English", "slug": "only-english", "color": "#445566"}
    made = desk.ask("POST", LIST, reported)
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


def test_the_locale_of_a_single_type_can_be_switched(desk: Desk) -> None:
    desk.open("/admin/content-manager/single-types/api::homepage.homepage")
    desk.click("Show German (de) side by side")
    desk.until(f"document.querySelector('{BESIDE} input')", "the German page")
    desk.click("German (de)")
    desk.until(
        "location.search.includes('de') && __look.labelled('Headline')?.value.includes('Vierteljahresheft')", "it"
    )
