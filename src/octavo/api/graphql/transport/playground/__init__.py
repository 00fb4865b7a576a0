"""The playground: GraphiQL from bundled files (built by `scripts/playground`), with a strict policy."""

from octavo.api.http.bundled_page import BundledPage


def playground(path: str) -> BundledPage:
    """Return the page at the endpoint's path."""
    return BundledPage(__name__, path, ("graphiql.js", "graphiql.css"))
