"""Mail templates in v4's format, `<%= URL %>`: only values are inserted, code in a template never runs.

The template is the project's file `emails/<name>.html` (its `<title>` is the subject), else the one that v4 stores in
the database, else the built-in one. A template that contains code is skipped, with a warning in the log.
"""

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.mail.mailers import Message
from octavo.core.markup import escape as escaped
from octavo.core.values import dataclass

logger = logging.getLogger(__name__)

FOLDER: Final = "emails"
LARGEST: Final = MEGABYTE
"""Maximum bytes of a project's template."""
STORE_KEY: Final = "plugin_users-permissions_email"
"""The key of v4's templates in `strapi_core_store_settings`."""

_TAG: Final = re.compile(r"<%.*?%>", re.DOTALL)
_NAME: Final = re.compile(r"<%[=-]\s*([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\s*%>", re.ASCII)
_FILE_NAME: Final = re.compile(r"[\w-]+")
_TITLE: Final = re.compile(r"<title>(.*?)</title>", re.DOTALL | re.IGNORECASE)
_PLACEHOLDER_SENDER: Final = "no-reply@strapi.io"
"""The default sender in v4's templates. It is replaced: the domain is not the project's, so servers would reject it."""


class TemplateProblem(ValueError):
    """A template contains something other than names of values."""


@dataclass(frozen=True, slots=True)
class MailTemplate:
    """A template. `subject` and `html` have placeholders. Without a sender, the mailer's default is used."""

    subject: str
    html: str
    sender: str = ""
    sender_name: str = ""
    reply_to: str = ""


BUILT_IN: Final[Mapping[str, MailTemplate]] = {
    "reset_password": MailTemplate(
        "Choose a new password",
        "<p>We received a request to reset the password of your account. To choose a new one, open this link:</p>\n"
        '<p><a href="<%= URL %>?code=<%= TOKEN %>"><%= URL %>?code=<%= TOKEN %></a></p>\n'
        "<p>If you did not request this, ignore this email. Your password stays the same.</p>\n",
    ),
    "admin_reset_password": MailTemplate(
        "Choose a new password",
        "<p>We received a request to reset the password of your administrator account. "
        "To choose a new one, open this link:</p>\n"
        '<p><a href="<%= URL %>?code=<%= TOKEN %>"><%= URL %>?code=<%= TOKEN %></a></p>\n'
        "<p>If you did not request this, ignore this email. Your password stays the same.</p>\n",
    ),
    "email_confirmation": MailTemplate(
        "Confirm your email address",
        "<p>Thank you for signing up. To confirm your email address, open this link:</p>\n"
        '<p><a href="<%= URL %>?confirmation=<%= CODE %>"><%= URL %>?confirmation=<%= CODE %></a></p>\n',
    ),
}


def compose(name: str, project: Path, stored: str | None, to: str, data: Mapping[str, Any]) -> Message:
    """Return a message from the first valid template with that name. `stored` is v4's JSON of all templates."""
    for template in _candidates(name, project, stored):
        try:
            return _fill_in(template, to, data)
        except TemplateProblem as problem:
            logger.warning("The mail template %s is not used: %s", name, problem)
    return _fill_in(BUILT_IN[name], to, data)


def compose_file(name: str, project: Path, data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the rendered subject and HTML of the project's template with that name. Raises TemplateProblem."""
    text = _read_own(project / FOLDER / f"{name}.html") if _FILE_NAME.fullmatch(name) else None
    if text is None:
        raise TemplateProblem(f"the file {FOLDER}/{name}.html does not exist or cannot be read")
    return " ".join(render(_title_of(text) or "", data).split()), render(text, data, escape=True)


def _title_of(text: str) -> str | None:
    from html import unescape

    title = _TITLE.search(text)
    return unescape(title[1]) if title else None


def _candidates(name: str, project: Path, stored: str | None) -> Iterator[MailTemplate]:
    theirs = _read_stored(name, stored)
    text = _read_own(project / FOLDER / f"{name}.html")
    if text is not None:
        title = _title_of(text)
        subject = BUILT_IN[name].subject if title is None else title
        yield replace(theirs or BUILT_IN[name], subject=subject, html=text)
    if theirs is not None:
        yield theirs


def _read_own(file: Path) -> str | None:
    """Return the project's template, or None if it is missing or unreadable: the next one is better than no email."""
    try:
        return read_own_file(file, LARGEST).decode("utf-8", "replace")  # invalid characters are tolerated, too
    except FileNotFoundError:
        return None
    except OSError as error:
        logger.warning("The mail template %s is not used: %s", file.name, error)
        return None


def _read_stored(name: str, stored: str | None) -> MailTemplate | None:
    try:
        options = json.loads(stored or "{}")[name]["options"]
        sender = options.get("from") or {}
        address = str(sender.get("email") or "")
        return MailTemplate(
            subject=str(options["object"]),
            html=str(options["message"]),
            sender="" if address == _PLACEHOLDER_SENDER else address,
            sender_name=str(sender.get("name") or ""),
            reply_to=str(options.get("response_email") or ""),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _fill_in(template: MailTemplate, to: str, data: Mapping[str, Any]) -> Message:
    return Message(
        to=to,
        subject=" ".join(render(template.subject, data).split()),
        html=render(template.html, data, escape=True),
        sender=template.sender,
        sender_name=template.sender_name,
        reply_to=template.reply_to,
    )


def render(text: str, data: Mapping[str, Any], *, escape: bool = False) -> str:
    """Return the text with its placeholders replaced. Raises TemplateProblem.

    >>> render("Hello <%= USER.name %>, <%= nobody %>!", {"USER": {"name": "<Ann>"}}, escape=True)
    'Hello &lt;Ann&gt;, !'
    """

    def fill_in(tag: re.Match[str]) -> str:
        name = _NAME.fullmatch(tag[0])
        if name is None:
            raise TemplateProblem(f"{tag[0]} is not a known variable")
        value = _look_up(data, name[1].split("."))
        return escaped(value) if escape else value

    end = text.rfind("%>") + 2  # otherwise each unclosed tag would be searched to the end
    return _TAG.sub(fill_in, text[:end]) + text[end:]


def _look_up(data: Any, names: Iterable[str]) -> str:
    for name in names:
        data = data.get(name) if isinstance(data, Mapping) else None
    return "" if data is None or isinstance(data, Mapping | list) else str(data)
