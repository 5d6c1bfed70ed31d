"""What the facts of a server mean: a sentence each, and what to type. Pure."""

from __future__ import annotations

from datetime import timedelta

from thoth_substrate.settings import Settings
from thoth_substrate.views.check import Check, bad, info, ok, warn
from thoth_substrate.views.server import ServerFacts
from thoth_substrate.views.words import size, span

OLDEST, NEWEST_TESTED = 17, 18
SKEW_NOTED, SKEW_GRAVE = timedelta(seconds=2), timedelta(minutes=1)


def checks(facts: ServerFacts, settings: Settings) -> list[Check]:
    """Every check of the server, in the order in which they depend on each other."""
    return [
        _version(facts), _writable(facts), _encoding(facts), _durability(facts), _extensions(facts), _roles(facts),
        _row_security(facts), _partitions(facts), _indexes(facts), _connections(facts, settings), _pooler(facts, settings),
        _clock(facts),
    ]  # fmt: skip


def _version(facts: ServerFacts) -> Check:
    major = facts.server.version_num // 10_000
    if major < OLDEST:
        return bad("version", f"PostgreSQL {facts.server.version} is too old: Thoth needs {OLDEST} or {NEWEST_TESTED}.",
                   "upgrade the server, or unset DATABASE_URL to use the embedded one")  # fmt: skip
    if major > NEWEST_TESTED:
        return warn("version", f"PostgreSQL {facts.server.version} is newer than what Thoth is tested with ({NEWEST_TESTED}).")
    where = f"database {facts.server.database}, user {facts.server.user}, {size(facts.server.database_bytes)}"
    return ok("version", f"PostgreSQL {facts.server.version.split()[0]}, {where}.")


def _writable(facts: ServerFacts) -> Check:
    if facts.server.in_recovery:
        return bad("writable", "This server is a standby or still recovering: nothing can be written, and slices wait"
                   " in the journal.",
                   "point DATABASE_URL at the primary, or wait")  # fmt: skip
    if facts.server.read_only:
        return bad("writable", "This user's transactions are read-only here: nothing can be written.",
                   f'ALTER ROLE "{facts.server.user}" RESET default_transaction_read_only')  # fmt: skip
    return ok("writable", "Transactions may write.")


def _encoding(facts: ServerFacts) -> Check:
    if facts.server.encoding != "UTF8":
        return bad("encoding", f"The database's encoding is {facts.server.encoding}: it cannot hold every text.",
                   "create a database with ENCODING 'UTF8' and point DATABASE_URL at it")  # fmt: skip
    return ok("encoding", "UTF8.")


def _durability(facts: ServerFacts) -> Check:
    if facts.server.fsync and facts.server.full_page_writes:
        return ok("durability", "fsync and full_page_writes are on.")
    off = [name for name, on in (("fsync", facts.server.fsync), ("full_page_writes", facts.server.full_page_writes)) if not on]
    return bad("durability", f"{' and '.join(off)} off: a power cut may destroy the whole database.",
               "; ".join(f"ALTER SYSTEM SET {name} = on" for name in off) + "; SELECT pg_reload_conf()")  # fmt: skip


def _extensions(facts: ServerFacts) -> Check:
    missing = [row for row in facts.extensions if row.installed is None]
    if missing:
        absent = [row.extension for row in missing if row.available is None]
        do = f"install {', '.join(absent)} on the server, then: thoth substrate migrate" if absent else "thoth substrate migrate"
        return bad("extensions", f"Missing: {', '.join(row.extension for row in missing)}.", do)
    behind = [row for row in facts.extensions if row.available and row.installed != row.available]
    have = ", ".join(f"{row.extension} {row.installed}" for row in facts.extensions)
    if behind:
        return info("extensions", f"{have}; the server brings newer ones.",
                    "; ".join(f"ALTER EXTENSION {row.extension} UPDATE" for row in behind))  # fmt: skip
    return ok("extensions", f"{have}.")


