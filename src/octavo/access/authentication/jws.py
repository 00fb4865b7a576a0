"""Signatures of tokens, by PyJWT.

Brings cryptography with it, 12 MB that a service without users' tokens does not need: `credentials` imports it late.
"""

from typing import Final

from jwt import PyJWS, PyJWTError
from jwt.algorithms import HMACAlgorithm

ALGORITHM: Final = "HS256"


class _Hs256(HMACAlgorithm):
    """HS256 with the secrets that v4 projects have; they are often shorter than PyJWT warns about at each token."""

    def __init__(self) -> None:
        super().__init__(HMACAlgorithm.SHA256)

    def check_key_length(self, key: bytes) -> str | None:
        return None


_jws = PyJWS(algorithms=[])
_jws.register_algorithm(ALGORITHM, _Hs256())


def sign(payload: bytes, secret: str, headers: dict[str, str]) -> str:
    """A token."""
    return _jws.encode(payload, secret, ALGORITHM, headers)


def head(headers: dict[str, str]) -> str:
    """How every token with these headers begins, and no other does: the head is signed like the rest."""
    return sign(b"{}", "any", headers).partition(".")[0] + "."


def read(token: str, secret: str) -> bytes:
    """What a token carries. Raises ValueError when it is none, or signed with another secret."""
    try:
        return bytes(_jws.decode(token, secret, algorithms=[ALGORITHM]))
    except PyJWTError as error:
        raise ValueError(str(error)) from None
