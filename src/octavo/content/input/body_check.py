"""BodyCheck: collect what to query for an entry's body, and validate the body with the results.

Raises ValidationError with all problems.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Final

from octavo.content.input.column_values import store
from octavo.content.input.input_tree import (
    BodyProblem,
    InputNode,
    meaningless_relations,
    placed_targets,
    read_body,
    wanted_targets,
)
from octavo.content.input.prefetch import Prefetched, state_facts
from octavo.content.input.unique_values import unique_values
from octavo.content.input_path import TOP
from octavo.content.validation.body_validator import Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.core.errors import Problem, ValidationError
from octavo.core.forms.printing import type_message
from octavo.core.values import dataclass
from octavo.query.plan.present_state import Fact, TargetsFact, UniqueFact
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.write.present_state import scalar_of
from octavo.schema.attributes import TIMESTAMPS, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import LARGEST_ID, SCALAR_TYPES, ValueKind

_DATES: Final = frozenset({ValueKind.DATE, ValueKind.TIME, ValueKind.DATETIME, ValueKind.TIMESTAMP})


def unreadable_dates(body: InputNode, dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each date of the entry and its components that cannot be parsed, except timestamps."""
    for node in body.walk():
        for name, value in node.scalars.items():
            attribute = scalar_of(node.definition, name)
            if value is None or name in TIMESTAMPS or SCALAR_TYPES[attribute.type].kind not in _DATES:
                continue
            trail = node.trail.child(name)
            try:
                store(attribute, value, trail, dialect)
            except ValidationError as error:
                yield trail.problem(error.message)


@dataclass(frozen=True, slots=True)
class WriteRules:
    """Rules for validating bodies: `relationErrors`, `zoneComponents`, `linkedFiles`, `replacedFiles`,
    `futurePublication`, `sharedValues` and `validation`.

    `place_relations`: problems of relations and dates have a path. `listed_only`: dynamic zones only accept the
    components they list. `find_files`: linking files requires permission to find files. `destroy_replaced`: replacing
    files requires permission to delete files. `hides_future`: entries with a future publication date are not live yet.
    `share_always`: every save of a localization updates the shared values, in every API. `strict`: values that v4 does
    not validate are validated (`Mode.strict`).
    """

    place_relations: bool = False
    listed_only: bool = False
    find_files: bool = False
    destroy_replaced: bool = False
    hides_future: bool = False
    share_always: bool = False
    strict: bool = False


V4_RULES: Final = WriteRules()


class BodyCheck:
    """One body, parsed and validated as far as possible without the database.

    `own` is the id of the entry to update. `translates` is the id of the entry that a new localization belongs to.
    `mode` is at least as strict as the final mode.
    """

    def __init__(
        self,
        registry: Registry,
        dialect: Dialect,
        content_type: ContentType,
        data: Mapping[str, Any],
        mode: Mode,
        own: int | None = None,
        rules: WriteRules = V4_RULES,
        translates: int | None = None,
    ) -> None:
        self._registry = registry
        self._dialect = dialect
        self._placing = rules.place_relations
        self._listed_only = rules.listed_only
        self._content_type = content_type
        self._data = data
        self._strict = rules.strict
        self._mode = mode = self._strictly(mode)
        self._own = own
        self._relation_problems: list[Problem] = []
        outcome = Validator(registry, mode, listed_only=rules.listed_only).entry(content_type, data)
        self._problems = outcome.problems
        self.body = self._read(outcome.value)
        if rules.place_relations:
            self._relation_problems += meaningless_relations(self.body)
        self._dates = [*unreadable_dates(self.body, dialect)] if rules.place_relations else []
        self._wanted = wanted_targets(self.body, every=rules.place_relations)
        self.unique = unique_values(self.body, own, dialect, translates)

    def _strictly(self, mode: Mode) -> Mode:
        return replace(mode, strict=True) if self._strict else mode

    def _read(self, value: Mapping[str, Any]) -> InputNode:
        try:
            return read_body(self._registry, self._content_type, value)
        except BodyProblem as error:
            self._relation_problems.append(error.placed if self._placing else error.problem)
            return read_body(self._registry, self._content_type, _without_links(self._content_type, value))

    def facts(self) -> list[Fact]:
        """Return the facts to query."""
        facts: list[Fact] = list(self.unique)
        for uid, targets in self._wanted.items():
            ids = tuple({int(one): None for one in targets if isinstance(one, int) and 0 < one <= LARGEST_ID})
            if ids:
                facts.append(TargetsFact(definition=self._registry.content_types[uid], ids=ids))
        if self._own is not None:
            facts += state_facts(self.body, self._own)
        return facts

    def problems(self, mode: Mode, found: Prefetched, others: Set[UniqueFact] = frozenset()) -> list[Problem]:
        """Return all problems. `others` are unique values, without `own_id`, of bodies before this one."""
        taken = frozenset(
            trail.path
            for fact, trails in self.unique.items()
            for trail in (
                trails
                if found.is_taken(fact) or (others and replace(fact, own_id=None, rewritten=None) in others)
                else trails[1:]
            )
        )
        problems = [*self._found(self._strictly(mode), taken), *self._dates]
        return problems + (self._relation_problems or (self._misplaced if self._placing else self._missing)(found))

    def _found(self, mode: Mode, taken: frozenset[tuple[str, ...]]) -> Sequence[Problem]:
        """Return the problems inside the body; validates again only if the result can differ."""
        if not taken and (mode == self._mode or not self._problems):
            return self._problems
        validator = Validator(self._registry, mode, taken, self._listed_only)
        return validator.entry(self._content_type, self._data).problems

    def _missing(self, found: Prefetched) -> list[Problem]:
        """Return the problems of missing targets as Strapi reports them: counted, and for one type only."""
        for uid, targets in self._wanted.items():
            if not self._dialect.column_limits.other_types and any(isinstance(one, str) for one in targets):
                return [TOP.problem("Invalid relations")]
            existing = found.existing(self._registry.content_types[uid])
            missing = len(targets) - len(existing.intersection(targets))
            if missing:
                return [TOP.problem(_missing_message(missing, uid))]
        return []

    def _misplaced(self, found: Prefetched) -> list[Problem]:
        """Return the problems of missing targets, each with its path."""
        existing = {uid: found.existing(self._registry.content_types[uid]) for uid in self._wanted}
        return [
            Problem(path, _missing_message(1, uid))
            for uid, path, target in placed_targets(self.body)
            if target not in existing[uid]
        ]


def plain_fact(fact: UniqueFact) -> UniqueFact:
    """Return the fact for a unique value without regard to the entry that has it."""
    return replace(fact, own_id=None, rewritten=None)


def check_object(data: Any) -> None:
    """Raise ValidationError for data that is not an object."""
    if not isinstance(data, Mapping):
        raise ValidationError.from_problems([TOP.problem(type_message("this", "object", None, data))])


def _missing_message(count: int, uid: str) -> str:
    return f"{count} relation(s) of type {uid} associated with this entity do not exist"


def _without_links(definition: Definition, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return only the scalars of a body whose relations cannot be parsed."""
    return {name: item for name, item in value.items() if isinstance(definition.attributes.get(name), Scalar)}
