"""Responses contain nothing that the document does not describe, whatever is populated."""

import copy
from typing import Any

import jsonschema_rs
import pytest

from octavo.api.rest.openapi.components import base_name
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

IDS = (1, 2, 3)


@pytest.mark.anyio
async def test_responses_match_the_document(document: Any, bookshop: Site) -> None:
    strict = copy.deepcopy(document["components"])
    types = [base_name(item) for item in bookshop.octavo.site.registry.content_types.values()]
    for name in (*types, "UsersPermissionsUserFlat", "UploadFileFlat"):
        if name in strict["schemas"]:
            strict["schemas"][name]["additionalProperties"] = False
    asked = 0
    for path, methods in document["paths"].items():
        operation = methods.get("get")
        if operation is None or "populate" not in [one["name"] for one in operation["parameters"]]:
            continue
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        validator = jsonschema_rs.validator_for({**schema, "components": strict})
        for target in {path.replace("{id}", str(number)) for number in IDS}:
            answer = await bookshop.get(f"{target}?populate=*", FULL_TOKEN)
            if answer.status == 200:
                asked += 1
                validator.validate(answer.json)
    assert asked > len(IDS) * len(types) / 3, "most of them have entries"
