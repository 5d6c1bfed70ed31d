"""Every error that Thoth raises on purpose, as one tree.

    ThothError
    ├── SettingsError            a setting cannot be used
    ├── BadInput                 the caller's value cannot be used (HTTP 422, exit 2)
    │   ├── UnknownStream
    │   ├── UnknownProfile
    │   ├── UnknownSlice
    │   ├── UnknownConcept
    │   ├── UnknownRecall
    │   ├── AlreadyReplaced      somebody else changed it first (HTTP 409)
    │   └── UnreadableFile
    ├── DatabaseError
    │   ├── DatabaseUnavailable  nothing answers, or it went away (exit 3)
    │   ├── DatabaseUnsuitable   it answers but cannot carry Thoth (exit 3)
    │   ├── SchemaOutdated       the schema is not the one this version needs (exit 3)
    │   └── StatementRefused     the server refused one statement
    ├── EmbeddedServerError      the embedded PostgreSQL could not be started or stopped (exit 3)
    ├── EmbeddingError           no vector could be made
    │   └── EmbedderUnavailable  of no text at all, for now
    ├── AccessError              a request was refused for who asks
    │   ├── TokenNeeded          nobody is known to ask (HTTP 401)
    │   └── NotPermitted         the one who asks may not (HTTP 403)
    ├── ServerError              the HTTP server could not be started
    ├── RequestFailed            a client's request was not done (its server's log says why)
    │   └── ServerUnavailable    no server answers, or it cannot now (exit 3)
    ├── JournalFull              the local journal has reached its bound
    ├── LeaseLost                another host runs the worker now
    └── TickTooLong              a worker's tick was stopped at its limit

The message of an error is one sentence for the operator: what happened, what it means, what to do next.
Outcomes that are expected (an empty projection, no model configured) are values, not errors.
"""

from __future__ import annotations

from datetime import timedelta


class ThothError(Exception):
    """Something Thoth could not do. The message says what happened, what it means and what to do next."""

    exit_code = 1


class SettingsError(ThothError):
    """A setting cannot be used as it stands; nothing was started. Correct it and start again."""

    exit_code = 2


class BadInput(ThothError):
    """A value that was passed in cannot be used; nothing was stored or changed. Correct it and call again."""

    exit_code = 2


class UnknownStream(BadInput):
    """The stream is not registered; nothing was stored. `thoth substrate streams` lists those that are."""


class UnknownProfile(BadInput):
    """There is no decay profile of that name; nothing was changed. `thoth substrate profiles` lists them."""


class UnknownSlice(BadInput):
    """No slice has that id or handle for this tenant. `thoth substrate slices` lists the most recent ones."""


class UnknownRecall(BadInput):
    """No recall of that id is in this tenant's log, or it is kept no longer. `thoth substrate recall recent` lists them."""


class AlreadyReplaced(BadInput):
    """The memory has a newer version; nothing was changed. Read that one, and change it."""


class UnknownConcept(BadInput):
    """Nothing that is going on has that number for this tenant, or it has expired. `thoth awareness list` shows what is."""


class UnreadableFile(BadInput):
    """A file could not be read as what it was said to be; what was read before that point is kept."""


class DatabaseError(ThothError):
    """PostgreSQL could not do what was asked."""

    exit_code = 3


class DatabaseUnavailable(DatabaseError):
    """No PostgreSQL answers there now; what is perceived meanwhile waits in the journal. Start it, or correct the DSN."""


class DatabaseUnsuitable(DatabaseError):
    """This PostgreSQL cannot carry Thoth: it is too old, or lacks an extension or a right that Thoth needs."""


class SchemaOutdated(DatabaseError):
    """The schema is not the one this version of Thoth works with. `thoth substrate migrate` brings it up to date."""


class StatementRefused(DatabaseError):
    """PostgreSQL refused a statement; the transaction was rolled back and nothing of it remains."""

    def __init__(self, message: str, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class EmbeddedServerError(ThothError):
    """The embedded PostgreSQL could not be started or stopped; its log, named in the message, says why."""

    exit_code = 3


class EmbeddingError(ThothError):
    """No vector could be made for a text; it stays queued and is found by keyword meanwhile."""


class EmbedderUnavailable(EmbeddingError):
    """The provider of vectors does not answer, or refuses everybody; what waits stays queued. Doctor says what to look at."""

    def __init__(self, message: str, retry_in: timedelta | None = None) -> None:
        super().__init__(message)
        self.retry_in = retry_in


class AccessError(ThothError):
    """A request was refused for who asks; nothing was read or changed."""


class TokenNeeded(AccessError):
    """The server asks for a token, and none that is good came with the request. `thoth token create` makes one."""


class NotPermitted(AccessError):
    """The one who asks may not do this, or not for this tenant. `thoth token list` says what a token allows."""


class ServerError(ThothError):
    """The HTTP server could not be started; the message says what stands in its way."""


class RequestFailed(ThothError):
    """A server did not do what a client asked, or answered with what is no answer of Thoth's; its log says why."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ServerUnavailable(RequestFailed):
    """No Thoth server answers there, or it cannot now, also after several attempts. `thoth up` or `thoth serve` starts one."""

    exit_code = 3


class JournalFull(ThothError):
    """The journal has reached its size bound because the database has been away for long; the newest slice was refused."""


class LeaseLost(ThothError):
    """Another host has taken a worker's lease while this one stalled; this one stopped and stands by."""


class TickTooLong(ThothError):
    """A worker's tick was stopped at its limit; what it had not committed is rolled back, and the next tick begins anew."""
