"""Fields named from their content-type down."""

from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from tests.models.bookshop import AUTHOR, BOOK


def test_components_go_on_and_content_types_begin_anew(registry: Registry) -> None:
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
