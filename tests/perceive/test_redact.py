"""Redaction: secrets go, ordinary talk stays."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.perceive.redact import redact, redact_json

# Put together here, so that no scanner takes this file for a leak.
OPENAI = "sk-" + "proj-4f9Kq2LmZx81VbTn3RwYc7Dh"
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
GITHUB = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
SLACK = "xoxb-" + "123456789012-123456789012-abcdefghijklmnop"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcdefgh\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (OPENAI, "api-key"),
        (AWS, "aws-access-key"),
        (GITHUB, "github-token"),
        ("github_pat_" + "11ABCDEFG0abcdefghijkl_mnopqrst", "github-token"),
        (SLACK, "slack-token"),
        (JWT, "json-web-token"),
        (KEY, "private-key"),
        ("AIza" + "SyA1234567890abcdefghijklmnopqrstuv", "google-api-key"),
        ("4111 1111 1111 1111", "card"),
        ("5555-5555-5555-4444", "card"),
        ("378282246310005", "card"),
    ],
)
def test_a_secret_in_a_message_is_replaced_by_its_kind(secret: str, kind: str) -> None:
    """faults: API keys, passwords and card numbers inside messages and tool results."""
    assert redact(f"Please keep {secret} for me.") == (f"Please keep [redacted:{kind}] for me.", 1)
    assert redact(secret) == (f"[redacted:{kind}]", 1)
    assert redact_json({"result": [{"line": f"x {secret}"}]}) == ({"result": [{"line": f"x [redacted:{kind}]"}]}, 1)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password = hunter2", "password = [redacted:password]"),
        ("my Password: Tr0ub4dor&3 ok", "my Password: [redacted:password] ok"),
        ("https://example.org/?password=abc123&page=2", "https://example.org/?password=[redacted:password]&page=2"),
        ("PASSWORD='correct horse battery'", "PASSWORD='[redacted:password]'"),
        ("DB_PASSWORD=s3cr3t!", "DB_PASSWORD=[redacted:password]!"),
        ('{"password": "hunter2", "user": "ann"}', '{"password": "[redacted:password]", "user": "ann"}'),
        (r'"{\"password\": \"hunter2\"}"', r'"{\"password\": \"[redacted:password]\"}"'),
        ("Kennwort: geheim1", "Kennwort: [redacted:password]"),
        ("密码：abc12345", "密码：[redacted:password]"),
        ("api_key: 9f8e7d6c5b4a", "api_key: [redacted:secret]"),
        ("client-secret=abc123def456", "client-secret=[redacted:secret]"),
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [redacted:bearer-token]"),
        ("postgres://ann:p4ssw0rd@db.example.org/x", "postgres://ann:[redacted:basic-auth-credentials]@db.example.org/x"),
    ],
)
def test_an_assignment_to_a_telling_name_loses_its_value(text: str, left: str) -> None:
    assert redact(text) == (left, 1)


ORDINARY = [
    "The id is 550e8400-e29b-41d4-a716-446655440000, as I said.",
    "commit e71a0433f0f1d9c2b8a7e6d5c4b3a29180706050 fixed it",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Call me at +1 (555) 123-4567 or +49 1523 4567890 or 0044 20 7946 0958.",
    "Between 2024-01-15 and 2024-02-16, at 12:45:30, build 20240115123045.",
    "I forgot my password: it must be at least eight characters long.",
    "Password: must be 8 characters",
    "The password is wrong, the token is expired and the key: it sits under the mat.",
    "max_tokens: 4096, tokens: 1500, tokenizer: bert-base-uncased-v2",
    "The secret: love. The key: patience.",
    "password = os.environ['DB_PASSWORD']",
    "password: ${DB_PASSWORD}",
    "My task-management-board-2024 is at https://example.org/a/b?c=d#e",
    "Order 1234567890123456, tracking 9400110200881234567890",
    "See https://user@example.org:8080/path and ssh://git@host",
    "IMEI 353270060123456; IBAN DE89 3704 0044 0532 0130 00",
    "port 5432 against port 5433",
    "我的妹妹安娜星期六来看我们，我们一起吃了一顿美好的晚餐。",
    "<|endoftext|> <|im_start|>system",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    assert redact(text) == (text, 0)


def test_a_value_goes_when_its_key_says_that_it_is_a_secret() -> None:
    given_ = {"user": "ann", "password": "abc", "nested": {"api_key": "abcd1234efgh", "pin": 12}, "card": 4111111111111111}
    left, found = redact_json(given_)
    assert left == {
        "user": "ann",
        "password": "[redacted:password]",
        "nested": {"api_key": "[redacted:secret]", "pin": 12},
        "card": "[redacted:card]",
    }
    assert found == 3
    assert redact_json({"token": "hello", "flag": True, "count": 4}) == ({"token": "hello", "flag": True, "count": 4}, 0)


def test_secrets_are_found_in_long_texts_and_across_their_pieces() -> None:
    rng = random.Random(4)
    words = " ".join(rng.choice(["the", "quick", "brown", "fox", "12:45", "a=b"]) for _ in range(20_000))
    text = f"{words} password: hunter2 {words}\n{KEY}\n{words} {OPENAI} {words}"
    left, found = redact(text)
    assert found == 3
    assert "hunter2" not in left
    assert "MIIEp" not in left
    assert OPENAI not in left
    assert len(left) > 4 * len(words)


@given(
    st.lists(
        st.sampled_from([*ORDINARY, OPENAI, AWS, JWT, KEY, "password: x9y8z7", "a", "\n", '"', "\\", "://a:b@c"]), max_size=8
    )
)
def test_redacting_twice_changes_nothing_more(parts: list[str]) -> None:
    once, _ = redact(" ".join(parts))
    assert redact(once)[0] == once


@pytest.mark.parametrize("hostile", ["eyJ", "sk-", "password:", "-----BEGIN PRIVATE KEY-----", "://a:", "4111 ", "xoxb-1-"])
def test_a_hostile_megabyte_is_read_in_linear_time(hostile: str) -> None:
    """Passes within the test's time limit; a quadratic shape takes minutes."""
    redact(hostile * (300_000 // len(hostile)))
