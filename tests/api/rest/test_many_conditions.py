"""Many conditions on related entries in one filter: PostgreSQL's planner joins a limited number of them."""

import pytest

from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def ids(site: Site, query: str) -> list[int]:
    answer = await site.get(f"/api/books?fields[0]=id&pagination[limit]=100&{query}", FULL_TOKEN)
    assert answer.status == 200, answer.body
    return [entry["id"] for entry in answer.json["data"]]


@pytest.mark.parametrize("count", [16, 17, 90])
async def test_many_conditions_match_the_same_as_one(bookshop: Site, count: int) -> None:
    names = [f"genre {number}" for number in range(1, 9)]
    for name in names[:3]:
        wanted = await ids(bookshop, f"filters[genres][name][$eq]={name}")
        same = "&".join(f"filters[$and][{number}][genres][name][$eq]={name}" for number in range(count))
        assert await ids(bookshop, same) == wanted != []
        others = [f"filters[$and][{number}][genres][name][$contains]=genre" for number in range(count - 1)]
        last = f"filters[$and][{count - 1}][genres][name][$eq]={name}"
        assert await ids(bookshop, "&".join([*others, last])) == wanted
        without = f"filters[$and][{count - 1}][genres][name][$eq]=no genre"
        assert await ids(bookshop, "&".join([*others, without]).replace(" ", "%20")) == []