def _roles(facts: ServerFacts) -> Check:
    user = facts.server.user
    for row in facts.roles:
        if not row.exists:
            return bad("roles", f"The run-time role {row.role} is missing: no statement can run.", "thoth substrate migrate")
        if not row.may_take:
            return bad("roles", f"User {user} may not take the role {row.role}, so no statement can run.",
                       f'GRANT {row.role} TO "{user}" WITH INHERIT FALSE, SET TRUE   (as a superuser)')  # fmt: skip
        if row.bypasses:
            return bad("roles", f"The role {row.role} sees past row-level security: tenants are not kept apart.",
                       f"ALTER ROLE {row.role} NOSUPERUSER NOBYPASSRLS   (as a superuser)")  # fmt: skip
    return ok("roles", f"{user} may take {' and '.join(row.role for row in facts.roles)}, and neither sees past the policies.")


def _row_security(facts: ServerFacts) -> Check:
    if not facts.unguarded:
        return ok("row security", "Forced on every table that holds tenants' rows.")
    do = "; ".join(
        f"ALTER TABLE thoth.{row.table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
        if row.policies else f"thoth.{row.table} has no policy: restore it from the migrations"
        for row in facts.unguarded
    )  # fmt: skip
    return bad(
        "row security",
        f"Not in force on {', '.join(row.table for row in facts.unguarded)}: tenants are not kept apart there.",
        do,
    )


def _partitions(facts: ServerFacts) -> Check:
    if not facts.defaults:
        return ok("partitions", "No DEFAULT partition.")
    row = facts.defaults[0]
    return bad("partitions", f"{row.parent} has a DEFAULT partition, {row.child} (about {row.rows:,} rows): months can neither be"
               " detached nor, where it holds their rows, made.",
               f"ALTER TABLE thoth.{row.parent} DETACH PARTITION thoth.{row.child}; then let `thoth up` make the months and"
               " insert its rows again")  # fmt: skip


def _indexes(facts: ServerFacts) -> Check:
    if facts.invalid_indexes:
        names = ", ".join(row.index for row in facts.invalid_indexes)
        return bad("indexes", f"Left unused by an interrupted build: {names}.",
                   "; ".join(f"REINDEX INDEX CONCURRENTLY thoth.{row.index}" for row in facts.invalid_indexes))  # fmt: skip
    if facts.missing_indexes:
        where = ", ".join(sorted({row.partition for row in facts.missing_indexes}))
        return bad("indexes", f"Missing on some partitions ({where}): what reads them scans.",
                   "; ".join(row.cure for row in facts.missing_indexes))  # fmt: skip
    return ok("indexes", "All there on every partition, and valid.")


def _connections(facts: ServerFacts, settings: Settings) -> Check:
    wanted = settings.voice_pool + settings.hands_pool
    most, used = facts.server.max_connections, facts.server.connections
    says = f"{used} of {most} in use; each process of Thoth takes up to {wanted}."
    if used + wanted > most:
        return warn("connections", says, "lower THOTH_PG_VOICE_POOL and THOTH_PG_HANDS_POOL, or raise max_connections")
    return ok("connections", says)


def _pooler(facts: ServerFacts, settings: Settings) -> Check:
    if facts.client_pid == facts.server.backend_pid:
        return ok("pooler", "None between this process and the server.")
    if settings.statement_cache:
        return info("pooler", "A connection pooler stands between. In transaction mode it must know prepared statements"
                    " (pgbouncer 1.21 or newer with max_prepared_statements = 200).",
                    "export THOTH_PG_STATEMENT_CACHE=0   (if statements fail with 'does not exist')")  # fmt: skip
    return ok("pooler", "A connection pooler stands between, and no statement is kept prepared.")


def _clock(facts: ServerFacts) -> Check:
    middle = facts.asked_at + (facts.answered_at - facts.asked_at) / 2
    skew = facts.server_at - middle
    doubt = (facts.answered_at - facts.asked_at) / 2
    ahead = "ahead of" if skew > timedelta(0) else "behind"
    says = f"The server's clock is {span(skew)} {ahead} this host's."
    if abs(skew) - doubt > SKEW_GRAVE:
        return bad("clock", f"{says} What is perceived is dated wrongly.", "set both by NTP: timedatectl set-ntp true")
    if abs(skew) - doubt > SKEW_NOTED:
        return warn("clock", says, "set both by NTP: timedatectl set-ntp true")
    return ok("clock", f"Host and server agree within {span(max(abs(skew), doubt))}.")
