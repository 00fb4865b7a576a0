"""Limits on the cost of operations, from the settings."""

import pytest

from octavo.settings.files.plugins import GraphqlLimits
from tests.api.graphql.asking import ask, messages, send, served
from tests.models.site import Site

pytestmark = pytest.mark.anyio

BOOK = '{ book(id: "1") { data { id } } }'
ANSWERED = {"data": {"book": {"data": {"id": "1"}}}}


async def test_batches_have_the_length_of_the_setting(bookshop: Site) -> None:
    async with served(bookshop, limits=GraphqlLimits(batch=2)) as site:
        assert (await send(site, [{"query": BOOK}] * 2)).json == [ANSWERED] * 2
        assert (await send(site, [{"query": BOOK}] * 3)).body == b"A batch can have at most 2 operations."


@pytest.mark.parametrize(
    "limits, text, message",
    [
        (GraphqlLimits(aliases=1), "{ a: __typename b: __typename }", "The document has more than 1 aliases"),
    ],
)
async def test_limits_come_from_the_settings(bookshop: Site, limits: GraphqlLimits, text: str, message: str) -> None:
    async with served(bookshop, limits=limits) as site:
        answer = await send(site, {"query": text})
        assert (answer.status, messages(answer.json)) == (400, [message])


LISTS = """query ($n: Int) { authors(pagination: { limit: $n }) { data { attributes { books(pagination: { limit: $n }) {
  data { attributes { slug } } } } } } }"""


async def test_nested_lists_count_toward_the_cost_of_a_response(warm: Site) -> None:
    """n authors have `attributes` and `books` each; each of their n books has `attributes` and `slug`."""
    async with served(warm, limits=GraphqlLimits(values=10 * (2 + 10 * 2))) as site:
        assert len((await ask(site, LISTS, n=10))["data"]["authors"]["data"]) == 7
        before = site.database.statements
        refused = await ask(site, LISTS, n=11)
        assert refused["data"] == {"authors": None}
        assert messages(refused) == ["The response could have more than 220 values; request fewer entries or fields"]
        assert site.database.statements == before, "refused before anything is read"


async def test_all_root_fields_count_together(bookshop: Site) -> None:
    async with served(bookshop, limits=GraphqlLimits(values=25)) as site:
        answer = await ask(site, "{ a: books { data { id } } b: books { data { id } } c: books { data { id } } }")
        assert sorted(map(bool, answer["data"].values())) == [False, True, True]


@pytest.mark.parametrize("config", [{"max_limit": 3}, {"amount_limit": 3}, {"amount_limit": 3, "max_limit": 5}])
async def test_both_settings_limit_lists(bookshop: Site, config: dict[str, int]) -> None:
    genres = "genres(pagination: { limit: -1 }) { data { id } }"
    text = f"{{ books(pagination: {{ limit: 50 }}) {{ data {{ attributes {{ {genres} }} }} }} }}"
    async with served(bookshop, "production", **config) as site:
        found = (await ask(site, text))["data"]["books"]["data"]
        assert len(found) == 3
        assert max(len(entry["attributes"]["genres"]["data"]) for entry in found) <= 3
