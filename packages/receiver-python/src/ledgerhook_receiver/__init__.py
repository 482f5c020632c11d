"""Receives Ledgerhook's webhooks: decompresses, verifies and parses requests, ignores duplicates, sorts events."""

from .cloudevents import ParseError
from .compression import BodyError, decompress
from .duplicates import Deduplicator, MemoryStore
from .generated.events import EVENT_TYPES, LedgerhookEvent
from .parsing import Received, parse, parse_all
from .receiver import Answer, Receiver
from .sequences import Gap, gaps, sequence_of, sort_by_sequence
from .signature import refusal_of, verify

__all__ = [
    "EVENT_TYPES",
    "Answer",
    "BodyError",
    "Deduplicator",
    "Gap",
    "LedgerhookEvent",
    "MemoryStore",
    "ParseError",
    "Received",
    "Receiver",
    "decompress",
    "gaps",
    "parse",
    "parse_all",
    "refusal_of",
    "sequence_of",
    "sort_by_sequence",
    "verify",
]
