"""The only reader of the environment: every setting, a line each, with its unit and what it means.

Values come from the environment, then from `$THOTH_HOME/.env`, then from the defaults here. They are read once, at
boot, and never change afterwards. `.env.example` and the reference page are printed from this file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from dotenv import dotenv_values
from pydantic import AliasChoices, Field, SecretStr, TypeAdapter, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from thoth_substrate.errors import SettingsError
from thoth_substrate.model.dsn import normal_dsn

_OF_OTHERS = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME", "XDG_CONFIG_HOME", "APPDATA")
Switch = bool
Rows = Annotated[int, Field(ge=1, le=1_000_000)]
Milliseconds = Annotated[int, Field(ge=1, le=600_000)]
NotNegative = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0.0, le=100.0)]


def _setting(env: str | tuple[str, ...], default: Any, unit: str, meaning: str, **bounds: Any) -> Any:
    names = (env,) if isinstance(env, str) else env
    return Field(
        default=default,
        validation_alias=AliasChoices(*names),
        description=meaning,
        json_schema_extra={"unit": unit, "env": list(names)},
        **bounds,
    )


def _by_agent(env: str, unit: str, meaning: str) -> Any:
    """A setting that any agent may have, those of others too: `<env>_<AGENT>`. A mapping by plain_name."""
    return _setting(f"{env}_<AGENT>", {}, unit, meaning)


class Settings(BaseSettings):
    """Everything an operator can set. Frozen: what was read at boot holds until the next boot."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True, env_file_encoding="utf-8")

    # Where things are
    home: Path = _setting("THOTH_HOME", Path("~/.thoth"), "path", "Where the embedded server, the journal and .env live")
    database_url: SecretStr | None = _setting(
        ("THOTH_PG_DSN", "DATABASE_URL"), None, "DSN", "The PostgreSQL to use; none means the embedded server"
    )
    tenant: str = _setting("THOTH_TENANT", "default", "name", "The tenant of this process", pattern=r"^[A-Za-z0-9_.:@-]{1,64}$")
    auto_migrate: Switch = _setting("THOTH_AUTO_MIGRATE", True, "0|1", "Bring the schema up to date at boot")
    timezone: ZoneInfo = _setting("THOTH_TIMEZONE", ZoneInfo("UTC"), "name", "Whose calendar the dates of memories are shown in")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = _setting(
        "THOTH_LOG_LEVEL", "INFO", "level", "How much is said on stderr"
    )

    # PostgreSQL
    voice_pool: int = _setting(
        "THOTH_PG_VOICE_POOL",
        4,
        "connections",
        "Pool for perceive and recall; at most as many recalls are under way at once",
        ge=1,
        le=100,
    )
    hands_pool: int = _setting("THOTH_PG_HANDS_POOL", 4, "connections", "Pool for the workers", ge=1, le=100)
    statement_cache: int = _setting(
        "THOTH_PG_STATEMENT_CACHE", 200, "statements", "Prepared per connection; 0 behind an old pooler", ge=0, le=10_000
    )
    connect_timeout_ms: Milliseconds = _setting(
        "THOTH_PG_CONNECT_TIMEOUT_MS", 5000, "ms", "How long one attempt to connect may take"
    )

    # Perceive
    journal_max_bytes: int = _setting(
        "THOTH_JOURNAL_MAX_BYTES", 1 << 30, "bytes", "Bound of the local journal; beyond it the newest are refused", ge=1 << 16
    )
    buffer_rows: Rows = _setting("THOTH_BUFFER_ROWS", 10_000, "rows", "Slices held in memory; the rest waits in the journal")
    flush_interval_ms: Milliseconds = _setting("THOTH_FLUSH_INTERVAL_MS", 50, "ms", "Longest wait before a batch is written")
    flush_batch_rows: Rows = _setting("THOTH_FLUSH_BATCH_ROWS", 500, "rows", "Slices written in one transaction")
    slice_max_bytes: int = _setting(
        "THOTH_SLICE_MAX_BYTES", 16 << 20, "bytes", "Longest content of one slice; a longer one is refused", ge=1024
    )
    redact_secrets: Switch = _setting("THOTH_REDACT_SECRETS", True, "0|1", "Replace keys and passwords before storing")

    # Workers
    sentinel: Switch = _setting("THOTH_SUBSTRATE_SENTINEL", True, "0|1", "Triage what was perceived")
    sentinel_defense: Switch = _setting(
        "THOTH_SUBSTRATE_SENTINEL_DEFENSE", False, "0|1", "Quarantine content that tries to give orders"
    )
    embedder: Switch = _setting("THOTH_SUBSTRATE_EMBEDDER", True, "0|1", "Give passages their vectors")
    curator: Switch = _setting("THOTH_SUBSTRATE_CURATOR", True, "0|1", "Release what has faded or was forgotten")
    force_reject: Switch = _setting("THOTH_SUBSTRATE_FORCE_REJECT", True, "0|1", "Bound the queue of pending slices")
    partitions: Switch = _setting("THOTH_SUBSTRATE_PARTITIONS", True, "0|1", "Create months ahead, drop those gone")
    triage_batch_rows: Rows = _setting("THOTH_TRIAGE_BATCH_ROWS", 1000, "rows", "Slices triaged in one tick")
    index_batch_rows: Rows = _setting("THOTH_INDEX_BATCH_ROWS", 200, "rows", "Slices split and indexed in one tick")
    release_batch_rows: Rows = _setting("THOTH_RELEASE_BATCH_ROWS", 1000, "rows", "Slices released in one tick")

    # Embedding
    embed_provider: Literal["auto", "local", "openai", "fastembed", "none"] = _setting(
        "THOTH_EMBED_PROVIDER", "auto", "name", "auto takes openai with a key, else the local model, else none"
    )
    embed_model: str | None = _setting("THOTH_EMBED_MODEL", None, "name", "The provider's own default when unset")
    embed_dimensions: int | None = _setting(
        "THOTH_EMBED_DIMENSIONS", None, "count", "Asked of a provider that can shorten; at most 1536", ge=8, le=1536
    )
    embed_batch_rows: int = _setting("THOTH_EMBED_BATCH_ROWS", 32, "passages", "Passages embedded in one call", ge=1, le=2048)
    embed_timeout_ms: Milliseconds = _setting("THOTH_EMBED_TIMEOUT_MS", 30_000, "ms", "Longest wait for a batch of vectors")
    openai_api_key: SecretStr | None = _setting("OPENAI_API_KEY", None, "secret", "Key of an OpenAI-compatible endpoint")
    openai_base_url: str | None = _setting("OPENAI_BASE_URL", None, "URL", "That endpoint, when it is not OpenAI's own")

    # The crew and its model
    aux_model: str | None = _setting(
        "THOTH_AUX_MODEL", None, "name", "The chat model that the crew asks; none means that nothing is consolidated, and free"
    )
    aux_models: Mapping[str, str] = _by_agent("THOTH_AUX_MODEL", "name", "The model of one agent, say _PARSER, instead of it")
    aux_timeout_ms: Milliseconds = _setting("THOTH_AUX_TIMEOUT_MS", 60_000, "ms", "Longest wait for one reply of that model")
    aux_retries: int = _setting(
        "THOTH_AUX_RETRIES", 2, "count", "Further attempts at a call that an endpoint refused", ge=0, le=10
    )
    breaker_failures: int = _setting(
        "THOTH_BREAKER_FAILURES", 5, "count", "Failures in a row after which an endpoint is left alone", ge=1, le=1000
    )
    breaker_wait_ms: Milliseconds = _setting(
        "THOTH_BREAKER_WAIT_MS", 30_000, "ms", "How long at first, doubled up to ten minutes while it goes on failing"
    )
    budget_tokens_hour: int | None = _setting(
        "THOTH_BUDGET_TOKENS_HOUR", None, "tokens", "All calls of an hour by the clock; none means no bound", ge=0
    )
    budget_usd_day: float | None = _setting(
        "THOTH_BUDGET_USD_DAY", None, "USD", "All calls of a day by the clock (UTC); none means no bound", ge=0
    )
    budgets_tokens_hour: Mapping[str, NotNegative] = _by_agent(
        "THOTH_BUDGET_TOKENS_HOUR", "tokens", "The same for the calls of one agent, say _PARSER, within that for all"
    )
    budgets_usd_day: Mapping[str, NotNegative] = _by_agent(
        "THOTH_BUDGET_USD_DAY", "USD", "The same for the calls of one agent, within that for all"
    )
    prices: str | None = _setting(
        "THOTH_PRICES", None, "JSON", "Prices per million tokens that replace the built-in ones, or a file of them"
    )
    parser: Switch = _setting("THOTH_SUBSTRATE_PARSER", True, "0|1", "Promote slices to entities and facts")
    associator: Switch = _setting("THOTH_SUBSTRATE_ASSOCIATOR", True, "0|1", "Weigh how entities hang together")
    patternfinder: Switch = _setting("THOTH_SUBSTRATE_PATTERNFINDER", True, "0|1", "Find what holds across facts")
    critic: Switch = _setting("THOTH_SUBSTRATE_CRITIC", True, "0|1", "Measure coherence and calibration")
    reflector: Switch = _setting("THOTH_SUBSTRATE_REFLECTOR", True, "0|1", "Draw insights across sessions")
    dreamer: Switch = _setting("THOTH_SUBSTRATE_DREAMER", True, "0|1", "Explore what might be, as questions and tests")
    summarizer: Switch = _setting("THOTH_SUBSTRATE_SUMMARIZER", True, "0|1", "Sum up old sessions")
    indexer: Switch = _setting("THOTH_SUBSTRATE_INDEXER", True, "0|1", "Keep the subconscious index")
    conductor: Switch = _setting("THOTH_SUBSTRATE_CONDUCTOR", True, "0|1", "Set the levels of all workers")
    parser_batch_rows: int = _setting(
        "THOTH_PARSER_BATCH_ROWS", 16, "slices", "Slices of a session parsed in one call", ge=1, le=200
    )
    parser_portion_tokens: int = _setting(
        "THOTH_PARSER_PORTION_TOKENS",
        1500,
        "tokens",
        "Text put to the model in one call, about; a small model wants less",
        ge=100,
    )
    parser_quiet_ms: int = _setting(
        "THOTH_PARSER_QUIET_MS", 20_000, "ms", "A session that is quiet for so long is parsed before its batch is full", ge=0
    )
    parser_attempts: int = _setting(
        "THOTH_PARSER_ATTEMPTS", 5, "count", "Failures of a slice before it is a dead letter", ge=1, le=100
    )
    conductor_dwell_ms: int = _setting(
        "THOTH_CONDUCTOR_DWELL_MS", 300_000, "ms", "A worker's level stays at least so long before it is changed again", ge=0
    )
    conductor_policy: str = _setting(
        "THOTH_CONDUCTOR_POLICY",
        "",
        "words",
        "Thresholds of its own, as `conductor simulate --set` takes them: threshold=value …",
    )

    summarizer_after_hours: int = _setting(
        "THOTH_SUMMARIZER_AFTER_HOURS", 168, "h", "A session that has been quiet for so long is summed up", ge=0, le=87_600
    )
    indexer_every_hours: int = _setting(
        "THOTH_INDEXER_EVERY_HOURS", 6, "h", "How often the subconscious index takes in what is fresh", ge=1, le=8760
    )
    indexer_portion_tokens: int = _setting(
        "THOTH_INDEXER_PORTION_TOKENS", 6000, "tokens", "Messages put to the model in one call, about", ge=200
    )
    awareness_tokens: int = _setting(
        "THOTH_AWARENESS_TOKENS",
        100,
        "tokens",
        "Longest line of what is going on, put before every agent (cl100k)",
        ge=1,
        le=2000,
    )

    consolidator: Switch = _setting("THOTH_SUBSTRATE_CONSOLIDATOR", True, "0|1", "Consolidate on a threshold and on demand")
    consolidate_threshold: int = _setting(
        "THOTH_CONSOLIDATE_THRESHOLD",
        5,
        "memories",
        "So many new ones are consolidated at once; fewer at start-up and daily",
        ge=1,
    )

    # Asking and chatting
    ask_window_tokens: int = _setting(
        "THOTH_ASK_WINDOW_TOKENS",
        16_000,
        "tokens",
        "Memories put to the model for one answer; ask searches when all are more",
        ge=500,
    )
    chat_model: str | None = _setting("THOTH_CHAT_MODEL", None, "name", "The model of `thoth chat`; THOTH_AUX_MODEL when unset")

    # The HTTP server, and who speaks to it
    server_host: str = _setting(
        "THOTH_SERVER_HOST", "127.0.0.1", "address", "Where the HTTP server listens; beyond this machine only once a token exists"
    )
    server_port: int = _setting("THOTH_SERVER_PORT", 8484, "port", "The port it listens on; 0 takes a free one", ge=0, le=65535)
    server_body_max_bytes: int = _setting(
        "THOTH_SERVER_BODY_MAX_BYTES", 32 << 20, "bytes", "Longest body of a request; a longer one is refused (413)", ge=1024
    )
    server_timeout_ms: Milliseconds = _setting(
        "THOTH_SERVER_TIMEOUT_MS", 60_000, "ms", "Longest time for one request of the API; what is forwarded has the upstream's"
    )
    proxy_openai_url: str | None = _setting(
        "THOTH_PROXY_OPENAI_URL", None, "URL", "Where the proxy forwards to; OPENAI_BASE_URL when unset, else OpenAI's own"
    )
    proxy_anthropic_url: str = _setting(
        "THOTH_PROXY_ANTHROPIC_URL", "https://api.anthropic.com", "URL", "The same for Anthropic's /v1/messages"
    )
    proxy_timeout_ms: Milliseconds = _setting(
        "THOTH_PROXY_TIMEOUT_MS", 600_000, "ms", "Longest wait for the next byte of an upstream's answer"
    )
    anthropic_api_key: SecretStr | None = _setting(
        "ANTHROPIC_API_KEY", None, "secret", "Key that the proxy presents to Anthropic for known callers who bring none"
    )
    url: str = _setting("THOTH_URL", "http://127.0.0.1:8484", "URL", "Where clients and hooks find the server")
    token: SecretStr | None = _setting("THOTH_TOKEN", None, "secret", "The token that clients and hooks present to it")

    # Watched folders
    watch: str = _setting("THOTH_WATCH", "", "paths", "Folders that `thoth up` watches, separated as in PATH")
    watcher: Switch = _setting("THOTH_SUBSTRATE_WATCHER", True, "0|1", "Watch those folders")
    watch_exclude: str = _setting(
        "THOTH_WATCH_EXCLUDE", "", "patterns", "What is passed over beyond the usual, as in .gitignore, separated by commas"
    )
    watch_file_max_bytes: int = _setting(
        "THOTH_WATCH_FILE_MAX_BYTES", 20 << 20, "bytes", "Largest file that is taken in; a larger one is listed as skipped", ge=1
    )
    watch_quick_s: int = _setting("THOTH_WATCH_QUICK_S", 60, "s", "Between two looks at paths, sizes and times", ge=1)
    watch_full_s: int = _setting("THOTH_WATCH_FULL_S", 1800, "s", "Between two looks at every file's content", ge=1)

    # Recall
    recall: Switch = _setting("THOTH_SUBSTRATE_RECALL", False, "0|1", "Inject memories into turns (perceiving is always on)")
    recall_deadline_ms: Milliseconds = _setting(
        "THOTH_RECALL_DEADLINE_MS", 300, "ms", "For the whole recall, everything included"
    )
    recall_embed_budget_ms: Milliseconds = _setting(
        "THOTH_RECALL_EMBED_BUDGET_MS", 150, "ms", "Of which at most this for embedding the question"
    )
    recall_budget_tokens: int = _setting(
        "THOTH_RECALL_BUDGET_TOKENS", 1500, "tokens", "Longest block, fences included (cl100k)", ge=1, le=200_000
    )
    recall_candidates: int = _setting(
        "THOTH_RECALL_CANDIDATES", 100, "passages", "Taken by each of the vector and keyword legs", ge=1, le=2000
    )
    recall_row_budget: int = _setting(
        "THOTH_RECALL_ROW_BUDGET_ROWS", 20_000, "rows", "Postings read by the keyword leg, rarest terms first", ge=100
    )
    recall_exact_rows: int = _setting(
        "THOTH_RECALL_EXACT_ROWS", 20_000, "vectors", "Up to here a tenant's vectors are compared one by one", ge=0
    )
    recall_vectors_bytes: int = _setting(
        "THOTH_RECALL_VECTORS_BYTES",
        64 << 20,
        "bytes",
        "Vectors of tenants that ask now, kept in the process; 0 keeps none",
        ge=0,
    )
    recall_time_window_hours: int = _setting(
        "THOTH_RECALL_TIME_WINDOW_HOURS", 0, "h", "Only memories younger than this; 0 means of any age", ge=0
    )
    recall_floor: Literal["auto", "off"] = _setting(
        "THOTH_RECALL_FLOOR", "auto", "name", "auto says nothing when nothing is relevant; off always answers"
    )
    recall_floor_shift: float = _setting(
        "THOTH_RECALL_FLOOR_SHIFT", 0.0, "score", "Added to the tenant's calibrated floor; higher injects less", ge=-10, le=10
    )
    recall_reinforce: Switch = _setting("THOTH_RECALL_REINFORCE", True, "0|1", "Slow the fading of what was surfaced or used")
    recall_similarity_weight: Weight = _setting("THOTH_RECALL_SIMILARITY_WEIGHT", 1.0, "weight", "Likeness of meaning")
    recall_keyword_weight: Weight = _setting("THOTH_RECALL_KEYWORD_WEIGHT", 0.4, "weight", "Overlap of words (BM25)")
    recall_salience_weight: Weight = _setting("THOTH_RECALL_SALIENCE_WEIGHT", 0.05, "weight", "Breaks ties: current salience")
    recall_recency_weight: Weight = _setting("THOTH_RECALL_RECENCY_WEIGHT", 0.05, "weight", "Breaks ties: recency by event time")
    recall_who_weight: Weight = _setting("THOTH_RECALL_WHO_WEIGHT", 2.0, "weight", "The one person asked about is the speaker")
    recall_date_weight: Weight = _setting("THOTH_RECALL_DATE_WEIGHT", 3.0, "weight", "The period asked for is the slice's")
    recall_temporal_weight: Weight = _setting(
        "THOTH_RECALL_TEMPORAL_WEIGHT", 1.0, "weight", "A when-question and a passage that tells a time"
    )
    recall_first_weight: Weight = _setting("THOTH_RECALL_FIRST_WEIGHT", 0.5, "weight", "The passage speaks in the first person")
    recall_cover_weight: Weight = _setting("THOTH_RECALL_COVER_WEIGHT", 2.0, "weight", "Share of the question's terms near by")
    recall_session_weight: Weight = _setting("THOTH_RECALL_SESSION_WEIGHT", 0.5, "weight", "The session's best passage")
    recall_standing_weight: Weight = _setting("THOTH_RECALL_STANDING_WEIGHT", 1.5, "weight", "A lasting wish of the person")
    recall_pinned_weight: Weight = _setting("THOTH_RECALL_PINNED_WEIGHT", 1.0, "weight", "The slice is pinned")

    @property
    def home_dir(self) -> Path:
        return self.home.expanduser()

    @property
    def dsn(self) -> str | None:
        """The DSN in the one form that every driver takes, or None for the embedded server."""
        return normal_dsn(self.database_url.get_secret_value()) if self.database_url else None

    @property
    def watch_roots(self) -> tuple[Path, ...]:
        """The folders to watch."""
        return tuple(Path(path).expanduser() for path in self.watch.split(os.pathsep) if path.strip())

    @property
    def watch_exclusions(self) -> tuple[str, ...]:
        """Patterns of what is passed over."""
        return tuple(pattern.strip() for pattern in self.watch_exclude.split(",") if pattern.strip())

    def model_of(self, agent: str) -> str | None:
        """The chat model that an agent asks, or None."""
        return self.aux_models.get(plain_name(agent)) or self.aux_model or None

    def budgets_of(self, agent: str) -> Iterator[tuple[str, str, float]]:
        """Every budget that a call of the agent falls under: scope (`*` for all), unit (`tokens_hour | usd_day`), limit."""
        name = plain_name(agent)
        for unit, of_all, of_one in (
            ("tokens_hour", self.budget_tokens_hour, self.budgets_tokens_hour.get(name)),
            ("usd_day", self.budget_usd_day, self.budgets_usd_day.get(name)),
        ):
            if of_all is not None:
                yield "*", unit, float(of_all)
            if of_one is not None:
                yield name, unit, float(of_one)


