"""Mail as it is found: encoded headers, old charsets, threads, attachments, broken messages, mailboxes of any size."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.imports.files import events, found, reasons
from thoth_substrate.imports.detect import reader_for
from thoth_substrate.imports.source import Source

PLAIN = b"""\
Received: from a by b; Mon, 2 Mar 2026 09:00:00 +0000
From: =?utf-8?q?Ana_Garc=C3=ADa?= <ana@example.org>
To: Ben <ben@example.org>, =?utf-8?q?Cho=2C_Dana?= <dana@example.org>
Subject: =?utf-8?b?TGEgcmV1bmnDs24=?= of
 Monday
Date: Mon, 2 Mar 2026 10:00:00 +0100
Message-ID: <one@example.org>

The keys are with Amparo.
"""
ANSWER = b"""\
From: Ben <ben@example.org>
Subject: Re: keys
Date: Tue, 3 Mar 2026 08:00:00 -0500
Message-ID: <two@example.org>
In-Reply-To: <one@example.org>
References: <one@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: multipart/alternative; boundary="y"

--y
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

Ma=F1ana at the caf=E9, =
as agreed.
--y
Content-Type: text/html

<p>in colour</p>
--y--
--x
Content-Type: application/pdf; name="=?utf-8?q?plan_f=C3=BCr_M=C3=A4rz.pdf?="
Content-Disposition: attachment; filename="=?utf-8?q?plan_f=C3=BCr_M=C3=A4rz.pdf?="
Content-Transfer-Encoding: base64

AAAA
--x--
"""


def eml(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def mbox(path: Path, *messages: bytes) -> Path:
    lines = (b"From ana@example.org Mon Mar  2 09:00:00 2026\n" + message + b"\n" for message in messages)
    return eml(path, b"".join(lines))


def test_one_message_with_its_people_thread_and_time(tmp_path: Path) -> None:
    (event,) = events(eml(tmp_path / "letter", PLAIN))
    assert event.content == "La reunión of Monday\n\nThe keys are with Amparo."
    assert (event.stream, event.actor, event.session) == ("thoth.world.email", "Ana García", "mail/one@example.org")
    assert event.external_id == "one@example.org"
    assert event.event_time is not None
    assert event.event_time.astimezone(UTC) == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert event.metadata["to"] == ["Ben", "Cho, Dana"]


def test_an_answer_belongs_to_its_thread_and_names_what_is_attached(tmp_path: Path) -> None:
    first, second = events(mbox(tmp_path / "box", PLAIN, ANSWER))
    assert first.session == second.session == "mail/one@example.org"
    assert second.content == "Re: keys\n\nMañana at the café, as agreed."
    assert second.metadata["attachments"] == ["plan für März.pdf"]
    assert second.event_time is not None
    assert second.event_time.utcoffset() is not None


def test_mail_is_told_from_other_texts(tmp_path: Path) -> None:
    for content, is_mail in (
        (PLAIN, True),
        (ANSWER, True),
        (b"From here on it gets cold.\n", False),
        (b"Note: a\nTo: b\n", False),
    ):
        path = eml(tmp_path / "it.txt", content)
        with Source(path) as source:
            assert (reader_for(source).NAME == "mail") is is_mail


def test_a_page_without_plain_words_is_read_as_one_sees_it(tmp_path: Path) -> None:
    html = b"<html><head><style>p{}</style></head><body><p>Dear&nbsp;Ana,</p><p>see <b>you</b> soon<br>Ben</p><script>x</script>"
    message = b"From: b@x\nSubject: hi\nDate: Mon, 2 Mar 2026 10:00:00 +0100\nContent-Type: text/html\n\n" + html
    (event,) = events(eml(tmp_path / "f", message))
    assert event.content == "hi\n\nDear Ana,\n\nsee you soon\nBen"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"From: a@x\nSubject: =?utf-8?q?=C3=?= x\nDate: nonsense\n\nbody", "body"),
        (b"From: a@x\nTo: b\nSubject: =?klingon?b?AAAA?=\nContent-Type: text/plain; charset=klingon\n\nbody \xe9", "body é"),
        (b"From: a@x\nSubject: x\nContent-Transfer-Encoding: base64\n\n!!!! not base64", ""),
        (b"From: a@x\nSubject: x\nContent-Type: multipart/mixed\n\nno boundary at all", "no boundary at all"),
        (b"From: a@x\nSubject: x\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\nonly begun", "only begun"),
        (b"From: a@x\nSubject: x\nReceived: y\n\xff\xfe\x00broken header\n\nbody", ""),
    ],
)
def test_broken_messages_are_read_as_far_as_they_go(tmp_path: Path, content: bytes, said: str) -> None:
    (event,) = events(eml(tmp_path / "f", content), "mail")
    assert said in event.content


def test_a_mailbox_is_cut_at_its_from_lines_and_nowhere_else(tmp_path: Path) -> None:
    quoted = PLAIN.replace(b"The keys", b">From here we go.\n\nFrom now on: the keys").replace(b"one@", b"three@")
    path = mbox(tmp_path / "box", PLAIN, quoted, b"", ANSWER)
    told = events(path)
    assert [event.external_id for event in told] == ["one@example.org", "three@example.org", "two@example.org"]
    assert "\nFrom here we go.\n" in f"\n{told[1].content}\n"


def test_a_body_of_five_megabytes_is_kept_in_pieces(tmp_path: Path) -> None:
    """faults: a 5 MB body must not crash, and every part of it can be found."""
    body = "".join(f"Sentence number {n} of the very long letter. " for n in range(110_000)).encode()
    path = eml(tmp_path / "f", PLAIN.replace(b"The keys are with Amparo.", body))
    told = events(path)
    assert len(told) >= 50
    assert len({event.external_id for event in told}) == len(told)
    assert sum("number 109999 " in event.content for event in told) == 1


def test_a_message_without_an_id_has_one_of_its_own(tmp_path: Path) -> None:
    bare = PLAIN.replace(b"Message-ID: <one@example.org>\n", b"")
    first, second = events(mbox(tmp_path / "box", bare, bare.replace(b"Amparo", b"Ana")))
    assert first.external_id != second.external_id
    assert [e.external_id for e in events(mbox(tmp_path / "again", bare))] == [first.external_id]


def test_what_holds_nothing_is_said(tmp_path: Path) -> None:
    empty = b"From: a@x\nDate: Mon, 2 Mar 2026 10:00:00 +0100\n\n\n"
    assert reasons(mbox(tmp_path / "box", empty, PLAIN)) == ["nothing said in it"]
    assert len(found(mbox(tmp_path / "box", empty, PLAIN))) == 2
