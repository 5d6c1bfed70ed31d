"""Which JSON document a command prints: declared beside the command, printed in the reference, held to by tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Command = TypeVar("Command", bound=Callable[..., Any])
_ATTRIBUTE = "__thoth_answer__"


def answers(shape: Any) -> Callable[[Command], Command]:
    """Say that a command's `--json` prints `shape`: a dataclass, or a list of one."""

    def declare(command: Command) -> Command:
        setattr(command, _ATTRIBUTE, shape)
        return command

    return declare


def answer_of(command: Any) -> Any:
    """What was declared, or None."""
    return getattr(command, _ATTRIBUTE, None)


def examples(*lines: str) -> str:
    """An epilog of examples that keeps its lines."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
