"""The playground: GraphiQL from bundled files (built by `scripts/playground`), with a strict policy."""

from octavo.api.http.bundled_page import OwnPage


def playground(path: str) -> OwnPage:
    """Return the page at the endpoint's path."""
    return OwnPage(__name__, path, ("graphiql.js", "graphiql.css"))
