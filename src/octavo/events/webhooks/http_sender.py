"""Send messages over HTTP: signed, to public hosts only, without redirects. Importing this module imports the HTTP
client, so import it only when needed."""

import asyncio
import base64
import hmac
import time
from collections.abc import Mapping

import httpx2

import octavo
from octavo.core.net.guarded_http import GuardedTransport, PrivateAddress, RefusedAddress
from octavo.core.values import dataclass
from octavo.events.webhooks.messages import MOST_ANSWER, Answer, Sent
from octavo.events.webhooks.webhook import OUR_HEADERS, Webhook, secret_key


def sign(secret: str, message_id: str, seconds: int, body: bytes) -> str:
    """Return the signature of a message sent at a time in seconds since 1970."""
    signed = f"{message_id}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret_key(secret), signed, "sha256")).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderOptions:
    """How messages are sent: the timeout in seconds; `private_hosts` are `name` or `name:port`."""

    seconds: float
    private_hosts: frozenset[str]
    headers: Mapping[str, str]


class WebhookSender:
    """Sends messages to webhooks. One client for all: it reuses no connections and stores no cookies."""

    def __init__(self, options: SenderOptions) -> None:
        self._options = options
        self._transport = GuardedTransport(options.private_hosts, plain=True, raw=True)

    async def post(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message once, and return the result."""
        began = time.monotonic()
        status, text, error = None, "", None
        try:
            async with asyncio.timeout(self._options.seconds):
                status, text = await self._ask(webhook, sent)
            error = None if 200 <= status < 300 else f"the response was {status}{_redirect(status)}"
        except TimeoutError:
            error = f"no response within {self._options.seconds:g} s"
        except RefusedAddress as refused:
            error = _refusal(refused)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as failed:
            error = f"{type(failed).__name__}: {failed}"
        return Answer(status=status, text=text, error=error, milliseconds=int((time.monotonic() - began) * 1000))

    async def refusal(self, url: str) -> str | None:
        """Return why nothing would be sent to a URL; None if it would, or if its host cannot be resolved now."""
        try:
            await self._transport.address_of(httpx2.Request("POST", url))
        except RefusedAddress as refused:
            return _refusal(refused)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return None
        return None

    async def _ask(self, webhook: Webhook, sent: Sent) -> tuple[int, str]:
        body = sent.body.encode()
        headers = self._headers(webhook, sent, body)
        async with (
            httpx2.AsyncClient(transport=self._transport, trust_env=False, timeout=self._options.seconds) as client,
            client.stream("POST", webhook.url, content=body, headers=headers) as response,
        ):
            return response.status_code, await _beginning(response)

    def _headers(self, webhook: Webhook, sent: Sent, body: bytes) -> dict[str, str]:
        now = int(time.time())
        given = {**self._options.headers, **webhook.headers}
        headers = {name: text for name, text in given.items() if name.lower() not in OUR_HEADERS and _is_valid(text)}
        headers |= {
            "X-Strapi-Event": sent.event,
            "Content-Type": "application/json",
            "webhook-id": sent.id,
            "webhook-timestamp": str(now),
        }
        headers.setdefault("User-Agent", f"Octavo/{octavo.__version__}")
        if secrets := webhook.signing_secrets(now):
            headers["webhook-signature"] = " ".join(sign(secret, sent.id, now, body) for secret in secrets)
        return headers


async def _beginning(response: httpx2.Response) -> str:
    """Return the stored part of a response; the rest is not read."""
    beginning = b""
    async for chunk in response.aiter_raw():
        beginning += chunk
        if len(beginning) >= MOST_ANSWER:
            break
    return beginning[:MOST_ANSWER].decode("utf-8", "replace").replace("\0", "\ufffd")


def _refusal(refused: RefusedAddress) -> str:
    """Return why nothing is sent, and which setting allows it."""
    if not isinstance(refused, PrivateAddress):
        return str(refused)
    host = refused.request.url.host
    return (
        f"{host} is not a public address. To allow it, add {host} to privateHosts in [webhooks] of config/server.toml"
    )


def _is_valid(text: str) -> bool:
    """Return whether a header value can be sent; rows written by other programs may contain anything."""
    return text.isascii() and text.isprintable()


def _redirect(status: int) -> str:
    return "; redirects are not followed" if 300 <= status < 400 else ""
