"""Large files are never held in memory. Measured in a process of its own, so that nothing else counts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports.test_chatgpt import conversation, node

PROBE = """
import resource, sys
from thoth_substrate.imports.detect import read
from thoth_substrate.model.slice import Event

read_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
events = sum(isinstance(found, Event) for found in read(sys.argv[1]))
print(events, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - read_before) // 1024)
"""


def grown_by(path: Path) -> tuple[int, int]:
    """Events in a file, and by how many MiB reading it grew the process."""
    run = subprocess.run([sys.executable, "-c", PROBE, str(path)], capture_output=True, text=True, check=True)
    events, grown = run.stdout.split()
    return int(events), int(grown)


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
def test_a_large_transcript_is_read_in_little_memory(tmp_path: Path) -> None:
    """faults: a 575 MB transcript (here 100 MB of it, with tool results of 1 MB); 10,000 events of 100 KB each."""
    path = tmp_path / "large.jsonl"
    shared = {"sessionId": "s", "timestamp": "2025-11-03T09:00:00Z", "type": "user"}
    with path.open("w") as file:
        for number in range(1000):
            size = 1_000_000 if number % 50 == 0 else 80_000
            result = [{"type": "tool_result", "tool_use_id": "t", "content": "line of output\n" * (size // 15)}]
            file.write(json.dumps(shared | {"uuid": f"u{number}", "message": {"role": "user", "content": result}}) + "\n")
    assert path.stat().st_size > 95_000_000
    events, grown = grown_by(path)
    assert events == 1000
    assert grown < 40


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
def test_a_large_export_is_read_one_conversation_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    talk = json.dumps(conversation(*(node(f"m{n}", f"m{n - 1}" if n else "root", "user", "word " * 1000) for n in range(40))))
    with path.open("w") as file:
        file.write("[")
        for number in range(400):
            file.write(("," if number else "") + talk.replace('"c1"', f'"c{number}"'))
        file.write("]")
    assert path.stat().st_size > 80_000_000
    events, grown = grown_by(path)
    assert events == 16_000
    assert grown < 40


def test_a_line_longer_than_the_bound_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.imports.files import events, reasons
    from thoth_substrate.imports import records

    monkeypatch.setattr(records, "LONGEST_RECORD_BYTES", 100_000)
    path = tmp_path / "f"
    lines = [{"content": "before"}, {"content": "x" * 3_000_000}, {"content": "after"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [e.content for e in events(path)] == ["before", "after"]
    assert reasons(path) == ["larger than 64 MiB"]
    path.write_text(json.dumps(lines))
    assert [e.content for e in events(path)] == ["before", "after"]
    assert reasons(path) == ["larger than 64 MiB"]
