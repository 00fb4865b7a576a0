"""The headers of `strapi::security` as v4 sends them: the project's options merged with v4's defaults."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from octavo.v4.config.convert import flag, text, whole
from octavo.v4.config.rows import Reading, Readings

POLICY_SETTING: Final = "middlewares.security.contentSecurityPolicy"

_DIRECTIVES: Final[Mapping[str, Any]] = {
    "connect-src": ["'self'", "https:"],
    "img-src": ["'self'", "data:", "blob:", "https://market-assets.strapi.io"],
    "media-src": ["'self'", "data:", "blob:"],
    "upgrade-insecure-requests": None,
}
_FURTHER: Final[Mapping[str, Any]] = {
    "default-src": ["'self'"],
    "base-uri": ["'self'"],
    "font-src": ["'self'", "https:", "data:"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'self'"],
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "script-src": ["'self'"],
    "script-src-attr": ["'none'"],
    "style-src": ["'self'", "https:", "'unsafe-inline'"],
    "upgrade-insecure-requests": [],
}
"""The directives that `useDefaults` adds."""

_DEFAULTS: Final[Mapping[str, Any]] = {
    "contentSecurityPolicy": {"useDefaults": True, "directives": _DIRECTIVES},
    "crossOriginEmbedderPolicy": False,
    "crossOriginOpenerPolicy": False,
    "crossOriginResourcePolicy": False,
    "originAgentCluster": False,
    "xssFilter": False,
    "hsts": {"maxAge": 31_536_000, "includeSubDomains": True},
    "frameguard": {"action": "sameorigin"},
}


def read_security(value: Any) -> Readings:
    """Yield the policy and each header for the `config` of `strapi::security`; a disabled header is an empty text."""
    asked = _with_plain_names(value if isinstance(value, Mapping) else {})
    given = _over(asked, _DEFAULTS)
    yield Reading(POLICY_SETTING, _policy(given.get("contentSecurityPolicy")))
    for name, (header, word) in _HEADERS.items():
        if name in asked:
            said = given[name]
            header_value = "" if said is False else word(said if isinstance(said, Mapping) else {})
            yield Reading("middlewares.headers", header_value, (header,))


def default_policy() -> str:
    """Return the content security policy of a project without its own."""
    return _policy(_DEFAULTS["contentSecurityPolicy"])


def _with_plain_names(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the directives with dashed names; they may also be written as `imgSrc`."""
    policy = asked.get("contentSecurityPolicy")
    if not isinstance(policy, Mapping) or not isinstance(policy.get("directives"), Mapping):
        return asked
    directives = {_kebab(name): words for name, words in policy["directives"].items()}
    return {**asked, "contentSecurityPolicy": {**policy, "directives": directives}}


def _over(given: Any, defaults: Any) -> Any:
    """Merge a value with defaults; lists are merged by index, as in v4."""
    if isinstance(given, Mapping) and isinstance(defaults, Mapping):
        names = [*given, *(name for name in defaults if name not in given)]
        return {name: _over(given[name], defaults.get(name)) if name in given else defaults[name] for name in names}
    if isinstance(given, list) and isinstance(defaults, list):
        return [*given, *defaults[len(given) :]]
    return given


def _policy(value: Any) -> str:
    if value is False:
        return ""
    given = value if isinstance(value, Mapping) else {}
    directives = dict(_mapping(given.get("directives", _DIRECTIVES)))
    if flag(given.get("useDefaults", True)):
        directives = {**directives, **{name: words for name, words in _FURTHER.items() if name not in directives}}
    policy = ";".join(_directive(name, words) for name, words in directives.items() if words is not None)
    if flag(given.get("reportOnly", False)):
        raise ValueError("an enforced policy; reportOnly is not supported")
    return policy


def _directive(name: str, words: Any) -> str:
    listed = [words] if isinstance(words, str) else words
    if not isinstance(listed, list) or not re.fullmatch("[a-z-]+", name):
        raise ValueError("directives with lists of strings")
    return _header_text(" ".join([name, *(text(word) for word in listed if word is not None)]))


def _header_text(value: str) -> str:
    if not re.fullmatch(r"[\t\x20-\x7e]*", value) or ";" in value or "," in value:
        raise ValueError("values without commas, semicolons and line breaks")
    return value


def _kebab(name: str) -> str:
    return re.sub("[A-Z]", lambda found: "-" + found[0].lower(), name)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("an object with directives")
    return value


def _hsts(given: Mapping[str, Any]) -> str:
    parts = [f"max-age={whole(given.get('maxAge', 15_552_000))}"]
    parts += ["includeSubDomains"] if flag(given.get("includeSubDomains", True)) else []
    return "; ".join([*parts, "preload"] if flag(given.get("preload", False)) else parts)


def _expect_ct(given: Mapping[str, Any]) -> str:
    parts = [f"max-age={whole(given.get('maxAge', 0))}"]
    parts += ["enforce"] if flag(given.get("enforce", False)) else []
    uri = given.get("reportUri")
    return ", ".join([*parts, f'report-uri="{_header_text(text(uri))}"'] if uri else parts)


def _referrer(given: Mapping[str, Any]) -> str:
    policy = given.get("policy", "no-referrer")
    return ",".join(_header_text(text(word)) for word in (policy if isinstance(policy, list) else [policy]))


def _word(key: str, default: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda given: _header_text(text(given.get(key, default)))


def _always(word: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda given: word


_HEADERS: Final[Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]]] = {
    "crossOriginEmbedderPolicy": ("cross-origin-embedder-policy", _word("policy", "require-corp")),
    "crossOriginOpenerPolicy": ("cross-origin-opener-policy", _word("policy", "same-origin")),
    "crossOriginResourcePolicy": ("cross-origin-resource-policy", _word("policy", "same-origin")),
    "originAgentCluster": ("origin-agent-cluster", _always("?1")),
    "expectCt": ("expect-ct", _expect_ct),
    "referrerPolicy": ("referrer-policy", _referrer),
    "hsts": ("strict-transport-security", _hsts),
    "noSniff": ("x-content-type-options", _always("nosniff")),
    "dnsPrefetchControl": ("x-dns-prefetch-control", lambda given: "on" if flag(given.get("allow", False)) else "off"),
    "ieNoOpen": ("x-download-options", _always("noopen")),
    "frameguard": ("x-frame-options", lambda given: _word("action", "sameorigin")(given).upper()),
    "permittedCrossDomainPolicies": (
        "x-permitted-cross-domain-policies",
        _word("permittedPolicies", "none"),
    ),
    "xssFilter": ("x-xss-protection", _always("0")),
}
