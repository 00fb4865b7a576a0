"""Field places: paths of attributes from their content type through components, as used in field permissions."""

from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute
from octavo.schema.content_types import ContentType, Definition


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A content type, or a component in it at the path `way` (`seo.`, empty for the content type itself)."""

    uid: str
    way: str = ""

    def field(self, name: str) -> str:
        """Return the path of an attribute.

        >>> FieldPlace("api::a.a").field("title"), FieldPlace("api::a.a", "seo.").field("metaTitle")
        ('title', 'seo.metaTitle')
        """
        return f"{self.way}{name}"

    def below(self, attribute: AnyAttribute, target: Definition) -> "FieldPlace":
        """Return the place of an attribute's targets. Another content type starts a new path."""
        if isinstance(target, ContentType):
            return FieldPlace(target.uid)
        return FieldPlace(self.uid, f"{self.way}{attribute.name}.")
