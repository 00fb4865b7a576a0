"""`app.conditions`: custom conditions that limit permissions of administrators to some entries."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar, overload

from octavo.access.authorization.admin.conditions import Condition, Holder, Verdict
from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.query.params import read_query

Decision = Mapping[str, Any] | bool
"""A filter as in requests (`{"price": {"$lt": 10}}`), or whether all entries match."""
Decide = Callable[[Holder], Decision | Awaitable[Decision]]
DecideT = TypeVar("DecideT", bound=Decide)

_NAME: Final = re.compile(r"[\w-]+", re.ASCII)


class Conditions:
    """Adds conditions that can limit the permissions of administrators to some entries."""

    def __init__(self, rights: AbilityBuilder) -> None:
        self._rights = rights

    @overload
    def add(
        self, name: str, display_name: str, *, category: str = "default", plugin: str | None = None
    ) -> Callable[[DecideT], DecideT]: ...
    @overload
    def add(
        self, name: str, display_name: str, decide: DecideT, *, category: str = "default", plugin: str | None = None
    ) -> DecideT: ...
    def add(
        self,
        name: str,
        display_name: str,
        decide: Decide | None = None,
        *,
        category: str = "default",
        plugin: str | None = None,
    ) -> Any:
        """Add a condition. Without a function, return a decorator.

        The function gets the administrator, and returns a filter (`{"price": {"$lt": 10}}`), True for all entries, or
        False for none. It can be async. Octavo calls it about once a second for each active administrator. If it fails,
        or the content type lacks an attribute of the filter, the condition allows no entry. Raises InvalidCode for an
        invalid or used name.
        """
        if decide is None:
            return partial(self._added, name, display_name, category, plugin)
        return self._added(name, display_name, category, plugin, decide)

    def _added(self, name: str, display_name: str, category: str, plugin: str | None, decide: Decide) -> Decide:
        for part in (name, *((plugin,) if plugin else ())):
            if not _NAME.fullmatch(part):
                raise _invalid(f"{part!r} is not a valid name; expected letters, digits, - and _")
        condition_id = f"plugin::{plugin}.{name}" if plugin else f"api::{name}"
        if condition_id in self._rights.conditions:
            raise _invalid(f"a condition {condition_id} already exists")
        self._rights.conditions[condition_id] = Condition(condition_id, display_name, category, _deciding(decide))
        return decide


def _invalid(why: str) -> InvalidCode:
    return InvalidCode([CodeProblem("app.conditions", why)])


def _deciding(decide: Decide) -> Callable[[Holder], Awaitable[Verdict]]:
    async def verdict(holder: Holder) -> Verdict:
        decided = decide(holder)
        said = await decided if inspect.isawaitable(decided) else decided
        if isinstance(said, bool):
            return said
        if not isinstance(said, Mapping):
            raise TypeError(f"a condition must return a filter, True or False, not {type(said).__name__}")
        found = read_query({"filters": said}).filters
        if found is None:
            raise ValueError("a condition must not return an empty filter; return True instead")
        return found

    return verdict
