"""Reads a CloudEvent as the envelope that the other format sends.

So a program sees the same event whatever the webhook's `format`. The attributes of a single event are ce-... headers;
those of a batch's events are in the body. No signature covers the ce-... headers. So an envelope in the body, which is
signed, is never replaced, and the event's id must name the transaction of the signed payload.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict

from .signature import header_of


class ParseError(ValueError):
    """The body, or a header of a CloudEvent, is not what the service sends. The message names the field."""


def _envelope_from(
    attribute_of: Callable[[str], Any], place_of: Callable[[str], str], payload: Dict[str, Any]
) -> Dict[str, Any]:
    """`place_of` is what a message calls the attribute."""

    def required(name: str) -> str:
        value = attribute_of(name)
        if not isinstance(value, str) or value == "":
            raise ParseError(f"{place_of(name)} is missing, empty or not a string.")
        return value

    if required("specversion") != "1.0":
        raise ParseError(f"{place_of('specversion')} must be 1.0.")
    ledger_index = required("ledgerindex")
    if re.fullmatch(r"[1-9][0-9]{0,14}", ledger_index) is None:
        raise ParseError(f"{place_of('ledgerindex')} must be a positive integer.")
    event_id = required("id")
    tx_hash = payload.get("tx_hash")
    if isinstance(tx_hash, str) and tx_hash not in event_id:
        raise ParseError(f"{place_of('id')} must contain the tx_hash of the payload.")
    sequence = attribute_of("sequence")
    return {
        **({} if sequence is None else {"sequence": sequence}),
        "event_id": event_id,
        "event_type": required("type"),
        "ledger_index": int(ledger_index),
        "timestamp": required("time"),
        "network": required("network"),
        "webhook_id": required("webhookid"),
        "payload": payload,
    }


def envelope_of(body: Any, headers: Any) -> Any:
    """The envelope of a request: the body, or the ce-... headers and the body. Raises ParseError."""
    if headers is None or not isinstance(body, dict) or "event_id" in body:
        return body
    if header_of(headers, "ce-specversion") is None:
        return body
    return _envelope_from(lambda name: header_of(headers, f"ce-{name}"), lambda name: f"The header ce-{name}", body)


def is_cloud_event(item: Dict[str, Any]) -> bool:
    """Whether an item of a batch is a CloudEvent. The body says it, because no signature covers Content-Type."""
    return "specversion" in item


def envelope_of_item(item: Dict[str, Any], place: str) -> Dict[str, Any]:
    """The envelope of a batch's item that is a CloudEvent. `place` names the item in messages. Raises ParseError."""
    payload = item.get("data")
    if not isinstance(payload, dict):
        raise ParseError(f"{place}: the field data must be an object.")
    return _envelope_from(item.get, lambda name: f"{place}: the attribute {name}", payload)
