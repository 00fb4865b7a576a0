"""Build an administrator's ability from grants, content types and conditions."""

import asyncio
import inspect
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.admin.ability import NEVER, AdminAbility, Share
from octavo.access.authorization.admin.catalogue import ALL_PLUGINS, Catalogue
from octavo.access.authorization.admin.conditions import Condition, Holder, Verdict, by_id
from octavo.access.authorization.admin.grants import Grant
from octavo.access.authorization.admin.names import ON_FILES
from octavo.access.authorization.permissions import CODE, EVERYTHING, NOTHING
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.access.authorization.strictness import Strictness
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.query.ast import And, At, Compare, Filter, Or, Query
from octavo.query.operators import OPERATORS
from octavo.schema.attributes import LOCALE
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_MOST_KEPT: Final = 500
_LONGEST: Final = 5.0
"""Seconds that evaluating a condition can take."""

_STRICT: Final = Strictness(refuse_operators=True)

Decided = tuple[tuple[str, Verdict], ...]
"""The verdicts of the conditions in the grants, by condition id."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """An administrator's abilities: one for the admin API, one for the content API."""

    pages: Ability
    content: Ability


NO_ABILITIES: Final = Abilities(NOTHING, NOTHING)


class AbilityBuilder:
    """Builds abilities for one site. Administrators with the same permissions share cached abilities."""

    def __init__(
        self, registry: Registry, conditions: Iterable[Condition] = (), plugins: Collection[str] = ALL_PLUGINS
    ) -> None:
        self.registry = registry
        self.catalogue = Catalogue(registry, plugins)
        self.conditions: dict[str, Condition] = by_id(conditions)
        self._everything = Abilities(
            AdminAbility(registry, {}, everything=True, knows_private=True),
            AdminAbility(registry, {}, everything=True, knows_private=False),
        )
        self._made = lru_cache(_MOST_KEPT)(self._make)

    def of_super_admins(self) -> Abilities:
        """Return the abilities of a super admin."""
        return self._everything

    async def of(self, holder: Holder, grants: tuple[Grant, ...]) -> Abilities:
        """Return the abilities that these grants give an administrator."""
        named = {name for grant in grants for name in grant.conditions}
        return self._made(grants, tuple([(name, await self._decide(name, holder)) for name in sorted(named)]))

    async def _decide(self, name: str, holder: Holder) -> Verdict:
        """Return a condition's verdict. An unknown or failing condition selects no entries."""
        condition = self.conditions.get(name)
        if condition is None:
            _warn_unknown(name)
            return False
        try:
            decided = condition.decide(holder)
            if not inspect.isawaitable(decided):
                return decided
            async with asyncio.timeout(_LONGEST):
                return await decided
        except Exception:
            logger.exception("The condition %s failed; its permission does not apply", name)
            return False

    def _make(self, grants: tuple[Grant, ...], decided: Decided) -> Abilities:
        verdicts = dict(decided)
        shares: dict[tuple[str, str | None], list[Share]] = defaultdict(list)
        for grant in grants:
            share = self._share(grant, verdicts)
            if share is not None:
                shares[grant.action, grant.subject].append(share)
        kept = {key: tuple(dict.fromkeys(some)) for key, some in shares.items()}
        pages, content = (AdminAbility(self.registry, kept, grants, knows_private=private) for private in (True, False))
        return Abilities(pages, content)

    def _share(self, grant: Grant, verdicts: Mapping[str, Verdict]) -> Share | None:
        """Return what a grant gives; None if nothing."""
        in_conditions = self._in_conditions(grant, verdicts)
        if in_conditions == NEVER:
            return None
        filters = [one for one in (self._in_locales(grant), in_conditions) if one is not None]
        whole = And(items=tuple(filters)) if len(filters) > 1 else filters[0] if filters else None
        return Share(grant.fields, whole, grant.locales or frozenset())

    def _in_locales(self, grant: Grant) -> Filter | None:
        """Return the filter for the entries in a grant's locales.

        As in v4, a grant without locales allows the action but matches no entries. This includes grants created before
        the type was localized.
        """
        content_type = self.registry.content_types.get(grant.subject or "")
        if content_type is None or not content_type.localized:
            return None
        if not grant.locales:
            return NEVER
        compare = Compare(operator=OPERATORS["$in"], values=tuple(sorted(grant.locales)))
        return At(attribute=LOCALE, filter=compare)

    def _in_conditions(self, grant: Grant, verdicts: Mapping[str, Verdict]) -> Filter | None:
        decided = [(name, verdicts[name]) for name in grant.conditions]
        if not decided or any(verdict is True for _, verdict in decided):
            return None
        filters = tuple(
            verdict
            for name, verdict in decided
            if not isinstance(verdict, bool) and self._means_something(name, verdict, grant)
        )
        if not filters:
            return NEVER
        return filters[0] if len(filters) == 1 else Or(items=filters)

    def _means_something(self, name: str, verdict: Filter, grant: Grant) -> bool:
        """Return whether a condition's filter is valid for the grant's subject; otherwise it matches no entries."""
        subject = grant.subject or (FILE if grant.action in ON_FILES.values() else None)
        content_type = self.registry.content_types.get(subject or "")
        if content_type is None:
            return True  # no entries
        try:
            kept = QuerySanitizer(self.registry, CODE, _STRICT).sanitize(Query(filters=verdict), content_type)
            if kept.filters == verdict:
                return True
            why = "parts of it are empty"
        except OctavoError as error:
            why = error.message
        _warn_unfit(name, content_type.uid, why)
        return False


@lru_cache(maxsize=1000)
def _warn_unfit(name: str, uid: str, why: str) -> None:
    logger.warning("The condition %s matches no entry of %s: %s", name, uid, why)


@lru_cache(maxsize=1000)
def _warn_unknown(name: str) -> None:
    logger.warning("Unknown condition %s in administrators' permissions: it matches no entry", name)


class NoSite:
    """The rights before a site is set up: super admins can do everything, other administrators nothing."""

    def of_super_admins(self) -> Abilities:
        return Abilities(CODE, EVERYTHING)

    async def of(self, holder: Holder, grants: tuple[Grant, ...]) -> Abilities:
        return NO_ABILITIES
