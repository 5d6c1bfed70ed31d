"""A life with two conversations and everything that is made of them, and a dump of the whole database to look through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import orjson
import psycopg

from tests.consolidate.support import MAKER, Mind, fact
from tests.support import Said
from thoth_substrate.consolidate.statements import searchable, state
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.model.knowledge import (
    DigestProposal,
    EntityProposal,
    Maker,
    Proposals,
    Quote,
    RelationshipProposal,
    VerdictProposal,
)
from thoth_substrate.model.streams import SUMMARY
from thoth_substrate.perceive.diary import record
from thoth_substrate.perceive.summary import Point, Summary, append_summary

# What is said in the conversation that is purged, and the words that nothing else has.
SECRET = (
    "My sister Zinaida moved to Vladivostok, I visit her in spring.",
    "Zinaida breeds axolotls and I live in Porto now.",
    "I love chess, as Zinaida taught me.",
)
WORDS = ("zinaida", "vladivostok", "axolotl", "taught", "breed", "teacher")
OPEN = (
    "I live in Lisbon and work at Acme.",
    "I love chess, it calms me.",
    "Acme moved to a new house by the river.",
)
PRIVATE, PUBLIC = "private", "public"


@dataclass
class Life:
    """The ids of what was said, and the numbers of what was made of it."""

    secret: list[UUID]
    open: list[UUID]
    decisions: dict[str, UUID] = field(default_factory=dict)
    pattern: int = 0
    lonely: int = 0
    dream: int = 0
    summaries: dict[str, UUID] = field(default_factory=dict)


async def live(mind: Mind) -> Life:
    """Both conversations heard, promoted, summed up, recalled and dreamt of."""
    open_ = await mind.hears(*(Said(text, actor="maya", session=PUBLIC) for text in OPEN))
    decisions = {"open": await _promoted(mind, open_, _open(open_))}
    mind.clock.advance(timedelta(days=1))
    secret = await mind.hears(*(Said(text, actor="maya", session=PRIVATE) for text in SECRET))
    decisions["secret"] = await _promoted(mind, secret, _secret(secret))
    one = Life(secret, open_, decisions)
    await _rest(mind, one)
    return one


def _open(ids: Sequence[UUID]) -> Proposals:
    home, chess, acme = ids
    return Proposals(
        (
            EntityProposal("Maya", "person", ("maya",), "Maya lives in Lisbon.", quotes=(Quote(home, "I live in Lisbon"),)),
            EntityProposal("Acme", "organisation", (), "Acme is a company.", quotes=(Quote(acme, "Acme moved"),)),
        ),
        (
            _fact("Maya", "lives_in", "Lisbon", home, "I live in Lisbon", "Maya lives in Lisbon."),
            _fact("Maya", "works_at", "Acme", home, "work at Acme", "Maya works at Acme."),
            _fact("Maya", "likes", "chess", chess, "I love chess", "Maya loves chess.", entity=False),
        ),
        tuple(DigestProposal(one, 0.5, ("life",), "Maya tells of herself.") for one in ids),
        tuple(VerdictProposal(one, 0, "nothing", "small talk") for one in ids),
    )


def _secret(ids: Sequence[UUID]) -> Proposals:
    sister, porto, chess = ids
    return Proposals(
        (
            EntityProposal(
                "Maya", "person", ("Zinaida's sister",), "Maya has a sister Zinaida in Vladivostok.",
                quotes=(Quote(sister, "My sister Zinaida"),),
            ),
            EntityProposal("Zinaida", "person", ("Zina",), "She breeds axolotls.", quotes=(Quote(sister, "My sister Zinaida"),)),
        ),
        (
            _fact("Maya", "has_sister", "Zinaida", sister, "My sister Zinaida", "Maya's sister is Zinaida."),
            _fact("Zinaida", "lives_in", "Vladivostok", sister, "Zinaida moved to Vladivostok", "Zinaida lives in Vladivostok."),
            _fact("Maya", "lives_in", "Porto", porto, "I live in Porto", "Maya lives in Porto."),
            _fact("Maya", "likes", "chess", chess, "I love chess", "Maya loves chess, as Zinaida taught her.", entity=False),
        ),
        tuple(DigestProposal(one, 0.9, ("axolotls",), "Of Zinaida, the teacher.") for one in ids),
        tuple(VerdictProposal(one, 0, "nothing", "only of Zinaida") for one in ids),
    )  # fmt: skip


def _fact(
    subject: str, predicate: str, target: str, slice_id: UUID, quote: str, statement: str, *, entity: bool = True
) -> RelationshipProposal:  # fmt: skip
    return fact(
        subject, predicate, target, statement=statement, quotes=(Quote(slice_id, quote),), object_is_entity=entity, confidence=0.9
    )


async def _promoted(mind: Mind, ids: Sequence[UUID], proposals: Proposals) -> UUID:
    """Promote, and tell the diary as the frame does: with the model's own words."""
    decision_id = SliceIds().next(mind.clock.now())
    taken = await mind.claims()
    assert taken is not None
    promoted = await mind.promotes(taken, proposals, Maker(MAKER.agent, MAKER.model, decision_id))
    assert promoted.quotes_dropped == 0
    told = {
        "inputs": [{"slice_id": str(one), "content_hash": "00"} for one in ids], "gathered": {},
        "replies": [{"text": orjson.dumps([one.statement + "\nso" for one in proposals.relationships]).decode()}],
        "proposals": [one.statement for one in proposals.relationships],
    }  # fmt: skip
    await record(mind.db, mind.tenant, "parser", told, decision_id)
    return decision_id


