"""Hooks of several types, which record their arguments for tests."""

from typing import Any

from octavo import ApplicationError

HEARD: list[Any] = []
TOLD: list[Any] = []


def register(app: Any) -> None:
    @app.on(["before_create", "before_update", "before_delete"], ["plugin::*", "admin::*"])
    def hear(event: Any) -> None:
        data = {name: event.params.data[name] for name in ("name", "username") if name in (event.params.data or {})}
        HEARD.append((event.action, event.uid, event.id, data))
        if data.get("name", "").startswith("refused"):
            raise ApplicationError("not this one")
        if event.uid == "plugin::upload.file" and event.action == "before_create":
            event.params.data["name"] = f"hooked {data['name']}"

    @app.on(["after_create", "after_update", "after_delete"], ["plugin::*", "admin::*"])
    def hear_after(event: Any) -> None:
        HEARD.append((event.action, event.uid, event.id, event.result["id"]))

    app.on(["before_find_many", "before_find_one"], "api::genre.genre", before_find)
    app.on("before_create", "api::genre.genre", lambda event: HEARD.append((event.source, event.actor.kind)))
    app.on("after_commit_create", "api::vault.vault", tell)
    app.on(["after_commit_update", "after_commit_delete"], "api::vault.vault", tell)


async def tell(event: Any) -> None:
    TOLD.append((event.action, event.id, event.result["code"], event.source, event.actor.kind, dict(event.state)))


def before_find(event: Any) -> None:
    if event.actor.kind == "anonymous":
        event.params.filters["rank"] = {"$lt": 50}
    event.params.populate = ["parent"]
