"""Names of files in buckets: each name below the root is valid, and none leaves it."""

import pytest

from octavo.content.media.storage.objects import ObjectNames, is_key
from tests.models.v4_names import V4_NAMES


@pytest.mark.parametrize("name", V4_NAMES)
def test_files_of_v4_have_keys_and_urls(name: str) -> None:
    names = ObjectNames("files", ["https://cdn.example.org"])
    assert names.key_of(name) == f"files/{name}"
    assert names.find(names.url_of(name)) == name


@pytest.mark.parametrize("name", ["", ".", "..", "a/../b", "/a", "a//b", "a\\b", "a\0b", "a\nb", "\ud800"])
def test_invalid_names(name: str) -> None:
    assert not is_key(name)
