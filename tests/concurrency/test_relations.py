"""Ten concurrent links of relations and files, over all APIs: both sides agree."""

from functools import partial
from typing import Any

import pytest

from tests.concurrency.service import TEN, Service
from tests.models.pictures import picture

OWNERS, THINGS = (f"/content-manager/collection-types/api::{name}.{name}" for name in ("owner", "thing"))


def _over_content_manager(service: Service, owner: int, name: str, thing: int, number: int) -> tuple[int, Any]:
    body = {name: {"connect": [{"id": thing}], "disconnect": []}}
    return service.ask("PUT", f"{OWNERS}/{owner}", body, port=number)


def _over_rest(service: Service, owner: int, name: str, thing: int, number: int) -> tuple[int, Any]:
    return service.ask(
        "PUT", f"/api/owners/{owner}", {"data": {name: {"connect": [thing]}}}, token=service.full, port=number
    )


def _over_graphql(service: Service, owner: int, name: str, thing: int, number: int) -> tuple[int, Any]:
    value = str(thing) if name == "best" else f"[{thing}]"
    text = f"mutation {{ updateOwner(id: {owner}, data: {{{name}: {value}}}) {{ data {{ id }} }} }}"
    status, answer = service.ask("POST", "/graphql", {"query": text}, token=service.full, port=number)
    assert "errors" not in answer, answer
    return status, answer


def _linked(service: Service, uid: str, entry: int, name: str) -> list[int]:
    """Return the linked ids of a relation."""
    answer = service.make("GET", f"/content-manager/relations/api::{uid}.{uid}/{entry}/{name}?pageSize=100")
    if "data" in answer:
        return [answer["data"]["id"]] if answer["data"] else []
    return [one["id"] for one in answer["results"]]


WAYS = {"content manager": _over_content_manager, "REST": _over_rest, "GraphQL": _over_graphql}


def _link(service: Service, ways: list[str], owners: list[int], name: str, thing: int, number: int) -> tuple[int, Any]:
    return WAYS[ways[number]](service, owners[number], name, thing, number)


@pytest.mark.parametrize(
    "ways", [*([one] * TEN for one in WAYS), [*WAYS] * 4], ids=lambda ways: "+".join(sorted({*ways}))
)
@pytest.mark.parametrize("name, inverse", [("best", "bestOf"), ("things", "owner"), ("liked", "likedBy")])
def test_ten_owners_link_one_thing(service: Service, ways: list[str], name: str, inverse: str) -> None:
    owners = [service.make("POST", OWNERS, {"name": f"O{number}"})["id"] for number in range(TEN)]
    things = [service.make("POST", THINGS, {"name": f"T{number}"})["id"] for number in range(2)]
    for thing in things:
        link = partial(_link, service, ways, owners, name, thing)
        answers = service.ten(link)
        assert {status for status, _ in answers} == {200}, answers
        holders = [owner for owner in owners if thing in _linked(service, "owner", owner, name)]
        back = _linked(service, "thing", thing, inverse)
        assert sorted(back) == sorted(holders), "both sides tell the same"
        assert len(holders) == (TEN if name == "liked" else 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name, inverse", [("things", "owner"), ("liked", "likedBy")])
def test_one_owner_links_ten_things(service: Service, way: str, name: str, inverse: str) -> None:
    owner = service.make("POST", OWNERS, {"name": "O"})["id"]
    things = [service.make("POST", THINGS, {"name": f"T{number}"})["id"] for number in range(TEN)]
    answers = service.ten(lambda number: WAYS[way](service, owner, name, things[number], number))
    assert {status for status, _ in answers} == {200}, answers
    found = _linked(service, "owner", owner, name)
    assert len(found) == len(set(found)), "no link twice"
    if way != "GraphQL":  # which replaces the whole list
        assert sorted(found) == things
    assert [one for one in things if _linked(service, "thing", one, inverse) == [owner]] == sorted(found)


def test_files_of_an_entry_are_those_of_one_request(service: Service) -> None:
    files = [service.make("POST", "/upload", form=("a.png", picture("PNG", 9, 9)))[0]["id"] for _ in range(TEN)]
    owner = service.make("POST", OWNERS, {"name": "O"})["id"]

    def ask(number: int) -> tuple[int, Any]:
        one, two = files[number], files[(number + 1) % TEN]
        if number % 3 == 0:
            return service.ask("PUT", f"{OWNERS}/{owner}", {"picture": one, "pictures": [one, two]}, port=number)
        if number % 3 == 1:
            data = {"picture": one, "pictures": [one, two]}
            return service.ask("PUT", f"/api/owners/{owner}", {"data": data}, token=service.full, port=number)
        data_text = f"{{picture: {one}, pictures: [{one}, {two}]}}"
        text = f"mutation {{ updateOwner(id: {owner}, data: {data_text}) {{ data {{ id }} }} }}"
        return service.ask("POST", "/graphql", {"query": text}, token=service.full, port=number)

    answers = service.ten(ask)
    assert {status for status, _ in answers} == {200}, answers
    assert not [answer for _, answer in answers if "errors" in answer]
    shown = service.make("GET", f"{OWNERS}/{owner}")
    [first, second] = [one["id"] for one in shown["pictures"]]
    assert shown["picture"]["id"] == first
    assert second == files[(files.index(first) + 1) % TEN]
    removed = service.ten(lambda number: service.ask("DELETE", f"/upload/files/{files[number]}", port=number))
    assert {status for status, _ in removed} == {200}
    shown = service.make("GET", f"{OWNERS}/{owner}")
    assert (shown["picture"], shown["pictures"] or []) == (None, [])


def test_an_entry_that_is_deleted_during_updates(service: Service) -> None:
    """Nothing of it remains: its components can be created again, although their codes are unique."""
    path = "/content-manager/collection-types/api::part.part"
    for _ in range(3):
        entry = service.make("POST", path, {"parts": []})["id"]
        codes = [service.new() for _ in range(TEN)]

        def ask(number: int, entry: int = entry, codes: list[str] = codes) -> tuple[int, Any]:
            if number == 5:
                return service.ask("DELETE", f"{path}/{entry}", port=number)
            return service.ask("PUT", f"{path}/{entry}", {"parts": [{"code": codes[number]}]}, port=number)

        answers = service.ten(ask)
        assert {status for status, _ in answers} <= {200, 404}, answers
        assert answers[5][0] == 200
        service.make("POST", path, {"parts": [{"code": code} for code in codes]})
