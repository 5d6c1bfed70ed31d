"""/v1/awareness over a real HTTP server: each route, its scope, its problems."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.awareness.topics import STREAM
from tests.server.serving import Served
from tests.server.tokens import token
from tests.support import Said, perceived
from thoth_substrate.model.tokens import count

NEW = {"keywords": ["boiler repair", "Ortega"], "sources": ["mail:<4711@example.org>"], "days": 9}


def made(served: Served, **given: Any) -> dict[str, Any]:
    """A topic noted by hand."""
    answered = served.client.post("/v1/awareness", json=NEW | given)
    assert answered.status_code == 201, answered.text
    found: dict[str, Any] = answered.json()
    return found


def problem(answered: Any, status: int) -> str:
    """What a problem says."""
    assert (answered.status_code, answered.headers["content-type"]) == (status, "application/problem+json")
    return str(answered.json()["detail"])


def test_the_line_and_the_topics(served: Served) -> None:
    empty = served.client.get("/v1/awareness").json()
    assert empty == {"line": "", "tokens": 0, "topics": []}
    one = made(served)
    found = served.client.get("/v1/awareness").json()
    assert found["line"].startswith("Going on: boiler repair, ortega. If your task touches")
    assert found["tokens"] == count(found["line"]) <= 100
    assert found["topics"] == [one]
    shorter = served.client.get("/v1/awareness", params={"tokens": found["tokens"] - 1}).json()
    assert 0 < shorter["tokens"] < found["tokens"]


def test_a_lookup_leads_to_a_window_and_a_reading_to_its_words(served: Served, sql: psycopg.Connection) -> None:
    now = datetime.now(UTC)
    perceived(sql, now, [Said("The boiler failed.", session="ortega", stream=STREAM, at=now, state="passed")])
    made(served, sources=[f"conversation:{STREAM}/ortega"])
    found = served.client.get("/v1/awareness/lookup", params={"q": "boilers"}).json()["found"]
    [source] = found[0]["concept"]["sources"]
    read = served.client.get("/v1/awareness/read", params={"pointer": source["pointer"]}).json()
    assert [(one["state"], one["text"]) for one in read["slices"]] == [("kept", "The boiler failed.")]
    assert served.client.get("/v1/awareness/lookup", params={"q": "paella"}).json() == {"found": []}
    outside = served.client.get("/v1/awareness/read", params={"pointer": "mail:<4711@example.org>"}).json()
    assert (outside["outside"], outside["where"]) == (True, "It is outside, in mail: look there for <4711@example.org>.")


def test_a_topic_is_shown_extended_and_forgotten(served: Served) -> None:
    one = made(served)
    where = f"/v1/awareness/{one['concept_id']}"
    assert served.client.get(where).json() == one
    longer = served.client.patch(where, json={"days": 90}).json()
    assert datetime.fromisoformat(longer["expires_at"]) > datetime.fromisoformat(one["expires_at"]) + timedelta(days=80)
    assert served.client.patch(where, json={"days": 1}).json()["expires_at"] == longer["expires_at"]
    assert served.client.delete(where).json()["forgotten"]["concept_id"] == one["concept_id"]
    for answered in (served.client.get(where), served.client.patch(where, json={"days": 1}), served.client.delete(where)):
        assert "thoth awareness list" in problem(answered, 404)


def test_noting_the_same_again_extends(served: Served) -> None:
    one = made(served)
    again = served.client.post("/v1/awareness", json=NEW | {"days": 30})
    assert (again.status_code, again.json()["concept_id"]) == (200, one["concept_id"])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "", {"keywords": ["котёл"]}), ("POST", "", {"keywords": []}), ("POST", "", {"keywords": ["boiler"], "days": 0}),
        ("POST", "", {"keywords": ["boiler"], "sources": ["nowhere"]}), ("POST", "", {"keywords": ["boiler"], "day": 3}),
        ("PATCH", "/1", {"days": -1}), ("PATCH", "/1", {}), ("GET", "/boiler", None), ("GET", "/lookup", None),
        ("GET", "/read?pointer=boiler", None), ("GET", "/lookup?q=boiler&limt=3", None), ("GET", "?tokens=0", None),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(served: Served, method: str, path: str, body: Any) -> None:
    assert problem(served.client.request(method, f"/v1/awareness{path}", json=body), 422)


def test_reading_and_writing_need_their_scopes_and_tenants_are_kept_apart(served: Served, dsn: str) -> None:
    number = made(served)["concept_id"]
    reader, writer = token(dsn, "read"), token(dsn, "write")
    other = token(dsn, "read", tenant="other")

    def asked(method: str, path: str, key: dict[str, str], body: Any = None) -> int:
        return served.client.request(method, f"/v1/awareness{path}", headers=key, json=body).status_code

    for path in ("", "/lookup?q=boiler", "/read?pointer=mail:x", f"/{number}"):
        assert (asked("GET", path, reader), asked("GET", path, writer)) == (200, 403), path
    for method, path, body in (("POST", "", NEW), ("PATCH", f"/{number}", {"days": 3}), ("DELETE", f"/{number}", None)):
        assert asked(method, path, reader, body) == 403, method
    assert asked("GET", f"/{number}", other) == 404
    there = served.client.get("/v1/awareness", headers=other).json()
    assert there == {"line": "", "tokens": 0, "topics": []}
    assert asked("DELETE", f"/{number}", writer) == 200
