"""The content and requests of the benchmarks: bookshops on each database, actors, and queries."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from octavo.access.authentication.authenticator import AccessOptions, Authenticator
from octavo.access.authentication.credentials import Secrets
from octavo.access.authorization.ability import Ability
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.api.http.query_string import parse_query_string
from octavo.query.ast import Query
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import Planned, plan_read
from octavo.query.request import ReadRequest
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from tests.models.bookshop import BOOK, SECRETS
from tests.models.site import Site, open_bookshop, postgresql_variables

QUERIES: Mapping[str, str] = {
    "nothing asked": "",
    "filter, sort, page": (
        "filters[author][name][$containsi]=river&filters[$or][0][pages][$gt]=50&filters[$or][1][inStock]=true"
        "&sort[0]=title:desc&sort[1]=author.name&fields[0]=title&pagination[page]=1&pagination[pageSize]=10"
    ),
    "four relations": (
        "populate[author][fields][0]=name&populate[genres][fields][0]=name&populate[genres][sort]=name"
        "&populate[cover][fields][0]=url&populate[shelf]=true"
    ),
    "five levels": "populate[author][populate][books][populate][genres][populate][parent][populate]=children",
    "components and zones": "populate[chapters][populate]=*&populate[extras][populate]=*&populate[details]=true",
}
"""Query strings for a list of books, by a short description."""

COUNT_ON = """
DO $$ DECLARE t text; BEGIN
  FOR t IN SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'id' LOOP
    EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, ''id''), (SELECT max(id) FROM %I))', quote_ident(t), t);
  END LOOP;
END $$"""
"""The rows of the bookshop have fixed ids, so PostgreSQL's sequences must continue after them."""


@dataclass(frozen=True, slots=True)
class World:
    """Open bookshops by database, a folder, and the permissions of the public role."""

    folder: Path
    sites: Mapping[str, Site]
    ability: Ability

    @property
    def registry(self) -> Registry:
        return self.sites["sqlite"].octavo.site.registry

    @property
    def books(self) -> ContentType:
        return self.registry.content_types[BOOK]

    def sanitized(self, text: str) -> Query:
        """Return the query of a query string without the parts that the public may not read."""
        query = read_query(parse_query_string(text), PageLimits())
        return QuerySanitizer(self.registry, self.ability).sanitize(query, self.books)

    def request(self, text: str) -> ReadRequest:
        """Return the request for a list of books with a query string."""
        return ReadRequest(content_type=self.books, query=self.sanitized(text))

    def planned(self, text: str) -> Planned:
        """Return the plan of a query string."""
        return plan_read(self.request(text), self.registry)


@asynccontextmanager
async def open_world(folder: Path, postgresql_url: str | None) -> AsyncIterator[World]:
    """Open a world for the block, with PostgreSQL if a URL is given."""
    variables: dict[str, dict[str, str]] = {"sqlite": {}}
    if postgresql_url is not None:
        variables["postgresql"] = postgresql_variables(postgresql_url)
    async with AsyncExitStack() as stack:
        sites = {}
        for name, values in variables.items():
            (folder / name).mkdir(parents=True)
            sites[name] = await open_bookshop(folder / name, values)
            stack.push_async_callback(sites[name].database.close)
            if name == "postgresql":
                await sites[name].database.execute(COUNT_ON)
        public = await authenticator_of(sites["sqlite"]).authenticate(None)
        yield World(folder, sites, public.ability)


def authenticator_of(site: Site) -> Authenticator:
    """Return an authenticator whose cache does not expire."""
    secrets = Secrets(SECRETS["JWT_SECRET"], SECRETS["API_TOKEN_SALT"])
    return Authenticator(site.database, secrets, AccessOptions(require_expiry=False, max_age=3600))
