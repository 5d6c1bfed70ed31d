"""Terms: what keyword search knows of a text, in any script."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.model.terms import LONGEST_TERM, counted, plain, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We moved to Lisbon in May; Lisbon is warm.", ["move", "lisbon", "may", "lisbon", "warm"]),
        ("What did Caroline's sister study?", ["carolin", "sister", "studi"]),
        ("port 5432 and not 5433", ["port", "5432", "5433"]),
        ("don't, I’ve, it's", []),
        ("v1.2.3 is out", ["v1.2.3", "v1", "2", "3"]),
        ("write to ana@example.org", ["write", "ana@example.org", "ana", "exampl", "org"]),
        ("call run_import() or foo-bar/baz", ["call", "run_import", "run", "import", "foo-bar/baz", "foo", "bar", "baz"]),
        ("Über Café naïve Straße", ["uber", "cafe", "naiv", "strass"]),
        ("ＦＵＬＬ width", ["full", "width"]),
        ("", []),
        ("…!?", []),
        ("<|endoftext|> <|im_start|>", ["endoftext", "im_start", "im", "start"]),
    ],
)
def test_words_become_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("passage", "question"),
    [
        ("我昨天在北京大学图书馆遇见了王老师。", "北京大学"),
        ("我的猫很可爱", "猫"),
        ("我家的猫叫小白", "你的猫叫什么名字"),
        ("昨日、東京駅の近くで仕事を見つけました。", "東京駅"),
        ("ﾊﾟｿｺﾝを買った", "パソコン"),
        ("어제 서울에서 친구를 만났어요", "서울"),
        ("ฉันย้ายไปอยู่เชียงใหม่เมื่อปีที่แล้ว", "เชียงใหม่"),
        ("انتقلت إلى القَاهِرَة في الشهر الماضي", "القاهرة"),
        ("أخي أحمد يدرس الطب", "احمد"),
        ("मैं हर सुबह दिल्ली में टहलता हूँ", "दिल्ली"),
        ("Моя сестра живёт в Казани", "живет"),
        ("Żółta łódka w Gdańsku", "gdansku"),
        ("ich wohne in München", "munchen"),
        ("GPT는 좋다", "gpt"),
        ("我用Python写代码", "python"),
    ],
)
def test_the_words_of_a_question_are_found_in_the_passage(passage: str, question: str) -> None:
    """faults: Chinese, Thai, Arabic, mixed scripts: found by keyword without spaces between words."""
    assert set(terms(question)) & set(terms(passage))


def test_a_word_is_the_same_however_its_accents_are_written() -> None:
    for word in ("résumé", "Ångström", "Việt", "मुंबई", "ガラス"):
        assert terms(unicodedata.normalize("NFD", word)) == terms(unicodedata.normalize("NFC", word))
    assert len(terms(unicodedata.normalize("NFD", "résumé"))) == 1


def test_a_word_with_vowel_signs_is_one_term() -> None:
    assert len(terms("दिल्ली")) == 1
    assert terms("مُحَمَّد") == terms("محمد")


def test_counted_keeps_the_order_of_first_occurrence() -> None:
    found = counted("ship mill ship river ship")
    assert (found.terms, found.counts, found.length) == (["ship", "mill", "river"], [3, 1, 1], 5)
    assert counted("x " * 40_000).counts == [32_767]


def test_plain_is_how_names_are_compared() -> None:
    assert plain("JOSÉ Müller") == "jose muller"


@given(st.text(max_size=400))
def test_any_text_has_terms_of_bounded_length_and_never_fails(text: str) -> None:
    """faults: a NUL; a lone surrogate as content and as query; astral emoji."""
    found = terms(text)
    assert all(0 < len(term) <= LONGEST_TERM for term in found)
    assert found == terms(text)


@pytest.mark.parametrize("unit", ["a", "a.", "a-", "'", "я", "字", "ท", "\u0301", "a\u0301", "_", "1", "ن\u064b", "+/="])
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    started = time.process_time()
    terms(unit * (300_000 // len(unit)))
    assert time.process_time() - started < 5
