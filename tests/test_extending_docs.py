"""The examples of custom code in docs/extending.md work on the sample magazine."""

from pathlib import Path

import pytest

from tests.worked_examples import Example, RestExample, answer, check_calls, read_examples, read_rest_examples

pytestmark = pytest.mark.anyio

GRAPHQL = read_examples("extending-graphql.md")
EXAMPLES = [*read_examples("extending.md"), *GRAPHQL]
REST = [*read_rest_examples("extending.md"), *read_rest_examples("extending-rest.md")]


@pytest.mark.parametrize("example", [pytest.param(item, id=item.title) for item in EXAMPLES])
async def test_worked_example(magazine: Path, tmp_path: Path, example: Example) -> None:
    data = await answer(magazine, tmp_path, example)
    if example.data is not None:
        assert data == example.data


@pytest.mark.parametrize("example", [pytest.param(item, id=item.title) for item in REST])
async def test_worked_example_over_rest(magazine: Path, tmp_path: Path, example: RestExample) -> None:
    await check_calls(magazine, tmp_path, example)


async def test_switches_disable_the_named_features(magazine: Path, tmp_path: Path) -> None:
    [example] = [item for item in EXAMPLES if item.data is None]
    data = await answer(magazine, tmp_path, example)
    names = {key: {field["name"] for field in data[key]["fields"]} for key in ("article", "mutation")}
    assert "title" in names["article"]
    assert "slug" not in names["article"]
    assert {"createAuthor", "createArticle"} <= names["mutation"]
    assert names["mutation"] & {"createTag", "updateTag", "deleteTag", "deleteAuthor", "deleteArticle"} == set()


def test_every_key_of_an_extension_has_an_example() -> None:
    from octavo.api.graphql.customization.apply_extension import KEYS
    from octavo.api.graphql.customization.field_customization import CONFIG_KEYS

    code = "".join(text for item in EXAMPLES for text in item.files.values())
    assert [key for key in (*KEYS, *CONFIG_KEYS) if f'"{key}"' not in code] == []
