"""thoth chat: the loop at the terminal. What a turn is stands in integrations/chatting.py."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from thoth_substrate.cli import door, out, substrate
from thoth_substrate.cli.answers import examples
from thoth_substrate.cli.options import Tenant, settings
from thoth_substrate.cli.progress import bars
from thoth_substrate.cli.recall import show_legs, show_lines, show_sum
from thoth_substrate.cli.settle import settle
from thoth_substrate.embed.choose import choose
from thoth_substrate.errors import ThothError
from thoth_substrate.house import House
from thoth_substrate.integrations.chatting import Conversation, Turned
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.llm.chat import NO_MODEL
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.settings import Settings
from thoth_substrate.skill import playbook
from thoth_substrate.views.agents import agents
from thoth_substrate.views.emptiness import why_empty
from thoth_substrate.views.words import many

HELP = """/why             why the last answer got the context it got, line by line
/pin HANDLE      keep the memory of that number for good
/forget HANDLE   forget it
/substrate       the operator's playbook; /substrate health runs `thoth substrate health`, and so on
/help            this
/quit            the end (or Ctrl-D)"""
PROMPT = "you> "


def register(app: typer.Typer) -> None:
    app.command("chat", epilog=examples("thoth chat", "thoth chat --session trip", "echo 'Where do I live?' | thoth chat"))(chat)


def chat(
    *,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Go on with this conversation; else a new one.")] = None,
    tenant: Tenant = None,
) -> None:
    """Talk with the configured model, with a memory: each turn gets what is remembered, and is remembered.

    The model is THOTH_CHAT_MODEL, else THOTH_AUX_MODEL. Without one it shows what a model would be given. /help says the rest.
    """
    chosen = settings(tenant)
    with door.found(chosen) as server, door.substrate(chosen, server) as opened, asyncio.Runner() as runner:
        house = House(chosen, opened, server.dsn, SystemClock())
        loop = _Loop(chosen, house, Conversation(house, session), runner)
        try:
            loop.run()
        finally:
            runner.run(loop.end())


class _Loop:
    """Line after line until the end."""

    def __init__(self, chosen: Settings, house: House, conversation: Conversation, runner: asyncio.Runner) -> None:
        self._settings, self._house, self._conversation, self._runner = chosen, house, conversation, runner
        self._commands: dict[str, Callable[[str], object]] = {
            "/why": lambda _: self._why(), "/pin": self._pin, "/forget": self._forget, "/substrate": self._substrate,
            "/help": lambda _: out.say(HELP),
        }  # fmt: skip

    def run(self) -> None:
        """Read and answer. A line that fails is said, and the next one is read."""
        model = self._conversation.model
        self._runner.run(self._settle())
        out.talk(f"Session {self._conversation.session}. /help, /quit. " + (f"{model} answers." if model else NO_MODEL))
        for line in _lines():
            word, _, rest = line.strip().partition(" ")
            if word in ("/quit", "/exit"):
                return
            if not word:
                continue
            try:
                if word.startswith("/"):
                    self._commands.get(word, self._unknown)(rest.strip() or word)
                else:
                    self._turn(line.strip())
            except KeyboardInterrupt:
                out.talk("Stopped.")
            except ThothError as error:
                out.talk(str(error))

    async def end(self) -> None:
        """See that what was said is safe and, where no worker runs, can be recalled the next time."""
        if not await self._conversation.durable():
            out.talk("What was said waits in the journal: the database did not take it. It is not lost.")
        with contextlib.suppress(ThothError):  # the journal has it
            await self._settle()
        await self._conversation.close()
        await self._house.close()

    def _turn(self, text: str) -> None:
        turned = self._runner.run(self._answer(text))
        if turned.why:
            out.talk(f"No answer. {turned.why}" if not turned.reply else f"It broke off. {turned.why}")
            if not turned.reply and turned.memory.block:
                out.talk("A model would have been given this with your words:")
                out.say(turned.memory.block)
            elif not turned.reply:
                out.talk(why_empty(turned.memory))
        elif turned.memory.lines:
            out.talk(f"({many(len(turned.memory.lines), 'memory', 'memories')} given; /why explains)")

    async def _answer(self, text: str) -> Turned:
        turned: Turned | None = None
        async with contextlib.aclosing(self._conversation.turn(text)) as parts:
            async for one in parts:
                if isinstance(one, Turned):
                    turned = one
                else:
                    sys.stdout.write(out.many_lines(one))
                    sys.stdout.flush()
        assert turned is not None, "a turn says what came of it"
        if turned.reply:
            out.say()
        return turned

    def _why(self) -> None:
        memory = self._conversation.memory
        if not memory.legs and memory.empty_reason is None:
            out.talk("Nothing was asked yet.")
            return
        if memory.lines:
            out.say(memory.block)
            show_lines(memory.lines)
        else:
            out.say(why_empty(memory))
        show_legs(memory)
        show_sum(memory)

    def _pin(self, word: str) -> None:
        slice_id, changed = self._runner.run(self._conversation.pin(word))
        out.say(f"{slice_id} {'is' if changed else 'was already'} pinned.")

    def _forget(self, word: str) -> None:
        slice_id, changed = self._runner.run(self._conversation.forget(word))
        out.say(f"{slice_id} {'is forgotten' if changed else 'was forgotten before'}.")

    def _substrate(self, words: str) -> None:
        if words == "/substrate":
            out.say(playbook())
            return
        try:
            substrate.group(args=["--tenant", self._settings.tenant, *words.split()], prog_name="thoth substrate")
        except SystemExit as end:
            if end.code:
                out.talk(f"It ended with {end.code}.")

    def _unknown(self, word: str) -> None:
        out.talk(f"There is no such command ({word}); /help says which there are.")

    async def _settle(self) -> None:
        """Where no worker runs, make what waits recallable here."""
        database = await self._house.database()
        if any(one.holder for one in await agents(database) if one.agent == "sentinel"):
            return
        with bars() as shown:
            embedder = on_account(self._settings, database, choose(self._settings))
            await settle(database, self._settings, embedder, self._settings.tenant, shown)


def _lines() -> Iterator[str]:
    """What is typed or piped in."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with contextlib.suppress(EOFError):
        while True:
            try:
                yield input(PROMPT)
            except KeyboardInterrupt:
                out.talk("/quit or Ctrl-D ends it.")
