"""What a route asks of who calls it: FastAPI dependencies, one a right; coroutines, since a function would cost a thread."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from thoth_substrate.access.caller import Right, Scope, require, scope_of


def _scope(request: Request, right: Right) -> Scope:
    return scope_of(request.headers, require(getattr(request.state, "caller", None), right))


async def reading(request: Request) -> Scope:
    """For whom a request reads. Raises TokenNeeded or NotPermitted."""
    return _scope(request, "read")


async def writing(request: Request) -> Scope:
    """For whom a request writes. Raises TokenNeeded or NotPermitted."""
    return _scope(request, "write")


async def administering(request: Request) -> Scope:
    """For whom a request does what only an administrator may. Raises TokenNeeded or NotPermitted."""
    return _scope(request, "admin")


async def measuring(request: Request) -> Scope:
    """For whom a request asks for the numbers of all tenants. Raises TokenNeeded or NotPermitted."""
    return _scope(request, "metrics")


Reading = Annotated[Scope, Depends(reading)]
Writing = Annotated[Scope, Depends(writing)]
Administering = Annotated[Scope, Depends(administering)]
Measuring = Annotated[Scope, Depends(measuring)]
