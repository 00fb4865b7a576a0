"""The playground: GraphiQL from bundled files (built by `scripts/playground`), with a strict policy."""

from octavo.api.http.bundled_page import BundledPage


def playground(path: str, base_path: str) -> BundledPage:
    """Return the page at the endpoint's path, below that of the public URL."""
    return BundledPage(__name__, path, ("graphiql.js", "graphiql.css"), base_path)
