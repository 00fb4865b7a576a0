"""Texts and JSON values that have broken services, and functions that encode them."""

import json
from random import Random
from typing import Any
from urllib.parse import quote

TEXTS = (
    *("", " ", "0", "-0", "1", "2", "-1", "01", "1e1", "1e400", "-1e400", "1e-400", "0x10", "1.5", "NaN", "Infinity"),
    *("2147483647", "2147483648", "-2147483649", "9007199254740993", "9223372036854775807", "9223372036854775808"),
    *("99999999999999999999999999", "0." + "0" * 400 + "1", "1" * 400, "true", "false", "null", "undefined", "t", "f"),
    *("\0", "a\0b", "\ud800", "a\udfffb", "\ud83d\ude00", "é", "😀", "\u202e", "\ufeff", "ß", "İ", "\u0300" * 50),
    *("' OR 1=1 --", '"; DROP TABLE articles; --', "') UNION SELECT 1 --", "$1", "?1", ":id", "@x", "$$", "%", "_"),
    *("\\", "\\x", "a\\", "*", "[", "]", "[]", "{}", "a,b", ",", ".", "..", "a.b.c", ":", "title:asc", "title:up"),
    *("2020-01-01", "2020-13-45", "2020-02-30", "0000-00-00", "0000-01-01", "9999-12-31", "10000-01-01", "20200101"),
    *("-000001-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.000Z", "+275760-09-13T00:00:00.001Z", "2020-W01-1"),
    *("2020-01-01T24:00:00Z", "2020-01-01T00:00:60Z", "2020-01-01T00:00:00+99:99", "2020-01-01T00:00:00.123456789Z"),
    *("1600000000000", "8640000000000001", "-62135596800001", "1e15", "0001-01-01T00:00:00+14:00", "Wed, 09 Aug 1995"),
    *("12:00", "12:00:00", "25:61:61", "23:59:59.999999", "24:00:00", "-1:00:00", "12:00:00Z", "epoch", "infinity"),
    *("__proto__", "constructor", "toString", "hasOwnProperty", "[object Object]", "${7*7}", "{{7*7}}", "<script>"),
    *("../../etc/passwd", "x" * 300, "y" * 5000, "(" * 500, "a@" + "a" * 2000 + ".com", "[[" * 100, "a" * 60 + "!"),
    *("id", "title", "author", "secretNote", "editPassword", "password", "createdBy", "strapi_stage", "de", "all"),
)
"""A lone surrogate represents text that UTF-8 cannot encode."""

RAW_ESCAPES = (b"%", b"%z", b"%zz", b"%ff", b"%c0%80", b"%ed%a0%80", b"%00", b"%u0041", b"%F0%9F%98", b"%E2%80%AE")

KEYS = (
    *("$eq", "$nope", "$where", "$and", "$or", "$not", "$in", "$null", "$between", "$contains", "eq", "0", "1", "99"),
    *(
        "100",
        "-1",
        "1e1",
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "length",
        "",
        " ",
        "a.b",
        "id",
        "\ud800",
    ),
    *("on", "count", "fields", "filters", "populate", "sort", "*", "createdBy", "localizations", "related", "$", "$$"),
)

_NUMBERS = ("0", "-0", "1", "-1", "1.5", "1e400", "-1e400", "1e-400", "2147483648", "9007199254740993", "0.1", "1E5")
_BIG_NUMBERS = ("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" * 50, "1" * 500, "1e308")
_NO_JSON = ("NaN", "Infinity", "-Infinity", "01", "undefined", "'x'", "1.", "+1", "0x10", "tru", '"\\x"', '"\t"')
_ODD_TEXTS = ('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"a\\u0000b"', '"\\ud83d\\ude00"')


class Raw(str):
    """JSON text that is written unchanged."""


class Pairs(list[tuple[Any, Any]]):
    """An object that may have duplicate keys."""


def json_text(value: Any) -> str:
    """Write JSON, including invalid JSON."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json_text(key)}:{json_text(item)}" for key, item in value) + "}"
    if isinstance(value, dict):
        return json_text(Pairs(value.items()))
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(map(_escape, value)) + '"'
    return json.dumps(value)


def _escape(character: str) -> str:
    code = ord(character)
    plain = 0x20 <= code < 0xD800 and character not in '"\\'
    return character if plain else f"\\u{code:04x}" if code <= 0xFFFF else character


def text(random: Random) -> str:
    """Return any text."""
    return random.choice(TEXTS)


def encoded(random: Random, value: str) -> bytes:
    """Return a text for a query string: percent-encoded as clients do, sometimes incompletely or incorrectly."""
    dice = random.random()
    if dice < 0.025:
        return random.choice(RAW_ESCAPES)
    safe = "" if dice < 0.6 else "[]$,:*"
    return quote(value.encode("utf-8", "surrogatepass"), safe=safe).encode()


def json_value(random: Random, depth: int = 3) -> Any:
    """Return any JSON value, or sometimes invalid JSON."""
    dice = random.random()
    if dice < 0.3:
        return text(random)
    if dice < 0.45:
        return Raw(random.choice(_NUMBERS))
    if dice < 0.55:
        return Raw(random.choice(_BIG_NUMBERS))
    if dice < 0.56:
        return Raw(random.choice(_NO_JSON))
    if dice < 0.6:
        return Raw(random.choice(_ODD_TEXTS))
    if dice < 0.76 or depth == 0:
        return random.choice((None, True, False))
    if dice < 0.86:
        return [json_value(random, depth - 1) for _ in range(random.randrange(4))]
    if dice < 0.865:
        return Raw("[" * 2000 + "]" * 2000)
    return Pairs((text(random), json_value(random, depth - 1)) for _ in range(random.randrange(4)))
