"""The block of a turn, kept while the turn's tools are at work, so that each of their results is answered with it in place.

In a tool loop a client sends the same user's turn again and again, with calls and results behind it. Without the block that
the turn had at first the model would lose the memory at its first call, and a provider's cache of the prompt would end there.
So the block is put back as it was, and nothing is recalled anew: that would change the turn in the middle of a loop. A turn
of which nothing is kept (the server began anew, there were too many, its first request had no block) goes on as it came.

What is kept is in this process's memory only: so many blocks and bytes at most, of which the ones not used for longest go. One
that was not used for an hour is never put back again; it goes from memory when the next block is looked for or kept, so that a
server that nobody asks anything holds it longer. Before one is put back, the database is asked whether all that it quotes still
stands (`views/still.py`), wherever it was forgotten, purged or corrected; if not, or if that cannot be learned, it is left out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from thoth_substrate.integrations.proxy.dialects import Conversation, Turn
from thoth_substrate.integrations.proxy.perceiving import bare, parted
from thoth_substrate.integrations.proxy.sessions import digest, said_by
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.projection import Kind, Projection

MOST_NAMES = 4000  # of turns, of which each has one or two
MOST_BYTES = 16 << 20  # of blocks in UTF-8, counted under each name
UNUSED = timedelta(hours=1)  # as long as providers keep a prompt


@dataclass(frozen=True, slots=True)
class Block:
    """What was put into a turn: its text, what it shows, and whether it was a part of its own (else behind the turn's words)."""

    text: str
    is_part: bool
    recall_id: UUID
    lines: int
    slice_ids: frozenset[UUID]
    row_ids: frozenset[int]

    @classmethod
    def of(cls, projection: Projection, *, is_part: bool) -> Block:
        """The block of a projection that has one."""
        assert projection.recall_id is not None, "who answered has an id"
        quotes = frozenset(line.slice_id for line in projection.lines if line.kind is Kind.QUOTE)
        rows = frozenset(line.row_id for line in projection.lines if line.row_id is not None)
        return cls(projection.block, is_part, projection.recall_id, len(projection.lines), quotes, rows)


class Kept:
    """Blocks by the names of their turns; one a server. Belongs to its event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._blocks: OrderedDict[str, tuple[Block, float]] = OrderedDict()  # the one not used for longest first
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._blocks)

    def keep(self, names: Sequence[str], block: Block) -> None:
        """Keep a turn's block under its names; also to say that it was used."""
        now_s = self._clock.monotonic_s()
        for name in names:
            self._drop(name)
            self._blocks[name] = block, now_s
            self._bytes += _size(block)
        self._clear(now_s)

    def find(self, names: Sequence[str]) -> Block | None:
        """The block of the turn with these names, by the first of them."""
        self._clear(self._clock.monotonic_s())
        found = self._blocks.get(names[0])
        return found[0] if found else None

    def forget(self, names: Sequence[str]) -> None:
        """Keep nothing under these names any longer: the turn was answered anew."""
        for name in names:
            self._drop(name)

    def let_go(self, block: Block) -> None:
        """Keep a block no longer, whatever its names: it may not be shown again."""
        for name in [name for name, (kept, _) in self._blocks.items() if kept is block]:
            self._drop(name)

    def _drop(self, name: str) -> None:
        if name in self._blocks:
            self._bytes -= _size(self._blocks.pop(name)[0])

    def _clear(self, now_s: float) -> None:
        """Let go of what is too old or too much, the one not used for longest first."""
        oldest_s = now_s - UNUSED.total_seconds()
        while self._blocks:
            name, (_, used_s) = next(iter(self._blocks.items()))
            if used_s >= oldest_s and len(self._blocks) <= MOST_NAMES and self._bytes <= MOST_BYTES:
                break
            self._drop(name)


def names(tenant: str, session: str, conversation: Conversation, turn: Turn) -> tuple[str, ...]:
    """What a turn is known by: whose it is, its words, and the assistant's turn before it; then without the latter.

    The second name is for a client that cuts its history's front off just before the turn. Where a turn stands, and how its
    client writes it, does not count.
    """
    before = "\n".join(map(said_by, parted(conversation.until(turn))[0]))
    words = (bare(turn.text), *(result.id for result in turn.results))
    return tuple(dict.fromkeys(digest(tenant, session, place, *words) for place in (before, "")))


def _size(block: Block) -> int:
    return len(block.text.encode("utf-8", "surrogatepass"))
