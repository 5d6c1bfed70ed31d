"""Asking a model through the whole gateway: real HTTP, real database, however badly it answers."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.llm.conftest import GOOD, Make, Things, prompt
from tests.llm.scripted import Cut, Delay, Hang, Message, Raw, Reply, Request, ScriptedModel, Status
from thoth_substrate.errors import SettingsError
from thoth_substrate.llm.address import address_of
from thoth_substrate.llm.chat import Outcome
from thoth_substrate.model.clock import PinnedClock

Rows = list[dict[str, Any]]


def ledger(sql: psycopg.Connection) -> Rows:
    """The ledger's rows in the order of the calls."""
    with sql.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute("select * from thoth.substrate_agent_cost order by call_id").fetchall()


def breaker(sql: psycopg.Connection) -> tuple[str, int, datetime]:
    row = sql.execute("select state, failures, nullif(retry_at, '-infinity') from thoth.substrate_endpoints").fetchone()
    assert row is not None
    return row


async def test_a_good_reply_is_a_value_and_a_row(model: ScriptedModel, make: Make, sql: psycopg.Connection) -> None:
    answer = await make(THOTH_PRICES='{"scripted": [1, 10, 0.1]}').ask(prompt())
    assert (answer.outcome, answer.value, answer.usable) == (Outcome.OK, Things.model_validate(GOOD), True)
    assert json.loads(answer.text) == GOOD
    [request] = model.requests
    assert (request.agent, request.tier, request.headers["authorization"]) == ("parser", "schema", "Bearer sk-test")
    assert request.body["response_format"]["json_schema"]["strict"] is True
    assert (request.body["max_tokens"], request.body["temperature"]) == (500, 0.0)
    [row] = ledger(sql)
    assert (row["agent"], row["kind"], row["endpoint"], row["model"]) == ("parser", "chat", model.url, "scripted")
    assert (row["outcome"], row["prompt_tokens"], row["completion_tokens"]) == (
        "ok",
        model.usage["prompt"],
        model.usage["completion"],
    )
    assert row["usd"] == pytest.approx((row["prompt_tokens"] + 10 * row["completion_tokens"]) / 1e6)
    assert row["reserved_tokens"] > row["prompt_tokens"] + row["completion_tokens"]
    assert (answer.prompt_tokens, answer.completion_tokens) == (row["prompt_tokens"], row["completion_tokens"])
    assert row["settled_at"] is not None


async def test_without_a_model_it_is_silent_and_free(model: ScriptedModel, make: Make, sql: psycopg.Connection) -> None:
    chat = make(THOTH_AUX_MODEL=None, THOTH_AUX_MODEL_CRITIC="small")
    answer = await chat.ask(prompt())
    assert (answer.outcome, answer.usable) == (Outcome.NO_MODEL, False)
    assert "THOTH_AUX_MODEL" in answer.reason
    assert (model.requests, ledger(sql)) == ([], [])
    assert (chat.configured, chat.model_for("parser"), chat.model_for("critic")) == (True, None, "small")
    assert not make(OPENAI_BASE_URL=None, OPENAI_API_KEY=None).configured


async def test_an_agent_may_have_a_model_of_its_own(model: ScriptedModel, make: Make) -> None:
    chat = make(THOTH_AUX_MODEL_CRITIC="clever")
    await chat.ask(prompt(agent="critic"))
    await chat.ask(prompt())
    assert [request.body["model"] for request in model.requests] == ["clever", "scripted"]


def tiers(model: ScriptedModel) -> list[str]:
    return [request.tier for request in model.requests]


async def test_the_best_tier_that_works_is_found_and_remembered(model: ScriptedModel, make: Make) -> None:
    """faults: a schema ignored."""

    def old_server(request: Request) -> Reply:
        return Status(400, "response_format is not supported") if request.tier == "schema" else GOOD

    model.always(old_server)
    chat = make()
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert tiers(model) == ["schema", "tool"]
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert (await make().ask(prompt())).outcome is Outcome.OK
    assert tiers(model)[2:] == ["tool", "tool"]


