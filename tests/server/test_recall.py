"""`/v1/recall`, slices, layers, recalls, status and metrics over HTTP."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests import servers
from tests.memories.support import told_of
from tests.plans import indexes, plan, scanned
from tests.server.serving import Served, serving
from tests.support import Said, perceived
from thoth_substrate.boot import open_database
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage
from thoth_substrate.views import layer_pages

KEY = "The spare key is under the third flower pot."


@pytest.fixture
def told(served: Served, dsn: str) -> str:
    """A memory that can be recalled, among others. Its id."""
    texts = [KEY, *(f"Note {n}: the weather in town {n} is fine." for n in range(30))]
    ids = [served.client.post("/v1/memories", json={"content": text, "session": "s1"}).json()["id"] for text in texts]
    asyncio.run(_settle(served, dsn))
    return str(ids[0])


async def _settle(served: Served, dsn: str) -> None:

    assert await served.substrate.durable()
    db = await open_database(served.settings, dsn, pool="hands")
    try:
        await triage(db, limit_rows=1000, defence=False)
        await index(db, limit_rows=1000)
    finally:
        await db.close()


def recall(served: Served, query: str, **more: Any) -> dict[str, Any]:
    answer = served.client.post("/v1/recall", json={"query": query, "deadline_ms": 20_000, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_question_is_answered_with_lines_and_a_block(served: Served, told: str) -> None:
    found = recall(served, "Where is the spare key?")
    assert KEY in found["block"]
    (line,) = [line for line in found["lines"] if line["slice_id"] == told]
    assert (line["text"], line["kind"], line["session"]) == (KEY, "quote", "s1")
    assert (found["empty_reason"], found["partial"], line["parts"], found["detail"]) == (None, False, {}, {})
    assert found["tokens"] > 10


def test_explained_it_says_what_each_line_is_made_of(served: Served, told: str) -> None:
    found = recall(served, "Where is the spare key?", explain=True)
    line = found["lines"][0]
    assert line["parts"]
    assert line["legs"]
    assert found["detail"]


def test_the_session_that_asks_is_not_told_its_own_words(served: Served, told: str) -> None:
    assert recall(served, "Where is the spare key?", session="s1")["lines"] == []
    by_header = served.client.post(
        "/v1/recall", json={"query": "Where is the spare key?", "deadline_ms": 20_000}, headers={"x-thoth-session": "s1"}
    )
    assert by_header.json()["lines"] == []


def test_an_empty_answer_says_why(served: Served, told: str) -> None:
    assert recall(served, "ok")["empty_reason"] == "trivial_query"
    assert recall(served, "")["empty_reason"] == "trivial_query"
    assert recall(served, "quantum chromodynamics lattice")["empty_reason"] in ("no_candidates", "below_floor")
    assert recall(served, "Where is the spare key?", as_of="2020-01-01T00:00:00Z")["empty_reason"] == "no_candidates"
    assert recall(served, "Where is the spare key?", as_of="1901-01-01T00:00:00Z")["empty_reason"] == "no_candidates"
    late = recall(served, "Where is the spare key?", deadline_ms=1)
    assert late["lines"] or late["empty_reason"] == "timeout" or late["partial"]


@pytest.mark.parametrize("with_session", [True, False])
def test_a_recall_is_logged_explained_and_asked_again(served: Served, told: str, with_session: bool) -> None:
    found = recall(served, "Where is the spare key?", **({"session": "s2"} if with_session else {}))
    explained = served.client.get(f"/v1/recalls/{found['recall_id']}").json()
    assert explained["recall"]["query"] == "Where is the spare key?"
    assert told in {line["slice_id"] for line in explained["lines"]}
    assert [one["recall_id"] for one in served.client.get("/v1/recalls").json()["recalls"]] == [found["recall_id"]]
    assert served.client.delete(f"/v1/memories/{told}").json()["changed"] is True
    again = served.client.post(f"/v1/recalls/{found['recall_id']}/replay", params={"deadline_ms": 20_000}).json()
    assert again["as_of"] == explained["recall"]["asked_at"]
    missing = served.client.get("/v1/recalls/019e2a3b-4c5d-7001-8a6b-1f0c9d2e4b77")
    assert (missing.status_code, missing.json()["kind"]) == (404, "UnknownRecall")


def test_a_slice_is_shown_pinned_let_go_and_forgotten(served: Served, told: str) -> None:
    url = f"/v1/slices/{told}"
    assert served.client.get(url).json()["slice"]["text"] == KEY
    assert [served.client.post(f"{url}/pin").json()["changed"] for _ in range(2)] == [True, False]
    assert served.client.get(url).json()["slice"]["pinned"] is True
    assert [served.client.post(f"{url}/unpin").json()["changed"] for _ in range(2)] == [True, False]
    assert [served.client.post(f"{url}/forget").json()["changed"] for _ in range(2)] == [True, False]
    assert recall(served, "Where is the spare key?")["lines"] == []


def test_the_layers_come_in_pages(served: Served, sql: psycopg.Connection, told: str) -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    names = ("Maya", "Lisbon", "Porto")
    numbers = [told_of(sql, name, [UUID(told)], at, says=f"{name} is here.") for name in names]
    sql.execute("insert into thoth.substrate_associations values ('default', %s, %s, 0.5, 1, 1, 0)", numbers[:2])
    sql.execute("insert into thoth.substrate_associations values ('default', %s, %s, 0.4, 1, 1, 0)", numbers[1:])
    sql.execute(
        "insert into thoth.substrate_patterns (tenant_id, kind, statement, norm, valid_from, valid_to, stated_confidence,"
        " confidence, agent) values ('default', 'insight', 'All are here.', 'all', %s, %s, 0.9, 0.9, 'critic')",
        [at, at],
    )
    sql.execute("insert into thoth.substrate_observations (tenant_id, kind, statement, agent) values"
                " ('default', 'self', 'I know three places.', 'reflector')")  # fmt: skip
    assert [row["name"] for row in _all(served, "entities")] == ["Porto", "Lisbon", "Maya"]
    assert _all(served, "entities")[0]["aliases"] == ["Porto"]
    assert [row["statement"] for row in _all(served, "facts")] == ["Porto is here.", "Lisbon is here.", "Maya is here."]
    assert [(row["left_name"], row["right_name"]) for row in _all(served, "associations")] == [
        ("Maya", "Lisbon"),
        ("Lisbon", "Porto"),
    ]
    assert [row["statement"] for row in _all(served, "patterns")] == ["All are here."]
    assert [row["statement"] for row in _all(served, "observations")] == ["I know three places."]
    assert served.client.get("/v1/layers").json()["counts"]["facts"] == 3
    fact = _all(served, "facts")[0]
    rests_on = served.client.get(f"/v1/layers/rows/{fact['row_id']}").json()
    assert [one["slice_id"] for one in rests_on["citations"]] == [told]
    sql.execute("update thoth.substrate_relationships set valid_to = %s where relationship_id = %s", [at, fact["row_id"]])
    assert len(_all(served, "facts")) == 2
    assert len(_all(served, "facts", ended="true")) == 3
    for path in ("entities?cursor=x", "entities?cursor=1-2", "associations?cursor=1", "entities?cursor=" + "9" * 30, "rows/0",
                 "rows/9223372036854775808", "facts?ended=maybe", "patterns?limit=0"):  # fmt: skip
        assert served.client.get(f"/v1/layers/{path}").status_code == 422, path
    assert served.client.get("/v1/layers/rows/9223372036854775807").status_code == 404


def _all(served: Served, layer: str, **more: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = served.client.get(f"/v1/layers/{layer}", params={"limit": "1", **more, **cursor}).json()
        rows += page["rows"]
        if page["next_cursor"] is None:
            return rows
        cursor = {"cursor": page["next_cursor"]}


def test_status_says_how_it_is(served: Served) -> None:
    assert served.client.get("/v1/status").json()["well"] is True
    made = served.client.post("/v1/memories", json={"content": "nobody triages here"}).json()
    assert served.client.get(f"/v1/memories/{made['id']}").status_code == 200
    status = served.client.get("/v1/status").json()
    assert (status["dormant"], status["well"]) == (False, False)
    assert {"database", "months", "sentinel"} <= {one["name"] for one in status["checks"]}
    assert served.client.get("/status").json()["verdict"] == status["verdict"] == "bad"  # no Sentinel runs here


def test_metrics_are_numbers_with_bounded_labels(served: Served, told: str) -> None:
    recall(served, "Where is the spare key?")
    served.client.get(f"/v1/memories/{told}")
    served.client.get("/no/such/path/of/anybody")
    served.client.request("BREW", "/v1/memories")
    lines = served.client.get("/metrics").text.splitlines()
    requests = [line for line in lines if line.startswith("thoth_http_requests_total{")]
    assert any('route="/v1/memories/{id}"' in line and 'status="200"' in line for line in requests)
    assert any('route="none"' in line and 'status="404"' in line for line in requests)
    assert not [line for line in lines if told in line or "anybody" in line or "BREW" in line]
    values = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}
    assert values['thoth_recalls_total{empty="none"}'] >= 1
    assert values["thoth_database_up"] == 1
    assert values["thoth_backlog_unembedded"] == 31
    assert values["thoth_perceive_accepted"] == 31


def test_with_the_database_gone_what_can_be_answered_is(dsn: str, tmp_path: Path, home: Path) -> None:
    """faults: the database is away: perceiving goes on, recall is empty for a reason, deeds say that they cannot be done."""

    with EmbeddedServer(home) as server, servers.empty_database(server.dsn) as gone:
        pass
    with serving(gone, tmp_path, awake=False) as served:
        made = served.client.post("/v1/memories", json={"content": "kept in the journal"})
        assert (made.status_code, made.json()["state"]) == (201, "pending")
        answer = served.client.post("/v1/recall", json={"query": "what was kept?"})
        assert (answer.status_code, answer.json()["empty_reason"]) == (200, "error")
        for path in ("/v1/memories", "/v1/layers", "/v1/recalls"):
            away = served.client.get(path)
            assert (away.status_code, away.headers["content-type"]) == (503, "application/problem+json"), path
        assert served.client.post("/v1/memories", json={"content": "x"}, headers={"idempotency-key": "k"}).status_code == 503
        assert served.client.get("/v1/status").json()["dormant"] is True
        assert "thoth_database_up 0.0" in served.client.get("/metrics").text


async def test_layers_are_read_by_an_index(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:

    perceived(sql, clock.now(), [Said("x")])
    sql.execute(
        "insert into thoth.substrate_entities (tenant_id, kind, name, norm, first_seen, last_seen, agent)"
        " select 't' || n % 4, 'person', 'n' || n, 'n' || n, now(), now(), 'parser' from generate_series(1, 4000) n"
    )
    sql.execute(
        "insert into thoth.substrate_entity_aliases (tenant_id, norm, entity_id, alias)"
        " select tenant_id, norm, entity_id, name from thoth.substrate_entities"
    )
    sql.execute(
        "insert into thoth.substrate_relationships (tenant_id, subject_id, predicate, object_text, object_norm, statement,"
        " valid_from, stated_confidence, confidence, agent)"
        " select tenant_id, entity_id, 'is', 'x', 'x', 'x', now(), 0.9, 0.9, 'parser' from thoth.substrate_entities"
    )
    sql.execute(
        "insert into thoth.substrate_patterns (tenant_id, kind, statement, norm, valid_from, valid_to, stated_confidence,"
        " confidence, agent) select tenant_id, 'pattern', 'x', 'x', now(), now(), 0.9, 0.9, 'critic'"
        " from thoth.substrate_entities"
    )
    sql.execute("insert into thoth.substrate_observations (tenant_id, kind, statement, agent)"
                " select tenant_id, 'self', 'x', 'reflector' from thoth.substrate_entities")  # fmt: skip
    sql.execute("insert into thoth.substrate_associations (tenant_id, left_id, right_id, weight, together, linked, shared)"
                " select tenant_id, entity_id, entity_id + 4, 0.5, 1, 1, 0 from thoth.substrate_entities")  # fmt: skip
    sql.execute("analyze")
    tables = ("substrate_entities", "substrate_relationships", "substrate_patterns", "substrate_observations",
              "substrate_associations", "substrate_entity_aliases")  # fmt: skip
    for asked, arguments in (
        (layer_pages.ENTITIES, ("5000", "51")), (layer_pages.FACTS, ("9000000", "51", "false")),
        (layer_pages.PATTERNS, ("9000000", "51")), (layer_pages.OBSERVATIONS, ("9000000", "51")),
        (layer_pages.ASSOCIATIONS, ("5", "9", "51")),
    ):  # fmt: skip
        found = plan(sql, asked, "'t1'", *arguments, tenant="t1")
        assert scanned(found, tables) == [], asked.name
        assert indexes(found), asked.name
