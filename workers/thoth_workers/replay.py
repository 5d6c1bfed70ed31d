"""Running a decision again: `decide` on what was recorded, compared with what was proposed then.

The words of slices are not in the diary; they are read again, and must hash to what was recorded. What is gone is said.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from pydantic import TypeAdapter, ValidationError

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import UnknownSlice
from thoth_substrate.llm.chat import Outcome
from thoth_substrate.llm.structure import read_reply
from thoth_substrate.perceive.diary import storable
from thoth_workers.agent import Agent, Ask, Reply, jsonable
from thoth_workers.crew import crew
from thoth_workers.recorded import with_texts, without_texts

MOST_DIFF_LINES = 60


@dataclass(frozen=True, slots=True)
class Replayed:
    """`same` is None when the decision could not be run again; `why` says so, or what differed first."""

    decision_id: UUID
    agent: str
    same: bool | None
    why: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision as the diary has it. `unedited`: its payload still hashes to what the chain says."""

    agent: str
    payload: Any
    unedited: bool


@dataclass(frozen=True, slots=True)
class Words:
    slice_id: UUID
    content_hash: str
    text: str
    held: bool


_ENTRY = query(__package__, "replay_entry", Entry)
_WORDS = query(__package__, "replay_words", Words)


async def replay(db: Database, tenant_id: str, decision_id: UUID) -> Replayed:
    """Run a decision again. Raises UnknownSlice when the tenant's diary has none of that id. Changes nothing, asks no model."""
    async with db.tenant(tenant_id) as tx:
        entry = await tx.fetch_one(_ENTRY, tenant_id, decision_id)
        if entry is None:
            raise UnknownSlice(f"The diary of tenant {tenant_id} has no decision {decision_id}.")
        decision = _decision(entry)
        inputs = _ids(decision.get("inputs")) if decision else []
        words = {str(row.slice_id): row for row in await tx.fetch(_WORDS, tenant_id, inputs)} if inputs else {}

    def said(same: bool | None, why: str, diff: str = "") -> Replayed:
        return Replayed(decision_id, entry.agent, same, why, diff)

    if entry.payload is None:
        return said(None, "It was purged or has expired: only its digest is left.")
    if decision is None:
        return said(None, "It tells of a core worker's ticks, which decide nothing from a reply.")
    if not entry.unedited:
        return said(False, "The entry itself was edited after it was written: `thoth substrate audit verify` names it.")
    agent = crew().get(entry.agent)
    if agent is None:
        return said(None, f"No agent {entry.agent} is installed here.")
    if gone := _gone(decision, words):
        return said(*gone)
    same, why, diff = _again(agent, decision, {key: row.text for key, row in words.items()})
    return said(same, why, diff)


def _decision(entry: Entry) -> Mapping[str, Any] | None:
    decision = entry.payload.get("decision") if isinstance(entry.payload, Mapping) else None
    return decision if isinstance(decision, Mapping) and "gathered" in decision else None


def _ids(inputs: Any) -> list[UUID]:
    return [UUID(one["slice_id"]) for one in inputs or ()]


def _gone(decision: Mapping[str, Any], words: Mapping[str, Words]) -> tuple[bool | None, str] | None:
    """Why its inputs are no longer what they were, if they are not."""
    _, named = without_texts(decision["gathered"])
    if named != decision["inputs"]:
        return False, "The recorded inputs are not those that the decision was made from."
    for one in decision["inputs"]:
        row = words.get(one["slice_id"])
        if row is None or not row.held:
            return None, f"Slice {one['slice_id']} has been released or purged: its words are gone, its hash is kept."
        if row.content_hash != one["content_hash"]:
            return False, f"Slice {one['slice_id']} is not what it was: its words hash to something else."
    return None


def _again(agent: Agent[Any, Any], decision: Mapping[str, Any], texts: Mapping[str, str]) -> tuple[bool | None, str, str]:
    """`decide` on the recorded inputs and replies. Pure."""
    version = "" if decision["version"] == agent.version else f" It was made by {decision['version']}; this is {agent.version}."
    try:
        gathered = TypeAdapter(agent.gathered).validate_python(with_texts(decision["gathered"], texts))
    except (ValidationError, KeyError) as error:
        return None, f"What was gathered then cannot be read any more ({type(error).__name__}).{version}", ""
    asks = agent.prompts(gathered)
    recorded = decision["replies"]
    if len(asks) != len(recorded):
        return False, f"It would ask {len(asks)} questions now, and asked {len(recorded)} then.{version}", ""
    replies = [_reply(ask, said) for ask, said in zip(asks, recorded, strict=True)]
    if recorded and not any(reply.usable for reply in replies):
        same = decision["proposals"] is None
        return same, ("No reply was usable, now as then." if same else f"No reply is usable now.{version}"), ""
    now = storable(jsonable(agent.proposals, agent.decide(gathered, replies)))
    then = decision["proposals"]
    if _plain(now) == _plain(then):
        return True, f"The same inputs and replies lead to the same proposals.{version}", ""
    return False, f"The same inputs and replies lead to other proposals.{version}", _diff(then, now)


def _reply(ask: Ask, said: Mapping[str, Any]) -> Reply:
    outcome = Outcome(said["outcome"])
    usable = outcome in (Outcome.OK, Outcome.SALVAGED)
    value = read_reply(ask.reply, said["text"]).value if usable else None
    return Reply(outcome, value, said["text"], said["model"], said["reason"], said["dropped"])


def _plain(value: Any) -> Any:
    """As JSON has it, so that what went through the database compares with what did not."""
    return orjson.loads(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS))


def _diff(then: Any, now: Any) -> str:
    lines = list(difflib.unified_diff(_lines(then), _lines(now), "then", "now", lineterm="", n=2))
    rest = len(lines) - MOST_DIFF_LINES
    return "\n".join(lines[:MOST_DIFF_LINES] + ([f"… {rest} more lines"] if rest > 0 else []))


def _lines(value: Any) -> Sequence[str]:
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(value, default=str, option=option).decode().splitlines()
