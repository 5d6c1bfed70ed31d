"""Answering a question: gather → fit → ask a model → check what it cites. Without a model, the passages themselves.

No connection is held while the model is asked, and every failure but the database's is an answer that says so.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.ask.citing import Citing, without
from thoth_substrate.ask.gather import Looking, Recall, Spans, distinct
from thoth_substrate.ask.meant import asks_what_happened
from thoth_substrate.ask.prompt import Shown, fitted, messages
from thoth_substrate.ask.sources import Answer, Cited, Filters, Gathered, Mode, SourceKind, cited
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, DatabaseError
from thoth_substrate.llm.prompt import Outcome
from thoth_substrate.llm.speech import Speaker, Speech, Spoken
from thoth_substrate.settings import Settings

AGENT = "asker"
RECENT_ROWS = 50
MOST_ROWS = 500
PASSAGES = 20  # shown in the place of an answer
REPLY_TOKENS = 1000
LONGEST_QUESTION_CHARS = 8000
RECALL_SHARE = 0.6  # of the window
DONT_KNOW = "I don't know: nothing that is remembered here answers that."
NOTHING_FOUND = "nothing_found"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, whose memory, and what may be used. `limit` is how many of the newest memories `recent` takes.

    `weighted` prefers among the newest those that matter more. `session` is the one that asks: it is not recalled into itself.
    """

    text: str
    tenant_id: str
    mode: Mode = Mode.AUTO
    filters: Filters = field(default_factory=Filters)
    limit: int = RECENT_ROWS
    weighted: bool = False
    as_of: datetime | None = None
    session: str | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise BadInput("There is no question: the text is empty.")
        if len(self.text) > LONGEST_QUESTION_CHARS:
            raise BadInput(f"The question has {len(self.text):,} characters; {LONGEST_QUESTION_CHARS:,} are the most.")
        if not 1 <= self.limit <= MOST_ROWS:
            raise BadInput(f"Between 1 and {MOST_ROWS} memories can be asked for, not {self.limit}.")