async def test_a_server_that_ignores_schemas_and_tools_is_asked_in_words(model: ScriptedModel, make: Make) -> None:
    model.always(lambda request: Message({"content": json.dumps(GOOD)}) if request.tier == "json" else "The things are a mill.")
    assert (await make().ask(prompt())).outcome is Outcome.OK
    assert tiers(model) == ["schema", "tool", "json"]
    assert model.requests[-1].schema["properties"].keys() == {"things"}


async def test_a_server_that_breaks_on_a_tier_is_asked_at_the_next(
    model: ScriptedModel, make: Make, sql: psycopg.Connection
) -> None:
    """faults: a schema ignored. llama-cpp-python 0.3 answers a JSON-schema response format with a 500."""
    model.always(lambda request: Status(500, "validation error") if request.tier == "schema" else GOOD)
    chat = make(THOTH_AUX_RETRIES=1)
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert tiers(model) == ["schema", "schema", "tool"]
    assert breaker(sql)[:2] == ("closed", 0)
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert tiers(model)[3:] == ["tool"]


async def test_a_server_that_breaks_on_schemas_and_tools_is_asked_in_words_before_the_breaker_opens(
    model: ScriptedModel, make: Make, sql: psycopg.Connection
) -> None:
    model.always(lambda request: GOOD if request.tier == "json" else Status(500))
    chat = make()
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert tiers(model) == ["schema", "schema", "tool", "tool", "json"]
    assert breaker(sql)[:2] == ("closed", 0)
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert tiers(model)[5:] == ["json"]


async def test_a_known_tier_gets_one_corrective_retry(model: ScriptedModel, make: Make, sql: psycopg.Connection) -> None:
    chat = make()
    await chat.ask(prompt())
    model.then("I would rather not say.", GOOD)
    answer = await chat.ask(prompt())
    assert answer.outcome is Outcome.OK
    said = [message["content"] for message in model.requests[-1].body["messages"]]
    assert said[2] == "I would rather not say."
    assert "could not be read" in said[3]
    assert [row["outcome"] for row in ledger(sql)] == ["ok", "failed", "ok"]
    assert (answer.prompt_tokens, answer.completion_tokens) == (
        sum(row["prompt_tokens"] for row in ledger(sql)[1:]), sum(row["completion_tokens"] for row in ledger(sql)[1:])
    )  # fmt: skip
    model.then("no", "no")
    failed = await chat.ask(prompt())
    assert (failed.outcome, failed.usable, failed.text) == (Outcome.FAILED, False, "no")
    assert tiers(model)[-2:] == ["schema", "schema"]


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        (Message({"content": None, "reasoning_content": json.dumps(GOOD)}), Outcome.OK),
        (Message({"content": "", "reasoning": f"So the answer is {json.dumps(GOOD)}"}), Outcome.OK),
        (Message({"content": "see tool", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "reply", "arguments": json.dumps(GOOD)}}]}), Outcome.OK),
        (Message({"content": [{"type": "text", "text": json.dumps(GOOD)}]}), Outcome.OK),
        (Message({"content": f"```json\n{json.dumps(GOOD)}\n```"}, usage={}), Outcome.OK),
        (Message({"content": json.dumps(GOOD)[:-8]}, "length"), Outcome.SALVAGED),
        ({"things": [{"name": "mill"}, {"nom": 3}]}, Outcome.SALVAGED),
    ],
)  # fmt: skip
async def test_an_answer_is_found_where_models_put_it(model: ScriptedModel, make: Make, message: Reply, outcome: Outcome) -> None:
    """faults: the answer in a `reasoning` field; fences; truncated mid-string."""
    model.then(message)
    answer = await make().ask(prompt())
    assert answer.outcome is outcome
    assert answer.value is not None
    assert answer.value.things[0].name == "mill"
    assert answer.dropped == (outcome is Outcome.SALVAGED)
    assert len(model.requests) == 1


