"""Hostile bodies: valid and invalid JSON for every attribute, and forms with files."""

from random import Random
from typing import Any

from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Enumeration, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from tests.robustness.nasty import KEYS, Pairs, json_text, json_value, text

PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "integer": (0, 1, 7, -5, "3"),
    "biginteger": ("9007199254740993", 12, "-5"),
    "float": (1.5, -2, 0),
    "decimal": (1.25, 3, 99.99),
    "boolean": (True, False, "true"),
    "date": ("2024-02-29",),
    "time": ("12:30:00", "12:30:00.123"),
    "datetime": ("2024-02-29T12:00:00.000Z", 1_600_000_000_000),
    "timestamp": ("2024-02-29T12:00:00.000Z",),
    "json": ({"a": [1]}, [1], "x", 5),
    "array": ([1], []),
    "blocks": ([{"type": "paragraph", "children": [{"type": "text", "text": "x"}]}],),
    "email": ("a@b.example", "c@d.example"),
}
TEXTS = ("a text", "another", "ünï", "news")
BROKEN = (b"", b"{", b"null", b"\xff\xfe{}", b'{"data":"\xed\xa0\x80"}', b"{" * 5000, b'{"data":{}}x')
FILE_NAMES = (
    *(b"x.png", b"", b"../../x.png", b"a\0b.png", b"\xff.png", b"x" * 3000, b".", b"..", b"con.svg", b"%00"),
    b"\xf0\x9f\x98\x80",
)


class BodyMaker:
    """Generates bodies for the definitions of a registry: valid, partly invalid and invalid ones."""

    def __init__(self, registry: Registry, random: Random) -> None:
        self._registry = registry
        self._random = random
        self._malice = 0.05

    def body(self, definition: Definition) -> bytes:
        """Return the body of a POST or PUT."""
        random = self._random
        self._malice = random.choice((0.0, 0.01, 0.07))
        dice = random.random()
        if dice < 0.06:
            return json_text(json_value(random)).encode()
        if dice < 0.1:
            return random.choice(BROKEN)
        if dice < 0.16:
            return json_text({"data": json_value(random)}).encode()
        written = json_text({"data": self._data(definition, 4)}).encode()
        if dice < 0.2:
            position = random.randrange(len(written))
            return written[:position] + random.randbytes(3) + written[position + random.randrange(4) :]
        return written

    def _data(self, definition: Definition, depth: int) -> Pairs:
        random = self._random
        pairs = Pairs()
        for name, attribute in definition.attributes.items():
            dice = random.random()
            if dice < 0.35 or (attribute.required and dice < 0.93):
                pairs.append((name, self._plausible(attribute, depth)))
            elif dice > 1 - self._malice:
                pairs.append((name, json_value(random)))
        if random.random() < 3 * self._malice:
            extra = ("id", "locale", "publishedAt", "createdBy", "__component", "localizations", "strapi_stage", *KEYS)
            pairs.append((random.choice(extra), json_value(random)))
        if pairs and random.random() < self._malice:
            pairs.append((random.choice(pairs)[0], json_value(random)))
        return pairs

    def _plausible(self, attribute: AnyAttribute, depth: int) -> Any:
        random = self._random
        match attribute:
            case Enumeration(values=values):
                return random.choice(values)
            case Scalar(type=word):
                return random.choice(PLAUSIBLE.get(word, TEXTS))
            case Media():
                return random.choice((1, [1, 2], None, [], self._links()))
            case Relation():
                return random.choice((self._links(), self._links(), random.randrange(1, 9), None))
            case ComponentField(component=uid, repeatable=repeatable):
                items = [self._data(self._registry.components[uid], depth - 1) for _ in range(self._amount(depth))]
                return items if repeatable else items[0] if items else None
            case DynamicZone(components=uids):
                return [self._zone_item(random.choice(uids), depth) for _ in range(self._amount(depth))]

    def _amount(self, depth: int) -> int:
        return self._random.randrange(3) if depth > 0 else 0

    def _zone_item(self, uid: str, depth: int) -> Pairs:
        item = self._data(self._registry.components[uid], depth - 1)
        item.append(("__component", uid if self._random.random() < 0.9 else json_value(self._random)))
        return item

    def _links(self) -> Any:
        random = self._random

        def target() -> Any:
            odd = json_value(random) if random.random() < 2 * self._malice else random.randrange(1, 12)
            position = random.choice(
                ({"end": True}, {"start": True}, {"before": random.randrange(1, 9)}, json_value(random))
            )
            return random.choice(
                (odd, {"id": odd}, {"id": odd, "position": position}, {"id": odd, "__type": text(random)})
            )

        verbs = random.choice((("connect",), ("set",), ("disconnect",), ("connect", "disconnect"), ("id",), ("$eq",)))
        listed = [target() for _ in range(random.choice((0, 1, 2, 3, 30)))]
        return random.choice((listed, dict.fromkeys(verbs, listed), {verbs[0]: target()}))

    def form(self, definition: Definition, names: list[str], content_types: tuple[bytes, ...]) -> tuple[bytes, bytes]:
        """Return a form with files, and its boundary."""
        random = self._random
        boundary = random.choice((b"B", b"----x", b"b" * 70, b"'()+_,-./:=?"))
        parts = [(b'form-data; name="data"', json_text(self._data(definition, 2)).encode())]
        for _ in range(random.choice((0, 1, 1, 2, 40))):
            value = random.choice((b"x", b"", random.randbytes(50), b"GIF89a"))
            parts.append((self._disposition(names, content_types), value))
        if random.random() < 0.02:
            parts += [(b'form-data; name="a"', b"x")] * 1100
        random.shuffle(parts)
        frame = b"--" + boundary + b"\r\nContent-Disposition: %b\r\n\r\n%b\r\n"
        body = b"".join(frame % part for part in parts)
        if random.random() < 0.1:
            body = body.replace(b"\r\n", random.choice((b"\n", b"\r", b"\r\n\r\n")), random.randrange(1, 9))
        end = b"--%b--" % boundary
        body += random.choice((end + b"\r\n",) * 4 + (b"", end[:-2], end + b"junk"))
        return body, boundary if random.random() < 0.9 else b"other"

    def _disposition(self, names: list[str], content_types: tuple[bytes, ...]) -> bytes:
        random = self._random
        field = ".".join(names).encode("utf-8", "surrogatepass")
        name = random.choice((b"files." + field, b"files", b"files.", field, b"", b"files.0", b"data", b"files.cover"))
        named = b'form-data; name="%b"' % name
        file_name = b'; filename="%b"' % random.choice(FILE_NAMES)
        return random.choice(
            (
                named + file_name,
                named + file_name,
                named,
                b"form-data",
                b"form-data" + file_name,
                b"attachment; name=x",
                named + b"; filename*=UTF-8''%ff",
                named + b"\r\nContent-Type: " + random.choice(content_types),
                named + b"\r\nContent-Transfer-Encoding: base64",
            )
        )