async def _rest(mind: Mind, one: Life) -> None:
    await _vectors(mind.sql)
    _imported(mind.sql, one)
    _summing(mind.sql)
    for session, ids in ((PUBLIC, one.open), (PRIVATE, one.secret)):
        one.summaries[session] = summary_id = SliceIds().next(mind.clock.now())
        said = Summary(
            session, (Point(f"Of {' '.join(SECRET if session == PRIVATE else OPEN)}", tuple(ids)),), tuple(ids), max(ids),
            mind.clock.now(), 1.0,
        )  # fmt: skip
        async with mind.db.tenant(mind.tenant) as tx:
            assert await append_summary(tx, mind.tenant, summary_id, said)
    one.pattern = await _pattern(mind, "Maya likes games that calm.", ("chess",), ("Acme",))
    one.lonely = await _pattern(mind, "Maya has family far away.", ("Zinaida",), ("Vladivostok",))
    one.decisions["dreamer"] = await record(
        mind.db, mind.tenant, "dreamer", {"gathered": {"seed": 1}, "replies": [], "proposals": ["Who taught whom: Zinaida?"]}
    )
    one.dream = _dream(mind.sql, "What do axolotls eat?", {"seed": "Zinaida"})
    _dream(mind.sql, "What is chess for?", {"seed": "chess"})
    _recall(mind, "Where does Zinaida live?", None, [])
    _recall(mind, "And my game?", PRIVATE, [])
    _recall(mind, "Who is far away?", PUBLIC, [one.secret[0]])
    _recall(mind, "Where do I work?", PUBLIC, [one.open[0]])


async def _vectors(sql: psycopg.Connection) -> None:
    """Each passage gets a vector of its own, statements and entities too."""
    sql.execute(
        "insert into thoth.substrate_embedding_models (model, dimensions, centre) values ('m', 8, array_fill(0::real, array[8]))"
    )
    for passage_id, tenant in sql.execute("select passage_id, tenant_id from thoth.substrate_passages").fetchall():
        for kind in ("turn", "window"):
            vector = np.random.default_rng([passage_id, len(kind)]).normal(size=8).round(3).tolist()
            sql.execute(
                "insert into thoth.substrate_passage_vectors values (%s, %s, %s, 'm', %s::real[]::vector::halfvec,"
                " repeat('0', 1536)::bit(1536))",
                (tenant, passage_id, kind, vector),
            )
    for table, key in (("substrate_statements", "row_id"), ("substrate_entities", "entity_id")):
        sql.execute(
            f"update thoth.{table} set embedding_model = 'm', embedding ="
            f" array_prepend(({key} % 1000 / 1024.0)::real, array_fill(0.5::real, array[7]))::vector::halfvec".encode()
        )
    sql.execute(
        "insert into thoth.substrate_vector_stats select tenant_id, 'm', count(*), count(*) filter (where kind = 'turn'),"
        " (sum(embedding::vector) filter (where kind = 'turn'))::real[] from thoth.substrate_passage_vectors group by tenant_id"
    )


