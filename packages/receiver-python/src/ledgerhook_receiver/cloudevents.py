"""Reads a CloudEvent (binary mode) as the envelope that the other format sends.

So a program sees the same event whatever the webhook's `format`. No signature covers the ce-... headers. So an
envelope in the body, which is signed, is never replaced, and the event's id must name the transaction of the signed
payload.
"""

from __future__ import annotations

import re
from typing import Any, Dict

from .signature import header_of


class ParseError(ValueError):
    """The body, or a header of a CloudEvent, is not what the service sends. The message names the field."""


def _required(headers: Any, name: str) -> str:
    value = header_of(headers, name)
    if not value:
        raise ParseError(f"The header {name} is missing.")
    return value


def _from_headers(headers: Any, payload: Dict[str, Any]) -> Dict[str, Any]:
    if _required(headers, "ce-specversion") != "1.0":
        raise ParseError("The header ce-specversion must be 1.0.")
    ledger_index = _required(headers, "ce-ledgerindex")
    if re.fullmatch(r"[1-9][0-9]{0,14}", ledger_index) is None:
        raise ParseError("The header ce-ledgerindex must be a positive integer.")
    event_id = _required(headers, "ce-id")
    tx_hash = payload.get("tx_hash")
    if isinstance(tx_hash, str) and tx_hash not in event_id:
        raise ParseError("The header ce-id must contain the tx_hash of the body.")
    return {
        "event_id": event_id,
        "event_type": _required(headers, "ce-type"),
        "ledger_index": int(ledger_index),
        "timestamp": _required(headers, "ce-time"),
        "network": _required(headers, "ce-network"),
        "webhook_id": _required(headers, "ce-webhookid"),
        "payload": payload,
    }


def envelope_of(body: Any, headers: Any) -> Any:
    """The envelope of a request: the body, or the ce-... headers and the body. Raises ParseError."""
    if headers is None or not isinstance(body, dict) or "event_id" in body:
        return body
    return body if header_of(headers, "ce-specversion") is None else _from_headers(headers, body)
