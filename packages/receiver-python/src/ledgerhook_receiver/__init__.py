"""Receives Ledgerhook's webhooks: verify a request, parse it to a typed event, ignore duplicates."""

from .duplicates import Deduplicator, MemoryStore
from .generated.events import EVENT_TYPES, LedgerhookEvent
from .parsing import ParseError, Received, parse, parse_all
from .receiver import Answer, Receiver
from .signature import refusal_of, verify

__all__ = [
    "EVENT_TYPES",
    "Answer",
    "Deduplicator",
    "LedgerhookEvent",
    "MemoryStore",
    "ParseError",
    "Received",
    "Receiver",
    "parse",
    "parse_all",
    "refusal_of",
    "verify",
]
