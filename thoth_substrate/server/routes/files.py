"""`/v1/memories/files`: files as multipart, read as the watcher reads them; `/ingest` takes them too. Addresses are not fetched.

Every section is a memory. The same file under the same path twice is there once; a newer version comes beside the older
one: folders whose live version alone shall answer are watched (`thoth watch`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated, Any
from uuid import UUID

import anyio.to_thread
import orjson
from fastapi import APIRouter, File, Form, UploadFile
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import Match

from thoth_substrate import keep
from thoth_substrate.access.caller import Scope
from thoth_substrate.errors import BadInput
from thoth_substrate.house import House
from thoth_substrate.imports.documents import read_document
from thoth_substrate.model.documents import Document, Origin, events
from thoth_substrate.model.slice import Event
from thoth_substrate.perceive.clean import clean, plain
from thoth_substrate.server.access import Writing
from thoth_substrate.server.shapes import LONGEST_NAME_CHARS, MOST_KEYS, answer, problems, says

MOST_FILES = 100
LONGEST_PATH_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that was taken in: its memories in order, and whether they were there before; or why there is nothing of it."""

    file: str
    kind: str
    ids: list[UUID]
    repeated: bool
    nothing: str


@dataclass(frozen=True, slots=True)
class Uploads:
    """What became of each file. `memories` is how many are new."""

    files: list[Uploaded]
    memories: int


class _Multipart(APIRoute):
    """A route that takes multipart alone: what else comes to the same path is another route's."""

    def matches(self, scope: Mapping[str, Any]) -> tuple[Match, dict[str, Any]]:
        found, child = super().matches(dict(scope))
        kind = next((value for name, value in scope.get("headers", ()) if name == b"content-type"), b"")
        return (found, dict(child)) if kind.startswith(b"multipart/form-data") else (Match.NONE, {})


def routes(house: House) -> APIRouter:
    """Taking files in needs the scope `write`."""
    router = APIRouter(tags=["files"])

    async def upload(
        scope: Writing,
        files: Annotated[list[UploadFile], File(description="Text, Markdown, PDF, HTML, JSON, CSV, YAML, logs")],
        folder: Annotated[str, Form(max_length=LONGEST_PATH_CHARS, description="The folder they come from, for filters")] = "",
        session: Annotated[str | None, Form(max_length=LONGEST_NAME_CHARS, description="The conversation they belong to")] = None,
        metadata: Annotated[str | None, Form(max_length=100_000, description="A JSON object: free keys for all of them")] = None,
    ) -> Response:
        if len(files) > MOST_FILES:
            raise BadInput(f"These are {len(files)} files, and one request takes {MOST_FILES}; nothing was stored.")
        said = {"agent": scope.agent, "user": scope.user}
        more = _metadata(metadata) | {name: value for name, value in said.items() if value is not None}
        done = [await _taken(house, scope, file, folder, session, more) for file in files]
        made = sum(len(one.ids) for one in done if not one.repeated)
        return answer(Uploads(done, made), 201 if made else 200)

    there = says(Uploads, "All of it was there, or there was nothing in it")
    told = {201: says(Uploads, "Taken in; searchable soon"), 200: there}
    router.post(
        "/v1/memories/files", summary="Take in files", status_code=201, responses=told | problems(413)
    )(upload)  # fmt: skip
    router.add_api_route(
        "/ingest", upload, methods=["POST"], status_code=201, include_in_schema=False, route_class_override=_Multipart
    )
    return router


async def _taken(
    house: House, scope: Scope, file: UploadFile, folder: str, session: str | None, more: Mapping[str, Any]
) -> Uploaded:  # fmt: skip
    path = _path(folder, file.filename or "file.txt")
    content = await file.read()
    document = await anyio.to_thread.run_sync(read_document, path, content)
    if not document.sections:
        return Uploaded(path, document.kind, [], False, document.nothing)
    intake = keep.intake_of(house.substrate, scope.tenant)
    kept = [
        await keep.remember(house.database, intake, scope.tenant, event)
        for event in _events(path, content, document, session, more)
    ]
    return Uploaded(path, document.kind, [one.id for one in kept], all(one.repeated for one in kept), "")


def _events(path: str, content: bytes, document: Document, session: str | None, more: Mapping[str, Any]) -> list[Event]:
    version = hashlib.sha256(content).hexdigest()[:16]
    made = events(document, Origin(path, f"upload:{path}", version, None, more))
    return [replace(event, session=clean(session)) for event in made] if session else made


def _path(folder: str, name: str) -> str:
    """A path of plain parts: nothing leads up or to the root, and what is no text is replaced."""
    said = clean(f"{folder}/{name}").replace("\\", "/")
    parts = [part.strip() for part in PurePosixPath(said).parts if part.strip() not in ("", "/", ".", "..")]
    return "/".join(parts)[-LONGEST_PATH_CHARS:] or "file.txt"


def _metadata(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = orjson.loads(clean(text))
    except ValueError as error:
        raise BadInput("metadata must be a JSON object; nothing was stored.") from error
    if not isinstance(value, dict) or len(value) > MOST_KEYS:
        raise BadInput(f"metadata must be a JSON object of at most {MOST_KEYS} keys; nothing was stored.")
    return dict(plain(value))
