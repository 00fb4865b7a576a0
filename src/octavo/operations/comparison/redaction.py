"""Remove tokens, e-mail addresses and other secrets from what reports and files contain."""

import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import unquote

import orjson

MOST_TEXT: Final = 200
"""Maximum length of a value in a report, in characters."""
_MOST_SEARCHED: Final = 20_000
_SECRET_KEY: Final = re.compile(r"passw|token|secret|jwt|authori[sz]ation|cookie|session|api.?key", re.IGNORECASE)
_SECRET_PARAMETER: Final = re.compile(r"passw|token|secret|jwt|api.?key|session|signature|code", re.IGNORECASE)
_EMAIL: Final = re.compile(r"[\w.+%-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_TOKENS: Final = re.compile(
    r"eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
    r"|\b[0-9A-Fa-f]{32,}\b"
    r"|(?<![\w+/=-])(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)[\w+=-]{40,}"
)
_BEARER: Final = re.compile(r"\b(Bearer|Basic)\s+\S+", re.IGNORECASE)


class Redaction:
    """Removes secrets from texts. `tokens` are those that the comparison sends."""

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self._tokens = tuple(token for token in tokens if token)

    def text(self, text: str) -> str:
        """Return a text without secrets and control characters."""
        for token in self._tokens:
            text = text.replace(token, "<token>")
        text = _BEARER.sub(r"\1 <token>", text)
        text = _TOKENS.sub("<token>", _EMAIL.sub("<e-mail>", text))
        return "".join(char if char.isprintable() else " " for char in text)

    def target(self, target: str) -> str:
        """Return a path with its query string, decoded and without secrets."""
        path, mark, query = target.partition("?")
        return self.text(unquote(path) + mark + "&".join(map(_without_secret_parameter, query.split("&"))))

    def value(self, key: str, value: Any) -> str:
        """Return a JSON value as a short text without secrets. `key` is the name of its attribute."""
        if value is not None and _SECRET_KEY.search(key):
            return "<hidden>"
        text = orjson.dumps(_without_secret_keys(value)).decode()
        if len(text) <= _MOST_SEARCHED:
            return shortened(self.text(text))
        found = self.text(text[:_MOST_SEARCHED])
        return f"{found[: min(MOST_TEXT, len(found) // 2)]}..."  # the cut can be inside an address


def _without_secret_parameter(parameter: str) -> str:
    name, equals, value = map(unquote, parameter.partition("="))
    return f"{name}={'<hidden>' if _SECRET_PARAMETER.search(name) else value}" if equals else name


def shortened(text: str) -> str:
    """Return a text of at most `MOST_TEXT` characters."""
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."


def _without_secret_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "<hidden>" if _SECRET_KEY.search(key) else _without_secret_keys(item) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_without_secret_keys(item) for item in value]
    return value
