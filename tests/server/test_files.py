"""Files over HTTP: read as the watcher reads them, stored once, refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.serving import Served, serving
from tests.server.tokens import token
from tests.watch.generated import pdf

FILES = "/v1/memories/files"


def upload(served: Served, *files: tuple[str, bytes], path: str = FILES, **fields: str) -> Any:
    return served.client.post(path, files=[("files", file) for file in files], data=fields)


@pytest.mark.parametrize("path", [FILES, "/ingest"])
def test_files_become_memories_with_where_they_are_from(served: Served, path: str) -> None:
    note = ("ship.md", b"---\ntags: [sea]\n---\n# Hull\nMade of oak.")
    done = upload(
        served, note, ("paper.pdf", pdf("On llamas")), ("x.bin", b"\x7fELF\0\0\0\0\0\0"), path=path, folder="work/plans",
        session="s1", metadata='{"project": "ark"}',
    )  # fmt: skip
    assert done.status_code == 201, done.text
    body = done.json()
    assert [(one["file"], one["kind"], len(one["ids"]), one["nothing"]) for one in body["files"]] == [
        ("work/plans/ship.md", "markdown", 1, ""), ("work/plans/paper.pdf", "pdf", 1, ""),
        ("work/plans/x.bin", "text", 0, "a binary file"),
    ]  # fmt: skip
    assert body["memories"] == 2
    memory = served.client.get(f"/v1/memories/{body['files'][0]['ids'][0]}").json()
    assert (memory["text"], memory["stream"], memory["session"]) == ("# Hull\nMade of oak.", "thoth.world.file", "s1")
    assert memory["metadata"]["folders"] == ["work", "work/plans"]
    assert (memory["metadata"]["project"], memory["metadata"]["tags"]) == ("ark", ["sea"])
    again = upload(served, note, path=path, folder="work/plans")
    assert (again.status_code, again.json()["memories"]) == (200, 0)
    assert again.json()["files"][0]["ids"] == body["files"][0]["ids"]


def test_a_folder_is_a_filter(served: Served) -> None:
    """The hierarchy of folders: what lies anywhere below one of them."""
    for folder in ("work", "work/plans/2026", "home"):
        upload(served, ("a.txt", f"in {folder}".encode()), folder=folder)
    found = served.client.get("/v1/memories", params={"metadata": '{"folders": ["work"]}'}).json()["memories"]
    assert sorted(memory["text"] for memory in found) == ["in work", "in work/plans/2026"]


def test_a_long_document_becomes_as_many_memories_as_it_has_sections(served: Served) -> None:
    text = "\n\n".join(f"The fact number {n} is wordnumber{n}. " + "filler words go here. " * 65 for n in range(60))
    done = upload(served, ("long.txt", text.encode())).json()
    assert len(done["files"][0]["ids"]) > 10
    assert sum(f"wordnumber{n}" in text for n in range(60)) == 60


def test_the_short_name_takes_text_as_before(served: Served) -> None:
    assert served.client.post("/ingest", json={"text": "The keys are with Amparo."}).status_code == 201


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\..\\windows.txt", "a\u0000b.txt", "", " "])
def test_a_name_leads_nowhere(served: Served, name: str) -> None:
    done = upload(served, (name or "file.txt", b"words"), folder="../up")
    assert done.status_code in (200, 201), done.text
    path = done.json()["files"][0]["file"]
    assert not path.startswith("/")
    assert ".." not in path.split("/")


@pytest.mark.parametrize(
    ("fields", "content_type"),
    [
        ({"metadata": "[1]"}, None), ({"metadata": "{"}, None), ({"folder": "x" * 2000}, None), ({"session": "x" * 300}, None),
        ({}, "multipart/form-data"), ({}, "multipart/form-data; boundary=none"), ({}, "application/json"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_a_problem_and_stores_nothing(
    served: Served, fields: dict[str, str], content_type: str | None
) -> None:
    if content_type is None:
        refused = upload(served, ("a.txt", b"words"), **fields)
    else:
        refused = served.client.post(FILES, content=b"not multipart", headers={"content-type": content_type})
    assert refused.status_code == 422, refused.text
    assert refused.headers["content-type"] == "application/problem+json"
    assert served.client.get("/v1/memories").json()["memories"] == []


def test_a_body_that_is_too_long_is_refused(dsn: str, tmp_path: Path) -> None:
    with serving(dsn, tmp_path, THOTH_SERVER_BODY_MAX_BYTES=4096) as served:
        assert upload(served, ("a.txt", b"x" * 5000)).status_code == 413


def test_a_token_that_may_not_write_stores_nothing(served: Served) -> None:
    headers = token(served.house.dsn, "read")
    refused = served.client.post(FILES, files=[("files", ("a.txt", b"words"))], headers=headers)
    assert refused.status_code == 403
