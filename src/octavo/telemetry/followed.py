"""Parts of a service that tell what they do to whoever follows requests. They take the place of those
that do not where somebody does, so that nobody else pays for it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from octavo.authentication.authenticator import Authenticator
from octavo.authorization.actor import Actor
from octavo.content.kept_answers import KeptReader
from octavo.content.reader import CompiledRead, EntryReader, PreparedRead
from octavo.mail.mailers import Mailer, Message
from octavo.net.calls import following
from octavo.plan.nodes import ReadPlan
from octavo.plan.read import Planned

Stop = Callable[[str], AbstractContextManager[None]]
"""A stop of a request's road, as long as a block lasts."""


class FollowedAuthenticator(Authenticator):
    """Tells how long it takes to know who asks."""

    def __init__(self, stop: Stop, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stop = stop

    async def authenticate(self, authorization: str | None) -> Actor:
        with self._stop("who"):
            return await super().authenticate(authorization)


class FollowedReader(EntryReader):
    """Tells how long it takes to plan what was not seen before, and to make its statement."""

    def __init__(self, stop: Stop, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stop = stop

    def prepare_again(self, plan: Callable[[], Planned]) -> PreparedRead:
        def planned() -> Planned:
            with self._stop("plan"):
                return plan()

        return super().prepare_again(planned)

    def _compile(self, plan: ReadPlan) -> CompiledRead:
        with self._stop("statement"):
            return super()._compile(plan)


class FollowedKeptReader(KeptReader, FollowedReader):
    """The same of one that keeps answers."""


class FollowedMailer:
    """Tells of mails that are sent; nothing of whom they are for."""

    def __init__(self, mailer: Mailer) -> None:
        self._mailer = mailer

    async def send(self, message: Message) -> None:
        """Hand a message over. Raises MailProblem."""
        with following("mail", {"octavo.mailer": type(self._mailer).__name__}):
            await self._mailer.send(message)
