"""The composition root: from settings to a server, a schema, pools, the façade and the workers. The one module that knows all.

Loud for the CLI: a bad setting, an unusable server or schema raises ThothError with its exit code. Quiet inside a host:
`open_substrate` then gives a façade that is dormant, says so in `health`, and comes back by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from thoth_substrate.db import migrate as migrations
from thoth_substrate.db import months
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.embed.choose import choose, choose_stored, explain
from thoth_substrate.embed.models import active_model, mismatch
from thoth_substrate.errors import EmbeddedServerError, ThothError
from thoth_substrate.ledger.embedding import metered, on_account
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.embedding import ModelState
from thoth_substrate.model.ports import Embedder
from thoth_substrate.perceive import streams
from thoth_substrate.settings import Settings, child_environment
from thoth_substrate.substrate import Substrate

VOICE_STATEMENT_MS = 5000  # the second wall behind the recall's own deadline; a batch of slices must get through as well
LOOK_AFTER_S = 2.0
_CREW_PROGRAM = "from thoth_substrate.cli.main import main; main(['substrate', 'worker', 'run', '--with-parent'])"
NO_CREW = (
    "No crew: no language model is configured, so nothing is consolidated, and it costs nothing. Set THOTH_AUX_MODEL, with"
    " OPENAI_API_KEY or OPENAI_BASE_URL."
)
ENDING = (signal.SIGTERM, signal.SIGHUP)
WORKERS = ("sentinel", "embedder", "curator", "force_reject", "partitions")
Pool = Literal["voice", "hands"]
T = TypeVar("T")
Surface = Callable[["Hosting", asyncio.Event], Coroutine[Any, Any, None]]
if TYPE_CHECKING:
    from thoth_workers.child import Child
    from thoth_workers.supervisor import Supervisor
    from thoth_workers.watching import Watching
    from thoth_workers.worker import Worker
_log = logging.getLogger("thoth")


@dataclass(frozen=True, slots=True)
class Server:
    """The PostgreSQL in use. `log` and `note` (what an operator would not expect) are the embedded one's."""

    dsn: str
    embedded: bool
    version: str
    log: Path | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hosting:
    """What a surface speaks through: the façade, and where its database is."""

    settings: Settings
    substrate: Substrate
    dsn: str
    clock: Clock


@contextlib.contextmanager
def find_server(settings: Settings) -> Iterator[Server]:
    """The server of the DSN, or the embedded one: found running, else started, and stopped by the last who leaves.

    For commands: a SIGTERM meanwhile ends them by SystemExit, so that whatever is open is closed. Raises
    DatabaseUnavailable, DatabaseUnsuitable or EmbeddedServerError (all exit 3).
    """
    if settings.dsn is not None:
        yield Server(settings.dsn, False, migrations.server_version(settings.dsn))
        return
    with _ending_in_order(), EmbeddedServer(settings.home_dir) as server:
        yield _described(server)


async def prepare(settings: Settings, dsn: str, clock: Clock | None = None) -> None:
    """Bring the schema up to date (or demand that it is, without THOTH_AUTO_MIGRATE), and make months and streams.

    Safe to call at every start and from several hosts at once. Raises what `migrate` or `require_current` raises.
    """
    await asyncio.to_thread(migrations.migrate if settings.auto_migrate else migrations.require_current, dsn)
    async with _opened(settings, dsn, clock) as database:
        await months.ensure(database, database.clock.now(), months.AHEAD)
        await streams.register(database)


async def open_database(settings: Settings, dsn: str, clock: Clock | None = None, *, pool: Pool) -> Database:
    """A pool on the running loop: `voice` for perceive and recall, `hands` for work, so that work never starves talk."""
    voice = pool == "voice"
    options = PoolOptions(
        size=settings.voice_pool if voice else settings.hands_pool,
        statement_cache=settings.statement_cache,
        connect_timeout_s=settings.connect_timeout_ms / 1000,
        statement_timeout_ms=VOICE_STATEMENT_MS if voice else 0,
        application=f"thoth {pool}",
    )
    return await Database.open(dsn, options, clock)


