"""Two-way relations without `mappedBy`: both sides use the same table as in v4, on each database.

Recorded on Strapi 4.26.2, with the same definitions: a write from each side, and a read from each side after each.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.projects import database_variables
from tests.layouts import write_project
from tests.models.club import FULL, NEVER, Club, open_club

pytestmark = pytest.mark.anyio


def relation(kind: str, target: str, inverse: str | None) -> dict[str, Any]:
    found = {"type": "relation", "relation": kind, "target": f"api::{target}"}
    return found if inverse is None else {**found, "inversedBy": inverse}


def types(*definitions: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return content types without drafts, by `api.name`."""
    return {
        f"api/{api}/content-types/{name}/schema.json": {
            "collectionName": f"{name}s".replace("-", "_"),
            "info": {"singularName": name, "pluralName": f"{name}s"},
            "options": {"draftAndPublish": False},
            "attributes": attributes,
        }
        for (api, _, name), attributes in ((uid.partition("."), given) for uid, given in definitions)
    }


DEFINITIONS = types(
    # by the folder of the API, not by the name of the type
    ("pa-a.pa-zeta", {"xs": relation("manyToMany", "pa-b.pa-eta", "ys")}),
    ("pa-b.pa-eta", {"ys": relation("manyToMany", "pa-a.pa-zeta", "xs")}),
    # by the name of the type in an API
    ("pc.pc-zz", {"xs": relation("manyToMany", "pc.pc-aa", "ys")}),
    ("pc.pc-aa", {"ys": relation("manyToMany", "pc.pc-zz", "xs")}),
    # by the order of attributes
    (
        "pe.pe-knot",
        {"zz": relation("manyToMany", "pe.pe-knot", "aa"), "aa": relation("manyToMany", "pe.pe-knot", "zz")},
    ),
    ("pf-a.pf-a", {"x": relation("oneToOne", "pf-b.pf-b", "y")}),
    ("pf-b.pf-b", {"y": relation("oneToOne", "pf-a.pf-a", "x")}),
    # one side with inversedBy: only if it is the last one
    ("ph-a.ph-a", {"xs": relation("manyToMany", "ph-b.ph-b", "ys")}),
    ("ph-b.ph-b", {"ys": relation("manyToMany", "ph-a.ph-a", None)}),
    ("pi-a.pi-a", {"ys": relation("manyToMany", "pi-b.pi-b", None)}),
    ("pi-b.pi-b", {"xs": relation("manyToMany", "pi-a.pi-a", "ys")}),
    ("qd-a.qd-a", {"xs": relation("oneToMany", "qd-b.qd-b", None)}),
    ("qd-b.qd-b", {"y": relation("manyToOne", "qd-a.qd-a", "xs")}),
    ("qe-b.qe-b", {"xs": relation("oneToMany", "qe-a.qe-a", None)}),
    ("qe-a.qe-a", {"y": relation("manyToOne", "qe-b.qe-b", "xs")}),
)


@pytest.fixture(params=["sqlite", "postgresql"])
async def club(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path) -> AsyncIterator[Club]:
    database = {} if request.param == "sqlite" else database_variables(request.getfixturevalue("postgresql_url"))
    write_project(DEFINITIONS, tmp_path)
    async with open_club(tmp_path, {**NEVER, **database}) as opened:
        yield opened


async def ask(club: Club, method: str, path: str, data: Any = None) -> Any:
    answer = await club.ask(method, f"/api/{path}", None if data is None else {"data": data}, FULL)
    assert answer.status == 200, answer.body
    return answer.json["data"]


async def linked(club: Club, path: str, name: str) -> Any:
    """Return the ids of an entry's related entries."""
    found = (await ask(club, "GET", f"{path}?populate=*"))["attributes"][name]["data"]
    return [one["id"] for one in found] if isinstance(found, list) else found and found["id"]


CASES = [
    # owner's type, relation; other type, relation; the table of both, or of each
    ("pa-zeta", "xs", "pa-eta", "ys", ["pa_etas_ys_links"]),
    ("pc-zz", "xs", "pc-aa", "ys", ["pc_zzs_xs_links"]),
    ("pe-knot", "zz", "pe-knot", "aa", ["pe_knots_aa_links"]),
    ("ph-a", "xs", "ph-b", "ys", ["ph_as_xs_links", "ph_bs_ys_links"]),
    ("pi-b", "xs", "pi-a", "ys", ["pi_bs_xs_links"]),
]


@pytest.mark.parametrize("kind, name, other_kind, other_name, tables", CASES, ids=[case[0] for case in CASES])
async def test_lists(club: Club, kind: str, name: str, other_kind: str, other_name: str, tables: list[str]) -> None:
    one, one2, two, three = [
        (await ask(club, "POST", f"{each}s", {}))["id"] for each in (kind, kind, other_kind, other_kind)
    ]
    is_shared = len(tables) == 1
    await ask(club, "PUT", f"{kind}s/{one}", {name: [two, three]})
    assert await linked(club, f"{kind}s/{one}", name) == [two, three]
    assert await linked(club, f"{other_kind}s/{two}", other_name) == ([one] if is_shared else [])
    await ask(club, "PUT", f"{other_kind}s/{two}", {other_name: [one2, one]})
    assert await linked(club, f"{other_kind}s/{two}", other_name) == [one2, one]
    assert await linked(club, f"{kind}s/{one}", name) == [two, three]
    assert await linked(club, f"{kind}s/{one2}", name) == ([two] if is_shared else [])
    counts = [await club.database.fetch_value(f"SELECT count(*) FROM {table}") for table in tables]
    assert counts == ([3] if is_shared else [2, 2])


async def test_one_to_one(club: Club) -> None:
    for kind in ("pf-as", "pf-bs"):
        for _ in range(3):
            await ask(club, "POST", kind, {})
    await ask(club, "PUT", "pf-as/2", {"x": 1})
    assert (await linked(club, "pf-as/2", "x"), await linked(club, "pf-bs/1", "y")) == (1, 2)
    await ask(club, "PUT", "pf-bs/1", {"y": 3})
    assert [await linked(club, f"pf-as/{one}", "x") for one in (2, 3)] == [None, 1]
    rows = await club.database.fetch_all("SELECT pf_b_id, pf_a_id FROM pf_bs_y_links")
    assert [tuple(row) for row in rows] == [(1, 3)]
    assert await club.database.fetch_value("SELECT count(*) FROM pf_as_x_links") == 0


async def test_one_to_many(club: Club) -> None:
    for kind in ("qd-as", "qd-bs", "qe-as", "qe-bs"):
        for _ in range(2):
            await ask(club, "POST", kind, {})
    await ask(club, "PUT", "qd-as/1", {"xs": [1, 2]})
    assert [await linked(club, f"qd-bs/{one}", "y") for one in (1, 2)] == [1, 1]
    await ask(club, "PUT", "qd-bs/2", {"y": 2})
    assert [await linked(club, f"qd-as/{one}", "xs") for one in (1, 2)] == [[1], [2]]
    assert await club.database.fetch_value("SELECT count(*) FROM qd_bs_y_links") == 2
    await ask(club, "PUT", "qe-bs/1", {"xs": [1, 2]})
    assert await linked(club, "qe-as/1", "y") is None
    assert await club.database.fetch_value("SELECT count(*) FROM qe_bs_xs_links") == 2
