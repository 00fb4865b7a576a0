"""Hooks on both databases: their input, their effects, their order, and rollbacks."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from octavo.content.input.body_check import WriteRules
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError, ValidationError
from octavo.database.change_feed import ChangeFeed
from octavo.events import origin
from octavo.events.event import AFTER_COMMIT, EVENTS, Event
from octavo.events.hooks import DEEPEST, HookFailed, Hooks
from octavo.project import InvalidCode
from octavo.schema.content_types import ContentType
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

TOOL, MAKER, PAGE = "api::tool.tool", "api::maker.maker", "api::page.page"
THEN = "2001-02-03T04:05:06.000Z"


class Hooked:
    """The workshop, and a writer with hooks that record events."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop
        self.heard: list[Any] = []
        self.hooks = Hooks(shop.registry.content_types, shop.registry.components)
        self.writer = EntryWriter(shop.database, shop.registry, feed=ChangeFeed(), hooks=self.hooks)

    def on(self, event: str, uid: str, function: Callable[[Event], Any]) -> None:
        self.hooks.add(event, uid, function)

    def hear(self, *uids: str) -> None:
        for event in (one for one in EVENTS if not one.startswith(AFTER_COMMIT)):
            for uid in uids:
                self.on(event, uid, lambda event: self.heard.append(event.action))

    def type(self, name: str) -> ContentType:
        return self.shop.type(name)

    async def create(self, type_name: str, /, **data: Any) -> int:
        return await self.writer.create(self.type(type_name), data)

    async def update(self, type_name: str, entry_id: int, /, **data: Any) -> bool:
        return await self.writer.update(self.type(type_name), entry_id, data)


@pytest.fixture
def hooked(shop: Workshop) -> Hooked:
    return Hooked(shop)


async def test_the_order_of_events(hooked: Hooked) -> None:
    hooked.hear(TOOL)
    tool = await hooked.create("tool", name="Saw", publishedAt=None)
    assert hooked.heard == ["before_create", "after_create"]
    hooked.heard.clear()
    await hooked.update("tool", tool, publishedAt=THEN)
    assert hooked.heard == ["before_update", "before_publish", "after_update", "after_publish"]
    hooked.heard.clear()
    await hooked.update("tool", tool, weight=3, publishedAt=THEN)
    await hooked.update("tool", tool, publishedAt=None)
    assert hooked.heard == [
        *("before_update", "after_update"),
        *("before_update", "before_unpublish", "after_update", "after_unpublish"),
    ]
    hooked.heard.clear()
    assert await hooked.writer.delete(hooked.type("tool"), tool)
    assert hooked.heard == ["before_delete", "after_delete"]


async def test_missing_entries_are_not_reported(hooked: Hooked) -> None:
    hooked.hear(TOOL)
    assert not await hooked.update("tool", 9, name="Saw")
    assert not await hooked.writer.delete(hooked.type("tool"), 9)
    assert not await hooked.writer.delete(hooked.type("tool"), -1)
    assert hooked.heard == []


async def test_hooks_see_cast_data_with_defaults(hooked: Hooked) -> None:
    seen: list[Event] = []
    hooked.on("before_create", TOOL, seen.append)
    hooked.on("before_create", PAGE, seen.append)
    await hooked.create("tool", name="Saw", weight="7", legs=[{"length": "3"}], nonsense=1)
    await hooked.shop.database.execute("INSERT INTO i18n_locale (name, code) VALUES ('English', 'en')")
    await hooked.create("page", title="One")
    tool, page = (event.params.data for event in seen)
    moment = tool.pop("createdAt")
    assert tool == {
        "name": "Saw",
        "weight": 7,
        "legs": [{"length": 3}],
        "kind": "hand",
        "sharp": True,
        "extra": {"a": [1]},
        "updatedAt": moment,
        "publishedAt": moment,
        "nonsense": 1,
    }
    assert (page["locale"], seen[1].params.locale) == ("en", "en")
    assert (seen[0].source, seen[0].actor.kind) == ("code", "system")


