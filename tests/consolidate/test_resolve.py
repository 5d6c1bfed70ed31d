"""Who is meant by a name: one entity in any script; two that cannot be told apart stay two until evidence merges them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.consolidate.support import MAKER, TENANT, Mind, entity, fact, quoted
from tests.support import Said, count
from thoth_substrate.consolidate.merge import merge_entities, unmerge
from thoth_substrate.consolidate.read import facts_about, relationships_as_of
from thoth_substrate.consolidate.resolve import differ, kind_of, mention
from thoth_substrate.model.knowledge import EntityProposal, Promoted, Proposals, RelationshipProposal


async def _names(mind: Mind, text: str, *entities: dict[str, Any], session: str = "s1", model: str = "") -> Promoted:
    """One slice promoted with entities that quote it whole; `facts` among them are promoted too."""
    await mind.hears(Said(text, session=session))
    taken = await mind.claims()
    assert taken is not None
    source = taken.sources[0]
    facts: list[RelationshipProposal] = [quoted(one, source.slice_id, text) for e in entities for one in e.pop("facts", ())]
    proposed: list[EntityProposal] = [entity(e.pop("name"), source, text, **e) for e in entities]
    mind.clock.advance(timedelta(seconds=1))
    return await mind.promotes(taken, Proposals(tuple(proposed), tuple(facts), embedding_model=model))


def _roots(mind: Mind) -> list[str]:
    return [row[0] for row in mind.rows("select name from thoth.substrate_entities where merged_into is null order by entity_id")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "Zoë Müller"}, {"name": "ZOE MULLER"}),
        ({"name": "Maya", "aliases": ("Мая", "マヤ")}, {"name": "Мая"}),
        ({"name": "Мая", "kind": "person", "aliases": ("Maya",)}, {"name": "Maya", "kind": "person"}),
        ({"name": "Acme Inc.", "kind": "company"}, {"name": "acme inc", "kind": "organization"}),
        ({"name": "Alex", "kind": "person"}, {"name": "Alex Chen", "kind": "person", "aliases": ("Alex",)}),
        ({"name": "Berlin", "kind": "place"}, {"name": "Berlin", "kind": ""}),
        ({"name": "University of Oslo", "kind": "place"}, {"name": "University of Oslo", "kind": "organisation"}),
        ({"name": "International Business Machines", "aliases": ("IBM",), "kind": "company"}, {"name": "IBM", "kind": "company"}),
    ],
)
async def test_one_that_goes_by_several_names_is_one(mind: Mind, first: dict[str, Any], second: dict[str, Any]) -> None:
    await _names(mind, "first it was said", dict(first))
    await _names(mind, "then it was said", dict(second), session="s2")
    assert count(mind.sql, "substrate_entities") == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "Jordan", "kind": "person"}, {"name": "Jordan", "kind": "country"}),
        ({"name": "Alex Chen", "kind": "person", "aliases": ("Alex",)}, {"name": "Alex Rivera", "aliases": ("Alex",)}),
        ({"name": "C++", "kind": "topic"}, {"name": "C#", "kind": "topic"}),
        ({"name": "Rex", "kind": "dog"}, {"name": "Rex", "kind": "person"}),
    ],
)  # fmt: skip
async def test_two_that_share_a_name_are_two(mind: Mind, first: dict[str, Any], second: dict[str, Any]) -> None:
    await _names(mind, "first it was said", dict(first))
    await _names(mind, "then it was said", dict(second), session="s2")
    assert count(mind.sql, "substrate_entities") == 2


async def test_a_shared_first_name_is_told_apart_by_session_and_by_neighbours(mind: Mind) -> None:
    chen = {"name": "Alex Chen", "kind": "person", "aliases": ("Alex",), "facts": (fact("Alex Chen", "knows", "Priya"),)}
    await _names(mind, "Alex Chen knows Priya", chen, session="work")
    await _names(mind, "Alex Rivera", {"name": "Alex Rivera", "kind": "person", "aliases": ("Alex",)}, session="home")
    await _names(
        mind, "Alex sings", {"name": "Alex", "kind": "person", "facts": (fact("Alex", "sings_in", "Choir"),)}, session="home"
    )
    assert [f.object for f in await facts_about(mind.db, TENANT, "Alex Rivera")] == ["Choir"]
    both = {"name": "Alex", "kind": "person", "facts": (fact("Alex", "met", "Priya"), fact("Alex", "rows_with", "Priya"))}
    await _names(mind, "Alex met Priya", both, {"name": "Priya", "kind": "person"}, session="elsewhere")
    assert {f.predicate for f in await facts_about(mind.db, TENANT, "Alex Chen")} == {"knows", "met", "rows_with"}


async def test_ambiguity_stays_an_entity_of_its_own_until_evidence_merges_it(mind: Mind) -> None:
    await _names(mind, "Alex Chen", {"name": "Alex Chen", "kind": "person", "aliases": ("Alex",)}, session="a")
    await _names(mind, "Alex Rivera", {"name": "Alex Rivera", "kind": "person", "aliases": ("Alex",)}, session="b")
    await _names(mind, "Alex came", {"name": "Alex", "kind": "person", "facts": (fact("Alex", "came_to", "Lunch"),)}, session="c")
    assert sorted(_roots(mind)) == ["Alex", "Alex Chen", "Alex Rivera", "Lunch"]
    evidence = {"name": "Alex Chen", "kind": "person", "aliases": ("Alex",)}
    promoted = await _names(mind, "Alex Chen, that Alex who came", evidence, session="c")
    assert len(promoted.detail["merged"]) == 1
    assert _roots(mind) == ["Alex Chen", "Alex Rivera", "Lunch"]
    assert [f.object for f in await facts_about(mind.db, TENANT, "Alex Chen")] == ["Lunch"]


async def test_a_transliteration_merges_what_two_scripts_had_made_two(mind: Mind) -> None:
    await _names(mind, "Мая печёт хлеб", {"name": "Мая", "kind": "person", "facts": (fact("Мая", "bakes", "хлеб"),)})
    await _names(mind, "Maya sings", {"name": "Maya", "kind": "person", "facts": (fact("Maya", "sings", "arias"),)}, session="s2")
    assert _roots(mind) == ["Мая", "хлеб", "Maya", "arias"]
    await _names(mind, "Maya again", {"name": "Maya", "kind": "person", "aliases": ("Мая",)}, session="s3")
    assert _roots(mind) == ["Мая", "хлеб", "arias"]
    for name in ("Maya", "Мая"):
        assert [f.object for f in await facts_about(mind.db, TENANT, name)] == ["хлеб", "arias"]


async def test_an_alias_that_nobody_wrote_merges_nothing(mind: Mind) -> None:
    await _names(mind, "Tom sings", {"name": "Tom", "kind": "person"})
    await _names(mind, "Maya sings", {"name": "Maya", "kind": "person"})
    await _names(mind, "Maya sings again", {"name": "Maya", "kind": "person", "aliases": ("Tom",)})
    unsure = {"name": "Maya", "kind": "person", "aliases": ("Tom",), "confidence": 0.5}
    await _names(mind, "Maya and Tom", unsure)
    assert _roots(mind) == ["Tom", "Maya"]


async def test_vectors_of_name_and_summary_find_another_name(mind: Mind) -> None:
    vector, far = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    baker = {"name": "Maya Lind", "kind": "person", "summary": "A baker.", "embedding": vector}
    await _names(mind, "Maya Lind bakes", baker, model="test:three")
    near = {"name": "Frau Lind", "kind": "person", "summary": "A baker.", "embedding": (0.99, 0.05, 0.0)}
    await _names(mind, "Frau Lind bakes", dict(near), session="s2", model="test:three")
    assert count(mind.sql, "substrate_entities") == 1
    for other in ({"name": "Tom Berg", "embedding": vector}, {"name": "Anna Lind", "embedding": far}):
        await _names(mind, f"{other['name']} bakes", {"kind": "person", **other}, session="s3", model="test:three")
    assert count(mind.sql, "substrate_entities") == 3, "alike in meaning alone is not enough, nor is a word"
    await _names(mind, "Lind bakes", {**near, "name": "Lind Maya B."}, session="s4", model="test:other")
    assert count(mind.sql, "substrate_entities") == 4, "vectors of another model are not compared"


async def test_a_merge_is_followed_by_every_reader_and_undone_exactly(mind: Mind) -> None:
    await _names(mind, "Maya bakes", {"name": "Maya", "kind": "person", "facts": (fact("Maya", "lives_in", "Berlin"),)})
    await _names(mind, "M. Lind sings", {"name": "M. Lind", "kind": "person", "facts": (fact("M. Lind", "sings", "arias"),)})
    await _names(mind, "Frau Lind", {"name": "Frau Lind", "kind": "person", "facts": (fact("Frau Lind", "owns", "Bakery"),)})
    ids = dict(mind.rows("select name, entity_id from thoth.substrate_entities"))
    before = _everything(mind)
    first = await merge_entities(mind.db, TENANT, ids["M. Lind"], ids["Frau Lind"], "test", MAKER)
    second = await merge_entities(mind.db, TENANT, ids["Maya"], ids["M. Lind"], "test", MAKER)
    assert first is not None
    assert second is not None
    for name in ("Maya", "M. Lind", "Frau Lind"):
        assert {f.object for f in await facts_about(mind.db, TENANT, name)} == {"Berlin", "arias", "Bakery"}
        assert {f.subject for f in await relationships_as_of(mind.db, TENANT, mind.clock.now(), about=name)} == {"Maya"}
    assert len(mind.rows("select row_id from thoth.substrate_statement_postings where term = 'maya'")) == 3
    assert await merge_entities(mind.db, TENANT, ids["Maya"], ids["M. Lind"], "again", MAKER) is None
    assert await merge_entities(mind.db, TENANT, ids["Maya"], ids["Maya"], "itself", MAKER) is None
    assert await merge_entities(mind.db, TENANT, ids["Maya"], 10**12, "nobody", MAKER) is None
    assert await unmerge(mind.db, TENANT, second)
    assert {f.object for f in await facts_about(mind.db, TENANT, "Frau Lind")} == {"arias", "Bakery"}
    assert await unmerge(mind.db, TENANT, first)
    assert _everything(mind) == before
    assert not await unmerge(mind.db, TENANT, first), "undone before"
    assert not await unmerge(mind.db, TENANT, 10**12)


async def test_merges_undone_in_any_order_leave_nothing_behind(mind: Mind) -> None:
    for name in ("A1", "B1", "C1", "D1"):
        await _names(mind, f"{name} is here", {"name": name, "kind": "person"})
    ids = dict(mind.rows("select name, entity_id from thoth.substrate_entities"))
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0), (0, 2, 1)):
        merges = [
            await merge_entities(mind.db, TENANT, ids[kept], ids[gone], "test", MAKER)
            for kept, gone in (("C1", "D1"), ("B1", "C1"), ("A1", "B1"))
        ]
        assert _roots(mind) == ["A1"]
        for number in order:
            merge_id = merges[number]
            assert merge_id is not None
            assert await unmerge(mind.db, TENANT, merge_id)
        assert _roots(mind) == ["A1", "B1", "C1", "D1"]


async def test_facts_of_merged_ones_supersede_each_other(mind: Mind) -> None:
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"))
    await mind.learns("M. Lind sings.", fact("M. Lind", "sings", "arias"))
    ids = dict(mind.rows("select name, entity_id from thoth.substrate_entities"))
    assert await merge_entities(mind.db, TENANT, ids["M. Lind"], ids["Maya"], "test", MAKER)
    mind.clock.advance(timedelta(days=1))
    await mind.learns("I live in Paris.", fact("M. Lind", "lives_in", "Paris"))
    assert [row[0] for row in mind.facts() if row[0] != "arias" and row[2] is None] == ["Paris"]


async def test_what_is_known_of_an_entity_grows(mind: Mind) -> None:
    await _names(mind, "Maya", {"name": "Maya", "summary": "Somebody."})
    await _names(mind, "Maya bakes", {"name": "MAYA", "kind": "human", "summary": "A baker.", "aliases": ("M.", "she", "")})
    assert mind.rows("select name, kind, summary from thoth.substrate_entities") == [("Maya", "person", "A baker.")]
    assert [row[0] for row in mind.rows("select norm from thoth.substrate_entity_aliases order by norm")] == ["m", "maya"]


def test_full_names_differ_when_neither_is_a_part_of_the_other() -> None:
    assert differ(["alex chen"], {"alex", "alex rivera"})
    assert not differ(["alex chen"], {"alex"})
    assert not differ(["alex chen"], {"dr alex chen"})
    assert not differ(["alex chen"], {"алекс чен"})
    assert not differ(["alex"], {"alex rivera"})


def test_kinds_and_names_that_say_nothing() -> None:
    assert [kind_of(kind) for kind in ("Company", "CITY", "", "sculpture")] == ["organisation", "place", "", "sculpture"]
    assert mention("…") is None
    found = mention("Maya", "", ("he", "Maya", "…", "Maya L."))
    assert found is not None
    assert list(found.names) == ["maya", "maya l"]


def _everything(mind: Mind) -> list[list[tuple[Any, ...]]]:
    """All that a merge could touch."""
    return [
        mind.rows("select * from thoth.substrate_entities order by entity_id"),
        mind.rows("select * from thoth.substrate_entity_aliases order by norm, entity_id"),
        mind.rows("select * from thoth.substrate_relationships order by relationship_id"),
        mind.rows("select * from thoth.substrate_citations order by row_id, slice_id, quote_start"),
        mind.rows("select row_id, terms, counts, length from thoth.substrate_statements order by row_id"),
        mind.rows("select * from thoth.substrate_statement_postings order by term, row_id"),
    ]
