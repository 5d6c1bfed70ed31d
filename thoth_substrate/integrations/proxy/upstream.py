"""Where requests go, with which headers, and what is said when nothing answers there.

Headers pass through but for those of one connection, Thoth's own, and a token of ours that stands where an upstream's key
would. The operator's key is lent only to who is known here, and only to the host that it belongs to.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from thoth_substrate.access.tokens import PREFIX
from thoth_substrate.errors import SettingsError
from thoth_substrate.integrations.proxy.replies import READABLE
from thoth_substrate.llm.address import OPENAI, Address, address_of
from thoth_substrate.settings import Settings

CONNECT_S = 10.0
POOL_S = 60.0
IDLE_CONNECTIONS, IDLE_S = 100, 60.0
Headers = list[tuple[bytes, bytes]]

_OF_A_CONNECTION = frozenset((
    b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
))  # fmt: skip
_MADE_ANEW = frozenset((b"host", b"content-length", b"expect"))
_OURS = b"x-thoth-"
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_KEYS = (b"authorization", b"x-api-key", b"api-key")


@dataclass(frozen=True)
class Upstream:
    """One API's endpoint. `key` is the operator's, `key_header` how it is presented; `under` is the path that it replaces."""

    name: str
    setting: str
    address: Address
    under: bytes
    key_header: bytes
    key: bytes | None

    @cached_property
    def _base(self) -> tuple[httpx2.URL, bytes, bytes]:
        """The address, its path and its query."""
        base = httpx2.URL(self.address.url)
        path, _, query = base.raw_path.partition(b"?")
        return base, path.rstrip(b"/"), query

    def url(self, raw_path: bytes, query: bytes) -> httpx2.URL:
        """The address of a request to us, there."""
        base, there, own = self._base
        query = b"&".join(filter(None, (own, query)))
        path = there + raw_path.removeprefix(self.under)
        return base.copy_with(raw_path=path + (b"?" + query if query else b""))

    def error(self, status: int, message: str) -> bytes:
        """An error in the shape that this API's clients know."""
        if self.name == "anthropic":
            return orjson.dumps(
                {"type": "error", "error": {"type": _ANTHROPIC_KINDS.get(status, "api_error"), "message": message}}
            )
        code = _CODES.get(status, "proxy_error")
        return orjson.dumps({"error": {"message": message, "type": "thoth_proxy_error", "param": None, "code": code}})

    def away(self, error: httpx2.TransportError) -> tuple[int, str]:
        """The status and the sentence for an upstream that did not answer."""
        where = f"The upstream {self.address.url}"
        advice = f"the request was not answered. Try again, or correct {self.setting}."
        if isinstance(error, httpx2.TimeoutException):
            return 504, f"{where} did not answer in time ({_kind(error)}); {advice}"
        return 502, f"{where} cannot be reached or broke off ({_kind(error)}); {advice}"


_CODES = {
    401: "invalid_api_key",
    403: "not_permitted",
    422: "invalid_request",
    502: "upstream_unreachable",
    504: "upstream_timeout",
}
_ANTHROPIC_KINDS = {401: "authentication_error", 403: "permission_error", 422: "invalid_request_error", 504: "timeout_error"}


def _kind(error: httpx2.TransportError) -> str:
    return str(error) or type(error).__name__


def openai(settings: Settings) -> Upstream:
    """The upstream of OpenAI's API. Raises SettingsError when it cannot be one."""
    url = settings.proxy_openai_url or settings.openai_base_url
    address = address_of(url)
    setting = "THOTH_PROXY_OPENAI_URL" if settings.proxy_openai_url or not url else "OPENAI_BASE_URL"
    _check(address, setting, settings)
    key = _secret(settings.openai_api_key) if _same_host(address.url, address_of(settings.openai_base_url).url) else ""
    return Upstream("openai", setting, address, b"/v1", b"authorization", f"Bearer {key}".encode() if key else None)


