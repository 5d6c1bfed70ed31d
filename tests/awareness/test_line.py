"""The one line that every agent carries: within its cap, the last day's keywords first, as many as fit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.awareness.topics import noted, topic
from thoth_substrate.awareness.line import CANDIDATES, composed, fresh, line
from thoth_substrate.awareness.lookup import lookup
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.tokens import count

SYLLABLES = ("bo", "ri", "ka", "lem", "tus", "ga", "no", "vi", "zer", "pa")


def word(number: int) -> str:
    """A word of its own for each number."""
    return "".join(SYLLABLES[int(digit)] for digit in f"{number:04}")


async def five_hundred(db: Database) -> dict[str, timedelta]:
    """500 topics of four words each, spoken of one after the other over ten days; answers when each word was."""
    now = db.clock.now()
    ages = {number: timedelta(minutes=28 * number) for number in range(500)}
    said = [
        topic(now, *(word(4 * number + n) for n in range(4)), ago=ago, days=20, sessions=(f"s{number % 7}",))
        for number, ago in ages.items()
    ]
    done = await noted(db, *said)
    assert done.made == 500
    return {word(4 * number + n): ago for number, ago in ages.items() for n in range(4)}


@pytest.mark.parametrize("cap", [30, 100, 400])
async def test_the_line_of_500_topics_stays_within_its_cap_the_last_day_first_and_as_many_as_fit(db: Database, cap: int) -> None:
    ages = await five_hundred(db)
    said = await line(db, "default", cap_tokens=cap)
    assert count(said) <= cap
    keywords = said.removeprefix("Going on: ").partition(". If your task touches any of these, look it up before")[0].split(", ")
    assert set(keywords) <= set(ages)
    last_day = [one for one in ages if ages[one] < timedelta(days=1)]
    assert all(ages[one] < timedelta(days=1) for one in keywords[: len(last_day)])
    assert [ages[one] // timedelta(days=1) for one in keywords] == sorted(ages[one] // timedelta(days=1) for one in keywords)
    left = [one for one in await fresh(db, "default", limit_rows=CANDIDATES) if one not in keywords]
    for one in left:
        assert count(said.replace(keywords[-1], f"{keywords[-1]}, {one}", 1)) > cap, f"{one} would have fitted"


async def test_two_words_of_the_line_lead_to_their_windows(db: Database) -> None:
    """Show 3: what an agent does with the line."""
    await five_hundred(db)
    first, second = (await fresh(db, "default"))[:2]
    found = await lookup(db, "default", f"{first} {second}")
    assert {keyword for one in found for keyword in one.concept.keywords} >= {first, second}
    assert all(source.to_time > db.clock.now() - timedelta(days=1) for one in found for source in one.concept.sources)


async def test_of_one_day_what_more_sources_share_comes_first_then_the_newest(db: Database) -> None:
    now = db.clock.now()
    hours = [timedelta(hours=n) for n in range(30)]
    await noted(
        db,
        topic(now, "newest", ago=hours[0]),
        topic(now, "older", ago=hours[5]),
        topic(now, "shared", ago=hours[20], sessions=("s1", "s2", "s3")),
        topic(now, "yesterday", ago=hours[29], sessions=("s1", "s2", "s3", "s4")),
    )
    assert await fresh(db, "default") == ["shared", "newest", "older", "yesterday"]


async def test_what_has_expired_is_not_in_the_line_even_before_the_sweep(db: Database, clock: PinnedClock) -> None:
    await noted(db, topic(db.clock.now(), "boiler", days=1), topic(db.clock.now(), "lisbon", days=3))
    clock.advance(timedelta(days=1))
    assert await fresh(db, "default") == ["lisbon"]
    clock.advance(timedelta(days=3))
    assert await line(db, "default") == ""


async def test_each_tenant_has_its_own(db: Database) -> None:
    await noted(db, topic(db.clock.now(), "boiler"))
    await noted(db, topic(db.clock.now(), "lisbon"), tenant="other")
    assert (await fresh(db, "default"), await fresh(db, "other")) == (["boiler"], ["lisbon"])


def test_a_cap_that_has_room_for_no_keyword_gives_no_line() -> None:
    assert composed(["boiler"], 5) == ""
    assert composed([], 100) == ""


def test_a_long_keyword_does_not_keep_shorter_ones_out() -> None:
    bare = count(composed(["paella"], 100))
    assert composed(["antidisestablishmentarianism zzyzx-4711", "paella"], bare) == composed(["paella"], 100)


def test_the_instruction_is_one_sentence_and_says_how_to_look_up() -> None:
    said = composed(["boiler"], 100, "the tool awareness with")
    assert said == (
        "Going on: boiler. If your task touches any of these, look it up before proceeding: the tool awareness with WORDS"
    )
