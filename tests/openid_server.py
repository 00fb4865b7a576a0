"""An OpenID provider: Authlib's server for OAuth 2 and OpenID Connect behind Flask, on a local port.

Each sign-in succeeds at once, as the user in `person`. Authlib checks clients, codes, redirect URLs and PKCE. `claims`,
`sign_with` and `denies` make the provider misbehave.
"""

import base64
import hmac
import json
import threading
import time
from dataclasses import dataclass
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import OpenIDCode
from authlib.oidc.core.grants.util import create_half_hash
from flask import Flask, Response, jsonify, redirect, request
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT, SECRET = "octavo-client", "octavo-client-secret-of-32-bytes-or-more"


class _Client:
    """The only client."""

    def __init__(self, server: "OpenIdServer") -> None:
        self._server = server

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> str:
        return ""

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self._server.redirect_uris

    def check_client_secret(self, secret: str) -> bool:
        return secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in ("client_secret_basic", "client_secret_post")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class _Code:
    """An issued code, with the attribute names that Authlib requires."""

    redirect_uri: str
    scope: str
    nonce: str | None
    person: dict[str, Any]
    code_challenge: str | None
    code_challenge_method: str | None

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope


class OpenIdServer:
    """The provider, which runs until `remove`."""

    def __init__(self) -> None:
        self.codes: dict[str, _Code] = {}
        self.people: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.reset()
        self._app = self._make_app()
        self._listening = make_server("127.0.0.1", 0, self._app, threaded=True)
        self.host = f"127.0.0.1:{self._listening.server_port}"
        self.issuer = f"http://{self.host}"
        self._thread = threading.Thread(target=self._listening.serve_forever)
        self._thread.start()

    def reset(self) -> None:
        """Restore correct behavior."""
        self.person: dict[str, Any] = {"sub": "s-1", "email": "Dora@Example.org", "email_verified": True}
        self.redirect_uris: set[str] = set()
        self.claims: dict[str, Any] = {}
        self.sign_with = "RS256"
        self.denies = False
        self.document: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.emails: list[dict[str, Any]] = []
        self.asked.clear()

    def remove(self) -> None:
        """Stop the provider."""
        self._listening.shutdown()
        self._thread.join()
        self._listening.server_close()

    def id_token(self, code: _Code, access_token: str) -> str:
        """Return an ID token, valid except for `claims` and `sign_with`."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 600, "nonce": code.nonce, **code.person}
        claims["at_hash"] = create_half_hash(access_token, "RS256").decode()
        claims |= self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        secrets = {
            "none": None,
            "HS256 with the client's secret": SECRET.encode(),
            "HS256 with the public key": self.key.as_pem(private=False),
        }
        if self.sign_with in secrets:
            return _by_hand(claims, secrets[self.sign_with])
        key = RSAKey.generate_key(2048) if self.sign_with == "another key" else self.key
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)

    def _make_app(self) -> Flask:
        server = self
        app = Flask("provider")
        authorization = AuthorizationServer(
            app, query_client=lambda name: _Client(server) if name == CLIENT else None, save_token=server._save_token
        )

        class Grant(grants.AuthorizationCodeGrant):  # type: ignore[misc]
            TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post")

            def save_authorization_code(self, code: str, request: Any) -> None:
                data = request.payload.data
                server.codes[code] = _Code(
                    request.payload.redirect_uri,
                    request.payload.scope,
                    data.get("nonce"),
                    dict(server.person),
                    data.get("code_challenge"),
                    data.get("code_challenge_method"),
                )

            def query_authorization_code(self, code: str, client: Any) -> _Code | None:
                return server.codes.get(code)

            def delete_authorization_code(self, authorization_code: _Code) -> None:
                server.codes = {code: kept for code, kept in server.codes.items() if kept is not authorization_code}

            def authenticate_user(self, authorization_code: _Code) -> dict[str, Any]:
                return authorization_code.person

        class Openid(OpenIDCode):  # type: ignore[misc]
            def exists_nonce(self, nonce: str, request: Any) -> bool:
                return any(code.nonce == nonce for code in server.codes.values())

            def encode_id_token(self, token: dict[str, Any], request: Any) -> str:
                return server.id_token(request.authorization_code, token["access_token"])

        authorization.register_grant(Grant, [CodeChallenge(required=True), Openid()])
        app.add_url_rule("/.well-known/openid-configuration", "document", self._document)
        app.add_url_rule("/jwks", "jwks", lambda: jsonify({"keys": [self.key.as_dict(private=False)]}))
        app.add_url_rule("/authorize", "authorize", lambda: self._authorize(authorization))
        app.add_url_rule("/token", "token", lambda: authorization.create_token_response(), methods=["POST"])
        app.add_url_rule("/userinfo", "userinfo", lambda: jsonify(self._person()))
        app.add_url_rule("/userinfo/emails", "emails", lambda: self._person() and jsonify(self.emails))
        app.before_request(lambda: self.asked.append(request.path))
        return app

    def _document(self) -> Response:
        places = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "jwks_uri": "jwks",
            "userinfo_endpoint": "userinfo",
        }
        document = {"issuer": self.issuer, **{name: f"{self.issuer}/{path}" for name, path in places.items()}}
        return jsonify(document | self.document)

    def _authorize(self, authorization: AuthorizationServer) -> Any:
        if self.denies:
            return redirect(f"{request.args['redirect_uri']}?error=access_denied&state={request.args['state']}")
        grant = authorization.get_consent_grant(end_user=self.person)
        return authorization.create_authorization_response(grant_user=self.person, grant=grant)

    def _save_token(self, token: dict[str, Any], request: Any) -> None:
        self.people[token["access_token"]] = request.user

    def _person(self) -> dict[str, Any]:
        person = self.people[request.headers["authorization"].removeprefix("Bearer ")]
        return {**person, **self.userinfo}


def _by_hand(claims: dict[str, Any], secret: bytes | None) -> str:
    """Return a token that libraries refuse to create: signed with a secret, or unsigned."""
    header = {"alg": "none" if secret is None else "HS256", "typ": "JWT"}
    start = ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{start}.{'' if secret is None else _encoded(hmac.digest(secret, start.encode(), 'sha256'))}"


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
