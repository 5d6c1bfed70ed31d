"""The skills are what `npx skills add` and the hosts take for one, and what they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import thoth_substrate.skill
from tests.house.source import ROOT
from tests.house.test_commands import exists
from thoth_substrate.skill import playbook

FOLDER = Path(thoth_substrate.skill.__file__).parent
SKILLS = {"substrate": FOLDER / "SKILL.md", "memory": FOLDER / "memory" / "SKILL.md"}
MOST_WORDS = 5000
LONGEST_DESCRIPTION = 1024
_COMMAND = re.compile(r"`(?:[A-Z_]+=\S+ )*(thoth [^`]+)`|^(?:[A-Z_]+=\S+ )*(thoth [a-z].*)$", re.MULTILINE)


def front(name: str) -> tuple[dict[str, str], str]:
    """The front matter and the body."""
    mark, head, body = SKILLS[name].read_text(encoding="utf-8").split("---\n", 2)
    assert mark == ""
    return yaml.safe_load(head), body


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_says_in_the_third_person_when_it_is_used(name: str) -> None:
    head, body = front(name)
    assert set(head) == {"name", "description"}
    assert head["name"] == name
    assert re.match(r"[A-Z][a-z]+s\b", head["description"]), "a verb in the third person"
    assert "Use when" in head["description"]
    assert len(head["description"]) <= LONGEST_DESCRIPTION
    assert len(body.split()) < MOST_WORDS


@pytest.mark.parametrize("name", SKILLS)
def test_every_command_in_a_skill_exists_with_its_options(name: str) -> None:
    named = [one or other for one, other in _COMMAND.findall(front(name)[1])]
    assert len(named) > 10
    assert [said for said in named if not exists(" ".join(said.split()))] == []


def test_a_command_that_is_made_up_would_be_found() -> None:
    assert not exists("thoth substrate polish")
    assert not exists("thoth ask --loudly x")


@pytest.mark.parametrize("name", SKILLS)
def test_the_plugin_has_the_same_skill(name: str) -> None:
    plugin = ROOT / "thoth_substrate/integrations/claude_code/skills" / name / "SKILL.md"
    assert plugin.read_bytes() == SKILLS[name].read_bytes(), "run `make docs`"


def test_the_playbook_is_shown_without_its_front_matter() -> None:
    assert playbook().startswith("# The operator's playbook")


def test_what_the_everyday_skill_says_of_http_is_there() -> None:
    from thoth_substrate.server.app import ROUTES

    assert ROUTES
    routes = (ROOT / "thoth_substrate/server/routes").glob("*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in routes)
    named = set(re.findall(r"`(?:GET|POST) (/v1/\w+)", front("memory")[1]))
    assert named == {"/v1/memories", "/v1/query"}
    assert all(f'"{path}"' in text for path in named)
