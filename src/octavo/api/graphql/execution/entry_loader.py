"""Load entries that project code returned, with one statement for all of them."""

from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLObjectType

from octavo.api.graphql.document.collect_fields import Selected
from octavo.api.graphql.execution.argument_parser import PageInfo
from octavo.api.graphql.execution.prepared_operations import NULL, make_frame
from octavo.api.graphql.execution.root_resolvers import RootResolvers
from octavo.api.graphql.schema.field_metadata import Part, TypeRole, part_of
from octavo.project import EntryPage
from octavo.query.answer import Answer, Object, Value
from octavo.query.ast import ALL_LOCALES, At, Compare, Page, Query
from octavo.query.operators import OPERATORS
from octavo.query.request import Drafts, ReadRequest
from octavo.schema.content_types import ContentType

Tree = Callable[[bytes], Any]


async def read_entries(
    roots: RootResolvers, content_type: ContentType, answer: Answer, ids: Sequence[int], tree: Tree
) -> list[Any]:
    """Return the selected data of these entries and drafts in order, None for deleted ones."""
    if not ids:
        return []
    chosen = Compare(operator=OPERATORS["$in"], values=tuple(dict.fromkeys(ids)))
    query = Query(
        filters=At(attribute="id", filter=chosen),
        locales=(ALL_LOCALES,),
        page=Page(limit=len(ids), with_count=False),
    )
    numbered = Object((("id", Value(None)), ("entry", answer)))
    request = ReadRequest(content_type=content_type, query=query, projection=numbered, drafts=Drafts.ANY)
    entries, _ = await roots.reads.find(roots.prepare_read(request))
    by_id = {int(item["id"]): item["entry"] for item in tree(entries)}
    return [by_id.get(one) for one in ids]


async def read_page(
    roots: RootResolvers,
    content_type: ContentType,
    kind: GraphQLObjectType,
    selected: Selected,
    ids: Sequence[int],
    page: EntryPage[Any],
    tree: Tree,
) -> dict[str, Any]:
    """Return a collection of these entries: `data`, and `meta` if the type has it. The maximum page size applies."""
    ids = ids[: roots.limits.most]
    info = PageInfo(page.page, page.page_size, page.page_count, page.total)
    below = roots.selections.of(kind, selected.selection_sets)
    shown: dict[str, Any] = tree(b"".join(make_frame(roots.selections, kind, below).fill(NULL, info)))
    for item in below:
        if part_of(kind, item.name) is Part.DATA:
            entries = await read_entries(roots, content_type, roots.entity_answer(kind, item, None), ids, tree)
            shown[item.key] = [entry for entry in entries if entry is not None]
    return shown


async def read_attribute(
    roots: RootResolvers,
    content_type: ContentType,
    kind: GraphQLObjectType,
    selected: Selected,
    entry_id: int,
    tree: Tree,
) -> Any:
    """Return one attribute of an entry, with the arguments in `roots`."""
    answer = Object(((selected.key, roots.compiler().attribute(kind, selected)),))
    [entry] = await read_entries(roots, content_type, answer, [entry_id], tree)
    return None if entry is None else entry[selected.key]


def entry_answer(roots: RootResolvers, kind: GraphQLObjectType, role: TypeRole, selected: Selected) -> Answer:
    """Return the selected data of an entry, for a field of its entity type or its attributes type."""
    compiler = roots.compiler()
    show = compiler.entity if role is TypeRole.ENTITY else compiler.attributes
    return show(kind, selected.selection_sets)
