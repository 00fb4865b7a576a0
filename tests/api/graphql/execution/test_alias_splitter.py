"""Aliases of one field with different entries: read in one response and split into separate ones."""

import json

import pytest

from octavo.api.graphql.execution.alias_splitter import read_together, split_aliases
from octavo.query.answer import Answer, Fixed, Guarded, Object, Value

TITLE, PAGES, NULL = Object((("t", Value("title")),)), Object((("p", Value("pages")),)), Fixed("null")


def render(answer: Answer | Guarded, entry: dict[str, object]) -> str:
    """Return the JSON that a database returns for an entry."""
    match answer:
        case Object(members=members):
            return "{" + ",".join(f'"{key}":{render(inner, entry)}' for key, inner in members) + "}"
        case Fixed(json=text):
            return text
        case Value(attribute=attribute):
            return json.dumps(entry["id" if attribute is None else attribute])
    raise AssertionError(answer)


ENTRIES: list[dict[str, object]] = [{"title": "sea", "pages": 1}, {"title": 'a","":b', "pages": 2}]


def test_a_single_answer_is_read_as_it_is() -> None:
    assert read_together([TITLE]) is TITLE
    assert split_aliases(b'{"t":"sea"}', 1) == [b'{"t":"sea"}']


@pytest.mark.parametrize("answers", [[TITLE, PAGES], [TITLE, NULL, PAGES], [Value(None), TITLE]])
def test_an_entry_is_cut_into_its_answers(answers: list[Answer]) -> None:
    entry = {"id": 7, **ENTRIES[1]}
    found = render(read_together(answers), entry).encode()
    assert split_aliases(found, len(answers)) == [render(answer, entry).encode() for answer in answers]


@pytest.mark.parametrize("entries", [ENTRIES, ENTRIES[:1], []])
def test_a_list_is_cut_into_lists(entries: list[dict[str, object]]) -> None:
    answers = [PAGES, TITLE, PAGES]
    found = "[" + ",".join(render(read_together(answers), entry) for entry in entries) + "]"
    assert split_aliases(found.encode(), 3) == [
        ("[" + ",".join(render(answer, entry) for entry in entries) + "]").encode() for answer in answers
    ]


def test_no_entry_is_null_for_all() -> None:
    assert split_aliases(b"null", 2) == [b"null", b"null"]
