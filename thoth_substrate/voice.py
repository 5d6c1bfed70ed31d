"""The voice: a thread with an event loop of its own, so that a host's loop, or the lack of one, does not matter."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Voice:
    """Runs coroutines for callers in other threads. Started at once; `stop` ends it within a bounded time."""

    def __init__(self, name: str = "thoth-voice") -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def time(self) -> float:
        """The loop's monotonic time in seconds, from any thread."""
        return self._loop.time()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start `work` on the voice. The future may be waited for, or left."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the voice and await it on the caller's loop."""
        return await asyncio.wrap_future(self.submit(work))

    def call_sync(self, work: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """Run `work` on the voice and wait in the caller's thread. Raises TimeoutError, and RuntimeError on the voice itself."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError(
                "A _sync method of Substrate was called from its own thread, which would wait for itself for ever."
            )
        return self.submit(work).result(timeout_s)

    def stop(self, patience_s: float) -> None:
        """End the loop and the thread; what still runs is cancelled."""
        if not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._cancel_all)
        self._thread.join(patience_s)

    def _cancel_all(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_soon(self._loop.stop)
