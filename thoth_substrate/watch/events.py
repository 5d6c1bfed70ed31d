"""File-system events: who is told that something stirs in a folder. Without them the scans find it, only later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import watchfiles

DEBOUNCE_MS = 800  # an editor's several writes are one change
AGAIN_S = 60.0  # a folder that comes back is heard of after so long at the latest
_log = logging.getLogger("thoth.watch")


async def listen(roots: Sequence[Path], alarm: Callable[[], None], stop: asyncio.Event) -> None:
    """Call `alarm` whenever something in the folders changes, until `stop`. Never raises: without events scans do it alone."""
    said = False
    while not stop.is_set():
        there = [root for root in roots if root.is_dir()]
        try:
            if there:
                async for changes in watchfiles.awatch(
                    *there, watch_filter=None, debounce=DEBOUNCE_MS, stop_event=stop, ignore_permission_denied=True,
                    rust_timeout=int(AGAIN_S * 1000), yield_on_timeout=True,
                ):  # fmt: skip
                    if changes:
                        alarm()
                    if [root for root in roots if root.is_dir()] != there:
                        break  # one has come or gone: listen to those that are there
        except (OSError, RuntimeError) as error:  # too many folders for the system, or one that went away
            if not said:
                _log.warning("Changes of files are found by scans alone, as the system tells of none (%s).", error)
                said = True
        if not stop.is_set() and (not there or said):
            await _pause(stop)


async def _pause(stop: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(AGAIN_S):
            await stop.wait()
    except TimeoutError:
        return
