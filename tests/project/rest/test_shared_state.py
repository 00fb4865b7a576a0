"""State of a request is available to hooks, over REST and GraphQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.project.rest.shop import Shop, open_shop

pytestmark = pytest.mark.anyio

FILES = {
    "api/vault/controllers/vault.py": """
        from octavo import Controller

        class VaultController(Controller):
            async def create(self, request):
                request.state.reason = "asked"
                return await super().create(request)
    """,
    "api/vault/content-types/vault/lifecycles.py": """
        def before_create(event):
            event.params.data["code"] = event.shared.get("reason", "nobody")
    """,
    "policies/noting.py": """
        def policy(context):
            context.state.reason = context.door
            return True
    """,
    "index.py": """
        def register(app):
            config = {"Mutation.createVault": {"policies": ["global::noting"]}}
            app.plugin("graphql").service("extension").use({"resolvers_config": config})
    """,
}


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path) -> AsyncIterator[Shop]:
    async with open_shop(tmp_path, FILES) as opened:
        yield opened


async def test_hooks_see_the_state_of_the_request(shop: Shop) -> None:
    made = await shop.ask("POST", "/api/vaults", {"data": {}}, full=True)
    assert made.json["data"]["attributes"]["code"] == "asked"
    text = "mutation { createVault(data: {}) { data { attributes { code } } } }"
    by_graphql = await shop.ask("POST", "/graphql", {"query": text}, full=True)
    assert by_graphql.json["data"]["createVault"]["data"]["attributes"]["code"] == "graphql"
    entry = await shop.octavo.site.extending.app.entries("api::vault.vault").create({})
    assert entry["code"] == "nobody"
