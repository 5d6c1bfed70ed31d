"""Two tenants with rows in every table, as alike as they can be: whatever is not kept apart shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
OURS, THEIRS = "ours", "theirs"
PASSAGES = {OURS: (900_001, 900_002), THEIRS: (900_003, 900_004)}  # out of the sequence's way
VECTOR = "[1,0,0,0,0,0,0,0]"
CODE = "1" + "0" * 1535
# Rows of the upper layers. Both tenants have them under the same numbers, which the sequence never gives to two.
PERSON, ANIMAL, NAMESAKE, MERGE, FACT, OLD_FACT, PATTERN, COHERENCE, SELF = range(800_001, 800_010)
QUESTION, OLD_DREAM = 800_020, 800_021
LOST = 800_022  # a row that outcomes and supports still name, and that is gone
# Rows under numbers of the tenant's own: of what answers with nothing but numbers, those that both have show nothing.
OWN_TOLD = {OURS: 800_037, THEIRS: 800_038}  # a fact whose only source was retired
CONCEPT = 800_041
OWN_CONCEPT = {OURS: 800_043, THEIRS: 800_044}
OWN_PERSON, OWN_FACT, OWN_PATTERN = ({OURS: number, THEIRS: number + 1} for number in (800_031, 800_033, 800_035))
AGENT = "parser"
STORE = "langgraph"  # a host's
CLAIM = UUID(int=0xC1A13)  # under which both have claimed what waits for promotion
_NUMBERS = {OURS: "a", THEIRS: "b"}
# What has become of each slice: perceived so many days ago, its triage and its consolidation.
_KINDS = {
    "faded": (30, "passed", "consolidated"), "pinned": (2, "passed", "unconsolidated"),
    "waiting": (1, "pending", "unconsolidated"), "held": (3, "quarantined", "unconsolidated"),
    "refused": (120, "rejected", "unconsolidated"), "diary": (1, "passed", "exempt"), "old diary": (120, "passed", "exempt"),
    "gone": (125, "passed", "consolidated"), "own": (4, "passed", "consolidated"), "summary": (2, "passed", "consolidated"),
}  # fmt: skip


def slice_id(tenant: str, kind: str) -> UUID:
    """The id of one of a tenant's slices, which carries its time."""
    number = list(_KINDS).index(kind)
    return UUID(f"{int(ingested(kind).timestamp() * 1000):012x}7{number:03x}8{_NUMBERS[tenant] * 15}")


def ingested(kind: str) -> datetime:
    return NOW - timedelta(days=_KINDS[kind][0])


def recall_id(tenant: str) -> UUID:
    return UUID(f"{int(NOW.timestamp() * 1000):012x}70008{_NUMBERS[tenant] * 15}")


def decision_id(tenant: str) -> UUID:
    """The diary's entry by which the tenant's knowledge came."""
    return slice_id(tenant, "diary")


def call_id(tenant: str) -> UUID:
    """A call to a model; `purge_id` too, as nothing keeps them apart."""
    return UUID(f"{int(NOW.timestamp() * 1000):012x}70018{_NUMBERS[tenant] * 15}")


purge_id = call_id


def tables(sql: psycopg.Connection) -> list[str]:
    """Every table that has a tenant, partitions left out."""
    rows = sql.execute(
        "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'"
        " where c.relnamespace = 'thoth'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1"
    )
    return [row[0] for row in rows]


def settle(sql: psycopg.Connection) -> None:
    """Give both tenants their rows."""
    sql.execute("select thoth.substrate_make_months('2025-12-01', 8)")
    sql.execute(
        "insert into thoth.substrate_streams (stream, family, modality, source, profile) values"
        " ('thoth.world.note', 'exteroceptive', 'text', 'test', 'default-text'),"
        " ('substrate.self_state', 'self_state', 'structured', 'test', 'diary')"
    )
    for model in ("m", "old"):
        sql.execute(
            "insert into thoth.substrate_embedding_models values (%s, 8, array_fill(0::real, array[8]), %s, %s)",
            [model, model == "m", NOW],
        )
    for tenant in (OURS, THEIRS):
        for kind in _KINDS:
            _slice(sql, tenant, kind)
        _index(sql, tenant)
        _rest(sql, tenant)
        _know(sql, tenant)
        _watch(sql, tenant)
        _purge(sql, tenant)
        _keep(sql, tenant)
        _token(sql, tenant)
        _files(sql, tenant)
        _items(sql, tenant)
        _mind(sql, tenant)


