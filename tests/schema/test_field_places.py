"""Names of fields, beginning at their content type."""

from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK


def test_paths_continue_in_components_and_start_over_at_content_types(registry: Registry) -> None:
    book = registry.content_types[BOOK]
    place = FieldPlace(BOOK)
    for name, expected in (("details", "details.binding"), ("chapters", "chapters.binding")):
        attribute = book.attributes[name]
        target = registry.target(attribute)
        assert target is not None
        assert place.below(attribute, target).field("binding") == expected
    author = book.attributes["author"]
    details = place.below(book.attributes["details"], registry.components["shop.details"])
    assert details.below(author, registry.content_types[AUTHOR]) == FieldPlace(AUTHOR)
    assert place.field("title") == "title"
