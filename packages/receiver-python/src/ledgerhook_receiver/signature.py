"""Verifies the signatures of a webhook request over its raw body, in constant time.

It knows both schemes of the service: "service" (X-Service-Signature) and "standard" (Standard Webhooks), which also
signs a timestamp. A secret that cannot work is a ValueError at once; a request that does not verify is an answer.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from typing import Any, Callable, List, Optional, Sequence

TOLERANCE_SECONDS = 300
SCHEMES = ("service", "standard")
# The service sends at most two signatures; a header with thousands must not cost as many comparisons.
_SIGNATURES_MAX = 16


def header_of(headers: Any, name: str) -> Optional[str]:
    """The value of a header, in whatever case the framework spells its name. `headers` has `items()`."""
    for key, value in headers.items():
        if key.lower() == name:
            return str(value)
    return None


def _is_one_of(signatures: Sequence[str], expected: Sequence[str]) -> bool:
    return any(
        hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
        for given in signatures[:_SIGNATURES_MAX]
        for right in expected
    )


def _service_refusal(headers: Any, body: bytes, secrets: Sequence[str]) -> Optional[str]:
    header = header_of(headers, "x-service-signature")
    if header is None:
        return "no_signature"
    expected = ["sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() for secret in secrets]
    return None if _is_one_of([one.strip() for one in header.split(",")], expected) else "no_match"


def _standard_key(secret: str) -> Optional[bytes]:
    match = re.fullmatch(r"whsec_([A-Za-z0-9+/]+={0,2})", secret)
    if match is None or len(match[1]) % 4 != 0:
        return None
    key = base64.b64decode(match[1])
    # `b64decode` ignores bits after the last byte.
    return key if base64.b64encode(key).decode() == match[1] else None


def _standard_refusal(
    headers: Any, body: bytes, secrets: Sequence[str], now: float, tolerance: float
) -> Optional[str]:
    header = header_of(headers, "webhook-signature")
    if header is None:
        return "no_signature"
    message_id = header_of(headers, "webhook-id")
    timestamp = header_of(headers, "webhook-timestamp")
    if not message_id or timestamp is None or re.fullmatch(r"[0-9]{1,15}", timestamp) is None:
        return "malformed"
    signed = f"{message_id}.{timestamp}.".encode("utf-8", "replace") + body
    keys = [key for key in map(_standard_key, secrets) if key is not None]
    expected = ["v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys]
    if not _is_one_of(header.split(" "), expected):
        return "no_match"
    if int(timestamp) < now - tolerance:
        return "too_old"
    return "too_new" if int(timestamp) > now + tolerance else None


def check_options(secrets: Sequence[str], schemes: Sequence[str]) -> None:
    """Raises ValueError when no request could ever verify with these options, or every request would."""
    if isinstance(secrets, str) or len(secrets) == 0:
        raise ValueError("`secrets` must be a list of at least one secret")
    if isinstance(schemes, str) or len(schemes) == 0 or any(one not in SCHEMES for one in schemes):
        raise ValueError('`schemes` must be a list of "service", "standard" or both')
    for index, secret in enumerate(secrets):
        if not isinstance(secret, str) or secret == "":
            raise ValueError(f"secrets[{index}] must be a non-empty string: is its environment variable set?")
        if re.fullmatch(r"[!-~]+", secret) is None:
            raise ValueError(
                f"secrets[{index}] must be visible ASCII without blanks or newlines: "
                "if it comes from a file, use strip()"
            )
        if "service" not in schemes and _standard_key(secret) is None:
            raise ValueError(f'secrets[{index}] must be whsec_ and base64, as the scheme "standard" needs it')


def refusal_of(
    headers: Any,
    body: bytes,
    secrets: Sequence[str],
    *,
    schemes: Sequence[str] = SCHEMES,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Callable[[], float] = time.time,
) -> Optional[str]:
    """Why the request is refused: no_signature, no_match, malformed, too_old or too_new. None when it is genuine."""
    check_options(secrets, schemes)
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("`body` must be the raw bytes, before any parser")
    body = bytes(body)
    refusals: List[Optional[str]] = [
        _service_refusal(headers, body, secrets)
        if scheme == "service"
        else _standard_refusal(headers, body, secrets, now(), tolerance_seconds)
        for scheme in schemes
    ]
    # One scheme that fits is enough. Otherwise the reason is that of a scheme whose header was there.
    if None in refusals:
        return None
    return next((one for one in refusals if one != "no_signature"), "no_signature")


def verify(
    headers: Any,
    body: bytes,
    secrets: Sequence[str],
    *,
    schemes: Sequence[str] = SCHEMES,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Callable[[], float] = time.time,
) -> bool:
    """Whether one of the secrets signed the request."""
    refusal = refusal_of(headers, body, secrets, schemes=schemes, tolerance_seconds=tolerance_seconds, now=now)
    return refusal is None
