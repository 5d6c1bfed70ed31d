"""Does the block hold the evidence? LoCoMo and BEAM through perceive, settle and recall, with one setting for all.

    python -m bench.quality --data DIR [--dsn DSN] [--vectors FILE] [--only beam] [--conversations conv-26,conv-30] [--limit 20]

A question's score is the share of its evidence whose whole text (white space aside) stands in the rendered block;
fences, notice and headings count in the budget. Each is asked with the floor on; where the floor says nothing it is
asked again with the floor off, so that both figures come from the product. Abstention: the questions of one
conversation asked of the next one's memory, for LoCoMo with the names taken out.

With `--knowledge` everything is asked twice: before and after the data's own annotations (LoCoMo's observations; BEAM has
none) were promoted to facts, as a model that extracts well would have proposed them. A fact in the block counts as the
turns that it cites.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from bench import data, report
from bench.compare import BUDGETS, differences, worst
from bench.compare import table as side_by_side
from bench.data import APART, Asked, Conversation
from bench.learn import learn
from bench.place import Place, place
from bench.settle import Settled, perceive, set_clock, settle
from bench.vectors import CachedEmbedder
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Embedder
from thoth_substrate.model.projection import EmptyReason, Kind, Projection
from thoth_substrate.substrate import Substrate

KINDS = ("locomo", "beam", "blanked")
PATIENT = {"THOTH_RECALL_DEADLINE_MS": "20000", "THOTH_RECALL_EMBED_BUDGET_MS": "15000", "THOTH_RECALL_REINFORCE": "0"}
OVERALL = "OVERALL"


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked. `conversations` names those to take (empty: all); `limit` bounds the questions of each (0: none)."""

    folder: Path
    dsn: str | None = None
    vectors: Path | None = None
    only: tuple[str, ...] = KINDS
    conversations: tuple[str, ...] = ()
    limit: int = 0
    keyword_only: bool = False
    foreign: bool = True
    knowledge: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """Of one question at one budget: the share of its evidence in the block, and whether anything was said at all."""

    found: float
    said: bool
    tokens: int


