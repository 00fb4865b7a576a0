"""Index advice: the index that would speed up a read, as a content type declares it, or why there is none."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.query.operators import Test
from octavo.query.plan.index_candidates import AttributeTest, IndexableRead
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.attributes import LOCALE, PUBLISHED_AT
from octavo.schema.content_types import CONTAINS, ORDER, ContentType, DeclaredIndex
from octavo.schema.definition_values import Reader
from octavo.schema.parse_indexes import read_declared_indexes, with_parts_indexes
from octavo.schema.problems import DefinitionProblem
from octavo.schema.registry import Registry

_MOST: Final = 8
"""Maximum number of attributes of an index."""
_EQUAL: Final = frozenset({Test.EQUAL.value, Test.AMONG.value})
_RANGES: Final = frozenset(
    {Test.LESS.value, Test.LESS_OR_EQUAL.value, Test.GREATER.value, Test.GREATER_OR_EQUAL.value, Test.BETWEEN.value}
)
_NO_INDEX: Final = {
    Test.STARTS_WITH.value: "no index supports prefixes ($startsWith) here",
    Test.ENDS_WITH.value: "no index supports suffixes ($endsWith)",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """An index to declare on a content type, and its purpose."""

    uid: str
    index: DeclaredIndex
    why: str

    @property
    def raw(self) -> Any:
        """Return the index as written in a definition."""
        names = [f"{'-' if key.descending else ''}{key.attribute}" for key in self.index.keys]
        return names if self.index.kind == ORDER else {"attributes": names, "kind": self.index.kind}


@dataclass(frozen=True, slots=True)
class NoIndex:
    """Why no index can be declared for a part of a read."""

    uid: str
    why: str


def advise(wanted: IndexableRead, registry: Registry, dialect: Dialect) -> Iterator[Advice | NoIndex]:
    """Yield the indexes that would speed up a read, and the reasons why others do not."""
    content_type = registry.content_types.get(wanted.uid)
    tests = [test for test in wanted.tests if not _is_automatic(test)]
    if content_type is not None:
        yield from _for_parts(content_type, tests, dialect)
        yield from _for_order(content_type, tests, wanted.sort)
        yield from _without(content_type, tests, wanted.sort)
    elif tests:
        yield NoIndex(wanted.uid, "components cannot declare indexes")
    for related in wanted.related:
        yield from advise(related, registry, dialect)


def _is_automatic(test: AttributeTest) -> bool:
    """Return whether every read tests this: locale and publication state. Declared indexes include both."""
    if test.attribute == LOCALE:
        return not test.negated
    return test.attribute == PUBLISHED_AT and test.test in (Test.NULL.value, Test.LESS_OR_EQUAL.value)


def _for_parts(
    content_type: ContentType, tests: Iterable[AttributeTest], dialect: Dialect
) -> Iterator[Advice | NoIndex]:
    """Advise one index for all texts in a substring search: a search may use any of them."""
    parts = [test for test in tests if test.test == Test.CONTAINS.value and not test.negated]
    names = list(dict.fromkeys(test.attribute for test in parts))
    if not names:
        return
    if not (dialect.finds_parts or dialect.parts):
        yield NoIndex(content_type.uid, f"substrings of {', '.join(names)}: this database has no trigram indexes")
        return
    yield from _checked(content_type, names, CONTAINS, f"searches for substrings of {', '.join(names)}")


def _for_order(
    content_type: ContentType, tests: Iterable[AttributeTest], sort: tuple[tuple[str, bool], ...]
) -> Iterator[Advice | NoIndex]:
    """Advise an index for a sort or a range: attributes tested for equality come first."""
    plain = [test for test in tests if not (test.negated or test.ignores_case) and test.attribute != "id"]
    for test in plain:
        if test.either and test.test in _EQUAL | _RANGES:
            why = f"{test.attribute} is compared in an $or"
            yield from _checked(content_type, [test.attribute], ORDER, why)
    equal = [test.attribute for test in plain if test.test in _EQUAL and not test.either]
    ranges = [test.attribute for test in plain if test.test in _RANGES and not test.either]
    sorted_by = [] if any("." in name for name, _ in sort) else [*_before_the_id(sort)]
    behind = [f"{'-' if down else ''}{name}" for name, down in sorted_by if name not in equal] or ranges[:1]
    names = list(dict.fromkeys([*equal, *behind]))[:_MOST]
    if names:
        said = [f"compares {', '.join(equal)}"] if equal else []
        said += [f"sorts by {', '.join(name for name, _ in sorted_by)}"] if sorted_by else []
        said += [f"a range of {ranges[0]}"] if ranges and not sorted_by else []
        yield from _checked(content_type, names, ORDER, "; ".join(said))


def _before_the_id(sort: tuple[tuple[str, bool], ...]) -> Iterator[tuple[str, bool]]:
    """Yield the sort attributes before the id, which is unique, so that later ones have no effect."""
    for name, down in sort:
        if name == "id":
            return
        yield name, down


def _without(
    content_type: ContentType, tests: Iterable[AttributeTest], sort: tuple[tuple[str, bool], ...]
) -> Iterator[NoIndex]:
    uid = content_type.uid
    for name, _ in sort:
        if "." in name:
            yield NoIndex(uid, f"sorts by {name}: an index cannot sort by related entries here")
    for test in tests:
        if test.negated and test.test != Test.NULL.value:
            yield NoIndex(uid, f"{test.attribute} is negated: no index supports exclusions")
        elif test.test in _NO_INDEX:
            yield NoIndex(uid, f"{test.attribute}: {_NO_INDEX[test.test]}")
        elif test.test in _EQUAL and test.ignores_case:
            yield NoIndex(uid, f"{test.attribute} ignoring case ($eqi): no declared index supports it")


def _checked(content_type: ContentType, names: list[str], kind: str, why: str) -> Iterator[Advice | NoIndex]:
    """Yield the index if a definition can declare it and does not."""
    problems: list[DefinitionProblem] = []
    raw = names if kind == ORDER else {"attributes": names, "kind": kind}
    indexes = read_declared_indexes({"octavo": {"indexes": [raw]}}, content_type.attributes, Reader("", problems))
    if not indexes:
        yield from (NoIndex(content_type.uid, problem.message) for problem in problems)
    elif any(_serves(declared, indexes[0]) for declared in content_type.declared_indexes):
        yield NoIndex(content_type.uid, f"{why}: its index is already declared")
    else:
        yield Advice(content_type.uid, indexes[0], why)


def _serves(declared: DeclaredIndex, wanted: DeclaredIndex) -> bool:
    if declared.kind != wanted.kind:
        return False
    if declared.kind == CONTAINS:
        return set(wanted.keys) <= set(declared.keys)
    return declared.keys[: len(wanted.keys)] == wanted.keys


def with_index(registry: Registry, advice: Advice) -> Registry:
    """Return the registry with an additional declared index."""
    before = registry.content_types[advice.uid]
    declared = (*before.declared_indexes, advice.index)
    attributes = with_parts_indexes(before.collection_name, before.attributes, declared)
    after = replace(before, declared_indexes=declared, attributes=attributes)
    others = {**registry.content_types, advice.uid: after}
    return Registry(others.values(), registry.components.values(), registry.remarks)
