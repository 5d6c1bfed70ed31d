"""What a good model would answer the Summarizer: the sentences that tell something, each with the fragment that it stands in."""

from __future__ import annotations

from typing import Any

from tests.llm.crew_script.parser import _FRAGMENTS, _fact, _passages, _sentences


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """A sentence for each fact of the fragments, at most ten; else the first sentence of the first fragment."""
    found = _FRAGMENTS.search(request["user"])
    if found is None:
        return None
    told = list(_passages(found[2]))
    points = [
        {"text": fact["statement"], "fragments": [passage]}
        for _, passage, actor, text in told
        for sentence in _sentences(text)
        if (fact := _fact(sentence, passage, actor))
    ]
    if not points and told:
        _, passage, actor, text = told[0]
        points = [{"text": f"{actor} said: {(_sentences(text) or [''])[0]}", "fragments": [passage]}]
    return {"points": points[:10]}
