"""The playground: a page of our own, in one piece, that sends operations to the endpoint it was read from."""

import base64
import hashlib
from importlib.resources import files

from octavo.http.response import Response


def make_playground() -> Response:
    """The page. Its policy allows its own style and script, and requests to where it came from; nothing else."""
    folder = files("octavo.graphql")
    script = (folder / "playground.js").read_text("utf-8")
    style = (folder / "playground.css").read_text("utf-8")
    page = (folder / "playground.html").read_text("utf-8").replace("/*style*/", style).replace("/*script*/", script)
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
    return Response(200, page.encode(), "text/html", ((b"content-security-policy", policy.encode()),))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
