"""What was asked in several places about one attribute, asked together."""

from collections.abc import Iterable
from dataclasses import replace

from octavo.query.ast import Populate


def merge(populates: Iterable[Populate]) -> tuple[Populate, ...]:
    """One Populate per name: what was asked twice (`author`, `author.profile`) is asked together."""
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