@dataclass(slots=True)
class Marks:
    """All questions of one kind of data: by category and (floor, budget); and how long recalls took, in ms."""

    scores: dict[str, dict[tuple[str, int], list[Score]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    took_ms: list[float] = field(default_factory=list)
    reasons: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    facts: int = 0

    def add(self, category: str, floor: str, budget: int, score: Score) -> None:
        self.scores[category][floor, budget].append(score)
        if category not in APART:
            self.scores[OVERALL][floor, budget].append(score)


class Asker:
    """Asks the same memory twice where needed: by the settings as they are, and with the floor off."""

    def __init__(
        self, floor_on: Substrate, floor_off: Substrate, clock: PinnedClock, items: Mapping[str, Mapping[UUID, str]]
    ) -> None:
        self._on, self._off, self._clock, self._items = floor_on, floor_off, clock, items

    async def own(self, conversation: Conversation, questions: Sequence[Asked], budgets: Sequence[int], marks: Marks) -> None:
        """Ask a conversation's questions of its own memory."""
        set_clock(self._clock, conversation)
        texts = {item.id: _plain(item.text) for item in conversation.items}
        items = self._items[conversation.name]
        for asked in questions:
            for budget in budgets:
                projection = await self._ask(self._on, asked, conversation, budget, marks)
                marks.add(asked.category, "on", budget, _score(projection, asked, texts, items))
                if projection.empty_reason is EmptyReason.BELOW_FLOOR:
                    projection = await self._ask(self._off, asked, conversation, budget, marks)
                marks.add(asked.category, "off", budget, _score(projection, asked, texts, items))

    async def foreign(self, memory: Conversation, questions: Sequence[Asked], marks: Marks) -> list[bool]:
        """Ask one conversation's questions of another's memory: which of them got nothing for being below the floor."""
        set_clock(self._clock, memory)
        refused = []
        for asked in questions:
            projection = await self._ask(self._on, asked, memory, BUDGETS[-1], marks)
            refused.append(projection.empty_reason is EmptyReason.BELOW_FLOOR)
        return refused

    @staticmethod
    async def _ask(substrate: Substrate, asked: Asked, memory: Conversation, budget: int, marks: Marks) -> Projection:
        projection = await substrate.recall(asked.text, tenant=memory.name, budget_tokens=budget, forced=True)
        if projection.empty_reason in (EmptyReason.ERROR, EmptyReason.TIMEOUT) or projection.partial:
            raise RuntimeError(f"a recall of {memory.name} did not work: {projection.empty_reason} {projection.legs}")
        marks.took_ms.append(projection.took_ms)
        marks.reasons[projection.empty_reason or "said"] += 1
        marks.facts += sum(line.kind is not Kind.QUOTE for line in projection.lines)
        return projection


def _score(projection: Projection, asked: Asked, texts: Mapping[str, str], items: Mapping[UUID, str]) -> Score:
    """A turn is there when its whole text is, or a fact that cites it."""
    block = _plain(projection.block)
    cited = {items.get(source.slice_id) for line in projection.lines for source in line.sources}
    found = sum(one in cited or texts[one] in block for one in asked.evidence) / len(asked.evidence)
    return Score(found, bool(projection.lines), projection.tokens)


def _plain(text: str) -> str:
    return " ".join(text.split())


async def run(options: Options, where: Place) -> dict[str, Any]:
    """Every kind of data in one database, a tenant a conversation. Answers the figures."""
    sets = {kind: _chosen(options, data.load(kind, options.folder)) for kind in options.only}
    everything = [conversation for conversations in sets.values() for conversation in conversations]
    clock = PinnedClock(datetime(2025, 1, 1, tzinfo=UTC))
    embedder = _embedder(options)
    async with AsyncExitStack() as stack:
        if isinstance(embedder, CachedEmbedder):
            stack.callback(embedder.close)
        db = await where.database(clock)
        stack.push_async_callback(db.close)
        on = await stack.enter_async_context(where.substrate(where.settings(**PATIENT), embedder, clock))
        settings = where.settings(**PATIENT, THOTH_RECALL_FLOOR="off", THOTH_HOME=where.home / "off")
        off = await stack.enter_async_context(where.substrate(settings, embedder, clock))
        items = await perceive(on, clock, everything)
        settled = await settle(db, embedder, [conversation.name for conversation in everything])
        asker = Asker(on, off, clock, items)
        figures = {kind: await _of_kind(asker, kind, sets[kind], options) for kind in sets}
        if options.knowledge:
            learnt = await learn(db, embedder, clock, everything, items)
            knowing = {kind: await _of_kind(asker, kind, sets[kind], options) for kind in sets}
            gained = {kind: differences(figures[kind], knowing[kind]) for kind in sets}
            figures |= {"learnt": asdict(learnt), "knowing": knowing, "gained": gained}
    return {"settled": _settled(settled, embedder), **figures}


async def _of_kind(asker: Asker, kind: str, conversations: Sequence[Conversation], options: Options) -> dict[str, Any]:
    marks, refused = Marks(), Marks()
    said_nothing: list[bool] = []
    for number, conversation in enumerate(conversations):
        questions = conversation.questions[: options.limit or None]
        await asker.own(conversation, questions, BUDGETS, marks)
        if options.foreign and kind != "locomo" and len(conversations) > 1:
            memory = conversations[(number + 1) % len(conversations)]
            counted = [asked for asked in questions if asked.category not in APART]
            said_nothing += await asker.foreign(memory, counted, refused)
    figures = {
        "items": sum(len(c.items) for c in conversations),
        "scores": _scores(marks),
        "reasons": dict(marks.reasons),
        "facts": marks.facts,
    }
    figures["recall_ms"] = asdict(report.Times.of(marks.took_ms))
    if said_nothing:
        figures["abstained"] = {"n": len(said_nothing), "share": round(sum(said_nothing) / len(said_nothing), 3)}
    return figures


def _scores(marks: Marks) -> dict[str, dict[str, float]]:
    table = {}
    for category, cells in sorted(marks.scores.items(), key=lambda entry: (entry[0] != OVERALL, entry[0])):
        row: dict[str, float] = {"n": len(next(iter(cells.values())))}
        for (floor, budget), scores in sorted(cells.items()):
            row[f"recall@{budget} floor {floor}"] = _mean([score.found for score in scores])
            row[f"all@{budget} floor {floor}"] = _mean([score.found == 1.0 for score in scores])
            row[f"silent@{budget} floor {floor}"] = _mean([not score.said for score in scores])
            row[f"tokens@{budget} floor {floor}"] = _mean([score.tokens for score in scores if score.said] or [0])
        table[category] = row
    return table


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


def _chosen(options: Options, conversations: Sequence[Conversation]) -> list[Conversation]:
    wanted = options.conversations
    return [c for c in conversations if not wanted or c.name.removesuffix("-blanked") in wanted]


def _embedder(options: Options) -> Embedder | None:
    if options.keyword_only:
        return None
    return CachedEmbedder(options.vectors, LocalEmbedder()) if options.vectors else LocalEmbedder()


def _settled(settled: Settled, embedder: Embedder | None) -> dict[str, Any]:
    return {**asdict(settled), "embedded_now": embedder.made if isinstance(embedder, CachedEmbedder) else settled.vectors}


def line(figures: Mapping[str, Any]) -> str:
    """One line for a person, of both sets of figures where there are two."""
    if "knowing" in figures:
        lost = min(worst(gained) for gained in figures["gained"].values())
        return f"{_line(figures)}; with knowledge: {_line(figures['knowing'])}; worst question type {lost:+.3f}"
    return _line(figures)


def _line(figures: Mapping[str, Any]) -> str:
    parts = []
    for kind in KINDS:
        if kind in figures:
            row = figures[kind]["scores"][OVERALL]
            on = " / ".join(f"{row[f'recall@{budget} floor on']:.3f}" for budget in BUDGETS)
            off = " / ".join(f"{row[f'recall@{budget} floor off']:.3f}" for budget in BUDGETS)
            abstained = figures[kind].get("abstained")
            silent = f", silent on foreign questions {abstained['share']:.0%}" if abstained else ""
            parts.append(f"{kind} (n {row['n']}): {on} (floor off {off}){silent}")
    return f"evidence recall at {' / '.join(map(str, BUDGETS))} tokens: " + "; ".join(parts)


def table(figures: Mapping[str, Any]) -> str:
    """By category, for a person who wants to know where it fails."""
    if "knowing" in figures:
        return "\n".join(side_by_side(kind, figures[kind], figures["knowing"][kind]) for kind in KINDS if kind in figures)
    rows = []
    for kind in (kind for kind in KINDS if kind in figures):
        for category, row in figures[kind]["scores"].items():
            on, off = (" ".join(f"{row[f'recall@{budget} floor {floor}']:.3f}" for budget in BUDGETS) for floor in ("on", "off"))
            silent = row[f"silent@{BUDGETS[-1]} floor on"]
            rows.append(f"  {kind:8} {category:26} n {row['n']:4}  on {on}  off {off}  silent {silent:.3f}")
    return "\n".join(rows)


def arguments() -> argparse.ArgumentParser:
    """The options of every benchmark that reads the data sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with locomo7.json and beam100k/")
    parser.add_argument("--dsn", help="a PostgreSQL whose user may create databases; none: an embedded one")
    parser.add_argument("--vectors", type=Path, help="sqlite file of vectors, read and added to")
    return parser


def main() -> None:
    """Run from the command line."""
    parser = arguments()
    parser.add_argument("--only", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--conversations", default="", help="names, comma-separated: a part to tune on, or the rest")
    parser.add_argument("--limit", type=int, default=0, help="questions asked of each conversation; 0 for all")
    parser.add_argument("--keyword-only", action="store_true", help="without any embedding model")
    parser.add_argument("--own-only", action="store_true", help="ask no memory for what it cannot know")
    parser.add_argument("--knowledge", action="store_true", help="ask again once the data's annotations are known")
    parser.add_argument("--name", default="quality", help="of the file in bench-results")
    given = parser.parse_args()
    options = Options(
        given.data, given.dsn, given.vectors, tuple(given.only.split(",")),
        tuple(filter(None, given.conversations.split(","))), given.limit, given.keyword_only, not given.own_only, given.knowledge,
    )  # fmt: skip
    with place(options.dsn) as where:
        figures = asyncio.run(run(options, where))
        result = {"benchmark": "quality", "machine": report.machine(where.version), "options": asdict(options), **figures}
    result["options"]["folder"] = options.folder.name
    print(table(figures))
    report.write(given.name, result, line(figures))


if __name__ == "__main__":
    main()