def _slice(sql: psycopg.Connection, tenant: str, kind: str) -> None:
    _, triage, consolidation = _KINDS[kind]
    diary = consolidation == "exempt"
    one, at = slice_id(tenant, kind), ingested(kind)
    link = f"{_NUMBERS[tenant]}1" * 32
    seq = (1 if kind == "old diary" else 2) + 2 * (tenant == THEIRS)
    metadata = f'{{"seq": {seq}, "prev": "{"00" * 32}", "link": "{link}"}}' if diary else "{}"
    if kind == "summary":
        metadata = f'{{"summary_of": ["{slice_id(tenant, "pinned")}"]}}'
    session = "diary" if diary else f"of {tenant}" if kind == "own" else "s"
    sql.execute(
        "insert into thoth.substrate_slices (tenant_id, slice_id, ingest_time, stream_id, session_id, actor, event_time,"
        " triage_state, triage_reason, consolidation_state, content_hash, external_id, text, payload, metadata)"
        " select %s, %s, %s, stream_id, %s, 'maya', %s, %s, 'why', %s, '\\x00', %s, %s,"
        " '{\"agent\": \"maya\", \"decision\": {\"inputs\": []}}', %s"
        " from thoth.substrate_streams where stream = %s",
        [tenant, one, at, session, at, triage, consolidation, kind, f"{tenant}: the dog barks", metadata,
         "substrate.self_state" if diary else "thoth.world.note"],
    )  # fmt: skip
    sql.execute("insert into thoth.substrate_external_ids values (%s, 'test', %s, %s)", [tenant, kind, one])
    if kind == "gone":  # with its month; its anchor is left
        sql.execute("set session_replication_role = replica")
        sql.execute("delete from thoth.substrate_slices where slice_id = %s", [one])
        sql.execute("set session_replication_role = origin")
    if not diary:
        faded = kind == "faded"
        sql.execute(
            "insert into thoth.substrate_salience (tenant_id, slice_id, anchor, anchored_at, half_life, fades_at, pinned,"
            " releasable, profile) values (%s, %s, 1, %s, '1 day', %s, %s, %s, 'default-text')",
            [tenant, one, at, NOW - timedelta(days=1), kind == "pinned", faded],
        )
        sql.execute("insert into thoth.substrate_salience_events values (%s, %s, %s, 'used', 1, '1 day')", [tenant, one, NOW])


def _index(sql: psycopg.Connection, tenant: str) -> None:
    sql.execute("insert into thoth.substrate_sessions values (%s, 's', default, 2)", [tenant])
    for passage, kind, seq in zip(PASSAGES[tenant], ("faded", "pinned"), (1, 2), strict=True):
        sql.execute(
            "insert into thoth.substrate_passages (tenant_id, passage_id, slice_id, passage_no, stream_id, session_no, seq,"
            " event_time, char_start, char_end, length, actor, terms, counts)"
            " select %s, %s, %s, 0, 1, session_no, %s, %s, 0, 12, 2, 'maya', '{dog,bark}', '{1,1}' from thoth.substrate_sessions"
            " where tenant_id = %s",
            [tenant, passage, slice_id(tenant, kind), seq, ingested(kind), tenant],
        )
        for term in ("dog", "bark"):
            sql.execute("insert into thoth.substrate_postings values (%s, %s, %s, 1, 2)", [tenant, term, passage])
        for kind_of_vector, model in (("turn", "m"), ("window", "m"), ("turn", "old")):
            sql.execute(
                "insert into thoth.substrate_passage_vectors values (%s, %s, %s, %s, %s::halfvec, %s::bit(1536))",
                [tenant, passage, kind_of_vector, model, VECTOR, CODE],
            )
        sql.execute("insert into thoth.substrate_unembedded values (%s, %s, %s, 1, '-infinity', 'no')", [tenant, passage, NOW])


