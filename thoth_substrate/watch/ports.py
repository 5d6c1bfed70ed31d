"""What the watcher is given by whoever starts it: rooms do not know each other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.model.documents import Description, Document
from thoth_substrate.model.slice import Ack, Event


@dataclass(frozen=True, slots=True)
class Ports:
    """`perceive` and `durable` store; `read` and `described` make documents of a file and of a picture's description; `retire`
    and `relabel` work within the watcher's transaction. `describe` asks a model what is on a picture; None: there is none.
    """

    perceive: Callable[[Event], Ack]
    durable: Callable[[float], Awaitable[bool]]
    read: Callable[[str, bytes], Document]
    described: Callable[[str, str], Document]
    retire: Callable[[Tx, str, Sequence[UUID], str], Awaitable[object]]
    relabel: Callable[[Tx, str, Sequence[UUID], Mapping[str, Any]], Awaitable[None]]
    describe: Callable[[str, bytes], Awaitable[Description]] | None = None
