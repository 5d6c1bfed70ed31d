"""Vectors from the command line: who makes them, changing over, trying again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.cli.conftest import Thoth, environment, program
from tests.support_openai import Endpoint


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(dimensions=64) as running:
        yield running


def _with(endpoint: Endpoint, model: str, dsn: str, home: Path) -> dict[str, str]:
    """The environment of a process that makes its vectors at the endpoint."""
    return environment(dsn, home) | {
        "THOTH_EMBED_PROVIDER": "openai", "OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "sk-none", "THOTH_EMBED_MODEL": model
    }  # fmt: skip


def test_another_model_is_noticed_and_changed_over_to_by_one_command(dsn: str, tmp_path: Path, endpoint: Endpoint) -> None:
    """faults: an embedding model swapped for another of the same size: re-embedding is one resumable command"""
    first, second = (_with(endpoint, model, dsn, tmp_path) for model in ("first", "second"))
    program("remember", "The boiler was serviced in March.", env=first)
    assert program("substrate", "embed", "--json", env=first).json["status"]["active"].startswith("openai:first")
    checks = program("substrate", "health", "--json", env=second).json["checks"]
    (found,) = [check for check in checks if check["name"] == "embedder"]
    assert (found["verdict"], found["do"]) == ("warn", "thoth substrate embed reembed")
    ran = program("substrate", "embed", "reembed", "--json", env=second)
    assert ran.code == 0, ran.err
    assert ran.json["model"].startswith("openai:second")
    assert (ran.json["embedded"], ran.json["waiting"], ran.json["old_vectors"]) == (1, 0, 0)
    assert "No vector of another model is left." in program("substrate", "embed", "reembed", env=second).out


def test_what_was_given_up_is_shown_and_tried_again(
    thoth: Thoth, dsn: str, tmp_path: Path, endpoint: Endpoint, sql: psycopg.Connection
) -> None:
    """faults: one poisoned item that fails identically forever"""
    thoth("remember", "The boiler was serviced in March.")
    sql.execute("update thoth.substrate_unembedded set attempts = 8, not_before = 'infinity', failure = 'too long'")
    shown = thoth("substrate", "embed")
    assert "thoth substrate embed retry" in shown.out
    assert "too long" in shown.out
    assert thoth("substrate", "embed", "retry", "--json").json == {"passages": 1}
    program("remember", "The roof was mended in May.", env=_with(endpoint, "first", dsn, tmp_path))
    status = thoth("substrate", "embed", "status", "--json").json["status"]
    assert (status["embedded"], status["queue"]["waiting"], status["queue"]["given_up"]) == (2, 0, 0)


def test_without_a_model_there_is_nothing_to_change_over_to(thoth: Thoth) -> None:
    assert "THOTH_EMBED_PROVIDER=none" in thoth("substrate", "embed", "reembed", expect=2).err
