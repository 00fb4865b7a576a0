"""The book of webhooks: made, changed, removed, looked up; a process remembers them, and looks again now and then."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import orjson

from octavo.core.clock import shown_moment, this_moment, wall_time
from octavo.core.errors import NotFoundError, ValidationError
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.outbox import Outbox
from octavo.events.webhooks import rows
from octavo.events.webhooks.deliveries import Delivery, find_delivery, forget_webhook, list_deliveries, note
from octavo.events.webhooks.messages import TOPIC, Answer, Posts, Sent, new_id
from octavo.events.webhooks.webhook import TEST, Webhook, checked, new_secret
from octavo.settings.accepted_keys import AcceptedKey

ResultT = TypeVar("ResultT")

_MOST_WEBHOOKS: Final = 500
_DEFAULTS: Final[Mapping[str, Any]] = {"headers": {}, "enabled": True, "types": (), "locales": (), "populate": None}
_V4_FIELDS: Final = ("name", "url", "headers", "events", "enabled")


class Webhooks:
    """The webhooks of one database: for the command line, for a project's code, for the administrators' API.

    Fields are those of `Webhook`. Refuses with ValidationError, every problem at once, and NotFoundError.
    """

    def __init__(self, database: Database, outbox: Outbox, poster: Posts) -> None:
        self._database = database
        self._dialect = database.dialect
        self._outbox = outbox
        self._poster = poster
        self.current: tuple[Webhook, ...] = ()
        """All that this process knew at its last look; none before the first."""

    async def look(self) -> None:
        """See what others have changed. After a change of its own a process looks by itself."""
        self.current = await self.all()

    async def all(self) -> tuple[Webhook, ...]:
        """All of them, as they are now."""
        return await rows.read_all(self._database)

    async def get(self, webhook_id: int) -> Webhook:
        """The one with an id."""
        return _found(await self.all(), webhook_id)

    async def create(self, **given: Any) -> Webhook:
        """A new one: at least `name`, `url` and `events`. Unless a `secret` is given, even None, one is made."""
        values = {"secret": new_secret(), **_DEFAULTS, **checked(given)}
        missing = [name for name in ("name", "url", "events") if name not in values]
        if missing:
            raise ValidationError(f"a webhook needs {', '.join(missing)}")

        async def insert(unit: UnitOfWork) -> Webhook:
            await unit.connection.lock("octavo: webhooks")
            if len(await rows.read_all(unit.connection)) >= _MOST_WEBHOOKS:
                raise ValidationError(f"there are {_MOST_WEBHOOKS} webhooks already")
            v4_values = {name: values[name] for name in _V4_FIELDS}
            made = Webhook(id=await rows.insert(unit.connection, self._dialect, v4_values), **values)
            await rows.keep_options(unit.connection, self._dialect, made)
            return made

        return await self._run(insert)

    async def update(self, webhook_id: int, **given: Any) -> Webhook:
        """Change what is given. One that is switched on begins anew with its failures."""
        values = checked(given)
        if "secret" in values:
            values["former"] = None
        if values.get("enabled"):
            values |= {"failures": 0, "disabled_because": None}
        return await self._change(webhook_id, lambda webhook: replace(webhook, **values))

    async def renew_secret(self, webhook_id: int, seconds: float = 0) -> Webhook:
        """Sign with a new secret, and for so many seconds with the one before as well."""

        def change(webhook: Webhook) -> Webhook:
            former = AcceptedKey(webhook.secret, wall_time() + seconds) if webhook.secret and seconds else None
            return replace(webhook, secret=new_secret(), former=former)

        return await self._change(webhook_id, change)

    async def delete(self, webhook_id: int) -> Webhook:
        """Remove one, with its deliveries; what is still to be sent to it is not sent."""

        async def delete(unit: UnitOfWork) -> Webhook:
            found = _found(await rows.read_all(unit.connection), webhook_id)
            await rows.delete(unit.connection, self._dialect, webhook_id)
            await forget_webhook(unit, self._database, webhook_id)
            return found

        return await self._run(delete)

    async def refusal(self, url: str) -> str | None:
        """Why nothing would be sent to an address; None where it would, or where its name cannot be found now."""
        return await self._poster.refusal(url)

    async def count_failure(self, webhook_id: int, most: int) -> None:
        """A message is given up: switch the webhook off after so many in a row; 0 is never."""

        def change(webhook: Webhook) -> Webhook:
            failures = webhook.failures + 1
            if not most or failures < most:
                return replace(webhook, failures=failures)
            because = f"{counted(failures, 'message')} in a row could not be delivered"
            return replace(webhook, failures=failures, enabled=False, disabled_because=because)

        await self._change(webhook_id, change)

    async def clear_failures(self, webhook_id: int) -> None:
        """A message is delivered."""
        await self._change(webhook_id, lambda webhook: replace(webhook, failures=0))

    async def switch_off(self, webhook_id: int, because: str) -> None:
        """Send no more to a webhook, for a reason that people are shown."""
        await self._change(webhook_id, lambda webhook: replace(webhook, enabled=False, disabled_because=because))

    async def test(self, webhook_id: int) -> Answer:
        """Send what v4 sends to try an address, at once and to one that is switched off too; what came of it."""
        body = orjson.dumps({"event": TEST, "createdAt": shown_moment(this_moment())})
        return await self.send(await self.get(webhook_id), Sent(new_id(), webhook_id, TEST, body.decode()))

    async def send(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message now, and note in the log what comes of it."""
        answer = await self._poster.post(webhook, sent)
        await run_unit(
            self._database,
            UnitOfWork,
            lambda unit: note(unit, self._dialect, sent, webhook.url, answer),
            grouped=False,
        )
        return answer

    async def deliveries(self, webhook_id: int, most: int = 20) -> list[Delivery]:
        """The newest messages to one, with what came of them."""
        await self.get(webhook_id)
        return await list_deliveries(self._database, webhook_id, most)

    async def delivery(self, message_id: str) -> Delivery:
        """The message with an id."""
        found = await find_delivery(self._database, message_id)
        if found is None:
            raise NotFoundError(f"There is no message {message_id}")
        return found

    async def redeliver(self, message_id: str) -> Delivery:
        """Send a message of the log once more, as it was; the log tells what comes of it."""
        found = await self.delivery(message_id)
        again = Sent(found.message_id, found.webhook_id, found.event, found.body, asked=True)
        await self._run(lambda unit: self._outbox.add(unit, TOPIC, again.payload()))
        return found

    async def _change(self, webhook_id: int, change: Callable[[Webhook], Webhook]) -> Webhook:
        async def run(unit: UnitOfWork) -> Webhook:
            await unit.connection.lock("octavo: webhooks")
            before = _found(await rows.read_all(unit.connection), webhook_id)
            changed = change(before)
            if any(getattr(before, name) != getattr(changed, name) for name in _V4_FIELDS):
                await rows.update(unit.connection, self._dialect, changed)
            if changed != before:
                await rows.keep_options(unit.connection, self._dialect, changed)
            return changed

        return await self._run(run)

    async def _run(self, work: Callable[[UnitOfWork], Awaitable[ResultT]]) -> ResultT:
        async def run(unit: UnitOfWork) -> ResultT:
            unit.after_commit(self.look)
            return await work(unit)

        return await run_unit(self._database, UnitOfWork, run, grouped=False)


def _found(webhooks: tuple[Webhook, ...], webhook_id: int) -> Webhook:
    for webhook in webhooks:
        if webhook.id == webhook_id:
            return webhook
    raise NotFoundError(f"There is no webhook {webhook_id}")
