"""FolderMailer: writes messages to a folder."""

import asyncio
import logging
import time
import uuid
from pathlib import Path

from octavo.core.mail.mailers import NO_SENDER, MailProblem, Message, Sender
from octavo.core.values import dataclass

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FolderMailer:
    """Writes messages to a folder, for development, and logs their paths."""

    folder: Path
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        from octavo.core.mail.mime import to_mime

        content = to_mime(message, self.sender).as_bytes()
        path = self.folder / f"{time.time_ns()}-{uuid.uuid4().hex[:8]}.eml"
        try:
            await asyncio.to_thread(_write, path, content)
        except OSError as error:
            raise MailProblem(f"{path} cannot be written: {error}") from error
        logger.info("Wrote mail to %s, %r, to %s", message.to, message.subject, path)


def _write(path: Path, content: bytes) -> None:
    """Write a file atomically, so that readers see complete messages only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.rename(path)
