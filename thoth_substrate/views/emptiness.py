"""Why a recall found nothing, in words for people and models."""

from __future__ import annotations

from thoth_substrate.model.projection import EmptyReason, Projection

WHY_EMPTY = {
    EmptyReason.DISABLED: "recall is switched off.",
    EmptyReason.TIMEOUT: "the deadline passed before anything was found; a longer one is THOTH_RECALL_DEADLINE_MS.",
    EmptyReason.NO_CANDIDATES: "nothing here shares a word or a meaning with the question.",
    EmptyReason.BELOW_FLOOR: "nothing here is clearly about the question, and weak memories are worse than none.",
    EmptyReason.TRIVIAL_QUERY: "the question asks for nothing.",
    EmptyReason.TOKEN_BUDGET_EXHAUSTED: "no line fits into the token budget; give a larger --budget.",
    EmptyReason.ERROR: "something failed: `thoth substrate recall explain last` and `thoth substrate doctor` say what.",
}


def why_empty(projection: Projection) -> str:
    """Why there is nothing, for a person."""
    reason = projection.empty_reason or EmptyReason.ERROR
    late = f" Not answered in time: {', '.join(projection.partial)}." if projection.partial else ""
    return f"Nothing ({reason}): {WHY_EMPTY[reason]}{late}"
