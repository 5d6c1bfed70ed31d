"""LangGraph's long-term store on Thoth: `ThothStore` answers as LangGraph's own PostgresStore does, and recall finds what is put.

    from thoth_substrate.integrations.langgraph import ThothStore
    with ThothStore.from_settings() as store:
        graph = builder.compile(store=store)

Values are given back exactly as they were put, unredacted; of what search is meant to find, the words are also perceived
(redacted, as everything) and forgotten when the item goes. Where it differs from PostgresStore: decision 0018.
"""

from __future__ import annotations

import concurrent.futures
import logging
import threading
from collections.abc import Iterable
from functools import partial
from typing import Any

from langgraph.store.base import BaseStore, IndexConfig, Op, Result, TTLConfig, ensure_embeddings

from thoth_substrate import boot
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import ThothError
from thoth_substrate.integrations.langgraph_batch import Batch, Index, run
from thoth_substrate.integrations.spoken import speak, unsay
from thoth_substrate.items.read import Store
from thoth_substrate.items.unsay import unsaid
from thoth_substrate.items.write import sweep
from thoth_substrate.model.payer import paid_by
from thoth_substrate.model.ports import Embedder
from thoth_substrate.model.slice import DEFAULT_TENANT
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate

STORE = "langgraph"
SWEEP_MINUTES = 5.0
_log = logging.getLogger("thoth")


class ThothStore(BaseStore):
    """A store of one tenant. `batch` from any thread, `abatch` from any loop; closed by `close` or as a context manager.

    `index` True finds values by meaning with Thoth's own embedder, whole or by the `fields` of a mapping; a mapping with
    `embed` and `dims` brings another; None or False turns it off. `ttl` as in LangGraph; times are in minutes. With
    `perceive` False nothing of it becomes a memory. Raises DatabaseUnavailable while the database is away, StatementRefused
    for a value that JSON in PostgreSQL cannot hold.
    """

    supports_ttl = True

    def __init__(
        self, substrate: Substrate, *, tenant: str = DEFAULT_TENANT, index: IndexConfig | bool | None = True,
        ttl: TTLConfig | None = None, perceive: bool = True, owned: bool = False,
    ) -> None:  # fmt: skip
        given: dict[str, Any] = dict(index) if isinstance(index, dict) else {}
        self.index_config = index if isinstance(index, dict) else None
        self.embeddings = ensure_embeddings(given["embed"]) if given.get("embed") else None
        self.ttl_config = ttl
        self._index = Index.of(given) if index else None
        self._substrate, self._perceive, self._owned = substrate, perceive, owned
        self._store = Store(tenant, STORE, bool(ttl and ttl.get("omit_expired")))
        self._sweeper: threading.Thread | None = None
        self._stop = threading.Event()

    @classmethod
    def from_settings(cls, settings: Settings | None = None, **options: Any) -> ThothStore:
        """A store on a façade of its own, by the settings of the environment. Blocks until the database is reached.

        `options` are the constructor's. Raises what reaching the database raises: DatabaseUnavailable, EmbeddedServerError …
        """
        chosen = settings or load()
        substrate = boot.open_substrate(chosen, loud=True)
        substrate.ready_sync()
        return cls(substrate, **{"tenant": chosen.tenant, **options}, owned=True)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Read, search and list, then put and delete, in one transaction; of puts of one name the last counts."""
        batch = self._sorted(ops)
        if self.embeddings is not None and batch.texts:
            batch.vectors = list(self.embeddings.embed_documents(batch.texts))
        return self._substrate.lend_sync(partial(self._do, batch))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch`, on the caller's loop."""
        batch = self._sorted(ops)
        if self.embeddings is not None and batch.texts:
            batch.vectors = list(await self.embeddings.aembed_documents(batch.texts))
        return await self._substrate.lend(partial(self._do, batch))

    def sweep_ttl(self) -> int:
        """Delete what has expired, and forget what was perceived of it; answers how many items that were."""
        return self._substrate.lend_sync(self._swept)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> concurrent.futures.Future[None]:
        """Sweep every so often, on a thread. The future ends with it, and ends it when cancelled; nothing without a `ttl`."""
        future: concurrent.futures.Future[None] = concurrent.futures.Future()
        if not self.ttl_config:
            future.set_result(None)
            return future
        future.add_done_callback(lambda done: self._stop.set() if done.cancelled() else None)
        if self._sweeper is not None and self._sweeper.is_alive():
            return future
        self._stop.clear()
        minutes = sweep_interval_minutes or self.ttl_config.get("sweep_interval_minutes") or SWEEP_MINUTES
        self._sweeper = threading.Thread(target=self._sweep, args=(minutes * 60, future), name="thoth-sweeper", daemon=True)
        self._sweeper.start()
        return future

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """End it; False when it did not within `timeout` seconds."""
        self._stop.set()
        if self._sweeper is not None:
            self._sweeper.join(timeout)
        return self._sweeper is None or not self._sweeper.is_alive()

    def close(self) -> None:
        """End the sweeper, and the façade when it is the store's own."""
        self.stop_ttl_sweeper(1.0)
        if self._owned:
            self._substrate.close_sync()

    def __enter__(self) -> ThothStore:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _sorted(self, ops: Iterable[Op]) -> Batch:
        return Batch(list(ops), self._index, perceive=self._perceive)

    async def _do(self, batch: Batch, database: Database, embedder: Embedder | None) -> list[Result]:
        """On the voice: vectors first, then the transaction, then what follows from it."""
        if self.embeddings is not None or embedder is None:
            batch.model = f"langgraph:{self._index.dims}" if self._index and self.embeddings else ""
        else:
            batch.model = embedder.model.name if self._index else ""
            with paid_by(self._store.tenant):
                await batch.embed(embedder)
        async with database.tenant(self._store.tenant) as tx:
            written = await run(tx, batch, self._store)
            waiting = await unsaid(tx, self._store) if batch.changes else []
        speak(self._substrate, self._store, written, batch.events)
        if waiting:
            await unsay(self._substrate, database, self._store)
        return batch.results

    async def _swept(self, database: Database, _: Embedder | None) -> int:
        async with database.tenant(self._store.tenant) as tx:
            gone = await sweep(tx, self._store)
        await unsay(self._substrate, database, self._store)
        return gone

    def _sweep(self, every_s: float, future: concurrent.futures.Future[None]) -> None:
        while not self._stop.wait(every_s):
            try:
                self.sweep_ttl()
            except ThothError as error:
                _log.warning("Expired items of LangGraph's store were not swept; tried again in time: %s", error)
        if not future.cancelled():
            future.set_result(None)
