"""Sent mails. Tests store them in a folder instead of delivering them."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path


class Mail:
    """A sent mail."""

    def __init__(self, message: EmailMessage) -> None:
        self.message = message
        """The whole message, with all headers."""

    @property
    def to(self) -> str:
        """The recipient."""
        return str(self.message["To"])

    @property
    def sender(self) -> str:
        """The sender."""
        return str(self.message["From"])

    @property
    def subject(self) -> str:
        """The subject."""
        return str(self.message["Subject"])

    @property
    def html(self) -> str:
        """The HTML body."""
        return self._part("html")

    @property
    def text(self) -> str:
        """The plain text body."""
        return self._part("plain")

    @property
    def attachments(self) -> dict[str, str | bytes]:
        """The attachments by name: text as `str`, other content as `bytes`."""
        return {part.get_filename() or "": part.get_content() for part in self.message.iter_attachments()}

    def _part(self, kind: str) -> str:
        body = self.message.get_body((kind,))
        return "" if body is None else str(body.get_content())

    def __repr__(self) -> str:
        return f"<Mail to {self.to}: {self.subject}>"


def read_mails(folder: Path) -> list[Mail]:
    """Return the mails in a folder, in the order they were sent."""
    files = sorted(folder.glob("*.eml"))
    return [Mail(message_from_bytes(file.read_bytes(), EmailMessage, policy=default)) for file in files]