async def test_invalid_dates_are_reported_with_their_path_before_hooks(hooked: Hooked) -> None:
    hooked.hear(TOOL)
    tool = await hooked.create("tool", name="Saw")
    hooked.writer = EntryWriter(
        hooked.shop.database, hooked.shop.registry, hooks=hooked.hooks, rules=WriteRules(place_relations=True)
    )
    with pytest.raises(ValidationError) as refused:
        await hooked.update("tool", tool, publishedAt="soon")
    assert [problem["path"] for problem in (refused.value.details or {})["errors"]] == [["publishedAt"]]


async def test_before_hooks_change_the_written_data(hooked: Hooked) -> None:
    def change(event: Event) -> None:
        data = event.params.data
        data["name"] = data["name"].upper()
        data["legs"][0]["length"] += 1
        data |= {"createdAt": THEN, "publishedAt": None, "servicedAt": datetime(2020, 1, 2, tzinfo=UTC)}
        data["key"] = "plain words"

    hooked.on("before_create", TOOL, change)
    await hooked.create("tool", name="saw", legs=[{"length": 1}])
    shop = hooked.shop
    assert (await shop.rows("tools", "name", "published_at")) == [("SAW", None)]
    assert await shop.rows("components_part_legs", "length") == [(2,)]
    [(key,)] = await shop.rows("tools", "key")
    assert key.startswith("$2")
    image = await hooked.writer.run(lambda unit: unit.read_image(TOOL, 1))
    assert image is not None
    assert b'"createdAt":"2001-02-03T04:05:06.000Z"' in image
    assert b'"servicedAt":"2020-01-02T00:00:00.000Z"' in image


async def test_a_required_value_can_come_from_a_hook(hooked: Hooked) -> None:
    hooked.on("before_create", TOOL, lambda event: event.params.data.setdefault("name", "Saw"))
    await hooked.create("tool")
    assert await hooked.shop.rows("tools", "name") == [("Saw",)]


@pytest.mark.parametrize(
    "value, message", [("x", "name must be at least 2 characters"), (5, "name must be a `string` type")]
)
async def test_data_from_hooks_is_validated(hooked: Hooked, value: Any, message: str) -> None:
    hooked.on("before_create", TOOL, lambda event: event.params.data.update(name=value))
    with pytest.raises(ValidationError, match=message):
        await hooked.create("tool", name="Saw")
    assert await hooked.shop.count("tools") == 0


async def test_errors_that_hooks_cannot_fix_are_reported_before_them(hooked: Hooked) -> None:
    hooked.hear(TOOL)
    tool = await hooked.create("tool", name="Saw")
    hooked.heard.clear()
    with pytest.raises(ValidationError, match="2 errors occurred"):
        await hooked.create("tool", weight="heavy")
    with pytest.raises(ValidationError):
        await hooked.update("tool", tool, weight="heavy")
    with pytest.raises(ValidationError):
        await hooked.writer.create(hooked.type("tool"), [])  # type: ignore[arg-type]
    assert hooked.heard == []


@pytest.mark.parametrize(
    "change, message",
    [
        ({"nmae": "Saw"}, "unknown or read-only attribute 'nmae'; did you mean name?"),
        ({"id": 3}, "unknown or read-only attribute 'id'"),
        ({"locale": "en"}, "unknown or read-only attribute 'locale'"),
    ],
)
async def test_unknown_attributes_from_hooks_are_reported(hooked: Hooked, change: dict[str, Any], message: str) -> None:
    hooked.on("before_create", TOOL, lambda event: event.params.data.update(change))
    with pytest.raises(HookFailed, match=message):
        await hooked.create("tool", name="Saw")


async def test_before_and_after_hooks_share_state(hooked: Hooked) -> None:
    seen: list[Any] = []

    def before(event: Event) -> None:
        event.state.name = event.params.data["name"]

    async def after(event: Event) -> None:
        seen.append((event.id, event.state["name"], event.result["name"], event.result["extra"], event.result.uid))

    hooked.on("before_update", TOOL, before)
    hooked.on("after_update", TOOL, after)
    tool = await hooked.create("tool", name="Saw")
    await hooked.update("tool", tool, name="Axe")
    assert seen == [(tool, "Axe", "Axe", {"a": [1]}, TOOL)]


