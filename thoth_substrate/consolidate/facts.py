"""Facts of a batch: worked into those held before, and written in their new forms, within the transaction of a promotion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from thoth_substrate.consolidate.entities import row_ids
from thoth_substrate.consolidate.quotes import Found
from thoth_substrate.consolidate.statements import state_facts, unstate
from thoth_substrate.consolidate.supersede import Claimed, Fact, Timeline
from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query


@dataclass(frozen=True, slots=True)
class HeldFact:
    subject: int
    row_id: int
    predicate: str
    root: int | None
    object_text: str
    object_norm: str
    negated: bool
    functional: bool
    statement: str
    valid_from: datetime
    valid_to: datetime | None
    stated: float
    confidence: float
    agent: str
    model: str
    decision_id: UUID | None
    slices: list[UUID]
    mentions: list[datetime]
    by_person: bool


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a batch's facts, as counts. `refused` are places of quotes whose claims were outranked."""

    made: tuple[int, ...] = ()
    superseded: int = 0
    corroborated: int = 0
    citations: int = 0
    refused: tuple[Found, ...] = ()


_HELD = query(__package__, "facts_held", HeldFact)
_MADE: Query[None] = query(__package__, "facts_made")
_RETRACTED: Query[None] = query(__package__, "facts_retracted")
_CITED: Query[None] = query(__package__, "citations_made")
_INHERITED: Query[None] = query(__package__, "citations_inherited")
_SUPPORTS: Query[None] = query(__package__, "supports_moved")
_OUTCOMES: Query[None] = query(__package__, "outcomes_noted")
_CORROBORATED: Query[None] = query(__package__, "corroborations_noted")


async def work_in(
    tx: Tx, tenant_id: str, claims: Sequence[Claimed], numbers: Iterator[int], decision_id: UUID | None, embedding_model: str
) -> Written:
    """Work claims into what is held, and write what changed. The caller holds the tenant's lock.

    `numbers` gives the negative numbers that the claims' facts have drawn from as well, so that none comes twice.
    """
    if not claims:
        return Written()
    lines = await _timelines(tx, tenant_id, claims, numbers)
    new = [fact for line in lines for fact in line.facts if not fact.stored]
    names = dict(zip([fact.row_id for fact in new], await row_ids(tx, len(new)), strict=True))
    retired = [fact for line in lines for fact in line.facts if fact.stored and not fact.living]
    corroborated = [(fact, claim) for line in lines for fact, claim in line.corroborated]
    for fact in [*new, *retired]:
        fact.row_id = names.get(fact.row_id, fact.row_id)
        fact.superseded_by = names.get(fact.superseded_by, fact.superseded_by) if fact.superseded_by else None
    events = [(names.get(e.row_id, e.row_id), e.kind, names.get(e.by, e.by)) for line in lines for e in line.outcomes]
    await _write(tx, tenant_id, new, retired)
    cited = await cite(
        tx, tenant_id, [(fact.row_id, found) for line in lines for fact in line.facts for found in fact.quotes], decision_id
    )
    await _note(tx, tenant_id, events, corroborated)
    vectors = {fact.row_id: fact.embedding for fact in new if fact.living and fact.embedding is not None}
    await unstate(tx, tenant_id, [fact.row_id for fact in retired])
    await state_facts(tx, tenant_id, [fact.row_id for fact in new if fact.living], vectors, embedding_model)
    return Written(
        tuple(fact.row_id for fact in new if fact.from_id is None), sum(line.superseded for line in lines), len(corroborated),
        cited, tuple(found for line in lines for claim in line.refused for found in claim.fact.quotes),
    )  # fmt: skip


async def cite(tx: Tx, tenant_id: str, quotes: Iterable[tuple[int, Found]], decision_id: UUID | None) -> int:
    """Let rows rest on quotes; answers how many citations that made."""
    rows = [
        (row_id, q.slice_id, q.passage_no, q.start, q.text, bytes.fromhex(q.source.content_hash), q.event_time,
         q.source.session_id, q.source.actor)
        for row_id, q in quotes
    ]  # fmt: skip
    return await tx.execute(_CITED, tenant_id, *as_rows(rows), decision_id) if rows else 0


async def _timelines(tx: Tx, tenant_id: str, claims: Sequence[Claimed], numbers: Iterator[int]) -> list[Timeline]:
    """What is held of each subject and predicate, with the claims worked in."""
    by_line: dict[tuple[int, str], list[Claimed]] = {}
    for claim in claims:
        by_line.setdefault((claim.fact.subject, claim.fact.predicate), []).append(claim)
    held: dict[tuple[int, str], list[Fact]] = {line: [] for line in by_line}
    asked = [(c.fact.subject, c.fact.predicate, c.fact.root, c.fact.object_norm, c.fact.functional) for c in claims]
    for row in await tx.fetch(_HELD, tenant_id, *as_rows(asked)):
        held[row.subject, row.predicate].append(_fact(row))
    lines = []
    for key, said in by_line.items():
        line = Timeline(held[key], numbers)
        line.take(said)
        lines.append(line)
    return lines


def _fact(row: HeldFact) -> Fact:
    return Fact(
        row.row_id, row.subject, row.predicate, row.root, row.object_text, row.object_norm, row.negated, row.functional,
        row.statement, row.valid_from, row.valid_to, row.stated, row.confidence, row.by_person, frozenset(row.slices),
        frozenset(row.mentions), row.agent, row.model, row.decision_id,
    )  # fmt: skip


async def _write(tx: Tx, tenant_id: str, new: Sequence[Fact], retired: Sequence[Fact]) -> None:
    if new:
        rows = [
            (f.row_id, f.subject, f.predicate, f.root, f.object_text, f.object_norm, f.negated, f.functional, f.statement,
             f.valid_from, f.valid_to, f.stated, f.confidence, f.agent, f.model, f.decision_id, f.superseded_by, f.retired)
            for f in new
        ]  # fmt: skip
        await tx.execute(_MADE, tenant_id, *as_rows(rows))
    if retired:
        gone = [(f.row_id, f.retired, f.superseded_by) for f in retired]
        await tx.execute(_RETRACTED, tenant_id, *as_rows(gone))
    heirs = [(f.row_id, f.from_id) for f in new if f.from_id is not None]
    if heirs:
        await tx.execute(_INHERITED, tenant_id, *as_rows(heirs))
        await tx.execute(_SUPPORTS, tenant_id, *as_rows(heirs))


async def _note(
    tx: Tx, tenant_id: str, events: Sequence[tuple[int, str, int]], corroborated: Sequence[tuple[Fact, Claimed]]
) -> None:
    """Outcomes, once every row and citation is there."""
    if events:
        await tx.execute(_OUTCOMES, tenant_id, *as_rows(events))
    said = {
        (fact.row_id, found.source.session_id)
        for fact, claim in corroborated
        if claim.fact.by_person
        for found in claim.fact.quotes
        if found.source.session_id
    }
    if said:
        await tx.execute(_CORROBORATED, tenant_id, *as_rows(sorted(said)))
