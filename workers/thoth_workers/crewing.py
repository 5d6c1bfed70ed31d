"""The crew of one process: which agents, which model, and the supervisor that runs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.chat import Chat
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings, switched_on
from thoth_workers.agent import Agent, worker_of
from thoth_workers.consolidator import WORKER as CONSOLIDATOR
from thoth_workers.crew import crew
from thoth_workers.supervisor import Supervisor

GRACE = timedelta(seconds=15)  # beyond the longest wait for a model; a tick that takes longer is abandoned, its claims end
NO_MODEL = (
    "No language model is configured, so those that ask one do nothing, and cost nothing. Set THOTH_AUX_MODEL, with"
    " OPENAI_API_KEY or OPENAI_BASE_URL."
)


class Crewing:
    """The agents named in `only`, or all of them, on a pool of the running loop. Raises BadInput for a name that is none."""

    def __init__(self, settings: Settings, database: Database, embedder: Embedder | None, only: Sequence[str] = ()) -> None:
        self._settings = settings
        self._agents = chosen(only)
        self._chat = Chat(settings, PostgresLedger(database, settings, database.clock), database.clock)
        self.supervisor = Supervisor(
            settings, database, embedder, database.clock,
            workers=[*map(worker_of, self._agents), *(() if only else (CONSOLIDATOR,))],
            grace=crew_grace(settings), chat=self._chat,
        )  # fmt: skip

    async def close(self) -> None:
        """Close the model's connections."""
        await self._chat.close()

    def words(self) -> Iterator[str]:
        """What runs, and what it asks, a sentence at a time."""
        running = [agent for agent in self._agents if switched_on(self._settings, agent.name)]
        yield f"Crew: {', '.join(agent.name for agent in running) or 'nobody'}."
        models = {model for agent in running if agent.uses_model and (model := self._chat.model_for(agent.name))}
        yield f"They ask {', '.join(sorted(models))}." if models else NO_MODEL


def chosen(only: Sequence[str]) -> list[Agent[Any, Any]]:
    """The agents of those names, or all. Raises BadInput."""
    known = crew()
    if unknown := [name for name in only if name not in known]:
        raise BadInput(f"There is no agent {', '.join(unknown)}; there are {', '.join(known)}.")
    return [agent for name, agent in known.items() if not only or name in only]


def has_model(settings: Settings) -> bool:
    """Whether any agent has a model to ask."""
    return bool(settings.openai_api_key or settings.openai_base_url) and bool(settings.aux_model or settings.aux_models)


def crew_grace(settings: Settings) -> timedelta:
    """How long a tick may take to finish once its process was told to stop."""
    return timedelta(milliseconds=settings.aux_timeout_ms) + GRACE
