"""Messages of the service are translated on the pages."""

import ast
import json
import re
from pathlib import Path

from tests.cli.processes import ROOT
from tests.pages.articles import LIST, leave, make, open_form, stored
from tests.pages.desk import ADA, Desk

MESSAGES = ROOT / "admin/src/messages"
TAGS = "/admin/content-manager/collection-types/api::tag.tag"
PLACEHOLDER = re.compile(r"\{\w+\}")
ARTICLES = {"this", "this field"}
"""Words that messages use for values without a name."""
FAILED = "document.querySelector('.toasts .failed')"
RECORD = ROOT / "tests/content/validation_matrix/reference.json"
"""All responses recorded from v4 to bodies of every type and rule."""
VALIDATION = ("content/validation", "content/input", "forms")
VERB = re.compile(r" (?:must|is a required|cannot|field) ")
LABEL = re.compile(r"\{(?:\w+\.)?(?:label|name|path)\}")
MISSING = re.compile(r" must be a `\w+` type, but the final value was: `(?:null|NaN)`\.$")
QUOTED = re.compile(r"(?<= type, but the final value was: `).*$", re.DOTALL)
INTERNAL = re.compile(r"`|final value|cast from|must be defined|cannot be null|field must have")
"""A validator's internal terms, which editors should not see."""


def said(language: str) -> dict[str, str]:
    """Return the translations of a language by message."""
    return dict(json.loads((MESSAGES / "said" / f"{language}.json").read_text(encoding="utf-8")))


def sources() -> str:
    """Return the service's source code."""
    return "\n".join(path.read_text(encoding="utf-8") for path in Path(ROOT / "src/octavo").rglob("*.py"))


def test_every_translated_message_is_in_the_service() -> None:
    code = sources()
    unknown = [
        message
        for message in {**said("en"), **said("de")}
        if message not in ARTICLES
        and not all(part.strip() in code for part in PLACEHOLDER.split(message) if len(part.strip()) > 1)
    ]
    assert unknown == []


def test_translations_have_the_placeholders_of_their_message() -> None:
    for language in ("en", "de"):
        for message, words in said(language).items():
            assert set(PLACEHOLDER.findall(words)) <= set(PLACEHOLDER.findall(message)), message


def test_english_translations_exist_in_german() -> None:
    assert said("en").keys() <= said("de").keys()


def worded(message: str, language: str) -> str | None:
    """Return a message as the pages show it (`admin/src/messages/said.ts`), with field names unchanged."""
    plain = QUOTED.sub("…`.", MISSING.sub(" must be defined.", message))
    for words in (said(language), said("en")):
        if plain in words:
            return words[plain]
        for text, sentence in words.items():
            parts = [
                (rf"(?P<{part}>\S+|this field)" if part == "path" else f"(?P<{part}>.+?)")
                if index % 2
                else re.escape(part)
                for index, part in enumerate(re.split(r"\{(\w+)\}", text))
            ]
            if "{" in text and (found := re.fullmatch("".join(parts), plain, re.DOTALL)):
                values = {
                    name: words.get(one, one) if name == "kind" else one for name, one in found.groupdict().items()
                }
                return sentence.format_map(values)
    return None


def recorded() -> set[str]:
    """Return the recorded messages of v4, for all types and rules."""
    outcomes = [outcome for _, *rest in json.loads(RECORD.read_text(encoding="utf-8")).values() for outcome in rest]
    listed = {message for outcome in outcomes if isinstance(outcome, list) for _, message in outcome}
    return listed | {outcome for outcome in outcomes if isinstance(outcome, str)}


def written() -> set[str]:
    """Return the messages in the code that name a field, with a name and values inserted."""
    files = [path for folder in VALIDATION for path in (ROOT / "src/octavo" / folder).rglob("*.py")]
    texts = [
        text for path in files for text in re.findall(r'f"([^"\n]+)"|f\'([^\'\n]+)\'', path.read_text(encoding="utf-8"))
    ]
    messages = [plain or quoted for plain, quoted in texts]
    found = {message for message in messages if LABEL.match(message) and VERB.search(message)}
    return {re.sub(r"\{[^}]*\}", "5", LABEL.sub("seo.metaTitle", text)) for text in found}


