"""References to policies and middlewares: by name, with a config, or the function itself."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from octavo.core.values import dataclass
from octavo.project.functions import Function, function_at, place_of
from octavo.project.naming import did_you_mean
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.schema.naming import kebab_case


@dataclass(frozen=True, slots=True)
class Used:
    """A function, and its config where it is used."""

    function: Function
    config: Any = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UsedReader:
    """Resolves lists of references. A name without a prefix is searched in `owner` (`api::talk`), then in
    `global::`."""

    folder: Path
    problems: list[CodeProblem]
    owner: str = "global::"

    def read(self, given: Any, known: Mapping[str, Function], arguments: str, place: str) -> tuple[Used, ...]:
        """Return the references in a list, as functions of `arguments`. Errors are added to the problems.

        If a built-in function has a method `check_config`, it returns a message for an invalid config.
        """
        if given is None:
            return ()
        if not isinstance(given, list | tuple):
            self._refuse(place, f"expected a list, not {type(given).__name__}")
            return ()
        return tuple(self._items(given, known, arguments, place))

    def _items(self, given: Any, known: Mapping[str, Function], arguments: str, place: str) -> Iterator[Used]:
        for number, item in enumerate(given):
            named, config = _named(item)
            function = self._function(named, known, f"{place}.{number}", arguments)
            if function is None:
                continue
            check = getattr(function.call, "check_config", None)
            if check is not None and (message := check(config)) is not None:
                self._refuse(f"{place}.{number}", message)
            else:
                yield Used(function, config)

    def _function(self, item: Any, known: Mapping[str, Function], place: str, arguments: str) -> Function | None:
        if isinstance(item, str):
            function = next((known[name] for name in self._names(item) if name in known), None)
            if function is None:
                self._refuse(place, f"unknown name {item}{did_you_mean(item, known)}")
            return function
        where = f"{place} ({place_of(item, self.folder)})" if callable(item) else place
        try:
            return function_at(item, where, arguments)
        except InvalidCode as error:
            self.problems.extend(error.problems)
            return None

    def _names(self, item: str) -> Iterator[str]:
        for name in (item, item.replace("_", "-"), item.replace("-", "_")):
            yield name
            if "::" not in name:
                yield f"{self.owner}.{kebab_case(name)}"
                yield f"global::{name}"

    def _refuse(self, place: str, message: str) -> None:
        self.problems.append(CodeProblem(place, message))


def _named(item: Any) -> tuple[Any, Any]:
    """Return name and config of `name`, `(name, config)` or `{"name": ..., "config": ...}`."""
    if isinstance(item, Mapping):
        return item.get("name"), item.get("config", {})
    if isinstance(item, tuple) and len(item) == 2:
        return item
    return item, {}
