"""What secrets look like: the marks they bear, the shapes that the kept library does not know, the words that name them.

Data only. All patterns are linear in the length of the text: repetitions are bounded or cannot overlap.
"""

from __future__ import annotations

import re

# mark → the module of detect-secrets that knows its shape. Its entropy and keyword guesses are left out (they take every
# hash and every "the key: …" for a secret); so are artifactory (takes APARTMENTS for a password), and jwt, openai, npm and
# cloudant (quadratic: minutes for a hostile megabyte), whose shapes stand below instead.
LIBRARY_MARKS: tuple[tuple[str, str], ...] = (
    *((mark, "aws") for mark in ("AKIA", "ASIA", "ABIA", "ACCA", "A3T", "aws", "AWS")),
    *((mark, "github_token") for mark in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    *((mark, "gitlab_token") for mark in ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "GR1348941", "glcbt-", "glptt-")),
    ("xox", "slack"),
    ("hooks.slack.com", "slack"),
    ("k_live_", "stripe"),
    ("://", "basic_auth"),
    ("SG.", "sendgrid"),
    ("pypi-Ag", "pypi_token"),
    ("sq0csp-", "square_oauth"),
    ("AccountKey=", "azure_storage_key"),
    (":AA", "telegram_token"),
    ("-us", "mailchimp"),
    ("AC", "twilio"),
    ("SK", "twilio"),
)

PRIVATE_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PRIVATE_KEY_LINES = re.compile(r"(?:(?:\s|\\[rn])*[A-Za-z0-9+/=]{20,})*")
LONGEST_PRIVATE_KEY_CHARS = 20_000
# mark, kind, shape
OWN_SHAPES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("sk-", "api-key", re.compile(r"(?<![\w-])sk-(?=[\w-]*[A-Za-z0-9]{16})(?=[\w-]*\d)[\w-]{20,}", re.ASCII)),
    ("github_pat_", "github-token", re.compile(r"github_pat_\w{22,}", re.ASCII)),
    ("AIza", "google-api-key", re.compile(r"(?<![\w-])AIza[\w-]{35}", re.ASCII)),
    ("hf_", "hugging-face-token", re.compile(r"(?<!\w)hf_[A-Za-z0-9]{30,}")),
    ("npm_", "npm-token", re.compile(r"(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)")),
    ("eyJ", "json-web-token", re.compile(r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*", re.ASCII)),
    (".", "discord-bot-token", re.compile(r"(?<![\w-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])", re.ASCII)),
    ("earer ", "bearer-token", re.compile(r"(?<=earer )(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}", re.ASCII)),
    ("asic ", "basic-auth-credentials", re.compile(r"(?<=asic )(?=[A-Za-z+/]*\d)[A-Za-z0-9+/]{12,}={0,2}")),
)

# Names that tell what is assigned to them, in lower case. A mere key needs one of the qualifiers before it.
NAME = re.compile(
    r"(?P<password>pass[_-]?(?:word|wd|code|phrase|wort)|pwd|contraseña|kennwort|mot de passe|senha|пароль|密码|パスワード)|"
    r"(?P<secret>secret|token|credential)|key"
)
QUALIFIER = re.compile(r"(?:api|access|auth|secret|private|signing|encryption|account|service|client)[ _-]?\Z", re.IGNORECASE)
LONGEST_QUALIFIER_CHARS = 12
# The beginnings of those names, as the cheap wall looks for them.
NAMING_WORDS = (
    *("passw", "pass_", "pass-", "passcode", "passphrase", "pwd", "contraseña", "kennwort", "mot de passe", "senha", "пароль"),
    *("密码", "パスワード", "secret", "token", "key", "credential"),
)
ASSIGNED = re.compile(
    r"""(?P<suffix>\w{0,20})(?:\\?["'`])?\]?[ \t]*(?::=|=>|={1,2}|[:：])[ \t]*"""
    r"""(?:\\?(?P<quote>["'`])(?P<quoted>[^"'`\n]{1,400}?)\\?(?P=quote)|(?P<bare>(?:[^\s"'`<>&\\]|&(?!\w{1,40}=)){1,400}))"""
)
SECRET_SUFFIX = re.compile(r"s?(?:_?\d{1,3}|_?value|_?id)?", re.IGNORECASE)
# What stands in the place of a secret without being one: placeholders, code, and the words of ordinary sentences.
NO_SECRET = re.compile(
    r"[*x•.…-]+|\[redacted:.*|[<${%(].*|[\w.]*\(.*|(?:os|process|env|config|settings|self|this|args)\..*|"
    r"none|null|nil|undefined|true|false|yes|no|required|optional|string|str|int|text|bytes|password|secret|token|must|should|"
    r"is|are|was|has|not|the|a|an|your|my|our|their|it|at|for|to|in|incorrect|wrong|invalid|expired|changed|reset|forgotten|same",
    re.IGNORECASE,
)
TOKEN_LIKE = re.compile(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w.~+/=@!#$%^*:-]{8,}|[\w.~+/=-]{24,}", re.ASCII)

# Groups of four, or as American Express and Diners print theirs. A class first, so that the search skips what is no digit.
CARD = re.compile(r"[0-9][0-9]{3}([ -]?)(?:[0-9]{4}\1[0-9]{4}\1[0-9]{4}|[0-9]{6}\1[0-9]{4,5})")
CARD_BRAND = re.compile(
    r"4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|(?:6011|65\d\d|64[4-9]\d)\d{12}|"
    r"(?:36|38|30[0-5])\d{11,12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14}"
)
