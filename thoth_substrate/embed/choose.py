"""Which provider makes the vectors: what the settings ask for, and what is at hand."""

from __future__ import annotations

from datetime import timedelta

from thoth_substrate.embed import fastembed_, local
from thoth_substrate.model.embedding import ModelState, StoredModel
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings


def choose(settings: Settings) -> Embedder | None:
    """The embedder that the settings ask for, or None: recall is then by keyword only, and `explain` says why.

    `auto` takes the OpenAI-compatible endpoint when there is a key, else the bundled model, else fastembed.
    """
    provider = _provider(settings)
    if provider is None or _missing(settings, provider):
        return None
    return _made(settings, provider, settings.embed_model)


def choose_stored(settings: Settings, state: ModelState, wanted: Embedder | None) -> Embedder | None:
    """The embedder to work with: the wanted one when its vectors are the stored ones, else whatever still makes those.

    So a new key never switches the model: questions and passages go on with the stored one as long as it is at hand.
    """
    if state.active is None or (wanted is not None and state.mismatch is None):
        return wanted
    return _maker_of(settings, state.active)


def explain(settings: Settings) -> str:
    """One sentence for `doctor`: which provider is used, or why there is none and what to do."""
    provider = _provider(settings)
    if provider is None:
        if settings.embed_provider == "none":
            return "Embedding is switched off (THOTH_EMBED_PROVIDER=none): recall goes by keyword."
        return (
            "No embedding provider is at hand, so recall goes by keyword: set OPENAI_API_KEY, or install"
            " thoth-substrate[fastembed] where the bundled model has no wheel."
        )
    missing = _missing(settings, provider)
    if missing:
        return missing
    embedder = _made(settings, provider, settings.embed_model)
    where = f" at {settings.openai_base_url}" if provider == "openai" and settings.openai_base_url else ""
    return f"Vectors are made by {embedder.model.name}{where}."


def _provider(settings: Settings) -> str | None:
    """The provider asked for, or the first that `auto` finds; None when there is none."""
    asked = settings.embed_provider
    if asked != "auto":
        return None if asked == "none" else asked
    if settings.openai_api_key:
        return "openai"
    if local.available():
        return "local"
    return "fastembed" if fastembed_.available() else None


def _missing(settings: Settings, provider: str) -> str | None:
    """What an explicitly chosen provider lacks, as a sentence."""
    if provider == "openai" and not settings.openai_api_key and not settings.openai_base_url:
        return "THOTH_EMBED_PROVIDER is openai and OPENAI_API_KEY is not set: recall goes by keyword until it is."
    if provider == "local" and not local.available():
        return (
            "THOTH_EMBED_PROVIDER is local and the bundled model has no wheel for this machine: recall goes by keyword."
            " Install thoth-substrate[fastembed] and set THOTH_EMBED_PROVIDER=fastembed."
        )
    if provider == "fastembed" and not fastembed_.available():
        return "THOTH_EMBED_PROVIDER is fastembed and it is not installed: pip install thoth-substrate[fastembed]."
    return None


def _made(settings: Settings, provider: str, model: str | None, dimensions: int | None = None) -> Embedder:
    if provider == "local":
        return local.LocalEmbedder()
    if provider == "fastembed":
        return fastembed_.FastEmbedEmbedder(model)
    from thoth_substrate.llm.embeddings import DEFAULT_MODEL, Endpoint, OpenAIEmbedder  # half a second to import

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    return OpenAIEmbedder(
        Endpoint(
            model or DEFAULT_MODEL, key, settings.openai_base_url, dimensions or settings.embed_dimensions,
            timedelta(milliseconds=settings.embed_timeout_ms),
        )
    )  # fmt: skip


def _maker_of(settings: Settings, stored: StoredModel) -> Embedder | None:
    """The embedder that makes the stored model's vectors, when its provider is at hand."""
    provider, _, name = stored.name.partition(":")
    if settings.embed_provider == "none":
        return None
    if stored.name == local.MODEL.name and local.available():
        return _made(settings, "local", None)
    if provider == "fastembed" and fastembed_.available():
        return _made(settings, "fastembed", name)
    if provider == "openai" and (settings.openai_api_key or settings.openai_base_url):
        bare, slash, asked = name.rpartition("/")
        if slash and asked.isdigit():
            return _made(settings, "openai", bare, int(asked))
        return _made(settings.model_copy(update={"embed_dimensions": None}), "openai", name)
    return None
