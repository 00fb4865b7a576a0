"""The public URLs of a content type's entries: in the REST API, and as previews."""

from collections.abc import Mapping
from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import EntryAddressesAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.managed_types import managed_type
from octavo.schema.content_types import USER, ContentType
from octavo.schema.registry import Registry

PATH: Final = "/octavo/entry-addresses/:uid"


class EntryAddressEndpoints:
    """`/octavo/entry-addresses/:uid`.

    `prefix` is the content API's, below the path of the public URL. `previews` are URLs with placeholders in
    braces, by UID.
    """

    operations = (AdminOperation("GET", PATH, "show", "Show the API URLs of entries", answers=EntryAddressesAnswer),)

    def __init__(self, registry: Registry, prefix: str, previews: Mapping[str, str]) -> None:
        self._registry = registry
        self._prefix = prefix
        self._previews = previews

    async def show(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/entry-addresses/:uid: requires the permission to read entries."""
        content_type = managed_type(self._registry, request.path_values["uid"], actor)
        return data_answer({"api": self._address(content_type), "preview": self._previews.get(content_type.uid)})

    def _address(self, content_type: ContentType) -> str | None:
        """Return the path of the content type's public URL in the content API, or None if it has none."""
        if content_type.uid == USER:
            return f"{self._prefix}/users"
        if not content_type.uid.startswith("api::"):
            return None
        name = content_type.singular_name if content_type.is_single else content_type.plural_name
        return f"{self._prefix}/{name}"
