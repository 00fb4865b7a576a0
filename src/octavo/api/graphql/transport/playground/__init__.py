"""The playground: GraphiQL, from files of our own (`scripts/playground` makes them), under a strict policy."""

from octavo.api.http.bundled_page import OwnPage


def playground(path: str) -> OwnPage:
    """The page at the endpoint's path."""
    return OwnPage(__name__, path, ("graphiql.js", "graphiql.css"))
