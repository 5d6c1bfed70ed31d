"""Where an endpoint is. Credentials in its URL go into a header: libraries log URLs, and errors show them."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Address:
    """The URL as it may be stored and shown, and the headers that its credentials become."""

    url: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def is_openai(self) -> bool:
        return urlsplit(self.url).hostname == urlsplit(OPENAI).hostname


def address_of(base_url: str | None) -> Address:
    """The endpoint at `base_url`, OpenAI's own without one."""
    parts = urlsplit(base_url or OPENAI)
    credentials, at, place = parts.netloc.rpartition("@")
    url = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), parts.query, ""))
    if not at:
        return Address(url)
    return Address(url, {"Authorization": f"Basic {b64encode(unquote(credentials).encode()).decode()}"})
