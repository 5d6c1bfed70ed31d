"""The Indexer's good model: it knows a few affairs by the words that people use for them, Spanish or English."""

from __future__ import annotations

import re
from typing import Any

_MESSAGE = re.compile(r"^\[(m\d+)\] \S+ \S+ \w+ ([^:\n]*): (.*)$", re.MULTILINE)
# By the words that tell of it: keywords as a good model would say them, and for how many days it matters.
AFFAIRS: tuple[tuple[re.Pattern[str], list[str], float, str], ...] = (
    (re.compile(r"caldera|boiler|radiador|radiator|casero", re.I), ["boiler", "landlord", "Ortega", "repair", "invoice"], 45.0,
     "an ongoing dispute"),
    (re.compile(r"dentist|pediatra|Dr Ruiz", re.I), ["pediatrician", "Dr Ruiz", "Leo", "vaccination"], 20.0, "an appointment"),
    (re.compile(r"Lisboa|Lisbon", re.I), ["Lisbon", "flight TP1011", "hotel Alfama", "train"], 25.0, "a plan"),
    (re.compile(r"paella|receta|recipe", re.I), ["paella", "saffron", "recipe"], 4.0, "one-off"),
    (re.compile(r"deploy|despliegue|rollback", re.I), ["deploy", "rollback", "payment service", "Kafka"], 7.0, "one-off"),
)  # fmt: skip


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """A topic for each affair that a message tells of, with all messages that do."""
    told = _MESSAGE.findall(request["user"])
    topics = []
    for words, keywords, days, reason in AFFAIRS:
        named = [name for name, _, text in told if words.search(text)]
        if named:
            topics.append({"keywords": keywords, "messages": named, "days": days, "reason": reason})
    return {"topics": topics}
