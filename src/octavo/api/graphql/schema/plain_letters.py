"""Letters that names of enumeration values spell in plain ones, as v4 does; every other sign separates words."""

from typing import Final

# Each word: the spelling (`-` for none), a colon, the letters.
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