def _rest(sql: psycopg.Connection, tenant: str) -> None:
    waiting, shown = slice_id(tenant, "waiting"), slice_id(tenant, "pinned")
    sql.execute("insert into thoth.substrate_tenants values (%s, %s)", [tenant, NOW])
    sql.execute("insert into thoth.substrate_pending values (%s, %s, 'default-text', %s)", [tenant, waiting, NOW])
    sql.execute("insert into thoth.substrate_quarantine values (%s, %s, %s)", [tenant, slice_id(tenant, "held"), NOW])
    for queue in (b"substrate_unindexed", b"substrate_unconsolidated"):
        for kind in ("pinned", "faded", "refused"):
            sql.execute(b"insert into thoth.%s values (%%s, %%s, %%s)" % queue, [tenant, slice_id(tenant, kind), NOW])
    sql.execute("update thoth.substrate_unconsolidated set claim = %s where tenant_id = %s", [CLAIM, tenant])
    for term in ("dog", "bark"):
        sql.execute("insert into thoth.substrate_terms values (%s, %s, 2)", [tenant, term])
    sql.execute("insert into thoth.substrate_terms values (%s, 'extinct', 0)", [tenant])  # between a loss and its clearing
    sql.execute("insert into thoth.substrate_text_stats values (%s, 2, 4)", [tenant])
    for model, vectors in (("m", 4), ("old", 2)):
        sql.execute(
            "insert into thoth.substrate_vector_stats values (%s, %s, %s, 2, '{2,0,0,0,0,0,0,0}')", [tenant, model, vectors]
        )
    sql.execute("insert into thoth.substrate_floors values (%s, 'm', %s, 2, '{}')", [tenant, NOW])
    sql.execute(
        "insert into thoth.substrate_recall_log values (%s, %s, %s, 's', '\\x00', 'dog?', '\\x00', 300, 12, 90,"
        " 'below_floor', '[]', '[]', %s, '{}')",
        [
            tenant,
            recall_id(tenant),
            NOW + timedelta(seconds=tenant == THEIRS),
            f'[{{"handle": "101", "slice_id": "{shown}", "passage_no": 0}}, {{"handle": "102", "row_id": {FACT}}}]',
        ],
    )
    sql.execute("insert into thoth.substrate_audit_heads values (%s, 2, '\\x11')", [tenant])
    sql.execute("insert into thoth.substrate_audit_anchors values (%s, '2025-01-01', 1, 1, '\\x00', '\\x11')", [tenant])
    sql.execute(
        "insert into thoth.substrate_imports values (%s, 'test', '\\x00', '/home/me/a', 1, 1, 1, '{}', %s, %s)",
        [tenant, NOW, NOW],
    )


