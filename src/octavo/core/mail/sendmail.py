"""SendmailMailer: sends messages with the system's sendmail program, such as Postfix, Exim or msmtp."""

import asyncio
import os
import shutil
from typing import Final

from octavo.core.mail.mailers import NO_SENDER, MailProblem, Message, Sender
from octavo.core.values import dataclass

_USUAL_PLACES: Final = ("/usr/sbin", "/usr/lib", "/usr/bin")
_SECONDS: Final = 60.0

MISSING: Final = (
    "The program `sendmail` is not installed. Install it (Postfix, msmtp-mta), or set a mail server in plugins.toml, "
    "email.config.providerOptions"
)


def find_sendmail(path: str | None = None) -> str | None:
    """Return the program's path, by default in the usual locations, or None if it does not exist."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), *_USUAL_PLACES))
    return shutil.which(path or "sendmail", path=places)


@dataclass(frozen=True, slots=True)
class SendmailMailer:
    """Runs the program for each message. `path` is its location, if it is not a usual one."""

    path: str | None = None
    sender: Sender = NO_SENDER

    async def send(self, message: Message) -> None:
        program = find_sendmail(self.path)
        if program is None:
            raise MailProblem(MISSING)
        from octavo.core.mail.mime import to_mime

        mime = to_mime(message, self.sender)
        sender, to = (mime[header].addresses[0].addr_spec for header in ("From", "To"))
        pipe = asyncio.subprocess.PIPE
        try:
            running = await asyncio.create_subprocess_exec(
                program, "-i", "-f", sender, "--", to, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT
            )
        except OSError as error:
            raise MailProblem(f"{program} cannot be run: {error}") from error
        try:
            async with asyncio.timeout(_SECONDS):
                said, _ = await running.communicate(mime.as_bytes())
        except TimeoutError as error:
            raise MailProblem(f"{program} did not accept the message within {_SECONDS:.0f} s") from error
        finally:
            if running.returncode is None:
                running.kill()
                await running.wait()
        if running.returncode:
            why = said.decode(errors="replace").strip().partition("\n")[0][:200]
            raise MailProblem(f"{program} rejected the message: {why or f'it exited with {running.returncode}'}")
