"""Adding an attribute to a definition file leaves the rest of the file unchanged."""

import pytest

from octavo.modeling.refactoring.definition_edits import with_attribute

RAW = {"type": "relation", "target": "api::a.a"}


@pytest.mark.parametrize(
    "before, after",
    [
        ('{\n  "attributes": {}\n}\n', '{\n  "attributes": {\n    "b": RAW2\n  }\n}\n'),
        (
            '{\n\t"attributes": {\n\t\t"a": {"type": "string"}\n\t},\n\t"x" : 1 }',
            '{\n\t"attributes": {\n\t\t"a": {"type": "string"},\n\t\t"b": RAW\\t\n\t},\n\t"x" : 1 }',
        ),
    ],
)
def test_an_attribute_is_added_after_the_others(before: str, after: str) -> None:
    two = '{\n      "type": "relation",\n      "target": "api::a.a"\n    }'
    tab = '{\n\t\t\t"type": "relation",\n\t\t\t"target": "api::a.a"\n\t\t}'
    after = after.replace("RAW\\t", tab).replace("RAW2", two)
    assert with_attribute(before.encode(), "b", RAW).decode() == after
    assert with_attribute(b"\xef\xbb\xbf" + before.encode(), "b", RAW) == b"\xef\xbb\xbf" + after.encode()
