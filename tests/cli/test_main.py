"""What holds for every command: exit codes, streams, options, encodings."""

from __future__ import annotations

import dataclasses
import typing
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from tests.cli.conftest import Thoth, environment, program
from tests.house.write_docs import commands
from tests.views.seed import a_recall, a_slice
from thoth_substrate.cli.answers import answer_of

COMMANDS = {" ".join(words): command for words, command, _ in commands()}
READING: dict[str, tuple[str, ...]] = {
    "substrate": (), "substrate streams": (), "substrate slices": (), "substrate show": ("{slice}",), "substrate pending": (),
    "substrate profiles": (), "substrate agents": (), "substrate boot": (), "substrate quarantine list": (),
    "substrate curator": (), "substrate curator histogram": (), "substrate curator recent": (), "substrate curator pressure": (),
    "substrate recall": (), "substrate recall recent": (), "substrate recall sample": (), "substrate recall config": (),
    "substrate recall explain": (), "substrate embed": (), "substrate embed status": (), "substrate audit verify": (),
    "substrate migrate": ("--check",),
}  # fmt: skip


def _options(command: typing.Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


def test_help_of_every_command_says_what_it_is_for_and_gives_an_example() -> None:
    for words, command in COMMANDS.items():
        assert command.help, words
        assert command.help.splitlines()[0].endswith((".", "?")), words
        assert "commands" in dir(command) or "thoth" in (command.epilog or ""), words


def test_every_command_that_answers_can_answer_in_json() -> None:
    groups = {"thoth", "thoth memories", "thoth token"}
    groups |= {f"thoth substrate {name}" for name in ("quarantine", "audit", "worker", "purge")}
    silent = groups | {"thoth up", "thoth serve", "thoth mcp", "thoth chat", "thoth substrate worker run"}
    assert {words for words, command in COMMANDS.items() if "--json" not in _options(command)} == silent
    assert [words for words, command in COMMANDS.items() if words not in silent and answer_of(command.callback) is None] == []


@pytest.mark.parametrize("words", READING)
def test_json_has_the_keys_that_the_reference_gives(thoth: Thoth, seeded: psycopg.Connection, now: datetime, words: str) -> None:
    one = a_slice(seeded, now, "The spare key is under the third pot.")
    a_recall(seeded, now, "where is the key?", [("101", one)])
    for state in ("pending", "quarantined"):
        a_slice(seeded, now, triage=state)
    seeded.execute("insert into thoth.substrate_agents (agent, heartbeat_at) values ('sentinel', %s)", [now])
    more = [word.format(slice=one) for word in READING[words]]
    found = thoth(*words.split(), *more, "--json").json
    shape = answer_of(COMMANDS[f"thoth {words}"].callback)
    if typing.get_origin(shape) is list:
        assert found, "an empty list shows nothing"
        shape, found = typing.get_args(shape)[0], found[0]
    assert list(found) == _keys(shape)


def _keys(shape: type) -> list[str]:
    hints = typing.get_type_hints(shape)
    return [
        f"{field.name}_s" if timedelta in (hints[field.name], *typing.get_args(hints[field.name])) else field.name
        for field in dataclasses.fields(shape)
    ]


@pytest.mark.parametrize("words", READING)
def test_every_reading_command_reads_an_empty_memory(thoth: Thoth, words: str) -> None:
    needs_rows = words in ("substrate show", "substrate recall explain")
    ran = thoth(*words.split(), *("0189abcd" if "{" in word else word for word in READING[words]), expect=2 if needs_rows else 0)
    assert "Traceback" not in ran.err
    assert ran.out == "" if needs_rows else ran.out or ran.err  # an empty memory is said to be empty


@pytest.mark.parametrize("limit", ["0", "-1", "2147483648", "many"])
def test_a_limit_out_of_bounds_is_misuse(thoth: Thoth, limit: str) -> None:
    """faults: `top_k=0`, negative, 2147483648"""
    limited = [words for words, command in COMMANDS.items() if "--limit" in _options(command)]
    assert len(limited) >= 6
    for words in limited:
        ran = thoth(*words.split()[1:], "--limit", limit, expect=2)
        assert "--limit" in ran.err
        assert ran.out == ""


@pytest.mark.parametrize("words", [["nonsense"], ["substrate", "nonsense"], ["substrate", "slices", "--nonsense"], ["recall"]])
def test_what_is_no_command_is_misuse(thoth: Thoth, words: list[str]) -> None:
    assert "Usage:" in thoth(*words, expect=2).err


def test_without_a_word_it_helps(thoth: Thoth) -> None:
    assert "thoth demo" in thoth("--help").out
    assert thoth("--version").out.startswith("thoth 0.")


def test_the_tenant_may_be_named_anywhere_before_the_command_ends(
    thoth: Thoth, seeded: psycopg.Connection, now: datetime
) -> None:
    a_slice(seeded, now, "theirs", tenant="other")
    for words in (
        ("--tenant", "other", "substrate", "slices", "--json"),
        ("substrate", "--tenant", "other", "--json", "slices"),
        ("substrate", "slices", "--tenant", "other", "--json"),
        ("--tenant", "default", "substrate", "slices", "--tenant", "other", "--json"),
    ):
        assert [line["excerpt"] for line in thoth(*words).json] == ["theirs"]
    assert thoth("substrate", "slices", "--json").json == []


def test_a_tenant_that_cannot_be_one_is_misuse(thoth: Thoth) -> None:
    assert "THOTH_TENANT" in thoth("substrate", "--tenant", "a b", expect=2).err


def test_no_database_is_one_sentence_and_exit_3(tmp_path: Path) -> None:
    """faults: it is away at boot"""
    ran = program("substrate", env=environment("postgresql://nobody:s3cret@127.0.0.1:1/nothing", tmp_path))
    assert ran.code == 3
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1
    assert "DATABASE_URL" in ran.err
    assert "s3cret" not in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("dsn", ["mysql://me@db/x", "not a dsn"])
def test_an_address_that_is_no_postgresql_is_misuse(tmp_path: Path, dsn: str) -> None:
    ran = program("substrate", "health", env=environment(dsn, tmp_path))
    assert (ran.code, "Traceback" in ran.err, len(ran.err.strip().splitlines())) == (2, False, 1)


def test_a_bad_setting_is_named(thoth: Thoth) -> None:
    assert "THOTH_RECALL_DEADLINE_MS" in thoth("substrate", expect=2, env={"THOTH_RECALL_DEADLINE_MS": "soon"}).err


def test_piped_output_has_no_colours_and_no_width(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    a_slice(seeded, now, "x" * 180)
    ran = thoth("substrate", "slices", env={"COLUMNS": "40"})
    assert "\x1b" not in ran.out
    assert "x" * 100 in ran.out


def test_a_memory_cannot_steer_the_terminal(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    """faults: content that contains control characters reaches a terminal as text only"""
    one = a_slice(seeded, now, "red \x1b[31malert\x1b]0;title\x07 \u202egnol\u202c [bold]not markup[/bold] :smile:")
    for words in (("substrate", "slices"), ("substrate", "show", str(one))):
        out = thoth(*words).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
        assert "[bold]not markup[/bold] :smile:" in out
    assert thoth("substrate", "show", str(one), "--json").json["slice"]["text"].startswith("red \x1b[31m")


def test_a_terminal_that_knows_only_ascii_gets_question_marks_and_no_traceback(
    dsn: str, tmp_path: Path, seeded: psycopg.Connection, now: datetime
) -> None:
    a_slice(seeded, now, "Größe \U0001f600 汉字")
    ran = program("substrate", "slices", env={**environment(dsn, tmp_path), "PYTHONIOENCODING": "ascii"})
    assert (ran.code, "Gr??e" in ran.out) == (0, True)


def test_chinese_is_printed_as_itself(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    r"""faults: never turned into `\uXXXX` in prompts, JSON or tool results"""
    a_slice(seeded, now, "汉字 \U0001f600")
    assert "汉字 \U0001f600" in thoth("substrate", "slices", "--json").out
    assert "汉字" in thoth("substrate", "slices").out


def test_bytes_that_are_no_text_are_taken_as_arguments(thoth: Thoth) -> None:
    """faults: a lone surrogate as query"""
    thoth("recall", "\udcff\ud83d abc")
    assert thoth("remember", "\udcff\ud83d abc", "--json").json["searchable"]
