"""The settings of a sign-in provider: the table of its keys, parsed strictly from settings and leniently from v4's
stored values."""

from collections.abc import Iterator, Mapping
from dataclasses import field, fields
from typing import Any

from octavo.core.forms.texts import EXPECTED, is_web_link
from octavo.core.values import dataclass
from octavo.settings import values
from octavo.settings.keys import camel, canonical
from octavo.settings.values import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """The settings of one provider. None means not set."""

    enabled: bool | None = None
    key: str | None = None
    secret: str | None = field(default=None, repr=False)
    callback: str | None = None
    callbacks: tuple[str, ...] | None = None
    scope: tuple[str, ...] | None = None
    subdomain: str | None = None
    issuer: str | None = None
    authorize_url: str | None = None
    access_url: str | None = None
    profile_url: str | None = None

    def over(self, below: "ProviderSettings") -> "ProviderSettings":
        """Return these settings, with the values of `below` where these are not set."""
        said = {part.name: getattr(self, part.name) for part in fields(self)}
        return ProviderSettings(
            **{name: getattr(below, name) if value is None else value for name, value in said.items()}
        )


def _text(value: Any) -> str:
    """Return a text. Application keys are often digits, which are parsed as numbers in environment variables."""
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    raise ValueError


_KINDS: Mapping[Any, Kind] = {
    bool | None: values.FLAG,
    str | None: Kind("a string", _text, _text),
    tuple[str, ...] | None: values.TEXTS,
}
_KEYS = {canonical(part.name): (part.name, _KINDS[part.type]) for part in fields(ProviderSettings)}
_OLD_NAMES = {"callbackurl": "callback"}


_LINKS = frozenset({"callback", "callbacks", "issuer", "authorize_url", "access_url", "profile_url"})


def _is_page_link(value: Any) -> bool:
    """Return whether a value is a link. v4 stores its own paths without the leading slash."""
    if isinstance(value, str) and ":" not in value and value[:1] not in ("/", "\\"):
        value = f"/{value}"
    return is_web_link(value)


def provider_problems(name: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the problems in a table of settings: the path of each key, and the message."""
    for key, value in given.items():
        known = _KEYS.get(canonical(key))
        if known is None:
            yield f"{name}.{key}", f"unknown key; expected {', '.join(camel(key) for key, _ in _KEYS.values())}"
            continue
        try:
            known[1].from_toml(value)
        except ValueError:
            yield f"{name}.{key}", f"expected {known[1].expected}"
            continue
        links = value if isinstance(value, list | tuple) else [value]
        if known[0] in _LINKS and not all(_is_page_link(link) for link in links):
            yield f"{name}.{key}", f"expected {EXPECTED}"


def read_provider(given: Mapping[str, Any]) -> ProviderSettings:
    """Parse a valid table of settings. A provider in it is enabled by default."""
    known = {key: _KEYS[canonical(key)] for key in given}
    found = {name: kind.from_toml(given[key]) for key, (name, kind) in known.items()}
    return ProviderSettings(**{"enabled": True, **found})


def read_stored_provider(given: Any) -> ProviderSettings:
    """Parse a provider as stored by v4. Invalid or empty values are not set."""
    found: dict[str, Any] = {}
    for key, value in given.items() if isinstance(given, Mapping) else ():
        known = _KEYS.get(canonical(key)) or _KEYS.get(_OLD_NAMES.get(canonical(key), ""))
        if known is None or value in (None, "", []) or (known[0] in found and canonical(key) in _OLD_NAMES):
            continue
        links = value if isinstance(value, list | tuple) else [value]
        if known[0] in _LINKS and not all(_is_page_link(link) for link in links):
            continue
        try:
            found[known[0]] = known[1].from_toml(value)
        except ValueError:
            continue
    return ProviderSettings(**found)
