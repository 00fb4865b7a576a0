"""Hooks of vaults. The vault's code selects the action."""

import asyncio
from typing import Any

from octavo import ApplicationError, ValidationError

from .....index import HEARD  # noqa: TID252

GENRE = "api::genre.genre"


async def before_create(event: Any) -> None:
    code = event.params.data["code"]
    event.state.code = code
    match code:
        case "origin":
            HEARD.append((event.source, event.actor.kind))
        case "refuse":
            raise ValidationError("no vaults today", {"why": "closed"})
        case "fail":
            await event.app.entries(GENRE).create({"name": "undone"})
            raise LookupError("secret words")
        case "hang":
            await asyncio.Event().wait()
        case "again":
            await event.app.entries("api::vault.vault").create({"code": "again"})
        case "catch":
            try:
                await event.app.entries("api::vault.vault").create({"code": "refuse"})
            except ValidationError as error:
                event.params.data["code"] = f"caught {error.message}"
        case "aside":
            event.params.data["code"] = f"aside {event.params.data.get('note')}"
            event.params.data["createdAt"] = event.params.data["made"]
        case "upper":
            event.params.data["code"] = "UPPER"


async def after_create(event: Any) -> None:
    if event.state.code == "genre":
        made = await event.app.entries(GENRE).create({"name": f"of vault {event.id}"})
        assert await event.app.entries("api::vault.vault").find_one(event.id) is not None
        HEARD.append(made["name"])
    if event.result["code"] == "late":
        raise ApplicationError("too late")


def before_delete(event: Any) -> None:
    HEARD.append(("before_delete", event.params.where))
