"""Mail through the machine's sendmail program, here a script."""

from pathlib import Path

import pytest

from octavo.core.mail.mailers import MailProblem, Message, Sender
from octavo.core.mail.sendmail import SendmailMailer

pytestmark = pytest.mark.anyio

MESSAGE = Message("ann@example.org", "Hello", "<p>Hello</p>")
SENDER = Sender("Club <club@example.org>")


def program(folder: Path, script: str) -> str:
    path = folder / "sendmail"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


async def test_a_message(tmp_path: Path) -> None:
    path = program(tmp_path, f'echo "$@" > {tmp_path}/arguments; cat > {tmp_path}/message')
    await SendmailMailer(path, SENDER).send(MESSAGE)
    assert (tmp_path / "arguments").read_text() == "-i -f club@example.org -- ann@example.org\n"
    assert b"From: Club <club@example.org>\r\n" in (tmp_path / "message").read_bytes()


async def test_a_program_that_refuses_or_is_missing(tmp_path: Path) -> None:
    path = program(tmp_path, "cat > /dev/null; echo no such user >&2; exit 67")
    with pytest.raises(MailProblem, match="rejected the message: no such user"):
        await SendmailMailer(path, SENDER).send(MESSAGE)
    with pytest.raises(MailProblem, match="The program `sendmail` is not installed"):
        await SendmailMailer(str(tmp_path / "none"), SENDER).send(MESSAGE)