async def test_usage_that_is_not_told_is_counted(model: ScriptedModel, make: Make, sql: psycopg.Connection) -> None:
    model.then(Message({"content": json.dumps(GOOD)}, usage={}))
    await make().ask(prompt())
    [row] = ledger(sql)
    assert 30 < row["prompt_tokens"] < row["reserved_tokens"] - 499
    assert 5 < row["completion_tokens"] < 40


GARBAGE: list[Reply] = [
    "",
    "I'm sorry, I can't do that.",
    {"answer": 42},
    Message({"content": None}),
    Message({"content": "{" * 2000}),
    *map(Raw, (b"", b"null", b"[]", b"not json", b'{"choices": null}', b'{"choices": []}', b'{"choices": [{"message": null}]}')),
    Raw(b'{"choices": "x"}'),
    Raw(b"<html>Bad gateway</html>", "text/html"),
    Raw(b"\xff\xfe\x00"),
    Cut(GOOD),
    "a\x00b \ud83d",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
async def test_garbage_is_a_failure_with_a_row_for_each_call(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, garbage: Reply
) -> None:
    """faults: a model that answers nothing, prose, a NUL, a lone surrogate, something that is no completion."""
    model.always(lambda _: garbage)
    answer = await make(THOTH_BREAKER_FAILURES=100).ask(prompt())
    assert answer.outcome in (Outcome.FAILED, Outcome.ENDPOINT_DOWN)
    assert not answer.usable
    assert answer.reason
    rows = ledger(sql)
    assert len(rows) == len(model.requests) <= 4
    assert {row["outcome"] for row in rows} == {"failed"}
    assert all(row["reason"] for row in rows)


@pytest.mark.parametrize("failure", [Status(500), Status(503), Status(408), Status(429), Status(429, retry_after=0), Cut(GOOD)])
async def test_a_passing_failure_is_tried_again(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, failure: Reply
) -> None:
    model.then(failure, failure)
    assert (await make().ask(prompt())).outcome is Outcome.OK
    assert [row["outcome"] for row in ledger(sql)] == ["failed", "failed", "ok"]
    assert breaker(sql)[:2] == ("closed", 0)


@pytest.mark.parametrize("code", [401, 402, 403, 404, 429])
async def test_an_endpoint_that_serves_nobody_counts_against_no_prompt(model: ScriptedModel, make: Make, code: int) -> None:
    """faults: 429 for an hour; a key revoked half-way."""
    model.always(Status(code, "SECRET said by the provider"))
    answer = await make().ask(prompt())
    assert (answer.outcome, answer.reason) == (Outcome.ENDPOINT_DOWN, f"HTTP {code}")
    assert answer.retry_at is not None


async def test_a_prompt_that_breaks_a_well_endpoint_is_to_blame_and_an_outage_is_not(model: ScriptedModel, make: Make) -> None:
    """faults: one poisoned item that fails identically forever; 500 for an hour."""
    model.always(lambda request: Status(500) if "poison" in request.user else GOOD)
    chat = make()
    await chat.ask(prompt())
    assert (await chat.ask(prompt("poison"))).outcome is Outcome.FAILED
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert (await chat.ask(prompt("poison"))).outcome is Outcome.FAILED
    assert (await chat.ask(prompt("poison"))).outcome is Outcome.ENDPOINT_DOWN


async def test_nobody_there_costs_nothing(make: Make, sql: psycopg.Connection) -> None:
    with ScriptedModel() as gone:
        pass
    answer = await make(OPENAI_BASE_URL=gone.url).ask(prompt())
    assert (answer.outcome, answer.reason) == (Outcome.ENDPOINT_DOWN, "no connection")
    assert [(row["outcome"], row["prompt_tokens"], row["usd"]) for row in ledger(sql)] == [("failed", 0, 0.0)] * 3


async def test_a_hang_ends_in_time_and_is_counted_in_full(model: ScriptedModel, make: Make, sql: psycopg.Connection) -> None:
    """faults: a hang. The provider may charge what it was never waited for."""
    model.then(Hang())
    answer = await make(THOTH_AUX_TIMEOUT_MS=1000).ask(prompt())
    assert (answer.outcome, answer.reason) == (Outcome.FAILED, "no answer in time")
    [row] = ledger(sql)
    assert row["prompt_tokens"] + row["completion_tokens"] == row["reserved_tokens"]


async def test_a_long_retry_after_is_obeyed_by_everybody(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    model.then(Status(429, retry_after=77))
    answer = await make().ask(prompt())
    assert (answer.outcome, answer.retry_at) == (Outcome.ENDPOINT_DOWN, clock.now() + timedelta(seconds=77))
    other = await make().ask(prompt(agent="critic", tenant="b"))
    assert (other.outcome, other.retry_at) == (Outcome.ENDPOINT_DOWN, answer.retry_at)
    assert len(model.requests) == len(ledger(sql)) == 1
    clock.advance(timedelta(seconds=78))
    assert (await make().ask(prompt())).outcome is Outcome.OK


async def test_the_breaker_opens_half_opens_and_closes(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: an endpoint down for hours while writes go on."""
    chat = make(THOTH_BREAKER_FAILURES=3, THOTH_AUX_RETRIES=0)
    model.always(Status(500))
    for _ in range(3):
        await chat.ask(prompt())
    assert breaker(sql) == ("open", 3, clock.now() + timedelta(seconds=30))
    down = await chat.ask(prompt())
    assert (down.outcome, down.retry_at, len(model.requests)) == (Outcome.ENDPOINT_DOWN, clock.now() + timedelta(seconds=30), 3)
    waits = []
    for _ in range(8):
        clock.advance(breaker(sql)[2] - clock.now())
        assert (await chat.ask(prompt())).outcome is Outcome.ENDPOINT_DOWN
        waits.append(int((breaker(sql)[2] - clock.now()).total_seconds()))
    assert waits == [60, 120, 240, 480, 600, 600, 600, 600]
    assert [request.agent for request in model.requests[3:]] == ["probe"] * 8
    clock.advance(timedelta(minutes=10))
    model.always(lambda _: GOOD)
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert [request.agent for request in model.requests[-2:]] == ["probe", "parser"]
    assert breaker(sql)[:2] == ("closed", 0)


async def test_one_caller_probes_and_the_others_wait(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    chat = make(THOTH_BREAKER_FAILURES=1, THOTH_AUX_RETRIES=0)
    model.then(Status(500))
    await chat.ask(prompt())
    clock.advance(timedelta(minutes=1))
    slow = Delay(GOOD)
    model.then(slow)
    asking = asyncio.create_task(chat.ask(prompt()))
    await model.arrived(2)
    assert breaker(sql)[0] == "half_open"
    assert (await make().ask(prompt())).outcome is Outcome.ENDPOINT_DOWN
    slow.until.set()
    assert (await asking).outcome is Outcome.OK
    assert [request.agent for request in model.requests] == ["parser", "probe", "parser"]


async def test_a_dead_prober_is_replaced(model: ScriptedModel, make: Make, sql: psycopg.Connection, clock: PinnedClock) -> None:
    chat = make(THOTH_BREAKER_FAILURES=1, THOTH_AUX_RETRIES=0)
    model.then(Status(500), Hang())
    await chat.ask(prompt())
    clock.advance(timedelta(minutes=1))
    asking = asyncio.create_task(chat.ask(prompt()))
    await model.arrived(2)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert (await chat.ask(prompt())).outcome is Outcome.ENDPOINT_DOWN
    clock.advance(timedelta(minutes=5))
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert [row["outcome"] for row in ledger(sql)] == ["failed", "abandoned", "ok", "ok"]


async def test_a_probe_that_the_budget_refuses_leaves_the_endpoint_to_others(
    make: Make, model: ScriptedModel, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    model.then(Status(500))
    await make(THOTH_BREAKER_FAILURES=1, THOTH_AUX_RETRIES=0).ask(prompt())
    clock.advance(timedelta(minutes=1))
    assert (await make(THOTH_BUDGET_TOKENS_HOUR=10).ask(prompt())).outcome is Outcome.BUDGET_SPENT
    assert breaker(sql)[0] == "open"
    assert (await make().ask(prompt())).outcome is Outcome.OK


async def test_parameters_that_a_model_does_not_take_are_left_out(model: ScriptedModel, make: Make) -> None:
    def picky(request: Request) -> Reply:
        for name in ("temperature", "max_tokens"):
            if name in request.body:
                return Status(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        return GOOD

    model.always(picky)
    chat = make()
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert model.requests[-1].body["max_completion_tokens"] == 500
    before = len(model.requests)
    await chat.ask(prompt())
    assert len(model.requests) == before + 1


async def test_a_refused_prompt_fails_and_opens_nothing(model: ScriptedModel, make: Make, sql: psycopg.Connection) -> None:
    chat = make(THOTH_BREAKER_FAILURES=1)
    await chat.ask(prompt())
    model.always(Status(400, "maximum context length is 4096 tokens: SECRET", kind="context_length_exceeded"))
    answer = await chat.ask(prompt())
    assert (answer.outcome, answer.reason) == (Outcome.FAILED, "HTTP 400 (context_length_exceeded)")
    assert breaker(sql)[0] == "closed"


async def test_no_content_and_no_key_is_stored_or_said(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    chat = make(OPENAI_BASE_URL=model.url.replace("http://", "http://me:sk-secret@"), THOTH_BREAKER_FAILURES=100)
    model.then("SECRET", Status(400, "SECRET"), Status(500, "SECRET"), Status(500, "SECRET", kind="SE CRET"), {"SECRET": 1})
    answer = await chat.ask(prompt("SECRET"))
    stored = json.dumps([ledger(sql), breaker(sql)], default=str) + caplog.text + answer.reason
    assert "SECRET" not in stored
    assert "secret" not in stored
    assert model.requests[0].headers["authorization"].startswith("Basic ")
    assert "key" not in repr(address_of("https://me:key@host:1/v1/"))


async def test_what_no_endpoint_takes_is_sent_as_something_it_takes(model: ScriptedModel, make: Make) -> None:
    """faults: a NUL, a lone surrogate, special tokens as content; never turned into \\u escapes."""
    assert (await make().ask(prompt("a\x00b \ud83d <|endoftext|> 磨坊 👍🏽"))).outcome is Outcome.OK
    assert model.requests[0].user == "a\ufffdb \ufffd <|endoftext|> 磨坊 👍🏽"


async def test_the_crew_script_answers_whoever_has_none_with_the_smallest_reply(make: Make) -> None:
    with ScriptedModel() as crew:
        answer = await make(OPENAI_BASE_URL=crew.url).ask(prompt(agent="nobody"))
    assert answer.value == Things()


async def test_prices_that_cannot_be_read_stop_the_boot(make: Make) -> None:
    for bad in ("{", '{"m": 1}', '{"m": [1]}', '{"m": [-1, 2]}', "/no/such/file", '["m"]'):
        with pytest.raises(SettingsError, match="THOTH_PRICES"):
            make(THOTH_PRICES=bad)


async def test_a_pinned_hour_of_garbage_spends_little_and_heals(
    model: ScriptedModel, make: Make, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: 500 and garbage for an hour: no retry storm, spending under the cap, and well again afterwards."""
    chat = make(THOTH_BUDGET_TOKENS_HOUR=20_000)
    await chat.ask(prompt())
    model.always("Certainly! Here is everything that I know.")
    outcomes = []
    for _ in range(360):
        outcomes.append((await chat.ask(prompt())).outcome)
        clock.advance(timedelta(seconds=10))
    assert outcomes.count(Outcome.FAILED) <= 3
    assert Outcome.OK not in outcomes
    assert len(model.requests) < 25
    spent = sql.execute("select sum(spent), count(*) from thoth.substrate_budgets where scope = '*'").fetchone()
    assert spent is not None
    assert spent[0] == sum(row["prompt_tokens"] + row["completion_tokens"] for row in ledger(sql)) < 20_000
    model.always(lambda _: GOOD)
    clock.advance(timedelta(minutes=10))
    assert (await chat.ask(prompt())).outcome is Outcome.OK
    assert clock.now() > datetime(2026, 5, 15, 13, tzinfo=UTC)
