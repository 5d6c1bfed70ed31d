"""docker-compose.yml and the Dockerfile, as far as they can be checked without a Docker daemon."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from thoth_substrate.settings import lines

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"


@pytest.fixture
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return found


def test_the_database_is_migrated_once_before_the_server_starts(services: dict[str, Any]) -> None:
    assert list(services) == ["postgres", "migrate", "server"]
    assert services["postgres"]["image"] == "pgvector/pgvector:pg17"
    assert services["migrate"]["command"] == ["substrate", "migrate"]
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert services["server"]["command"] == ["up"]
    assert services["server"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert services["server"]["environment"]["THOTH_AUTO_MIGRATE"] == "0"


def test_whatever_runs_on_says_how_it_is(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert ("healthcheck" in service) == (name != "migrate"), name


def test_nothing_is_published_beyond_this_machine(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert not any(service.get("network_mode") for service in services.values())


def test_there_is_no_password_that_everybody_knows() -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{POSTGRES_PASSWORD(..)", text)) == {":?"}
    assert re.findall(r"POSTGRES_PASSWORD: (?!\$)", text) == []


def test_its_settings_are_settings(services: dict[str, Any]) -> None:
    known = {name for line in lines() for name in line.env}
    for name in ("migrate", "server"):
        assert set(services[name]["environment"]) <= known


def test_the_memory_and_the_journal_outlive_the_containers(services: dict[str, Any]) -> None:
    kept = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", [])}
    assert kept == set(yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["volumes"]) == {"memory", "home"}


def test_the_image_runs_as_an_ordinary_user_from_files_that_exist() -> None:
    stages = (ROOT / "Dockerfile").read_text(encoding="utf-8").split("\nFROM ")
    assert re.findall(r"^USER (\S+)", stages[-1], re.MULTILINE) == ["thoth"]
    for line in re.findall(r"^COPY (?!--from)(.+)", stages[0], re.MULTILINE):
        assert all((ROOT / source).exists() for source in line.split()[:-1]), line


def test_compose_itself_takes_the_file() -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("the compose plugin is not installed")
    environment = {"POSTGRES_PASSWORD": "x", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run([docker, "compose", "-f", str(COMPOSE), "config", "--quiet"], env=environment, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
