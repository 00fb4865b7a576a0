"""The maximum number of sign-in attempts in one request."""

import pytest
from graphql import parse

from octavo.api.graphql.document.limits import fragments_of, operations_of
from octavo.api.graphql.document.logins import count_logins
from tests.api.graphql.asking import messages, send
from tests.models.site import Site, under_safe

pytestmark = pytest.mark.anyio

LOGIN = 'login(input: { identifier: "a", password: "b" }) { jwt }'
FORGOT = 'forgotPassword(email: "a@b.example") { ok }'
REFUSED = "A request can have at most 5 root fields that check credentials"


def aliases(count: int, field: str = LOGIN) -> str:
    return " ".join(f"{letter}: {field}" for letter in "abcdefghijklmnopqrstuvwxyz"[:count])


@pytest.mark.parametrize(
    "text, count",
    [
        (f"mutation {{ {LOGIN} }}", 1),
        (f"mutation {{ {LOGIN} {LOGIN} }}", 1),
        (f"mutation {{ {aliases(6)} }}", 6),
        (f"mutation {{ {aliases(2)} ... on Mutation {{ x: {FORGOT} ... {{ y: {FORGOT} }} }} }}", 4),
        (
            "mutation { ...F ...G ...F } fragment F on Mutation { ...G } "
            f"fragment G on Mutation {{ {aliases(3)} }}",
            3,
        ),
        (f"mutation {{ ...F }} fragment F on Mutation {{ ...F {LOGIN} }}", 1),
        ("mutation { createBook(data: {}) { data { id } } x: updateBook(id: 1, data: {}) { data { id } } }", 0),
    ],
)
def test_sign_in_attempts_are_counted_at_any_place(text: str, count: int) -> None:
    document = parse(text)
    assert count_logins(operations_of(document)[0].selection_set, fragments_of(document)) == count


@pytest.mark.parametrize(
    "text",
    [
        f"mutation {{ {aliases(6)} }}",
        f"mutation {{ {aliases(3)} ...F }} fragment F on Mutation {{ x: {FORGOT} y: {FORGOT} z: {FORGOT} }}",
        f"mutation {{ {aliases(6, LOGIN.replace('{ jwt', '@include(if: true) { jwt'))} }}",
    ],
)
async def test_sign_in_attempts_in_a_document_are_limited(bookshop: Site, text: str) -> None:
    async with under_safe(bookshop) as safe:
        answer = await send(safe, {"query": text})
        assert (answer.status, messages(answer.json)) == (400, [REFUSED])
    answer = await send(bookshop, {"query": text})
    assert REFUSED not in messages(answer.json), "v4 has no limit"


async def test_a_few_sign_in_attempts_are_executed(bookshop: Site) -> None:
    async with under_safe(bookshop) as safe:
        answer = await send(safe, {"query": f"mutation {{ {aliases(5)} }}"})
        assert (answer.status, len(answer.json["errors"])) == (200, 5)


async def test_sign_in_attempts_in_a_batch_are_limited_together(bookshop: Site) -> None:
    async with under_safe(bookshop) as safe:
        answer = await send(safe, [{"query": f"mutation {{ {aliases(3)} }}"}] * 2)
        assert REFUSED not in messages(answer.json[0])
        assert messages(answer.json[1]) == [REFUSED]
