"""`thoth token` and `thoth serve`, as an operator runs them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import httpx2

from tests.cli.conftest import PROGRAM, Thoth, environment, program


def test_a_token_is_made_listed_used_and_revoked(thoth: Thoth) -> None:
    made = thoth("token", "create", "--scope", "read", "--scope", "write", "--expires", "90d", "--name", "the dashboard")
    assert re.fullmatch(r"thoth_[\w-]{43}\n", made.out), "the token alone is data"
    assert "shown this once" in made.err
    listed = thoth("token", "list")
    assert "the dashboard" in listed.out
    assert made.out.strip() not in listed.out
    (token,) = thoth("token", "list", "--json").json
    assert (token["scopes"], token["revoked_at"]) == (["read", "write"], None)
    assert "is revoked" in thoth("token", "revoke", token["token_id"]).out
    assert "was revoked before" in thoth("token", "revoke", token["token_id"]).out
    assert thoth("token", "list", "--json").json[0]["revoked_at"] is not None


def test_a_token_of_a_tenant_is_that_tenant_s(thoth: Thoth) -> None:
    made = thoth("--tenant", "acme", "token", "create", "--scope", "admin", "--json").json
    assert (made["tenant_id"], made["scopes"], made["expires_at"]) == ("acme", ["admin"], None)
    assert thoth("token", "list").out == ""
    assert "has no token" in thoth("token", "revoke", made["token_id"], expect=2).err


def test_misuse_makes_nothing(thoth: Thoth) -> None:
    assert "no scope 'root'" in thoth("token", "create", "--scope", "root", expect=2).err
    assert "neither a span" in thoth("token", "create", "--scope", "read", "--expires", "soon", expect=2).err
    assert "expired already" in thoth("token", "create", "--scope", "read", "--expires", "2020-01-01", expect=2).err
    assert thoth("token", "list", "--json").json == []


def test_it_serves_in_the_foreground_and_stops_on_sigterm(dsn: str, tmp_path: Path) -> None:
    env = {"PATH": os.defpath, **environment(dsn, tmp_path)}
    with subprocess.Popen([PROGRAM, "serve"], env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = next(filter(None, (re.search(r"HTTP on (\S+):", line) for line in server.stderr)))
        assert httpx2.get(f"{found[1]}/healthz", trust_env=False).status_code == 200
        server.send_signal(signal.SIGTERM)
        out, rest = server.communicate(timeout=60)
    assert (server.returncode, out) == (0, ""), rest
    assert rest.rstrip().endswith("Stopped.")


def test_beyond_this_machine_only_with_a_token(dsn: str, tmp_path: Path) -> None:
    env = environment(dsn, tmp_path) | {"THOTH_SERVER_HOST": "0.0.0.0"}
    ran = program("serve", env=env)
    assert ran.code == 1
    assert "thoth token create" in ran.err