def _imported(sql: psycopg.Connection, one: Life) -> None:
    for source, ids in (("chat", one.secret), ("mail", one.open)):
        for number, slice_id in enumerate(ids):
            name = f"{source}-zinaida/{number}" if source == "chat" else f"{source}/{number}"
            sql.execute("update thoth.substrate_slices set external_id = %s where slice_id = %s", (name, slice_id))
            sql.execute("insert into thoth.substrate_external_ids values ('default', %s, %s, %s)", (source, name, slice_id))
        sql.execute(
            "insert into thoth.substrate_imports (tenant_id, source, file_hash, path, size) values ('default', %s, %s, %s, 1)",
            (source, source.encode(), f"/home/maya/{'zinaida' if source == 'chat' else 'mail'}.json"),
        )


def _summing(sql: psycopg.Connection) -> None:
    sql.execute(
        "insert into thoth.substrate_streams (stream, family, modality, source, profile)"
        " values (%s, 'self_action', 'text', 'test', 'default-text') on conflict do nothing",
        (SUMMARY,),
    )


async def _pattern(mind: Mind, statement: str, *about: tuple[str]) -> int:
    """A pattern on the living facts that name these objects."""
    facts = [
        row[0]
        for (target,) in about
        for row in mind.rows(
            "select relationship_id from thoth.substrate_relationships where object_text = %s and retracted_at is null", target
        )
    ]
    ((pattern_id,),) = mind.rows(
        "insert into thoth.substrate_patterns (tenant_id, kind, statement, norm, valid_from, valid_to, stated_confidence,"
        " confidence, agent) values ('default', 'pattern', %s, %s, now(), now(), 0.5, 0.5, 'pattern_finder')"
        " returning pattern_id",
        statement, statement.lower(),
    )  # fmt: skip
    for row_id in facts:
        mind.sql.execute("insert into thoth.substrate_supports values ('default', %s, %s)", (pattern_id, row_id))
    async with mind.db.tenant(mind.tenant) as tx:
        await state(tx, mind.tenant, {pattern_id: searchable(statement, ())}, "pattern")
    return int(pattern_id)


def _dream(sql: psycopg.Connection, statement: str, detail: dict[str, Any]) -> int:
    row = sql.execute(
        "insert into thoth.substrate_observations (tenant_id, kind, statement, detail, observed_at, agent)"
        " values ('default', 'dream', %s, %s, '2026-05-16 13:00Z', 'dreamer') returning observation_id",
        (statement, orjson.dumps(detail).decode()),
    ).fetchone()
    assert row is not None
    return int(row[0])


def _recall(mind: Mind, question: str, session: str | None, shown: Sequence[UUID]) -> None:
    lines = orjson.dumps([{"handle": "101", "slice_id": str(one), "passage_no": 0} for one in shown]).decode()
    mind.sql.execute("select thoth.substrate_make_month('substrate_recall_log', %s::timestamptz::date)", (mind.clock.now(),))
    mind.sql.execute(
        "insert into thoth.substrate_recall_log values ('default', %s, %s, %s, '\\x01', %s, '\\x00', 300, 1, 1, null, '[]',"
        " '{\"best\": []}', %s, '{}')",
        (uuid4(), mind.clock.now(), session, question, lines),
    )


def dump(sql: psycopg.Connection) -> str:
    """Every row of every table, as text, whatever its schema: what a dump of the database holds."""
    tables = sql.execute(
        "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'"
    ).fetchall()
    parts = []
    for (table,) in tables:
        with sql.cursor().copy(f"copy {table} to stdout".encode()) as copy:
            parts += [f"{table}: {bytes(data).decode()}" for data in copy]
    return "".join(parts)


def vectors(sql: psycopg.Connection, slice_ids: Sequence[UUID]) -> list[str]:
    """The vectors of slices as a dump writes them."""
    rows = sql.execute(
        "select v.embedding::text from thoth.substrate_passage_vectors v"
        " join thoth.substrate_passages p using (tenant_id, passage_id) where p.slice_id = any(%s)",
        (list(slice_ids),),
    )
    return [row[0] for row in rows]