async def test_a_result_cannot_be_changed(hooked: Hooked) -> None:
    hooked.on("after_create", TOOL, lambda event: event.result.update(name="x"))
    with pytest.raises(HookFailed, match=r"event\.result is read-only after the write"):
        await hooked.create("tool", name="Saw")


async def test_delete_hooks_get_the_deleted_entry(hooked: Hooked) -> None:
    seen: list[Any] = []
    hooked.on("before_delete", TOOL, lambda event: seen.append((event.params.where, event.result)))
    hooked.on("after_delete", TOOL, lambda event: seen.append((event.id, event.result["name"])))
    tool = await hooked.create("tool", name="Saw")
    await hooked.writer.delete(hooked.type("tool"), tool)
    assert seen == [({"id": tool}, None), (tool, "Saw")]


@pytest.mark.parametrize("moment", ["before_create", "after_create"])
async def test_errors_of_hooks_roll_everything_back(hooked: Hooked, moment: str) -> None:
    def refuse(event: Event) -> None:
        raise ApplicationError("not this one", {"why": "because"})

    hooked.on(moment, TOOL, refuse)
    with pytest.raises(ApplicationError, match="not this one") as caught:
        await hooked.create("tool", name="Saw")
    assert caught.value.details == {"why": "because"}
    assert await hooked.shop.count("tools") == 0


async def test_other_errors_of_hooks_name_their_place(hooked: Hooked) -> None:
    def fail(event: Event) -> None:
        raise KeyError("title")

    hooked.on("before_create", TOOL, fail)
    with pytest.raises(HookFailed, match=r"before_create of api::tool\.tool: KeyError: 'title'"):
        await hooked.create("tool", name="Saw")


async def test_a_hanging_hook_is_stopped_and_everything_rolled_back(shop: Workshop) -> None:
    hooked = Hooked(shop)
    hooked.hooks = Hooks(shop.registry.content_types, seconds=0.05)
    hooked.writer = EntryWriter(shop.database, shop.registry, hooks=hooked.hooks)

    async def hang(event: Event) -> None:
        await asyncio.Event().wait()

    hooked.on("after_create", TOOL, hang)
    with pytest.raises(HookFailed, match=r"after_create of api::tool\.tool took more than 0\.05 s"):
        await hooked.create("tool", name="Saw")
    assert await shop.count("tools") == 0
    assert await shop.create("tool", name="Saw") >= 1  # the writer is free


async def test_endless_recursion_of_hooks_is_stopped(hooked: Hooked) -> None:
    async def again(event: Event) -> None:
        await hooked.writer.run(lambda unit: unit.update(hooked.type("maker"), 1, {"name": "x"}), grouped=False)

    hooked.on("before_update", MAKER, again)
    hooked.on("before_create", TOOL, again)
    with pytest.raises(HookFailed, match=f"more than {DEEPEST} levels deep: .*again"):
        await hooked.create("tool", name="Saw")


async def test_the_source_is_the_api_of_the_request(hooked: Hooked) -> None:
    seen: list[Any] = []
    hooked.on("before_create", MAKER, lambda event: seen.append(event.source))
    work = origin.WORK.set(origin.Origin("rest"))
    await hooked.create("maker", name="x")
    with origin.coming_from("admin"):
        await hooked.create("maker", name="x")
    origin.WORK.reset(work)
    await hooked.create("maker", name="x")
    assert seen == ["rest", "admin", "code"]


async def test_only_types_with_hooks_have_their_own_transactions(hooked: Hooked) -> None:
    grouped: list[bool] = []
    hooked.on("before_create", TOOL, lambda event: None)

    async def work(unit: Any, name: str) -> None:
        await unit.create(hooked.type(name), {"name": "Saw"})
        grouped.append(unit.is_grouped)

    await hooked.writer.run(lambda unit: work(unit, "maker"))
    await hooked.writer.run(lambda unit: work(unit, "tool"))
    assert grouped == [True, False]


