"""Receives Ledgerhook's webhooks: decompress and verify a request, parse it to a typed event, ignore duplicates."""

from .cloudevents import ParseError
from .compression import BodyError, decompress
from .duplicates import Deduplicator, MemoryStore
from .generated.events import EVENT_TYPES, LedgerhookEvent
from .parsing import Received, parse, parse_all
from .receiver import Answer, Receiver
from .signature import refusal_of, verify

__all__ = [
    "EVENT_TYPES",
    "Answer",
    "BodyError",
    "Deduplicator",
    "LedgerhookEvent",
    "MemoryStore",
    "ParseError",
    "Received",
    "Receiver",
    "decompress",
    "parse",
    "parse_all",
    "refusal_of",
    "verify",
]
