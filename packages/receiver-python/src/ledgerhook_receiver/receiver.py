"""Answers a webhook request: decompresses it, verifies it, parses it, ignores duplicates, calls the handler.

The status says whether the service should send the request again.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Callable, NamedTuple, Optional, Sequence

from .cloudevents import ParseError
from .compression import BODY_BYTES_MAX, BodyError, decompress
from .duplicates import Deduplicator, refuse_deferred
from .generated.events import LedgerhookEvent
from .parsing import parse_all
from .signature import SCHEMES, TOLERANCE_SECONDS, check_options, header_of, refusal_of

_log = logging.getLogger("ledgerhook_receiver")

_WHY_REFUSED = {
    "no_signature": "The request has no signature header that this receiver accepts.",
    "no_match": "The signature fits none of this receiver's secrets.",
    "malformed": "webhook-id or webhook-timestamp is missing or malformed.",
    "too_old": "webhook-timestamp is too old.",
    "too_new": "webhook-timestamp is in the future.",
}


class Answer(NamedTuple):
    """The body is JSON. The service stores it with the attempt."""

    status: int
    body: str


def _answer(status: int, **content: Any) -> Answer:
    return Answer(status, json.dumps(content))


class Receiver:
    """Calls `on_event(event, delivery_id)` for each new event. When it raises, the service sends the event again."""

    def __init__(
        self,
        *,
        secrets: Sequence[str],
        on_event: Callable[[LedgerhookEvent, Optional[str]], Any],
        store: Optional[Any] = None,
        schemes: Sequence[str] = SCHEMES,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        max_body_bytes: int = BODY_BYTES_MAX,
    ) -> None:
        check_options(secrets, schemes)
        refuse_deferred("on_event", on_event)
        self._secrets = secrets
        self._on_event = on_event
        self._deduplicator = Deduplicator(store)
        self._schemes = schemes
        self._tolerance_seconds = tolerance_seconds
        self._max_body_bytes = max_body_bytes

    def receive(self, headers: Any, body: bytes) -> Answer:
        """`headers` is what the framework has; `body` the raw bytes, before any parser."""
        try:
            body = decompress(headers, body, self._max_body_bytes)
            refusal = refusal_of(
                headers, body, self._secrets, schemes=self._schemes, tolerance_seconds=self._tolerance_seconds
            )
            if refusal is not None:
                return _answer(401, error=_WHY_REFUSED[refusal])
            received = parse_all(body, header_of(headers, "x-service-delivery-id"), headers)
        except BodyError as error:
            return _answer(error.status, error=str(error))
        except ParseError as error:
            return _answer(400, error=str(error))
        # One after the other: the order of a batch is the ledger's.
        failed = [delivery_id for event, delivery_id in received if not self._handled(event, delivery_id)]
        if not failed:
            return _answer(200, received=len(received))
        if len(failed) == len(received):
            return _answer(500, error="The event could not be handled.")
        return _answer(207, failed=failed)

    def _handled(self, event: LedgerhookEvent, delivery_id: Optional[str]) -> bool:
        try:
            self._deduplicator.once(event, lambda: self._on_event(event, delivery_id))
            return True
        except Exception:
            _log.exception("The event %s could not be handled; the service sends it again", event["event_id"])
            return False
