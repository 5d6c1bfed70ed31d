"""The OpenAPI document is complete and true: requests drawn from it, good and bad, get only answers that it tells of.

Show 6: schemathesis against the document, with a seed, so that a failure comes again.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from tests.server.serving import Served, serving
from tests.server.tokens import token
from tests.servers import at

EXAMPLES = 6  # of each operation, good ones and as many bad ones
SEED = 20260515
UNWELL_OPERATIONS = ("/hooks/", "/v1/memories/files")  # answer what their host expects, or take files: tested where they are made
OPEN = ("/healthz", "/readyz")
TYPES = {"json": "application/json", "js": "text/javascript", "css": "text/css", "png": "image/png"}


@pytest.fixture(scope="module")
def shared(server_dsn: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all that is drawn."""
    with psycopg.connect(at(server_dsn, "postgres"), autocommit=True) as server:
        server.execute(f'create database "{template}_openapi" template "{template}" strategy file_copy'.encode())
        try:
            with serving(at(server_dsn, f"{template}_openapi"), tmp_path_factory.mktemp("openapi")) as running:
                yield running
        finally:
            server.execute(f'drop database "{template}_openapi" with (force)'.encode())


@pytest.fixture(scope="module")
def document(shared: Served) -> dict[str, Any]:
    return dict(shared.client.get("/openapi.json").json())


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def test_requests_drawn_from_the_document_get_no_answer_that_it_does_not_tell_of(
    shared: Served, document: dict[str, Any]
) -> None:  # fmt: skip
    """faults: top_k=0, negative, 2147483648; null operands; an unknown field; whatever else is drawn."""
    ids = [shared.client.post("/v1/memories", json={"content": f"note {n}"}).json()["id"] for n in range(3)]
    numbers = count()
    schema = schemathesis.openapi.from_dict(document)
    drawn = 0
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # an operation that cannot be read fails here
        if operation.path.startswith(UNWELL_OPERATIONS):
            continue
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

            @seed(SEED)
            @settings(
                max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )  # fmt: skip
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                nonlocal drawn
                drawn += 1
                if "id" in (case.path_parameters or {}) and drawn % 2:
                    case.path_parameters["id"] = ids[next(numbers) % len(ids)]
                case.call_and_validate(
                    base_url=shared.url, timeout=60,
                    checks=[not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance],
                )  # fmt: skip

            try:
                ask()
            except schemathesis.errors.InvalidSchema:
                raise
            except Exception as error:
                if "Unsatisfiable" in type(error).__name__:  # nothing that is wrong can be drawn for an operation without input
                    continue
                raise
    assert drawn > 300


def test_every_operation_tells_its_problems_and_has_a_summary(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        if path in OPEN or path.startswith(UNWELL_OPERATIONS):
            continue
        responses = operation["responses"]
        assert {"401", "403", "422", "503"} <= set(responses), (method, path)
        for status, response in responses.items():
            if int(status) >= 400:
                assert list(response["content"]) == ["application/problem+json"], (method, path, status)
        assert operation["summary"], (method, path)
        names = {parameter.get("$ref", "").rsplit("/", 1)[-1] for parameter in operation["parameters"]}
        assert {"X-Thoth-Tenant", "X-Thoth-Session"} <= names


def test_the_document_has_examples_and_tells_how_a_token_is_sent(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name in ("NewMemory", "ChangedMemory", "Question"):
        assert schemas[name]["examples"], name
        assert schemas[name]["additionalProperties"] is False
    made = document["paths"]["/v1/memories"]["post"]["responses"]["201"]["content"]["application/json"]
    assert made["example"]["state"] == "pending"
    assert set(document["components"]["securitySchemes"]) == {"bearer", "header"}
    assert "HTTPValidationError" not in schemas


def test_examples_of_the_document_are_true(shared: Served, document: dict[str, Any]) -> None:
    schemas, client = document["components"]["schemas"], shared.client
    made = client.post("/v1/memories", json=schemas["NewMemory"]["examples"][0])
    assert made.status_code == 201
    example = document["paths"]["/v1/memories"]["post"]["responses"]["201"]["content"]["application/json"]["example"]
    assert set(example) <= set(made.json())  # nulls are left out of a document
    read = client.get(f"/v1/memories/{made.json()['id']}")
    shown = document["paths"]["/v1/memories/{id}"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
    assert set(shown) <= set(read.json())
    assert client.patch(f"/v1/memories/{made.json()['id']}", json=schemas["ChangedMemory"]["examples"][0]).status_code == 200
    recalled = client.post("/v1/recall", json=schemas["Question"]["examples"][0])
    told = document["paths"]["/v1/recall"]["post"]["responses"]["200"]["content"]["application/json"]["example"]
    assert set(told) <= set(recalled.json())


def test_errors_of_the_framework_are_problems_too(shared: Served) -> None:
    for answer, status in (
        (shared.client.get("/no/such/path"), 404), (shared.client.put("/v1/memories", json={}), 405),
        (shared.client.get("/v1/memories/not-an-id"), 422), (shared.client.get("/v1/memories?limit=0"), 422),
        (shared.client.post("/v1/memories", content=b"{"), 422),
        (shared.client.get("/v1/memories/ffffffff-ffff-ffff-ffff-ffffffffffff"), 422),
    ):  # fmt: skip
        problem: httpx2.Response = answer
        assert problem.status_code == status
        assert problem.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail"} <= set(problem.json())


def test_the_documents_page_asks_nobody_but_this_server(dsn: str, tmp_path: Path) -> None:
    """A laptop may be without a network, and a customer's browser is not to fetch what strangers serve."""
    token(dsn, "read")  # the page is open all the same
    with serving(dsn, tmp_path) as served:
        page = served.client.get("/docs")
        named = re.findall(r'(?:src|href|url)\s*[=:]\s*"([^"]+)"', page.text)
        assert {"openapi.json", "docs/swagger-ui-bundle.js", "docs/swagger-ui.css"} <= set(named)
        for address in named:
            assert "//" not in address
            found = served.client.get(f"/{address}")
            assert (found.status_code, found.headers["content-type"].split(";")[0]) == (200, TYPES[address.rsplit(".", 1)[1]])
        policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert not [source for sources in policy.values() for source in sources.split() if source[0] != "'" and source != "data:"]
        (inline,) = re.findall(r"<script>(.+?)</script>", page.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert policy["script-src"].split() == ["'self'", f"'sha256-{digest}'"]
        assert served.client.get("/docs/main.py").status_code == 401, "only the files of the page are open"


def test_a_body_may_be_as_long_as_a_slice_and_no_longer(dsn: str, tmp_path: Path) -> None:
    with serving(dsn, tmp_path, THOTH_SERVER_BODY_MAX_BYTES=5000, THOTH_SLICE_MAX_BYTES=3000) as served:
        assert served.client.post("/v1/memories", json={"content": "x" * 2000}).status_code == 201
        assert served.client.post("/v1/memories", json={"content": "x" * 4000}).status_code == 422
        assert served.client.post("/v1/memories", json={"content": "x" * 5000}).status_code == 413
        assert served.client.post("/v1/recall", json={"query": "x" * 5000}).status_code == 413
