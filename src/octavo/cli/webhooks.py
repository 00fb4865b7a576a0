"""`octavo webhooks`: URLs that are notified when content changes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from octavo.cli.base import (
    Group,
    json_option,
    project_option,
    read_settings,
    refuse,
    say,
    say_json,
    say_table,
    warn,
    with_database,
)
from octavo.core.clock import format_timestamp
from octavo.core.errors import ValidationError
from octavo.database.connection import Database
from octavo.events.outbox import Outbox
from octavo.events.webhooks.delivery_log import Delivery
from octavo.events.webhooks.store import Webhooks
from octavo.events.webhooks.webhook import EVENTS, V4_EVENTS, Webhook
from octavo.operations.runtime.open_resources import open_poster, open_webhooks
from octavo.operations.runtime.options import own_tables
from octavo.settings.values import DURATION

ResultT = TypeVar("ResultT")

_MOST_SHOWN = 60
_OFF = "off: {}"


@click.group(cls=Group)
def webhooks() -> None:
    """Create, list, change, delete and test webhooks."""


def _run(project: Path, work: Callable[[Webhooks], Awaitable[ResultT]]) -> ResultT:
    settings = read_settings(project)

    async def run(database: Database) -> ResultT:
        return await work(open_webhooks(settings, database, Outbox(database)))

    try:
        return with_database(settings, run, own_tables(settings))
    except ValidationError as error:
        listed = [f"{'.'.join(one['path'])}: {one['message']}" for one in (error.details or {}).get("errors", ())]
        refuse("\n".join(listed) or error.message)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that describe a webhook."""
    for option in reversed(
        (
            click.option("--url", help="URL with http:// or https://."),
            click.option("--event", "events", multiple=True, type=click.Choice(EVENTS), help="Can be repeated."),
            click.option("--header", "headers", multiple=True, help="Header, such as 'X-Key: x'; can be repeated."),
            click.option("--type", "types", multiple=True, help="Content type or pattern (api::*); can be repeated."),
            click.option("--locale", "locales", multiple=True, help="Only entries of this locale; can be repeated."),
            click.option("--populate", multiple=True, help="Relation or field to include, or *; can be repeated."),
        )
    ):
        command = option(command)
    return command


def _given(
    url: str | None,
    events: tuple[str, ...],
    headers: tuple[str, ...],
    types: tuple[str, ...],
    locales: tuple[str, ...],
    populate: tuple[str, ...],
) -> dict[str, Any]:
    """Return the given options by the webhook's field names."""
    given: dict[str, Any] = {"url": url, "events": events, "types": types, "locales": locales}
    given["headers"] = dict(map(_header, headers))
    given["populate"] = "*" if populate == ("*",) else list(populate)
    return {name: value for name, value in given.items() if value}


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        refuse(f"expected a header as NAME: VALUE, not {text!r}")
    return name.strip(), value.strip()


@webhooks.command(
    epilog="Example: octavo webhooks create build --url https://example.org/hook --event entry.publish --type 'api::*'"
)
@click.argument("name")
@_options
@click.option("--unsigned", is_flag=True, help="Create no secret and do not sign messages.")
@project_option
@json_option
def create(name: str, unsigned: bool, project: Path, as_json: bool, **said: Any) -> None:
    """Create a webhook and show its secret.

    It receives all events unless --event is given.
    """
    given = {"name": name, "events": V4_EVENTS, **_given(**said)} | ({"secret": None} if unsigned else {})
    if "url" not in given:
        raise click.UsageError("Missing option '--url'.")
    made = _run(project, lambda found: found.create(**given))
    _warn_of(made.url, project)
    _show(made, as_json, with_secret=True)


@webhooks.command(name="list", epilog="Example: octavo webhooks list --json")
@project_option
@json_option
def list_all(project: Path, as_json: bool) -> None:
    """Show the webhooks."""
    found = _run(project, lambda found: found.all())
    if as_json:
        say_json([_plain(one, with_secret=False) for one in found])
        return
    rows = ((one.id, one.name, one.url, "\n".join(one.events), _state(one)) for one in found)
    say_table(("id", "name", "url", "events", "state"), rows, "No webhooks.")


@webhooks.command(epilog="Example: octavo webhooks show 1 --secret")
@click.argument("webhook_id", type=int, metavar="ID")
@click.option("--secret", is_flag=True, help="Also show the secret.")
@project_option
@json_option
def show(webhook_id: int, secret: bool, project: Path, as_json: bool) -> None:
    """Show a webhook."""
    _show(_run(project, lambda found: found.get(webhook_id)), as_json, with_secret=secret)


@webhooks.command(epilog="Example: octavo webhooks update 1 --event entry.publish --event entry.unpublish")
@click.argument("webhook_id", type=int, metavar="ID")
@click.option("--name", help="New name.")
@_options
@click.option("--new-secret", "renew", is_flag=True, help="Replace the secret and show the new one.")
@click.option("--both-for", "overlap", help="With --new-secret: how long to sign with the old one, too, such as 24h.")
@click.option("--clear", multiple=True, type=click.Choice(["headers", "types", "locales", "populate", "secret"]))
@project_option
@json_option
def update(
    webhook_id: int,
    name: str | None,
    renew: bool,
    overlap: str | None,
    clear: tuple[str, ...],
    project: Path,
    as_json: bool,
    **said: Any,
) -> None:
    """Change some settings of a webhook."""
    nothing: dict[str, Any] = {"headers": {}, "types": (), "locales": (), "populate": None, "secret": None}
    given = _given(**said) | {cleared: nothing[cleared] for cleared in clear} | ({"name": name} if name else {})
    seconds = _seconds(overlap)
    changed = _run(project, lambda found: found.update(webhook_id, **given))
    if renew:
        changed = _run(project, lambda found: found.renew_secret(webhook_id, seconds))
    if said["url"]:
        _warn_of(changed.url, project)
    _show(changed, as_json, with_secret=renew)


