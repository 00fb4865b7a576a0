"""`app.mail`: mail from a project's code, by the way that the settings name."""

import asyncio
import html as markup
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from octavo.mail.mailers import Mailer, MailProblem, Message
from octavo.mail.templates import TemplateProblem, compose_file


class Mail:
    """Sends messages. Raises `octavo.MailProblem` when one cannot be handed over."""

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
    ) -> None:
        """Send a message, to each address one of its own: `text`, `html` or both, or a `template` filled with `data`.

        The template `welcome` is the file `emails/welcome.html`; its `<title>` is the subject, unless one is given.
        It is sent at once: inside a transaction, ask for it with `after_commit`.
        """
        if template is not None:
            subject, html = await asyncio.to_thread(self._compose, template, subject, data or {})
        if not subject or not (text or html):
            raise MailProblem("a message has a subject, and text, html or a template")
        shown = html or f"<p>{'<br>'.join(map(markup.escape, text.splitlines()))}</p>"
        for address in [to] if isinstance(to, str) else list(to):
            await self._mailer.send(Message(address, subject, shown, sender, sender_name, reply_to, text))

    def _compose(self, name: str, subject: str, data: Mapping[str, Any]) -> tuple[str, str]:
        try:
            found = compose_file(name, self._project, data)
        except TemplateProblem as problem:
            raise MailProblem(f"the mail template {name}: {problem}") from problem
        return subject or found[0], found[1]