def open_substrate(settings: Settings, dsn: str | None = None, clock: Clock | None = None, *, loud: bool = False) -> Substrate:
    """The façade of a host's process, on a thread of its own. Waits for one attempt to reach the database and prepare it.

    Without `dsn` it takes the settings' server or the embedded one, which is released when the façade is closed. When the
    attempt fails the façade is dormant and tries again for as long as it takes; with `loud` it raises instead. Blocks for
    seconds where a server must be started or does not answer: in a running loop, call it through `asyncio.to_thread`.
    """
    reach, embedder = _Reach(settings, dsn or settings.dsn, clock), metered(settings, choose(settings))
    try:
        embedder = _apart(reach.embedder_at_hand(embedder))
    except ThothError as error:
        reach.leave()
        if loud:
            raise
        _log.warning("Dormant until it can be reached: %s", error)
    return _Hosted(reach, settings, partial(reach.connect, embedder), embedder, clock)


def run_up(settings: Settings, say: Callable[[str], None] = _log.info, surface: Surface | None = None) -> None:
    """Everything on this machine, in the foreground, until SIGINT or SIGTERM; a second one does not wait.

    `say` is given a sentence at a time: what runs, and where. `surface` speaks with the world through the façade until the
    event it is given is set. Raises ThothError when it cannot start.
    """
    asyncio.run(_up(settings, say, surface))


def run_worker(
    settings: Settings, only: Sequence[str] = (), say: Callable[[str], None] = _log.info, *, with_parent: bool = False
) -> None:
    """The crew (or the agents named in `only`), in the foreground, until SIGINT or SIGTERM; any number may run at once.

    `with_parent` ends it when its input ends too. Raises ThothError when it cannot start, BadInput for an unknown name.
    """
    asyncio.run(_crew(settings, only, say, with_parent=with_parent))


class _Reach:
    """How a façade gets to its database: the server, prepared once, then a pool."""

    def __init__(self, settings: Settings, dsn: str | None, clock: Clock | None) -> None:
        self._settings, self._dsn, self._clock = settings, dsn, clock
        self._server = None if dsn else EmbeddedServer(settings.home_dir)
        self._prepared = False
        self._keeper: asyncio.Task[None] | None = None

    async def connect(self, embedder: Embedder | None, clock: Clock) -> Database:
        """For the façade, on its loop, as often as it takes. Raises ThothError."""
        dsn = await self._ready(clock)
        if self._server is not None and self._keeper is None:
            self._keeper = asyncio.create_task(_keep(self._server))
        return await _voice(self._settings, dsn, embedder, clock)

    async def embedder_at_hand(self, wanted: Embedder | None) -> Embedder | None:
        """The embedder whose vectors are stored, if it is at hand. Raises ThothError when the database cannot be reached."""
        dsn = await self._ready(self._clock)
        async with _opened(self._settings, dsn, self._clock) as database:
            return await _embedder(self._settings, database, wanted)

    def leave(self) -> None:
        """Hold no server while nothing is open."""
        if self._server is not None:
            self._server.release()

    async def _ready(self, clock: Clock | None) -> str:
        if self._server is not None:
            await asyncio.to_thread(self._server.acquire)
        dsn = self._dsn or (self._server.dsn if self._server else "")
        if not self._prepared:
            await prepare(self._settings, dsn, clock)
            self._prepared = True
        return dsn


class _Hosted(Substrate):
    """A façade that may have brought its own server, and then lets go of it."""

    def __init__(self, reach: _Reach, *rest: Any) -> None:
        self._reach, self._closed = reach, False
        super().__init__(*rest)

    def close_sync(self) -> None:
        if not self._closed:
            self._closed = True
            super().close_sync()
            self._reach.leave()


