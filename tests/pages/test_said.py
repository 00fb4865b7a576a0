"""What the service says, in the words of the pages' languages."""

import json
import re
from pathlib import Path

from tests.cli.processes import ROOT
from tests.pages.desk import ADA, Desk

MESSAGES = ROOT / "admin/src/messages"
TAGS = "/admin/content-manager/collection-types/api::tag.tag"
PLACEHOLDER = re.compile(r"\{\w+\}")
ARTICLES = {"this", "this field"}
"""What messages call a value that has no name."""


def said(language: str) -> dict[str, str]:
    """The words of a language, by the service's own."""
    return dict(json.loads((MESSAGES / "said" / f"{language}.json").read_text(encoding="utf-8")))


def sources() -> str:
    """All that the service could say."""
    return "\n".join(path.read_text(encoding="utf-8") for path in Path(ROOT / "src/octavo").rglob("*.py"))


def test_every_message_that_has_other_words_is_one_of_the_service() -> None:
    code = sources()
    unknown = [
        message
        for message in {**said("en"), **said("de")}
        if message not in ARTICLES
        and not all(part.strip() in code for part in PLACEHOLDER.split(message) if len(part.strip()) > 1)
    ]
    assert unknown == []


def test_words_name_what_the_message_names() -> None:
    for language in ("en", "de"):
        for message, words in said(language).items():
            assert set(PLACEHOLDER.findall(words)) <= set(PLACEHOLDER.findall(message)), message


def test_codes_that_have_words_in_one_language_have_them_in_all() -> None:
    assert said("en").keys() <= said("de").keys()


def test_what_is_refused_is_said_in_the_language_of_the_pages(desk: Desk) -> None:
    name = desk.ask("GET", "/content-manager/collection-types/api::tag.tag?pageSize=1")["results"][0]["name"]
    desk.do("localStorage.setItem('octavo.language', 'de')")
    desk.open(f"{TAGS}/create")
    desk.see("Eintrag erstellen: Tag")
    desk.fill("name", name)
    desk.press("s", control=True)
    desk.see("Dieser Wert wird bereits verwendet")
    desk.page.send("Network.clearBrowserCookies")
    desk.open("/admin/auth/login")
    desk.fill("E-Mail", ADA.email)
    desk.fill("Passwort", "wrong")
    desk.click("Anmelden")
    desk.see("E-Mail oder Passwort ist falsch")
    desk.do("localStorage.setItem('octavo.language', 'en')")
    desk.log_in(ADA)
