"""The order of a network's events.

A sequence is an event's `ledger_index` (ten digits), a full stop and its position among the events of its ledger (six
digits, from 0). Compared as text, sequences are in ledger order. Sequences of different networks cannot be compared.
"""

from __future__ import annotations

import re
from typing import Any, Iterable, List, Mapping, NamedTuple, Optional, TypeVar

from .cloudevents import ParseError

_FORM = re.compile(r"[0-9]{10}\.[0-9]{6}")
_LEDGER_DIGITS = 10

E = TypeVar("E", bound=Mapping[str, Any])


class Gap(NamedTuple):
    """Positions of a ledger, both ends included, of which no sequence was given."""

    ledger_index: int
    from_position: int
    to_position: int


def _checked(sequence: str) -> str:
    if _FORM.fullmatch(sequence) is None:
        raise ParseError(f"{sequence!r} is not a sequence, such as '0094084608.000007'.")
    return sequence


def sequence_of(ledger_index: int, position: int) -> str:
    """The sequence of a record of the events topic, or of an event of the API, which have a `position`.

    Raises ParseError.
    """
    return _checked(f"{ledger_index:010}.{position:06}")


def check_sequence(sequence: Any, ledger_index: int, event_id: str) -> None:
    """Refuses a sequence that is malformed or of another ledger. Raises ParseError."""
    ledger = f"{ledger_index:010}"
    if not isinstance(sequence, str) or _FORM.fullmatch(sequence) is None or not sequence.startswith(ledger):
        raise ParseError(f"The sequence of {event_id} must be {ledger}, a full stop and six digits.")


def sort_by_sequence(events: Iterable[E]) -> List[E]:
    """A sorted copy.

    Events of a service before 0.3 have no sequence: they come first in their ledger. Events with equal sequences keep
    their order.
    """
    return sorted(events, key=lambda event: event.get("sequence") or f"{event['ledger_index']:010}")


def gaps(
    sequences: Iterable[str],
    *,
    from_ledger: int,
    to_ledger: int,
    event_counts: Optional[Mapping[int, int]] = None,
) -> List[Gap]:
    """The missing positions of a ledger range, both ledgers included, in order. Other sequences are ignored.

    Every gap is events that exist and whose sequences were not given: a later event of the ledger, or its event count,
    shows that they exist. No gap does not mean that nothing is missing: without event counts, the end of a ledger and a
    ledger without any sequence cannot be seen. `event_counts` is the `event_count` of records of the ledgers topic, by
    ledger index.

    Meaningful only for a source without filters: a webhook with filters gets some positions of a ledger.

    It holds the distinct sequences of the range in memory and sorts them. It returns at most one gap for each of them
    and for each event count. Raises ParseError for a text that is not a sequence.
    """
    distinct = {one for one in sequences if from_ledger <= int(_checked(one)[:_LEDGER_DIGITS]) <= to_ledger}
    for ledger_index, count in (event_counts or {}).items():
        # As if the ledger's end were one more event: positions before it exist.
        if from_ledger <= ledger_index <= to_ledger:
            distinct.add(sequence_of(ledger_index, count))
    found: List[Gap] = []
    ledger_index = following = 0
    for sequence in sorted(distinct):
        ledger, position = (int(digits) for digits in sequence.split("."))
        if ledger != ledger_index:
            ledger_index, following = ledger, 0
        if position > following:
            found.append(Gap(ledger, following, position - 1))
        following = position + 1
    return found
