"""In which media type an answer is told: as ever, or as the GraphQL-over-HTTP specification has it for who asks."""

from typing import Final

JSON: Final = "application/json"
GRAPHQL: Final = "application/graphql-response+json"
GRAPHQL_UTF8: Final = "application/graphql-response+json; charset=utf-8"


def prefers_graphql(accept: str) -> bool:
    """Whether a client names the media type of GraphQL, and likes plain JSON no better.

    >>> [prefers_graphql(text) for text in ("*/*", "application/json", "application/graphql-response+json;q=0")]
    [False, False, False]
    >>> prefers_graphql("application/graphql-response+json, application/json;q=0.9, */*;q=0.1")
    True
    >>> prefers_graphql("application/json, application/graphql-response+json;q=0.5")
    False
    """
    if GRAPHQL not in accept.lower():
        return False
    weights = dict(map(_weighed, accept.lower().split(",")))
    return 0 < weights.get(GRAPHQL, 0) >= weights.get(JSON, 0)


def _weighed(item: str) -> tuple[str, float]:
    kind, *parameters = (part.strip() for part in item.split(";"))
    text = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    try:
        return kind, float(text)
    except ValueError:
        return kind, 1.0
