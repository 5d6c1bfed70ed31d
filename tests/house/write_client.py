"""Writes `client/sync.py`, the client without asyncio, from `client/client.py`. Part of `make docs`; a test compares."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import tokenize_rt
from unasync import Rule

from tests.house.source import ROOT

SOURCE = ROOT / "thoth_substrate" / "client" / "client.py"
TWIN = SOURCE.with_name("sync.py")
RENAMED = {
    "AsyncClient": "Client", "AsyncRetrying": "Retrying", "ThothClient": "SyncThothClient", "aclose": "close", "aread": "read",
    "aiter_lines": "iter_lines", "AsyncIterator": "Iterator",
}  # fmt: skip
HEAD = '"""`ThothClient` without asyncio, call for call. Written from `client.py` by `make docs`: change that one."""\n'


def twin() -> str:
    """The text that `sync.py` has to have."""
    text = SOURCE.read_text(encoding="utf-8")
    body = HEAD + text.partition('"""\n')[2]
    tokens = Rule("", "", additional_replacements=RENAMED)._unasync_tokens(tokenize_rt.src_to_tokens(body))
    return _formatted(tokenize_rt.tokens_to_src(tokens).replace("`aclose`", "`close`"))


def main() -> None:
    """Write it."""
    TWIN.write_text(twin(), encoding="utf-8")


def _formatted(text: str) -> str:
    """As ruff sorts its imports and lays it out: shorter names change where lines break."""
    ruff = Path(sysconfig.get_path("scripts")) / "ruff"
    for command in (["check", "--fix", "--unsafe-fixes", "--quiet", "--select", "I,F401,UP028"], ["format", "--quiet"]):
        done = subprocess.run(
            [ruff, *command, "--stdin-filename", str(TWIN), "-"], input=text, capture_output=True, text=True, check=True, cwd=ROOT
        )
        text = done.stdout
    return text


if __name__ == "__main__":
    main()
