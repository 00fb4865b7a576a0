"""Files in forms: inserted into the data by the names of their fields."""

import copy
from typing import Any

import pytest

from octavo.content.media.form_files import check_fields, current_query, place_files, read_field
from octavo.core.errors import BadRequestError
from octavo.query.ast import Branch, Populate, Query
from octavo.schema.registry import Registry
from tests.models.bookshop import BOOK

MESSAGE = (
    "When using multipart/form-data you need to provide your files by prefixing them with the 'files'.\n"
    'For example, when a media file is named "avatar", make sure the form key name is "files.avatar"'
)


@pytest.mark.parametrize(
    "name, path",
    [
        ("files.cover", ("cover",)),
        ("files[cover]", ("cover",)),
        ("files.seo.shareImage", ("seo", "shareImage")),
        ("files.blocks[0].files", ("blocks", "0", "files")),
        ("files.blocks.0.files", ("blocks", "0", "files")),
        ("files.", ()),
        ("files[]", ()),
        ("files.files", ("files",)),
    ],
)
def test_paths(name: str, path: tuple[str, ...]) -> None:
    assert read_field(name) == path


@pytest.mark.parametrize("name", ["cover", "files", "filesx.cover", "", "File.cover", "data"])
def test_fields_without_the_prefix(name: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        check_fields(["files.cover", name])
    assert (caught.value.message, caught.value.details) == (MESSAGE, {})


QUOTE, CHAPTER, BANNER = "shop.quote", "shop.chapter", "shop-odd.banner-2"


@pytest.mark.parametrize(
    "data, field, ids, expected",
    [
        ({}, "files.cover", [7], {"cover": 7}),
        ({"cover": 1}, "files.cover", [7, 8], {"cover": 8}),
        ({}, "files.gallery", [7, 8], {"gallery": [7, 8]}),
        ({"gallery": [1]}, "files.gallery", [7], {"gallery": [1, 7]}),
        ({"gallery": 1}, "files.gallery", [7], {"gallery": [1, 7]}),
        ({"gallery": {"id": 1}}, "files.gallery", [7], {"gallery": [{"id": 1}, 7]}),
        ({"gallery": {"set": [1, 2]}}, "files.gallery", [7], {"gallery": [1, 2, 7]}),
        ({"gallery": {"connect": [1]}}, "files.gallery", [7], {"gallery": [7]}),
        ({"gallery": None}, "files.gallery", [7], {"gallery": [7]}),
        ({}, "files.gallery", [], {}),
        ({}, "files.nope", [7], {}),
        ({}, "files.title", [7], {}),
        ({}, "files.author", [7], {}),
        ({}, "files.", [7], {}),
        ({}, "files.cover.name", [7], {}),
        ({}, "files.chapters", [7], {}),
        ({}, "files.chapters[0].picture", [7], {}),
        (
            {"chapters": [{"title": "a"}]},
            "files.chapters[0].picture",
            [7],
            {"chapters": [{"title": "a", "picture": 7}]},
        ),
        ({"chapters": [{}, {}]}, "files.chapters.1.picture", [7], {"chapters": [{}, {"picture": 7}]}),
        ({"chapters": [{}]}, "files.chapters[1].picture", [7], {"chapters": [{}]}),
        ({"chapters": [{}]}, "files.chapters[x].picture", [7], {"chapters": [{}]}),
        ({"chapters": [{}]}, "files.chapters[0].title", [7], {"chapters": [{}]}),
        ({"chapters": [3]}, "files.chapters[0].picture", [7], {"chapters": [3]}),
        ({"chapters": "x"}, "files.chapters[0].picture", [7], {"chapters": "x"}),
        ({"chapters": [{}]}, f"files.chapters[{'9' * 5000}].picture", [7], {"chapters": [{}]}),
        ({"chapters": [{}]}, "files.chapters[٣].picture", [7], {"chapters": [{}]}),
        (
            {"extras": [{"__component": QUOTE}, {"__component": BANNER}]},
            "files.extras[1].picture",
            [7],
            {"extras": [{"__component": QUOTE}, {"__component": BANNER, "picture": [7]}]},
        ),
        (
            {"extras": [{"__component": "no.pe"}]},
            "files.extras[0].picture",
            [7],
            {"extras": [{"__component": "no.pe"}]},
        ),
        ({"extras": [{"__component": [1]}]}, "files.extras[0].picture", [7], {"extras": [{"__component": [1]}]}),
        ({"details": None}, "files.details.cover", [7], {"details": None}),
        ({"details": 5}, "files.details.cover", [7], {"details": 5}),
    ],
)
def test_places(registry: Registry, data: dict[str, Any], field: str, ids: list[int], expected: dict[str, Any]) -> None:
    before = copy.deepcopy(data)
    assert place_files(data, {field: ids}, registry.content_types[BOOK], registry) == expected
    assert data == before


CURRENT = {
    "gallery": [{"id": 1}, {"id": 2}],
    "cover": {"id": 3},
    "chapters": [{"id": 4, "picture": {"id": 5}}, {"id": 6, "picture": None}],
    "extras": [{"__component": BANNER, "id": 8, "picture": [{"id": 9}]}, {"__component": QUOTE, "id": 8}],
}


@pytest.mark.parametrize(
    "data, field, expected",
    [
        ({}, "files.cover", {"cover": 7}),
        ({}, "files.gallery", {"gallery": [{"id": 1}, {"id": 2}, 7]}),
        ({"gallery": [2]}, "files.gallery", {"gallery": [2, 7]}),
        ({"gallery": []}, "files.gallery", {"gallery": [7]}),
        ({}, "files.chapters[1].picture", {"chapters": [{"id": 4}, {"id": 6, "picture": 7}]}),
        (
            {},
            "files.extras[0].picture",
            {
                "extras": [
                    {"id": 8, "__component": BANNER, "picture": [{"id": 9}, 7]},
                    {"id": 8, "__component": QUOTE},
                ]
            },
        ),
        (
            {"extras": [{"id": "8", "__component": BANNER}]},
            "files.extras[0].picture",
            {"extras": [{"id": "8", "__component": BANNER, "picture": [{"id": 9}, 7]}]},
        ),
        (
            {"extras": [{"__component": BANNER}]},
            "files.extras[0].picture",
            {"extras": [{"__component": BANNER, "picture": [7]}]},
        ),
    ],
)
def test_places_in_an_existing_entry(
    registry: Registry, data: dict[str, Any], field: str, expected: dict[str, Any]
) -> None:
    placed = place_files(data, {field: [7]}, registry.content_types[BOOK], registry, CURRENT)
    assert placed == expected


def test_several_fields(registry: Registry) -> None:
    fields = {
        "files.cover": [1],
        "files.gallery": [2, 3],
        "files.chapters[0].picture": [4],
        "files.chapters[1].picture": [5],
    }
    data = {"title": "a", "chapters": [{}, {}]}
    assert place_files(data, fields, registry.content_types[BOOK], registry) == {
        "title": "a",
        "cover": 1,
        "gallery": [2, 3],
        "chapters": [{"picture": 4}, {"picture": 5}],
    }


IDS = Query(fields=("id",))


def ids_of(name: str, *inside: Populate) -> Populate:
    return Populate(name=name, query=Query(fields=("id",), populate=inside))


def test_values_read_before_an_update(registry: Registry) -> None:
    fields = [
        *("files.cover", "files.gallery", "files.gallery", "files.title", "files.author", "files.nope", "files."),
        *("files.chapters[0].picture", "files.chapters[1].nope", "files.extras[0].picture"),
    ]
    inside = {BANNER: Query(fields=("id",), populate=(ids_of("picture"),))}
    extras = Populate(
        name="extras",
        query=IDS,
        branches=tuple(Branch(component=uid, query=inside.get(uid, IDS)) for uid in registry.components),
    )
    expected = (ids_of("gallery"), ids_of("chapters"), extras)
    assert current_query(fields, registry.content_types[BOOK], registry) == Query(fields=("id",), populate=expected)
