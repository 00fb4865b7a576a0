"""What `*` means in a list of origins of `strapi::cors`: everybody before v4 4.24, as it does alone; nobody since.

Rules are known once all sources are read, so the list of a v4 project holds its `*` until then.
"""

from collections.abc import Container, Iterable, Iterator, MutableMapping
from dataclasses import replace
from typing import Final

from octavo.settings.findings import Finding
from octavo.settings.sources import Given

_CORS: Final = ("api", "compat", "cors")
_STAR_ORIGINS: Final = ("api", "compat", "star_origins")
_ORIGINS: Final = ("middlewares", "cors", "origins")
_RULE: Final = "api.compat.starOrigins"
_SAYS: Final = {
    "everyone": f'in a list "*" lets in everybody, as v4 did before 4.24 ({_RULE})',
    "none": f'in a list "*" lets nobody in, as in v4 since 4.24 ({_RULE}); '
    "write origins = [...] below [cors] into config/middlewares.toml",
}


def settle_star(chosen: MutableMapping[tuple[str, ...], Given], sources: Container[str], anybody: str) -> None:
    """Put the rule in the place of a `*`. `sources` are the places of the project's own configuration.

    `anybody` is how the rule `cors` meets any origin; it stays as it is where another source sets it.
    """
    origins = chosen.get(_ORIGINS)
    if origins is None or origins.source not in sources or "*" not in origins.value:
        return
    cors = chosen[_CORS]
    if chosen[_STAR_ORIGINS].value == "everyone" and cors.source == origins.source:
        chosen[_CORS] = cors = replace(cors, value=anybody)
    if cors.value == "exact":
        chosen[_ORIGINS] = replace(origins, value=tuple(one for one in origins.value if one != "*"))


def tell_star(findings: Iterable[Finding], rule: str) -> Iterator[Finding]:
    """The findings, with what comes of a `*` in a list."""
    for finding in findings:
        if finding.setting == ".".join(_ORIGINS) and "*" in (finding.value or ()):
            yield replace(finding, message=_SAYS[rule])
        else:
            yield finding