def anthropic(settings: Settings) -> Upstream:
    """The upstream of Anthropic's API. Raises SettingsError when it cannot be one."""
    address = address_of(settings.proxy_anthropic_url.rstrip("/").removesuffix("/v1"))
    _check(address, "THOTH_PROXY_ANTHROPIC_URL", settings)
    key = _secret(settings.anthropic_api_key)
    return Upstream("anthropic", "THOTH_PROXY_ANTHROPIC_URL", address, b"", b"x-api-key", key.encode() or None)


def client(settings: Settings) -> httpx2.AsyncClient:
    """The one client: connections are kept for the next request; redirects are the caller's to follow.

    A proxy of the environment (HTTPS_PROXY) is used, but for upstreams on this machine, which it could not reach.
    """
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(settings.proxy_timeout_ms / 1000, connect=CONNECT_S, pool=POOL_S),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=IDLE_CONNECTIONS, keepalive_expiry=IDLE_S),
        follow_redirects=False,
        mounts={f"all://{host}": None for host in _LOCAL},
    )


def forwarded(headers: Iterable[tuple[bytes, bytes]], *, readable: bool) -> Headers:
    """The headers of a request as the upstream gets them. `readable` leaves out content codings that we could not read."""
    given = list(headers)
    dropped = _dropped(given) | _MADE_ANEW
    kept = [
        (name, value)
        for name, value in given
        if name not in dropped and not name.startswith(_OURS) and not (name in _KEYS and _is_ours(value))
    ]
    return [(name, _readable(value) if name == b"accept-encoding" else value) for name, value in kept] if readable else kept


def returned(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers of an answer as the client gets them. The date is our server's, which stamps every answer."""
    given = [(name.lower(), value) for name, value in headers]
    dropped = _dropped(given) | {b"date"}
    return [(name, value) for name, value in given if name not in dropped]


def credential(headers: Headers) -> bytes:
    """The key that a client brings for the upstream, or nothing."""
    return next((value for name, value in headers if name in _KEYS), b"")


def lent(upstream: Upstream, headers: Headers) -> Headers:
    """The headers with the operator's own credentials, for a known caller who brings none."""
    if credential(headers):
        return headers
    own = [(name.lower().encode(), value.encode()) for name, value in upstream.address.headers.items()]
    return [*headers, *(own or ([(upstream.key_header, upstream.key)] if upstream.key else []))]


def _dropped(headers: Headers) -> frozenset[bytes]:
    """What belongs to the connection: the known ones, and those that it names itself."""
    named = (part.strip().lower() for name, value in headers if name == b"connection" for part in value.split(b","))
    return _OF_A_CONNECTION.union(named)


def _is_ours(value: bytes) -> bool:
    return any(part.startswith(PREFIX.encode()) for part in value.split())


def _readable(accepted: bytes) -> bytes:
    codings = [part for part in accepted.split(b",") if part.split(b";")[0].strip().lower().decode("latin-1") in READABLE]
    return b",".join(codings).strip() or b"identity"


def _secret(key: Any) -> str:
    return str(key.get_secret_value()) if key else ""


def _check(address: Address, setting: str, settings: Settings) -> None:
    """An upstream is an HTTP endpoint, and not this server: a request would run in circles."""
    parts = urlsplit(address.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{setting} is not the address of an HTTP endpoint ({address.url!r}): write https://host/v1.")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if port == settings.server_port and _here(parts.hostname, settings.server_host):
        raise SettingsError(
            f"{setting} is {address.url}, which is this server itself: requests would run in circles. Name the real upstream,"
            f" e.g. THOTH_PROXY_OPENAI_URL={OPENAI}, or another THOTH_SERVER_PORT."
        )


def _here(host: str, own: str) -> bool:
    return host == own or (_is_local(host) and (_is_local(own) or own in ("0.0.0.0", "::", "")))  # noqa: S104 - compared only


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _same_host(one: str, other: str) -> bool:
    return urlsplit(one)[:2] == urlsplit(other)[:2]
