"""Prices: found under the names that models go by, and replaced by the operator's."""

from __future__ import annotations

from pathlib import Path

import pytest

from thoth_substrate.llm.prices import BUILT_IN, Price, read_prices


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o-mini", "gpt-4o-mini"), ("openai/gpt-4o-mini", "gpt-4o-mini"), ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("anthropic/claude-sonnet-4-20250514", "claude-sonnet-4"), ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("google/gemini-2.5-flash-preview-09", "gemini-2.5-flash"), ("gpt-4.1-nano", "gpt-4.1-nano"),
    ],
)  # fmt: skip
def test_a_model_is_found_by_its_name_with_or_without_maker_and_date(model: str, known: str) -> None:
    assert read_prices(None).of(model) == BUILT_IN[known]


def test_an_unknown_model_costs_nothing_and_is_known_to_be_unknown() -> None:
    prices = read_prices(None)
    assert prices.of("gemma3-270m-q4-k-m").of(1000, 1000) == 0
    assert not prices.knows("gemma3-270m-q4-k-m")


def test_cached_tokens_are_cheaper() -> None:
    assert Price(1, 10, 0.1).of(1_000_000, 100_000, 400_000) == pytest.approx(0.6 + 0.04 + 1.0)
    assert Price(1, 10, 0.1).of(10, 0, 400) == pytest.approx(10 * 0.1 / 1e6)


def test_the_operators_prices_win(tmp_path: Path) -> None:
    own = read_prices('{"gpt-4o-mini": [1, 2], "mine": [3, 4, 0.5]}')
    assert own.of("gpt-4o-mini") == Price(1, 2, 1)
    assert own.of("mine") == Price(3, 4, 0.5)
    assert own.of("gpt-4o") == BUILT_IN["gpt-4o"]
    (tmp_path / "prices.json").write_text('{"mine": [3, 4]}')
    assert read_prices(str(tmp_path / "prices.json")).of("mine") == Price(3, 4, 3)
