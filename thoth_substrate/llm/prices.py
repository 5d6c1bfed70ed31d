"""What a call costs: US dollars per million tokens, for the models that are asked most. The operator's own prices win.

List prices change; these are of late 2025, and serve to bound spending, not to check a bill.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thoth_substrate.errors import SettingsError

_MILLION = 1_000_000
_DATED = re.compile(r"[-@:](?:\d{4}-\d{2}-\d{2}|\d{4,8}|latest|free|preview.*|v\d+(?::\d+)?)$")


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens: sent, received, and sent but cached by the provider."""

    prompt: float
    completion: float
    cached: float

    def of(self, prompt: int, completion: int, cached: int = 0) -> float:
        """USD for so many tokens; `cached` ones are among those of the prompt."""
        known = min(cached, prompt)
        return ((prompt - known) * self.prompt + known * self.cached + completion * self.completion) / _MILLION


# model: prompt, completion, cached prompt
_TABLE: dict[str, tuple[float, float, float]] = {
    "gpt-5": (1.25, 10, 0.125), "gpt-5-mini": (0.25, 2, 0.025), "gpt-5-nano": (0.05, 0.4, 0.005),
    "gpt-4.1": (2, 8, 0.5), "gpt-4.1-mini": (0.4, 1.6, 0.1), "gpt-4.1-nano": (0.1, 0.4, 0.025),
    "gpt-4o": (2.5, 10, 1.25), "gpt-4o-mini": (0.15, 0.6, 0.075), "gpt-3.5-turbo": (0.5, 1.5, 0.5),
    "o3": (2, 8, 0.5), "o3-mini": (1.1, 4.4, 0.55), "o4-mini": (1.1, 4.4, 0.275),
    "claude-opus-4-1": (15, 75, 1.5), "claude-opus-4": (15, 75, 1.5), "claude-sonnet-4-5": (3, 15, 0.3),
    "claude-sonnet-4": (3, 15, 0.3), "claude-haiku-4-5": (1, 5, 0.1), "claude-3-5-haiku": (0.8, 4, 0.08),
    "gemini-2.5-pro": (1.25, 10, 0.31), "gemini-2.5-flash": (0.3, 2.5, 0.075), "gemini-2.5-flash-lite": (0.1, 0.4, 0.025),
    "gemini-2.0-flash": (0.1, 0.4, 0.025), "deepseek-chat": (0.27, 1.1, 0.07), "deepseek-reasoner": (0.55, 2.19, 0.14),
    "mistral-large": (2, 6, 2), "mistral-medium": (0.4, 2, 0.4), "mistral-small": (0.1, 0.3, 0.1),
    "text-embedding-3-small": (0.02, 0, 0.02), "text-embedding-3-large": (0.13, 0, 0.13), "text-embedding-ada-002": (0.1, 0, 0.1),
}  # fmt: skip
BUILT_IN: Mapping[str, Price] = {name: Price(*row) for name, row in _TABLE.items()}
FREE = Price(0.0, 0.0, 0.0)


class Prices:
    """The table, with the operator's prices over it."""

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._table = {**BUILT_IN, **(own or {})}

    def of(self, model: str) -> Price:
        """The model's price: by its name, else without the maker before it or the date after it; an unknown one costs nothing."""
        return self._found(model) or FREE

    def knows(self, model: str) -> bool:
        return self._found(model) is not None

    def _found(self, model: str) -> Price | None:
        bare = model.rsplit("/", 1)[-1]
        for name in (model, bare, _DATED.sub("", bare)):
            if name in self._table:
                return self._table[name]
        return None


def read_prices(given: str | None) -> Prices:
    """THOTH_PRICES: JSON, or a file of it: `{"model": [prompt, completion]}`, a third number for cached tokens, USD per million.

    Raises SettingsError.
    """
    if not given:
        return Prices()
    try:
        text = given if given.lstrip().startswith("{") else Path(given).expanduser().read_text(encoding="utf-8")
        rows = json.loads(text)
        return Prices({str(model): _price(row) for model, row in rows.items()})
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise SettingsError(
            'THOTH_PRICES cannot be used: write JSON like {"my-model": [0.15, 0.6]} (USD per million tokens sent and'
            f" received), or name a file of it ({type(error).__name__})."
        ) from error


def _price(row: Any) -> Price:
    numbers = [float(number) for number in row]
    if len(numbers) not in (2, 3) or not all(0 <= number < _MILLION for number in numbers):
        raise ValueError("two or three prices")
    return Price(numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else numbers[0])
