"""Enumerations: values get valid GraphQL names; internally the stored values are used."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from graphql import GraphQLEnumType, GraphQLEnumValue

from octavo.api.graphql.schema.field_metadata import KEY, TypeMetadata, TypeRole
from octavo.api.graphql.schema.names import enum_name
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.core.text_limits import compose, transliterate
from octavo.schema.attributes import Enumeration
from octavo.schema.content_types import Definition

# Each word: the transliteration (`-` for none), a colon, and the letters.
_LINES: Final = (
    "-:ЪЬъь 0:٠٠۰ 1:١١۱ 2:٢٢۲ 3:٣٣۳ 4:٤٤۴ 5:٥٥۵ 6:٦٦۶ 7:٧٧۷ 8:٨٨۸ 9:٩٩۹ _n:ŉ A:ÀÁÂÃÅĀĂĄΆΑАԱẠẢẤẦẨẪẬẮẰẲẴẶ",
    "a:àáâãåāăąάαаաآأاىაạảấầẩẫậắằẳẵặ AE:Æ Ae:Ä ae:äæ ai:ۍ B:ΒБԲ b:бբبბ C:ÇĆĈĊČՑ c:çćĉċčցڅ Ch:ЧՉ ch:чչچჩ Cz:Ц cz:ц",
    "D:ÐĎĐΔДԴ d:ðďđδдդدضڈډდ dh:ذ Dz:Ձ dz:ձძ E:ÈÉÊËĒĔĖĘĚΈΕЕЭԷẸẺẼẾỀỂỄỆ e:èéêëēĕėęěέεеэէءعۀېےეẹẻẽếềểễệ F:ΦФՖ f:φфֆف",
    "G:ĜĞĠĢΓГҐԳ g:ĝğġģγгґգږګگგ Gh:Ղ gh:ղغღ H:ĤĦХՀ h:ĥħхհحهھہჰ I:ÌÍÎÏĨĪĬĮİΉΊΗΙΪІИԻỈỊ i:ìíîïĩīĭįıΐήίηιϊиіիإიỉị IJ:Ĳ",
    "ij:ĳ J:ĴЙՋ j:ĵйջجჯ K:ĶΚКԿ k:ķĸκкկكکკყ Kh:Խ kh:խخხ Kj:Ќ kj:ќ KS:Ξ ks:ξ L:ĹĻĽĿŁΛЛԼ l:ĺļľŀłλлլلლ Lj:Љ lj:љ",
    "M:ΜМՄ m:μмմمმ N:ÑŃŅŇŊΝНՆ n:ñńņňŋνнնنںڼნ Nj:Њ nj:њ O:ÒÓÔÕØŌŎŐƠΌΏΟΩОՕỌỎỐỒỔỖỘỚỜỞỠỢ",
    "o:òóôõøōŏőơοωόώоօოọỏốồổỗộớờởỡợ Oe:ÖŒ oe:öœ P:ΠПՊՓ p:πпպփټپპ ph:ფ PS:Ψ ps:ψ Q:Ք q:քقქ R:ŔŖŘΡРՌՐ r:ŕŗřρрռրرڑړრ",
    "S:ŚŜŞŠȘΣСՍ s:śŝşšșςσсսسصს Sh:ШՇ sh:шշشშ Shh:Щ shh:щ SS:ẞ ss:ßſ T:ŢŤŦȚΤТԹՏ t:ţťŧțτтթտةتطٹთტ Tch:Ճ tch:ճჭ",
    "TH:ÞΘ th:þθث Ts:Ծ ts:ծცწ U:ÙÚÛŨŪŬŮŰŲƯУỤỦỨỪỬỮỰ u:ùúûũūŭůűųưуُუụủứừửữự Ue:Ü ue:ü V:ВՎ v:βвվვ Vo:Ո vo:ո W:Ŵ",
    "w:ŵؤو X:Χ x:χښ Y:ÝŶŸΎΥΫЫԸՅỲỴỶỸ y:ýÿŷΰυϋύыըյئيیỳỵỷỹ Ya:Я ya:я Ye:ЄԵ ye:єե yev:և Yi:Ї yi:ї Yo:Ё yo:ё Yu:Ю yu:ю",
    "Z:ŹŻŽΖЗԶ z:źżžζзզزظځზ Zh:ЖԺ zh:жժژჟ",
)
_SIGNS: Final = {"&": " and ", "♥": " love ", "🦄": " unicorn "}

PLAIN_LETTERS: Final[dict[int, str]] = {ord(sign): word for sign, word in _SIGNS.items()} | {
    ord(letter): "" if spelling == "-" else spelling
    for spelling, _, letters in (word.partition(":") for word in " ".join(_LINES).split())
    for letter in letters
}


_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_NO_NAME = re.compile(r"[0-9].*|true|false|null|", re.DOTALL)


def value_name(value: str) -> str:
    """Convert a value to a name: words in plain letters, joined by underscores.

    v4 drops values without any transliterated character. Here they get the closest transliteration.

    >>> value_name("A-1"), value_name("Größe & co"), value_name("camelCase"), value_name("日本")
    ('A_1', 'Groesse_and_co', 'camelCase', 'RiBen')
    """
    plain = _joined(compose(value).translate(PLAIN_LETTERS))
    return plain or _joined(transliterate(value))


def _joined(text: str) -> str:
    return _NO_WORD.sub("_", text).strip("_")


def value_names(values: Iterable[str]) -> dict[str, str]:
    """Return the values by name. Each value gets a unique and valid GraphQL name.

    >>> value_names(["a b", "a-b", "3d", "null"])
    {'a_b': 'a b', 'a_b_2': 'a-b', '_3d': '3d', '_null': 'null'}
    """
    named: dict[str, str] = {}
    for value in values:
        plain = value_name(value)
        first = name = f"_{plain}" if _NO_NAME.fullmatch(plain) else plain
        count = 1
        while name in named:
            count += 1
            name = f"{first}_{count}"
        named[name] = value
    return named


def enumeration(types: TypeRegistry, definition: Definition, attribute: Enumeration) -> GraphQLEnumType:
    """Return the enum of an attribute. The `value` of its items is the stored value."""

    def make(name: str) -> GraphQLEnumType:
        named = value_names(dict.fromkeys(attribute.values))
        values = {key: GraphQLEnumValue(value) for key, value in named.items()}
        return GraphQLEnumType(name, values, extensions={KEY: TypeMetadata(TypeRole.ENUM, definition, attribute)})

    return types.once(enum_name(definition, attribute), make)


def names_by_value(enum: GraphQLEnumType) -> Mapping[str, str]:
    """Return the names by stored value, for responses."""
    return {value.value: name for name, value in enum.values.items()}
