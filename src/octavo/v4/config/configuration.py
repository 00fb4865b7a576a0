"""The configuration of a v4 project as the settings loader reads it: `octavo.settings.v4_package.V4Configuration`."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path

from octavo.settings.findings import Finding
from octavo.settings.model import Settings
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import Found, Given
from octavo.v4.config.environments import unread_environment
from octavo.v4.config.provider_findings import provider_findings
from octavo.v4.config.ranking import Ranking
from octavo.v4.config.read import V4Files, read_v4
from octavo.v4.config.star_origins import settle_star, tell_star

Place = tuple[str, ...]


class Configuration:
    """What the project's files say, and how that ranks among the other sources."""

    def __init__(self, project: Path, variables: Mapping[str, str], files: V4Files) -> None:
        self._project = project
        self._variables = variables
        self._ranking = Ranking(files)
        self._sources = {given.source for given in files.given}
        self.defaults: Iterable[Given] = files.defaults
        self.given: Iterable[Given] = files.given
        self.plugins = files.plugins

    def visible(self, variables: Found) -> Found:
        """Return the environment variables that v4 would read, too."""
        return self._ranking.variables(variables)

    def settle_origins(self, chosen: MutableMapping[Place, Given], anybody: str) -> None:
        """Replace a `*` in the project's list of origins. `anybody` is the rule that allows any origin."""
        settle_star(chosen, self._sources, anybody)

    def missing(self, chosen: Mapping[Place, Given]) -> Iterable[SettingsProblem]:
        """Return what a start needs and no source has."""
        return self._ranking.missing(chosen)

    def findings(self, settings: Settings) -> Iterator[Finding]:
        """Return what became of each key."""
        if settings.mode == "production":
            yield from unread_environment(self._project, self._variables)
        settled = self._ranking.settled(settings.sources)
        yield from tell_star(settled, settings.api.compat.star_origins)
        yield from provider_findings(settings)


def read_configuration(project: Path, variables: Mapping[str, str]) -> Configuration | None:
    """Read `config/*` under the `NODE_ENV` of the variables. Raises ValueError if `package.json` cannot be read."""
    files = read_v4(project, variables, variables.get("NODE_ENV") or "development")
    return None if files is None else Configuration(project, variables, files)
