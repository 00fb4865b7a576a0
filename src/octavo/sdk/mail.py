"""`app.mail`: send email from project code, through the configured transport."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from octavo.core.mail.mailers import Attachment, Mailer, MailProblem, Message
from octavo.core.mail.templates import TemplateProblem, compose_file
from octavo.core.markup import escape
from octavo.core.media_types import ANY_TYPE, type_by_name

Attached = tuple[str, str | bytes]
MOST_ATTACHED: Final = 20_000_000
"""Maximum bytes of all attachments of a message: what mail servers accept, less the encoding's overhead."""


class Mail:
    """Sends messages."""

    def __init__(self, mailer: Mailer, project: Path) -> None:
        self._mailer = mailer
        self._project = project

    async def send(
        self,
        to: str | Iterable[str],
        subject: str = "",
        *,
        text: str = "",
        html: str = "",
        template: str | None = None,
        data: Mapping[str, Any] | None = None,
        sender: str = "",
        sender_name: str = "",
        reply_to: str = "",
        attachments: Iterable[Attached] = (),
    ) -> None:
        """Send a separate message to each address: `text`, `html` or both, or a `template` with `data`.

        The template `welcome` is the file `emails/welcome.html`. Its `<title>` is the subject, unless you set one.
        Attachments are pairs of name and content, text or bytes, 20 MB at most. The message is sent immediately: in a
        transaction, use `transaction.after_commit`. Raises MailProblem if it cannot be sent.
        """
        if template is not None:
            subject, html = await asyncio.to_thread(self._compose, template, subject, data or {})
        if not subject or not (text or html):
            raise MailProblem("a message requires a subject, and text, html or a template")
        shown = html or f"<p>{'<br>'.join(map(escape, text.splitlines()))}</p>"
        files = tuple(_attachment(*file) for file in attachments)
        if sum(len(file.content) for file in files) > MOST_ATTACHED:
            raise MailProblem(f"attachments of more than {MOST_ATTACHED // 1_000_000} MB are not supported")
        for address in [to] if isinstance(to, str) else list(to):
            await self._mailer.send(Message(address, subject, shown, sender, sender_name, reply_to, text, files))

    def _compose(self, name: str, subject: str, data: Mapping[str, Any]) -> tuple[str, str]:
        try:
            composed = compose_file(name, self._project, data)
        except TemplateProblem as problem:
            raise MailProblem(f"the mail template {name}: {problem}") from problem
        return subject or composed[0], composed[1]


def _attachment(name: str, content: str | bytes) -> Attachment:
    """Return an attachment; its media type follows from its name. Raises MailProblem for a name that is a path."""
    if not name or any(sign in name for sign in '/\\\r\n"'):
        raise MailProblem(f"{name!r} is not a valid attachment name")
    kind = type_by_name(name) or ANY_TYPE
    if isinstance(content, bytes):
        return Attachment(name, content, kind)
    return Attachment(name, content.encode(), f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)
