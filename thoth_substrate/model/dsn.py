"""The address of a database, in the one form that every driver takes. Pure."""

from __future__ import annotations

from urllib.parse import quote, urlsplit, urlunsplit

from thoth_substrate.errors import SettingsError


def normal_dsn(dsn: str) -> str:
    """`postgres://`, `postgresql+psycopg://` and unescaped passwords as a plain `postgresql://` URL.

    Key-value strings (`host=… dbname=…`) pass through. Raises SettingsError for anything else.
    """
    text = dsn.strip().strip("\"'")
    if "://" not in text:
        if "=" in text:
            return text
        raise SettingsError("DATABASE_URL is not a PostgreSQL address: write postgresql://user:password@host:5432/name.")
    scheme, rest = text.split("://", 1)
    if scheme.split("+")[0] not in ("postgres", "postgresql"):
        raise SettingsError(f"DATABASE_URL begins with {scheme}://, and Thoth keeps its memory in PostgreSQL only.")
    credentials, at, address = rest.rpartition("@")
    if at and not _is_escaped(credentials):
        user, colon, password = credentials.partition(":")
        credentials = quote(user, safe="") + colon + quote(password, safe="")
    return urlunsplit(urlsplit(f"postgresql://{credentials}{at}{address}"))


def _is_escaped(credentials: str) -> bool:
    user, _, password = credentials.partition(":")
    reserved = set("/?#[]@: ")
    bare_percent = any(
        character == "%" and not all(c in "0123456789abcdefABCDEF" for c in credentials[i + 1 : i + 3].ljust(2, "x"))
        for i, character in enumerate(credentials)
    )
    return not (reserved & set(user) or reserved & set(password) or bare_percent)
