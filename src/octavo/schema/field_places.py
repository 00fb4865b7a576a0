"""Field places: attributes named from their content-type down, through components, as rights to fields name them."""

from octavo.core.values import dataclass
from octavo.schema.attributes import AnyAttribute
from octavo.schema.content_types import ContentType, Definition


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A content-type, or a component at the end of `way` (`seo.`, empty for the content-type itself) in it."""

    uid: str
    way: str = ""

    def field(self, name: str) -> str:
        """The name of an attribute here.

        >>> FieldPlace("api::a.a").field("title"), FieldPlace("api::a.a", "seo.").field("metaTitle")
        ('title', 'seo.metaTitle')
        """
        return f"{self.way}{name}"

    def below(self, attribute: AnyAttribute, target: Definition) -> "FieldPlace":
        """The place of what an attribute leads to: another content-type begins anew."""
        if isinstance(target, ContentType):
            return FieldPlace(target.uid)
        return FieldPlace(self.uid, f"{self.way}{attribute.name}.")
