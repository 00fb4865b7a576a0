"""AWS Signature Version 4, as Amazon documents it, for a POST to its mail service whose body is a form."""

import hashlib
import hmac
from dataclasses import field
from datetime import datetime
from typing import Final

from octavo.core.values import dataclass

FORM: Final = "application/x-www-form-urlencoded; charset=utf-8"
_SERVICE: Final = "ses"


@dataclass(frozen=True, slots=True)
class AwsKey:
    """AWS credentials. `token` belongs to temporary keys."""

    id: str
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


def signed_headers(key: AwsKey, region: str, host: str, body: bytes, now: datetime) -> dict[str, str]:
    """Return the headers of a POST to `/` of a host. `now` is in UTC."""
    moment = f"{now:%Y%m%dT%H%M%SZ}"
    headers = {"content-type": FORM, "host": host, "x-amz-date": moment}
    if key.token:
        headers["x-amz-security-token"] = key.token
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = f"POST\n/\n\n{lines}\n{names}\n{hashlib.sha256(body).hexdigest()}"
    scope = f"{now:%Y%m%d}/{region}/{_SERVICE}/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    secret = f"AWS4{key.secret}".encode()
    for part in scope.split("/"):
        secret = hmac.digest(secret, part.encode(), "sha256")
    signature = hmac.digest(secret, to_sign.encode(), "sha256").hex()
    said = f"Credential={key.id}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 {said}"}
