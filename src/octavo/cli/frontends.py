"""Requests of front ends for `octavo compare`. The parsers, which an extra installs, are only imported for these."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from octavo.operations.comparison.requests import Selection
from octavo.operations.comparison.sending import Service
from octavo.schema.registry import Registry
from octavo.v4.frontends.reading import read_frontend
from octavo.v4.frontends.requests import Api, NotReadable
from octavo.v4.frontends.samples import read_samples


async def add_frontends(
    folders: Iterable[Path],
    registry: Registry,
    prefix: str,
    service: Service,
    tokens: Sequence[str],
    to: Selection,
    hosts: frozenset[str],
) -> list[str]:
    """Add the requests of front ends, with values of the content that `service` returns. Return what could not be
    read."""
    api = Api(registry, prefix, to.graphql, hosts)
    frontends = [read_frontend(folder, api) for folder in folders]
    forms = [form for one in frontends for form in one.forms]
    samples = await read_samples((need for form in forms for need in form.needs()), api, service, tokens)
    unread = [line for one in frontends for line in one.unread]
    for form in forms:
        try:
            to.add(form.request(samples), only_reads=True)  # the values of writes would be invented
        except NotReadable as error:
            unread.append(f"{form.place}: {error}")
    return unread
