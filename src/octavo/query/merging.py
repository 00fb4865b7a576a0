"""Merge several populate entries for one attribute."""

from collections.abc import Iterable
from dataclasses import replace

from octavo.query.ast import Populate


def merge(populates: Iterable[Populate]) -> tuple[Populate, ...]:
    """Return one Populate for each name, merging their nested ones (`author` and `author.profile`)."""
    merged: dict[str, Populate] = {}
    for item in populates:
        known = merged.get(item.name)
        if known is not None:
            query = replace(
                known.query,
                populate=merge((*known.query.populate, *item.query.populate)),
                populate_all=known.query.populate_all or item.query.populate_all,
            )
            item = replace(known, query=query, fault=known.fault or item.fault)
        merged[item.name] = item
    return tuple(merged.values())
