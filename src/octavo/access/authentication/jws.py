"""Token signatures, by PyJWT.

PyJWT loads cryptography, 12 MB that a service without user tokens does not need. So `credentials` imports it lazily.
"""

from typing import Final

from jwt import PyJWS, PyJWTError
from jwt.algorithms import HMACAlgorithm

ALGORITHM: Final = "HS256"


class _Hs256(HMACAlgorithm):
    """HS256 without PyJWT's warning about short secrets, which v4 projects often have."""

    def __init__(self) -> None:
        super().__init__(HMACAlgorithm.SHA256)

    def check_key_length(self, key: bytes) -> str | None:
        return None


_jws = PyJWS(algorithms=[])
_jws.register_algorithm(ALGORITHM, _Hs256())


def sign(payload: bytes, secret: str, headers: dict[str, str]) -> str:
    """Return a signed token."""
    return _jws.encode(payload, secret, ALGORITHM, headers)


def head(headers: dict[str, str]) -> str:
    """Return the prefix shared by all tokens with these headers, and by no others."""
    return sign(b"{}", "any", headers).partition(".")[0] + "."


def read(token: str, secret: str) -> bytes:
    """Return a token's payload. Raises ValueError if it is malformed or has another signature."""
    try:
        return bytes(_jws.decode(token, secret, algorithms=[ALGORITHM]))
    except PyJWTError as error:
        raise ValueError(str(error)) from None
