"""Signatures of messages, as https://www.standardwebhooks.com asks for them: an id, a time, and an HMAC of both and the
body."""

import base64
import hmac

from octavo.events.webhooks.webhook import secret_key


def sign(secret: str, message_id: str, seconds: int, body: bytes) -> str:
    """The signature of a message sent so many seconds after 1970."""
    signed = f"{message_id}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret_key(secret), signed, "sha256")).decode()
