"""Remove tokens, e-mail addresses and other secrets from what reports and files contain."""

import re
from collections.abc import Callable, Container, Iterable
from typing import Any, Final
from urllib.parse import unquote, unquote_plus

import orjson
from graphql import (
    SKIP,
    ArgumentNode,
    GraphQLError,
    ObjectFieldNode,
    ValueNode,
    VariableDefinitionNode,
    Visitor,
    VisitorAction,
    parse,
    visit,
)

MOST_TEXT: Final = 200
"""Maximum length of a value in a report, in characters."""
_MOST_SEARCHED: Final = 20_000
_SECRET_KEY: Final = re.compile(r"passw|token|secret|jwt|authori[sz]ation|cookie|session|api.?key", re.IGNORECASE)
_SECRET_PARAMETER: Final = re.compile(
    r"passw|token|secret|jwt|api.?key|session|signature|code|authori[sz]ation|(?:^|[_-])(?:key|sig|auth)$",
    re.IGNORECASE,
)
_EMAIL: Final = re.compile(r"[\w.+%-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_TOKENS: Final = re.compile(
    r"eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
    r"|\b[0-9A-Fa-f]{32,}\b"
    r"|(?<![\w+/=-])(?=[\w+/=-]{0,200}[a-z])(?=[\w+/=-]{0,200}[A-Z])(?=[\w+/=-]{0,200}\d)[\w+=-]{40,}"
)
_VARIABLE: Final = re.compile(r"\$(\w+)")
_MOST_TOKENS: Final = 20_000
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
        pairs = [_pair(text) for text in query.split("&")]
        names = next((_without_secret_arguments(value)[1] for name, value in pairs if name == "query"), frozenset())
        return self.text(unquote(path) + mark + "&".join(_parameter(name, value, names) for name, value in pairs))

    def body(self, text: str) -> str:
        """Return the JSON body of a request as a short text without secrets. Other bodies are hidden."""
        return shortened(self.text(_redacted_json(text, _operations))) if text else ""

    def value(self, key: str, value: Any) -> str:
        """Return a JSON value as a short text without secrets. `key` is the name of its attribute."""
        if value is not None and _SECRET_KEY.search(key):
            return "<hidden>"
        text = orjson.dumps(_without_secret_keys(value)).decode()
        if len(text) <= _MOST_SEARCHED:
            return shortened(self.text(text))
        redacted = self.text(text[:_MOST_SEARCHED])
        return f"{redacted[: min(MOST_TEXT, len(redacted) // 2)]}..."  # the cut can be inside an address


def _pair(parameter: str) -> tuple[str, str | None]:
    name, equals, value = parameter.partition("=")
    name = unquote(name)
    if not equals:
        return name, None
    return name, unquote_plus(value) if name in ("query", "variables") else unquote(value)


def _parameter(name: str, value: str | None, variables: Container[str]) -> str:
    """Return a parameter without secrets. `variables` are names of GraphQL variables that hold secrets."""
    if value is None:
        return name
    if _SECRET_PARAMETER.search(name):
        return f"{name}=<hidden>"
    if name == "query" and "{" in value:
        value, _ = _without_secret_arguments(value)
    elif name == "variables":
        value = _redacted_json(value, lambda found: _without_secret_keys(found, _SECRET_PARAMETER, variables))
    return f"{name}={value}"


def _redacted_json(text: str, redact: Callable[[Any], Any]) -> str:
    """Return JSON after a function has removed its secrets. JSON that is invalid or too deep is hidden."""
    try:
        return orjson.dumps(redact(orjson.loads(text))).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, RecursionError):
        return "<hidden>"


def _operations(value: Any) -> Any:
    return [_operation(one) for one in value] if isinstance(value, list) else _operation(value)


def _operation(value: Any) -> Any:
    """Return a GraphQL request, or another JSON value, without secrets."""
    names: Container[str] = ()
    if isinstance(value, dict) and isinstance(value.get("query"), str):
        document, names = _without_secret_arguments(value["query"])
        value = {**value, "query": document}
    return _without_secret_keys(value, _SECRET_PARAMETER, names)


def shortened(text: str) -> str:
    """Return a text of at most `MOST_TEXT` characters."""
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}..."


def _without_secret_keys(value: Any, secret: re.Pattern[str] = _SECRET_KEY, names: Container[str] = ()) -> Any:
    if isinstance(value, dict):
        return {
            key: "<hidden>" if key in names or secret.search(key) else _without_secret_keys(item, secret, names)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_without_secret_keys(item, secret, names) for item in value]
    return value


def _without_secret_arguments(document: str | None) -> tuple[str, frozenset[str]]:
    """Return a GraphQL document without the values of secret arguments, and the variables that hold some of them."""
    try:
        tree = parse(document or "", max_tokens=_MOST_TOKENS)
    except (GraphQLError, RecursionError):
        return "<hidden>", frozenset()
    secrets = _SecretValues()
    visit(tree, secrets)
    text, names = document or "", frozenset(_VARIABLE.findall(" ".join(map(_source_of, secrets.values))))
    defaults = [value for name, value in secrets.defaults if name in names or _SECRET_PARAMETER.search(name)]
    locations = sorted((node.loc.start, node.loc.end) for node in (*secrets.values, *defaults) if node.loc)
    return _cut(text, locations), names


def _cut(text: str, locations: Iterable[tuple[int, int]]) -> str:
    """Return a text with hidden parts. `locations` are sorted, and can contain each other."""
    parts, position = [], 0
    for start, end in locations:
        if start >= position:
            parts += [text[position:start], '"<hidden>"']
            position = end
    return "".join((*parts, text[position:]))


class _SecretValues(Visitor):
    """Collects the values of secret arguments, and the default values of variables."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[ValueNode] = []
        self.defaults: list[tuple[str, ValueNode]] = []

    def enter_argument(self, node: ArgumentNode, *_: object) -> VisitorAction:
        return self._enter(node)

    def enter_object_field(self, node: ObjectFieldNode, *_: object) -> VisitorAction:
        return self._enter(node)

    def enter_variable_definition(self, node: VariableDefinitionNode, *_: object) -> VisitorAction:
        if node.default_value is not None:
            self.defaults.append((node.variable.name.value, node.default_value))
        return SKIP if node.default_value is not None and _SECRET_PARAMETER.search(node.variable.name.value) else None

    def _enter(self, node: ArgumentNode | ObjectFieldNode) -> VisitorAction:
        if not _SECRET_PARAMETER.search(node.name.value):
            return None
        self.values.append(node.value)
        return SKIP


def _source_of(node: ValueNode) -> str:
    return node.loc.source.body[node.loc.start : node.loc.end] if node.loc else ""
