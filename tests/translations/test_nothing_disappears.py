"""Sequences of creates, translations and saves by every API: values disappear only if a request changes them."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any, Final

import pytest

from tests.api.http.asgi import Answer
from tests.translations.studio import ATTRIBUTES, LOCALES, PIECE, Studio

pytestmark = pytest.mark.anyio

STEPS: Final = 25
PIECES: Final = f"collection-types/{PIECE}"
SCALARS: Final = ("price", "views", "note", "extra")
VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "title": ("one", "two", "three"),
    "price": (1.5, 2.5, None),
    "views": (1, 2, 0),
    "note": ("a", "b", ""),
    "extra": ({"a": 1}, [1, 2], None),
    "seo": ({"text": "s", "image": 1}, {"text": "t", "links": [{"text": "k", "tag": 1}]}, None),
    "items": ([{"text": "x", "tag": 2}, {"text": "y"}], [{"text": "z"}], []),
    "zone": ([{"__component": "parts.quote", "text": "q"}, {"__component": "parts.link", "text": "l"}], []),
    "cover": (1, 2, None),
    "gallery": ([1, 2], [2], []),
    "own": ({"text": "o"}, {"text": "p"}, None),
    "tag": (1, 2, None),
    "tags": ([1, 2], [3], []),
}
_WRITE: Final = "data { id }"


class Editors:
    """Editors who write through random APIs."""

    def __init__(self, studio: Studio, chance: Random) -> None:
        self.studio = studio
        self.chance = chance

    def data(self) -> dict[str, Any]:
        """Return random values of some attributes."""
        names = [name for name in ATTRIBUTES if name in VALUES and self.chance.random() < 0.35]
        return {name: self.chance.choice(VALUES[name]) for name in names}

    async def create(self) -> tuple[int, dict[str, Any]]:
        data = {"title": "one", **self.data()}
        match self.chance.choice(("rest", "graphql", "manager")):
            case "rest":
                answer = await self.studio.rest("POST", "/pieces", {"data": data})
            case "graphql":
                answer = await self._mutate("createPiece", "$data: PieceInput!", "data: $data", data=_typed(data))
            case _:
                answer = await self.studio.manage("POST", PIECES, data)
        return _id(answer), data

    async def translate(self, entry_id: int, locale: str) -> tuple[int, dict[str, Any]]:
        data = {"title": "one", **self.data()}
        match self.chance.choice(("rest", "graphql", "manager", "linked")):
            case "rest":
                body = {**data, "locale": locale}
                answer = await self.studio.rest("POST", f"/pieces/{entry_id}/localizations", body)
            case "graphql":
                given, taken = "$id: ID!, $data: PieceInput!", f'id: $id, locale: "{locale}", data: $data'
                answer = await self._mutate("createPieceLocalization", given, taken, id=entry_id, data=_typed(data))
            case "manager":
                answer = await self.studio.manage("POST", f"{PIECES}?locale={locale}&relatedEntityId={entry_id}", data)
            case _:
                body = {**data, "locale": locale, "localizations": [entry_id]}
                answer = await self.studio.rest("POST", "/pieces", {"data": body})
        return _id(answer), data

    async def save(self, entry_id: int) -> dict[str, Any]:
        data = self.data()
        match self.chance.choice(("rest", "shown", "all", "graphql", "manager", "publish")):
            case "graphql":
                given, taken = "$id: ID!, $data: PieceInput!", "id: $id, data: $data"
                answer = await self._mutate("updatePiece", given, taken, id=entry_id, data=_typed(data))
            case "manager":
                answer = await self.studio.manage("PUT", f"{PIECES}/{entry_id}", data)
            case "publish":
                piece = (await self.studio.manage("GET", f"{PIECES}/{entry_id}")).json
                action = "publish" if piece["publishedAt"] is None else "unpublish"
                answer = await self.studio.manage("POST", f"{PIECES}/{entry_id}/actions/{action}")
                data = {}
            case way:
                query = {"rest": "", "shown": "?populate=localizations", "all": "?populate=*"}[way]
                answer = await self.studio.rest("PUT", f"/pieces/{entry_id}{query}", {"data": data})
        _id(answer)
        return data

    async def _mutate(self, field: str, given: str, taken: str, **variables: Any) -> Answer:
        document = f"mutation({given}) {{ {field}({taken}) {{ {_WRITE} }} }}"
        return await self.studio.graphql(document, **variables)


def _typed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data in the form that GraphQL accepts."""
    named = {"parts.quote": "ComponentPartsQuote", "parts.link": "ComponentPartsLink"}
    zone = [{**item, "__typename": named[item["__component"]]} for item in data.get("zone", ())]
    plain = [{name: value for name, value in item.items() if name != "__component"} for item in zone]
    return {**data, "zone": plain} if "zone" in data else dict(data)


def _id(answer: Answer) -> int:
    """Return the id of the written entry."""
    assert answer.status == 200, answer.body
    assert "errors" not in answer.json, answer.body
    found = answer.json
    while "id" not in found:
        found = found["data"] if "data" in found else next(iter(found.values()))
    return int(found["id"])


def check(
    before: Mapping[int, Mapping[str, Any]],
    after: Mapping[int, Mapping[str, Any]],
    written: int,
    data: Mapping[str, Any],
    given: Mapping[str, list[Any]],
) -> None:
    """Compare all pieces before and after a write. Values that it did not contain stay, except for shared scalars,
    which can become one of those that requests have `given` to another locale.
    """
    for entry_id, piece in before.items():
        family = entry_id == written or any(one == written for one in after[entry_id]["localizations"])
        for name in VALUES:
            now, was = after[entry_id][name], piece[name]
            place = (entry_id, name, was, now, written, data)
            if now == was or (entry_id == written and name in data):
                continue
            assert family, ("another family", *place)
            assert name not in ("title", "own", "tag", "tags"), ("a locale's own", *place)
            if name in SCALARS:
                assert now in given[name], place
                assert now is not None or name in data, place
            else:
                assert name in data, place


@pytest.mark.parametrize("seed", range(6))
async def test_values_disappear_only_if_a_request_changes_them(studio: Studio, seed: int) -> None:
    chance = Random(seed)
    editors = Editors(studio, chance)
    given: dict[str, list[Any]] = {name: [] for name in SCALARS}
    before = await studio.pieces()
    for _ in range(STEPS):
        missing = [
            (entry_id, locale)
            for entry_id, piece in before.items()
            for locale in LOCALES
            if locale not in {piece["locale"], *(before[one]["locale"] for one in piece["localizations"])}
        ]
        kind = chance.choice(("create", "translate", "save", "save", "save"))
        if not before or kind == "create":
            written, data = await editors.create()
        elif kind == "translate" and missing:
            written, data = await editors.translate(*chance.choice(missing))
        else:
            written = chance.choice(sorted(before))
            data = await editors.save(written)
        for name in SCALARS:
            given[name] += [data[name]] if name in data else []
        after = await studio.pieces()
        check(before, after, written, data, given)
        before = after
    assert len({json.dumps(piece["zone"]) for piece in before.values()}) > 1, "the sequence has written entries"
