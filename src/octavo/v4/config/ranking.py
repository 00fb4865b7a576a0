"""The precedence of a v4 project's configuration among the sources of settings, and missing settings."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from octavo.settings.findings import Finding, Outcome
from octavo.settings.problems import SettingsProblem
from octavo.settings.sources import PREFIX, Found, Given, stray_database_value
from octavo.v4.config.matching import HOW_TO_NAME_A_DATABASE
from octavo.v4.config.read import V4Files
from octavo.v4.config.rows import KEYS

Place = tuple[str, ...]

_DATABASE: Final = "database"
_CLIENT: Final = ("database", "client")
_FOR_SQLITE: Final = ("client", "filename", "url")
_FILENAME: Final = ("database", "filename")


def _is_explicit(source: str) -> bool:
    """Return whether the source is a file or a variable, not a default."""
    variable = source.removeprefix(".env: ")
    return source.endswith(".toml") or variable.isupper() or variable.upper().startswith(PREFIX)


class Ranking:
    """Environment variables that v4 reads through its files only count as far as the files read them.

    A variable that a file reads has the same value there, and overrides TOML as usual. A variable that contradicts a
    file is ignored, because v4 would not use it, and reported in `findings`.
    """

    def __init__(self, v4: V4Files) -> None:
        self._v4 = v4
        self.findings: list[Finding] = list(v4.findings)
        self._settled = {one.key.attributes: one.value for one in v4.given if not one.inside}
        self._has_hole = any(needed.place[0] == _DATABASE for needed in v4.needed)

    def variables(self, found: Found) -> Found:
        """Return the variables without those that v4 would ignore."""
        for given in found:
            if isinstance(given, SettingsProblem):
                key = KEYS.get(given.key)
                if key is None or not self._is_settled(key.attributes):
                    yield given
            elif self._is_settled(given.key.attributes) and self._settled.get(given.key.attributes) != given.value:
                self._report(given)
            else:
                yield given

    def _is_settled(self, place: Place) -> bool:
        """Return whether the project's files set it, or define the database completely."""
        has_database = self._v4.has_database and not self._has_hole
        return place in self._settled or (has_database and place[0] == _DATABASE)

    def _report(self, given: Given) -> None:
        if given.key.attributes not in self._settled or given.key.name == "ssl":
            return
        message = (
            f"ignored, because the project's files set another value, as in v4; {given.key.variable} overrides them"
        )
        ignored = Finding(outcome=Outcome.IDLE, file=given.source, line=0, key="", message=message)
        if ignored not in self.findings:
            self.findings.append(ignored)

    def settled(self, sources: Mapping[Place, str]) -> Iterator[Finding]:
        """Yield the findings. A key that was not understood needs no attention if another source sets it."""
        for finding in self.findings:
            source = self._elsewhere(finding, sources)
            if source:
                message = f"{finding.message}; {source} sets it"
                yield replace(finding, outcome=Outcome.IDLE, message=message)
            else:
                yield finding

    def _elsewhere(self, finding: Finding, sources: Mapping[Place, str]) -> str:
        if finding.outcome not in (Outcome.CLOSED, Outcome.OPEN) or not finding.setting:
            return ""
        place = KEYS[finding.setting].attributes
        said = [sources.get(place, ""), sources.get(_CLIENT, "") if place[0] == _DATABASE else ""]
        return next(filter(_is_explicit, said), "")

    def missing(self, chosen: Mapping[Place, Given]) -> Iterator[SettingsProblem]:
        """Yield the problems for settings that the start requires and no source provides."""
        needed = [one for one in self._v4.needed if not self._is_known(one.place, chosen)]
        yield from dict.fromkeys(one.problem for one in needed)
        if not any(one.place[0] == _DATABASE for one in needed):
            yield from self._missing_database(chosen)

    def _is_known(self, place: Place, chosen: Mapping[Place, Given]) -> bool:
        if place in chosen or place[0] != _DATABASE:
            return place in chosen
        client = chosen.get(_CLIENT)
        if client is None or client.source not in self._sources():
            return client is not None
        return place[1] not in _FOR_SQLITE if client.value == "sqlite" else place == _FILENAME

    def _sources(self) -> set[str]:
        return {given.source for given in self._v4.given}

    def _missing_database(self, chosen: Mapping[Place, Given]) -> Iterator[SettingsProblem]:
        client = chosen.get(_CLIENT)
        if (stray := stray_database_value(chosen)) is not None:
            yield stray
        elif _FILENAME in chosen:
            return
        elif client is None:
            what = "has no client" if self._v4.has_database else "is missing"
            message = f"{what}, so the database is unknown; {HOW_TO_NAME_A_DATABASE}"
            yield SettingsProblem("config/database", "", message)
        elif client.value == "sqlite":
            yield SettingsProblem(client.source, "connection.filename", f"is missing; {HOW_TO_NAME_A_DATABASE}")
