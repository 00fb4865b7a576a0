"""Index advice: which indexes would help slow or given requests, and how to declare them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from octavo.access.authorization.permissions import EVERYTHING
from octavo.api.http.query_string import parse_query_string
from octavo.api.http.slow_requests import LONGEST_STATEMENT
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import EntryReader
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.declared_indexes import finish_indexes
from octavo.database.index_advice import Advice, NoIndex, advise, with_index
from octavo.database.index_trials import Trial, try_index
from octavo.database.synchronize import plan_changes, synchronize
from octavo.modeling.refactoring.definition_edits import replace_file
from octavo.operations.runtime import options
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.options import http_options
from octavo.query.params import read_query
from octavo.query.plan.index_candidates import IndexableRead
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.content_types import CONTAINS
from octavo.schema.definition_files import DefinitionFiles, project_source
from octavo.schema.problems import InvalidDefinitions
from octavo.schema.registry import Registry
from octavo.schema.writing import definition_text
from octavo.settings import Settings


class NoAdvice(Exception):
    """A request that no index can be proposed for, or a proposal that cannot be applied. The message is for display."""


@dataclass(frozen=True, slots=True)
class Case:
    """A slow or given request: its name and its conditions.

    `statement` can be unknown; `query` is set if it can be rebuilt.
    """

    name: str
    looked_for: IndexableRead
    statement: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An index, the cases that it would help, and the result of a trial."""

    advice: Advice
    cases: tuple[str, ...]
    trial: Trial


@dataclass(frozen=True, slots=True)
class Findings:
    """The indexes to declare, and by case, why no index helps."""

    proposals: tuple[Proposal, ...]
    without: tuple[tuple[str, NoIndex], ...]


class Advisor:
    """Analyze the cases of one project."""

    def __init__(self, settings: Settings, database: Database, registry: Registry) -> None:
        self._settings = settings
        self._database = database
        self._registry = registry

    def case_of(self, request: str) -> Case:
        """Return the case of a request such as `/api/articles?sort=title`, or of a whole URL. Raises NoAdvice."""
        if request.startswith(("http://", "https://")):
            request = urlsplit(request)._replace(scheme="", netloc="", fragment="").geturl()
        statement, read = self._prepare(request, self._registry)
        return Case(request, read, statement, request)

    def cases_of(self, slow: Iterable[Mapping[str, Any]]) -> list[Case]:
        """Return the cases of slow requests that a service reports, one per shape, slowest first."""
        cases: dict[IndexableRead, Case] = {}
        for one in sorted(slow, key=lambda each: each["slowest_milliseconds"], reverse=True):
            try:
                read = IndexableRead.read(one["looked_for"])
            except (KeyError, TypeError, ValueError):
                continue  # the service recorded no conditions
            whole = one["slowest"] if len(one["slowest"]) < LONGEST_STATEMENT else ""
            shape = f"?{one['shape']}" if one["shape"] else ""
            name = f"{one['path']}{shape}, {one['slowest_milliseconds']} ms"
            cases.setdefault(read, Case(name, read, whole))
        return list(cases.values())

    async def advise(self, cases: Iterable[Case]) -> Findings:
        """Return the indexes that would help. Raises ServiceUnavailable."""
        proposed: dict[Advice, list[Case]] = {}
        without: dict[tuple[str, NoIndex], None] = {}
        for case in cases:
            for one in advise(case.looked_for, self._registry, self._database.dialect):
                if isinstance(one, NoIndex):
                    without[case.name, one] = None
                else:
                    proposed.setdefault(_known(one, proposed), []).append(case)
        kept = {one: advice for one, advice in proposed.items() if not _is_covered(one, proposed)}
        proposals = [await self._proposal(one, advice) for one, advice in kept.items()]
        return Findings(tuple(proposals), tuple(without))

    async def _proposal(self, advice: Advice, cases: list[Case]) -> Proposal:
        first = cases[0]
        statement = "" if advice.index.kind == CONTAINS else first.statement
        if first.request:
            statement, _ = self._prepare(first.request, with_index(self._registry, advice))
        trial = await try_index(self._database, self._registry, advice, statement)
        return Proposal(advice, tuple(dict.fromkeys(case.name for case in cases)), trial)

    def _prepare(self, request: str, registry: Registry) -> tuple[str, IndexableRead]:
        """Return the statement of a request, and its conditions."""
        path, _, query = request.partition("?")
        name = path.removeprefix(self._settings.api.rest.prefix).strip("/")
        types = [one for one in registry.api_types() if one.plural_name == name and not one.is_single]
        if not types:
            raise NoAdvice(f"{path} is not a list of a content type; pass one such as /api/articles?sort=title")
        given = parse_query_string(query, merged=http_options(self._settings).merged_queries)
        reader = EntryReader(
            self._database, registry, keeps_totals=options.maintains_counts(self._settings), keeps_parts=True
        )
        strictness, hides = options.strictness(self._settings), options.hides_future(self._settings)
        reads = ContentReads(registry, reader, strictness, hides_future=hides)
        try:
            asked = ReadRequest(
                content_type=types[0],
                query=read_query(given, options.page_limits(self._settings)),
                by=By.LIST,
                drafts=Drafts.ASKED,
                locale=self._settings.plugins.i18n.config.default_locale if types[0].localized else "",
                given=given,
            )
            text = reads.prepare(asked, EVERYTHING).statement.text
        except OctavoError as error:
            raise NoAdvice(f"{request}: {error}") from error
        looked = reads.indexable_read(text)
        assert looked is not None, "it was prepared a moment ago"
        return text, looked

    async def apply(self, proposals: Iterable[Proposal]) -> list[str]:
        """Declare and create the indexes. Return messages for display. Raises NoAdvice, then nothing has changed."""
        pending = await plan_changes(self._database, self._registry)
        if pending.additive or pending.aside:
            raise NoAdvice(
                "The database does not match the definitions yet. Run octavo db diff, then octavo db upgrade"
            )
        wanted: dict[str, list[Advice]] = {}
        for one in proposals:
            wanted.setdefault(one.advice.uid, []).append(one.advice)
        registry, done = declare(self._settings, wanted)
        report = await synchronize(self._database, registry)
        indexes = await finish_indexes(self._database, registry)
        done += [f"Applied: {change}" for change in (*report.applied, *indexes.made)]
        done += [f"Not created: {reason}" for reason in indexes.left]
        if not indexes.left and any(one.index.kind == CONTAINS for advice in wanted.values() for one in advice):
            done.append("Restart the service to use the new index for substring searches.")
        return done