def _know(sql: psycopg.Connection, tenant: str) -> None:
    """Layers 1 to 3: who is there, what is known of them, what it rests on and how it is found."""
    by, at, quoted = decision_id(tenant), NOW, ("faded", "pinned")
    for entity, name, into in ((PERSON, "maya", None), (ANIMAL, "dog", None), (NAMESAKE, "the dog", ANIMAL)):
        sql.execute(
            "insert into thoth.substrate_entities values (%s, %s, 'thing', %s, %s, %s, %s, %s, 0.9, %s, %s, null, null, %s, 'm',"
            " %s, %s, 'm')",
            [tenant, entity, name, name, f"{tenant}: {name}", at, at, into, at, AGENT, by, VECTOR],
        )
        sql.execute(
            "insert into thoth.substrate_entity_aliases values (%s, %s, %s, %s, %s, %s)", [tenant, name, entity, name, at, by]
        )
        sql.execute("insert into thoth.substrate_unassociated values (%s, %s, %s)", [tenant, entity, at])
    sql.execute(
        "insert into thoth.substrate_entity_merges values (%s, %s, %s, %s, '{}', 'same', %s, null, %s)",
        [tenant, MERGE, ANIMAL, NAMESAKE, at, by],
    )
    for fact, gone, why, after in ((FACT, None, None, None), (OLD_FACT, at, "corrected", FACT)):
        sql.execute(
            "insert into thoth.substrate_relationships values (%s, %s, %s, 'has_pet', %s, 'dog', 'dog', false, true, %s, %s,"
            " null, %s, %s, %s, %s, %s, 0.7, %s, 'm', %s)",
            [
                tenant,
                fact,
                PERSON,
                ANIMAL,
                f"{tenant}: maya has a dog",
                ingested("faded"),
                at,
                gone,
                why,
                after,
                0.9 if tenant == THEIRS else 0.8,
                AGENT,
                by,
            ],
        )
    sql.execute(
        "insert into thoth.substrate_patterns values (%s, %s, 'pattern', %s, 'dogs', %s, 0, %s, %s, 0.8, 0.7, %s, null, null, %s,"
        " 'm', %s)",
        [tenant, PATTERN, f"{tenant}: there are dogs", PERSON, at, at, at, AGENT, by],
    )
    for row in (PERSON, ANIMAL, FACT, OLD_FACT):
        for kind in quoted:
            sql.execute(
                "insert into thoth.substrate_citations values (%s, %s, %s, 0, 6, 'the dog', '\\x00', %s, 's', 'maya', %s, %s)",
                [tenant, row, slice_id(tenant, kind), ingested(kind), at, by],
            )
    for row, on in ((PATTERN, FACT), (PATTERN, OLD_FACT), (SELF, PATTERN)):
        sql.execute("insert into thoth.substrate_supports values (%s, %s, %s)", [tenant, row, on])
    for row, layer in ((FACT, "relationship"), (PATTERN, "pattern"), (SELF, "observation")):
        sql.execute(
            "insert into thoth.substrate_statements values (%s, %s, %s, '{bark,dog}', '{1,1}', 2, %s, 'm')",
            [tenant, row, layer, VECTOR],
        )
        for term in ("dog", "bark"):
            sql.execute("insert into thoth.substrate_statement_postings values (%s, %s, %s, 1, 2)", [tenant, term, row])
    sql.execute(
        "insert into thoth.substrate_associations values (%s, %s, %s, %s, 2, 1, 0, %s)",
        [tenant, PERSON, ANIMAL, 0.6 if tenant == THEIRS else 0.5, at],
    )
    for entity in (PERSON, ANIMAL):
        sql.execute("insert into thoth.substrate_communities values (%s, %s, %s, %s)", [tenant, entity, PERSON, at])


def _watch(sql: psycopg.Connection, tenant: str) -> None:
    """Layer 4, the handshake and the crew's own: what it noted, judged, gave up, read, paid and purged."""
    by, at = decision_id(tenant), NOW
    for row, kind, said in ((COHERENCE, "coherence", ""), (SELF, "self", f"{tenant}: I know dogs")):
        sql.execute(
            "insert into thoth.substrate_observations values (%s, %s, %s, %s, %s, '{}', %s, null, null, 'critic', 'm', %s)",
            [tenant, row, kind, said, 0.6 if tenant == THEIRS else 0.5, at + timedelta(seconds=tenant == THEIRS), by],
        )
    for row, outcome in ((OLD_FACT, "corrected"), (FACT, "contradicted"), (LOST, "contradicted")):
        sql.execute("insert into thoth.substrate_outcomes values (%s, %s, %s, %s, %s)", [tenant, row, outcome, FACT, at])
    sql.execute("insert into thoth.substrate_supports values (%s, %s, %s)", [tenant, LOST, FACT])
    for row, kind, ago in ((QUESTION, "question", 0), (OLD_DREAM, "dream", 400)):
        sql.execute(
            "insert into thoth.substrate_observations values (%s, %s, %s, %s, null, '{}', %s, null, null, 'dreamer', 'm', %s)",
            [tenant, row, kind, f"{tenant}: are there dogs?", at - timedelta(days=ago), by],
        )
    sql.execute("insert into thoth.substrate_calibration values (%s, %s, 'm', '*', 8, 1, 0, 0.8, 0.64, %s)", [tenant, AGENT, at])
    for kind, outcome in (("faded", "extracted"), ("pinned", "failed")):
        sql.execute(
            "insert into thoth.substrate_verdicts values (%s, %s, 0, %s, 'why', %s, %s, %s)",
            [tenant, slice_id(tenant, kind), outcome, AGENT, at, by],
        )
        sql.execute(
            "insert into thoth.substrate_digests values (%s, %s, 0.5, '{dogs}', %s, 'm', %s, %s)",
            [tenant, slice_id(tenant, kind), f"{tenant}: of dogs", at, by],
        )
    sql.execute(
        "insert into thoth.substrate_dead_letters values (%s, %s, %s, 5, 'no', %s)",
        [tenant, AGENT, slice_id(tenant, "refused"), at],
    )
    sql.execute("insert into thoth.substrate_cursors values (%s, %s, '{}', %s)", [tenant, AGENT, at])
    sql.execute(
        "insert into thoth.substrate_agent_cost values (%s, %s, %s, %s, 'chat', 'http://models', 'm', 100, 0.1, 80, 20, 0, 0.1,"
        " 5, 'reserved', '', null, %s)",
        [tenant, call_id(tenant), at, AGENT, by],
    )


