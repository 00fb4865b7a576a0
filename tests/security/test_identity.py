"""Identity, promises 22 to 24 as far as content needs them: user tokens, API tokens, password hashes."""

import time

import bcrypt
import pytest

from tests.robustness.hostile import signed
from tests.security.conftest import Blog

LASTS = b'"iat":1700000000,"exp":4000000000'
HS256 = b'{"alg":"HS256","typ":"JWT"}'
MISSING, INVALID = "Missing or invalid credentials", "Invalid credentials"

# Claims and headers of tokens that are refused although their signature is valid.
FORGED = {
    "no algorithm": (b'{"id":1,%b}' % LASTS, b'{"alg":"none"}'),
    "no algorithm, in capitals": (b'{"id":1,%b}' % LASTS, b'{"alg":"None"}'),
    "another algorithm": (b'{"id":1,%b}' % LASTS, b'{"alg":"HS512"}'),
    "a public key's": (b'{"id":1,%b}' % LASTS, b'{"alg":"RS256"}'),
    "a list of algorithms": (b'{"id":1,%b}' % LASTS, b'{"alg":["HS256"]}'),
    "a head without algorithm": (b'{"id":1,%b}' % LASTS, b"{}"),
    "a head that is none": (b'{"id":1,%b}' % LASTS, b"x"),
    "critical extensions": (b'{"id":1,%b}' % LASTS, b'{"alg":"HS256","crit":["x"],"x":1}'),
    "over": (b'{"id":1,"iat":1,"exp":2}', HS256),
    "an end that is none": (b'{"id":1,"exp":"never"}', HS256),
    "not yet": (b'{"id":1,%b,"nbf":4000000000}' % LASTS, HS256),
    "no id": (b"{%b}" % LASTS, HS256),
    "an id in a text": (b'{"id":"1 OR 1=1",%b}' % LASTS, HS256),
    "an id in a list": (b'{"id":[1],%b}' % LASTS, HS256),
    "an id in an object": (b'{"id":{"$gt":0},%b}' % LASTS, HS256),
    "half an id": (b'{"id":1.5,%b}' % LASTS, HS256),
    "true": (b'{"id":true,%b}' % LASTS, HS256),
    "an id out of range": (b'{"id":99999999999999999999,%b}' % LASTS, HS256),
    "nobody's id": (b'{"id":99999,%b}' % LASTS, HS256),
    "claims in a list": (b"[1]", HS256),
    "no claims": (b"null", HS256),
}


def user_token(blog: Blog, claims: bytes, head: bytes = HS256) -> str:
    """Return an Authorization header with these claims and a valid signature."""
    return "Bearer " + signed(claims, blog.site.callers.jwt_secret, head).decode()


@pytest.mark.parametrize("claims, head", FORGED.values(), ids=list(FORGED))
def test_point_22_forged_tokens_are_refused(blog: Blog, claims: bytes, head: bytes) -> None:
    for path in ("/api/articles", "/api/users/me"):
        assert blog.get(path, user_token(blog, claims, head)).status == 401


def test_point_22_unsigned_tokens_are_refused(blog: Blog) -> None:
    good = user_token(blog, b'{"id":1,%b}' % LASTS)
    assert blog.get("/api/users/me", good).status == 200
    head, claims, proof = good.removeprefix("Bearer ").split(".")
    others = signed(b'{"id":1,%b}' % LASTS, b"another secret").decode()
    for token in (
        f"{head}.{claims}.",
        f"{head}.{claims}",
        f"{head}.{claims}.{proof[:-2]}",
        f".{claims}.{proof}",
        others,
    ):
        assert blog.get("/api/articles", f"Bearer {token}").refusal == (401, MISSING)


def test_point_22_tokens_without_end_are_for_adopted_projects_only(blog: Blog, safe_blog: Blog) -> None:
    endless = user_token(blog, b'{"id":1}')
    assert safe_blog.get("/api/articles", endless).refusal == (401, MISSING)


@pytest.mark.parametrize(
    "header", ["Bearer a b c", "Bearer x", "Bearer ...", "bearer \xe9", "Bearer " + "a" * 5000, "BEARER a.b.c"]
)
def test_point_22_a_malformed_header_is_never_anonymous(blog: Blog, header: str) -> None:
    assert blog.get("/api/articles", header).refusal == (401, MISSING)


def test_point_22_blocked_and_deleted_users_are_out_within_a_second(blog: Blog) -> None:
    token = user_token(blog, b'{"id":5,%b}' % LASTS)
    blog.site.run_sql("UPDATE up_users SET blocked = (1 = 0) WHERE id = 5")
    time.sleep(1.1)
    assert blog.get("/api/articles", token).status == 200
    blog.site.run_sql("UPDATE up_users SET blocked = (1 = 1) WHERE id = 5")
    time.sleep(1.1)
    assert blog.get("/api/articles", token).refusal == (401, INVALID)


def test_point_23_tokens_have_only_their_permissions(blog: Blog) -> None:
    read_only, full, custom, expired = blog.site.secrets[:4]
    writes = (("POST", "/api/articles"), ("PUT", "/api/articles/1"), ("DELETE", "/api/articles/1"))
    for method, path in writes:
        reply = blog.send(method, path, f"Bearer {read_only}", b'{"data":{}}', {"Content-Type": "application/json"})
        assert reply.status == 403
    assert blog.get("/api/articles", f"Bearer {read_only}").status == 200
    assert blog.get("/api/articles", f"Bearer {expired}").status == 401
    assert blog.get("/api/articles", f"Bearer {full[:-1]}").status == 401
    assert blog.get("/api/users", f"Bearer {custom}").status == 403


def test_point_23_tokens_are_stored_hashed(blog: Blog) -> None:
    stored = "".join(blog.site.run_sql("SELECT name, access_key FROM strapi_api_tokens"))
    assert all(token not in stored for token in blog.site.secrets)


def test_point_24_passwords_are_stored_as_v4_stores_them(blog: Blog) -> None:
    made = blog.post("/api/articles", {"title": "hashed", "editPassword": "Zoé-Passw0rd"})
    [stored] = blog.site.run_sql(f"SELECT edit_password FROM articles WHERE id = {made.data['id']}")
    assert stored.startswith("$2a$10$")
    assert bcrypt.checkpw("Zoé-Passw0rd".encode(), stored.encode())


@pytest.mark.parametrize("password", ["x" * 73, "é" * 37, "a\0b", "x" * 500_000])
def test_point_24_passwords_above_the_limit_of_bcrypt_are_refused(blog: Blog, password: str) -> None:
    assert blog.post("/api/articles", {"title": "x", "editPassword": password}).status == 400
