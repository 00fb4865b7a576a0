"""Stage: the bytes of entries become the body of a response."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import World
from octavo.api.rest.data_envelope import entry_envelope, list_envelope
from octavo.query.ast import Page

ENTRY = b'{"id":1,"attributes":{"title":"%b"},"meta":{}}' % (b"x" * 1500)


def benches(world: World) -> Iterator[Bench]:
    entries = b"[%b]" % b",".join([ENTRY] * 25)
    yield Bench("envelope", "an entry", partial(entry_envelope, ENTRY))
    yield Bench("envelope", "a list of 25", partial(list_envelope, entries, Page(limit=25, number=1), 10_000))