BUILDER = ("modeling/builder/*.py", "schema/check.py", "schema/parse.py", "schema/parse_attributes.py")
"""The modules whose messages the type builder sends, together with the two below."""
OF_BUILDER = ("schema/builtin_attributes.py", "schema/definition_values.py")
NO_MESSAGES = re.compile(
    r"^(?:Rename attributes of|DELETE FROM|entry [^:]*(?:: .*)?$|relation of|attribute type|expected one of|5 to 5$"
    r"|5: 5$|5 5$|[A-Z]\w+ \| None$|5 is not in the project's|5, as its column|unknown custom field|name their type"
    r"|is built in and still exists|its values are|must match the following regex|must be an object with a name and"
    r"|is only for content types|content type$"
    r"|must be a list$|a relation \(|of the type|as it is$|at most|alphanumeric)"
)
"""Names of migrations, warnings, and parts of other messages."""


def built(node: ast.expr) -> str | None:
    """Return a text in the code with a placeholder for each value."""
    match node:
        case ast.Constant(value=str() as text):
            pass
        case ast.JoinedStr(values=parts):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "5" for one in parts)
        case _:
            return None
    return re.sub(r"\{\w+(?:![rs])?\}", "5", text).strip()


def messages_of_builder() -> set[str]:
    """Return all messages of the type builder, from the code that it runs."""
    folder = ROOT / "src/octavo"
    files = [path for pattern in (*BUILDER, *OF_BUILDER) for path in folder.glob(pattern)]
    found = set()
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        parts = {id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in ast.walk(one)} - {
            id(one) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr)
        }
        nodes = (one for one in ast.walk(tree) if isinstance(one, ast.expr) and id(one) not in docs | parts)
        texts = (built(one) for one in nodes)
        found |= {text for text in texts if text and " " in text and "\n" not in text}
    return {text for text in found if not NO_MESSAGES.search(text)}


def test_every_message_of_the_type_builder_is_translated() -> None:
    messages = sorted(messages_of_builder())
    assert len(messages) > 50
    for language in ("en", "de"):
        assert [message for message in messages if worded(message, language) is None] == []
    assert [one for one in messages if worded(one, "de") == worded(one, "en")] == []


def test_messages_of_validators_are_translated() -> None:
    messages = sorted(recorded() | written())
    assert len(messages) > 300
    for language in ("en", "de"):
        shown = {message: worded(message, language) for message in messages}
        assert [message for message, text in shown.items() if text is None or INTERNAL.search(text)] == []
        assert [text for text in shown.values() if text and not text[0].isalpha()] == []


def test_german_has_all_translations() -> None:
    english = {worded(message, "en") for message in recorded() | written()}
    german = {worded(message, "de") for message in recorded() | written()}
    assert english & german == set()


def test_errors_are_shown_in_the_language_of_the_pages(desk: Desk) -> None:
    name = desk.ask("GET", "/content-manager/collection-types/api::tag.tag?pageSize=1")["results"][0]["name"]
    desk.do("localStorage.setItem('octavo.language', 'de')")
    desk.open(f"{TAGS}/create")
    desk.see("Eintrag erstellen: Tag")
    desk.fill("Name", name)
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


def test_publishing_reports_missing_values_by_label(desk: Desk) -> None:
    article = make(desk, "Not complete", blocks=[{"__component": "blocks.quote", "text": "Said"}])
    [quote] = stored(desk, article)["blocks"]
    desk.ask("PUT", f"{LIST}/{article}", {"title": None, "blocks": [{**quote, "text": None}]})
    for language, publish, title, text in (
        ("en", "Publish", "Title is required.", "Blocks 1 › Text is required."),
        ("de", "Veröffentlichen", "Title ist erforderlich.", "Blocks 1 › Text ist erforderlich."),
    ):
        desk.do(f"localStorage.setItem('octavo.language', '{language}')")
        open_form(desk, article)
        desk.click(publish)
        desk.see(title, text)
        assert "`" not in desk.text()
    desk.do("localStorage.setItem('octavo.language', 'en')")
    leave(desk)


def test_error_notices_disappear_after_a_successful_save(desk: Desk) -> None:
    article = make(desk, "Failing")
    open_form(desk, article)
    desk.fill("Reading minutes", "99")
    desk.click("Save")
    desk.until(FAILED, "what failed")
    desk.fill("Reading minutes", "9")
    desk.click("Save")
    desk.until("document.querySelector('.toasts .done')", "what worked")
    assert desk.do(f"!{FAILED}")
    desk.fill("Reading minutes", "99")
    desk.click("Save")
    desk.until(FAILED, "what failed")
    desk.do("document.querySelector('nav a[href$=\"/plugins/upload\"]').click()")
    desk.see("Leave without saving?")
    desk.click("Leave")
    desk.see("Newest first")
    assert desk.do(f"!{FAILED}")
    leave(desk)
