"""The configuration of a v4 project for the settings loader (`octavo.settings.v4_package.V4Configuration`)."""

from collections.abc import Container, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from octavo.settings.findings import Finding, Outcome
from octavo.settings.model import Settings
from octavo.settings.problems import SettingsProblem
from octavo.settings.provider_checks import (
    Wrong,
    mail_is_from_v4,
    mail_problems,
    storage_problems,
    upload_is_from_v4,
)
from octavo.settings.sources import Found, Given
from octavo.v4.config.ranking import Ranking
from octavo.v4.config.read import V4Files, read_v4
from octavo.v4.config.rows import KEYS

_CORS: Final = ("api", "compat", "cors")
_STAR_ORIGINS: Final = ("api", "compat", "star_origins")
_ORIGINS: Final = ("middlewares", "cors", "origins")
_RULE: Final = "api.compat.starOrigins"
_SAYS: Final = {
    "everyone": f'"*" in a list allows all origins, as in v4 before 4.24 ({_RULE})',
    "none": f'"*" in a list allows no origin, as in v4 since 4.24 ({_RULE}); '
    "set origins = [...] under [cors] in config/middlewares.toml",
}


def resolve_star(chosen: MutableMapping[tuple[str, ...], Given], sources: Container[str], anybody: str) -> None:
    """Replace a `*` in the list of origins by the rule for it. `sources` are the project's configuration files.

    `anybody` is the value of the rule `cors` that allows any origin. If another source sets the rule, it is unchanged.
    """
    origins = chosen.get(_ORIGINS)
    if origins is None or origins.source not in sources or "*" not in origins.value:
        return
    cors = chosen[_CORS]
    if chosen[_STAR_ORIGINS].value == "everyone" and cors.source == origins.source:
        chosen[_CORS] = cors = replace(cors, value=anybody)
    if cors.value == "exact":
        chosen[_ORIGINS] = replace(origins, value=tuple(one for one in origins.value if one != "*"))


def star_findings(findings: Iterable[Finding], rule: str) -> Iterator[Finding]:
    """Yield the findings, with the effect of a `*` in the list of origins."""
    for finding in findings:
        if finding.setting == ".".join(_ORIGINS) and "*" in (finding.value or ()):
            yield replace(finding, message=_SAYS[rule])
        else:
            yield finding


def provider_findings(settings: Settings) -> Iterator[Finding]:
    """Yield the reasons why uploads or email are disabled, although the start continues."""
    if upload_is_from_v4(settings):
        yield from (_closed(settings, wrong, "uploads are disabled") for wrong in storage_problems(settings))
    if mail_is_from_v4(settings):
        yield from (_closed(settings, wrong, "email is disabled") for wrong in mail_problems(settings))


def _closed(settings: Settings, wrong: Wrong, effect: str) -> Finding:
    place, expected = wrong
    provider = settings.sources[(*place[:3], "provider")]
    file, _, line = provider.rpartition(":")
    setting = next((name for name, key in KEYS.items() if key.attributes == place), "")
    return Finding(
        outcome=Outcome.CLOSED,
        file=file,
        line=int(line),
        key=KEYS[setting].dotted if setting else ".".join(place[1:]),
        setting=setting,
        message=f"{expected}; set it in config/plugins.toml; until then, {effect}",
    )


_FOLDER: Final = "config/env/production"


def unread_environment(project: Path, variables: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a warning for a production service whose files v4 would read as development, which Octavo does as well."""
    if not variables.get("NODE_ENV") and (project / _FOLDER).is_dir():
        message = "not read, because NODE_ENV defaults to development; set NODE_ENV=production, or NODE_ENV=development"
        yield Finding(outcome=Outcome.OPEN, file=_FOLDER, line=0, key="", message=message)


Place = tuple[str, ...]


class Configuration:
    """A project's configuration, and its precedence among the other sources."""

    def __init__(self, project: Path, variables: Mapping[str, str], files: V4Files) -> None:
        self._project = project
        self._variables = variables
        self._ranking = Ranking(files)
        self._sources = {given.source for given in files.given}
        self.defaults: Iterable[Given] = files.defaults
        self.given: Iterable[Given] = files.given
        self.plugins = files.plugins

    def visible(self, variables: Found) -> Found:
        """Return the environment variables that v4 would also read."""
        return self._ranking.variables(variables)

    def resolve_origins(self, chosen: MutableMapping[Place, Given], anybody: str) -> None:
        """Replace a `*` in the project's list of origins. `anybody` is the rule that allows any origin."""
        resolve_star(chosen, self._sources, anybody)

    def missing(self, chosen: Mapping[Place, Given]) -> Iterable[SettingsProblem]:
        """Return the settings that the start requires and no source provides."""
        return self._ranking.missing(chosen)

    def findings(self, settings: Settings) -> Iterator[Finding]:
        """Return the outcome for each key."""
        if settings.mode == "production":
            yield from unread_environment(self._project, self._variables)
        settled = self._ranking.settled(settings.sources)
        yield from star_findings(settled, settings.api.compat.star_origins)
        yield from provider_findings(settings)


def read_configuration(project: Path, variables: Mapping[str, str]) -> Configuration | None:
    """Read `config/*` with the `NODE_ENV` of the variables. Raises ValueError if `package.json` cannot be read."""
    files = read_v4(project, variables, variables.get("NODE_ENV") or "development")
    return None if files is None else Configuration(project, variables, files)
