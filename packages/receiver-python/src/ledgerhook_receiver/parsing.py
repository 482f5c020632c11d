"""Parses the body of a verified request to typed dictionaries.

It checks the envelope; the service has checked the payload against its schema before it signed it.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union, cast

from .cloudevents import ParseError, envelope_of, envelope_of_item, is_cloud_event
from .generated.events import EVENT_TYPES, LedgerhookEvent
from .sequences import check_sequence
from .signature import header_of

# The most events of one request, as the service has it for webhooks with `batch`.
_BATCH_MAX = 500


class Received(NamedTuple):
    """One event of a request, with the delivery that it belongs to, where the request names it."""

    event: LedgerhookEvent
    delivery_id: Optional[str]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_FIELDS: Sequence[Tuple[str, str, Callable[[Any], bool]]] = (
    ("event_id", "a string", _is_text),
    ("event_type", "a string", _is_text),
    ("ledger_index", "a positive integer", _is_index),
    ("timestamp", "a string", _is_text),
    ("network", "a string", _is_text),
    ("webhook_id", "a string", _is_text),
    ("payload", "an object", lambda value: isinstance(value, dict)),
)


def _json_of(body: Union[bytes, str]) -> Any:
    try:
        return json.loads(body if isinstance(body, str) else bytes(body).decode("utf-8"))
    except (ValueError, RecursionError):
        raise ParseError("The body is not JSON in UTF-8.") from None


def _sequenced(envelope: Any, sequence: Optional[Any]) -> Any:
    """The envelope with the sequence beside it. One that the envelope has already is kept."""
    return envelope if sequence is None or not isinstance(envelope, dict) else {"sequence": sequence, **envelope}


def _event_of(value: Any, place: str) -> LedgerhookEvent:
    if not isinstance(value, dict):
        raise ParseError(f"{place} is not an object.")
    for name, what, is_right in _FIELDS:
        if not is_right(value.get(name)):
            raise ParseError(f"{place}: the field {name} must be {what}.")
    if "sequence" in value:
        check_sequence(value["sequence"], value["ledger_index"], value["event_id"])
    if value["event_type"] not in EVENT_TYPES:
        value = {**value, "event_type": "unknown", "sent_type": value["event_type"]}
    # Its fields were checked above. The service checks payloads before it signs them.
    return cast(LedgerhookEvent, value)


def _request_of(body: Union[bytes, str], headers: Any) -> Any:
    """The envelope of a request, with the sequence of its header. A batch has one beside each event instead."""
    sequence = None if headers is None else header_of(headers, "x-service-sequence")
    return _sequenced(envelope_of(_json_of(body), headers), sequence)


def parse(body: Union[bytes, str], headers: Any = None) -> LedgerhookEvent:
    """The event of a request. Raises ParseError.

    `headers` is needed for the sequence, and if the webhook's format is `cloudevents`.
    """
    return _event_of(_request_of(body, headers), "The body")


def _delivery_id_of(item: Dict[str, Any], field: str, place: str) -> str:
    value = item.get(field)
    if not isinstance(value, str):
        raise ParseError(f"{place}: the field {field} must be a string.")
    return value


def _item_of(value: Any, place: str) -> Received:
    if not isinstance(value, dict):
        raise ParseError(f"{place} is not an object.")
    if is_cloud_event(value):
        delivery_id = _delivery_id_of(value, "deliveryid", place)
        return Received(_event_of(envelope_of_item(value, place), place), delivery_id)
    delivery_id = _delivery_id_of(value, "delivery_id", place)
    return Received(_event_of(_sequenced(value.get("event"), value.get("sequence")), f"{place}.event"), delivery_id)


def parse_all(
    body: Union[bytes, str], delivery_id: Optional[str] = None, headers: Any = None
) -> List[Received]:
    """The events of a request, which are several when the webhook has `batch`. Raises ParseError.

    `delivery_id` is the header X-Service-Delivery-Id: a batch names the delivery beside each event instead.
    `headers` is needed for the sequence of a single event, and if the webhook's format is `cloudevents`.
    """
    value = _request_of(body, headers)
    if not isinstance(value, list):
        return [Received(_event_of(value, "The body"), delivery_id)]
    if len(value) > _BATCH_MAX:
        raise ParseError(f"A batch has at most {_BATCH_MAX} events.")
    return [_item_of(one, f"[{index}]") for index, one in enumerate(value)]
