"""A proxy before a scripted upstream, and what was perceived through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from tests.integrations.upstream import Upstream
from tests.server.serving import Served, serving
from tests.waiting import until


class Heard(NamedTuple):
    """A slice, by what tells it apart. `stream` is the last of its stream's name."""

    stream: str
    text: str
    session: str


Hearing = Callable[..., list[Heard]]


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as scripted:
        yield scripted


@pytest.fixture
def proxy(dsn: str, tmp_path: Path, upstream: Upstream) -> Iterator[Served]:
    """A server on a database of the test's own, before the upstream. Recall is on."""
    with serving(dsn, tmp_path, **upstream.settings) as running:
        yield running


@pytest.fixture
def heard(sql: psycopg.Connection) -> Hearing:
    """Waits until something with these words is stored, and answers all that is, the oldest first."""

    def look(words: str) -> list[Heard]:
        def all_with_them() -> list[Heard]:
            found = stored(sql)
            return found if any(words in one.text for one in found) else []

        return until(all_with_them)

    return look


def stored(sql: psycopg.Connection) -> list[Heard]:
    """Every slice there is, but for the workers' diary."""
    rows = sql.execute(
        "select s.stream, l.text, l.session_id from thoth.substrate_slices l join thoth.substrate_streams s using (stream_id)"
        " where s.stream not like 'substrate.%' order by l.slice_id"
    )
    return [Heard(stream.rpartition(".")[2], text, session) for stream, text, session in rows]
