"""SmtpMailer: sends messages to an SMTP server."""

from octavo.core.mail.mailers import NO_SENDER, Message, Sender
from octavo.core.mail.smtp_server import SmtpServer
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """Sends messages to an SMTP server."""

    server: SmtpServer
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        from octavo.core.mail.smtp_delivery import deliver

        await deliver(message, self.sender, self.server)
