"""Who is let in, from where, and with how much."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from tests import servers
from tests.server.serving import Served, serving
from thoth_substrate.access import tokens
from thoth_substrate.boot import open_database
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.errors import ServerError
from thoth_substrate.settings import load


def token(dsn: str, *scopes: str, tenant: str = "default") -> str:
    """A token, made as the command makes it."""

    async def make() -> str:
        db = await open_database(load(THOTH_PG_DSN=dsn), dsn, pool="hands")
        try:
            return (await tokens.create(db, tenant, scopes)).token
        finally:
            await db.close()

    return asyncio.run(make())


def test_on_this_machine_nobody_needs_a_token_until_there_is_one(served: Served) -> None:
    assert served.client.get("/readyz").json() == {"status": "ready"}
    assert served.client.get("/no/such/path").status_code == 404


def test_once_there_is_a_token_everybody_needs_one(dsn: str, tmp_path: Path) -> None:
    good = token(dsn, "read")
    with serving(dsn, tmp_path) as served:
        assert served.client.get("/healthz").json() == {"status": "alive"}
        refused = served.client.get("/no/such/path")
        assert refused.status_code == 401
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.headers["www-authenticate"] == "Bearer"
        for headers in ({"authorization": f"Bearer {good}"}, {"x-thoth-token": good}, {"authorization": f"bearer  {good}"}):
            assert served.client.get("/no/such/path", headers=headers).status_code == 404
        for headers in ({"authorization": "Bearer thoth_wrong"}, {"authorization": "Bearer sk-another"}, {"x-thoth-token": "x"}):
            assert served.client.get("/no/such/path", headers=headers).status_code == 401


def test_without_a_token_it_stays_on_this_machine(dsn: str, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="thoth token create"), serving(dsn, tmp_path, THOTH_SERVER_HOST="0.0.0.0"):
        pass
    token(dsn, "read")
    with serving(dsn, tmp_path, THOTH_SERVER_HOST="0.0.0.0") as served:
        assert served.client.get("/healthz").status_code == 200
        assert served.client.get("/no/such/path").status_code == 401


def test_a_port_that_is_taken_says_what_to_do(served: Served, dsn: str, tmp_path: Path) -> None:
    """faults: boot with the port taken."""
    port = httpx2.URL(served.url).port
    with pytest.raises(ServerError, match="THOTH_SERVER_PORT"), serving(dsn, tmp_path / "b", THOTH_SERVER_PORT=port):
        pass


def test_a_page_in_this_machine_s_browser_is_not_let_in(served: Served) -> None:
    for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"origin": "null"}):
        assert served.client.get("/healthz", headers=headers).status_code == 403
    own = {"origin": served.url}
    assert served.client.get("/healthz", headers=own).status_code == 200
    assert "access-control-allow-origin" not in served.client.get("/healthz", headers=own).headers


def test_a_body_is_bounded_announced_or_not(dsn: str, tmp_path: Path) -> None:
    with serving(dsn, tmp_path, THOTH_SERVER_BODY_MAX_BYTES=2000) as served:
        assert served.client.post("/healthz", content=b"x" * 2001).status_code == 413
        # The path has no use for a body; whoever reads one finds its bound in the routes' own tests.
        assert served.client.post("/healthz", content=b"x" * 2000).status_code == 405


def test_with_the_database_away_it_lives_and_says_so(tmp_path: Path, home: Path) -> None:
    with EmbeddedServer(home) as server, servers.empty_database(server.dsn) as gone:
        pass
    with serving(gone, tmp_path, awake=False) as served:
        assert served.client.get("/healthz").status_code == 200
        away = served.client.get("/readyz")
        assert away.status_code == 503
        assert away.headers["retry-after"] == "2"
        assert away.json()["title"] == "Not ready"
        assert served.client.get("/no/such/path").status_code == 404