async def _up(settings: Settings, say: Callable[[str], None], surface: Surface | None) -> None:
    from thoth_workers.core import CORE  # only here do commands need the workers
    from thoth_workers.supervisor import Supervisor

    stop = stop_on_signals()
    async with contextlib.AsyncExitStack() as open_things:
        server, embedded = await asyncio.to_thread(_enter, settings, open_things)
        say(_where(server))
        if server.note:
            say(server.note)
        await prepare(settings, server.dsn)
        hands = await open_database(settings, server.dsn, pool="hands")
        open_things.push_async_callback(hands.close)
        embedder = await _embedder(settings, hands, choose(settings))
        # The façade replays the journals of processes that died too.
        substrate = Substrate(settings, partial(_voice, settings, server.dsn, embedder), embedder)
        open_things.push_async_callback(substrate.close)
        watching = _watching(settings, hands, substrate)
        workers: tuple[Worker, ...] = CORE
        if watching is not None:
            open_things.push_async_callback(watching.close)
            workers = (*CORE, watching.worker)
        crew = _crew_beside(settings, server, hands.clock)
        for sentence in _what_runs(settings, embedder, crew=crew is not None):
            say(sentence)
        speaking = surface(Hosting(settings, substrate, server.dsn, hands.clock), stop) if surface else None
        listening = watching.listen(stop) if watching else None
        async with _beside(crew.run(stop) if crew else None), _beside(listening), _beside(speaking, stop):
            await _work(Supervisor(settings, hands, embedder, hands.clock, workers=workers), embedded, stop)
        say("Stopping: finishing ticks, flushing what was perceived …")


async def _crew(settings: Settings, only: Sequence[str], say: Callable[[str], None], *, with_parent: bool) -> None:
    from thoth_workers.crewing import Crewing

    stop = stop_on_signals()
    if with_parent:
        threading.Thread(target=_until_parent_ends, args=(asyncio.get_running_loop(), stop), daemon=True).start()
    async with contextlib.AsyncExitStack() as open_things:
        server, embedded = await asyncio.to_thread(_enter, settings, open_things)
        await prepare(settings, server.dsn)
        hands = await open_database(settings, server.dsn, pool="hands")
        open_things.push_async_callback(hands.close)
        crewing = Crewing(settings, hands, await _embedder(settings, hands, choose(settings)), only)
        open_things.push_async_callback(crewing.close)
        for sentence in crewing.words():
            say(sentence)
        await _work(crewing.supervisor, embedded, stop)


def _crew_beside(settings: Settings, server: Server, clock: Clock) -> Child | None:
    """The crew's process, when there is a model for it to ask."""
    from thoth_workers.child import Child
    from thoth_workers.crewing import crew_grace, has_model

    if not has_model(settings):
        return None
    grace = crew_grace(settings) + timedelta(seconds=5)
    return Child("The crew", [sys.executable, "-c", _CREW_PROGRAM], child_environment(settings, server.dsn), clock, grace)


def _watching(settings: Settings, hands: Database, substrate: Substrate) -> Watching | None:
    """The watcher, when there are folders to watch."""
    if not settings.watch_roots:
        return None
    from thoth_workers.watching import Watching

    return Watching(settings, hands, partial(substrate.perceive_sync, tenant=settings.tenant), substrate.durable)


def _until_parent_ends(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Read our input to its end: it is a pipe from who started us, and ends with them however they end."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdin.buffer.read()
    with contextlib.suppress(RuntimeError):  # the loop has ended before
        loop.call_soon_threadsafe(stop.set)


async def _work(supervisor: Supervisor, embedded: EmbeddedServer | None, stop: asyncio.Event) -> None:
    """Run the workers until told to stop. Raises what ends them otherwise, or ends the embedded server for good."""
    working = asyncio.create_task(supervisor.run(stop))
    watching = [asyncio.create_task(stop.wait())] + ([asyncio.create_task(_keep(embedded))] if embedded else [])
    try:
        done, _ = await asyncio.wait({working, *watching}, return_when=asyncio.FIRST_COMPLETED)
        stop.set()
        await working
        for task in done:
            task.result()
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)


