"""SmtpMailer: hands messages to a mail server."""

from octavo.mail.mailers import NOBODY, Message, Sender
from octavo.mail.smtp_server import SmtpServer
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """Hands messages to a mail server."""

    server: SmtpServer
    sender: Sender = NOBODY

    async def send(self, message: Message) -> None:
        from octavo.mail.smtp_delivery import deliver

        await deliver(message, self.sender, self.server)
