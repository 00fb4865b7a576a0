"""Endpoints for API tokens and transfer tokens."""

from typing import Any

from octavo.access.authentication.api_token_rows import Token
from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.tokens import TokenManagement
from octavo.api.admin.answers import data_answer, instant
from octavo.api.admin.endpoints.sessions import PREFIX
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.tokens import AccessKeyAnswer, NewToken, TokenAnswer, TokensAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response


def _rows(path: str, what: str, action: str) -> tuple[AdminOperation, ...]:
    one = f"{path}/:id"
    return (
        AdminOperation("GET", path, "find", f"List {what}s", (f"{action}.read",), answer=TokensAnswer),
        AdminOperation(
            "POST",
            path,
            "create",
            f"Create one of the {what}s",
            (f"{action}.create",),
            answer=TokenAnswer,
            body=NewToken,
        ),
        AdminOperation("GET", one, "find_one", f"Show one of the {what}s", (f"{action}.read",), answer=TokenAnswer),
        AdminOperation(
            "PUT",
            one,
            "update",
            f"Update one of the {what}s",
            (f"{action}.update",),
            answer=TokenAnswer,
            body=NewToken,
        ),
        AdminOperation("DELETE", one, "delete", f"Delete one of the {what}s", (f"{action}.delete",)),
        AdminOperation(
            "POST",
            f"{one}/regenerate",
            "regenerate",
            "Regenerate a token",
            (f"{action}.regenerate",),
            answer=AccessKeyAnswer,
        ),
    )


class _TokenEndpoints:
    def __init__(self, tokens: TokenManagement) -> None:
        self._tokens = tokens

    async def find(self, _: Request, __: Actor) -> Response:
        """List the tokens."""
        return data_answer([serialize_token(token) for token in await self._tokens.all()])

    async def find_one(self, request: Request, _: Actor) -> Response:
        """Show a token."""
        return data_answer(serialize_token(await self._tokens.get(request.path_values["id"])))

    async def create(self, request: Request, actor: Actor) -> Response:
        """Create a token. Only this response has the secret."""
        token, secret = await self._tokens.create(await request.json(), actor)
        return data_answer({**serialize_token(token), "accessKey": secret}, status=201)

    async def update(self, request: Request, actor: Actor) -> Response:
        """Change a token."""
        return data_answer(
            serialize_token(await self._tokens.update(request.path_values["id"], await request.json(), actor))
        )

    async def regenerate(self, request: Request, actor: Actor) -> Response:
        """Replace the secret of a token."""
        token, secret = await self._tokens.regenerate(request.path_values["id"], actor)
        return data_answer({"id": token.id, "accessKey": secret}, status=201)

    async def delete(self, request: Request, _: Actor) -> Response:
        """Delete a token. The response has null if it does not exist."""
        token = await self._tokens.delete(request.path_values["id"])
        return data_answer(None if token is None else self._deleted_token(token))

    def _deleted_token(self, token: Token) -> dict[str, Any]:
        return serialize_token(token)


class ApiTokenEndpoints(_TokenEndpoints):
    """`/admin/api-tokens`"""

    operations = _rows(f"{PREFIX}/api-tokens", "API token", "admin::api-tokens")


class TransferTokenEndpoints(_TokenEndpoints):
    """`/admin/transfer/tokens`"""

    operations = _rows(f"{PREFIX}/transfer/tokens", "transfer token", "admin::transfer.tokens")

    def _deleted_token(self, token: Token) -> dict[str, Any]:
        """Return a deleted token with its permissions as stored rows, as the reference does."""
        scopes = [
            {
                "id": scope.id,
                "action": scope.action,
                "createdAt": instant(scope.created_at),
                "updatedAt": instant(scope.updated_at),
            }
            for scope in token.scopes
        ]
        return {**serialize_token(token), "permissions": scopes}


def serialize_token(token: Token) -> dict[str, Any]:
    """Serialize a token as v4 does, without its secret."""
    kind = {} if token.type is None else {"type": token.type}
    return {
        "id": token.id,
        "name": token.name,
        "description": token.description,
        "lastUsedAt": instant(token.last_used_at),
        **kind,
        "lifespan": None if token.lifespan is None else str(token.lifespan),
        "expiresAt": instant(token.expires_at),
        "createdAt": instant(token.created_at),
        "updatedAt": instant(token.updated_at),
        "permissions": list(token.actions),
    }
