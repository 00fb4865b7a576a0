"""Read values of the content from a running service, for the gaps in the requests of a front end."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

from octavo.operations.comparison.requests import ComparedRequest
from octavo.operations.comparison.sending import Service
from octavo.v4.frontends.requests import Api, Need, url_name

_MOST_NEEDS: Final = 500


async def read_samples(needs: Iterable[Need], api: Api, service: Service, tokens: Sequence[str]) -> dict[Need, Any]:
    """Return a value for each need that an entry has. Each is read with the first token that can read it."""
    samples: dict[Need, Any] = {}
    for need in islice(dict.fromkeys(needs), _MOST_NEEDS):
        if (target := _target(need, api)) is None:
            continue
        for token in tokens:
            answer = await service.send(ComparedRequest("GET", target), token)
            if answer.unreachable:
                return samples
            if (value := _value(answer.json(), need.attribute)) is not None:
                samples[need] = value
                break
    return samples


def _target(need: Need, api: Api) -> str | None:
    content_type = api.registry.content_types.get(need.uid)
    if content_type is None or not content_type.is_api:
        return None
    name = quote(need.attribute, safe="")
    query = f"fields[0]={name}"
    if not content_type.is_single:
        query += "&sort=id&pagination[pageSize]=1"
        query += "" if need.attribute in ("id", "locale") else f"&filters[{name}][$notNull]=true"
    return f"{api.prefix}/{url_name(content_type)}?{query}"


def _value(body: tuple[Any] | None, attribute: str) -> Any:
    """Return the value in the response, or None if there is none that a parameter can contain."""
    data = body[0].get("data") if body and isinstance(body[0], dict) else None
    entry = next(iter(data), None) if isinstance(data, list) else data
    if not isinstance(entry, dict):
        return None
    attributes = entry if attribute == "id" else entry.get("attributes")
    value = attributes.get(attribute) if isinstance(attributes, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int | float) and value != "" else None
