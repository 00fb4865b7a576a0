"""One module limits the length of texts from callers before it processes them with costly functions."""

import ast
from collections.abc import Iterator

import pytest

from octavo.core import text_limits
from tests.test_layers import modules, tree_of

COSTLY = {"unicodedata", "difflib", "anyascii", "casefold"}
"""Modules and the method that only this module uses."""
TRUSTED = {"octavo.cli.rename": "shows the difference of two files of the project, in a terminal"}


def costly_names(module: str) -> Iterator[str]:
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Attribute):
            yield node.attr


def test_only_one_module_normalizes_folds_and_compares_texts() -> None:
    users = {module for module in modules() if COSTLY & set(costly_names(module))}
    assert users == {"octavo.core.text_limits", *TRUSTED}


@pytest.mark.parametrize(
    "function, limit",
    [
        (text_limits.fold_identifier, text_limits.MAX_IDENTIFIER),
        (text_limits.compose, text_limits.MAX_SLUG_SOURCE),
        (text_limits.transliterate, text_limits.MAX_SLUG_SOURCE),
    ],
)
def test_characters_after_the_limit_are_ignored(function, limit: int) -> None:  # type: ignore[no-untyped-def]
    text = "é" * limit
    assert function(text) == function(text + "\u0316\u0301" * 500_000)
    assert function(text) != function(text[:-1])