def declare(settings: Settings, wanted: Mapping[str, Iterable[Advice]]) -> tuple[Registry, list[str]]:
    """Write indexes into the files of their types. Return the new registry and messages. Raises NoAdvice."""
    source = DefinitionFiles([project_source(settings.project)], [])
    files = {file.uid: file for file in (*source.content_types(), *source.extensions())}
    missing = wanted.keys() - files.keys()
    if missing:
        raise NoAdvice(f"{', '.join(sorted(missing))} has no definition in src, so an index cannot be added")
    before: dict[Path, bytes] = {}
    try:
        for uid, advices in wanted.items():
            path, raw = settings.project / files[uid].name, files[uid].raw
            own = raw.setdefault("pluginOptions", {}).setdefault("octavo", {})
            own.setdefault("indexes", []).extend(one.raw for one in advices)
            before[path] = path.read_bytes()
            replace_file(path, definition_text(raw).encode())
        return project_registry(settings), [f"Written: {files[uid].name}" for uid in wanted]
    except (InvalidDefinitions, OSError) as error:
        for path, content in before.items():
            replace_file(path, content)
        raise NoAdvice(str(error)) from error


def _known(advice: Advice, proposed: Iterable[Advice]) -> Advice:
    """Return the index as it was first proposed, for any case."""
    same = (one for one in proposed if (one.uid, one.index) == (advice.uid, advice.index))
    return next(same, advice)


def _is_covered(advice: Advice, proposed: Iterable[Advice]) -> bool:
    """Return whether another proposed index begins with this one."""
    keys = advice.index.keys
    return any(
        one.uid == advice.uid
        and one.index.kind == advice.index.kind != CONTAINS
        and len(one.index.keys) > len(keys)
        and one.index.keys[: len(keys)] == keys
        for one in proposed
    )
