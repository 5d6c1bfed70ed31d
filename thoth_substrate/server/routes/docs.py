"""`/docs`: the OpenAPI document to be read and tried out. All of it comes from this server, and the page can ask no other.

Swagger UI's files are those that fastapi-swagger carries; the page around them is ours, for its policy.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse, HTMLResponse, Response

from thoth_substrate.house import House

PATH = "/docs"
SCRIPT, STYLE, ICON = "swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"
# By path, with the type, which a machine's own table of types may give otherwise.
ASSETS = {f"{PATH}/{SCRIPT}": "text/javascript", f"{PATH}/{STYLE}": "text/css", f"{PATH}/{ICON}": "image/png"}
_START = (
    'SwaggerUIBundle({url: "openapi.json", dom_id: "#swagger-ui", layout: "BaseLayout", deepLinking: true,'
    " validatorUrl: null, presets: [SwaggerUIBundle.presets.apis]});"
)
# Addresses are relative, so that the page also works below a path of a proxy's.
_PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Thoth: HTTP API</title>
<link rel="icon" type="image/png" href="docs/{ICON}">
<link rel="stylesheet" href="docs/{STYLE}">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript; the document itself is <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/{SCRIPT}"></script>
<script>{_START}</script>
</body>
</html>
"""
_HEADERS = {
    # Swagger UI writes styles into elements and draws pictures from data: URLs; scripts are the two above and no other.
    "content-security-policy": (
        "default-src 'none'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'"
        f" 'sha256-{base64.b64encode(hashlib.sha256(_START.encode()).digest()).decode()}';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def routes(house: House) -> APIRouter:
    """The page and its files: open, and not in the document that it shows."""
    router = APIRouter(include_in_schema=False)
    folder = Path(str(importlib.resources.files("fastapi_swagger") / "resources"))

    async def page() -> Response:
        return HTMLResponse(_PAGE, headers=_HEADERS)

    router.get(PATH)(page)
    for path, kind in ASSETS.items():
        router.get(path)(_file(folder / path.removeprefix(f"{PATH}/"), kind))
    return router


def _file(path: Path, kind: str) -> Callable[[], Awaitable[Response]]:
    async def file() -> Response:
        return FileResponse(path, media_type=kind, headers={"x-content-type-options": "nosniff"})

    return file
