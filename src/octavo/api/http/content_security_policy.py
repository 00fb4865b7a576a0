"""Content Security Policies of Octavo's own pages and of untrusted files. The project's policy is a setting."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

SANDBOX: Final = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""For uploaded files of types that could run scripts."""

WELCOME: Final = b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""For the start page."""

V4_PANEL: Final = (
    "default-src 'self'; connect-src 'self' https:; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "font-src 'self' https: data:; script-src 'self'; style-src 'self' https: 'unsafe-inline'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'self'; object-src 'none'"
)
"""For the built panel of a v4 project that configures no policy."""


def nonce_policy(nonce: str) -> str:
    """Return the policy of a page whose scripts and styles have `nonce`, with requests to its own origin only."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def admin_pages_policy(project_policy: str, previews: Iterable[str]) -> str:
    """Return the policy of the admin pages: image and media hosts of the project's policy, and frames of previews."""
    images, media = (_hosts(project_policy, directive) for directive in ("img-src", "media-src"))
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; "
        f"img-src 'self' data: blob:{images}; media-src 'self' data: blob:{media}; "
        f"frame-src 'self' blob:{_origins(previews)}; "
        "base-uri 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    )


def _hosts(policy: str, directive: str) -> str:
    """Return the hosts that a directive of a policy allows, each after a space.

    >>> _hosts("default-src 'none'; img-src 'self' data: media.example.org https://b.example", "img-src")
    ' media.example.org https://b.example'
    """
    directives = (part.split() for part in policy.split(";"))
    sources = next((words[1:] for words in directives if words and words[0] == directive), [])
    return "".join(f" {source}" for source in sources if "." in source and "'" not in source)


def _origins(urls: Iterable[str]) -> str:
    """Return the origins of URLs, each after a space.

    >>> _origins(["http://localhost:3000/a/{slug}", "https://example.org/{slug}", "http://localhost:3000/b"])
    ' http://localhost:3000 https://example.org'
    """
    parts = (urlsplit(url) for url in urls)
    return "".join(f" {origin}" for origin in dict.fromkeys(f"{url.scheme}://{url.netloc}" for url in parts))