class Asker:
    """One for a process's event loop. `recall` is the façade's; `spans` reads the periods that a question names.

    `used` is told which memories an answer cites, so that they fade later. Raises DatabaseUnavailable only.
    """

    def __init__(
        self, settings: Settings, db: Database, speaker: Speaker, recall: Recall, spans: Spans,
        used: Callable[..., Awaitable[Any]] | None = None,
    ) -> None:  # fmt: skip
        self._settings, self._db, self._speaker = settings, db, speaker
        self._recall, self._spans, self._used = recall, spans, used

    async def ask(self, question: Question) -> Answer:
        """The answer, or the passages and why there is none."""
        answer: Answer | None = None
        async with aclosing(self.stream(question)) as parts:
            async for one in parts:
                if isinstance(one, Answer):
                    answer = one
        assert answer is not None, "a stream ends with the answer"
        return answer

    async def stream(self, question: Question) -> AsyncGenerator[str | Answer, None]:
        """The answer's words as they come, citations checked; then the Answer, which holds when it differs from the words.

        Words come only once the first citation holds: what cites nothing is answered with "I don't know".
        """
        look = Looking(
            self._db, question.tenant_id, question.filters, question.as_of or self._db.clock.now(), question.session
        )  # fmt: skip
        model = self._speaker.model_for(AGENT)
        gathered = await self._gathered(look, question, searching=model is None)
        shown = fitted(gathered.sources, self._settings.ask_window_tokens)
        if not shown.sources:
            yield Answer(
                question.text, gathered.mode, DONT_KNOW, False, (), outcome=NOTHING_FOUND, why="Nothing here is about that.",
                left_out=shown.left_out, as_of=question.as_of,
            )  # fmt: skip
            return
        citing = Citing(shown.sources)
        spoken: Spoken | None = None
        asked = messages(question.text, shown, question.as_of or self._db.clock.now(), self._settings.timezone)
        async with aclosing(self._speaker.say(Speech(AGENT, question.tenant_id, asked, REPLY_TOKENS))) as words:
            async for one in words:
                if isinstance(one, Spoken):
                    spoken = one
                elif passed := citing.feed(one):
                    yield passed
        assert spoken is not None, "speech says how it ended"
        if passed := citing.finish():
            yield passed
        if spoken.outcome is Outcome.OK:
            yield await self._answered(look, question, gathered, shown, citing, spoken)
        else:
            yield await self._unanswered(look, question, gathered, shown, citing, spoken)

    async def _gathered(self, look: Looking, question: Question, *, searching: bool) -> Gathered:
        """The sources by mode. `auto` takes all that there is while that fits, and `searching` says that it would be too much."""
        if question.mode is Mode.SEARCH or (question.mode is Mode.AUTO and searching):
            return await self._search(look, question)
        memories, more = await look.recent(question.limit, weighted=question.weighted)
        found = [*await look.insights(), *memories]
        if question.mode is Mode.RECENT or not (more or fitted(found, self._settings.ask_window_tokens).left_out):
            return Gathered(tuple(found), Mode.RECENT)
        return await self._search(look, question)

    async def _search(self, look: Looking, question: Question) -> Gathered:
        """What was said then or with them, then what recall finds, then insights, then, through filters, the newest."""
        now = question.as_of or self._db.clock.now()
        timed = await look.last_meeting(question.text) or await look.at_the_time(question.text, now, self._spans)
        if timed and asks_what_happened(question.text):
            return Gathered(tuple(timed), Mode.SEARCH)
        budget = int(self._settings.ask_window_tokens * RECALL_SHARE)
        found = [*timed, *await look.recalled(self._recall, question.text, budget, question.as_of)]
        if question.filters.narrow:
            found += (await look.recent(question.limit, weighted=question.weighted))[0]
        if found:
            found += await look.insights()
        return Gathered(tuple(distinct(found)), Mode.SEARCH)

    async def _answered(
        self, look: Looking, question: Question, gathered: Gathered, shown: Shown, citing: Citing, spoken: Spoken
    ) -> Answer:
        """What the model said, as far as what it cites is there still."""
        held = await look.held(citing.cited) if citing.cited else set()
        kept = [one for one in citing.cited if (one.kind, one.id) in held]
        gone = {one.mark: one for one in citing.cited if (one.kind, one.id) not in held}
        text = without(citing.text, gone)
        why = "The model's answer was cut off at its longest." if spoken.cut_off else ""
        if not kept:
            text, why = DONT_KNOW, why or "The model cited nothing that it was shown."
        elif self._used is not None and question.as_of is None:
            with suppress(DatabaseError):  # the answer stands all the same
                await self._used([UUID(one.id) for one in kept if one.kind is SourceKind.MEMORY], tenant=question.tenant_id)
        return Answer(
            question.text, gathered.mode, text, bool(kept), tuple(map(cited, kept)), citing.removed + len(gone), why=why,
            model=spoken.model, shown=len(shown), left_out=shown.left_out, as_of=question.as_of,
        )  # fmt: skip

    async def _unanswered(
        self, look: Looking, question: Question, gathered: Gathered, shown: Shown, citing: Citing, spoken: Spoken
    ) -> Answer:
        """The passages, and why they stand alone. What the newest are to everything, a search is to the question."""
        if question.mode is Mode.AUTO and gathered.mode is not Mode.SEARCH:
            gathered = await self._search(look, question)
        answer = Answer(
            question.text, gathered.mode, "", False, passages(gathered), citing.removed, str(spoken.outcome),
            _sentence(spoken), spoken.model, len(shown), shown.left_out, question.as_of,
        )  # fmt: skip
        broken_off = bool(citing.cited)
        return replace(answer, detail={"words": len(citing.text)}) if broken_off else answer


def passages(gathered: Gathered) -> tuple[Cited, ...]:
    """The best of what was found, as it stands."""
    return tuple(cited(one) for one in gathered.sources[:PASSAGES])


def _sentence(spoken: Spoken) -> str:
    """Why no model answered."""
    whose = {
        Outcome.NO_MODEL: "",
        Outcome.BUDGET_SPENT: "The model was not asked. ",
        Outcome.ENDPOINT_DOWN: f"The model {spoken.model} cannot be asked now: ",
        Outcome.FAILED: f"The model {spoken.model} gave no answer: ",
    }
    until = f" It is asked again from {spoken.retry_at:%Y-%m-%d %H:%M} UTC." if spoken.retry_at else ""
    return f"{whose.get(spoken.outcome, '')}{spoken.reason.rstrip('.')}.{until}"
