"""One call of a tool: which house it is made to, and for whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from mcp.server.mcpserver import Context
from starlette.requests import Request

from thoth_substrate import keep
from thoth_substrate.access.caller import RIGHTS, Caller, Right, Scope, may, require, scope_of
from thoth_substrate.ask.asker import Asker
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import UnknownSlice
from thoth_substrate.house import House
from thoth_substrate.integrations.asking import Asking
from thoth_substrate.model.slice import Event
from thoth_substrate.views import resolve

Call = Context[Any, Any]
LOGGED_S = 5.0  # for what was perceived a moment ago to be in the database


@dataclass(frozen=True, slots=True)
class Visit:
    """A house, and the scope that a call has there. `by` is who changes what is changed; `whole`: may see numbers of all."""

    house: House
    scope: Scope
    by: str
    asking: Asking
    after_keeping: Callable[[House], Awaitable[None]] | None
    whole: bool

    @property
    def tenant(self) -> str:
        return self.scope.tenant

    @property
    def intake(self) -> keep.Intake:
        """How this visitor perceives."""

        async def perceive(event: Event) -> Any:
            return await self.house.substrate.perceive(event, tenant=self.tenant)

        return keep.Intake(perceive, self.house.substrate.durable)

    async def database(self) -> Database:
        """The house's pool. Raises DatabaseUnavailable."""
        return await self.house.database()

    async def asker(self) -> Asker:
        """Who answers questions. Raises DatabaseUnavailable."""
        return await self.asking.asker()

    async def kept(self) -> bool:
        """Whether what was perceived is in the database by now; then it is made searchable, where no worker does it."""
        substrate = self.house.substrate
        if substrate.health()["dormant"] or not await substrate.durable(LOGGED_S):
            return False
        if self.after_keeping is not None:
            await self.after_keeping(self.house)
        return True

    async def meant(self, word: str) -> UUID | int:
        """The memory, or the number of the fact, that an id, the beginning of one, or a handle of a recent recall means.

        What was perceived or recalled a moment ago counts. Raises UnknownSlice, BadInput, DatabaseUnavailable.
        """
        database = await self.database()
        try:
            return await resolve.anything(database, self.tenant, word)
        except UnknownSlice:
            await self.house.substrate.logged()
            await self.house.substrate.durable(LOGGED_S)
        return await resolve.anything(database, self.tenant, word)

    async def memory_meant(self, word: str) -> UUID:
        """The memory that a word means, as `meant` does. Raises BadInput where it means a fact."""
        meant = await self.meant(word)
        return meant if isinstance(meant, UUID) else await resolve.slice_id(await self.database(), self.tenant, word)


class Door:
    """Lets calls in. Over HTTP the gate has found out who asks; over stdio it is who started us, for the settings' tenant."""

    def __init__(
        self, open_house: Callable[[], Awaitable[House]], after_keeping: Callable[[House], Awaitable[None]] | None = None
    ) -> None:
        self._open_house, self._after_keeping = open_house, after_keeping
        self._asking: Asking | None = None

    async def enter(self, call: Call, right: Right) -> Visit:
        """The visit of a call that needs `right`. Raises TokenNeeded, NotPermitted, and what opening the house raises."""
        house = await self._open_house()
        request = call.request_context.request
        if isinstance(request, Request):
            caller = require(getattr(request.state, "caller", None), right)
            scope = scope_of(request.headers, caller)
        else:
            caller = Caller(house.settings.tenant, RIGHTS)
            scope = Scope(caller.tenant_id)
        self._asking = self._asking or Asking(house)
        return Visit(house, scope, caller.name, self._asking, self._after_keeping, may(caller, "metrics"))

    async def close(self) -> None:
        """Close the connections to the model, if there are any."""
        if self._asking is not None:
            await self._asking.close()