def _seconds(overlap: str | None) -> int:
    try:
        return int(DURATION.from_text(overlap)) if overlap else 0
    except ValueError:
        refuse(f"--both-for requires {DURATION.expected}")


def _warn_of(url: str, project: Path) -> None:
    """Warn if Octavo refuses to send to a URL."""
    refusal = asyncio.run(open_poster(read_settings(project)).refusal(url))
    if refusal is not None:
        warn(refusal)


@webhooks.command(epilog="Example: octavo webhooks delete 1")
@click.argument("webhook_id", type=int, metavar="ID")
@project_option
def delete(webhook_id: int, project: Path) -> None:
    """Delete a webhook and its delivery log."""
    say("Deleted the webhook [bold]{}[/].", _run(project, lambda found: found.delete(webhook_id)).name)


@webhooks.command(epilog="Example: octavo webhooks enable 1")
@click.argument("webhook_id", type=int, metavar="ID")
@project_option
def enable(webhook_id: int, project: Path) -> None:
    """Enable a webhook."""
    changed = _run(project, lambda found: found.update(webhook_id, enabled=True))
    say("Enabled the webhook [bold]{}[/].", changed.name)


@webhooks.command(epilog="Example: octavo webhooks disable 1")
@click.argument("webhook_id", type=int, metavar="ID")
@project_option
def disable(webhook_id: int, project: Path) -> None:
    """Disable a webhook.

    It receives no more messages, including those that are queued.
    """
    changed = _run(project, lambda found: found.update(webhook_id, enabled=False))
    say("Disabled the webhook [bold]{}[/].", changed.name)


@webhooks.command(epilog="Example: octavo webhooks test 1")
@click.argument("webhook_id", type=int, metavar="ID")
@project_option
@json_option
def test(webhook_id: int, project: Path, as_json: bool) -> None:
    """Send a test message from this machine immediately."""
    answer = _run(project, lambda found: found.test(webhook_id))
    if as_json:
        say_json(asdict(answer))
    elif answer.error is None:
        say("Received {} in {} ms.", answer.status, answer.milliseconds)
    if answer.error is not None:
        refuse(answer.error)


@webhooks.command(epilog="Example: octavo webhooks deliveries 1 --limit 5 --json")
@click.argument("webhook_id", type=int, metavar="ID")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number.")
@project_option
@json_option
def deliveries(webhook_id: int, limit: int, project: Path, as_json: bool) -> None:
    """Show the latest deliveries of a webhook and their results.

    Use --json to include request and response bodies.
    """
    found = _run(project, lambda found: found.deliveries(webhook_id, limit))
    if as_json:
        say_json([asdict(one) for one in found])
        return
    rows = ((one.message_id, one.event, format_timestamp(one.sent_at), one.attempts, _came(one)) for one in found)
    say_table(("message", "event", "sent", "attempts", "came of it"), rows, "No deliveries yet.")


@webhooks.command(epilog="Example: octavo webhooks redeliver msg_2f1c0a")
@click.argument("message_id", metavar="MESSAGE")
@project_option
def redeliver(message_id: str, project: Path) -> None:
    """Queue a message of the delivery log again, unchanged."""
    found = _run(project, lambda found: found.redeliver(message_id))
    say("Redelivering {} to {}.", found.event, found.url)


def _came(one: Delivery) -> str:
    return f"{one.status}, {one.milliseconds} ms" if one.delivered else (one.error or "")[:_MOST_SHOWN]


def _state(webhook: Webhook) -> str:
    if webhook.enabled:
        return "on"
    return "off" if webhook.disabled_because is None else _OFF.format(webhook.disabled_because)


def _plain(webhook: Webhook, *, with_secret: bool) -> dict[str, Any]:
    plain = asdict(webhook)
    secret, _ = plain.pop("secret"), plain.pop("former")
    return plain | ({"secret": secret} if with_secret else {"signed": secret is not None})


def _show(webhook: Webhook, as_json: bool, *, with_secret: bool) -> None:
    plain = _plain(webhook, with_secret=with_secret)
    if as_json:
        say_json(plain)
        return
    for name, value in plain.items():
        text = ", ".join(value) if isinstance(value, list | tuple) else value
        say("[bold]{}[/] {}", f"{name}:", "" if text is None else text)


async def active_webhooks(database: Database) -> list[str]:
    """Return the active webhooks of a database, each with its id, name and URL."""
    rows = await database.fetch_all("SELECT id, name, url, enabled FROM strapi_webhooks ORDER BY id")
    return [f"{number} {name} ({url})" for number, name, url, enabled in rows if enabled]


def print_active_webhooks(active: list[str]) -> None:
    """Print which webhooks are active, and how to disable them before the service starts."""
    if active:
        say("[yellow]Active webhooks[/]: a service on this database sends its changes to")
        for webhook in active:
            say("  {}", webhook)
        say("Disable them with `octavo webhooks disable ID`, before you start it, if this is not the live site.")
