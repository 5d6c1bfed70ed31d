"""Each turn, reply, call and result has one id, however often it is sent again, and another when it is said again."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from thoth_substrate.imports.parts import ToolUse
from thoth_substrate.integrations.proxy.dialects import CHAT, MESSAGES, RESPONSES, Dialect, conversation
from thoth_substrate.integrations.proxy.perceiving import Exchange, Heard
from thoth_substrate.integrations.proxy.replies import Reply
from thoth_substrate.integrations.proxy.sessions import Sessions

DAY = date(2026, 5, 15)
Message = dict[str, Any]


def exchange(
    messages: list[Message] | str, dialect: Dialect = CHAT, *, session: str = "s", day: date = DAY, **more: Any
) -> Exchange:
    found = conversation(dialect, json.dumps({dialect.turns_key: messages, **more}).encode())
    assert found is not None
    return Exchange(found, Heard(session, day))


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def ids(exchanged: Exchange) -> list[str | None]:
    return [event.external_id for event in exchanged.of_request()]


def texts(exchanged: Exchange) -> list[Any]:
    return [event.content for event in exchanged.of_request()]


def test_only_what_stands_behind_the_last_reply_is_new() -> None:
    assert texts(exchange([user("one"), assistant("two"), user("three")])) == ["three"]
    assert texts(exchange([{"role": "system", "content": "be brief"}, user("one"), user("two")])) == ["one", "two"]
    assert texts(exchange([user("one"), assistant("two"), user("three"), assistant("{")])) == ["three"]
    assert texts(exchange("all of it", RESPONSES)) == ["all of it"]


def test_a_request_sent_again_has_the_same_ids() -> None:
    history = [user("one"), assistant("two"), user("three")]
    assert ids(exchange(history)) == ids(exchange(history))


def test_also_when_its_history_was_cut_at_the_front_meanwhile() -> None:
    history = [user("one"), assistant("two"), user("three"), assistant("four"), user("five")]
    assert ids(exchange(history[1:])) == ids(exchange(history)) == ids(exchange(history[3:]))


def test_also_when_the_client_writes_it_otherwise() -> None:
    marked = [{"type": "text", "text": "three", "cache_control": {"type": "ephemeral"}}]
    told = [user("one"), assistant("two"), {"role": "user", "content": marked}]
    ours = [user("one"), assistant("two "), user("three\n\n<memory-context>\n1 Maya: hi\n</memory-context>")]
    assert ids(exchange(told, MESSAGES)) == ids(exchange([user("one"), assistant("two"), user("three")], MESSAGES))
    assert ids(exchange(ours)) == ids(exchange([user("one"), assistant("two"), user("three")]))


def test_the_same_words_later_are_another_turn() -> None:
    history = [user("go on")]
    seen: list[str | None] = []
    for _ in range(5):
        seen += ids(exchange(history))
        history += [assistant("done"), user("go on")]
    assert len(set(seen)) == 5


def test_the_same_words_twice_in_a_row_are_two_turns_and_known_again() -> None:
    first, second = ids(exchange([user("hello"), user("hello")]))
    assert first != second
    assert ids(exchange([user("hello")])) == [first]


def test_another_session_or_an_opening_of_another_day_is_another_turn() -> None:
    assert ids(exchange([user("hi")])) != ids(exchange([user("hi")], session="t"))
    assert ids(exchange([user("hi")])) != ids(exchange([user("hi")], day=date(2026, 5, 16)))
    later = [user("hi"), assistant("hello"), user("how are you?")]
    assert ids(exchange(later)) == ids(exchange(later, day=date(2026, 5, 16)))


def test_results_of_tools_are_perceived_with_the_tools_name() -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "weather", "arguments": "{}"}}]}
    found = exchange([user("rain?"), call, {"role": "tool", "tool_call_id": "c", "content": "21 °C"}]).of_request()
    assert [(event.stream.rpartition(".")[2], event.content, event.actor) for event in found] == [
        ("tool_result", "21 °C", "weather")
    ]
    items = [{"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
             {"type": "function_call_output", "call_id": "c", "output": "21 °C"}]  # fmt: skip
    assert [event.actor for event in exchange(items, RESPONSES).of_request()] == ["weather"]
    content = [
        {"type": "tool_result", "tool_use_id": "c", "content": "no such city", "is_error": True},
        {"type": "text", "text": "?!"},
    ]
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "weather", "input": {}}]}
    both = exchange([use, {"role": "user", "content": content}], MESSAGES).of_request()
    assert [(event.actor, event.metadata.get("failed")) for event in both] == [("weather", True), (None, None)]


def test_a_reply_and_its_calls_have_ids_of_their_place() -> None:
    reply = Reply("Let me look.", (ToolUse("c", "weather", '{"city":"Lisboa"}'), ToolUse("d", "clock", "not json")))
    said, weather, clock = exchange([user("rain?")]).of_reply(reply)
    assert (said.content, said.stream.rpartition(".")[2]) == ("Let me look.", "assistant_response")
    assert weather.content == {"type": "tool_use", "name": "weather", "input": {"city": "Lisboa"}}
    assert clock.content["input"] == "not json"
    again = exchange([user("rain?")]).of_reply(reply)
    assert [event.external_id for event in again] == [said.external_id, weather.external_id, clock.external_id]
    later = exchange([user("rain?"), assistant("Let me look."), user("rain?")]).of_reply(reply)
    assert not {event.external_id for event in later} & {event.external_id for event in again}


def test_a_reply_that_broke_off_says_so() -> None:
    assert exchange([user("rain?")]).of_reply(Reply("Let me", whole=False))[0].metadata == {"broken_off": True}


def talk(dialect: Dialect, **body: Any) -> Any:
    found = conversation(dialect, json.dumps(body).encode())
    assert found is not None
    return found


def test_a_session_stays_while_its_history_grows() -> None:
    sessions = Sessions()
    system = {"role": "system", "content": "be brief"}
    first = sessions.of(talk(CHAT, messages=[system, user("one")]), "default", "key")
    assert sessions.of(talk(CHAT, messages=[system, user("one"), assistant("two"), user("three")]), "default", "key") == first
    for other in (
        sessions.of(talk(CHAT, messages=[system, user("other")]), "default", "key"),
        sessions.of(talk(CHAT, messages=[user("one")]), "default", "key"),
        sessions.of(talk(CHAT, messages=[system, user("one")]), "default", "another"),
        sessions.of(talk(CHAT, messages=[system, user("one")]), "other", "key"),
    ):
        assert other != first


def test_a_session_stays_when_its_front_is_cut_or_its_system_prompt_tells_the_time() -> None:
    sessions = Sessions()
    history = [{"role": "system", "content": "It is 9:00."}, user("one"), assistant("two"), user("three")]
    first = sessions.of(talk(CHAT, messages=history), "default", "key")
    sessions.note(talk(CHAT, messages=history), "default", first, Reply("four  words\nlong"))
    later = [user("three"), assistant("four words long"), user("five")]
    assert sessions.of(talk(CHAT, messages=later), "default", "key") == first
    later = [{"role": "system", "content": "It is 9:05."}, *history[1:], assistant("four words long"), user("five")]
    assert sessions.of(talk(CHAT, messages=later), "default", "key") == first
    assert sessions.of(talk(CHAT, messages=later), "other", "key") != first
    assert sessions.of(talk(CHAT, messages=[user("x"), assistant("four words long"), user("y")]), "default", "key") != first


def test_a_response_before_or_a_conversation_names_the_session() -> None:
    sessions = Sessions()
    first = sessions.of(talk(RESPONSES, input="one"), "default", "key")
    sessions.note(talk(RESPONSES, input="one"), "default", first, Reply("two", id="resp_1"))
    assert sessions.of(talk(RESPONSES, input="three", previous_response_id="resp_1"), "default", "key") == first
    assert sessions.of(talk(RESPONSES, input="three", previous_response_id="resp_2"), "default", "key") != first
    assert sessions.of(talk(RESPONSES, input="x", conversation="conv_1"), "default", "key") == "conv_1"
    assert sessions.of(talk(RESPONSES, input="x", conversation={"id": "conv_1"}), "default", "key") == "conv_1"


def test_a_call_is_known_again_by_its_id() -> None:
    sessions = Sessions()
    first = sessions.of(talk(CHAT, messages=[user("zero"), assistant("well"), user("rain?")]), "default", "key")
    asked = talk(CHAT, messages=[user("zero"), assistant("well"), user("rain?")])
    sessions.note(asked, "default", first, Reply("", (ToolUse("call_7", "weather", "{}"),)))
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_7", "function": {"name": "weather"}}]}
    cut = talk(CHAT, messages=[user("rain?"), call, {"role": "tool", "tool_call_id": "call_7", "content": "yes"}])
    assert sessions.of(cut, "default", "key") == first


def test_a_reply_of_words_and_a_call_is_known_again_as_one_entry_and_as_two() -> None:
    sessions = Sessions()
    first = sessions.of(talk(RESPONSES, input="rain?", instructions="It is 9:00."), "default", "key")
    reply = Reply("Let me look.", (ToolUse("call_7", "weather", "{}"),))
    sessions.note(talk(RESPONSES, input="rain?", instructions="It is 9:00."), "default", first, reply)
    items = [
        user("rain?"),
        {"type": "reasoning", "summary": []},
        assistant("Let me  look."),
        {"type": "function_call", "call_id": "call_7", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_7", "output": "yes"},
    ]
    assert sessions.of(talk(RESPONSES, input=items, instructions="It is 9:01."), "default", "key") == first
    assert sessions.of(talk(RESPONSES, input=items[:2] + items[3:], instructions="It is 9:01."), "default", "key") != first
    call = assistant("Let me look.") | {"tool_calls": [{"id": "call_7", "function": {"name": "weather", "arguments": "{}"}}]}
    result = {"role": "tool", "tool_call_id": "call_7", "content": "yes"}
    system = {"role": "system", "content": "It is 9:02."}
    assert sessions.of(talk(CHAT, messages=[system, user("rain?"), call, result]), "default", "key") == first
    continued = [system, user("rain?"), assistant("Well."), assistant("Let me look."), user("and?")]
    assert sessions.of(talk(CHAT, messages=continued), "default", "key") == first
