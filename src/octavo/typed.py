"""What generated types are made of (`octavo types --python`): conditions, references, and entries with types.

`TypedEntries` is `octavo.sdk.Entries` as a type checker sees it for one content type. All of it is about types:
nothing here is ever called.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, TypeVar

from octavo.project.results import EntryPage

Json = Any
Blocks = list[dict[str, Any]]
Flag = bool | Literal["true", "false"]
PublicationState = Literal["live", "preview"]

TextCondition = TypedDict(
    "TextCondition",
    {
        "$eq": str,
        "$eqi": str,
        "$ne": str,
        "$nei": str,
        "$lt": str,
        "$lte": str,
        "$gt": str,
        "$gte": str,
        "$in": Sequence[str],
        "$notIn": Sequence[str],
        "$between": Sequence[str],
        "$contains": str,
        "$notContains": str,
        "$containsi": str,
        "$notContainsi": str,
        "$startsWith": str,
        "$startsWithi": str,
        "$endsWith": str,
        "$endsWithi": str,
        "$null": Flag,
        "$notNull": Flag,
        "$and": "Sequence[TextCondition]",
        "$or": "Sequence[TextCondition]",
        "$not": "TextCondition",
    },
    total=False,
)
NumberCondition = TypedDict(
    "NumberCondition",
    {
        "$eq": float | str,
        "$eqi": float | str,
        "$ne": float | str,
        "$nei": float | str,
        "$lt": float | str,
        "$lte": float | str,
        "$gt": float | str,
        "$gte": float | str,
        "$in": Sequence[float | str],
        "$notIn": Sequence[float | str],
        "$between": Sequence[float | str],
        "$contains": str,
        "$notContains": str,
        "$containsi": str,
        "$notContainsi": str,
        "$startsWith": str,
        "$startsWithi": str,
        "$endsWith": str,
        "$endsWithi": str,
        "$null": Flag,
        "$notNull": Flag,
        "$and": "Sequence[NumberCondition]",
        "$or": "Sequence[NumberCondition]",
        "$not": "NumberCondition",
    },
    total=False,
)
FlagCondition = TypedDict(
    "FlagCondition",
    {
        "$eq": Flag,
        "$ne": Flag,
        "$in": Sequence[Flag],
        "$notIn": Sequence[Flag],
        "$null": Flag,
        "$notNull": Flag,
        "$and": "Sequence[FlagCondition]",
        "$or": "Sequence[FlagCondition]",
        "$not": "FlagCondition",
    },
    total=False,
)
TextFilter = str | Sequence[str] | TextCondition
NumberFilter = float | str | Sequence[float | str] | NumberCondition
FlagFilter = Flag | Sequence[Flag] | FlagCondition
IdFilter = NumberFilter


class HasId(TypedDict):
    """An entry by its id."""

    id: int


class _Before(TypedDict):
    before: int


class _After(TypedDict):
    after: int


class _Start(TypedDict):
    start: Literal[True]


class _End(TypedDict):
    end: Literal[True]


class _Connected(TypedDict, total=False):
    id: int
    position: _Before | _After | _Start | _End


class Links(TypedDict, total=False):
    """Changes of a relation."""

    connect: Sequence[int | _Connected]
    disconnect: Sequence[int | HasId]
    set: Sequence[int | HasId]


AnyTarget = TypedDict("AnyTarget", {"__type": str, "id": int})


class BranchesBelow(TypedDict, total=False):
    """What is populated in a dynamic zone, or at the end of a polymorphic relation: for all kinds, or kind by kind."""

    populate: Any
    on: Mapping[str, Any]


AnyOneInput = AnyTarget | None
AnyManyInput = Sequence[AnyTarget] | None
OneInput = int | str | HasId | Links | None
ManyInput = Sequence[int | str | HasId] | Links | None
FileInput = int | str | HasId | None
FilesInput = Sequence[int | str | HasId] | None

Target = int | Mapping[str, Any]
EntryT = TypeVar("EntryT")
CreateT = TypeVar("CreateT", contravariant=True)
UpdateT = TypeVar("UpdateT", contravariant=True)
FiltersT = TypeVar("FiltersT", contravariant=True)
FieldT = TypeVar("FieldT", contravariant=True)
PopulateT = TypeVar("PopulateT", contravariant=True)


class TypedEntries(Protocol[EntryT, CreateT, UpdateT, FiltersT, FieldT, PopulateT]):
    """The entries of one content type: see `octavo.sdk.Entries`."""

    async def find_many(
        self,
        *,
        filters: FiltersT | None = None,
        sort: str | Sequence[str] | None = None,
        fields: FieldT | None = None,
        populate: PopulateT | None = None,
        start: int = 0,
        limit: int | None = None,
        publication_state: PublicationState = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> list[EntryT]: ...

    async def find_first(
        self,
        *,
        filters: FiltersT | None = None,
        sort: str | Sequence[str] | None = None,
        fields: FieldT | None = None,
        populate: PopulateT | None = None,
        start: int = 0,
        publication_state: PublicationState = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> EntryT | None: ...

    async def find_one(
        self, entry_id: int, *, fields: FieldT | None = None, populate: PopulateT | None = None
    ) -> EntryT | None: ...

    async def find_page(
        self,
        *,
        filters: FiltersT | None = None,
        sort: str | Sequence[str] | None = None,
        fields: FieldT | None = None,
        populate: PopulateT | None = None,
        page: int = 1,
        page_size: int = 25,
        publication_state: PublicationState = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> EntryPage[EntryT]: ...

    async def count(
        self,
        *,
        filters: FiltersT | None = None,
        publication_state: PublicationState = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> int: ...

    async def unique_slug(self, attribute: str, text: str, *, but: int | None = None) -> str: ...

    async def load(self, entries: EntryT | Iterable[EntryT], populate: PopulateT) -> None: ...

    async def create(
        self, data: CreateT, *, locale: str | None = None, populate: PopulateT | None = None
    ) -> EntryT: ...

    async def localize(
        self, entry_id: int, locale: str, data: UpdateT | None = None, *, populate: PopulateT | None = None
    ) -> EntryT: ...

    async def create_many(self, items: Iterable[CreateT], *, locale: str | None = None) -> list[int]: ...

    async def update(self, entry_id: int, data: UpdateT, *, populate: PopulateT | None = None) -> EntryT: ...

    async def update_many(
        self,
        data: UpdateT,
        *,
        filters: FiltersT,
        publication_state: PublicationState = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> int: ...

    async def delete(self, entry_id: int) -> EntryT: ...

    async def delete_many(
        self,
        *,
        filters: FiltersT,
        publication_state: PublicationState = "preview",
        locale: str | None = None,
        search: str | None = None,
    ) -> int: ...

    async def publish(self, entry_id: int, *, populate: PopulateT | None = None) -> EntryT: ...

    async def unpublish(self, entry_id: int, *, populate: PopulateT | None = None) -> EntryT: ...

    async def attach(self, entry_id: int, attribute: str, targets: Target | Iterable[Target]) -> None: ...

    async def detach(self, entry_id: int, attribute: str, targets: Target | Iterable[Target] | None = None) -> None: ...