async def test_types_without_hooks_need_no_additional_statement(hooked: Hooked) -> None:
    maker, database = hooked.type("maker"), hooked.shop.database

    async def counted(writer: EntryWriter) -> int:
        before = database.statements
        entry_id = await writer.create(maker, {"name": "x"})
        await writer.update(maker, entry_id, {"name": "y"})
        await writer.delete(maker, entry_id)
        return database.statements - before

    plain = await counted(hooked.shop.writer)
    hooked.hear(TOOL)
    assert await counted(hooked.writer) == plain


async def test_bulk_writes_call_the_hooks_of_each_entry(hooked: Hooked) -> None:
    hooked.on("before_create", MAKER, lambda event: event.params.data.update(name=event.params.data["name"] + "!"))
    hooked.on("after_delete", MAKER, lambda event: hooked.heard.append(event.result["name"]))
    maker = hooked.type("maker")
    ids = await hooked.writer.run(lambda unit: unit.create_many(maker, [{"name": "a"}, {"name": "b"}]))
    await hooked.writer.run(lambda unit: unit.delete_many(maker, ids))
    assert hooked.heard == ["a!", "b!"]


async def test_bulk_hooks_replace_those_of_single_entries(hooked: Hooked) -> None:
    def change(event: Event) -> None:
        hooked.heard.append(event.action)
        for item in event.params.data if isinstance(event.params.data, list) else [event.params.data]:
            item["name"] += "!"

    for action in ("create", "update", "delete"):
        hooked.on(f"after_{action}", MAKER, lambda event: hooked.heard.append(event.action))
        hooked.on(f"after_{action}_many", MAKER, lambda event: hooked.heard.append((event.action, event.result)))
    hooked.on("before_create_many", MAKER, change)
    hooked.on("before_update_many", MAKER, change)
    hooked.on("before_delete", MAKER, lambda event: hooked.heard.append((event.action, event.id)))
    maker, run = hooked.type("maker"), hooked.writer.run
    ids = await run(lambda unit: unit.create_many(maker, [{"name": "a"}, {"name": "b"}]))
    await run(lambda unit: unit.update_many(maker, ids, {"name": "c"}))
    assert await hooked.shop.rows("makers", "name", where=f"id IN ({ids[0]}, {ids[1]})") == [("c!",), ("c!",)]
    await run(lambda unit: unit.delete_many(maker, ids))
    await hooked.writer.delete(maker, 1)
    assert hooked.heard == [
        "before_create_many",
        ("after_create_many", {"count": 2, "ids": ids}),
        "before_update_many",
        ("after_update_many", {"count": 2}),
        ("before_delete", ids[0]),
        ("before_delete", ids[1]),
        ("after_delete_many", {"count": 2}),
        ("before_delete", 1),
        "after_delete",
    ]


@pytest.mark.parametrize(
    "event, uids, message",
    [
        ("before_creat", TOOL, "unknown event 'before_creat'; did you mean before_create"),
        ("before_create", "api::tol.tool", "unknown content type api::tol.tool; did you mean api::tool.tool"),
        ("before_create", "part.leg", "part.leg is a component: add the hook to the content types that contain it"),
        ("before_create", ["plugin::nothing.*"], "unknown content type plugin::nothing"),
    ],
)
def test_invalid_hooks(hooked: Hooked, event: str, uids: str, message: str) -> None:
    with pytest.raises(InvalidCode, match=message):
        hooked.on(event, uids, lambda event: None)


async def test_wildcards_match_several_types(hooked: Hooked) -> None:
    hooked.on("after_create", "api::*", lambda event: hooked.heard.append(event.uid))
    await hooked.create("maker", name="x")
    await hooked.create("tool", name="Saw")
    assert hooked.heard == [MAKER, TOOL]


def test_hooks_cannot_be_added_after_the_start(hooked: Hooked) -> None:
    hooked.hooks.close()
    with pytest.raises(InvalidCode, match="only be added in register"):
        hooked.on("after_create", TOOL, lambda event: None)