@contextlib.asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None] | None, stop: asyncio.Event | None = None) -> AsyncIterator[None]:
    """Something that runs meanwhile and ends by itself; at the end it has its grace. Its end sets `stop`, where given."""
    running = asyncio.ensure_future(work) if work else None
    if running is not None and stop is not None:
        running.add_done_callback(lambda _: stop.set())
    try:
        yield
        if running is not None:
            await running
    finally:
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def _keep(server: EmbeddedServer) -> None:
    """Start the embedded server anew when it dies. Raises EmbeddedServerError when it cannot be on the same port."""
    dsn = server.dsn
    while True:
        await asyncio.sleep(LOOK_AFTER_S)
        if await asyncio.to_thread(server.is_alive):
            continue
        _log.warning("The embedded PostgreSQL has died and is started again; its log is %s.", server.place.log)
        await asyncio.to_thread(server.acquire)
        if server.dsn != dsn:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL died, and somebody else took its port meanwhile: start Thoth again. Its log is"
                f" {server.place.log}."
            )


@contextlib.asynccontextmanager
async def _opened(settings: Settings, dsn: str, clock: Clock | None) -> AsyncIterator[Database]:
    database = await open_database(settings, dsn, clock, pool="hands")
    try:
        yield database
    finally:
        await database.close()


async def _voice(settings: Settings, dsn: str, embedder: Embedder | None, clock: Clock) -> Database:
    """The façade's database, in which what it embeds is accounted for."""
    database = await open_database(settings, dsn, clock, pool="voice")
    on_account(settings, database, embedder)
    return database


async def _embedder(settings: Settings, database: Database, wanted: Embedder | None) -> Embedder | None:
    """The wanted embedder, unless the stored vectors are another's: then the one that makes those, if it is at hand."""
    active = await active_model(database)
    found = mismatch(active, wanted.model) if active and wanted else None
    if found:
        _log.warning(found)
    chosen = choose_stored(settings, ModelState(active, wanted.model if wanted else None, found), wanted)
    return on_account(settings, database, chosen)


def _enter(settings: Settings, open_things: contextlib.AsyncExitStack) -> tuple[Server, EmbeddedServer | None]:
    if settings.dsn is not None:
        return open_things.enter_context(find_server(settings)), None
    embedded = open_things.enter_context(EmbeddedServer(settings.home_dir))
    return _described(embedded), embedded


def _described(server: EmbeddedServer) -> Server:
    return Server(server.dsn, True, server.version, server.place.log, server.place.note)


def _where(server: Server) -> str:
    if server.embedded:
        return f"PostgreSQL {server.version} runs embedded; its log is {server.log}."
    return f"PostgreSQL {server.version} is the one that DATABASE_URL or THOTH_PG_DSN names."


def _what_runs(settings: Settings, embedder: Embedder | None, *, crew: bool) -> Iterator[str]:
    yield f"Schema at revision {migrations.head()}; tenant {settings.tenant}; home {settings.home_dir}."
    yield f"Vectors are made by {embedder.model.name}." if embedder else explain(settings)
    running = [worker for worker in WORKERS if getattr(settings, worker)]
    yield f"Workers: {', '.join(running) or 'none'}. Ctrl-C stops them."
    if settings.watch_roots:
        yield f"Watched: {', '.join(map(str, settings.watch_roots))}; `thoth watch --list` shows what waits or failed."
    yield f"The crew runs in a process of its own and asks {settings.aux_model or 'its models'}." if crew else NO_CREW


def stop_on_signals() -> asyncio.Event:
    """An event that SIGINT, SIGTERM and SIGHUP set; after that they have their usual effect, for who does not want to wait."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    heeded = [number for number in (signal.SIGINT, *ENDING) if signal.getsignal(number) is not signal.SIG_IGN]

    def stopped() -> None:
        stop.set()
        for number in heeded:
            loop.remove_signal_handler(number)

    for number in heeded:
        loop.add_signal_handler(number, stopped)
    return stop


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """Turn the signals that end a process at once into SystemExit, unless somebody else already takes care of them."""
    heeded = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread() or not heeded:
        yield
        return
    for number in heeded:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def _apart(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a thread with a loop of its own: the caller may or may not be in one."""
    with ThreadPoolExecutor(1, thread_name_prefix="thoth-boot") as apart:
        return apart.submit(asyncio.run, work).result()
