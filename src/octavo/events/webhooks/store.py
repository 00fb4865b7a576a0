"""Create, update, delete and list webhooks. Each process caches them, and reloads them periodically."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import orjson

from octavo.core.clock import format_timestamp, this_moment, wall_time
from octavo.core.errors import NotFoundError, ValidationError
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.outbox import Outbox
from octavo.events.webhooks import rows
from octavo.events.webhooks.delivery_log import Delivery, find_delivery, forget_webhook, list_deliveries, note
from octavo.events.webhooks.messages import TOPIC, Answer, MessageSender, Sent, new_id
from octavo.events.webhooks.webhook import TEST, Webhook, checked, new_secret
from octavo.settings.accepted_keys import AcceptedKey

ResultT = TypeVar("ResultT")

_MOST_WEBHOOKS: Final = 500
_DEFAULTS: Final[Mapping[str, Any]] = {"headers": {}, "enabled": True, "types": (), "locales": (), "populate": None}
_V4_FIELDS: Final = ("name", "url", "headers", "events", "enabled")


class Webhooks:
    """The webhooks of one database: for the command line, for a project's code, for the admin API.

    Fields are those of `Webhook`. Raises ValidationError, with every problem at once, and NotFoundError.
    """

    def __init__(self, database: Database, outbox: Outbox, poster: MessageSender) -> None:
        self._database = database
        self._dialect = database.dialect
        self._outbox = outbox
        self._poster = poster
        self.current: tuple[Webhook, ...] = ()
        """The webhooks as of the last reload; empty before the first one."""

    async def look(self) -> None:
        """Reload, to get the changes of other processes. After its own changes a process reloads automatically."""
        self.current = await self.all()

    async def all(self) -> tuple[Webhook, ...]:
        """Return all webhooks, as they are now."""
        return await rows.read_all(self._database)

    async def get(self, webhook_id: int) -> Webhook:
        """Return the webhook with an id."""
        return _found(await self.all(), webhook_id)

    async def create(self, **given: Any) -> Webhook:
        """Create a webhook with at least `name`, `url` and `events`. A `secret` is generated unless one, or None, is
        given."""
        values = {"secret": new_secret(), **_DEFAULTS, **checked(given)}
        missing = [name for name in ("name", "url", "events") if name not in values]
        if missing:
            raise ValidationError(f"a webhook requires {', '.join(missing)}")

        async def insert(unit: UnitOfWork) -> Webhook:
            await unit.connection.lock("octavo: webhooks")
            if len(await rows.read_all(unit.connection)) >= _MOST_WEBHOOKS:
                raise ValidationError(f"the limit of {_MOST_WEBHOOKS} webhooks is reached")
            v4_values = {name: values[name] for name in _V4_FIELDS}
            made = Webhook(id=await rows.insert(unit.connection, self._dialect, v4_values), **values)
            await rows.keep_options(unit.connection, self._dialect, made)
            return made

        return await self._run(insert)

    async def update(self, webhook_id: int, **given: Any) -> Webhook:
        """Update the given fields. Enabling a webhook resets its failures."""
        values = checked(given)
        if "secret" in values:
            values["former"] = None
        if values.get("enabled"):
            values |= {"failures": 0, "disabled_because": None}
        return await self._change(webhook_id, lambda webhook: replace(webhook, **values))

    async def renew_secret(self, webhook_id: int, seconds: float = 0) -> Webhook:
        """Sign with a new secret, and for `seconds` also with the previous one."""

        def change(webhook: Webhook) -> Webhook:
            former = AcceptedKey(webhook.secret, wall_time() + seconds) if webhook.secret and seconds else None
            return replace(webhook, secret=new_secret(), former=former)

        return await self._change(webhook_id, change)

    async def delete(self, webhook_id: int) -> Webhook:
        """Delete a webhook with its deliveries. Pending messages are not sent."""

        async def delete(unit: UnitOfWork) -> Webhook:
            found = _found(await rows.read_all(unit.connection), webhook_id)
            await rows.delete(unit.connection, self._dialect, webhook_id)
            await forget_webhook(unit, self._database, webhook_id)
            return found

        return await self._run(delete)

    async def refusal(self, url: str) -> str | None:
        """Return why nothing would be sent to a URL; None if it would, or if its host cannot be resolved now."""
        return await self._poster.refusal(url)

    async def count_failure(self, webhook_id: int, most: int) -> None:
        """Count a failed message, and disable the webhook after `most` consecutive ones; 0 means never."""

        def change(webhook: Webhook) -> Webhook:
            failures = webhook.failures + 1
            if not most or failures < most:
                return replace(webhook, failures=failures)
            because = f"{counted(failures, 'message')} in a row could not be delivered"
            return replace(webhook, failures=failures, enabled=False, disabled_because=because)

        await self._change(webhook_id, change, in_maintenance=True)

    async def clear_failures(self, webhook_id: int) -> None:
        """Reset the failures after a successful delivery."""
        await self._change(webhook_id, lambda webhook: replace(webhook, failures=0), in_maintenance=True)

    async def switch_off(self, webhook_id: int, because: str) -> None:
        """Disable a webhook, with a reason for administrators."""
        await self._change(
            webhook_id,
            lambda webhook: replace(webhook, enabled=False, disabled_because=because),
            in_maintenance=True,
        )

    async def test(self, webhook_id: int) -> Answer:
        """Send v4's test event at once, even to a disabled webhook, and return the result."""
        body = orjson.dumps({"event": TEST, "createdAt": format_timestamp(this_moment())})
        return await self.send(await self.get(webhook_id), Sent(new_id(), webhook_id, TEST, body.decode()))

    async def send(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message now, and log the result."""
        answer = await self._poster.post(webhook, sent)
        await run_unit(
            self._database,
            UnitOfWork,
            lambda unit: note(unit, self._dialect, sent, webhook.url, answer),
            grouped=False,
            in_maintenance=True,  # otherwise it would be sent again
        )
        return answer

    async def deliveries(self, webhook_id: int, most: int = 20) -> list[Delivery]:
        """Return the newest messages to a webhook, with their results."""
        await self.get(webhook_id)
        return await list_deliveries(self._database, webhook_id, most)

    async def delivery(self, message_id: str) -> Delivery:
        """Return the message with an id."""
        delivery = await find_delivery(self._database, message_id)
        if delivery is None:
            raise NotFoundError(f"No message has the ID {message_id}")
        return delivery

    async def redeliver(self, message_id: str) -> Delivery:
        """Send a logged message again, unchanged. The result is added to the log."""
        delivery = await self.delivery(message_id)
        again = Sent(delivery.message_id, delivery.webhook_id, delivery.event, delivery.body, asked=True)
        await self._run(lambda unit: self._outbox.add(unit, TOPIC, again.payload()))
        return delivery

    async def _change(
        self, webhook_id: int, change: Callable[[Webhook], Webhook], *, in_maintenance: bool = False
    ) -> Webhook:
        async def run(unit: UnitOfWork) -> Webhook:
            await unit.connection.lock("octavo: webhooks")
            before = _found(await rows.read_all(unit.connection), webhook_id)
            changed = change(before)
            if any(getattr(before, name) != getattr(changed, name) for name in _V4_FIELDS):
                await rows.update(unit.connection, self._dialect, changed)
            if changed != before:
                await rows.keep_options(unit.connection, self._dialect, changed)
            return changed

        return await self._run(run, in_maintenance=in_maintenance)

    async def _run(self, work: Callable[[UnitOfWork], Awaitable[ResultT]], *, in_maintenance: bool = False) -> ResultT:
        async def run(unit: UnitOfWork) -> ResultT:
            unit.after_commit(self.look)
            return await work(unit)

        return await run_unit(self._database, UnitOfWork, run, grouped=False, in_maintenance=in_maintenance)


def _found(webhooks: tuple[Webhook, ...], webhook_id: int) -> Webhook:
    for webhook in webhooks:
        if webhook.id == webhook_id:
            return webhook
    raise NotFoundError(f"No webhook has the ID {webhook_id}")