def switched_on(settings: Settings, agent: str) -> bool:
    """The gate THOTH_SUBSTRATE_<AGENT>. Agents of others have no field here: theirs is read as it stands, and is on by default.

    Raises SettingsError when it holds neither yes nor no.
    """
    known = getattr(settings, agent, None)
    if isinstance(known, bool):
        return known
    name = f"THOTH_SUBSTRATE_{agent.upper()}"
    env_file = settings.home_dir / ".env"
    filed = dotenv_values(env_file) if _readable(env_file) else {}
    try:
        return TypeAdapter(bool).validate_python(os.environ.get(name) or filed.get(name) or True)
    except ValidationError as error:
        raise SettingsError(f"{name} cannot be used: it is neither 0 nor 1; correct it and start again.") from error


def child_environment(settings: Settings, dsn: str) -> dict[str, str]:
    """The environment for a process of ours beside this one: the same, on the server that this one found, for its tenant."""
    given = {"THOTH_PG_DSN": dsn, "THOTH_HOME": str(settings.home_dir), "THOTH_TENANT": settings.tenant}
    return {**os.environ, **given}


def variables_of_others() -> dict[str, str]:
    """Where other programs' variables say that they keep their configuration: no settings of ours, so read as they stand."""
    return {name: os.environ[name] for name in _OF_OTHERS if os.environ.get(name)}


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting as the documentation prints it."""

    env: tuple[str, ...]
    default: str
    unit: str
    meaning: str


def lines() -> Iterator[SettingLine]:
    """Every setting in the order of this file: what `.env.example` and the reference page are printed from."""
    for info in Settings.model_fields.values():
        extra = info.json_schema_extra
        assert isinstance(extra, dict)
        value = info.default
        shown = "" if value is None or value == {} else str(int(value)) if isinstance(value, bool) else str(value)
        names = extra["env"]
        assert isinstance(names, list)
        yield SettingLine(tuple(map(str, names)), shown, str(extra["unit"]), info.description or "")


def load(**given: Any) -> Settings:
    """Read the environment and `$THOTH_HOME/.env` once. `given` (by field name's variable) wins over both.

    Raises SettingsError naming the variable, what it holds and what it may hold.
    """
    home = Path(str(given.get("THOTH_HOME") or os.environ.get("THOTH_HOME") or "~/.thoth")).expanduser()
    env_file = home / ".env"
    try:
        filed = env_file if _readable(env_file) else None
        return Settings(**{"_env_file": filed, **_of_agents(filed, given), **given})
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from error


def plain_name(agent: str) -> str:
    """An agent's name as settings have it: `Pattern-finder` and `pattern_finder` are both `patternfinder`."""
    return "".join(character for character in agent.lower() if character.isalnum())


def _of_agents(env_file: Path | None, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The settings of single agents, by the variable they are documented under: the environment wins over the file."""
    known = {name for line in lines() for name in line.env}
    found: dict[str, dict[str, Any]] = {}
    for prefix in (name.removesuffix("<AGENT>") for name in known if name.endswith("_<AGENT>")):
        for source in (dotenv_values(env_file) if env_file else {}, os.environ, given):
            for name, value in source.items():
                if name.startswith(prefix) and name not in known and value not in (None, ""):
                    found.setdefault(f"{prefix}<AGENT>", {})[plain_name(name.removeprefix(prefix))] = value
    return found


def _readable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.R_OK)


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "a setting"
    if len(first["loc"]) > 1:
        name = name.replace("<AGENT>", str(first["loc"][1]).upper())
    return f"{name} cannot be used: {first['msg'].lower()} (it holds {first.get('input')!r}); correct it and start again."
