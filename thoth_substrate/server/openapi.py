"""The OpenAPI document: problems as they are answered, and how a token is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from thoth_substrate.server.access import administering, measuring, reading, writing
from thoth_substrate.server.shapes import Problem

INTRODUCTION = (
    "Memories are slices: a memory's id is its slice's id. Without any token in the database the server answers everybody on"
    " this machine; once there is one, each request brings its own (`thoth token create`). Errors are problem details"
    " (application/problem+json). Lists come in pages: pass `next_cursor` on, with the same filters, until it is null."
)
OPEN = ("/healthz", "/readyz")
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer thoth_…`"},
    "header": {"type": "apiKey", "in": "header", "name": "X-Thoth-Token", "description": "The same, beside an upstream's key"},
}
_NAMES = {
    "X-Thoth-Tenant": "The tenant; a token's own when left out",
    "X-Thoth-Session": "The conversation, where the request does not name one",
    "X-Thoth-Agent": "The agent that speaks",
    "X-Thoth-User": "The person that it speaks for",
}
_SCOPES: dict[Any, str] = {reading: "read", writing: "write", administering: "admin", measuring: "metrics"}
_UNUSED = ("HTTPValidationError", "ValidationError")  # FastAPI's own, which are never answered


def document(app: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Let `app` tell its document with problems, tokens and the headers of scope. Made once, when it is first asked for.

    Each operation says in `x-thoth-scope` what it demands of a token.
    """
    scopes = {
        (route.path, method.lower()): scope
        for router in routers for route in router.routes if isinstance(route, APIRoute)
        for method in route.methods or () for scope in _demanded(route)
    }  # fmt: skip

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _complete(
                get_openapi(
                    title=app.title, version=app.version, summary=app.summary, description=INTRODUCTION, routes=app.routes
                ),
                scopes,
            )
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(schema: dict[str, Any], scopes: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    components["securitySchemes"] = _SCHEMES
    components["parameters"] = {
        name: {
            "name": name, "in": "header", "required": False, "description": says,
            "schema": {"type": "string", "minLength": 1, "maxLength": 64 if name == "X-Thoth-Tenant" else 200,
                       "pattern": r"^[A-Za-z0-9_.:@-]+$"},
        }
        for name, says in _NAMES.items()
    }  # fmt: skip
    schema["security"] = [{}, *({name: []} for name in _SCHEMES)]
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            _complete_operation(path, operation)
            if scope := scopes.get((path, method)):
                operation["x-thoth-scope"] = scope
    for name in _UNUSED:
        schemas.pop(name, None)
    return schema


def _demanded(route: APIRoute) -> list[str]:
    """The scope that a route asks for, by the dependency that checks it."""
    return [_SCOPES[one.call] for one in route.dependant.dependencies if one.call in _SCOPES]


def _complete_operation(path: str, operation: dict[str, Any]) -> None:
    if path in OPEN:
        operation["security"] = []
        return
    operation.setdefault("parameters", []).extend({"$ref": f"#/components/parameters/{name}"} for name in _NAMES)
    malformed = operation["responses"].get("422", {}).get("content", {})
    if "application/json" in malformed and "HTTPValidationError" in str(malformed):
        problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        operation["responses"]["422"] = {"description": "Something in the request cannot be used", "content": problem}
