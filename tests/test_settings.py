"""Settings: the environment, then the home's `.env`, then the defaults; and one sentence when one cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from thoth_substrate.errors import SettingsError
from thoth_substrate.model.dsn import normal_dsn
from thoth_substrate.settings import Settings, lines, load


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An environment in which only the home is set, to an empty folder."""
    for line in lines():
        for name in line.env:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("THOTH_HOME", str(tmp_path))
    return tmp_path


def test_without_anything_set_there_is_an_embedded_server_and_recall_is_off(bare: Path) -> None:
    settings = load()
    assert settings.dsn is None
    assert not settings.recall
    assert settings.home_dir == bare


def test_the_environment_wins_over_the_file_and_the_file_over_the_defaults(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / ".env").write_text("THOTH_TENANT=from-file\nTHOTH_RECALL_BUDGET_TOKENS=700\n", encoding="utf-8")
    monkeypatch.setenv("THOTH_TENANT", "from-environment")
    settings = load()
    assert (settings.tenant, settings.recall_budget_tokens, settings.recall_deadline_ms) == ("from-environment", 700, 300)


def test_thoths_own_dsn_wins_over_the_conventional_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://plain/one")
    assert load().dsn == "postgresql://plain/one"
    monkeypatch.setenv("THOTH_PG_DSN", "postgresql://own/two")
    assert load().dsn == "postgresql://own/two"


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose files hand on `${OPENAI_API_KEY:-}`."""
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("DATABASE_URL", "")
    settings = load()
    assert settings.openai_api_key is None
    assert settings.dsn is None


def test_what_cannot_be_used_is_named_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOTH_RECALL_DEADLINE_MS", "soon")
    with pytest.raises(SettingsError, match=r"THOTH_RECALL_DEADLINE_MS cannot be used.*'soon'.*correct it") as raised:
        load()
    assert raised.value.exit_code == 2


def test_settings_hold_until_the_next_boot() -> None:
    settings = load()
    with pytest.raises(ValueError, match="frozen"):
        settings.tenant = "other"


def test_a_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:" + "hunter2" + "@host/db")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "secret")
    assert "hunter2" not in repr(load())
    assert "sk-" + "secret" not in repr(load())


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("postgres://me@host/db", "postgresql://me@host/db"),
        ("postgresql+psycopg://me@host/db", "postgresql://me@host/db"),
        ("'postgresql://host/db' ", "postgresql://host/db"),
        ("postgresql://me:p%40ss@host/db", "postgresql://me:p%40ss@host/db"),
        ("postgresql://me:p@ss/w#rd@host/db", "postgresql://me:p%40ss%2Fw%23rd@host/db"),
        ("postgresql://me:50%@host/db", "postgresql://me:50%25@host/db"),
        ("host=here dbname=db", "host=here dbname=db"),
    ],
)
def test_a_dsn_may_be_written_as_people_write_it(given: str, taken: str) -> None:
    assert normal_dsn(given) == taken


@pytest.mark.parametrize("given", ["mysql://host/db", "localhost"])
def test_what_is_no_postgresql_is_refused(given: str) -> None:
    with pytest.raises(SettingsError):
        normal_dsn(given)


def test_every_setting_has_one_field_and_one_line() -> None:
    names = [name for line in lines() for name in line.env]
    assert len(names) == len(set(names))
    assert len(list(lines())) == len(Settings.model_fields)


def test_any_agent_may_have_a_model_and_budgets_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("THOTH_AUX_MODEL_PARSER=filed\nTHOTH_BUDGET_USD_DAY_DREAMER=0.5\n")
    monkeypatch.setenv("THOTH_HOME", str(tmp_path))
    monkeypatch.setenv("THOTH_AUX_MODEL_PARSER", "large")
    monkeypatch.setenv("THOTH_BUDGET_TOKENS_HOUR_PATTERN_FINDER", "5000")
    settings = load(THOTH_AUX_MODEL="small", THOTH_BUDGET_TOKENS_HOUR=10_000, THOTH_AUX_MODEL_THEIRS="tiny")
    assert [settings.model_of(name) for name in ("parser", "Parser", "critic", "theirs")] == ["large", "large", "small", "tiny"]
    assert list(settings.budgets_of("Pattern-finder")) == [
        ("*", "tokens_hour", 10_000.0),
        ("patternfinder", "tokens_hour", 5000.0),
    ]
    assert list(settings.budgets_of("dreamer")) == [("*", "tokens_hour", 10_000.0), ("dreamer", "usd_day", 0.5)]
    with pytest.raises(SettingsError, match="THOTH_BUDGET_USD_DAY_PARSER cannot be used"):
        load(THOTH_BUDGET_USD_DAY_PARSER="much")
