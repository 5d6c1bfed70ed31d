"""The skills: pages that an agent reads when it needs them. `SKILL.md` is the operator's playbook, `memory/` the everyday one."""

from __future__ import annotations

from importlib.resources import files

_END = "\n---\n"


def playbook() -> str:
    """The operator's playbook, without its front matter."""
    text = files(__package__).joinpath("SKILL.md").read_text(encoding="utf-8")
    return text.partition(_END)[2].strip()