def _token(sql: psycopg.Connection, tenant: str) -> None:
    sql.execute(
        "insert into thoth.substrate_tokens values (%s, %s, 'a name', sha256(%s), '{read}', %s)",
        [tenant, call_id(tenant), tenant.encode(), NOW],
    )


def _purge(sql: psycopg.Connection, tenant: str) -> None:
    """A purge under way, and what it is about to find: what rests on what goes, and what is left of nothing else."""
    by, at, own, gone = decision_id(tenant), NOW, OWN_FACT[tenant], slice_id(tenant, "gone")
    sql.execute(
        'insert into thoth.substrate_purges values (%s, %s, %s, %s, \'{"state": "closing"}\', %s)',
        [tenant, purge_id(tenant), at, [gone], by],
    )
    sql.execute("insert into thoth.substrate_sessions values (%s, 'over')", [tenant])  # nothing was said in it that is left
    sql.execute(
        "insert into thoth.substrate_imports values (%s, 'emptied', '\\x00', '/home/me/c', 1, 1, 1, '{}', %s, %s)",
        [tenant, at, at],
    )
    sql.execute(  # held for twenty days, and given up since
        "insert into thoth.substrate_relationships values (%s, %s, %s, 'has_pet', %s, 'dog', 'dog', false, true, %s, %s, null,"
        " %s, %s, 'ended', null, 0.8, 0.7, %s, 'm', %s)",
        [tenant, own, OWN_PERSON[tenant], ANIMAL, f"{tenant}: they have a dog", ingested("gone"), at - timedelta(days=20), at,
         AGENT, by],
    )  # fmt: skip
    sql.execute(
        "insert into thoth.substrate_citations values (%s, %s, %s, 0, 6, 'the dog', '\\x00', %s, 's', 'maya', %s, %s)",
        [tenant, own, gone, ingested("gone"), at, by],
    )
    sql.execute("insert into thoth.substrate_statement_postings values (%s, 'dog', %s, 1, 2)", [tenant, own])
    sql.execute("insert into thoth.substrate_supports values (%s, %s, %s)", [tenant, OWN_PATTERN[tenant], own])
    sql.execute("insert into thoth.substrate_outcomes values (%s, %s, 'corroborated', %s, %s)", [tenant, FACT, FACT, at])
    # Its earlier form began a day before.
    sql.execute(
        "update thoth.substrate_relationships set valid_from = valid_from - interval '1 day'"
        " where tenant_id = %s and relationship_id = %s",
        [tenant, OLD_FACT],
    )


def file_id(tenant: str, number: int = 1) -> UUID:
    """One of the tenant's watched files: 1 is live, 2 is being taken in, 3 is gone, 4 failed."""
    return UUID(f"{int(NOW.timestamp() * 1000):012x}700{number + 2}8{_NUMBERS[tenant] * 15}")


