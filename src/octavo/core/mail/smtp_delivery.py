"""Send a message over SMTP. Importing this module imports the SMTP client, so import it when a message is sent."""

from typing import Final

import aiosmtplib

from octavo.core.mail.mailers import MailProblem, Message, Sender
from octavo.core.mail.mime import to_mime
from octavo.core.mail.smtp_server import Security, SmtpServer

_START_TLS: Final[dict[Security, bool | None]] = {
    "none": False,
    "opportunistic": None,
    "starttls": True,
    "tls": False,
}


async def deliver(message: Message, sender: Sender, server: SmtpServer) -> None:
    """Send a message. Raises MailProblem."""
    try:
        await aiosmtplib.send(
            to_mime(message, sender),
            hostname=server.host,
            port=server.port,
            use_tls=server.security == "tls",
            start_tls=_START_TLS[server.security],
            username=server.user,
            password=server.password,
            timeout=server.timeout,
            local_hostname=server.name,
            tls_context=server.tls,
        )
    except (aiosmtplib.SMTPException, OSError) as error:
        raise MailProblem(f"{server.host}:{server.port} did not accept the message: {error}") from error
