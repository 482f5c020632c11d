"""Handles each event once, although the service delivers at least once.

An event counts as handled when the handler has ended without an exception: after a crash in between it is handled
again, never lost. The default store forgets with the process. To be exact, write the event's id in the transaction that
handles it.
"""

from __future__ import annotations

import functools
import inspect
import threading
from typing import Any, Callable, Dict, Optional, Set

from .generated.events import LedgerhookEvent

# Ten thousand ids are a few MB, and more than a busy webhook gets in the minutes in which most duplicates come.
_SEEN_MAX = 10_000


class MemoryStore:
    """Remembers the newest ids in the process's memory. Any object with these two methods can replace it."""

    def __init__(self, maximum: int = _SEEN_MAX) -> None:
        self._maximum = maximum
        self._keys: Dict[str, None] = {}
        self._lock = threading.Lock()

    def has(self, key: str) -> bool:
        with self._lock:
            return key in self._keys

    def add(self, key: str) -> None:
        with self._lock:
            self._keys.pop(key, None)
            self._keys[key] = None
            # A dict iterates in the order of insertion: the first key is the oldest.
            if len(self._keys) > self._maximum:
                del self._keys[next(iter(self._keys))]


def refuse_deferred(name: str, function: Any) -> None:
    """Raises a TypeError for a function whose call runs nothing yet: `async def`, or one with `yield`."""
    while isinstance(function, functools.partial):
        function = function.func
    # An object with a method `__call__` is a function too.
    for one in (function, getattr(function, "__call__", None)):
        if inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one) or inspect.isgeneratorfunction(one):
            raise TypeError(f"{name} must be a plain function: an `async def`, or one with `yield`, would not be run.")


def _ended(name: str, result: Any) -> Any:
    """The result of a call that has ended. Raises a TypeError for a coroutine, a generator or a future."""
    if inspect.isawaitable(result) or inspect.isasyncgen(result) or inspect.isgenerator(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(f"{name} returned a {type(result).__name__}: its work may never be run.")
    return result


class Deduplicator:
    """Safe for threads. A copy that arrives while the first is handled waits for it, and takes over if it fails.

    `handle` and the store's methods must end their work before they return: a coroutine raises a TypeError.
    """

    def __init__(self, store: Optional[Any] = None) -> None:
        self._store = MemoryStore() if store is None else store
        self._running: Set[str] = set()
        self._changed = threading.Condition()

    def once(self, event: LedgerhookEvent, handle: Callable[[], Any]) -> bool:
        """Calls `handle` unless the event was handled before. False for a duplicate."""
        # An id is unique within its network.
        key = f"{event['network']}/{event['event_id']}"
        with self._changed:
            while key in self._running:
                self._changed.wait()
            self._running.add(key)
        try:
            if _ended("store.has", self._store.has(key)):
                return False
            _ended("The handler", handle())
            _ended("store.add", self._store.add(key))
            return True
        finally:
            with self._changed:
                self._running.discard(key)
                self._changed.notify_all()