def _files(sql: psycopg.Connection, tenant: str) -> None:
    """A watched folder, its files, and a fact that only a retired one told of."""
    at, own = NOW, slice_id(tenant, "own")
    sql.execute("insert into thoth.substrate_roots values (%s, 'h', '/notes', %s, %s, %s, %s)", [tenant, at, at, at, tenant])
    for number, state in ((1, "live"), (2, "ingesting"), (3, "retired"), (4, "failed")):
        live = state == "live"
        sql.execute(
            "insert into thoth.substrate_files (tenant_id, file_id, host, root, path, state, claim, size,"
            " mtime_ns, seen_sha256, seen_at, version, sha256, slice_ids)"
            " values (%s, %s, 'h', '/notes', %s, %s, %s, 1, 1, '\\x00', %s, 1, %s, %s)",
            [tenant, file_id(tenant, number), f"{number}.md", state, CLAIM, at - timedelta(days=400), b"\0" if live else None,
             [own] if live else []],
        )  # fmt: skip
    for number in (1, 2):
        sql.execute(
            "insert into thoth.substrate_external_ids values (%s, %s, %s, %s)",
            [tenant, f"file:{file_id(OURS, number)}", f"{tenant}/1", own],
        )
    sql.execute(
        "insert into thoth.substrate_relationships values (%s, %s, %s, 'has_pet', %s, 'dog', 'dog', false, true, %s, %s, null,"
        " %s, null, null, null, 0.8, 0.7, %s, 'm', %s)",
        [tenant, OWN_TOLD[tenant], OWN_PERSON[tenant], ANIMAL, f"{tenant}: they had a dog", at, at, AGENT, decision_id(tenant)],
    )
    sql.execute(
        "insert into thoth.substrate_citations values (%s, %s, %s, 0, 6, 'the dog', '\\x00', %s, 's', 'maya', %s, %s, %s)",
        [tenant, OWN_TOLD[tenant], own, at, at, decision_id(tenant), at],
    )
    sql.execute("insert into thoth.substrate_supports values (%s, %s, %s)", [tenant, QUESTION, OLD_FACT])


def _keep(sql: psycopg.Connection, tenant: str) -> None:
    """Memories that were changed, one of them without its older version retired, and requests that brought keys."""
    for kind, old, number, retired in (("pinned", "faded", 2, NOW), ("own", "pinned", 3, None)):
        sql.execute(
            "insert into thoth.substrate_memory_versions values (%s, %s, %s, %s, %s, %s, 'maya', %s)",
            [tenant, slice_id(tenant, kind), slice_id(tenant, old), slice_id(tenant, "faded"), number, NOW, retired],
        )
    for key, ago in (("a key", 0), ("old", 9)):
        sql.execute(
            "insert into thoth.substrate_idempotency_keys values (%s, %s, %s, %s, %s)",
            [tenant, key, b"8 bytes.", slice_id(tenant, "own"), NOW - timedelta(days=ago, seconds=tenant == THEIRS)],
        )


def _items(sql: psycopg.Connection, tenant: str) -> None:
    """A host's store: an item with a vector, one that has expired, an entry of a log, and words to be forgotten."""
    for number, namespace, key, expires in (
        (11, "u", "prefs", None),
        (12, "u", "old", "2026-01-01"),
        (13, "log", "entry", None),
    ):
        sql.execute(
            "insert into thoth.substrate_items values (%s, %s, %s, %s, %s, %s, %s, 'x', %s, %s, %s, '1 hour', %s)",
            [tenant, STORE, f"{namespace}.", key, [namespace, tenant], f'{{"of": "{tenant}"}}',
             number + 10 * (tenant == THEIRS), number, NOW, NOW, expires],
        )  # fmt: skip
    sql.execute("insert into thoth.substrate_item_vectors values (%s, %s, 'u.', 'prefs', 'x', 'm', %s)", [tenant, STORE, VECTOR])
    sql.execute("insert into thoth.substrate_items_unsaid values (%s, %s, 1)", [tenant, STORE])
    sql.execute("insert into thoth.substrate_external_ids values (%s, 'test', '1', %s)", [tenant, slice_id(tenant, "own")])


def _mind(sql: psycopg.Connection, tenant: str) -> None:
    """What is going on: a topic under a number of both, and one under a number of the tenant's own."""
    for number in (CONCEPT, OWN_CONCEPT[tenant]):
        sql.execute(
            "insert into thoth.substrate_concepts values (%s, %s, %s, %s, %s, %s)",
            [tenant, number, NOW + timedelta(days=5), NOW, NOW, decision_id(tenant)],
        )
        for word in ("dog", "bark", f"pet{_NUMBERS[tenant]}"):
            sql.execute("insert into thoth.substrate_keywords values (%s, %s, %s, %s, %s)", [tenant, number, word, word, NOW])
        begin = NOW - timedelta(days=200, hours=tenant == THEIRS)
        for kind, ref in (("conversation", "thoth.world.note/s"), ("mail", "<0@x>")):
            sql.execute(
                "insert into thoth.substrate_sources values (%s, %s, %s, %s, %s, %s)", [tenant, number, kind, ref, begin, NOW]
            )
