"""`thoth consolidate`: done here where no crew runs, and said when it cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import psycopg
import pytest

from tests.cli.conftest import Thoth
from tests.llm.scripted import ScriptedModel, Status
from tests.support import Said, perceived
from tests.workers.test_consolidator import CIRCLE


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def told(seeded: psycopg.Connection, now: datetime, thoth: Thoth) -> None:
    """Memories that wait for the Parser: `remember` indexes what waits."""
    perceived(seeded, now - timedelta(minutes=1), [Said(one.text, one.actor, one.session, state="passed") for one in CIRCLE])
    thoth("remember", "Ines knows them all.")


def asking(model: ScriptedModel) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted", "THOTH_AUX_RETRIES": "0"}


def test_insights_with_the_memories_they_rest_on(thoth: Thoth, told: None, model: ScriptedModel) -> None:
    ran = thoth("consolidate", env=asking(model))
    assert ran.out.startswith("[insight:")
    assert "[memory:" in ran.out
    found = thoth("consolidate", "--status", "--json").json
    assert (found["outcome"], found["reason"], found["memories"]) == ("done", "demand", 0)
    assert all(one["memories"] for one in found["insights"])
    again = thoth("consolidate", "--json").json
    assert (again["outcome"], again["insights"], again["request"]) == ("nothing", [], 2)


def test_without_a_model_it_says_so(thoth: Thoth, told: None) -> None:
    ran = thoth("consolidate")
    assert (ran.out, "THOTH_AUX_MODEL" in ran.err) == ("", True)
    assert thoth("consolidate", "--json").json["outcome"] == "no_model"


def test_with_the_model_down_what_is_new_stays_new(thoth: Thoth, told: None, model: ScriptedModel) -> None:
    model.always(Status(503))
    ran = thoth("consolidate", env=asking(model))
    assert "cannot be asked now" in ran.err


def test_a_crew_that_is_busy_is_not_waited_for_in_vain(
    thoth: Thoth, told: None, model: ScriptedModel, seeded: psycopg.Connection
) -> None:
    seeded.execute(
        "insert into thoth.substrate_agents (agent, lease_holder, lease_token, lease_until)"
        " values ('consolidator', 'elsewhere', 1, now() + interval '1 hour')"
    )
    ran = thoth("consolidate", "--wait", "0.3", env=asking(model))
    assert "The crew has the request" in ran.err
    assert model.chats == []
